"""The case of a call: one tap to where the pads part, hidden cards closed until they are
revealed, statements sealed until all are in."""

from __future__ import annotations

import io
import random
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from PIL import Image

from decks.models import Photo
from duels import inspection, reveals, selectors
from duels import services as duel_services
from duels.domain.events import DuelOpened, LpDeclared
from duels.domain.rewind import effective
from duels.rules.yugioh import acts, bot
from duels.rules.yugioh.duel import fold
from duels.rules.yugioh.events import LpChanged
from eventstore.commands import Context, Unit
from eventstore.domain.refusal import Refusal, Refused
from eventstore.ids import new_id
from eventstore.store import read_stream
from judging import case as cases
from judging import casephotos, services, statements
from judging.domain import statements as rules
from judging.domain.statement_events import StatementGiven
from judging.models import StatementRow
from people.access import NotAllowed
from people.domain.actor import SYSTEM, Actor
from people.erasure import person_export
from tests.conftest import Member
from tests.duels.made import opening, played
from tests.helpers import rebuilds_equal
from tests.judging.hall import Hall, raise_call, to_table
from tests.judging.material import house
from tests.sizes import SIZES
from tournaments.models import MatchRow

pytestmark = pytest.mark.django_db
ClientOf = Callable[[Member | None], Client]
LONG = 300
REWOUND = "duels.rewound"


def keep(hall: Hall, raw: list[Any]) -> str:
    """Keep a log as that of a duel of the hall's match."""
    duel_id, row = new_id(), MatchRow.objects.get(pk=hall.match_id)
    first = raw[0]
    assert isinstance(first, DuelOpened)
    seats = dict(zip(("P1", "P2"), row.persons, strict=True))
    opened = replace(
        first, duel_id=duel_id, event_id=hall.event_id, match_id=hall.match_id, seats=seats
    )
    unit = Unit(Context(actor=SYSTEM, source="system"))
    unit.append(f"duel-{duel_id}", 0, [opened, *raw[1:]])
    return duel_id


def with_pads(raw: list[Any]) -> tuple[list[Any], int]:
    """Both pads beside a log, each change written down by both; in the fourth change B writes
    another number. Returns the log and the line where they part."""
    kept: list[Any] = []
    lines = changes = slip = 0
    for event in raw:
        kept.append(event)
        if not isinstance(event, LpChanged):
            continue
        for one in event.changes:
            changes += 1
            for player in ("P1", "P2"):
                wrong = 70 if changes >= 4 and player == "P2" else 0
                lines += 1
                kept.append(
                    LpDeclared(player, one.player, one.life_points + wrong, None, lines, None)
                )
                if wrong and not slip:
                    slip = len(kept)
    return kept, slip


def long_log() -> tuple[list[Any], int]:
    """A duel of at least LONG events in which the pads part."""
    for seed in range(200):
        raw = played(seed)
        kept, slip = with_pads(raw)
        if len(kept) >= LONG and slip:
            return kept, slip
    raise AssertionError("no seed plays so long")


def test_one_tap_leads_to_where_the_pads_of_a_long_duel_part(
    hall: Hall, alice: Member, jude: Member, client_of: ClientOf
) -> None:
    raw, slip = long_log()
    assert len(raw) >= LONG
    keep(hall, raw)
    call_id = raise_call(alice, hall.match_id)
    client = client_of(jude)
    address = f"/staff/calls/{call_id}/case/"
    page = client.get(address).content.decode()
    first = page.split('id="first"')[1].split("</section>")[0]
    link = re.search(r'href="(\?at=\d+)#log"', first)
    assert link is not None
    shown = client.get(address + link[1]).content.decode()
    current = re.search(r'aria-current="step"><span>(\d+)</span>', shown)
    assert current is not None
    assert int(current[1]) == slip
    # a call that is about Life Points needs no tap at all
    other = services.call_raise(
        jude.context("judge"), call_id=new_id(), match_id=hall.other_match, category="lp"
    )
    assert client.get(f"/staff/calls/{other.call_id}/case/").status_code == 200
    services.call_withdraw(alice.context(), call_id=call_id)
    about_lp = raise_call(alice, hall.match_id, category="lp")
    opened = client.get(f"/staff/calls/{about_lp}/case/").content.decode()
    assert f'aria-current="step"><span>{slip}</span>' in opened
    whole = client.get(f"{address}?at=30&draws=flagged").content.decode()
    assert "As a table (0)" in whole.split('id="draws"')[1], "nothing is flagged in an honest log"
    told = client.get(f"/api/v1/calls/{about_lp}/case").json()
    assert (told["first_divergence"], told["at"]) == (slip, slip)


def running(hall: Hall) -> str:
    """A duel of the hall's match that goes on."""
    return keep(hall, opening(5))


def hidden_names(duel_id: str) -> set[str]:
    """Names of cards that lie in the hands."""
    table = selectors.duel_state(duel_id).table
    found = set()
    for seat in ("P1", "P2"):
        for one in table.side(seat).hand:
            facts = table.facts_of(one)
            assert facts is not None
            found.add(facts.name)
    return found


def test_hidden_cards_are_closed_to_judges_until_they_are_revealed_on_record(
    hall: Hall, alice: Member, jude: Member, hedda: Member, client_of: ClientOf
) -> None:
    duel_id = running(hall)
    names = hidden_names(duel_id)
    call_id = raise_call(alice, hall.match_id)
    to_table(jude, call_id)
    pages = [
        f"/staff/calls/{call_id}/case/", f"/duels/{duel_id}/?as=judge",
        f"/duels/{duel_id}/?as=p1", f"/duels/{duel_id}/judge/", f"/duels/{duel_id}/text/?as=judge",
        f"/api/v1/duels/{duel_id}/draws", f"/api/v1/duels/{duel_id}/knowledge",
        f"/api/v1/duels/{duel_id}/log?as=judge&page_size=200",
        f"/api/v1/duels/{duel_id}/rewind-plan?to=2", f"/api/v1/duels/{duel_id}/text?as=p2",
    ]  # fmt: skip
    closed = [f"/api/v1/duels/{duel_id}?as=judge", f"/api/v1/duels/{duel_id}?as=p2",
              f"/api/v1/duels/{duel_id}/acts?player=P1"]  # fmt: skip
    for judge in (jude, hedda):
        client = client_of(judge)
        for page in pages:
            answer = client.get(page)
            assert answer.status_code == 200, page
            body = answer.content.decode()
            assert not [one for one in names if f'"{one}"' in body or f">{one}<" in body], page
        for page in closed:
            answer = client.get(page)
            assert (answer.status_code, answer.json()["code"]) == (409, "duels.not_revealed")
        assert client.get(f"/duels/{duel_id}/offline/?as=judge").status_code == 404
    made = cases.hidden_reveal(
        jude.context("judge"), call_id=call_id, duel_id=duel_id, reason="B showed a sixth card."
    )
    assert made.upto == len(read_stream(f"duel-{duel_id}")), "the duel's own log is as it was"
    for page in (*pages[:2], *closed):
        body = client_of(jude).get(page).content.decode()
        assert client_of(jude).get(page).status_code == 200, page
    hands = client_of(jude).get(closed[0]).json()["table"]
    assert {one["name"] for seat in ("P1", "P2") for one in hands[seat]["hand"]} == names
    assert client_of(hedda).get(closed[0]).status_code == 409, "opened to one judge alone"
    # what is played on is closed again
    seat, player = selectors.duel_state(duel_id).table.active, _player(hall, duel_id)
    duel_services.act(player, duel_id=duel_id, player=seat, act={"act": "draw"})
    assert client_of(jude).get(closed[0]).status_code == 409
    assert client_of(jude).get(f"{closed[0]}&at={made.upto}").status_code == 200
    lines = selectors.duel_log(jude.actor, duel_id, "judge")
    drawn = [one.params["cards"] for one in lines if one.code == "duels.cards_drawn"]
    assert drawn[0][0]["name"] in names
    assert drawn[-1][0]["name"] is None
    assert inspection.draw_ledger(jude.actor, duel_id)[-1].card.name is None
    body = client_of(hedda).get(f"/staff/calls/{call_id}/case/").content.decode()
    assert "B showed a sixth card." in body
    assert (
        "Jude"
        in client_of(hedda)
        .get(f"/staff/events/{hall.event_id}/calls/")
        .content.decode()
        .split('id="looks"')[1]
    )
    audited = client_of(hedda).get(f"/staff/events/{hall.event_id}/audit/").content.decode()
    assert "Hidden cards revealed to a judge" in audited
    assert cases.looked_at(hall.joan.actor, hall.event_id) == []
    rebuilds_equal("duels.reveals", "duels.duels")


def _player(hall: Hall, duel_id: str) -> Context:
    """The context of whose turn it is."""
    duel = selectors.duel_state(duel_id)
    assert duel.opening is not None
    person = duel.opening.seats[duel.table.active][0]
    return Context(actor=Actor(person_id=person), source="player")


def test_a_reveal_needs_the_call_the_duel_and_a_reason(
    hall: Hall, alice: Member, bob: Member, jude: Member, hedda: Member, olga: Member
) -> None:
    duel_id = running(hall)
    call_id = raise_call(alice, hall.match_id)

    def reveal(member: Member, **values: Any) -> str:
        given = {"call_id": call_id, "duel_id": duel_id, "reason": "Evidence."} | values
        try:
            cases.hidden_reveal(member.context("judge"), **given)
        except Refused as fault:
            return fault.refusal.code
        except NotAllowed as fault:
            return "404" if fault.hidden else "403"
        return "done"

    assert [reveal(one) for one in (alice, bob, olga)] == ["403"] * 3
    assert reveal(hall.dora) == "404"
    assert reveal(jude) == "judging.not_your_call"
    to_table(jude, call_id)
    assert reveal(hall.joan) == "judging.not_your_call"
    assert reveal(jude, reason="  ") == "judging.reason_missing"
    assert reveal(jude, duel_id=new_id()) == "judging.duel_not_of_match"
    assert reveal(jude, call_id=new_id()) == "404"
    bob.grant("head_judge", hall.event_id)
    assert reveal(bob) == "403", "who plays there is no judge there"
    assert reveal(hedda) == "done"
    over = keep(hall, played(1))
    assert reveal(jude, duel_id=over) == "duels.nothing_hidden"
    assert selectors.duel_view(jude.actor, over, perspective="judge").table["result"]
    assert len(reveals.reveals(hedda.actor, hall.event_id)) == 1
    assert reveals.reveals(jude.actor, hall.event_id) == []
    services.call_withdraw(alice.context(), call_id=call_id)
    assert reveal(hedda) == "judging.wrong_state"


PERSONS, WHERE = ("a", "b", "c"), rules.Where("call", "event", "match", "judge", "now")


def _made(state: rules.Statements, act: str, person: str, *, head_judge: bool) -> Any:
    if act == "ask":
        return rules.ask(
            state, WHERE, [person], known=frozenset(PERSONS), infraction="", pack=house(),
            head_judge=head_judge,
        )  # fmt: skip
    if act == "give":
        return rules.give(state, WHERE, person, "sealed", "en")
    if act == "withdraw":
        return rules.withdraw(state, WHERE, person)
    return rules.open_early(state, WHERE, head_judge=head_judge, reason="why")


@given(st.data())
def test_no_sequence_opens_a_statement_before_its_time(data: st.DataObject) -> None:
    """Whatever is asked, given, taken back and demanded: statements open once, when all of the
    asked are in or the head judge opens them, and never close or change afterwards."""
    state, events = rules.NEW, []
    for _ in range(data.draw(st.integers(1, 14))):
        person = data.draw(st.sampled_from(PERSONS))
        act = data.draw(st.sampled_from(["ask", "give", "withdraw", "open"]))
        head = data.draw(st.booleans())
        made = _made(state, act, person, head_judge=head)
        if isinstance(made, Refusal):
            continue
        before = state
        for one in made:
            state = rules.evolve(state, one)
        events += made
        assert not before.opened or state.opened
        if state.opened and not before.opened:
            assert not state.missing or (act == "open" and head)
        if act in ("withdraw", "ask", "open"):
            assert not before.opened, "what is open stays as it is"
        assert not isinstance(made[0], StatementGiven) or person in before.asked
    assert set(state.given) <= set(state.asked)


MARK = "Quokka-statement-of-Alice"


def test_statements_are_sealed_until_both_are_in(
    hall: Hall, alice: Member, bob: Member, jude: Member, hedda: Member, client_of: ClientOf
) -> None:
    call_id = raise_call(alice, hall.match_id, category="conduct")
    to_table(jude, call_id)

    def refused(service: Any, member: Member, **values: Any) -> str:
        try:
            service(member.context(), call_id=call_id, **values)
        except Refused as fault:
            return fault.refusal.code
        except NotAllowed as fault:
            return "404" if fault.hidden else "403"
        return "done"

    ask, give = statements.statements_ask, statements.statement_give
    assert refused(give, alice, text="Too early") == "404", "nothing was asked"
    assert refused(ask, jude) == "judging.statements_not_required"
    assert refused(ask, jude, infraction="PE-MINOR") == "judging.statements_not_required"
    assert refused(ask, jude, infraction="NONE-SUCH") == "judging.unknown_infraction"
    assert refused(ask, jude, infraction="UC-SEVERE", persons=[new_id()]) == (
        "judging.statement_person"
    )
    assert [refused(ask, one, infraction="UC-SEVERE") for one in (alice, hall.dora)] == [
        "403", "404",
    ]  # fmt: skip
    assert refused(ask, jude, infraction="UC-SEVERE") == "done"
    assert refused(ask, hedda) == "judging.statement_person", "both were asked"
    assert refused(give, hall.dora, text="I saw it") == "404"
    page = f"/my/{hall.event_id}/statements/"
    mine = client_of(alice)
    assert b"The judges ask you" in mine.get(f"/my/{hall.event_id}/judge/panel/").content
    sent = {"act": "give", "nonce": new_id(), "call_id": call_id, "text": MARK}
    assert mine.post(page, sent).status_code == 302
    assert refused(give, alice, text="Again") == "judging.statement_stands"
    assert refused(statements.statement_withdraw, alice) == "done"
    assert mine.post(page, sent | {"nonce": new_id()}).status_code == 302
    for member in (alice, bob, jude, hedda, hall.joan, hall.olga):
        client = client_of(member)
        for path in (page, f"/staff/calls/{call_id}/case/", f"/api/v1/calls/{call_id}/statements"):
            assert MARK not in client.get(path).content.decode()
    assert MARK not in str(person_export(hall.olga.actor, person_id=alice.person_id))
    assert refused(statements.statements_open, jude, reason="Now") == "403"
    # Bob has no phone: the judge's own is handed over
    case = f"/staff/calls/{call_id}/case/"
    write = {"act": "write", "nonce": new_id(), "person": bob.person_id, "text": "I did not."}
    assert client_of(jude).post(case, write).status_code == 302
    for member in (jude, hedda):
        body = client_of(member).get(case).content.decode()
        assert MARK in body
        assert "I did not." in body
    assert MARK in mine.get(page).content.decode()
    assert MARK not in client_of(bob).get(page).content.decode(), "the other one's stays closed"
    assert MARK in str(person_export(hall.olga.actor, person_id=alice.person_id))
    assert refused(statements.statement_withdraw, alice) == "judging.statements_open"
    assert refused(give, alice, text="And one thing more.") == "done"
    told = client_of(hedda).get(f"/api/v1/calls/{call_id}/statements").json()
    assert (told["how"], [len(one["texts"]) for one in told["statements"]]) == ("all_in", [2, 1])
    assert [one["dictated"] for one in told["statements"]] == [False, True]
    rebuilds_equal("judging.statements")


def test_the_head_judge_demands_and_opens_early_with_a_reason(
    hall: Hall, alice: Member, bob: Member, jude: Member, hedda: Member, client_of: ClientOf
) -> None:
    call_id = raise_call(alice, hall.match_id)
    to_table(jude, call_id)
    statements.statements_ask(hedda.context("judge"), call_id=call_id)
    statements.statement_give(bob.context(), call_id=call_id, text="She left the table.")
    with pytest.raises(Refused) as fault:
        statements.statements_open(hedda.context("judge"), call_id=call_id, reason=" ")
    assert fault.value.refusal.code == "judging.reason_missing"
    case = f"/staff/calls/{call_id}/case/"
    opened = {"act": "open", "nonce": new_id(), "reason": "Alice has left the hall."}
    assert client_of(jude).post(case, opened).status_code == 403
    assert client_of(hedda).post(case, opened | {"nonce": new_id()}).status_code == 302
    body = client_of(jude).get(case).content.decode()
    assert "She left the table." in body
    assert "Opened early by the head judge" in body
    assert "Alice has left the hall." in body
    log = [one.data for one in read_stream(statements.statements_stream(call_id))]
    assert getattr(log[-1], "missing", None) == (alice.person_id,)
    assert statements.asked_of(alice.actor, hall.event_id)[0].opened


@pytest.mark.parametrize("seed", range(SIZES.examples_slow // 4 or 1))
def test_whatever_is_done_the_table_is_the_effective_prefix_and_nothing_goes(
    hall: Hall, alice: Member, bob: Member, jude: Member, hedda: Member, seed: int
) -> None:
    """Acts, lines of pads, disputes, rewinds, rewinds undone and looks at hidden cards, in any
    order, by the real commands."""
    rng = random.Random(seed)
    duel_id = keep(hall, opening(seed))
    stream, looks = f"duel-{duel_id}", f"reveal-{duel_id}"
    call_id = raise_call(alice, hall.match_id)
    to_table(jude, call_id)
    players = {hall.seat: alice, "P2" if hall.seat == "P1" else "P1": bob}
    table: Any = None
    for number in range(1, 26):
        log, looked = read_stream(stream), read_stream(looks)
        duel = fold(one.data for one in log)
        what = rng.choice(["act", "act", "act", "pad", "dispute", "rewind", "undo", "reveal"])
        seat = rng.choice(list(players))
        if what == "act" and (acting := bot.to_act(duel)) is not None:
            act = acts.plain(bot.choose(duel, acting, rng))
            act.pop("player")
            player = players[acting].context()
            duel_services.act(player, duel_id=duel_id, player=acting, act=act)
        elif what in ("pad", "dispute"):
            said = {"statement": "line_disputed", "line": rng.randint(1, len(log))}
            if what == "pad":
                about, value = rng.choice(["P1", "P2"]), rng.randint(0, 9000)
                said = {"statement": "lp_declared", "about": about, "value": value}
                said |= {"pad_seq": number}
            duel_services.statement_make(
                players[seat].context(), duel_id=duel_id, player=seat, statement=said
            )
        elif what in ("rewind", "undo"):
            last = next((one.version for one in reversed(log) if one.type == REWOUND), None)
            to = last - 1 if what == "undo" and last else rng.randint(2, len(log) - 1)
            duel_services.duel_rewind(hedda.context("judge"), duel_id=duel_id, to=to)
        elif what == "reveal" and duel.table.result is None:
            cases.hidden_reveal(
                jude.context("judge"), call_id=call_id, duel_id=duel_id, reason="Evidence."
            )
        now = read_stream(stream)
        assert now[: len(log)] == log, "nothing goes, nothing changes"
        assert read_stream(looks)[: len(looked)] == looked
        raw = [one.data for one in now]
        table = fold(raw[at - 1] for at in effective(raw)).table
        assert selectors.duel_state(duel_id).table == table
        if what in ("pad", "dispute", "reveal"):
            assert table == duel.table, "what is said or seen moves no card"
    rebuilds_equal("duels.duels", "duels.reveals")


def test_photos_of_a_table_stand_in_its_case_where_the_policy_allows_them(
    hall: Hall, alice: Member, jude: Member, hedda: Member, client_of: ClientOf,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    call_id = raise_call(alice, hall.match_id)
    client, case = client_of(jude), f"/staff/calls/{call_id}/case/"
    picture = io.BytesIO()
    Image.new("RGB", (8, 8), "teal").save(picture, "PNG")

    def send(body: bytes, **values: str) -> int:
        sent = {"act": "photo", "seat": "P1", "nonce": new_id(), "photo_id": new_id(), **values}
        file = SimpleUploadedFile("table.png", body)
        path = f"/staff/photos/cases/{call_id}/"
        return int(client.post(path, {**sent, "photo": file}).status_code)

    assert [send(b"<svg/>"), send(picture.getvalue(), seat="P9")] == [409, 409]
    assert send(picture.getvalue()) == 302
    row = Photo.objects.get()
    (kept,) = casephotos.case_photos(jude.actor, call_id)
    assert (kept.photo, kept.sha256, kept.person) == (row.pk, row.sha256, row.person_id)
    assert f'src="/staff/photos/{row.pk}/"' in client.get(case).content.decode()
    for member in (alice, hall.dora):
        assert client_of(member).get(f"/staff/photos/{row.pk}/").status_code == 404
        with pytest.raises(NotAllowed):
            casephotos.case_photos(member.actor, call_id)
    monkeypatch.setattr(casephotos, "MOST", 1)
    assert send(picture.getvalue()) == 409, "as many as a case may have"
    assert casephotos.pack("konami-tcg", "2.2").photos_allowed is False
    monkeypatch.setattr(casephotos, "MOST", 2)
    paper = casephotos.pack("konami-tcg", "2.2")
    monkeypatch.setattr(casephotos, "pack", lambda *ref: paper)
    assert send(picture.getvalue()) == 409, "not where the pack says no"
    erase = {"act": "photo_erase", "photo_id": row.pk}
    assert client.post(case, erase | {"nonce": new_id()}).status_code == 403
    assert client_of(hedda).post(case, erase | {"nonce": new_id()}).status_code == 302
    assert casephotos.case_photos(jude.actor, call_id) == []
    assert not Photo.objects.exists()


def test_a_witness_who_does_not_play_writes_by_a_link_and_sees_nothing_else(
    hall: Hall, alice: Member, bob: Member, jude: Member, hedda: Member,
    client_of: ClientOf,
) -> None:  # fmt: skip
    call_id = raise_call(alice, hall.match_id)
    case, judge = f"/staff/calls/{call_id}/case/", client_of(jude)
    asked = {"act": "witness", "display_name": "Nora Night", "infraction": "UC-SEVERE"}
    assert judge.post(case, {**asked, "infraction": "", "nonce": new_id()}).status_code == 409
    assert not StatementRow.objects.exists()
    assert judge.post(case, {**asked, "nonce": new_id()}).status_code == 302
    statements.statements_ask(hedda.context("judge"), call_id=call_id, persons=[alice.person_id])
    nora = StatementRow.objects.exclude(person_id=alice.person_id).get().person_id
    path = f"/staff/calls/{call_id}/witness/?person="
    assert judge.get(case).content.decode().count("Link for the phone") == 1
    assert client_of(hall.olga).get(path + nora).status_code == 403
    for other in (alice.person_id, bob.person_id, jude.person_id, "x", ""):
        assert judge.get(path + other).status_code == 404, "a link is for witnesses alone"
    shown = judge.get(path + nora)
    assert "Link for Nora Night" in shown.content.decode()
    address = shown.context["address"].partition("testserver")[2]

    assert "Only this machine" not in shown.content.decode()
    here = judge.get(path + nora, headers={"host": "localhost"}).content.decode()
    assert "Only this machine can open this link" in here

    phone = Client()
    first = phone.get(address).content.decode()
    assert "Nora Night" in first
    assert "Write my statement on this phone" in first
    assert "my matches" not in first
    mine = f"/my/{hall.event_id}/statements/"
    assert phone.get(mine).status_code == 404
    joined = phone.post(address, {"act": "join", "nonce": new_id()})
    assert joined["Location"] == mine
    assert phone.get("/my/")["Location"] == mine, "the way back to it"
    page = phone.get(mine).content.decode()
    assert "Seal it and hand it in" in page
    assert "Alice" not in page
    assert "Bob" not in page
    words = {"act": "give", "call_id": call_id, "text": "He looked at two", "nonce": new_id()}
    assert phone.post(mine, words).status_code == 302
    for closed in (f"/my/{hall.event_id}/", f"/my/{hall.event_id}/calls/", case, path + nora):
        assert phone.get(closed).status_code in (403, 404), closed
    assert "He looked at two" not in judge.get(case).content.decode(), "sealed until all are in"
    statements.statement_give(alice.context(), call_id=call_id, text="I drew one")
    assert "He looked at two" in judge.get(case).content.decode()
    told = phone.get(mine).content.decode()
    assert "He looked at two" in told
    assert "I drew one" not in told
    # somebody who was not asked has no such page
    assert client_of(hall.joan).get(mine).status_code == 404
