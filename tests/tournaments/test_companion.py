"""Companion mode and archives: real files into real events and out again."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eventstore.domain.refusal import Refused
from eventstore.ids import new_id
from eventstore.models import Event
from people.access import NotAllowed
from people.models import Person
from tests.conftest import Member
from tests.helpers import rebuilds_equal
from tests.tournaments.conftest import Running
from tests.tournaments.test_event_plans import refused
from tests.tournaments.test_pair_command import command
from tournaments import selectors, services
from tournaments.domain.exchange import archive, detect, kts, tables, trf
from tournaments.domain.exchange.sheet import Sheet
from tournaments.domain.standings import standings
from tournaments.management.commands.standings import ranked
from tournaments.models import EntrantRow, EventRow, MatchRow, RoundRow

pytestmark = pytest.mark.django_db
Make = Callable[..., Running]


@pytest.fixture
def finished(shared: Path) -> Sheet:
    """The finished file of 21 players."""
    return kts.read((shared / "data/events/kts/finished-21p.Tournament").read_bytes())


def cut_back(sheet: Sheet, number: int) -> bytes:
    """The file as it stood after a round: later rounds, drops and the cut not there yet."""
    players = tuple(
        one
        if one.dropped_after is None or one.dropped_after <= number
        else replace(one, dropped_after=None, reason="")
        for one in sheet.players
    )
    return kts.write(
        replace(
            sheet,
            players=players,
            matches=tuple(one for one in sheet.matches if one.round <= number),
            byes=tuple(one for one in sheet.byes if one.round <= number),
            rounds=number,
            cut_from=sheet.cut_from if number >= sheet.cut_from else 0,
        )
    )


@pytest.fixture
def companion(make_event: Make) -> Running:
    """An event that runs in the publisher's program."""
    event = make_event(standings="konami-kts@1")
    event.run(services.plan_make, changes={"companion": "kts"})
    return event


def played(sheet: Sheet) -> set[Any]:
    found: set[Any] = set()
    for one in sheet.matches:
        seats = {one.p1: "P1", one.p2: "P2"}
        winner = next((p for p, seat in seats.items() if seat == one.winner), one.winner)
        found.add((one.round, one.stage, frozenset(seats), winner))
    return found | {(one.round, one.player, one.won) for one in sheet.byes}


def assert_same_event(event: Running, wanted: Sheet) -> None:
    exported = kts.read(selectors.event_file(event.olga.actor, event.event_id, "kts")[0])
    assert played(exported) == played(wanted)
    assert {one.id: (one.dropped_after, one.reason) for one in exported.players} == {
        one.id: (one.dropped_after, one.reason) for one in wanted.players
    }
    told = {one.id: (one.given["Rank"], one.given["Points"]) for one in exported.players}
    assert told == {one.id: (one.given["Rank"], one.given["Points"]) for one in wanted.players}


def test_each_round_in_turn_gives_the_final_state(companion: Running, finished: Sheet) -> None:
    for number in range(1, 9):
        content = cut_back(finished, number)
        companion.run(services.companion_import, content=content)
        before = Event.objects.count()
        again = companion.run(services.companion_import, content=content)
        assert (again.events, again.rounds, again.enrolled) == (0, 0, 0)
        assert Event.objects.count() == before
        row = EventRow.objects.get(pk=companion.event_id)
        assert row.round == number
        assert row.stage == ("cut" if number >= 6 else "swiss")
    assert_same_event(companion, finished)
    bracket = selectors.bracket(companion.olga.actor, companion.event_id)
    assert len(bracket.seeds) == 8
    assert bracket.champion is not None
    assert bracket.champion.name == "Duelist P10"
    rebuilds_equal("tournaments.board")


def test_the_finished_file_at_once_gives_the_same(companion: Running, finished: Sheet) -> None:
    made = companion.run(services.companion_import, content=kts.write(finished))
    assert (made.enrolled, made.rounds) == (21, 8)
    assert_same_event(companion, finished)
    view = selectors.standings_after(companion.olga.actor, companion.event_id, 5)
    codes = {line.side.name: line.code for line in view.lines}
    assert codes == {one.name: one.given["Points"] for one in finished.players}


def test_the_file_as_it_is_on_disk(companion: Running, shared: Path, finished: Sheet) -> None:
    data = (shared / "data/events/kts/finished-21p.Tournament").read_bytes()
    companion.run(services.companion_import, content=data)
    assert_same_event(companion, finished)


def test_an_event_that_never_started_brings_its_players(companion: Running, shared: Path) -> None:
    data = (shared / "data/events/kts/Test_6_(32_Players).Tournament").read_bytes()
    made = companion.run(services.companion_import, content=data)
    assert (made.enrolled, made.rounds) == (32, 0)
    assert EntrantRow.objects.filter(event_id=companion.event_id).count() == 32
    assert EventRow.objects.get(pk=companion.event_id).status == "open"


def test_a_late_player_brings_the_round_it_lost(companion: Running, finished: Sheet) -> None:
    late = {one.player for one in finished.byes if one.round == 1 and not one.won}
    assert late
    without = replace(
        finished,
        players=tuple(one for one in finished.players if one.id not in late),
        byes=tuple(one for one in finished.byes if one.player not in late),
    )
    companion.run(services.companion_import, content=cut_back(without, 1))
    made = companion.run(services.companion_import, content=cut_back(finished, 2))
    assert made.enrolled == len(late)
    assert len(RoundRow.objects.get(event_id=companion.event_id, number=1).lost) == len(late)
    companion.run(services.companion_import, content=kts.write(finished))
    assert_same_event(companion, finished)
    rebuilds_equal("tournaments.board")


def test_a_corrected_result_and_a_drop_follow(companion: Running, finished: Sheet) -> None:
    companion.run(services.companion_import, content=cut_back(finished, 3))
    match = next(one for one in finished.matches if one.round == 2 and one.winner == "P1")
    other = replace(
        finished,
        matches=tuple(
            replace(one, winner="draw") if one == match else one for one in finished.matches
        ),
        players=tuple(
            replace(one, dropped_after=3, reason="drop") if one.id == match.p1 else one
            for one in finished.players
        ),
    )
    made = companion.run(services.companion_import, content=cut_back(other, 3))
    assert made.events == 2
    row = MatchRow.objects.get(event_id=companion.event_id, corrections=1)
    assert (row.round, row.winner) == (2, "draw")
    assert RoundRow.objects.get(event_id=companion.event_id, number=3).revision == 2
    # and back again
    made = companion.run(services.companion_import, content=cut_back(finished, 3))
    assert made.events == 2
    assert (
        not EntrantRow.objects.filter(reason="staff", status="dropped", dropped_after=3)
        .exclude(
            persons__0__in=Person.objects.filter(
                card_game_id__in=[
                    kts.padded(one.id) for one in finished.players if one.dropped_after == 3
                ]
            ).values("pk")
        )
        .exists()
    )


def test_a_round_paired_anew_before_any_result_is_taken(
    companion: Running, finished: Sheet
) -> None:
    open_round = replace(
        finished,
        matches=tuple(
            replace(one, winner=None) if one.round == 2 else one for one in finished.matches
        ),
    )
    companion.run(services.companion_import, content=cut_back(open_round, 2))
    second = [one for one in open_round.matches if one.round == 2]
    swapped = {second[0]: replace(second[0], p2=second[1].p2),
               second[1]: replace(second[1], p2=second[0].p2)}  # fmt: skip
    other = replace(open_round, matches=tuple(swapped.get(one, one) for one in open_round.matches))
    companion.run(services.companion_import, content=cut_back(other, 2))
    exported = kts.read(selectors.event_file(companion.olga.actor, companion.event_id, "kts")[0])
    assert played(exported) == played(kts.read(cut_back(other, 2)))
    companion.run(services.companion_import, content=cut_back(finished, 2))
    wrong = cut_back(other, 2)
    assert (
        refused(lambda: companion.run(services.companion_import, content=wrong))
        == "companion_differs"
    )


def test_pairing_is_off_and_everything_else_works_on_top(
    companion: Running, finished: Sheet
) -> None:
    open_round = replace(
        finished,
        matches=tuple(
            replace(one, winner=None) if one.round == 2 else one for one in finished.matches
        ),
    )
    companion.run(services.companion_import, content=cut_back(open_round, 1))
    assert refused(lambda: companion.run(services.round_pair)) == "companion_mode"
    companion.run(services.companion_import, content=cut_back(open_round, 2))
    row = companion.matches(2)[0]
    services.result_enter(companion.staff(), match_id=row.pk, reason="no_show", winner="P1")
    told = tables.write_table(["what"], [["no_show"]]).decode().splitlines()[1]
    retype = selectors.event_file(companion.olga.actor, companion.event_id, "retype")[0].decode()
    assert told in retype
    assert retype.count("no_show") == 1


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "file_damaged"),
        (b"<html/>", "file_other"),
        (b"<Tournament><PlayerStructure>03</PlayerStructure></Tournament>", "team_file"),
        (
            b"<Tournament><TournamentPlayers><TournPlayer><Player><ID>X1</ID></Player>"
            b"</TournPlayer></TournamentPlayers></Tournament>",
            "companion_id",
        ),
    ],
)
def test_wrong_files_change_nothing(companion: Running, content: bytes, code: str) -> None:
    before = Event.objects.count()
    assert code == refused(lambda: companion.run(services.companion_import, content=content))
    assert Event.objects.count() == before


def test_other_events_take_no_companion_file(make_event: Make, finished: Sheet) -> None:
    event = make_event(4)
    content = cut_back(finished, 1)
    assert refused(lambda: event.run(services.companion_import, content=content)) == "companion_off"


def test_only_the_organiser_imports_and_exports(
    companion: Running, finished: Sheet, charlie: Member, jude: Member
) -> None:
    content = cut_back(finished, 1)
    for member in (charlie, jude):
        with pytest.raises(NotAllowed):
            services.companion_import(
                member.context(), event_id=companion.event_id, content=content
            )
        for kind in selectors.FILES:
            with pytest.raises(NotAllowed):
                selectors.event_file(member.actor, companion.event_id, kind)


# archives


def exported(event_id: str, viewer: Any) -> bytes:
    return selectors.event_file(viewer, event_id, "archive")[0]


def test_an_archive_makes_the_same_event_again(make_event: Make, olga: Member) -> None:
    event = make_event(9, start=False, rounds=3, cut=4)
    event.run(
        services.plan_make,
        changes={
            "soft": ["club"],
            "clubs": {event.entrants["Alice"]: "Shop"},
            "fixed": {event.entrants["Bob"]: 7},
            "forbidden": [[event.entrants["Alice"], event.entrants["Bob"]]],
            "switches": {"floor_permille": 330},
        },
    )
    event.run(services.event_start)
    event.pair(seed=1)
    event.enrol("Late")
    event.settle([2, 1, 0], [1, 1, 1])
    event.run(services.entrant_drop, entrant_id=event.entrants["Dora"])
    event.pair(seed=2)
    row = event.matches(2)[0]
    services.result_enter(event.staff(), match_id=row.pk, reason="double_loss")
    event.settle()
    event.run(services.round_pair, seed=3)
    draft = list(MatchRow.objects.filter(event_id=event.event_id, round=3))
    event.run(services.draft_swap, one=draft[0].p1, two=draft[1].p1, note="friends")
    event.run(services.round_publish, number=3)
    event.settle()
    event.run(services.cut_make, seed=4)
    while not selectors.bracket(olga.actor, event.event_id).champion:
        event.pair(seed=5)
        event.settle()
    event.run(services.event_finish)
    first = exported(event.event_id, olga.actor)
    copy = services.archive_import(olga.context(), event_id=new_id(), content=first)
    assert exported(copy, olga.actor) == first
    for number in (1, 2, 3):
        here, there = (
            [
                (line.rank, line.side.number, line.code)
                for line in selectors.standings_after(olga.actor, one, number).lines
            ]
            for one in (event.event_id, copy)
        )
        assert here == there
    places = [
        {
            row.number: (row.place, row.seed, row.status)
            for row in EntrantRow.objects.filter(event_id=one)
        }
        for one in (event.event_id, copy)
    ]
    assert places[0] == places[1]
    rebuilds_equal("tournaments.board")


@pytest.mark.parametrize("step", range(6))
def test_an_archive_of_any_moment_makes_the_same_event_again(
    make_event: Make, olga: Member, step: int
) -> None:
    event = make_event(5, rounds=2, cut=2)
    steps: list[Callable[[], Any]] = [
        lambda: event.run(services.registration_close),
        lambda: event.run(services.event_start),
        lambda: event.pair(seed=1),
        lambda: event.settle(),
        lambda: event.run(services.event_cancel, note="rain"),
    ]
    for act in steps[:step]:
        act()
    first = exported(event.event_id, olga.actor)
    copy = services.archive_import(olga.context(), event_id=new_id(), content=first)
    assert exported(copy, olga.actor) == first


def test_an_archive_ranks_without_a_database(
    make_event: Make, olga: Member, tmp_path: Path
) -> None:
    event = make_event(6, start=True, rounds=2)
    event.play_swiss()
    file = tmp_path / "event.json"
    file.write_bytes(exported(event.event_id, olga.actor))
    code, found, _ = command("standings", str(file))
    assert code == 0
    view = selectors.standings_after(olga.actor, event.event_id)
    assert [(line["rank"], line["id"], line["code"]) for line in found] == [
        (line.rank, str(line.side.number), line.code) for line in view.lines
    ]


def test_a_companion_event_can_be_archived(
    companion: Running, finished: Sheet, olga: Member
) -> None:
    companion.run(services.companion_import, content=kts.write(finished))
    first = exported(companion.event_id, olga.actor)
    sheet = detect.read(first)
    assert [row.code for row in ranked(sheet, sheet.system, 8)] == [
        one.given["Points"] for one in sorted(finished.players, key=lambda p: int(p.given["Rank"]))
    ]
    copy = services.archive_import(olga.context(), event_id=new_id(), content=first)
    assert exported(copy, olga.actor) == first
    # the people are the same, found by their ids
    assert Person.objects.filter(card_game_id__isnull=False).count() == 21


def damaged(made: dict[str, Any], where: list[Any], value: Any) -> bytes:
    at: Any = made
    for step in where[:-1]:
        at = at[step]
    at[where[-1]] = value
    return json.dumps(made).encode()


@pytest.mark.parametrize(
    ("where", "value", "code"),
    [
        (["version"], 2, "file_version"),
        (["settings", "preset"], "nonsense", "setting_invalid"),
        (["settings", "name"], 5, "archive_wrong"),
        (["plan", "order"], "luck", "plan_invalid"),
        (["plan", "fixed"], {"99": 1}, "archive_wrong"),
        (["entrants", 0, "number"], 9, "file_field"),
        (["entrants", 0, "status"], "asleep", "file_field"),
        (["rounds", 0, "matches", 0, "p1"], 77, "file_field"),
        (["rounds", 0, "matches", 0, "result", "winner"], "P3", "file_field"),
        (["rounds", 0, "number"], 2, "file_field"),
        (["rounds", 0, "proof"], {"cost": 1}, "archive_wrong"),
        (["rounds", 0, "points"], {"x": 1}, "archive_wrong"),
        (["seeds"], [1, 1], "file_field"),
        (["entrants", 0, "persons", 0, "card_game_id"], "abc", "card_game_id"),
        (["entrants", 0, "dropped_after"], 2**31, "file_damaged"),
        (["settings", "zone"], "Nowhere/At all", "setting_invalid"),
        (["settings", "banlist_id"], "x" * 81, "setting_invalid"),
        (["settings", "catalogue_hash"], "x" * 65, "setting_invalid"),
        (["plan", "clubs"], "x", "archive_wrong"),
        (["plan", "free"], 1.5, "archive_wrong"),
        (["rounds", 0, "matches", 0, "table"], 2**31, "file_damaged"),
        (["rounds", 0, "matches", 0, "result", "score", 0], -1, "file_damaged"),
        (["rounds", 0, "matches", 0, "result", "score", 1], 2**40, "file_damaged"),
        (["rounds", 0, "matches", 0, "result", "reason"], "luck", "file_field"),
        (["rounds", 0, "matches", 0, "result", "by"], "x" * 11, "file_damaged"),
        (["rounds", 0, "wishes"], -1, "file_damaged"),
        (["rounds", 0, "order"], "x" * 11, "file_damaged"),
        (["rounds", 0, "proof", "objective", "cost"], 2**31, "archive_wrong"),
        (["rounds", 0, "proof", "objective", "bye_level"], -1, "archive_wrong"),
        (["rounds", 0, "proof", "margin"], 2**31, "archive_wrong"),
        (["rounds", 0, "proof", "method"], "x" * 13, "archive_wrong"),
        (["planned"], 2**31, "file_damaged"),
        (["players"], -1, "file_damaged"),
        (["cut"], 2**31, "file_damaged"),
        (["placings"], [[1, 2**31]], "file_damaged"),
    ],
)
def test_damaged_archives_are_refused_and_leave_nothing(
    make_event: Make, olga: Member, where: list[Any], value: Any, code: str
) -> None:
    event = make_event(4, start=True, rounds=1)
    event.play_swiss()
    made = json.loads(exported(event.event_id, olga.actor))
    content = damaged(made, where, value)
    before = Event.objects.count()
    with pytest.raises(Refused) as fault:
        services.archive_import(olga.context(), event_id=new_id(), content=content)
    assert fault.value.refusal.code.split(".")[1] == code
    assert Event.objects.count() == before


def test_an_archive_is_no_way_around_rights(
    make_event: Make, olga: Member, charlie: Member
) -> None:
    event = make_event(4)
    content = exported(event.event_id, olga.actor)
    with pytest.raises(NotAllowed):
        services.archive_import(charlie.context(), event_id=new_id(), content=content)
    assert (
        refused(
            lambda: services.archive_import(
                olga.context(), event_id=event.event_id, content=content
            )
        )
        == "event_exists"
    )


# files of an event run here


@pytest.mark.parametrize("players", [5, 8])
def test_an_event_goes_out_in_every_format(make_event: Make, olga: Member, players: int) -> None:
    event = make_event(players, start=True, rounds=3, standings="konami-kts@1")
    event.play_swiss()
    for kind in selectors.FILES:
        content, name, _ = selectors.event_file(olga.actor, event.event_id, kind)
        assert content
        assert event.event_id[:8] in name
    sheet = kts.read(selectors.event_file(olga.actor, event.event_id, "kts")[0])
    assert all(one.id.startswith("9999") for one in sheet.players)
    view = selectors.standings_after(olga.actor, event.event_id)
    results, byes = sheet.results(3)
    rows = standings([one.id for one in sheet.players], results, byes, system="konami-kts")
    assert [row.code for row in rows] == [line.code for line in view.lines]
    other = trf.read(selectors.event_file(olga.actor, event.event_id, "trf")[0])
    assert len(other.matches) == len(sheet.matches)
    assert archive.read(exported(event.event_id, olga.actor)).sheet().last_swiss == 3
