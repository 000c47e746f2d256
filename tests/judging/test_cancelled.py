"""A cancelled event stays as it is: every command of tournaments and judging stands in one table
here, and either refuses in such an event or has a reason to go on."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.db import transaction

from decks.pictures import Picture, cleaned
from duels.services import act
from eventstore.domain.refusal import Refused
from eventstore.ids import new_id
from judging import (
    case,
    casephotos,
    deckcheck,
    decktable,
    disputes,
    floor,
    listrepair,
    packbook,
    packets,
    pad,
    records,
    rewinding,
    services,
    sheet,
    statements,
)
from people.access import NotAllowed
from tests.conftest import ROOT, Member, make_member
from tests.judging.hall import Hall, open_hall, raise_call, to_table
from tests.judging.test_deck_table import picture
from tournaments import rechecks
from tournaments import services as desk
from tournaments.models import MatchRow
from tournaments.pages.joining import entrant_join

pytestmark = pytest.mark.django_db

REFUSES, GOES_ON, ELSEWHERE = "refuses", "goes on", "elsewhere"


@dataclass
class Cancelled:
    """A cancelled event: its hall, who is there, and by name what stood there when it ended."""

    hall: Hall
    who: dict[str, Member]
    ids: dict[str, Any] = field(default_factory=dict)

    def _named(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._named(one) for one in value]
        return self.ids[value[1:]] if isinstance(value, str) and value[:1] == "$" else value

    def send(self, command: Callable[..., Any], member: str, values: dict[str, Any]) -> None:
        """Send a command as a member; texts that begin with $ name what stands there."""
        judges = ("jude", "hedda", "joan")
        context = self.who[member].context("judge" if member in judges else None)
        command(context, **{name: self._named(one) for name, one in values.items()})


@pytest.fixture
def ended(olga: Member, alice: Member, bob: Member, jude: Member, hedda: Member) -> Cancelled:
    """Alice and Bob are in a duel with a call at the table, a ruling of it waits for the head
    judge; at the other table Emil won, which a slip and Dora contest, and is disqualified."""
    hall = open_hall(olga, alice, bob, jude, hedda)
    event, match, other = hall.event_id, hall.match_id, hall.other_match
    desk.door_set(olga.context(), event_id=event, changes={"fee": 500, "currency": "EUR"})
    desk.fee_pay(olga.context(), event_id=event, entrant_id=hall.ea, method="cash")
    duels = {}
    for at in (match, other):
        desk.coin_toss(olga.context(), match_id=at, winner="P1")
        desk.starter_choose(olga.context(), match_id=at, first="P1")
        duels[at] = desk.duel_start(olga.context(), match_id=at, seed=7)
    row = MatchRow.objects.get(pk=other)
    dora = "P1" if [hall.dora.person_id] in [row.persons[0]] else "P2"
    emil = {"P1": row.p2, "P2": row.p1}[dora]
    act(hall.dora.context(), duel_id=duels[other], player=dora, act={"act": "concede"})
    won = [0, 2, 0] if dora == "P1" else [2, 0, 0]
    desk.result_enter(olga.context(), match_id=other, score=won)
    line = f"{row.table} {won[1]}-{won[0]}"
    desk.slip_enter(olga.context(), event_id=event, number=1, line=line)
    dispute = {"duel_id": duels[other], "line": 3, "reason": "I did not say so"}
    free = disputes.dispute_raise(hall.dora.context(), dispute_id=new_id(), **dispute).dispute_id
    given = {"event_id": event, "entrant_id": emil, "kind": "disqualification"}
    desk.penalty_apply(hedda.context("judge"), **given)
    call = raise_call(alice, match)
    to_table(jude, call)
    ruled = services.ruling_make(
        jude.context("judge"),
        call_id=call,
        infraction="PE-MAJOR",
        infraction_kind="late_slip",
        target_entrant=hall.eb,
        remedy="loss",
        note="Late",
    )
    disputes.dispute_take(jude.context("judge"), dispute_id=free)
    check = {"kind": "deck_check", "category": "deck"}
    waiting = raise_call(hall.joan, other, **check)
    for member in (alice, bob):
        pads = {"about": "mine", "how": "total", "amount": 8000, "pad_seq": 1}
        pad.pad_note(member.context(), duel_id=duels[match], **pads)
    hall.joan.grant("recorder", event)
    message, loss = new_id(), new_id()
    desk.message_post(olga.context(), event_id=event, message_id=message, text="Lunch")
    desk.loss_give(
        hedda.context("judge"),
        match_id=match,
        loss_id=loss,
        entrant_id=hall.ea,
        kind="game_loss",
        infraction="PE-MAJOR",
        infraction_kind="late_slip",
    )
    strangers = [make_member(at, "Dora", account=False).person_id for at in (51, 52)]
    of = {"event_id": event, "keep": hall.dora.person_id, "gone": strangers[1]}
    desk.persons_merge(olga.context(), **of)
    desk.event_cancel(olga.context(), event_id=event, note="The hall is flooded.")
    photo = cleaned(picture("JPEG"))
    assert isinstance(photo, Picture)
    ids = {
        "event": event, "match": match, "other": other, "duel": duels[match], "over": duels[other],
        "alice": hall.ea, "bob": hall.eb, "emil": emil, "call": call, "ruling": ruled.ruling_id,
        "waiting": waiting, "dispute": free, "message": message, "loss": loss, "photo": photo,
        "person": alice.person_id, "bobs": bob.person_id, "dora": hall.dora.person_id,
        "seat": hall.seat, "new": new_id(), "line": line, "table": row.table,
        "stranger": strangers[0], "merged": strangers[1],
    }  # fmt: skip
    who = {"olga": olga, "alice": alice, "bob": bob, "jude": jude, "hedda": hedda,
           "dora": hall.dora, "joan": hall.joan}  # fmt: skip
    return Cancelled(hall, who, ids)


Values = dict[str, Any]
E_: Values = {"event_id": "$event"}
M: Values = {"match_id": "$match"}
C: Values = {"call_id": "$call"}
D: Values = {"duel_id": "$duel"}
IN: Values = {**E_, "entrant_id": "$alice"}
OUT: Values = {**E_, "entrant_id": "$emil"}
DISPUTE: Values = {"dispute_id": "$dispute"}
LIST = "1 Pot of Greed"
SIDES: Values = {"into_main": [], "out_of_main": []}
PAIRS: Values = {"pairs": [["$alice", "$bob"]], "note": "by hand"}

Sent = tuple[Any, str, Values]


@dataclass(frozen=True)
class Row:
    """What a command does in a cancelled event, sent by whom with what, after what else; `but`:
    the refusal of its own that it comes to there, having gone on."""

    what: str
    command: Any
    who: str
    values: dict[str, Any]
    after: tuple[Sent, ...] = ()
    but: str = ""


TABLE: dict[str, Row] = {}


def row(
    what: str, command: Any, who: str, *, after: tuple[Sent, ...] = (), but: str = "", **values: Any
) -> None:
    """Put a command into the table."""
    TABLE[command.command_name] = Row(what, command, who, values, after, but)


for one in (desk.clock_pause, desk.clock_resume, desk.registration_open, desk.registration_close,
            desk.event_cancel, desk.decks_lock_all, desk.event_start, desk.round_pair,
            desk.cut_make, desk.cut_undo, desk.event_finish, desk.results_accept):  # fmt: skip
    row(REFUSES, one, "olga", **E_)
for one in (desk.duel_start, desk.coin_toss, desk.end_start, desk.end_back, desk.end_confirm,
            desk.slip_missing_apply, desk.duel_result_take):  # fmt: skip
    row(REFUSES, one, "olga", **M)
for one in (desk.entrant_check_in, desk.entrant_drop, desk.entrant_reinstate, desk.fee_comp,
            desk.paper_receive, desk.paper_return, desk.seat_decline, desk.seat_take,
            desk.offer_accept, desk.offer_decline, desk.waiting_leave):  # fmt: skip
    row(REFUSES, one, "olga", **IN)
row(REFUSES, desk.duel_record_open, "joan", **M)
row(REFUSES, desk.duel_record_take, "joan", **M)
row(REFUSES, desk.clock_start, "olga", **E_, minutes=40)
row(REFUSES, desk.clock_adjust, "olga", **E_, minutes=5)
row(REFUSES, desk.sides_exchange, "alice", **M, **SIDES)
row(REFUSES, desk.ruleset_choose, "olga", **E_, ruleset="eom.double_loss_2025")
row(REFUSES, desk.end_answer, "olga", **M, question="turn", answer="yes")
row(REFUSES, desk.entrant_enrol, "olga", **E_, display_name="Gus")
row(REFUSES, desk.entrant_enrol_self, "jude", **E_)
row(REFUSES, entrant_join, "olga", **E_, display_name="Gus")
row(REFUSES, desk.deck_submit, "olga", **IN, content=LIST)
row(REFUSES, desk.decks_unlock_all, "olga", **E_, reason="again")
row(REFUSES, desk.event_configure, "olga", **E_, changes={"name": "Other"})
row(REFUSES, desk.companion_import, "olga", **E_, content=b"<Tournament/>")
row(REFUSES, desk.fee_pay, "olga", **E_, entrant_id="$bob", method="cash")
row(REFUSES, desk.eligibility_note, "olga", **IN, seen="eligible")
row(REFUSES, desk.notice_accept, "olga", **E_, person_id="$person", version="1")
row(REFUSES, desk.round_from_paper, "olga", **E_, **PAIRS, tables=[1])
row(REFUSES, desk.paper_enter, "olga", **IN, content=LIST)
row(REFUSES, desk.list_confirm, "olga", **IN, number=1)
row(REFUSES, desk.starter_choose, "olga", **M, first="P1")
row(REFUSES, desk.result_claim, "alice", **M, score=[2, 0, 0])
row(REFUSES, desk.result_enter, "olga", **M, score=[2, 0, 0])
row(REFUSES, desk.result_correct, "olga", match_id="$other", score=[1, 1, 1], note="wrong")
row(REFUSES, desk.result_take_back, "olga", match_id="$other")
row(REFUSES, desk.conflict_settle, "olga", match_id="$other")
row(REFUSES, desk.penalty_apply, "hedda", **IN, kind="match_loss")
row(REFUSES, desk.plan_make, "olga", **E_, changes={"tables": 40})
row(REFUSES, desk.plan_entrant, "olga", **IN, values={"club": "Pond"})
row(REFUSES, desk.policy_choose, "olga", **E_, policy="konami-2.3")
row(REFUSES, desk.outage_settle, "olga", **E_, outage_id="$new", given_s=60)
row(REFUSES, desk.outage_reopen, "olga", **E_, outage_id="$new")
row(REFUSES, desk.replay_hand_in, "alice", **M, first="P1", data=b"yrp1")
row(REFUSES, desk.draft_swap, "olga", **E_, one="$alice", two="$bob", note="clubs")
row(REFUSES, desk.draft_by_hand, "olga", **E_, **PAIRS)
row(REFUSES, desk.round_withdraw, "olga", **E_, number=1)
row(REFUSES, desk.round_publish, "olga", **E_, number=1)
row(REFUSES, desk.cut_replace, "olga", **E_, gone="$alice", entrant_id="$bob")
row(REFUSES, desk.door_set, "olga", **E_, changes={"capacity": 40})
row(REFUSES, desk.slip_enter, "olga", **E_, number=1, line="$line")
row(REFUSES, desk.time_extend, "olga", **M, seconds=60)
row(REFUSES, desk.loss_give, "hedda", **M, loss_id="$new", entrant_id="$alice",
    kind="game_loss", infraction="PE-MAJOR", infraction_kind="late_slip")  # fmt: skip
row(REFUSES, desk.loss_take_back, "hedda", **E_, loss_id="$loss", note="wrong")
row(REFUSES, desk.player_miss, "olga", **M, seat="P1")
row(REFUSES, desk.player_arrive, "olga", **M, seat="P1")
row(REFUSES, desk.tardiness_confirm, "olga", **M, seat="P1", kind="game_loss")
row(REFUSES, desk.round_delete, "olga", **E_, number=1, note="wrong")
row(REFUSES, desk.cut_restart, "olga", **E_, note="wrong")
row(REFUSES, desk.event_reopen, "olga", **E_, note="wrong")
# money goes back, people are told, papers are printed, packets are sent
row(GOES_ON, desk.fee_refund, "olga", **IN, method="cash")
row(GOES_ON, desk.message_post, "olga", **E_, message_id="$new", text="Go home safely")
row(GOES_ON, desk.message_withdraw, "olga", **E_, message_id="$message")
row(GOES_ON, desk.paper_choose, "olga", **E_, per_page=2)
row(GOES_ON, desk.packet_close, "olga", **OUT)
row(GOES_ON, rechecks.lists_recheck, "olga", **E_)
row(GOES_ON, desk.offers_settle, "olga", **E_)
row(GOES_ON, desk.persons_merge, "olga", **E_, keep="$dora", gone="$stranger")
row(GOES_ON, desk.merge_undo, "olga", **E_, gone="$merged")
# of the server, of the site, of another event
for one in (desk.outage_notice, desk.event_create, desk.archive_import, desk.pod_create,
            desk.suspensions_import):  # fmt: skip
    row(ELSEWHERE, one, "olga")

row(REFUSES, desk.disqualification_undo, "hedda", **OUT, note="wrong")
row(REFUSES, packets.disqualification_undo, "hedda", **OUT, reason="wrong")
row(REFUSES, deckcheck.tables_pick, "jude", **E_, count=1)
row(REFUSES, deckcheck.cut_pick, "jude", **E_)
row(REFUSES, deckcheck.deck_check_begin, "jude", match_id="$other")
row(REFUSES, disputes.dispute_raise, "dora", dispute_id="$new", duel_id="$over", line=2,
    reason="no")  # fmt: skip
row(REFUSES, disputes.dispute_appeal, "dora", **DISPUTE, reason="no")
row(REFUSES, disputes.dispute_take, "jude", **DISPUTE)
row(REFUSES, disputes.dispute_rule, "jude", **DISPUTE, outcome="stands", note="seen")
row(REFUSES, disputes.dispute_correct, "hedda", **DISPUTE, note="seen")
row(REFUSES, disputes.dispute_window_set, "olga", **E_, minutes=10)
row(REFUSES, floor.table_assign, "jude", **M)
row(REFUSES, listrepair.list_repair, "hedda", **IN, content=LIST, reason="typing error",
    infraction="DE-MINOR")  # fmt: skip
row(REFUSES, packbook.pack_keep, "olga", **E_, content="")
row(REFUSES, packbook.pack_choose, "olga", **E_, ref="konami-tcg@2.2")
row(REFUSES, packbook.pack_confirm, "olga", **E_, paths=["tardiness.game_loss_after_s"])
row(REFUSES, pad.pad_note, "alice", **D, about="mine", how="loses", amount=5, pad_seq=1)
row(REFUSES, pad.pad_agree, "alice", **D, mine=8000, theirs=8000)
row(REFUSES, pad.pad_count, "alice", **D, about="mine", cards=5)
row(REFUSES, pad.pad_turn, "alice", **D, about="mine", turn=1)
row(REFUSES, rewinding.rewind_undo, "hedda", **C, ruling_id="$ruling", reason="wrong")
row(REFUSES, services.call_raise, "alice", call_id="$new", match_id="$match")
row(REFUSES, services.penalty_approve, "hedda", **C, ruling_id="$ruling")
CLOSED: tuple[Sent, ...] = ((services.call_close, "jude", C),)
row(REFUSES, sheet.sheet_start, "jude", **M, call_id="$new", after=CLOSED)
row(REFUSES, sheet.sheet_rule, "jude", **M, call_id="$new", infraction="PE-MINOR",
    seat="P1", after=CLOSED)  # fmt: skip
# what was begun is brought to its end, and what is known of it is kept
W: Values = {"call_id": "$waiting"}
TAKEN: tuple[Sent, ...] = ((services.call_claim, "jude", W), (services.call_arrive, "jude", W))
PHOTO: Values = {"seat": "P1", "photo_id": "$new"}
row(GOES_ON, case.hidden_reveal, "jude", **C, duel_id="$duel", reason="A card too many")
row(GOES_ON, casephotos.case_photo_add, "jude", **C, **PHOTO, picture="$photo")
row(GOES_ON, casephotos.case_photo_erase, "hedda", **C, photo_id="$new",
    after=((casephotos.case_photo_add, "jude", {**C, **PHOTO, "picture": "$photo"}),))  # fmt: skip
row(GOES_ON, deckcheck.deck_count, "jude", **W, seat="P1", section="main", counted={},
    after=TAKEN, but="judging.no_list_there")  # fmt: skip
row(GOES_ON, decktable.sleeves_mark, "jude", **W, seat="P1", places=[1], cards={},
    after=TAKEN, but="judging.no_list_there")  # fmt: skip
row(GOES_ON, decktable.decks_take, "jude", **W, after=TAKEN)
row(GOES_ON, decktable.deck_return, "jude", **W, seat="P1", confirmed_by="player",
    after=(*TAKEN, (decktable.decks_take, "jude", W)))  # fmt: skip
row(GOES_ON, decktable.deck_photo_add, "jude", **W, **PHOTO, picture="$photo", after=TAKEN)
row(GOES_ON, decktable.deck_photo_erase, "hedda", **W, photo_id="$new",
    after=(*TAKEN, (decktable.deck_photo_add, "jude", {**W, **PHOTO, "picture": "$photo"})),
    )  # fmt: skip
BACK: tuple[Sent, ...] = ((disputes.dispute_give_back, "jude", DISPUTE),)
row(GOES_ON, disputes.dispute_give_back, "jude", **DISPUTE)
row(GOES_ON, disputes.dispute_withdraw, "dora", **DISPUTE, after=BACK)
row(GOES_ON, disputes.dispute_leave, "hedda", **DISPUTE, note="x", but="judging.dispute_state")
row(GOES_ON, packets.packet_person_add, "hedda", **OUT, display_name="Fay")
SEEN: tuple[Sent, ...] = ((packets.packet_person_add, "hedda", {**OUT, "person_id": "$dora"}),)
row(GOES_ON, packets.packet_person_leave_out, "hedda", **OUT, person_id="$dora", reason="gone",
    after=SEEN)  # fmt: skip
row(GOES_ON, packets.packet_statement_keep, "hedda", **OUT, person_id="$dora", how="refused",
    after=SEEN)  # fmt: skip
row(GOES_ON, packets.packet_report_keep, "hedda", **OUT, text="Marked cards")
row(GOES_ON, packets.packet_evidence_keep, "hedda", **OUT, kind="none")
row(GOES_ON, packets.packet_sign, "hedda", **OUT, but="judging.packet_incomplete")
row(GOES_ON, packets.packet_send, "olga", **OUT, note="x", but="judging.packet_unsigned")
row(GOES_ON, records.precedent_mark, "hedda", ruling_id="$ruling", mark="leading")
row(GOES_ON, services.call_claim, "jude", **W)
row(GOES_ON, services.call_arrive, "jude", **W, after=TAKEN[:1])
row(GOES_ON, services.call_give_back, "jude", **W, after=TAKEN)
row(GOES_ON, services.call_withdraw, "joan", **W)
row(GOES_ON, services.call_escalate, "jude", **C)
row(GOES_ON, services.ruling_make, "jude", **W, note="Go home", after=TAKEN)
row(GOES_ON, services.penalty_decline, "hedda", **C, ruling_id="$ruling", reason="not shown")
row(GOES_ON, services.ruling_accept, "alice", **C)
row(GOES_ON, services.call_appeal, "bob", **C)
row(GOES_ON, services.appeal_rule, "hedda", **C, outcome="overturned", note="play on",
    after=((services.call_appeal, "bob", C), (services.call_claim, "hedda", C)))  # fmt: skip
LATE: Values = {"infraction": "T-MAJOR", "infraction_kind": "late", "remedy": "loss"}
row(GOES_ON, services.call_close, "jude", **W, after=(*TAKEN,
    (services.ruling_make, "jude", {**W, **LATE, "target_entrant": "$emil"})))  # fmt: skip
row(GOES_ON, sheet.sheet_done, "jude", **M)
row(GOES_ON, sheet.sheet_call_head_judge, "jude", **M, call_id="$new")
row(GOES_ON, sheet.sheet_note, "jude", **M, note="Go home")
row(GOES_ON, sheet.sheet_lp, "jude", **M, about="P1", first=[8000], second=[8000])
row(GOES_ON, sheet.sheet_undo, "jude", **M, command_id="$new", but="judging.undo_unknown")
row(GOES_ON, statements.statements_ask, "hedda", **C, persons=["$person", "$bobs"])
ASKED: tuple[Sent, ...] = (
    (statements.statements_ask, "hedda", {**C, "persons": ["$person", "$bobs"]}),
)
GIVEN: tuple[Sent, ...] = (
    *ASKED,
    (statements.statement_give, "alice", {**C, "text": "He drew two"}),
)
row(GOES_ON, statements.statement_give, "alice", **C, text="He drew two", after=ASKED)
row(GOES_ON, statements.statement_withdraw, "alice", **C, after=GIVEN)
row(GOES_ON, statements.statements_open, "hedda", **C, reason="He went home", after=GIVEN)


def test_every_command_stands_in_the_table() -> None:
    named = re.compile(r'^@command\("([^"]+)"\)', re.MULTILINE)
    files = [one for room in ("tournaments", "judging") for one in (ROOT / room).rglob("*.py")]
    there = {name for one in files for name in named.findall(one.read_text("utf-8"))}
    assert there == set(TABLE)


def test_a_cancelled_event_stays_as_it_is(ended: Cancelled) -> None:
    """Each command is sent to the same event and taken back, so that none stands in the way of
    the next."""
    found, wanted = {}, {}
    for name, one in TABLE.items():
        if one.what == ELSEWHERE:
            continue
        wanted[name] = "stopped" if one.what == REFUSES else one.but
        with transaction.atomic():
            for sent in one.after:
                ended.send(*sent)
            try:
                with transaction.atomic():
                    ended.send(one.command, one.who, one.values)
                found[name] = ""
            except NotAllowed as fault:
                found[name] = f"not allowed: {fault}"
            except Refused as fault:
                refusal = fault.refusal
                stopped = refusal.params.get("found") == "cancelled"
                found[name] = "stopped" if stopped else refusal.code
            transaction.set_rollback(True)
    differ = {name: (found[name], wanted[name]) for name in wanted if found[name] != wanted[name]}
    assert not differ, "\n".join(f"{name}: {one}" for name, one in differ.items())
