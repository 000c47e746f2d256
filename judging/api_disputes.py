"""REST API of replay disputes: raise, review, settle. What a correction would move is answered by
`events/<id>/undo?act=result`."""

from __future__ import annotations

from dataclasses import asdict
from uuid import UUID

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from judging import dispute_reads as reads
from judging import disputes
from judging.api import CallCommand, Code, Words
from judging.dispute_reads import DisputeView
from judging.disputes import DisputeState
from people.rest import (
    Body,
    DoneNumber,
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
from tournaments.domain.results import REASONS


class DisputeBody(Body):
    """A line of a duel that is over, and what is wrong with it. `dispute_id` is made by the caller;
    without it the command id is used."""

    duel_id = serializers.UUIDField()
    line = serializers.IntegerField(min_value=1, max_value=10**6)
    reason = Words(required=True, allow_blank=False)
    dispute_id = serializers.UUIDField(required=False)


class ReviewBody(Body):
    """How the review ends: stands, no_effect, or result with the result that has to stand."""

    outcome = serializers.CharField(max_length=12)
    rule_id = Code()
    note = Words(required=True, allow_blank=False)
    score = serializers.ListField(
        child=serializers.IntegerField(min_value=0, max_value=99),
        required=False,
        allow_null=True,
        min_length=3,
        max_length=3,
    )
    reason = serializers.ChoiceField(list(REASONS), default="played")
    winner = Code(max_length=12)


class ReviewAppealBody(Body):
    """Why the review is wrong."""

    reason = Words(required=True, allow_blank=False)


class SettleBody(Body):
    """Why the result is corrected, or left."""

    note = Words(required=True, allow_blank=False)


class WindowBody(Body):
    """Minutes after the result of a match."""

    minutes = serializers.IntegerField(min_value=0, max_value=10**6)


class DisputesQuery(PageQuery):
    """Which disputes."""

    state = serializers.CharField(max_length=12, required=False)


class Raise(Endpoint):
    """Disputing a line."""

    guard_action = "judging.dispute_raise"

    @operation("judging_dispute_raise", answers=DisputeState, body=DisputeBody, status=201)
    def post(self, request: Request) -> Response:
        """Dispute a line of a duel of the own match, within the window of the event."""
        body, sent = given(DisputeBody, request), context(request)
        dispute_id = body.pop("dispute_id", None) or sent.command_id
        return answer(disputes.dispute_raise(sent, dispute_id=dispute_id, **body), 201)


class Queue(Endpoint):
    """The disputes of an event."""

    guard_action = "judging.dispute_read"

    @operation("judging_disputes", answers=DisputeView, query=DisputesQuery, pages=True)
    def get(self, request: Request, event_id: UUID) -> Response:
        """Answer the disputes, open ones first."""
        found = reads.disputes(actor_of(request), str(event_id)).rows
        return page(self, request, only(found, self.asked, "state"), asdict)


class Mine(Endpoint):
    """The disputes at one's own tables."""

    guard_action = "judging.dispute_read"

    @operation("judging_disputes_mine", answers=DisputeView, query=DisputesQuery, pages=True)
    def get(self, request: Request, event_id: UUID) -> Response:
        """Answer the disputes at the viewer's tables, newest first."""
        found = reads.my_disputes(actor_of(request), str(event_id))
        return page(self, request, only(found, self.asked, "state"), asdict)


class Window(Endpoint):
    """The window of disputes."""

    guard_action = "judging.dispute_window_set"

    @operation("judging_dispute_window", answers=DoneNumber, body=WindowBody)
    def post(self, request: Request, event_id: UUID) -> Response:
        """Choose for how many minutes after a match its duels can be disputed."""
        values = given(WindowBody, request)
        made = disputes.dispute_window_set(context(request), event_id=str(event_id), **values)
        return answer(made)


class Detail(Endpoint):
    """One dispute."""

    guard_action = "judging.dispute_read"

    @operation("judging_dispute_read", answers=DisputeView)
    def get(self, request: Request, dispute_id: UUID) -> Response:
        """Answer the dispute as the viewer may see it."""
        return Response(asdict(reads.dispute(actor_of(request), str(dispute_id))))


class Withdraw(CallCommand):
    """Taking the own dispute back."""

    guard_action = "judging.dispute_raise"
    service = staticmethod(disputes.dispute_withdraw)

    @operation("judging_dispute_withdraw", answers=DisputeState)
    def post(self, request: Request, dispute_id: UUID) -> Response:
        """Withdraw the dispute before a judge has it."""
        return self.run(request, dispute_id=dispute_id)


class Appeal(CallCommand):
    """An appeal against a review."""

    guard_action = "judging.dispute_raise"
    body = ReviewAppealBody
    service = staticmethod(disputes.dispute_appeal)

    @operation("judging_dispute_appeal", answers=DisputeState, body=ReviewAppealBody)
    def post(self, request: Request, dispute_id: UUID) -> Response:
        """Appeal the review of the own match to the head judge."""
        return self.run(request, dispute_id=dispute_id)


class Take(CallCommand):
    """Taking a review."""

    guard_action = "judging.dispute_review"
    service = staticmethod(disputes.dispute_take)

    @operation("judging_dispute_take", answers=DisputeState)
    def post(self, request: Request, dispute_id: UUID) -> Response:
        """Take the review; who ruled at the match is refused."""
        return self.run(request, dispute_id=dispute_id)


class GiveBack(CallCommand):
    """Giving a review back."""

    guard_action = "judging.dispute_review"
    service = staticmethod(disputes.dispute_give_back)

    @operation("judging_dispute_give_back", answers=DisputeState)
    def post(self, request: Request, dispute_id: UUID) -> Response:
        """Give the review back to the queue."""
        return self.run(request, dispute_id=dispute_id)


class Rule(CallCommand):
    """Ending a review."""

    guard_action = "judging.dispute_review"
    body = ReviewBody
    service = staticmethod(disputes.dispute_rule)

    @operation("judging_dispute_rule", answers=DisputeState, body=ReviewBody)
    def post(self, request: Request, dispute_id: UUID) -> Response:
        """End the review by a ruling; a change of the result waits for its confirmation."""
        return self.run(request, dispute_id=dispute_id)


class Correct(CallCommand):
    """Correcting the result as a review proposes."""

    guard_action = "tournaments.result_enter"
    body = SettleBody
    service = staticmethod(disputes.dispute_correct)

    @operation("judging_dispute_correct", answers=DisputeState, body=SettleBody)
    def post(self, request: Request, dispute_id: UUID) -> Response:
        """Correct the result."""
        return self.run(request, dispute_id=dispute_id)


class Leave(CallCommand):
    """Leaving the result as it is."""

    guard_action = "tournaments.result_enter"
    body = SettleBody
    service = staticmethod(disputes.dispute_leave)

    @operation("judging_dispute_leave", answers=DisputeState, body=SettleBody)
    def post(self, request: Request, dispute_id: UUID) -> Response:
        """Leave the result, with a reason."""
        return self.run(request, dispute_id=dispute_id)
