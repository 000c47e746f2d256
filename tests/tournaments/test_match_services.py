"""A match through its commands: who may do what, decks, duels read from their logs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import call_command

from cards import shipped
from cards.models import Banlist
from decks.models import DeckInForce
from decks.selectors import deck_in_force
from duels import services as duels
from eventstore.commands import Context
from eventstore.domain.refusal import Refused
from eventstore.ids import new_id
from eventstore.store import read_stream
from people.access import NotAllowed
from people.domain.actor import ANONYMOUS, SYSTEM, Actor
from tests.conftest import Member
from tests.helpers import queries, rebuilds_equal
from tests.tournaments.conftest import Running
from tournaments import selectors, services
from tournaments.models import EntrantRow, MatchRow

pytestmark = pytest.mark.django_db
Make = Callable[..., Running]


def refused(command: Callable[..., Any], *args: Any, **values: Any) -> Any:
    with pytest.raises(Refused) as caught:
        command(*args, **values)
    return caught.value.refusal


@pytest.fixture
def event(make_event: Make) -> Running:
    """Four players, round 1 published."""
    made = make_event(4, start=True)
    made.pair()
    return made


def opponent_of(event: Running, name: str, number: int = 1) -> str:
    row, seat = event.match_of(name, number)
    other = row.p2 if seat == "P1" else row.p1
    return next(one for one, entrant in event.entrants.items() if entrant == other)


def won_by(seat: str, lost: int = 0) -> list[int]:
    return [2, lost, 0] if seat == "P1" else [lost, 2, 0]


class TestReports:
    def test_two_equal_reports_confirm_the_result(self, event: Running) -> None:
        row, seat = event.match_of("Alice", 1)
        other = opponent_of(event, "Alice")
        score = won_by(seat, 1)
        first = services.result_claim(event.player("Alice"), match_id=row.pk, score=score)
        assert first == "claimed"
        assert services.result_claim(event.player(other), match_id=row.pk, score=score) == "decided"
        row.refresh_from_db()
        assert [row.p1_wins, row.p2_wins, row.draws] == score
        assert (row.winner, row.state, row.reason) == (seat, "decided", "played")

    def test_a_report_shows_to_its_player_and_to_staff_only(
        self, event: Running, charlie: Member
    ) -> None:
        row, seat = event.match_of("Alice", 1)
        other = opponent_of(event, "Alice")
        services.result_claim(event.player("Alice"), match_id=row.pk, score=won_by(seat))
        mine = selectors.my_match(event.player("Alice").actor, event.event_id)
        assert mine is not None
        assert (set(mine.claims), mine.opponent_claimed) == ({seat}, False)
        theirs = selectors.my_match(event.player(other).actor, event.event_id)
        assert theirs is not None
        assert (theirs.claims, theirs.opponent_claimed) == ({}, True)
        assert set(selectors.match_detail(event.olga.actor, row.pk).claims) == {seat}
        (table,) = [
            line
            for line in selectors.pairings(charlie.actor, event.event_id, 1).tables
            if line.match_id == row.pk
        ]
        assert (table.state, table.winner) == ("playing", "")
        for viewer in (ANONYMOUS, charlie.actor):
            with pytest.raises(NotAllowed) as caught:
                selectors.match_detail(viewer, row.pk)
            assert caught.value.hidden

    def test_differing_reports_stand_side_by_side_at_the_desk(self, event: Running) -> None:
        row, _ = event.match_of("Alice", 1)
        other = opponent_of(event, "Alice")
        for name in ("Alice", other):
            _, seat = event.match_of(name, 1)
            services.result_claim(event.player(name), match_id=row.pk, score=won_by(seat))
        desk = selectors.desk(event.olga.actor, event.event_id)
        (held,) = [one for one in desk.open_tables if one.line.match_id == row.pk]
        assert held.line.state == "disputed"
        assert {claim["winner"] for claim in held.claims.values()} == {"P1", "P2"}

    def test_only_its_players_report_and_only_staff_enter(
        self, event: Running, charlie: Member
    ) -> None:
        row, _ = event.match_of("Alice", 1)
        stranger = next(
            name for name, entrant in event.entrants.items() if entrant not in (row.p1, row.p2)
        )
        for context in (event.player(stranger), charlie.context("player")):
            for command in (services.result_claim, services.result_enter):
                with pytest.raises(NotAllowed) as caught:
                    command(context, match_id=row.pk, score=[2, 0, 0])
                assert caught.value.hidden
        with pytest.raises(NotAllowed) as caught:
            services.result_enter(event.player("Alice"), match_id=row.pk, score=[2, 0, 0])
        assert not caught.value.hidden
        with pytest.raises(NotAllowed):
            services.result_claim(event.staff(), match_id=row.pk, score=[2, 0, 0])

    def test_a_match_that_does_not_exist_is_hidden(self, event: Running) -> None:
        with pytest.raises(NotAllowed) as caught:
            services.result_enter(event.staff(), match_id=new_id(), score=[2, 0, 0])
        assert caught.value.hidden
        no = refused(
            services.result_enter, Context(SYSTEM, "system"), match_id="?", score=[2, 0, 0]
        )
        assert no.code == "tournaments.match_unknown"

    def test_a_refused_report_leaves_nothing(self, event: Running) -> None:
        row, _ = event.match_of("Alice", 1)
        context = event.player("Alice")
        no = refused(services.result_claim, context, match_id=row.pk, score=[9, 9, 9])
        assert no.code == "tournaments.score_impossible"
        row.refresh_from_db()
        assert (row.claims, row.state) == ({}, "waiting")

    def test_the_same_command_twice_has_one_effect(self, event: Running) -> None:
        row, _ = event.match_of("Alice", 1)
        context = event.staff()
        for _ in range(2):
            services.result_enter(context, match_id=row.pk, score=[2, 0, 0])
        no = refused(services.result_enter, event.staff(), match_id=row.pk, score=[2, 0, 0])
        assert no.code == "tournaments.match_decided"

    @pytest.mark.parametrize("reason", ["no_show", "concession", "match_loss", "disqualification"])
    def test_reasons_that_name_the_winner(self, event: Running, reason: str) -> None:
        row, _ = event.match_of("Alice", 1)
        services.result_enter(event.staff(), match_id=row.pk, reason=reason, winner="P2")
        row.refresh_from_db()
        assert (row.winner, row.reason, row.p2_wins) == ("P2", reason, 2)

    def test_a_corrected_result_says_so(self, event: Running) -> None:
        row, _ = event.match_of("Alice", 1)
        event.settle()
        services.result_correct(
            event.staff(), match_id=row.pk, score=[1, 2, 0], note="the slip was read upside down"
        )
        line = next(
            line
            for line in selectors.pairings(ANONYMOUS, event.event_id, 1).tables
            if line.match_id == row.pk
        )
        assert (line.winner, line.score, line.corrected) == ("P2", (1, 2, 0), True)

    def test_a_note_that_is_too_long(self, event: Running) -> None:
        row, _ = event.match_of("Alice", 1)
        event.settle()
        no = refused(
            services.result_correct,
            event.staff(),
            match_id=row.pk,
            score=[1, 2, 0],
            note="x" * 4001,
        )
        assert no.code == "tournaments.too_long"


class TestPenalties:
    def test_a_game_loss_then_a_match_loss(self, event: Running) -> None:
        row, seat = event.match_of("Alice", 1)
        alice = event.entrants["Alice"]
        word = event.run(services.penalty_apply, entrant_id=alice, kind="game_loss", rule="x")
        assert word == "between"
        assert event.run(services.penalty_apply, entrant_id=alice, kind="match_loss") == "decided"
        row.refresh_from_db()
        assert row.winner == ("P2" if seat == "P1" else "P1")
        assert row.duels[0]["reason"] == "game_loss"
        no = refused(event.run, services.penalty_apply, entrant_id=alice, kind="game_loss")
        assert no.code == "tournaments.no_open_match"

    def test_a_disqualification_loses_the_match_and_drops(self, event: Running) -> None:
        row, seat = event.match_of("Alice", 1)
        alice = event.entrants["Alice"]
        event.run(services.penalty_apply, entrant_id=alice, kind="disqualification", note="x")
        row.refresh_from_db()
        assert (row.reason, row.winner == seat) == ("disqualification", False)
        assert EntrantRow.objects.get(pk=alice).status == "disqualified"
        no = refused(event.run, services.entrant_reinstate, entrant_id=alice)
        assert no.code == "tournaments.entrant_disqualified"
        rebuilds_equal("tournaments.board")

    def test_a_double_loss_for_both(self, event: Running) -> None:
        row, _ = event.match_of("Alice", 1)
        event.run(
            services.penalty_apply,
            entrant_id=event.entrants["Alice"],
            kind="match_loss",
            both=True,
        )
        row.refresh_from_db()
        assert (row.winner, row.reason) == ("double_loss", "double_loss")

    @pytest.mark.parametrize(
        ("values", "code"),
        [
            ({"kind": "warning"}, "penalty_unknown"),
            ({"kind": "disqualification", "both": True}, "penalty_unknown"),
        ],
    )
    def test_what_is_no_penalty(self, event: Running, values: Any, code: str) -> None:
        no = refused(
            event.run, services.penalty_apply, entrant_id=event.entrants["Alice"], **values
        )
        assert no.code == f"tournaments.{code}"

    def test_a_match_of_others_is_not_touched(self, event: Running) -> None:
        row, _ = event.match_of("Alice", 1)
        stranger = next(e for e in event.entrants.values() if e not in (row.p1, row.p2))
        no = refused(
            event.run,
            services.penalty_apply,
            entrant_id=stranger,
            kind="game_loss",
            match_id=row.pk,
        )
        assert no.code == "tournaments.not_in_match"
        no = refused(event.run, services.penalty_apply, entrant_id=new_id(), kind="game_loss")
        assert no.code == "tournaments.entrant_unknown"

    def test_a_judge_without_the_head_gives_no_game_loss(
        self, event: Running, jude: Member, hedda: Member
    ) -> None:
        jude.grant("judge", event.event_id)
        hedda.grant("head_judge", event.event_id)
        values = {
            "event_id": event.event_id,
            "entrant_id": event.entrants["Alice"],
            "kind": "game_loss",
        }
        with pytest.raises(NotAllowed):
            services.penalty_apply(jude.context("judge"), **values)
        assert services.penalty_apply(hedda.context("judge"), **values) == "between"


@pytest.fixture
def decked(make_event: Make) -> Running:
    """Four players with shipped decks, round 1 published."""
    call_command("load_shipped")
    banlist = Banlist.objects.values_list("pk", flat=True).first()
    made = make_event(decks_required=True, banlist_id=banlist)
    lists = list(shipped.decks().values())
    for at, name in enumerate(("Alice", "Bob", "Dora", "Emil")):
        made.enrol(name, check_in=False)
        services.deck_submit(
            made.player(name),
            event_id=made.event_id,
            entrant_id=made.entrants[name],
            content=lists[at % len(lists)],
        )
        made.run(services.entrant_check_in, entrant_id=made.entrants[name])
    made.run(services.event_start)
    made.pair()
    return made


def start_duel(event: Running, row: MatchRow) -> str:
    """Toss, choose and open the next duel as the staff enter it."""
    detail = selectors.match_detail(event.olga.actor, row.pk)
    if detail.toss_due:
        services.coin_toss(event.staff(), match_id=row.pk)
    services.starter_choose(event.staff(), match_id=row.pk, first="P1")
    return str(services.duel_start(event.staff(), match_id=row.pk, seed="seed"))


class TestDecksAndDuels:
    def test_the_event_freezes_what_it_used(self, decked: Running) -> None:
        row = decked.home().row
        assert len(row.banlist_hash) == 64
        assert len(row.catalogue_hash) == 64

    def test_lists_are_locked_at_the_start(self, decked: Running) -> None:
        assert DeckInForce.objects.filter(locked=True).count() == 4
        no = refused(
            services.deck_submit,
            decked.player("Alice"),
            event_id=decked.event_id,
            entrant_id=decked.entrants["Alice"],
            content=next(iter(shipped.decks().values())),
        )
        assert no.code == "tournaments.decks_locked"

    def test_an_illegal_list_stores_nothing(self, make_event: Make) -> None:
        call_command("load_shipped")
        event = make_event(decks_required=True)
        event.enrol("Alice", check_in=False)
        no = refused(
            services.deck_submit,
            event.player("Alice"),
            event_id=event.event_id,
            entrant_id=event.entrants["Alice"],
            content="#main\n89631139\n",
        )
        assert (no.code, no.also[0]) == ("decks.illegal_list", "YGO-3.1")
        assert EntrantRow.objects.get().deck_id == ""
        assert not DeckInForce.objects.exists()

    def test_a_list_is_replaced_before_the_start_on_the_same_stream(self, make_event: Make) -> None:
        call_command("load_shipped")
        event = make_event(decks_required=True)
        event.enrol("Alice", check_in=False)
        made = [
            services.deck_submit(
                event.player("Alice"),
                event_id=event.event_id,
                entrant_id=event.entrants["Alice"],
                content=content,
            )
            for content in shipped.decks().values()
        ]
        assert [one.number for one in made] == [1, 2]
        assert len({one.deck_id for one in made}) == 1
        no = refused(event.run, services.event_configure, changes={"preset": "goat"})
        assert (no.code, no.params["fields"]) == (
            "tournaments.decks_handed_in",
            ["preset", "preset_hash"],
        )

    def test_nobody_hands_in_the_list_of_another(self, make_event: Make, charlie: Member) -> None:
        event = make_event(decks_required=True)
        event.enrol("Alice", "Bob", check_in=False)
        for context in (event.player("Bob"), charlie.context("player")):
            with pytest.raises(NotAllowed) as caught:
                services.deck_submit(
                    context,
                    event_id=event.event_id,
                    entrant_id=event.entrants["Alice"],
                    content="",
                )
            assert caught.value.hidden

    def test_decks_show_to_staff_and_their_owner(self, decked: Running, charlie: Member) -> None:
        def shown(viewer: Any) -> dict[str, bool]:
            lines = selectors.roster(viewer, decked.event_id)
            return {line.side.name: line.deck_id is not None for line in lines}

        assert all(shown(decked.olga.actor).values())
        assert not any(shown(charlie.actor).values())
        mine = shown(decked.player("Alice").actor)
        assert mine == {"Alice": True, "Bob": False, "Dora": False, "Emil": False}

    def test_the_result_is_read_from_the_log(self, decked: Running) -> None:
        row, _ = decked.match_of("Alice", 1)
        for number in (1, 2):
            duel_id = start_duel(decked, row)
            no = refused(services.duel_result_take, decked.staff(), match_id=row.pk)
            assert no.code == "tournaments.duel_not_over"
            loser = decked.persons[
                next(one for one, entrant in decked.entrants.items() if entrant == row.p2)
            ]

            duels.duel_concede(
                Context(Actor(person_id=loser), "player"), duel_id=duel_id, player="P2"
            )
            word = services.duel_result_take(decked.staff(), match_id=row.pk)
            assert word == ("between" if number == 1 else "decided")
        row.refresh_from_db()
        assert (row.winner, row.p1_wins, row.decided_by) == ("P1", 2, "log")
        assert [(one["number"], one["winner"]) for one in row.duels] == [(1, "P1"), (2, "P1")]
        assert all(one["rule"] for one in row.duels)
        no = refused(services.duel_result_take, decked.staff(), match_id=row.pk)
        assert no.code == "tournaments.match_decided"
        rebuilds_equal()

    def test_no_result_without_a_duel(self, decked: Running) -> None:
        row, _ = decked.match_of("Alice", 1)
        no = refused(services.duel_result_take, decked.staff(), match_id=row.pk)
        assert no.code == "tournaments.duel_unknown"
        no = refused(services.duel_start, decked.staff(), match_id=row.pk)
        assert no.code == "tournaments.starter_open"

    def test_a_coin_and_a_choice_by_the_players(self, decked: Running) -> None:
        row, _ = decked.match_of("Alice", 1)
        winner = services.coin_toss(decked.player("Alice"), match_id=row.pk)
        names = {
            seat: next(one for one, entrant in decked.entrants.items() if entrant == pk)
            for seat, pk in (("P1", row.p1), ("P2", row.p2))
        }
        loser = "P2" if winner == "P1" else "P1"
        no = refused(
            services.starter_choose, decked.player(names[loser]), match_id=row.pk, first=loser
        )
        assert no.code == "YGO-1.6"
        services.starter_choose(decked.player(names[winner]), match_id=row.pk, first=loser)
        duel_id = services.duel_start(decked.player(names[loser]), match_id=row.pk)
        detail = selectors.my_match(decked.player("Alice").actor, decked.event_id)
        assert detail is not None
        assert detail.running is not None
        assert (detail.running["duel_id"], detail.running["starter"]) == (duel_id, loser)

    def test_a_seat_without_a_list_plays_from_paper(self, make_event: Make) -> None:
        event = make_event(4, start=True)
        event.pair()
        row, _ = event.match_of("Alice", 1)
        assert start_duel(event, row)

    def test_no_side_deck_no_exchange(self, decked: Running) -> None:
        row, _ = decked.match_of("Alice", 1)
        duel_id = start_duel(decked, row)

        persons = row.persons
        duels.duel_concede(
            Context(Actor(person_id=persons[0][0]), "player"), duel_id=duel_id, player="P1"
        )
        services.duel_result_take(decked.staff(), match_id=row.pk)
        values = {"match_id": row.pk, "into_main": ["1"], "out_of_main": ["2"]}
        no = refused(services.sides_exchange, decked.player("Alice"), **values)
        assert no.code == "YGO-4.1"
        with pytest.raises(NotAllowed):
            services.sides_exchange(decked.staff(), **values)


def with_side() -> str:
    """A list of 40 with a Side Deck of 15, of the cards of the two starter decks."""
    one, two = (
        [line for line in text.splitlines() if line.isdigit()] for text in shipped.decks().values()
    )
    side: list[str] = []
    for key in two:
        if (one[:40] + side).count(key) < 3 and len(side) < 15:
            side.append(key)
    return "\n".join(["#main", *one[:40], "#extra", "!side", *side])


class TestSides:
    def test_cards_change_places_between_duels_and_nobody_else_sees_it(
        self, make_event: Make
    ) -> None:
        call_command("load_shipped")
        event = make_event(decks_required=True)
        for name in ("Alice", "Bob", "Dora", "Emil"):
            event.enrol(name, check_in=False)
            services.deck_submit(
                event.player(name),
                event_id=event.event_id,
                entrant_id=event.entrants[name],
                content=with_side(),
            )
            event.run(services.entrant_check_in, entrant_id=event.entrants[name])
        event.run(services.event_start)
        event.pair()
        row, seat = event.match_of("Alice", 1)
        swap = {"into_main": [], "out_of_main": []}
        no = refused(services.sides_exchange, event.player("Alice"), match_id=row.pk, **swap)
        assert no.code == "YGO-4.1"
        duel_id = start_duel(event, row)
        duels.duel_concede(
            Context(Actor(person_id=row.persons[0][0]), "player"), duel_id=duel_id, player="P1"
        )
        services.duel_result_take(event.staff(), match_id=row.pk)
        registered = deck_in_force(
            SYSTEM, EntrantRow.objects.get(pk=event.entrants["Alice"]).deck_id
        )
        swap = {"into_main": [registered.deck.side[0]], "out_of_main": [registered.deck.main[0]]}
        before = MatchRow.objects.values().get(pk=row.pk)
        services.sides_exchange(event.player("Alice"), match_id=row.pk, **swap)
        assert MatchRow.objects.values().get(pk=row.pk) == before
        no = refused(
            services.sides_exchange,
            event.player("Alice"),
            match_id=row.pk,
            into_main=swap["into_main"],
            out_of_main=[],
        )
        assert no.code == "YGO-4.2"
        second = start_duel(event, row)
        opening = read_stream(f"duel-{second}")[0].data
        assert sorted(opening.main[seat]) == sorted(
            (*registered.deck.main[1:], registered.deck.side[0])
        )
        rebuilds_equal("tournaments.board")


class TestQueryCounts:
    """A list costs the same number of queries for four entrants and for twelve."""

    @pytest.mark.parametrize(
        ("read", "count"),
        [
            (lambda v, e: selectors.event_home(v, e), 4),
            (lambda v, e: selectors.roster(v, e), 4),
            (lambda v, e: selectors.pairings(v, e, 1), 5),
            (lambda v, e: selectors.standings_after(v, e), 5),
            (lambda v, e: selectors.bracket(v, e), 5),
            (lambda v, e: selectors.desk(v, e), 6),
        ],
    )
    def test_fixed(self, make_event: Make, read: Any, count: int) -> None:
        for players in (4, 12):
            event = make_event(players, start=True, cut=4, rounds=1)
            event.play_swiss()
            event.run(services.cut_make, seed=1)
            event.pair()
            viewer = event.olga.actor
            with queries(at_most=count):
                found = read(viewer, event.event_id)
            assert found
