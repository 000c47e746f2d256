"""REST API of rewinds: the sheets that were signed at a table, and the way back. What a rewind
would undo is answered by `duels/<id>/rewind-plan` and `duels/<id>/repairable`; it is signed by a
ruling."""

from __future__ import annotations

from dataclasses import asdict
from uuid import UUID

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from judging import rewinding
from judging.api import Words
from judging.rewinding import Sheet
from people.rest import Body, DoneNumber, Endpoint, answer, context, given, operation, page
from people.web import actor_of


class RewindUndoBody(Body):
    """Which rewind is undone, named by its ruling, and why."""

    ruling_id = serializers.UUIDField()
    reason = Words(required=True, allow_blank=False)


class Rewinds(Endpoint):
    """Rewinds at the table of a call."""

    guard_action = "judging.rewind_plan"

    @operation("judging_rewinds", answers=Sheet, pages=True)
    def get(self, request: Request, call_id: UUID) -> Response:
        """Answer every rewind that was ordered there, with its lots, oldest first."""
        return page(self, request, rewinding.sheets(actor_of(request), str(call_id)), asdict)


class RewindUndo(Endpoint):
    """Undoing a rewind."""

    guard_action = "judging.rewind_order"

    @operation("judging_rewind_undo", answers=DoneNumber, body=RewindUndoBody)
    def post(self, request: Request, call_id: UUID) -> Response:
        """Take the newest rewind back; answer the line of the duel's log that says so."""
        values = given(RewindUndoBody, request)
        return answer(rewinding.rewind_undo(context(request), call_id=str(call_id), **values))
