"""How the server stands, in figures that the portal knows: listeners and messages on their way."""

from __future__ import annotations

from django.db.models import Count

from portal.live.hub import hub
from portal.models import WebhookDelivery

MESSAGE_STATES = ("waiting", "dead")


def listeners() -> int:
    """Return how many streams are open in this process."""
    return hub.size()


def webhook_messages() -> dict[str, int]:
    """Return how many messages to other programs wait, and how many were given up."""
    rows = WebhookDelivery.objects.filter(state__in=MESSAGE_STATES)
    found = dict(rows.values_list("state").annotate(Count("pk")))
    return {name: found.get(name, 0) for name in MESSAGE_STATES}
