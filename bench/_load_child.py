"""One step of the load bench, in a process of its own: `build TABLES`, `check EVENT`."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from datetime import timedelta
from typing import Any

import django

django.setup()

from django.contrib.sessions.backends.base import VALID_KEY_CHARS  # noqa: E402
from django.contrib.sessions.backends.db import SessionStore  # noqa: E402
from django.contrib.sessions.models import Session  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.test import Client  # noqa: E402
from django.utils.crypto import get_random_string  # noqa: E402

from eventstore import clock, store  # noqa: E402
from eventstore.commands import Context  # noqa: E402
from eventstore.ids import new_id  # noqa: E402
from eventstore.rebuilt import differences  # noqa: E402
from people import services as people  # noqa: E402
from people.domain.actor import SYSTEM  # noqa: E402
from people.models import Account  # noqa: E402
from people.web import DEVICE_EVENTS, DEVICE_PERSON, DEVICE_SINCE  # noqa: E402
from tournaments import services  # noqa: E402
from tournaments.events import MatchDecided, ResultClaimed  # noqa: E402
from tournaments.models import MatchRow  # noqa: E402

ROUND_MINUTES = 50


def context() -> Context:
    """A new command of the house."""
    return Context(SYSTEM, "system")


def build(tables: int) -> dict[str, Any]:
    """Make an event whose first round is out and its clock running, the phones of its players
    and one log-in of its desk. `tables`: [match id, table number, cookies of both players]."""
    call_command("migrate", verbosity=0)
    began = time.perf_counter()
    event_id = new_id()
    services.event_create(
        context(), event_id=event_id, name="Bench", decks_required=False, rounds=5
    )
    services.registration_open(context(), event_id=event_id)
    for number in range(2 * tables):
        made = services.entrant_enrol(
            context(), event_id=event_id, display_name=f"Player {number:05}"
        )
        services.entrant_check_in(context(), event_id=event_id, entrant_id=made.entrant_id)
    services.registration_close(context(), event_id=event_id)
    services.event_start(context(), event_id=event_id)
    services.round_pair(context(), event_id=event_id, seed=1)
    services.round_publish(context(), event_id=event_id, number=1)
    services.clock_start(context(), event_id=event_id, minutes=ROUND_MINUTES)
    rows = MatchRow.objects.filter(event_id=event_id, round=1).order_by("table")
    found: list[Any] = []
    sessions: list[Session] = []
    for pk, table, persons in rows.values_list("pk", "table", "persons"):
        cookies = [_phone(event_id, side[0], sessions) for side in persons]
        found.append([pk, table, cookies])
    Session.objects.bulk_create(sessions, batch_size=500)
    took = time.perf_counter() - began
    return {
        "event": event_id,
        "tables": found,
        "desk": _desk(event_id),
        "events": store.head_position(),
        "built s": round(took, 1),
    }


def _phone(event_id: str, person_id: str, sessions: list[Session]) -> str:
    """Bind a phone as people.web.bind_device does; return its cookie."""
    values = {
        DEVICE_PERSON: person_id,
        DEVICE_EVENTS: [event_id],
        DEVICE_SINCE: {event_id: clock.as_text(clock.now())},
    }
    key = get_random_string(32, VALID_KEY_CHARS)
    until = clock.now() + timedelta(days=14)
    sessions.append(
        Session(session_key=key, session_data=SessionStore().encode(values), expire_date=until)
    )
    return key


def _desk(event_id: str) -> str:
    """Make a scorekeeper with a log-in; return the cookie of the session."""
    person_id = people.person_register(context(), person_id=new_id(), display_name="Desk")
    people.role_grant(context(), person_id=person_id, role="scorekeeper", event_id=event_id)
    account = Account.objects.create(username="desk", person_id=person_id)
    client = Client()
    client.force_login(account)
    return client.cookies["headjudge_session"].value


def check(event_id: str) -> dict[str, Any]:
    """Read the log at the end: results and reports by table, and whether all of it holds."""
    results: Counter[str] = Counter()
    claims: Counter[str] = Counter()
    events = 0
    for one in store.read_all():
        events += 1
        if isinstance(one.data, MatchDecided):
            results[one.data.match_id] += 1
        elif isinstance(one.data, ResultClaimed):
            claims[f"{one.data.match_id} {one.data.seat}"] += 1
    call_command("verify_log", verbosity=0, stdout=sys.stderr)
    return {
        "events in all": events,
        "decided": len(results),
        "decided twice": sum(count > 1 for count in results.values()),
        "claims": len(claims),
        "claimed twice": sum(count > 1 for count in claims.values()),
        "read tables differ": differences(["tournaments.board", "portal.live"])[:3],
    }


if __name__ == "__main__":
    print(json.dumps(build(int(sys.argv[2])) if sys.argv[1] == "build" else check(sys.argv[2])))
