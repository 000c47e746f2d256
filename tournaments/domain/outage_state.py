"""Outages of the server in the state of a tournament, as a fold of its events."""

from __future__ import annotations

from dataclasses import dataclass, replace

from eventstore.domain.registry import DomainEvent
from tournaments.domain.outage_events import OutageNoticed, OutageReopened, OutageSettled


@dataclass(frozen=True, slots=True)
class Outage:
    """An outage as it stands; fields as in OutageNoticed. `settled`: what the desk gave, None
    while it waits."""

    outage_id: str
    round: int
    since: str
    until: str
    seconds: int | None
    ran: bool
    copy: bool
    settled: OutageSettled | None = None

    @property
    def waits(self) -> bool:
        """Whether the desk has not decided."""
        return self.settled is None


def evolve(held: tuple[Outage, ...], event: DomainEvent) -> tuple[Outage, ...]:
    """Apply one event; returns the same outages for an event that is not about them."""
    match event:
        case OutageNoticed():
            found = Outage(
                event.outage,
                event.round,
                event.since,
                event.until,
                event.seconds,
                event.ran,
                event.copy,
            )
            return (*(one for one in held if one.outage_id != event.outage), found)
        case OutageSettled():
            return _with(held, event.outage, event)
        case OutageReopened():
            return _with(held, event.outage, None)
        case _:
            return held


def _with(
    held: tuple[Outage, ...], outage_id: str, settled: OutageSettled | None
) -> tuple[Outage, ...]:
    return tuple(
        replace(one, settled=settled) if one.outage_id == outage_id else one for one in held
    )


def without_round(held: tuple[Outage, ...], number: int) -> tuple[Outage, ...]:
    """Return the outages after a round was taken back: those of that round are of none."""
    return tuple(replace(one, round=0) if one.round == number else one for one in held)
