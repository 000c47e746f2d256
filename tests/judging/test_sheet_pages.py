"""The pages of the table sheet by requests: who gets them, what they say, what they never say."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from eventstore.commands import Context
from eventstore.ids import new_id
from judging import sheet
from judging.models import CallRow, RulingRow
from judging.pages.sheet import typed_number
from judging.selectors_sheet import loads
from people.domain.actor import SYSTEM
from people.services import account_open, person_edit, role_grant
from tests.conftest import Member, make_member
from tests.judging.hall import Hall, at, raise_call
from tournaments import services as tournaments
from tournaments.models import EntrantPerson, MatchRow

pytestmark = [pytest.mark.django_db]
ClientOf = Callable[[Member | None], Client]


def address(hall: Hall) -> str:
    return f"/staff/events/{hall.event_id}/tables/{hall.match_id}/"


def post(client: Client, hall: Hall, act: str, **values: Any) -> Any:
    return client.post(address(hall), {"act": act, "nonce": new_id(), **values}, follow=True)


@pytest.mark.parametrize(
    ("text", "number"),
    [("47", 47), (" 47 ", 47), ("http://10.0.0.1/events/x/t/47/", 47), ("", None), ("4a", None),
     ("٤٧", None), ("1234567", None)],
)  # fmt: skip
def test_what_is_typed_or_scanned(text: str, number: int | None) -> None:
    assert typed_number(text) == number


def test_a_number_opens_the_sheet(hall: Hall, jude: Member, client_of: ClientOf) -> None:
    client, pad = client_of(jude), f"/staff/events/{hall.event_id}/tables/"
    assert b"data-pad" in client.get(pad).content
    found = client.get(pad, {"number": str(hall.match.table)})
    assert found.headers["Location"] == address(hall)
    missing = client.get(pad, {"number": "99"})
    assert missing.status_code == 404
    assert "There is no table 99 in this round." in missing.content.decode()


def test_start_done_and_undo_through_the_page(
    hall: Hall, jude: Member, client_of: ClientOf
) -> None:
    client = client_of(jude)
    first = client.get(address(hall)).content.decode()
    assert "START HERE" in first
    assert "Alice" in first
    assert "Bob" in first
    shown = post(client, hall, "start", minutes_ago="2").content.decode()
    assert 'data-phase="run"' in shown
    assert "set back by 2:00" in shown
    shown = post(client, hall, "done").content.decode()
    assert "Play goes on, +2:0" in shown
    command = shown.split('name="command" value="')[1].split('"')[0]
    assert "Taken back." in post(client, hall, "undo", command=command).content.decode()
    assert CallRow.objects.get().state == "at_table"


def test_a_penalty_counts_what_was_before_only_once_it_is_chosen(
    hall: Hall, jude: Member, hedda: Member, client_of: ClientOf
) -> None:
    client = client_of(jude)
    shown = post(client, hall, "rule", seat=hall.seat, preset="PE-MINOR/missed_effect", done="1")
    assert "Warning. Play goes on" in shown.content.decode()
    page = client.get(address(hall)).content.decode()
    assert "of this kind before" not in page
    asked = {"seat": hall.seat, "preset": "PE-MINOR/missed_effect"}
    told = client.get(f"{address(hall)}count/", asked).content.decode()
    assert "<b>1</b> of this kind before" in told
    assert "the pack suggests Game loss" in told
    assert "Earlier events" not in told
    assert (
        "Earlier events: 0"
        in client_of(hedda).get(f"{address(hall)}count/", asked).content.decode()
    )
    assert client.get(f"{address(hall)}count/", {"seat": "P1", "preset": "X/y"}).status_code == 404


def test_the_slip_stands_in_the_language_of_each_player(
    hall: Hall, bob: Member, jude: Member, client_of: ClientOf
) -> None:
    person_edit(
        Context(actor=SYSTEM, source="system"),
        person_id=bob.person_id,
        display_name="Bob",
        language="hu",
    )
    page = client_of(jude).get(address(hall)).content.decode()
    assert sorted(re.findall(r'data-slip-in="(\w+)"', page)) == ["en", "hu"]
    assert page.count('<template data-slip="hu">') == page.count('<template data-slip="en">') > 10
    assert '<span lang="hu">Magyar</span>' in page


def test_a_pending_game_loss_stays_amber_on_the_sheet(
    hall: Hall, jude: Member, client_of: ClientOf
) -> None:
    client = client_of(jude)
    post(client, hall, "rule", seat=hall.seat, preset="DC-MAJOR/not_told_apart", done="1")
    page = client.get(address(hall)).content.decode()
    assert "not in force until the head judge approves" in page
    assert 'data-phase="run"' in page
    assert not RulingRow.objects.get().in_force


def test_the_head_judge_is_not_sent_to_the_head_judge(
    hall: Hall, jude: Member, hedda: Member, client_of: ClientOf
) -> None:
    asked = {"seat": "P1", "preset": "UC-CHEATING/stalling"}
    for member, pending, told in (
        (jude, True, "The head judge must approve it."),
        (hedda, False, "Needs no approval."),
    ):
        client = client_of(member)
        page = client.get(address(hall)).content.decode()
        assert (" data-pending" in page) is pending
        assert ("Not in force until the head judge approves." in page) is pending
        assert told in client.get(f"{address(hall)}count/", asked).content.decode()
    post(client_of(jude), hall, "start")
    post(client_of(jude), hall, "head_judge")
    waits = client_of(jude).get(address(hall)).content.decode()
    assert 'data-phase="other"' in waits
    assert "Handed to the head judge." in waits
    assert 'data-phase="start"' in client_of(hedda).get(address(hall)).content.decode()


def test_a_form_that_waited_counts_from_when_it_was_written(
    hall: Hall, jude: Member, client_of: ClientOf
) -> None:
    client = client_of(jude)
    queued = {"Headjudge-Queue": "1"}
    with at(10):
        for act, age in (("start", "300"), ("done", "60")):
            answer = client.post(
                address(hall),
                {"act": act, "nonce": new_id()},
                headers={**queued, "Headjudge-Age": age},
            )
            assert answer.status_code == 204
    assert CallRow.objects.get().extension_s == 240


def test_nobody_but_a_judge_of_the_event_who_does_not_play_there(
    hall: Hall, alice: Member, charlie: Member, jude: Member, client_of: ClientOf
) -> None:
    paths = (address(hall), f"/staff/events/{hall.event_id}/tables/", f"{address(hall)}count/")
    for member, allowed in ((None, {404}), (alice, {403, 404}), (charlie, {404}),
                            (hall.olga, {403})):  # fmt: skip
        for path in paths:
            assert client_of(member).get(path).status_code in allowed, (member, path)
    alice.grant("judge", hall.event_id)
    strange = client_of(jude).get(f"/staff/events/{new_id()}/tables/{hall.match_id}/")
    assert strange.status_code == 404


def test_players_never_see_notes_cautions_or_what_was_taken_back(
    hall: Hall, alice: Member, bob: Member, jude: Member, hedda: Member, client_of: ClientOf
) -> None:
    secret = "Bob looked at his deck twice"
    raise_call(alice, hall.match_id)
    sheet.sheet_note(jude.context("judge"), match_id=hall.match_id, note=secret)
    sheet.sheet_start(jude.context("judge"), match_id=hall.match_id, call_id=new_id())
    taken = new_id()
    sheet.sheet_rule(
        jude.context("judge", command_id=taken), match_id=hall.match_id, call_id=new_id(),
        infraction="UC-MINOR", infraction_kind="language", seat=hall.seat, note=secret,
    )  # fmt: skip
    sheet.sheet_undo(jude.context("judge"), match_id=hall.match_id, command_id=taken)
    sheet.sheet_done(jude.context("judge"), match_id=hall.match_id)
    sheet.sheet_rule(
        hedda.context("judge"), match_id=hall.match_id, call_id=new_id(), infraction="PE-MINOR",
        infraction_kind="unclear_play", seat=hall.seat, penalty="caution", note=secret, done=True,
    )  # fmt: skip
    for member in (alice, bob, hall.dora):
        for path in ("", "judge/", "judge/panel/", "standing/"):
            body = client_of(member).get(f"/my/{hall.event_id}/{path}").content.decode()
            for word in (secret, "Caution", "UC-MINOR", "PE-MINOR", "took this ruling back"):
                assert word not in body, (member.name, path, word)
    assert secret in client_of(jude).get(address(hall)).content.decode()


def test_the_code_of_a_table_leads_each_to_a_judge(
    hall: Hall, alice: Member, jude: Member, charlie: Member, client_of: ClientOf
) -> None:
    code, table = f"/events/{hall.event_id}/t/{hall.match.table}/", hall.match.table
    leads = {
        jude: f"/staff/events/{hall.event_id}/tables/?number={table}",
        alice: f"/my/{hall.event_id}/judge/",
        charlie: f"/events/{hall.event_id}/",
        hall.olga: f"/staff/events/{hall.event_id}/calls/new/?table={table}",
    }
    for member, address_ in leads.items():
        assert client_of(member).get(code).headers["Location"] == address_, member.name
    assert client_of(None).get(code).status_code == 302
    # who judges and plays there calls a judge like every player
    dora, mine = make_judge(hall), f"/my/{hall.event_id}/judge/"
    own = MatchRow.objects.get(pk=hall.other_match).table
    for number, lands in ((own, mine), (table, address(hall))):
        scanned = client_of(dora).get(f"/events/{hall.event_id}/t/{number}/", follow=True)
        assert (scanned.status_code, scanned.redirect_chain[-1][0]) == (200, lands)


def test_staff_call_to_a_table_and_see_that_it_waits(
    hall: Hall, jude: Member, client_of: ClientOf
) -> None:
    sven = make_member(21, "Sven", account=True)
    sven.grant("scorekeeper", hall.event_id)
    client, page = client_of(sven), f"/staff/events/{hall.event_id}/calls/new/"
    sent = {"act": "raise", "nonce": new_id(), "category": "attack_replay"}
    wrong = client.post(page, {**sent, "table": "77"})
    assert wrong.status_code == 409
    assert "There is no table 77 in this round." in wrong.content.decode()
    client.post(page, {**sent, "table": str(hall.match.table), "nonce": new_id()})
    call = CallRow.objects.get()
    assert (call.match_id, call.category, call.raised_by) == (
        hall.match_id, "attack_replay", sven.person_id,
    )  # fmt: skip
    told = client.get(f"/staff/events/{hall.event_id}/calls/waiting/").content.decode()
    assert "1 table waits for a judge" in told
    assert "Attack replay" not in told
    assert (
        "Attack replay"
        in client_of(jude).get(f"/staff/events/{hall.event_id}/calls/").content.decode()
    )


def test_a_long_queue_has_pages_and_the_first_holds_the_oldest_calls(
    hall: Hall, alice: Member, jude: Member, client_of: ClientOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("judging.pages.staff.QUEUE_SIZE", 1)
    with at(0):
        oldest = raise_call(alice, hall.match_id)
    with at(1):
        newest = raise_call(hall.joan, hall.other_match)
        client, queue = client_of(jude), f"/staff/events/{hall.event_id}/calls/"
        first = client.get(queue).content.decode()
        second = client.get(f"{queue}?page=2").content.decode()
        assert (oldest in first, newest in first) == (True, False)
        assert (oldest in second, newest in second) == (False, True)
        assert "2 wait" in first
        assert "1 to 1 of 2" in first
        taken = client.post(queue, {"act": "claim", "nonce": new_id(), "call_id": oldest})
        assert taken["location"] == address(hall)


def test_the_queue_shows_load_conflicts_and_what_was_forgotten(
    hall: Hall, alice: Member, bob: Member, olga: Member, client_of: ClientOf
) -> None:
    dora = make_judge(hall)
    own = EntrantPerson.objects.get(person_id=dora.person_id).entrant_id
    for entrant in (hall.ea, own):
        tournaments.plan_entrant(
            olga.context(), event_id=hall.event_id, entrant_id=entrant, values={"club": "Harbour"}
        )
    queue = f"/staff/events/{hall.event_id}/calls/"
    with at(0):
        raise_call(alice, hall.match_id)
    with at(3):
        page = client_of(dora).get(queue).content.decode()
        assert "You play in the club of one of the two." in page
        assert "waits too long" in page
        sheet.sheet_start(hall.joan.context("judge"), match_id=hall.match_id, call_id=new_id())
    with at(20):
        page = client_of(hall.joan).get(queue).content.decode()
        assert f'href="{address(hall)}"' in page, "from the own call to the sheet of its table"
        assert "has been open for 17 minutes" in page
        load = {one.name: (one.open, one.today) for one in loads(hall.joan.actor, hall.event_id)}
    assert load == {"Joan": (1, 1), "Jude": (0, 0), "Hedda": (0, 0), "Dora": (0, 0)}
    with at(21):
        role_grant(
            olga.context(),
            person_id=dora.person_id,
            role="judge",
            event_id=hall.event_id,
            until="2026-05-02T12:30:00.000000Z",
        )
    with at(31):
        left = {one.name for one in loads(hall.joan.actor, hall.event_id)}
    assert left == {"Joan", "Jude", "Hedda"}, "a role that has ended"


def make_judge(hall: Hall) -> Member:
    """Dora, who plays at the other table, as a judge with a log-in."""
    account_open(
        Context(actor=SYSTEM, source="system"),
        person_id=hall.dora.person_id,
        username="dora",
        password_hash="!",
    )
    hall.dora.grant("judge", hall.event_id)
    return Member(hall.dora.person_id, "Dora", "dora")


def test_who_is_no_judge_of_the_event_gets_no_button_that_is_refused(
    hall: Hall, alice: Member, jude: Member, olga: Member, client_of: ClientOf
) -> None:
    call_id = raise_call(alice, hall.match_id)
    queue, call = f"/staff/events/{hall.event_id}/calls/", f"/staff/calls/{call_id}/"
    pad = f"/staff/events/{hall.event_id}/tables/"
    for member, is_there in ((jude, True), (olga, False)):
        client = client_of(member)
        page = client.get(queue).content.decode()
        assert ("Take the call of table" in page) is is_there
        assert (f'href="{pad}"' in page) is is_there
        page = client.get(call).content.decode()
        assert (f'href="{call}case/"' in page) is is_there
        assert (address(hall) in page) is is_there
    assert "Nobody is judge of this event yet" not in client.get(queue).content.decode()


def test_an_event_without_judges_says_where_they_are_named(
    olga: Member, client_of: ClientOf
) -> None:
    event_id = new_id()
    tournaments.event_create(olga.context(), event_id=event_id, name="Small duel")
    page = client_of(olga).get(f"/staff/events/{event_id}/calls/").content.decode()
    assert "Nobody is judge of this event yet" in page
    assert f'href="/staff/events/{event_id}/roles/">Give a role' in page
    record = client_of(olga).get(f"/staff/events/{event_id}/record/").content.decode()
    assert "No round is being played" in record
    assert "Every table has its result" not in record


def test_codes_of_tables_come_in_pages_and_all_at_once_for_the_printer(
    hall: Hall, client_of: Callable[..., Client]
) -> None:
    desk, page = client_of(hall.olga), f"/staff/events/{hall.event_id}/codes/"

    def numbers(query: str) -> list[int]:
        shown = desk.get(f"{page}?from=11&to=75{query}").content.decode()
        return [int(one) for one in re.findall(r'<span class="plate xl">(\d+)<', shown)]

    assert numbers("") == list(range(11, 71))
    assert numbers("&page=2") == list(range(71, 76))
    assert numbers("&all=1") == list(range(11, 76))
    more = desk.get(f"{page}?from=11&to=75&page=2").content.decode()
    assert "?from=11&amp;to=75&amp;all=1" in more
    few = desk.get(f"{page}?from=1&to=3").content.decode()
    assert "All 3 to print" not in few
    assert few.count("Scan this to call a judge") == 3
    assert "Only this machine" not in few
    here = desk.get(f"{page}?from=1&to=3", headers={"host": "localhost"}).content.decode()
    assert "Only this machine can open this link" in here
