"""The hall through its pages: what is printed, messages and who reads them, the wall screen, and
what comes back from paper."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from eventstore import clock
from eventstore.domain.refusal import Refused
from eventstore.ids import new_id
from judging import services as judging
from people.domain.names import fold
from people.erasure import person_erase
from people.services import person_edit
from tests.conftest import Member
from tests.helpers import query_count, rebuilds_equal
from tests.portal.stage import Stage, set_stage
from tournaments import selectors, services
from tournaments.domain.hall.slips import table_code
from tournaments.models import EntrantRow, MatchRow, MessageRow, RoundRow

ClientOf = Callable[..., Client]
pytestmark = pytest.mark.django_db
TEXT = "The lost deck box waits at the desk"


@pytest.fixture
def stage(olga: Member, alice: Member, bob: Member, jude: Member, hedda: Member) -> Stage:
    """The event in its second round."""
    call_command("load_shipped", verbosity=0)
    return set_stage(olga, alice, bob, jude, hedda)


def _page(client: Client, address: str, status: int = 200) -> str:
    answer = client.get(address)
    assert answer.status_code == status, address
    return answer.content.decode()


def _print(client: Client, stage: Stage, sheet: str, **asked: object) -> str:
    query = "&".join(f"{name}={value}" for name, value in asked.items())
    return _page(client, f"/staff/events/{stage.event_id}/paper/{sheet}/?{query}")


def _said(olga: Member, stage: Stage, **values: Any) -> str:
    """Post a message; returns its id."""
    given = {"message_id": new_id(), "text": TEXT, **values}
    made: str = services.message_post(olga.context(), event_id=stage.event_id, **given)
    return made


# paper


def test_the_pack_is_one_job_with_everything_that_runs_on_without_power(
    stage: Stage, olga: Member, client_of: ClientOf
) -> None:
    page = _print(client_of(olga), stage, "pack", round=2)
    heads = re.findall(r"<h1>([^<]+)</h1>", page)
    assert heads == [
        "Pairings by name, round 2",
        "Pairings by table, round 2",
        "Standings after round 2",
        "To run round 3 on paper",
        "Tables of round 3, run on paper",
    ]
    assert page.count('class="slip"') == 4
    assert "eom." not in page, "slips say in words how a match ends"
    assert "Match slips, round 2" in page
    tables = page.count("<thead>")
    assert page.count('class="run"') >= tables - page.count('<article class="slip">')
    assert "Harbour Open" in page
    assert "printed" in page
    for name in stage.entrants:
        assert page.count(name) >= (4 if name != "Hal" else 0), name


def test_slips_lie_in_table_order_once_cut_and_carry_their_codes(
    stage: Stage, olga: Member, client_of: ClientOf
) -> None:
    page = _print(client_of(olga), stage, "slips", round=2, per_page=2)
    tables = [int(one) for one in re.findall(r'class="slip"><header><b class="plate">(\d+)', page)]
    assert tables == [1, 3, 2, 4], "page 1 holds tables 1 and 3, page 2 holds 2 and 4"
    for table in tables:
        assert table_code(stage.event_id, 2, table) in page
    one = _print(client_of(olga), stage, "slips", round=2, paper="roll", per_page=6)
    assert one.count('class="page"') == 4, "a roll prints one slip at a time"


def test_what_stands_beside_the_names_is_what_its_printer_may_know(
    stage: Stage, olga: Member, hedda: Member, alice: Member, client_of: ClientOf
) -> None:
    person_edit(
        olga.context(),
        person_id=alice.person_id,
        display_name="Alice",
        card_game_id="0123456789",
    )
    number = EntrantRow.objects.get(pk=stage.entrants["Alice"]).number
    ids = {"round": 2, "ids": "card_game_id"}
    assert "0123456789" in _print(client_of(olga), stage, "slips", **ids)
    hers = _print(client_of(hedda), stage, "slips", **ids)
    assert "0123456789" not in hers
    assert f"#{number}</small>" in hers
    assert "<small>" not in _print(client_of(olga), stage, "slips", round=2, ids="none")


def test_a_draft_says_on_every_sheet_that_it_is_none_for_the_wall(
    stage: Stage, olga: Member, client_of: ClientOf
) -> None:
    assert "Draft, not published" not in _print(client_of(olga), stage, "names", round=2)
    for row in MatchRow.objects.filter(event_id=stage.event_id).exclude(state="decided"):
        services.result_enter(olga.context(), match_id=row.pk, score=[2, 0, 0])
    services.round_pair(olga.context(), event_id=stage.event_id, seed=3)
    for sheet in ("names", "tables", "slips"):
        assert "Draft, not published" in _print(client_of(olga), stage, sheet), sheet
    wall = _page(client_of(olga), f"/events/{stage.event_id}/wall/")
    assert "Pairings, round 2" in wall
    assert "round 3" not in wall


def test_an_event_prints_as_it_chose_and_a_page_can_say_otherwise(
    stage: Stage, olga: Member, client_of: ClientOf
) -> None:
    client = client_of(olga)
    address = f"/staff/events/{stage.event_id}/paper/"
    chosen = {
        "act": "choose",
        "paper": "letter",
        "language": "hu",
        "per_page": "3",
        "ids": "none",
        "large": "1",
    }
    assert client.post(address, {**chosen, "nonce": new_id()}).status_code == 302
    page = _print(client, stage, "slips", round=2)
    assert '<html lang="hu" data-paper="letter" data-large="1">' in page
    assert 'data-n="3"' in page
    assert "print-letter" in page
    page = _print(client, stage, "names", paper="a4", language="pl", large="0", per_page="99")
    assert '<html lang="pl" data-paper="a4" data-large="0">' in page
    refused = client.post(address, {**chosen, "paper": "a5", "nonce": new_id()})
    assert refused.status_code == 409
    assert "a5" in refused.content.decode()
    assert selectors.paper_choice(olga.actor, stage.event_id).paper == "letter"


def test_the_prize_sheet_takes_the_table_of_the_event(
    stage: Stage, olga: Member, client_of: ClientOf
) -> None:
    client = client_of(olga)
    assert "Received" in _print(client, stage, "prizes")
    table = [
        {"least": 0, "first": 1, "last": 1, "text": "Golden cup"},
        {"least": 0, "first": 2, "last": 4, "text": "Booster"},
        {"least": 9, "first": 2, "last": 4, "text": "Playmat"},
    ]
    services.door_set(olga.context(), event_id=stage.event_id, changes={"prizes": table})
    page = _print(client, stage, "prizes")
    assert page.count("Golden cup") == 1
    assert page.count("Booster") >= 1
    assert "Playmat" not in page, "eight play"


def test_the_file_needs_no_server(stage: Stage, olga: Member, client_of: ClientOf) -> None:
    answer = client_of(olga).get(f"/staff/events/{stage.event_id}/paper/pack/?offline=1&round=2")
    assert answer["Content-Disposition"] == 'attachment; filename="harbour-open-pack-2.html"'
    text = answer.content.decode()
    assert "@page" in text
    assert "size: A4" in text
    assert not re.search(r"<(link|script)\b|\b(href|src)=", text), "nothing is fetched"


@pytest.mark.parametrize("sheet", ["no-such", "..", "PACK"])
def test_a_sheet_that_is_none_is_not_found(
    stage: Stage, olga: Member, client_of: ClientOf, sheet: str
) -> None:
    answer = client_of(olga).get(f"/staff/events/{stage.event_id}/paper/{sheet}/")
    assert answer.status_code == 404


def test_an_event_that_has_not_begun_prints_seats_and_empty_sheets(
    olga: Member, alice: Member, client_of: ClientOf
) -> None:
    event_id = new_id()
    services.event_create(olga.context(), event_id=event_id, name="Early")
    services.registration_open(olga.context(), event_id=event_id)
    services.entrant_enrol(olga.context(), event_id=event_id, person_id=alice.person_id)
    client = client_of(olga)
    for sheet in ("pack", "slips", "next", "standings", "bracket", "prizes", "report", "lists"):
        _page(client, f"/staff/events/{event_id}/paper/{sheet}/")
    assert "Alice" in _page(client, f"/staff/events/{event_id}/paper/seats/")
    assert "Tables stand here" in _page(client, f"/events/{event_id}/wall/")


# messages


def test_a_message_is_read_by_those_it_is_for(
    stage: Stage,
    olga: Member,
    jude: Member,
    alice: Member,
    bob: Member,
    charlie: Member,
    client_of: ClientOf,
) -> None:
    table = MatchRow.objects.get(pk=stage.match_id).table
    fay = Member(stage.persons["Fay"], "Fay")
    readers = {
        "/events/{}/": [None, charlie, alice, bob, fay, jude, olga],
        "/my/{}/": [alice, bob, fay],
        "/staff/events/{}/calls/": [jude],
    }
    expected = {
        "all": {"anyone", "Charlie", "Alice", "Bob", "Fay", "Jude", "Olga"},
        "players": {"Alice", "Bob", "Fay", "Jude", "Olga"},
        "staff": {"Jude", "Olga"},
        "tables": {"Alice", "Bob", "Jude", "Olga"},
    }
    for audience, wanted in expected.items():
        first = table if audience == "tables" else None
        said = _said(olga, stage, audience=audience, first=first)
        for address, members in readers.items():
            found = {
                member.name if member else "anyone"
                for member in members
                if TEXT in _page(client_of(member), address.format(stage.event_id))
            }
            assert found == wanted & {one.name if one else "anyone" for one in members}, audience
        wall = _page(client_of(olga), f"/events/{stage.event_id}/wall/")
        assert (TEXT in wall) == (audience == "all"), "the wall reads as everybody"
        services.message_withdraw(olga.context(), event_id=stage.event_id, message_id=said)
    rebuilds_equal("tournaments.hall", "portal.live")


def test_a_message_goes_with_its_time_or_when_it_is_taken_back(
    stage: Stage, olga: Member, client_of: ClientOf
) -> None:
    client, home = client_of(None), f"/events/{stage.event_id}/"
    said = _said(olga, stage, minutes=10)
    assert TEXT in _page(client, home)
    services.message_withdraw(olga.context(), event_id=stage.event_id, message_id=said)
    assert TEXT not in _page(client, home)
    with pytest.raises(Refused, match="message_withdrawn"):
        services.message_withdraw(olga.context(), event_id=stage.event_id, message_id=said)
    with pytest.raises(Refused, match="message_unknown"):
        services.message_withdraw(olga.context(), event_id=stage.event_id, message_id=new_id())
    _said(olga, stage, minutes=10)
    later = clock.now() + timedelta(minutes=10)
    with clock.clock_set(lambda: later):
        assert TEXT not in _page(client, home)


def test_messages_tell_nothing_to_those_they_are_not_for(
    stage: Stage, olga: Member, alice: Member, charlie: Member, client_of: ClientOf
) -> None:
    address = f"/events/{stage.event_id}/"
    outsiders = {None: client_of(None), charlie: client_of(charlie)}

    def seen() -> list[object]:
        found: list[object] = []
        for client in outsiders.values():
            client.get(address)
            found.append(query_count(lambda client=client: client.get(address)))
            live = client.get("/live/now/", {"t": f"board.{stage.event_id}"})
            found.append(live.content.split(b" ")[0])
        return found

    before = seen()
    _said(olga, stage, audience="staff")
    _said(olga, stage, audience="players")
    _said(olga, stage, audience="tables", first=1, last=4)
    assert seen() == before
    mine = f"mine.{stage.event_id}"
    counted = client_of(alice).get("/live/now/", {"t": mine}).content
    _said(olga, stage, audience="staff")
    assert client_of(alice).get("/live/now/", {"t": mine}).content.split()[0] == counted.split()[0]
    _said(olga, stage, audience="players")
    assert client_of(alice).get("/live/now/", {"t": mine}).content.split()[0] != counted.split()[0]
    _said(olga, stage, audience="all")
    assert seen() != before


def test_the_words_of_an_erased_author_are_gone(
    stage: Stage,
    olga: Member,
    hedda: Member,
    client_of: ClientOf,
    tmp_path: Path,
    settings: Any,
) -> None:
    settings.DATA_DIR = tmp_path  # the list of those who were erased outlives a database
    services.message_post(
        hedda.context("judge"), event_id=stage.event_id, message_id=new_id(), text=TEXT
    )
    assert TEXT not in MessageRow.objects.get().text
    home = f"/events/{stage.event_id}/"
    assert TEXT in _page(client_of(None), home)
    person_erase(olga.context(), person_id=hedda.person_id)
    assert TEXT not in _page(client_of(None), home)


def test_a_message_is_written_once_and_refused_in_place(
    stage: Stage, olga: Member, client_of: ClientOf
) -> None:
    client, address = client_of(olga), f"/staff/events/{stage.event_id}/messages/"
    sent = {"act": "post", "text": TEXT, "audience": "all", "minutes": "5", "nonce": new_id()}
    sent["message_id"] = new_id()
    for _ in range(2):
        assert client.post(address, sent).status_code == 302
    assert MessageRow.objects.count() == 1
    refused = client.post(address, {**sent, "audience": "tables", "first": "77", "nonce": new_id()})
    page = refused.content.decode()
    assert refused.status_code == 409
    assert "Nobody sits there: 77" in page
    assert page.count(TEXT) >= 2, "the text stays in the form"


def test_pages_of_judges_show_the_messages_of_the_desk_and_no_ruling_in_their_place(
    stage: Stage, olga: Member, jude: Member, client_of: ClientOf
) -> None:
    _said(olga, stage, audience="all")
    client = client_of(jude)
    rulings = f"/staff/events/{stage.event_id}/rulings/"
    pages = [rulings, f"/staff/calls/{stage.call_id}/", f"/staff/calls/{stage.call_id}/case/"]
    pages += [f"/staff/events/{stage.event_id}/{one}/" for one in ("calls", "disputes")]
    for ruled in (False, True):
        if ruled:
            judging.call_claim(jude.context("judge"), call_id=stage.call_id)
            judging.call_arrive(jude.context("judge"), call_id=stage.call_id)
            judging.ruling_make(jude.context("judge"), call_id=stage.call_id, rule_id="YGO-11.1")
        for address in pages:
            page = _page(client, address)
            assert page.count('class="note message"') == 1, (ruled, address)
            assert TEXT in page, (ruled, address)


# the wall


def test_the_wall_shows_pairings_standings_open_tables_and_clock(
    stage: Stage, olga: Member, client_of: ClientOf
) -> None:
    services.clock_start(olga.context(), event_id=stage.event_id, minutes=40)
    page = _page(client_of(None), f"/events/{stage.event_id}/wall/")
    assert "Pairings, round 2" in page
    assert "Standings after round 1" in page
    assert "data-seconds-left" in page
    assert "data-slide" in page
    open_now = MatchRow.objects.filter(event_id=stage.event_id).exclude(state="decided").count()
    assert f"<b>{open_now}</b>table" in page
    names = re.findall(r'class="wall-name">([^<]+)<', page)
    paired = names[: len(names) // 2]
    assert paired == sorted(paired, key=fold)


def test_screens_side_by_side_share_the_names(stage: Stage, client_of: ClientOf) -> None:
    def names(screen: str) -> list[str]:
        page = _page(client_of(None), f"/events/{stage.event_id}/wall/?screen={screen}")
        page = page[: page.index("Standings after")]
        return re.findall(r'class="wall-name">([^<]+)<', page)

    assert names("1/2") + names("2/2") == names("1/1") == names("nonsense") == names("3/2")


def test_a_draft_event_has_no_wall_and_a_finished_one_shows_its_places(
    stage: Stage, olga: Member, client_of: ClientOf
) -> None:
    hidden = new_id()
    services.event_create(olga.context(), event_id=hidden, name="Secret cup")
    _page(client_of(olga), f"/events/{hidden}/wall/", 404)
    for name, entrant in stage.entrants.items():
        if name not in ("Alice", "Hal"):
            services.entrant_drop(olga.context(), event_id=stage.event_id, entrant_id=entrant)
    for row in MatchRow.objects.filter(event_id=stage.event_id).exclude(state="decided"):
        services.result_enter(olga.context(), match_id=row.pk, score=[2, 0, 0])
    services.event_finish(olga.context(), event_id=stage.event_id)
    page = _page(client_of(None), f"/events/{stage.event_id}/wall/")
    assert "Final places" in page
    assert "Pairings, round" not in page
    desk = _page(client_of(olga), f"/staff/events/{stage.event_id}/")
    assert f"/staff/events/{stage.event_id}/paper/prizes/" in desk
    report = _print(client_of(olga), stage, "report")
    assert "final places" in report
    assert "Harbour Open" in report


# from paper


def _settled(olga: Member, stage: Stage) -> list[EntrantRow]:
    """Finish round 2; returns who plays on, by number."""
    for row in MatchRow.objects.filter(event_id=stage.event_id).exclude(state="decided"):
        services.result_enter(olga.context(), match_id=row.pk, score=[2, 0, 0])
    rows = EntrantRow.objects.filter(event_id=stage.event_id, status="checked_in")
    return list(rows.order_by("number"))


def test_results_go_in_by_table_and_what_is_wrong_stays_in_place(
    stage: Stage, olga: Member, client_of: ClientOf
) -> None:
    client = client_of(olga)
    address = f"/staff/events/{stage.event_id}/paper/entry/?round=2"
    first = MatchRow.objects.get(event_id=stage.event_id, round=2, state="claimed")
    second = MatchRow.objects.get(pk=stage.match_id)
    nonce = new_id()
    sent = {"act": "results", f"r{first.table}": "2-0 d2", f"r{second.table}": "3-0"}
    answer = client.post(address, {**sent, "nonce": nonce})
    page = answer.content.decode()
    assert answer.status_code == 409
    first.refresh_from_db()
    assert first.state == "decided", "what is right is in"
    assert EntrantRow.objects.get(pk=first.p2).status == "dropped"
    assert 'value="3-0"' in page, "what is wrong stands as typed"
    assert "aria-invalid" in page
    assert "1 result is in" in page
    again = client.post(address, {**sent, f"r{second.table}": "0-2", "nonce": nonce})
    assert again.status_code == 302, "the same form again, corrected: nothing has two effects"
    second.refresh_from_db()
    assert second.winner == "P2"
    assert "aria-invalid" not in _page(client, address)


def test_a_slip_is_found_by_its_code_and_one_of_another_round_is_not(
    stage: Stage, olga: Member, client_of: ClientOf
) -> None:
    client, row = client_of(olga), MatchRow.objects.get(pk=stage.match_id)
    address = f"/staff/events/{stage.event_id}/paper/entry/?round=2&at="
    field = rf'id="r{row.table}"[^>]*autofocus'
    for text in (table_code(stage.event_id, 2, row.table), str(row.table)):
        assert re.search(field, _page(client, address + text)), text
    for text in (table_code(stage.event_id, 1, 1), table_code(new_id(), 2, 1), "99", "x"):
        assert "neither a table of this round" in _page(client, address + text, 409), text


def test_the_code_of_a_slip_is_scanned_into_the_one_line(
    stage: Stage, olga: Member, client_of: ClientOf
) -> None:
    row = MatchRow.objects.get(pk=stage.match_id)
    code, wrong = table_code(stage.event_id, 2, row.table), table_code(stage.event_id, 1, row.table)
    with pytest.raises(Refused, match="line_unreadable"):
        services.slip_enter(olga.context(), event_id=stage.event_id, number=2, line=f"{wrong} 2-0")
    reading = selectors.reading(olga.actor, stage.event_id, 2, f"{code} 2-0")
    assert reading.line is not None
    assert reading.line.table == row.table
    services.slip_enter(olga.context(), event_id=stage.event_id, number=2, line=f"{code} 2-0")
    row.refresh_from_db()
    assert row.winner == "P1"


def test_a_result_that_differs_from_one_that_stands_waits_beside_it(
    stage: Stage, olga: Member, client_of: ClientOf
) -> None:
    row = MatchRow.objects.filter(event_id=stage.event_id, round=2, state="decided").first()
    assert row is not None
    address = f"/staff/events/{stage.event_id}/paper/entry/?round=2"
    sent = {"act": "results", f"r{row.table}": "0-2", "nonce": new_id()}
    answer = client_of(olga).post(address, sent)
    assert answer.status_code == 409
    assert f"Another result stands at table {row.table}" in answer.content.decode()
    before = row.winner
    row.refresh_from_db()
    assert row.winner == before


def test_a_round_that_was_paired_on_paper_comes_back_whole(
    stage: Stage, olga: Member, client_of: ClientOf
) -> None:
    playing = _settled(olga, stage)
    assert len(playing) == 8
    client = client_of(olga)
    address = f"/staff/events/{stage.event_id}/paper/entry/?paired=paper"
    sent = {"act": "round", "note": "The power failed", "nonce": new_id()}
    for at, table in enumerate((1, 2, 3, 4)):
        one, two = playing[at], playing[7 - at]
        sent |= {f"a{table}": str(one.number), f"b{table}": f"#{two.number}", f"r{table}": "2-1"}
    typo = client.post(address, {**sent, "b3": "nobody of that name", "r4": "5-5"})
    page = typo.content.decode()
    assert typo.status_code == 409
    assert not RoundRow.objects.filter(number=3).exists()
    assert 'value="nobody of that name"' in page
    assert 'value="The power failed"' in page
    kept = client.post(address, {**sent, "r4": "5-5", "nonce": new_id()})
    page = kept.content.decode()
    assert kept.status_code == 409, "the round stands, one result is no result"
    assert "Round 3 stands as it was paired on paper" in page
    assert 'value="5-5"' in page
    round_row = RoundRow.objects.get(event_id=stage.event_id, number=3)
    assert round_row.published
    assert round_row.by_hand
    assert "power" not in round_row.note
    rows = MatchRow.objects.filter(event_id=stage.event_id, round=3).order_by("table")
    assert [(one.table, one.p1, one.p2) for one in rows] == [
        (table, playing[at].pk, playing[7 - at].pk) for at, table in enumerate((1, 2, 3, 4))
    ]
    assert [one.state for one in rows] == ["decided", "decided", "decided", "waiting"]
    grid = f"/staff/events/{stage.event_id}/paper/entry/?round=3"
    client.post(grid, {"act": "results", "r4": "1-2", "nonce": new_id()})
    assert not MatchRow.objects.filter(event_id=stage.event_id).exclude(state="decided").exists()
    rebuilds_equal()


def test_a_round_on_paper_needs_a_reason_and_everybody(
    stage: Stage, olga: Member, hedda: Member, client_of: ClientOf
) -> None:
    playing = _settled(olga, stage)
    client = client_of(olga)
    address = f"/staff/events/{stage.event_id}/paper/entry/?paired=paper"
    sent = {"act": "round", "a1": str(playing[0].number), "b1": str(playing[1].number)}
    page = client.post(address, {**sent, "note": "x", "nonce": new_id()}).content.decode()
    assert "stand at no table" in page
    assert f"#{playing[2].number} " in page
    for at, table in enumerate((1, 2, 3, 4)):
        sent |= {f"a{table}": str(playing[at].number), f"b{table}": str(playing[7 - at].number)}
    refused = client.post(address, {**sent, "note": " ", "nonce": new_id()})
    assert refused.status_code == 409
    assert "Say why" in refused.content.decode()
    assert client_of(hedda).post(address, {**sent, "nonce": new_id()}).status_code == 403


def test_tables_of_a_round_by_hand_are_one_for_each_pair(stage: Stage, olga: Member) -> None:
    ids = [one.pk for one in _settled(olga, stage)]
    pairs = [[ids[at], ids[7 - at]] for at in range(4)]
    for tables in ([1, 2, 3], [1, 2, 3, 3], [0, 1, 2, 3], [1, 2, 3, 100_000]):
        with pytest.raises(Refused, match="draft_tables"):
            services.round_from_paper(
                olga.context(),
                event_id=stage.event_id,
                pairs=pairs,
                tables=tables,
                note="The power failed",
            )
    assert not RoundRow.objects.filter(number=3).exists(), "all of it or nothing"


def test_the_program_of_an_organiser_does_the_same(
    stage: Stage, olga: Member, client_of: ClientOf
) -> None:
    client, base = client_of(olga), f"/api/v1/events/{stage.event_id}"
    posted = client.post(f"{base}/messages", {"text": TEXT}, content_type="application/json")
    assert posted.status_code == 201
    read = client_of(None).get(f"{base}/messages").json()
    assert [one["text"] for one in read["results"]] == [TEXT]
    wall = client_of(None).get(f"{base}/wall?lines=8").json()
    assert [one["kind"] for one in wall["slides"]] == ["pairings", "standings"]
    assert sum(len(column) for column in wall["slides"][0]["pairings"]) == 8
    slips = client.get(f"{base}/rounds/2/slips?per_page=2").json()
    tables = [[one and one["table"] for one in page] for page in slips["pages"]]
    assert tables == [[1, 3], [2, 4]]
    assert slips["wins"] == [0, 1, 2]
    assert client.get(f"{base}/seats").json()["results"][0]["table"] == 1
    following = client.get(f"{base}/next-round").json()
    assert following["number"] == 3
    assert len(following["players"]) == 8
    assert all(len(one["met"]) == 2 for one in following["players"])
