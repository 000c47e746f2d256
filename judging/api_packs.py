"""REST API of policy packs: what an event goes by, own versions, confirmations."""

from __future__ import annotations

from typing import NotRequired, TypedDict
from uuid import UUID

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from judging import packbook
from judging.domain.pack_toml import MAX_BYTES
from judging.packbook import Kept
from people.rest import Body, DoneId, DoneNumber, Endpoint, answer, context, given, operation
from people.web import actor_of

REF = 40


class MarkLine(TypedDict):
    """A value to confirm: its path, whether it is open, and who confirmed it when."""

    path: str
    open: bool
    by: NotRequired[str]
    at: NotRequired[str]


class OfferedPack(TypedDict):
    """A pack that an event can go by."""

    ref: str
    title: str
    marks: int


class PackFull(TypedDict):
    """The pack of an event as TOML, with its marks. `frozen`: an event that had a call keeps it."""

    ref: str
    frozen: bool
    content: str
    marks: list[MarkLine]
    offered: list[OfferedPack]


class ChooseBody(Body):
    """`id@version` of a shipped pack or of an own one of the event."""

    ref = serializers.CharField(max_length=REF)


class ConfirmBody(Body):
    """Paths of marked values, such as `tardiness.game_loss_after_s`."""

    paths = serializers.ListField(child=serializers.CharField(max_length=100), max_length=100)


class KeepBody(Body):
    """A whole pack as TOML. `use`: the event goes by it too."""

    content = serializers.CharField(max_length=MAX_BYTES, trim_whitespace=False)
    based_on = serializers.CharField(max_length=REF, required=False, allow_blank=True)
    use = serializers.BooleanField(default=False)


class PackRead(Endpoint):
    """The policy pack of an event."""

    guard_action = "judging.pack_read"

    @operation("judging_pack_read", answers=PackFull)
    def get(self, request: Request, event_id: UUID) -> Response:
        """Answer the pack with every value, the marks, and what else can be chosen."""
        viewer = actor_of(request)
        view = packbook.policy_view(viewer, str(event_id))
        marks: list[MarkLine] = [
            {"path": one.path, "open": True}
            if one.open
            else {"path": one.path, "open": False, "by": one.by_name, "at": one.at}
            for one in view.marks
        ]
        return Response(
            {
                "ref": view.pack.ref,
                "frozen": view.frozen,
                "content": packbook.pack_content(viewer, str(event_id), view.pack.ref),
                "marks": marks,
                "offered": [
                    {"ref": one.ref, "title": one.title["en"], "marks": len(one.confirm)}
                    for one in view.offered
                ],
            }
        )


class PackChoose(Endpoint):
    """The choice of a pack."""

    guard_action = "judging.pack_manage"

    @operation("judging_pack_choose", answers=DoneId, body=ChooseBody)
    def post(self, request: Request, event_id: UUID) -> Response:
        """Choose the pack that the event goes by, before its first call; answer it."""
        body = given(ChooseBody, request)
        sent = context(request, "organiser")
        return answer(packbook.pack_choose(sent, event_id=str(event_id), **body))


class PackKeep(Endpoint):
    """Own versions of a pack."""

    guard_action = "judging.pack_manage"

    @operation("judging_pack_keep", answers=Kept, body=KeepBody)
    def post(self, request: Request, event_id: UUID) -> Response:
        """Keep the next own version of the event; every fault of the file is answered at once."""
        body = given(KeepBody, request)
        sent = context(request, "organiser")
        return answer(packbook.pack_keep(sent, event_id=str(event_id), **body))


class PackConfirm(Endpoint):
    """Confirmation of marked values."""

    guard_action = "judging.pack_manage"

    @operation("judging_pack_confirm", answers=DoneNumber, body=ConfirmBody)
    def post(self, request: Request, event_id: UUID) -> Response:
        """Confirm marked values; answer how many are open still."""
        body = given(ConfirmBody, request)
        sent = context(request, "organiser")
        return answer(packbook.pack_confirm(sent, event_id=str(event_id), **body))
