"""What a backup copy tells of the events in it, for whoever looks at the stick."""

from __future__ import annotations

from typing import Any

from django.db import connection

from eventstore.backups.carried import carry
from tournaments.models import EventRow

EVENTS = "tournaments.events"
MOST = 200


@carry(EVENTS)
def events() -> list[dict[str, Any]]:
    """Return the newest events: id, name, zone, state, round, and the time of their last event."""
    rows = EventRow.objects.order_by("-created_at")[:MOST]
    found = rows.values("id", "name", "zone", "status", "round")
    return [{**row, "last_at": _last_at(f"tournament-{row['id']}")} for row in found]


def _last_at(stream: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT recorded_at FROM eventstore_event WHERE stream = %s"
            " ORDER BY version DESC LIMIT 1",
            [stream],
        )
        row = cursor.fetchone()
    return str(row[0]) if row else ""
