"""Background work of the door: offers that run out."""

from __future__ import annotations

from typing import Any

from eventstore import clock, outbox
from eventstore.commands import Context
from eventstore.domain.refusal import Refused
from people.domain.actor import SYSTEM
from tournaments.services import seats


@outbox.job(seats.EXPIRE)
def expire(payload: dict[str, Any]) -> None:
    """Let the offers of an event run out when their time comes; asks to come again while one
    stands. Run twice it finds nothing more to do."""
    until: str | None = str(payload["until"])
    if until is not None and clock.from_text(until) <= clock.now():
        try:
            until = seats.offers_settle(
                Context(actor=SYSTEM, source="system"), event_id=str(payload["event_id"])
            )
        except Refused:
            return  # there is no such event any more: a database was restored to an earlier day
    if until is not None:
        rest = (clock.from_text(until) - clock.now()).total_seconds()
        raise outbox.Later(max(1.0, rest + 0.5))
