"""REST API of judging: the call from the table to its ruling.

Reads answer what the viewer may know, and like nothing at all to everybody else. A command is a
POST; the header `Idempotency-Key` (a UUID) is its command id, so that a repeated tap has one
effect.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any, ClassVar, cast
from uuid import UUID

import msgspec
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.pagination import PageNumberPagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.settings import api_settings
from rest_framework.views import APIView

from eventstore.commands import Context
from eventstore.domain import canonical
from eventstore.ids import is_id
from judging import selectors, services
from judging.packs import pack
from judging.selectors import CallView, RulingView
from judging.services import MAX_CITES, MAX_TEXT
from judging.wording import infraction_label, ruling_text, slip_line
from people.web import actor_of, command_context

ANY_JSON = OpenApiTypes.OBJECT
Body = serializers.Serializer[Any]
SOURCES = {
    "head_judge": "judge",
    "judge": "judge",
    "deck_checker": "judge",
    "scorekeeper": "scorekeeper",
    "organiser": "organiser",
    "site_organiser": "organiser",
}


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
    """An extension set by hand (seconds) needs a reason."""

    extension_s = serializers.IntegerField(required=False, allow_null=True)


def _context(request: Request) -> Context:
    given = request.headers.get("Idempotency-Key")
    if given is not None and not is_id(given):
        raise serializers.ValidationError({"Idempotency-Key": "a UUID in lower case"})
    return command_context(request, SOURCES.get(actor_of(request).role, "player"))


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, UUID) else value


def _given(shape: type[Body], request: Request) -> dict[str, Any]:
    body = shape(data=request.data)
    body.is_valid(raise_exception=True)
    return {key: _plain(value) for key, value in body.validated_data.items()}


def _answer(result: Any, status: int = 200) -> Response:
    return Response(msgspec.to_builtins(result), status=status)


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


def _page(view: APIView, request: Request, items: list[dict[str, Any]]) -> Response:
    pages: PageNumberPagination = cast(Any, api_settings.DEFAULT_PAGINATION_CLASS)()
    page: list[Any] = pages.paginate_queryset(cast(Any, items), request, view=view) or []
    return pages.get_paginated_response(page)


class Calls(APIView):
    """Calling a judge."""

    guard_action = "judging.call_raise"

    @extend_schema(operation_id="judging_call_raise", request=RaiseBody, responses=ANY_JSON)
    def post(self, request: Request) -> Response:
        """Raise a call; answers the open call of the table and whether this one joined it."""
        given = _given(RaiseBody, request)
        context = _context(request)
        call_id = given.pop("call_id", None) or context.command_id
        return _answer(services.call_raise(context, call_id=call_id, **given), 201)


class MyCalls(APIView):
    """The calls of one's own tables."""

    guard_action = "judging.call_read"

    @extend_schema(operation_id="judging_calls_mine", responses=ANY_JSON)
    def get(self, request: Request) -> Response:
        """Answer the calls of the viewer's tables, newest first."""
        calls = selectors.my_calls(actor_of(request))
        return _page(self, request, [call_json(one) for one in calls])


class Queue(APIView):
    """The queue of an event."""

    guard_action = "judging.queue_read"

    @extend_schema(operation_id="judging_queue", responses=ANY_JSON)
    def get(self, request: Request, event_id: UUID) -> Response:
        """Answer the calls that need somebody, oldest first."""
        items = selectors.queue(actor_of(request), str(event_id))
        return _page(self, request, [asdict(one) for one in items])


class Rulings(APIView):
    """The rulings of an event, for its judges."""

    guard_action = "judging.queue_read"

    @extend_schema(operation_id="judging_rulings", responses=ANY_JSON)
    def get(self, request: Request, event_id: UUID) -> Response:
        """Answer the rulings, newest first."""
        found = selectors.rulings(actor_of(request), str(event_id))
        return _page(self, request, [ruling_json(one) for one in found])


class Policy(APIView):
    """The policy pack of an event, for the form of a ruling."""

    guard_action = "judging.queue_read"

    @extend_schema(operation_id="judging_policy", responses=ANY_JSON)
    def get(self, request: Request, event_id: UUID) -> Response:
        """Answer the pack: ladder, infractions with their labels, and what is to be confirmed."""
        used = selectors.policy(actor_of(request), str(event_id))
        return Response(
            {
                "pack": used.pack,
                "version": used.version,
                "confirmed": used.confirmed_by is not None,
                "confirm": list(used.confirm),
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


class CallDetail(APIView):
    """One call."""

    guard_action = "judging.call_read"

    @extend_schema(operation_id="judging_call_read", responses=ANY_JSON)
    def get(self, request: Request, call_id: UUID) -> Response:
        """Answer the call as the viewer may see it."""
        return Response(call_json(selectors.call_detail(actor_of(request), str(call_id))))


class CallCommand(APIView):
    """Base of the commands on one call: a body, a service."""

    body: ClassVar[type[Body]] = EmptyBody
    service: ClassVar[Callable[..., Any]]

    def run(self, request: Request, **address: UUID) -> Response:
        """Check the body, run the service, answer its result."""
        given = _given(self.body, request)
        ids = {name: str(value) for name, value in address.items()}
        return _answer(type(self).service(_context(request), **ids, **given))


class CallClaim(CallCommand):
    """Taking a call."""

    guard_action = "judging.call_take"
    service = staticmethod(services.call_claim)

    @extend_schema(operation_id="judging_call_claim", request=EmptyBody, responses=ANY_JSON)
    def post(self, request: Request, call_id: UUID) -> Response:
        """Claim the call; the second judge is told who was first."""
        return self.run(request, call_id=call_id)


class CallArrive(CallCommand):
    """Standing at the table."""

    guard_action = "judging.call_take"
    body = ArriveBody
    service = staticmethod(services.call_arrive)

    @extend_schema(operation_id="judging_call_arrive", request=ArriveBody, responses=ANY_JSON)
    def post(self, request: Request, call_id: UUID) -> Response:
        """Say that the judge is at the table."""
        return self.run(request, call_id=call_id)


class CallGiveBack(CallCommand):
    """Giving a claim back."""

    guard_action = "judging.call_take"
    service = staticmethod(services.call_give_back)

    @extend_schema(operation_id="judging_call_give_back", request=EmptyBody, responses=ANY_JSON)
    def post(self, request: Request, call_id: UUID) -> Response:
        """Give the call back to its queue."""
        return self.run(request, call_id=call_id)


class CallEscalate(CallCommand):
    """Handing a call to the head judge."""

    guard_action = "judging.call_take"
    body = NoteBody
    service = staticmethod(services.call_escalate)

    @extend_schema(operation_id="judging_call_escalate", request=NoteBody, responses=ANY_JSON)
    def post(self, request: Request, call_id: UUID) -> Response:
        """Hand the call to the head judge."""
        return self.run(request, call_id=call_id)


class CallWithdraw(CallCommand):
    """Taking one's own call back."""

    guard_action = "judging.call_raise"
    service = staticmethod(services.call_withdraw)

    @extend_schema(operation_id="judging_call_withdraw", request=EmptyBody, responses=ANY_JSON)
    def post(self, request: Request, call_id: UUID) -> Response:
        """Withdraw the call."""
        return self.run(request, call_id=call_id)


class CallRule(CallCommand):
    """Ruling on a call."""

    guard_action = "judging.ruling_make"
    body = RulingBody
    service = staticmethod(services.ruling_make)

    @extend_schema(operation_id="judging_ruling_make", request=RulingBody, responses=ANY_JSON)
    def post(self, request: Request, call_id: UUID) -> Response:
        """Rule; a penalty that waits for the head judge comes back as pending."""
        return self.run(request, call_id=call_id)


class PenaltyApprove(CallCommand):
    """Approving a pending penalty."""

    guard_action = "judging.penalty_approve"
    service = staticmethod(services.penalty_approve)

    @extend_schema(operation_id="judging_penalty_approve", request=EmptyBody, responses=ANY_JSON)
    def post(self, request: Request, call_id: UUID, ruling_id: UUID) -> Response:
        """Approve the penalty; it is in force at once."""
        return self.run(request, call_id=call_id, ruling_id=ruling_id)


class PenaltyDecline(CallCommand):
    """Declining a pending penalty."""

    guard_action = "judging.penalty_approve"
    body = ReasonBody
    service = staticmethod(services.penalty_decline)

    @extend_schema(operation_id="judging_penalty_decline", request=ReasonBody, responses=ANY_JSON)
    def post(self, request: Request, call_id: UUID, ruling_id: UUID) -> Response:
        """Decline the penalty."""
        return self.run(request, call_id=call_id, ruling_id=ruling_id)


class RulingAccept(CallCommand):
    """Accepting a ruling."""

    guard_action = "judging.call_raise"
    body = SeatBody
    service = staticmethod(services.ruling_accept)

    @extend_schema(operation_id="judging_ruling_accept", request=SeatBody, responses=ANY_JSON)
    def post(self, request: Request, call_id: UUID) -> Response:
        """Accept the ruling; with both sides the call closes."""
        return self.run(request, call_id=call_id)


class CallAppeal(CallCommand):
    """Appealing to the head judge."""

    guard_action = "judging.call_raise"
    body = AppealBody
    service = staticmethod(services.call_appeal)

    @extend_schema(operation_id="judging_call_appeal", request=AppealBody, responses=ANY_JSON)
    def post(self, request: Request, call_id: UUID) -> Response:
        """Appeal against the ruling."""
        return self.run(request, call_id=call_id)


class AppealRule(CallCommand):
    """Deciding an appeal."""

    guard_action = "judging.ruling_make"
    body = AppealRulingBody
    service = staticmethod(services.appeal_rule)

    @extend_schema(operation_id="judging_appeal_rule", request=AppealRulingBody, responses=ANY_JSON)
    def post(self, request: Request, call_id: UUID) -> Response:
        """Uphold, modify or overturn; final."""
        return self.run(request, call_id=call_id)


class CallClose(CallCommand):
    """Closing a call."""

    guard_action = "judging.ruling_make"
    body = CloseBody
    service = staticmethod(services.call_close)

    @extend_schema(operation_id="judging_call_close", request=CloseBody, responses=ANY_JSON)
    def post(self, request: Request, call_id: UUID) -> Response:
        """Close the call; answers the extension of the table."""
        return self.run(request, call_id=call_id)
