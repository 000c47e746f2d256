"""REST API of webhooks, made, tried and ended by the organisers of an event; and of background
work, read by whoever asked for it."""

from __future__ import annotations

from typing import Any, TypedDict
from uuid import UUID

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from eventstore import clock
from people.rest import Body, Done, Endpoint, PageQuery, answer, context, given, operation, page
from people.web import actor_of
from portal import work
from portal.models import Webhook, WebhookDelivery
from portal.webhooks import services
from portal.webhooks.kinds import NAMES, PING
from tournaments import rechecks

STATES = ["waiting", "delivered", "dead", "dropped"]


class WebhookLine(TypedDict):
    """A webhook. `quiet_until` holds messages back while the address does not answer."""

    id: str
    event_id: str
    url: str
    kinds: list[str]
    created_at: str
    ended_at: str | None
    ended_why: str
    failures: int
    quiet_until: str | None


class WebhookMade(TypedDict):
    """A webhook that was made, and the secret its messages are signed with: told here only."""

    id: str
    secret: str


class DeliveryLine(TypedDict):
    """A message: waiting, delivered, dead (given up) or dropped (the webhook ended). `status` and
    `fault` are of the last try."""

    id: str
    webhook_id: str
    kind: str
    state: str
    attempts: int
    created_at: str
    tried_at: str | None
    next_at: str | None
    status: int | None
    fault: str
    body: str


class JobFound(TypedDict):
    """What came of a job, or why it was refused: a code and its values."""

    code: str
    params: dict[str, Any]


class JobShape(TypedDict):
    """A piece of background work. `state`: waiting, running, failed (tried again at `next_at`),
    done or given_up. `done` of `total` parts are done, 0 of 0 where it tells no progress."""

    id: int
    topic: str
    event_id: str | None
    state: str
    attempts: int
    done: int
    total: int
    asked_at: str
    next_at: str | None
    ended_at: str | None
    found: JobFound | None


class JobAsked(TypedDict):
    """Background work was asked for: `job` is where to look how far it is."""

    job: int


class RecheckInput(Body):
    """What the lists are held to: without `banlist_id` the limits the event names."""

    banlist_id = serializers.CharField(max_length=80, required=False, default="")


class WebhookInput(Body):
    """Where messages go, and of what they tell."""

    webhook_id = serializers.UUIDField(required=False)
    url = serializers.CharField(max_length=1000)
    kinds = serializers.ListField(
        child=serializers.ChoiceField(list(NAMES)), min_length=1, max_length=len(NAMES)
    )


class WebhookQuery(PageQuery):
    """Which webhooks."""

    live = serializers.BooleanField(
        required=False, allow_null=True, default=None, help_text="true: those that have not ended"
    )


class DeliveryQuery(PageQuery):
    """Which messages."""

    state = serializers.ChoiceField(STATES, required=False)
    kind = serializers.ChoiceField([*NAMES, PING], required=False)


def _time(moment: Any) -> str | None:
    return clock.as_text(moment) if moment is not None else None


def webhook_json(row: Webhook) -> WebhookLine:
    """Write a webhook, without its secret."""
    return {
        "id": row.pk,
        "event_id": row.event_id,
        "url": row.url,
        "kinds": list(row.kinds),
        "created_at": clock.as_text(row.created_at),
        "ended_at": _time(row.ended_at),
        "ended_why": row.ended_why,
        "failures": row.failures,
        "quiet_until": _time(row.quiet_until),
    }


def delivery_json(row: WebhookDelivery) -> DeliveryLine:
    """Write a message."""
    return {
        "id": row.pk,
        "webhook_id": row.webhook_id,
        "kind": row.kind,
        "state": row.state,
        "attempts": row.attempts,
        "created_at": clock.as_text(row.created_at),
        "tried_at": _time(row.tried_at),
        "next_at": _time(row.next_at),
        "status": row.status,
        "fault": row.fault,
        "body": row.body,
    }


class Webhooks(Endpoint):
    """The webhooks of an event."""

    guard_action = "portal.webhook_manage"

    @operation("webhooks_list", answers=WebhookLine, query=WebhookQuery, pages=True)
    def get(self, request: Request, event: UUID) -> Response:
        """Answer one page of webhooks, oldest first."""
        rows = services.webhooks_of(actor_of(request), str(event))
        live = self.asked.get("live")
        if live is not None:
            rows = rows.filter(ended_at__isnull=live)
        return page(self, request, rows, webhook_json)

    @operation("webhooks_add", answers=WebhookMade, body=WebhookInput, status=201)
    def post(self, request: Request, event: UUID) -> Response:
        """Tell an address of what happens from now on; answer the secret of its signatures."""
        body, sent = given(WebhookInput, request), context(request, "organiser")
        webhook_id = body.pop("webhook_id", None) or sent.command_id
        made = services.webhook_add(sent, webhook_id=webhook_id, event_id=str(event), **body)
        secret = services.secret_of(actor_of(request), made)
        return Response({"id": made, "secret": secret}, status=201)


class WebhookRemove(Endpoint):
    """The end of a webhook."""

    guard_action = "portal.webhook_manage"

    @operation("webhooks_remove", answers=Done)
    def post(self, request: Request, webhook: UUID) -> Response:
        """Tell the address no more; what waits is dropped."""
        return answer(
            services.webhook_remove(context(request, "organiser"), webhook_id=str(webhook))
        )


class WebhookPing(Endpoint):
    """A trial message."""

    guard_action = "portal.webhook_manage"

    @operation("webhooks_ping", answers=services.Queued, status=201)
    def post(self, request: Request, webhook: UUID) -> Response:
        """Send a message of the kind ping; answer its id."""
        sent = services.webhook_ping(context(request, "organiser"), webhook_id=str(webhook))
        return answer(sent, 201)


class Deliveries(Endpoint):
    """The messages of a webhook."""

    guard_action = "portal.webhook_read"

    @operation("webhooks_deliveries", answers=DeliveryLine, query=DeliveryQuery, pages=True)
    def get(self, request: Request, webhook: UUID) -> Response:
        """Answer one page of messages, newest first."""
        rows = services.deliveries_of(actor_of(request), str(webhook))
        wanted = {name: self.asked[name] for name in ("state", "kind") if name in self.asked}
        return page(self, request, rows.filter(**wanted), delivery_json)


class Redeliver(Endpoint):
    """A message that is handed over again."""

    guard_action = "portal.webhook_manage"

    @operation("webhooks_redeliver", answers=services.Queued, status=201)
    def post(self, request: Request, delivery: UUID) -> Response:
        """Hand the message over again, under the same id."""
        sent = services.webhook_redeliver(context(request, "organiser"), delivery_id=str(delivery))
        return answer(sent, 201)


class Job(Endpoint):
    """A piece of background work."""

    guard_action = "portal.job_read"

    @operation("jobs_read", answers=JobShape)
    def get(self, request: Request, job: int) -> Response:
        """Answer how far a job is, and what it found."""
        viewer = actor_of(request)
        row = work.job_of(viewer, job)
        found = work.found_by(viewer, row)
        body: JobShape = {
            "id": row.pk,
            "topic": row.topic,
            "event_id": row.event_id or None,
            "state": row.state,
            "attempts": row.attempts,
            "done": row.progress,
            "total": row.total,
            "asked_at": clock.as_text(row.created_at),
            "next_at": _time(row.not_before),
            "ended_at": _time(row.done_at),
            "found": {"code": found["code"], "params": found["params"]} if found else None,
        }
        return Response(body)


class ListsRecheck(Endpoint):
    """A check of every deck list of an event."""

    guard_action = "decks.lists_recheck"

    @operation("lists_recheck", answers=JobAsked, body=RecheckInput, status=202)
    def post(self, request: Request, event: UUID) -> Response:
        """Check every list again, by the cards as they are; answer the job that does it."""
        body, sent = given(RecheckInput, request), context(request, "organiser")
        job = rechecks.lists_recheck(sent, event_id=str(event), **body)
        return Response({"job": job}, status=202)
