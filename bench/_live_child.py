"""One step of the live bench, in a process of its own: `build`, `act EVENT`."""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import django

django.setup()

from django.core.management import call_command  # noqa: E402

from eventstore.commands import Context  # noqa: E402
from eventstore.ids import new_id  # noqa: E402
from people import joinlinks  # noqa: E402
from people.domain.actor import SYSTEM  # noqa: E402
from people.joinlinks import JoinLink  # noqa: E402
from tournaments import services  # noqa: E402


def context() -> Context:
    """A new command of the house."""
    return Context(SYSTEM, "system")


def build() -> dict[str, Any]:
    """Make an event whose registration is open, and its join link."""
    call_command("migrate", verbosity=0)
    event_id = new_id()
    services.event_create(context(), event_id=event_id, name="Bench", decks_required=False)
    services.registration_open(context(), event_id=event_id)
    return {"event": event_id, "token": joinlinks.make(JoinLink(event_id, None))}


def act(event_id: str) -> dict[str, Any]:
    """Enrol somebody from this process; returns when it was committed."""
    services.entrant_enrol(context(), event_id=event_id, display_name="From elsewhere")
    return {"at": time.time()}


if __name__ == "__main__":
    print(json.dumps(build() if sys.argv[1] == "build" else act(sys.argv[2])))
