"""The event of a simulated round, and what is left of it: a process of its own on the database
that the servers use.

    python -m tests.faults.stage build TABLES WEBHOOK    migrates, builds; writes ids and keys
    python -m tests.faults.stage check                   waits until no background work is open,
                                                         holds the log to the commands on stdin

`build` leaves round 1 published: each table has two phones with the sessions of join links.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections import Counter
from typing import Any

KINDS = ["result.decided", "call.raised", "round.published"]
SETTLE_SECONDS = 60.0


def build(tables: int, webhook: str) -> dict[str, Any]:
    """Make the database and the event; returns all that clients need."""
    from django.core.management import call_command

    call_command("migrate", verbosity=0)

    from eventstore.commands import Context
    from eventstore.ids import new_id
    from people import tokens
    from people.domain.actor import SYSTEM
    from people.selectors import actor_for
    from people.services import account_open, person_register, role_grant
    from portal.webhooks.services import webhook_add
    from tournaments import services
    from tournaments.models import MatchRow

    house = Context(SYSTEM, "system")
    event_id = new_id()

    def anew() -> Context:
        return Context(house.actor, house.source)

    def staff(name: str) -> str:
        person = person_register(anew(), person_id=new_id(), display_name=name)
        account_open(anew(), person_id=person, username=name.lower(), password_hash="!")
        return person

    def token(person: str, *scopes: str) -> str:
        secret, digest = tokens.token_new()
        tokens.token_make(
            Context(actor_for(person, signed_in=True), "organiser"),
            token_id=new_id(), person_id=person, label="round", digest=digest,
            scopes=list(scopes), days=1,
        )  # fmt: skip
        return secret

    olga, jude, sven = staff("Olga"), staff("Jude"), staff("Sven")
    role_grant(anew(), person_id=olga, role="organiser")

    def run(service: Any, **values: Any) -> Any:
        sent = Context(actor_for(olga, signed_in=True), "organiser")
        return service(sent, event_id=event_id, **values)

    run(services.event_create, name="Storm Cup", decks_required=False, rounds=3)
    role_grant(anew(), person_id=jude, role="judge", event_id=event_id)
    role_grant(anew(), person_id=sven, role="scorekeeper", event_id=event_id)
    run(services.registration_open)
    for number in range(1, 2 * tables + 1):
        one = run(services.entrant_enrol, display_name=f"Player {number}")
        run(services.entrant_check_in, entrant_id=one.entrant_id)
    run(services.registration_close)
    run(services.event_start)
    run(services.round_pair, seed=1)
    run(webhook_add, webhook_id=new_id(), url=webhook, kinds=KINDS)
    run(services.round_publish, number=1)
    rows = MatchRow.objects.filter(event_id=event_id, round=1).order_by("table")
    return {
        "event": event_id,
        "tables": [
            {"match": row.pk, "phones": [_session(row.persons[at][0], event_id) for at in (0, 1)]}
            for row in rows
        ],
        "judge": token(jude, "read", "staff_read", "judge"),
        "desk": token(sven, "read", "staff_read", "desk"),
        "organiser": token(olga, "read", "staff_read", "desk", "site"),
    }


def _session(person: str, event_id: str) -> str:
    """The session of a phone that is bound to a player, as a join link leaves it."""
    from django.contrib.sessions.backends.db import SessionStore

    from people.web import DEVICE_EVENTS, DEVICE_PERSON

    session = SessionStore()
    session[DEVICE_PERSON], session[DEVICE_EVENTS] = person, [event_id]
    session.create()
    return str(session.session_key)


def settled() -> list[str]:
    """Wait until the followers are at the end of the log and no row of work is open; returns
    what is left."""
    from eventstore import store, subscriptions
    from eventstore.models import OutboxRow

    limit = time.monotonic() + SETTLE_SECONDS
    while True:
        behind = [
            name
            for name in subscriptions.registered()
            if subscriptions.position_of(name) < store.head_position()
        ]
        rows = list(OutboxRow.objects.filter(done_at=None).values("topic", "attempts", "error"))
        if not behind and not rows:
            return []
        if time.monotonic() > limit:
            return [f"behind: {behind}", *(f"open: {row}" for row in rows)]
        time.sleep(0.1)


def check(asked: dict[str, Any]) -> dict[str, Any]:
    """Hold the log to what was sent. `asked`: `event`, `kept` (acknowledged command ids). Returns
    the faults found, and figures."""
    from eventstore import projections, store
    from eventstore.models import CommandOutcome
    from eventstore.rebuilt import differences
    from eventstore.verification import verify_log
    from portal.live import topics
    from portal.models import WebhookDelivery

    faults = settled()
    faults += [f"log: {one}" for one in verify_log().faults]
    faults += [f"read table: {one}" for one in differences(tuple(projections.registered()))[:20]]
    events = list(store.read_all())
    if [one.position for one in events] != list(range(1, len(events) + 1)):
        faults.append("the positions have holes")
    outcomes = set(CommandOutcome.objects.values_list("command", flat=True))
    by_command: dict[str, list[str]] = {}
    for one in events:
        by_command.setdefault(one.meta.command, []).append(one.type)
    faults += [f"acknowledged and not kept: {one}" for one in set(asked["kept"]) - outcomes]
    for one, types in by_command.items():  # acknowledged or not
        found = Counter(types)
        if one not in outcomes:
            faults.append(f"half done: {one}: {dict(found)}")
        faults += [f"done twice: {one}: {name}" for name, times in found.items() if times > 1
                   and name in ONCE_A_COMMAND]  # fmt: skip
    for name, per in ONCE.items():
        seen = Counter(per(one.data) for one in events if one.type == name)
        faults += [f"{name} twice: {key}" for key, times in seen.items() if times > 1]
    happened = Counter(KIND_OF[one.type] for one in events if one.type in KIND_OF)
    # the webhook was added after the start of the event and before its first round
    told = Counter(WebhookDelivery.objects.values_list("kind", flat=True))
    if told != happened:
        faults.append(f"messages {dict(told)} of events {dict(happened)}")
    rows = list(WebhookDelivery.objects.values("pk", "kind", "state", "attempts"))
    faults += [f"message not handed over: {one}" for one in rows if one["state"] != "delivered"]
    return {
        "faults": faults,
        "events": len(events),
        "messages": [one["pk"] for one in rows],
        "board": topics.moves([topics.board(asked["event"])])[0],
        "committed": sorted(outcomes),
    }


ONCE_A_COMMAND = frozenset(
    {"tournaments.result_claimed", "judging.call_raised", "judging.ruling_made",
     "tournaments.round_published", "tournaments.match_decided"}
)  # fmt: skip
ONCE: dict[str, Any] = {
    "tournaments.match_decided": lambda data: data.match_id,
    "tournaments.round_published": lambda data: data.round,
    "judging.call_raised": lambda data: data.call,
}
KIND_OF = {
    "tournaments.match_decided": "result.decided",
    "judging.call_raised": "call.raised",
    "tournaments.round_published": "round.published",
}


def main() -> None:
    """Do what the command line asks, and write it as JSON."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    what, *rest = sys.argv[1:]
    built = what == "build"
    json.dump(build(int(rest[0]), rest[1]) if built else check(json.load(sys.stdin)), sys.stdout)


if __name__ == "__main__":
    main()
