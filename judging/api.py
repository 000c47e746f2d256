"""REST API of judging: the call from the table to its ruling.

Reads answer what the viewer may know, and like nothing at all to everybody else. A command is a
POST; the header `Idempotency-Key` (a UUID) is its command id, so that a repeated tap has one
effect.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any, ClassVar, NotRequired, TypedDict
from uuid import UUID

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from decks.domain.limits import MAX_BYTES
from decks.services import MAX_REASON
from eventstore.domain import canonical
from judging import floor as floors
from judging import selectors, services
from judging.listrepair import Repaired, list_repair
from judging.packbook import open_paths
from judging.packs import pack
from judging.selectors import CallView, QueueItem, RulingView, Step
from judging.services import MAX_CITES, MAX_TEXT
from judging.wording import infraction_label, ruling_text, slip_line
from people.rest import (
    Body,
    DoneId,
    Endpoint,
    PageQuery,
    answer,
    context,
    given,
    only,
    operation,
    page,
)
from people.web import actor_of


class Words(serializers.CharField):
    """Free text, brought to the one form in which text is stored."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            **{"required": False, "allow_blank": True, "max_length": MAX_TEXT} | options
        )

    def to_internal_value(self, data: Any) -> str:
        """Bring the text to NFC."""
        return canonical.text(super().to_internal_value(data))


class Code(serializers.CharField):
    """A code word that may be left out."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"required": False, "allow_null": True, "max_length": 40} | options)

    def to_internal_value(self, data: Any) -> str:
        """Bring the text to NFC: a strange code is refused by name, not by its bytes."""
        return canonical.text(super().to_internal_value(data))


class RepairBody(Body):
    """A repaired list as .ydk, ydke or text, the reason, and the ruling it belongs to or the
    infraction of a new one. `call_id` names the call of a new ruling."""

    content = serializers.CharField(max_length=MAX_BYTES, trim_whitespace=False)
    reason = Words(max_length=MAX_REASON, required=True, allow_blank=False)
    infraction = Code()
    infraction_kind = Code()
    ruling_id = serializers.UUIDField(required=False, allow_null=True)
    call_id = serializers.UUIDField(required=False, allow_null=True)


class ListRepair(Endpoint):
    """A judge puts a list right."""

    guard_action = "decks.list_repair"

    @operation("judging_list_repair", answers=Repaired, body=RepairBody)
    def post(self, request: Request, event_id: UUID, entrant: UUID) -> Response:
        """Make the list the next version, whatever its lock; answer version and ruling."""
        made = list_repair(
            context(request, "judge"),
            event_id=str(event_id),
            entrant_id=str(entrant),
            **given(RepairBody, request),
        )
        return answer(made)


class RaiseBody(Body):
    """A call for a judge. `call_id` is made by the caller; without it the command id is used."""

    match_id = serializers.UUIDField()
    call_id = serializers.UUIDField(required=False)
    kind = serializers.CharField(max_length=20, default="ruling")
    category = serializers.CharField(max_length=20, default="rules")
    head_judge_wanted = serializers.BooleanField(default=False)


class EmptyBody(Body):
    """Nothing to say beside the address."""


class ArriveBody(Body):
    """Seconds left on the clock of the table, left out when there is no clock."""

    time_left_s = serializers.IntegerField(required=False, allow_null=True)


class NoteBody(Body):
    """A note."""

    note = Words()


class ReasonBody(Body):
    """A reason."""

    reason = Words()


class SeatBody(Body):
    """P1 or P2, named by staff; a player has the own seat."""

    seat = Code(max_length=2)


class AppealBody(SeatBody):
    """Who appeals, and why."""

    reason = Words()


class RulingBody(Body):
    """A ruling: codes and parameters. What is left out, the pack or the match decides."""

    ruling_id = serializers.UUIDField(required=False)
    rule_id = Code()
    infraction = Code()
    infraction_kind = Code()
    penalty = Code()
    target = Code()
    target_entrant = Code()
    remedy = serializers.CharField(max_length=20, default="play_on")
    duel_id = Code()
    rewind_to = serializers.IntegerField(
        required=False, allow_null=True, min_value=0, max_value=2**31 - 1
    )
    checklist = serializers.DictField(
        child=serializers.BooleanField(),
        required=False,
        allow_null=True,
        help_text="a rewind without a full log: told_apart, no_chance, nothing_learned, "
        "nothing_decided, each true for yes",
    )
    self_reported = serializers.BooleanField(default=False)
    cites = serializers.ListField(
        child=serializers.CharField(max_length=36), required=False, max_length=MAX_CITES
    )
    note = Words()
    facts_agreed = Words()
    facts_disputed = Words()


class AppealRulingBody(RulingBody):
    """What becomes of the ruling under appeal; the ruling in its place unless it is upheld."""

    outcome = serializers.CharField(max_length=12)


class CloseBody(ReasonBody):
    """An extension set by hand (seconds) needs a reason. `real_s`: how long a call took that was
    left open, in seconds."""

    extension_s = serializers.IntegerField(required=False, allow_null=True)
    real_s = serializers.IntegerField(required=False, allow_null=True)


class RulingFull(TypedDict):
    """A ruling as codes, with its sentence and the line of its slip in the language of the
    request. The texts are for judges."""

    ruling_id: str
    call_id: str
    match_id: str
    round: int
    table: NotRequired[int]
    by: str
    by_name: str
    at: str
    final: bool
    rule_id: str
    infraction: str
    infraction_kind: str
    remedy: str
    penalty: str
    target: str
    target_entrant: str
    target_name: str
    duel_id: str
    rewind_to: NotRequired[int]
    approval: str
    in_force: bool
    outcome: str
    pack: str
    pack_version: str
    pack_confirmed: bool
    cites: list[str]
    self_reported: bool
    note: NotRequired[str]
    facts_agreed: NotRequired[str]
    facts_disputed: NotRequired[str]
    text: str
    slip: str


class CallFull(TypedDict):
    """A call as the caller of the API may see it; `steps` are for judges."""

    call_id: str
    event_id: str
    match_id: str
    round: int
    table: int | None
    state: str
    kind: str
    category: str
    languages: list[str]
    entrants: list[str]
    players: list[list[str]]
    raised_by: str
    raised_by_name: str
    raised_at: str
    claimed_by: str
    claimed_by_name: str
    claimed_at: str
    arrived_at: str
    ruled_at: str
    appealed_at: str
    closed_at: str
    table_end: str
    accepted: list[str]
    merged_into: str
    took_s: int
    computed_s: int
    extension_s: int
    extension_why: str
    seat: str | None
    pack: str
    pack_version: str
    rulings: list[RulingFull]
    staff: bool
    steps: NotRequired[list[Step]]


class InfractionLine(TypedDict):
    """An infraction of a policy pack: its penalty to begin with, its kinds and remedies."""

    code: str
    label: str
    base: str
    kinds: list[str]
    remedies: list[str]
    needs_approval: bool


class PolicyFull(TypedDict):
    """A policy pack. `confirm` names what a person has still to confirm before it is official."""

    pack: str
    version: str
    confirmed: bool
    confirm: list[str]
    ladder: list[str]
    infractions: list[InfractionLine]


class MyCallsQuery(PageQuery):
    """Which of one's own calls."""

    event = serializers.UUIDField(required=False)
    state = serializers.CharField(max_length=20, required=False)


class QueueQuery(PageQuery):
    """Which calls of the queue."""

    state = serializers.CharField(max_length=20, required=False)
    kind = serializers.CharField(max_length=20, required=False)
    head_judge_wanted = serializers.BooleanField(required=False, allow_null=True, default=None)


class RulingsQuery(PageQuery):
    """Which rulings."""

    infraction = serializers.CharField(max_length=40, required=False)
    penalty = serializers.CharField(max_length=40, required=False)
    approval = serializers.CharField(max_length=20, required=False)
    round = serializers.IntegerField(min_value=1, max_value=9999, required=False)
    target_entrant = serializers.UUIDField(required=False)


def ruling_json(ruling: RulingView) -> dict[str, Any]:
    """A ruling as codes, with its sentence in the reader's language. Texts that the viewer may
    not read are left out."""
    used = pack(ruling.pack, ruling.pack_version)
    body = {key: value for key, value in asdict(ruling).items() if value is not None}
    return body | {"text": ruling_text(ruling, used), "slip": slip_line(ruling, used)}


def call_json(call: CallView) -> dict[str, Any]:
    """A call with its rulings; the steps are for judges only."""
    body = asdict(call)
    body["rulings"] = [ruling_json(one) for one in call.rulings]
    if not call.staff:
        del body["steps"]
    return body


class Calls(Endpoint):
    """Calling a judge."""

    guard_action = "judging.call_raise"

    @operation("judging_call_raise", answers=services.Raised, body=RaiseBody, status=201)
    def post(self, request: Request) -> Response:
        """Raise a call; answers the open call of the table and whether this one joined it."""
        body, sent = given(RaiseBody, request), context(request)
        call_id = body.pop("call_id", None) or sent.command_id
        return answer(services.call_raise(sent, call_id=call_id, **body), 201)


class MyCalls(Endpoint):
    """The calls of one's own tables."""

    guard_action = "judging.call_read"

    @operation("judging_calls_mine", answers=CallFull, query=MyCallsQuery, pages=True)
    def get(self, request: Request) -> Response:
        """Answer the calls of the viewer's tables, newest first."""
        calls = selectors.my_calls(actor_of(request), self.asked.get("event"))
        return page(self, request, only(calls, self.asked, "state"), call_json)


class Queue(Endpoint):
    """The queue of an event."""

    guard_action = "judging.queue_read"

    @operation("judging_queue", answers=QueueItem, query=QueueQuery, pages=True)
    def get(self, request: Request, event_id: UUID) -> Response:
        """Answer the calls that need somebody, oldest first."""
        items = selectors.queue(actor_of(request), str(event_id))
        kept = only(items, self.asked, "state", "kind", "head_judge_wanted")
        return page(self, request, kept, asdict)


class Rulings(Endpoint):
    """The rulings of an event, for its judges."""

    guard_action = "judging.queue_read"

    @operation("judging_rulings", answers=RulingFull, query=RulingsQuery, pages=True)
    def get(self, request: Request, event_id: UUID) -> Response:
        """Answer the rulings, newest first."""
        found = selectors.rulings(actor_of(request), str(event_id))
        names = ("infraction", "penalty", "approval", "round", "target_entrant")
        return page(self, request, only(found, self.asked, *names), ruling_json)


class Policy(Endpoint):
    """The policy pack of an event, for the form of a ruling."""

    guard_action = "judging.queue_read"

    @operation("judging_policy", answers=PolicyFull)
    def get(self, request: Request, event_id: UUID) -> Response:
        """Answer the pack: ladder, infractions with their labels, and what is to be confirmed."""
        used = selectors.policy(actor_of(request), str(event_id))
        open_marks = open_paths(str(event_id), used)
        return Response(
            {
                "pack": used.pack,
                "version": used.version,
                "confirmed": not open_marks,
                "confirm": [path for path in used.confirm if path in open_marks],
                "ladder": [rung.value for rung in used.ladder],
                "infractions": [
                    {
                        "code": one.code,
                        "label": infraction_label(used, one.code),
                        "base": one.base.value,
                        "kinds": list(one.kinds),
                        "remedies": [remedy.value for remedy in one.remedies],
                        "needs_approval": used.needs_approval(one.base, one.code),
                    }
                    for one in used.infractions.values()
                ],
            }
        )


class CallDetail(Endpoint):
    """One call."""

    guard_action = "judging.call_read"

    @operation("judging_call_read", answers=CallFull)
    def get(self, request: Request, call_id: UUID) -> Response:
        """Answer the call as the viewer may see it."""
        return Response(call_json(selectors.call_detail(actor_of(request), str(call_id))))


class CallCommand(Endpoint):
    """Base of the commands on one call: a body, a service."""

    body: ClassVar[type[Body]] = EmptyBody
    service: ClassVar[Callable[..., Any]]

    def run(self, request: Request, **address: UUID) -> Response:
        """Check the body, run the service, answer its result."""
        values = given(self.body, request)
        ids = {name: str(value) for name, value in address.items()}
        return answer(type(self).service(context(request), **ids, **values))


class CallClaim(CallCommand):
    """Taking a call."""

    guard_action = "judging.call_take"
    service = staticmethod(services.call_claim)

    @operation("judging_call_claim", answers=services.CallState)
    def post(self, request: Request, call_id: UUID) -> Response:
        """Claim the call; the second judge is told who was first."""
        return self.run(request, call_id=call_id)


class CallArrive(CallCommand):
    """Standing at the table."""

    guard_action = "judging.call_take"
    body = ArriveBody
    service = staticmethod(services.call_arrive)

    @operation("judging_call_arrive", answers=services.CallState, body=ArriveBody)
    def post(self, request: Request, call_id: UUID) -> Response:
        """Say that the judge is at the table."""
        return self.run(request, call_id=call_id)


class CallGiveBack(CallCommand):
    """Giving a claim back."""

    guard_action = "judging.call_take"
    service = staticmethod(services.call_give_back)

    @operation("judging_call_give_back", answers=services.CallState)
    def post(self, request: Request, call_id: UUID) -> Response:
        """Give the call back to its queue."""
        return self.run(request, call_id=call_id)


class CallEscalate(CallCommand):
    """Handing a call to the head judge."""

    guard_action = "judging.call_take"
    body = NoteBody
    service = staticmethod(services.call_escalate)

    @operation("judging_call_escalate", answers=services.CallState, body=NoteBody)
    def post(self, request: Request, call_id: UUID) -> Response:
        """Hand the call to the head judge."""
        return self.run(request, call_id=call_id)


class CallWithdraw(CallCommand):
    """Taking one's own call back."""

    guard_action = "judging.call_raise"
    service = staticmethod(services.call_withdraw)

    @operation("judging_call_withdraw", answers=services.CallState)
    def post(self, request: Request, call_id: UUID) -> Response:
        """Withdraw the call."""
        return self.run(request, call_id=call_id)


class CallRule(CallCommand):
    """Ruling on a call."""

    guard_action = "judging.ruling_make"
    body = RulingBody
    service = staticmethod(services.ruling_make)

    @operation("judging_ruling_make", answers=services.Ruled, body=RulingBody)
    def post(self, request: Request, call_id: UUID) -> Response:
        """Rule; a penalty that waits for the head judge comes back as pending."""
        return self.run(request, call_id=call_id)


class PenaltyApprove(CallCommand):
    """Approving a pending penalty."""

    guard_action = "judging.penalty_approve"
    service = staticmethod(services.penalty_approve)

    @operation("judging_penalty_approve", answers=services.Ruled)
    def post(self, request: Request, call_id: UUID, ruling_id: UUID) -> Response:
        """Approve the penalty; it is in force at once."""
        return self.run(request, call_id=call_id, ruling_id=ruling_id)


class PenaltyDecline(CallCommand):
    """Declining a pending penalty."""

    guard_action = "judging.penalty_approve"
    body = ReasonBody
    service = staticmethod(services.penalty_decline)

    @operation("judging_penalty_decline", answers=services.Ruled, body=ReasonBody)
    def post(self, request: Request, call_id: UUID, ruling_id: UUID) -> Response:
        """Decline the penalty."""
        return self.run(request, call_id=call_id, ruling_id=ruling_id)


class RulingAccept(CallCommand):
    """Accepting a ruling."""

    guard_action = "judging.call_raise"
    body = SeatBody
    service = staticmethod(services.ruling_accept)

    @operation("judging_ruling_accept", answers=services.CallState, body=SeatBody)
    def post(self, request: Request, call_id: UUID) -> Response:
        """Accept the ruling; with both sides the call closes."""
        return self.run(request, call_id=call_id)


class CallAppeal(CallCommand):
    """Appealing to the head judge."""

    guard_action = "judging.call_raise"
    body = AppealBody
    service = staticmethod(services.call_appeal)

    @operation("judging_call_appeal", answers=services.CallState, body=AppealBody)
    def post(self, request: Request, call_id: UUID) -> Response:
        """Appeal against the ruling."""
        return self.run(request, call_id=call_id)


class AppealRule(CallCommand):
    """Deciding an appeal."""

    guard_action = "judging.ruling_make"
    body = AppealRulingBody
    service = staticmethod(services.appeal_rule)

    @operation("judging_appeal_rule", answers=services.Ruled, body=AppealRulingBody)
    def post(self, request: Request, call_id: UUID) -> Response:
        """Uphold, modify or overturn; final."""
        return self.run(request, call_id=call_id)


class CallClose(CallCommand):
    """Closing a call."""

    guard_action = "judging.ruling_make"
    body = CloseBody
    service = staticmethod(services.call_close)

    @operation("judging_call_close", answers=services.CallState, body=CloseBody)
    def post(self, request: Request, call_id: UUID) -> Response:
        """Close the call; answers the extension of the table."""
        return self.run(request, call_id=call_id)


class FloorTable(TypedDict):
    """An open table. `state` call, due, ending, over, playing or missing; `end` is its own end
    (UTC text, empty while the clock is paused or a round has none), `left_s` null without a
    clock; `judge` a person id, empty for nobody; `forgotten`: its call asks for its real length."""

    match_id: str
    table: int
    players: list[str]
    state: str
    end: str
    left_s: int | None
    extension_s: int
    judge: str
    judge_name: str
    call_id: str
    call_since: str
    forgotten: bool
    ruleset: str


class FloorEstimate(TypedDict):
    """When the next round can be paired: an estimate from the last end and the seconds a slip
    usually takes here, counted from `samples` slips (0: a first guess)."""

    at: str
    usual_s: int
    samples: int


class FloorFull(TypedDict):
    """The open tables of the newest round, by their own ends."""

    round: int
    tables: list[FloorTable]
    estimate: FloorEstimate | None
    late_after_s: int


class FloorRead(Endpoint):
    """The floor."""

    guard_action = "judging.floor_read"

    @operation("floor_read", answers=FloorFull)
    def get(self, request: Request, event_id: UUID) -> Response:
        """Answer the open tables with their ends and judges, and the estimate."""
        view = floors.floor_of(actor_of(request), str(event_id))
        estimate = view.estimate
        return Response(
            {
                "round": view.number,
                "tables": [
                    {
                        "match_id": one.line.match_id,
                        "table": one.line.table,
                        "players": [one.line.p1.name, one.line.p2.name],
                        "state": one.state,
                        "end": one.end,
                        "left_s": one.time.left_s if one.time is not None else None,
                        "extension_s": one.line.extension_s,
                        "judge": one.judge,
                        "judge_name": one.judge_name,
                        "call_id": one.call_id,
                        "call_since": one.call_since,
                        "forgotten": one.forgotten,
                        "ruleset": one.ruleset,
                    }
                    for one in view.tables
                ],
                "estimate": None
                if estimate is None
                else {
                    "at": estimate.at,
                    "usual_s": estimate.usual_s,
                    "samples": estimate.samples,
                },
                "late_after_s": view.late_after_s,
            }
        )


class JudgeBody(Body):
    """`judge` left out: oneself; empty: nobody; a person id: that judge, by desk or head judge."""

    judge = serializers.CharField(max_length=36, required=False, allow_blank=True)


class TableJudge(Endpoint):
    """The judge of a table."""

    guard_action = "judging.table_take"

    @operation("matches_judge", answers=DoneId, body=JudgeBody)
    def post(self, request: Request, match_id: UUID) -> Response:
        """Take the table, give it back or assign it; answer who has it now."""
        values = given(JudgeBody, request)
        return answer(floors.table_assign(context(request), match_id=str(match_id), **values))
