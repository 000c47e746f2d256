"""Events of the portal: streams `webhook-<id>`. No address and no secret stands in one."""

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
