"""The stage of the power cut, its server with a clock of its own, and what is left of it: run as
processes of their own on a database file.

    python -m tests.tournaments.power stage         builds the hall, writes ids and tokens as JSON
    python -m tests.tournaments.power serve PORT    serves; AHEAD seconds are added to the clock
    python -m tests.tournaments.power verify        verifies the log, holds read tables to a rebuild
"""

from __future__ import annotations

import json
import os
import sys
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta
from typing import Any

TABLES, DECIDED, ROUND_MIN, LEFT_MIN = 120, 72, 40, 17
PHONES = 6
"""Tables, the last ones, each with a player whose phone is on its page."""
PASSWORD = "correct horse battery"


def stage() -> dict[str, Any]:
    """A round of 120 tables with 17 minutes left: 72 results are in, two calls wait, two judges
    stand at tables."""
    from eventstore import clock
    from eventstore.commands import Context, Unit, command
    from eventstore.ids import new_id
    from judging import services as judging
    from people import joinlinks, tokens
    from people.domain.actor import SYSTEM, Actor
    from people.selectors import actor_for
    from people.services import account_open, hash_password, person_register, role_grant
    from tournaments import events as ev
    from tournaments import services
    from tournaments.models import MatchRow
    from tournaments.services.loading import event_of

    now = clock.now()
    hashed, event_id = hash_password(PASSWORD), new_id()

    def house() -> Context:
        return Context(SYSTEM, "system")

    def staff(name: str, role: str, scopes: list[str]) -> tuple[Actor, str]:
        person = person_register(house(), person_id=new_id(), display_name=name)
        account_open(house(), person_id=person, username=name.lower(), password_hash=hashed)
        where = None if role == "organiser" else event_id
        role_grant(house(), person_id=person, role=role, event_id=where)
        secret, digest = tokens.token_new()
        tokens.token_make(
            Context(actor_for(person, signed_in=True), "organiser"),
            token_id=new_id(),
            person_id=person,
            label="hall",
            digest=digest,
            scopes=["read", "staff_read", *scopes],
            days=1,
        )
        return actor_for(person, signed_in=True), secret

    olga, desk = staff("Olga", "organiser", ["desk"])
    services.event_create(
        Context(olga, "organiser"), event_id=event_id, name="Dark Cup", decks_required=False
    )
    olga = actor_for(str(olga.person_id), signed_in=True)  # the organiser of the event, now
    jude, judge = staff("Jude", "judge", ["judge"])
    joan, other = staff("Joan", "judge", ["judge"])
    services.registration_open(Context(olga, "organiser"), event_id=event_id)

    @command("tests.power.fill")
    def fill(unit: Unit) -> None:
        loaded = event_of(unit, event_id)
        events: list[Any] = []
        for number in range(1, 2 * TABLES + 1):
            entrant, person = new_id(), new_id()
            person_register(unit, person_id=person, display_name=f"Player {number}")
            events.append(ev.EntrantEnrolled(event_id, entrant, number, (person,), True))
            events.append(ev.EntrantCheckedIn(event_id, entrant, False))
        unit.append(loaded.stream, loaded.version, events)

    @command("tests.power.report")
    def report(unit: Unit, *, matches: list[str]) -> None:
        for match_id in matches:
            services.result_enter(unit, match_id=match_id, score=[2, 0, 0])

    with clock.clock_set(lambda: now - timedelta(minutes=ROUND_MIN - LEFT_MIN)):
        fill(Context(olga, "organiser"))
        services.event_start(Context(olga, "organiser"), event_id=event_id)
        services.round_pair(Context(olga, "organiser"), event_id=event_id, seed=1)
        services.round_publish(Context(olga, "organiser"), event_id=event_id, number=1)
        services.clock_start(Context(olga, "organiser"), event_id=event_id, minutes=ROUND_MIN)
    rows = list(MatchRow.objects.filter(event_id=event_id).order_by("table"))
    phones: list[str] = []
    for row in rows[-PHONES:]:
        phones.append(joinlinks.make(joinlinks.JoinLink(event_id, row.persons[0][0])))
    with clock.clock_set(lambda: now - timedelta(minutes=4)):
        report(Context(olga, "organiser"), matches=[row.pk for row in rows[:DECIDED]])
        calls = [new_id() for _ in range(4)]
        for call_id, row in zip(calls, rows[DECIDED + 8 :], strict=False):
            player = Actor(person_id=row.persons[1][0])
            judging.call_raise(Context(player, "player"), call_id=call_id, match_id=row.pk)
    with clock.clock_set(lambda: now - timedelta(minutes=3)):
        for call_id, who in zip(calls[2:], (jude, joan), strict=True):
            judging.call_claim(Context(who, "judge"), call_id=call_id)
            judging.call_arrive(Context(who, "judge"), call_id=call_id)
    # the newest event is of now: the server that starts next was not away
    services.clock_adjust(Context(olga, "organiser"), event_id=event_id, minutes=1)
    services.clock_adjust(Context(olga, "organiser"), event_id=event_id, minutes=-1)
    return {
        "event": event_id,
        "tables": {row.table: row.pk for row in rows},
        "seated": {row.table: row.p1 for row in rows},
        "calls": calls,
        "phones": phones,
        "desk": desk,
        "judge": judge,
        "other": other,
    }


def serve(port: int) -> None:
    """Serve the product with a clock that is AHEAD of this machine's."""
    from eventstore import clock

    ahead = timedelta(seconds=float(os.environ.get("AHEAD", "0")))
    clock._clock = ContextVar("clock", default=lambda: datetime.now(UTC) + ahead)
    import uvicorn

    uvicorn.run(
        "config.asgi:application",
        host="127.0.0.1",
        port=port,
        http="config.wire:BoundedProtocol",
        lifespan="off",
        log_level="error",
        timeout_graceful_shutdown=5,
    )


def verify() -> int:
    """Verify the log, hold the read tables to their rebuild; returns how many were compared."""
    from eventstore.verification import verify_log
    from tests.helpers import rebuilds_equal

    report = verify_log()
    assert report.faults == [], report.faults
    return rebuilds_equal("tournaments.board", "tournaments.hall", "portal.live")


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    if sys.argv[1] == "serve":
        serve(int(sys.argv[2]))
    else:
        import django

        django.setup()
        json.dump(stage() if sys.argv[1] == "stage" else verify(), sys.stdout)
