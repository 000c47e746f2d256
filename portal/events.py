"""Events of the portal: streams `webhook-<id>`, in which no address and no secret stands, and
`job-<id>`."""

from __future__ import annotations

from eventstore.domain.registry import DomainEvent, event


@event("portal.webhook_added")
class WebhookAdded(DomainEvent, frozen=True):
    """An address is told of events of these kinds from here on."""

    webhook_id: str
    event_id: str
    kinds: tuple[str, ...]


@event("portal.webhook_ended")
class WebhookEnded(DomainEvent, frozen=True):
    """An address is told no more. `why`: removed, or rights_lost by whoever had added it."""

    webhook_id: str
    event_id: str
    why: str


@event("portal.job_started_again")
class JobStartedAgain(DomainEvent, frozen=True):
    """Background work that was given up is tried anew. `event_id` is empty for work of the site."""

    job_id: int
    topic: str
    event_id: str
