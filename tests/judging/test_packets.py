"""The packet of a disqualification: nothing missing, in time, and held until it is sent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client

from eventstore.commands import Context
from eventstore.domain.refusal import Refusal, Refused
from eventstore.ids import new_id
from eventstore.store import read_stream
from judging import packet_reads as reads
from judging import packets, services
from judging.domain import packet as rules
from judging.domain.packet_events import (
    PacketEvidenceKept,
    PacketPersonLeftOut,
    PacketReportKept,
    PacketSent,
    PacketSigned,
    PacketStatementKept,
)
from judging.models import RulingRow
from judging.models_after import PacketRow
from people import erasure
from people.access import NotAllowed
from people.domain.actor import SYSTEM, Actor
from people.domain.roles import Role
from people.models import Person
from tests.conftest import Member
from tests.helpers import rebuilds_equal
from tests.judging.hall import Hall, at, raise_call, to_table
from tournaments import services as tournaments
from tournaments.domain import enrolment
from tournaments.domain.event import (
    CANCELLED,
    CHECKED_IN,
    CUT,
    DISQUALIFIED,
    FINISHED,
    RUNNING,
    Entrant,
    Tournament,
)
from tournaments.models import EntrantRow, MatchRow

ClientOf = Callable[..., Client]
ABOUT = {"tournament": "e", "entrant": "x", "by": "hedda", "at": "2026-05-02T12:00:00.000000Z"}
PEOPLE = {"alice": "player", "bob": "player", "jude": "judge", "hedda": "head_judge"}


def codes(packet: rules.Packet, whose: str = "all_involved") -> list[tuple[str, str]]:
    return [(one.what, one.person) for one in rules.missing(PEOPLE, packet, whose)]


def test_what_is_missing_follows_from_the_pack_and_from_what_is_there() -> None:
    packet = rules.NEW
    rest = [("report", ""), ("evidence", "")]
    assert codes(packet) == [("statement", one) for one in ("alice", "bob", "jude")] + rest
    assert codes(packet, "both_players") == [("statement", "alice"), ("statement", "bob"), *rest]
    assert codes(packet, "none") == rest
    for event in (
        PacketStatementKept(person="alice", how="written", text="x", **ABOUT),
        PacketStatementKept(person="jude", how="refused", text="", **ABOUT),
        PacketPersonLeftOut(person="bob", reason="x", **ABOUT),
        PacketReportKept(text="x", **ABOUT),
    ):
        packet = rules.evolve(packet, event)
    refused = rules.signable(PEOPLE, packet, "all_involved")
    assert refused is not None
    assert (refused.code, refused.params["missing"]) == ("judging.packet_incomplete", ["evidence"])
    packet = rules.evolve(packet, PacketEvidenceKept(kind="none", text="", **ABOUT))
    assert rules.signable(PEOPLE, packet, "all_involved") is None
    unsigned = rules.sendable(packet)
    assert unsigned is not None
    assert unsigned.code == "judging.packet_unsigned"
    packet = rules.evolve(packet, PacketSigned(**ABOUT))
    assert rules.sendable(packet) is None
    later = rules.evolve(packet, PacketReportKept(text="more", **ABOUT))
    assert later.signed is None, "whatever is added takes the signature away"
    sent = rules.evolve(packet, PacketSent(note="x", **ABOUT))
    assert [rules.changeable(sent) is None, rules.sendable(sent) is None] == [False, False]


def test_the_state_counts_the_days() -> None:
    due, packet = datetime(2026, 5, 9, 12, tzinfo=UTC), rules.NEW

    def state(days: int, packet: rules.Packet = packet) -> str:
        return rules.state_of(packet, due=due, now=due - timedelta(days=days))

    assert [state(7), state(2), state(0), state(-1)] == ["open", "due_soon", "due_soon", "overdue"]
    signed = rules.evolve(packet, PacketSigned(**ABOUT))
    assert [state(3, signed), state(-1, signed)] == ["signed", "overdue"]
    assert state(-9, rules.evolve(signed, PacketSent(note="", **ABOUT))) == "sent"


@pytest.fixture
def out(hall: Hall, alice: Member, bob: Member, jude: Member, hedda: Member) -> Hall:
    """Bob is disqualified at noon: Alice called, Jude ruled, Hedda approved."""
    with at(0):
        call_id = raise_call(alice, hall.match_id, category="conduct")
        to_table(jude, call_id)
        ruled = services.ruling_make(
            jude.context("judge"),
            call_id=call_id,
            infraction="UC-CHEATING",
            target_entrant=hall.eb,
            remedy="loss",
            note="Marked cards",
        )
        services.penalty_approve(hedda.context("judge"), call_id=call_id, ruling_id=ruled.ruling_id)
    return hall


def erased(person_id: str) -> bool:
    if erasure.holds_of(person_id):
        with pytest.raises(Refused, match="legal_hold"):
            erasure.person_erase(Context(SYSTEM, "system"), person_id=person_id)
        return False
    erasure.person_erase(Context(SYSTEM, "system"), person_id=person_id)
    return True


@pytest.mark.django_db
def test_a_packet_is_filled_signed_sent_and_lets_go(
    out: Hall, alice: Member, bob: Member, jude: Member, hedda: Member, client_of: ClientOf
) -> None:
    page = f"/staff/events/{out.event_id}/packets/{out.eb}/"
    head, desk = client_of(hedda), client_of(out.olga)

    def post(client: Client, act: str, status: int = 302, **values: Any) -> str:
        answer = client.post(page, {"act": act, "nonce": new_id(), **values})
        assert answer.status_code == status, answer.content
        return answer.content.decode()

    with at(1):
        told = head.get(page).content.decode()
        assert "0 of 5 parts" in told, "three statements, the report, evidence"
        assert "7 days left" in told or "6 days left" in told
        assert "due in 6 days" in head.get(f"/staff/events/{out.event_id}/calls/").content.decode()
        for member in (bob, alice, jude):
            assert client_of(member).get(page).status_code in (403, 404)
        assert client_of(jude).get(page).status_code == 403
        post(head, "sign", 409)
        post(head, "person", display_name="Nora Night", role="witness")
        nora = Person.objects.get(display_name="Nora Night").pk
        assert not erased(nora), "an open packet holds everybody in it"
        for person, how, text in (
            (alice.person_id, "written", "He bent them."),
            (bob.person_id, "refused", ""),
            (jude.person_id, "dictated", "I saw it."),
        ):
            post(desk, "statement", person_id=person, how=how, text=text)
        post(head, "statement", 409, person_id=new_id(), how="written", text="x")
        post(head, "statement", 409, person_id=nora, how="written", text=" ")
        post(head, "leave_out", 409, person_id=nora, reason="")
        post(head, "leave_out", person_id=nora, reason="Had left the hall")
        post(desk, "report", 403, text="Mine")
        post(head, "report", text="Eight sleeves in a pattern.")
        post(head, "evidence", kind="photo", text="Photo 3 of the check")
        post(desk, "sign", 403)
        post(desk, "send", 409, note="by mail")
        post(head, "sign")
        post(head, "send", 403, note="by mail")
        assert reads.packet(hedda.actor, out.event_id, out.eb).state == "signed"
    document = desk.get(page + "document/?keep")
    assert "attachment" in document["Content-Disposition"]
    whole = document.content.decode()
    assert "<style>" in whole
    assert "stylesheet" not in whole, "one file that needs no server"
    for text in ("He bent them.", "I saw it.", "Eight sleeves in a pattern.", "Photo 3",
                 "Had left the hall", "Refused to say anything"):  # fmt: skip
        assert text in whole
    assert client_of(jude).get(page + "document/").status_code == 403
    assert not erased(jude.person_id)
    with at(60 * 24 * 8):
        view = reads.packet(out.olga.actor, out.event_id, out.eb)
        assert (view.state, view.days_left) == ("overdue", -1)
        assert "overdue" in desk.get(f"/staff/events/{out.event_id}/calls/").content.decode()
        post(desk, "send", note="To the office, by post")
        assert "due in" not in desk.get(f"/staff/events/{out.event_id}/calls/").content.decode()
        post(head, "report", 409, text="More")
    assert erased(nora)
    assert erased(bob.person_id)
    sealed = read_stream(f"packet-{out.eb}")
    assert not any("bent" in str(one.data) for one in sealed)
    assert reads.packet(hedda.actor, out.event_id, out.eb).people[0].name
    rebuilds_equal("judging.packets")


@pytest.mark.django_db
def test_nobody_keeps_the_own_packet_or_one_that_is_not_there(
    out: Hall, hedda: Member, charlie: Member
) -> None:
    assert PacketRow.objects.get().rule == "UC-CHEATING"
    for member, entrant in ((hedda, out.ea), (hedda, "no-id"), (charlie, out.eb)):
        with pytest.raises(NotAllowed) as fault:
            reads.packet(member.actor, out.event_id, entrant)
        assert fault.value.hidden
    roles = {out.event_id: frozenset({Role.HEAD_JUDGE})}
    own = Actor(person_id=out.match.persons[0 if out.seat == "P2" else 1][0], signed_in=True,
                event_roles=roles)  # fmt: skip
    with pytest.raises(NotAllowed):
        reads.packet(own, out.event_id, out.eb)
    assert reads.packets(own, out.event_id) == []
    elsewhere = {"person_id": charlie.person_id}  # no player and no staff of this event
    for values in ({"role": "boss"}, {"person_id": new_id()}, elsewhere, {"display_name": ""}):
        with pytest.raises(Refused):
            packets.packet_person_add(
                hedda.context(), event_id=out.event_id, entrant_id=out.eb, **values
            )
    assert not erasure.holds_of(charlie.person_id)


@pytest.mark.django_db
def test_the_head_judge_takes_a_disqualification_back(
    out: Hall, alice: Member, bob: Member, hedda: Member, jude: Member, client_of: ClientOf
) -> None:
    """Bob plays from the next pairing with the record he has; the packet keeps what it holds."""
    about = {"event_id": out.event_id, "entrant_id": out.eb}
    why = {**about, "reason": "The sleeves were new"}
    page = f"/staff/events/{out.event_id}/packets/{out.eb}/"
    packets.packet_report_keep(hedda.context("judge"), **about, text="Found at a check")
    packets.packet_person_add(hedda.context("judge"), **about, person_id=out.dora.person_id)
    assert "Take it back" not in client_of(out.olga).get(page).content.decode()
    for member in (out.olga, jude):
        with pytest.raises(NotAllowed):
            packets.disqualification_undo(member.context("judge"), **why)
    with pytest.raises(Refused, match="reason_missing"):
        packets.disqualification_undo(hedda.context("judge"), **{**why, "reason": " "})
    client = client_of(hedda)
    sent = {"act": "undo", "nonce": new_id(), "reason": "The sleeves were new"}
    assert client.post(page, sent).status_code == 302
    assert EntrantRow.objects.get(pk=out.eb).status == "checked_in"
    assert reads.packet(hedda.actor, out.event_id, out.eb).state == "undone"
    assert reads.packets_due(hedda.actor, out.event_id) == []
    assert not any(erasure.holds_of(one.person_id) for one in (bob, alice, out.dora))
    shown = client.get(page).content.decode()
    assert "not owed any more" in shown
    assert "Found at a check" in shown
    assert "Write the report" not in shown
    row = RulingRow.objects.get(target_entrant=out.eb)
    assert (row.approval, row.in_force) == ("withdrawn", False)
    for again in (
        lambda: packets.disqualification_undo(hedda.context("judge"), **why),
        lambda: packets.packet_report_keep(hedda.context("judge"), **about, text="More"),
    ):
        with pytest.raises(Refused, match=r"judging\.packet_undone"):
            again()
    # the result it gave stays, and Bob is told and paired
    assert out.match.reason == "disqualification"
    mine = f"/my/{out.event_id}/"
    assert "Your disqualification was taken back" in client_of(bob).get(mine).content.decode()
    assert "taken back" not in client_of(alice).get(mine).content.decode()
    staff = out.olga.context
    tournaments.result_enter(staff(), match_id=out.other_match, score=[2, 0, 0])
    tournaments.round_pair(staff(), event_id=out.event_id, seed=1)
    tournaments.round_publish(staff(), event_id=out.event_id, number=2)
    rows = MatchRow.objects.filter(event_id=out.event_id, round=2)
    assert out.eb in {one for row in rows for one in (row.p1, row.p2)}
    assert "taken back" not in client_of(bob).get(mine).content.decode()
    rebuilds_equal("judging.packets", "judging.calls", "tournaments.board")
    # once more, for good: what the packet holds is there, the signature is not
    tournaments.penalty_apply(hedda.context("judge"), **about, kind="disqualification")
    assert reads.packet(hedda.actor, out.event_id, out.eb).state == "open"
    assert len(reads.packet(hedda.actor, out.event_id, out.eb).reports) == 1
    rebuilds_equal("judging.packets")


def test_too_late_to_take_a_disqualification_back() -> None:
    players = {"x": Entrant("x", 1, ("p",), DISQUALIFIED, ready=True, dropped_after=1)}
    event = Tournament(event_id="e", status=RUNNING, entrants=players)

    def code(state: Tournament) -> str:
        made = enrolment.undo_disqualification(state, entrant_id="x", note="sealed")
        return made.code if isinstance(made, Refusal) else type(made[0]).__name__

    assert code(event) == "DisqualificationUndone"
    assert code(replace(event, status=FINISHED)) == "tournaments.wrong_state"
    assert code(replace(event, status=CANCELLED)) == "tournaments.wrong_state"
    assert code(replace(event, status=CUT)) == "tournaments.cut_without"
    went_on = replace(event, status=CUT, seeds=("x",))
    assert code(went_on) == "tournaments.cut_went_on"
    players["x"] = replace(players["x"], dropped_after=0)
    assert code(went_on) == "DisqualificationUndone"
    players["x"] = replace(players["x"], status=CHECKED_IN)
    assert code(event) == "tournaments.not_disqualified"
