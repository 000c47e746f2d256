"""A message from the desk to a part of the hall: who is meant, until when, its withdrawal."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent
from tournaments import events as ev

ALL, PLAYERS, STAFF, TABLES = "all", "players", "staff", "tables"
AUDIENCES = (ALL, PLAYERS, STAFF, TABLES)
MOST_TEXT = 300
MINUTES = (1, 720)
"""How long a message stands, in minutes: from one minute to half a day."""


@dataclass(frozen=True, slots=True)
class Message:
    """A message as the fold of its stream; no id: there is none."""

    message_id: str = ""
    event_id: str = ""
    audience: str = ""
    persons: tuple[str, ...] = ()
    withdrawn: bool = False


def evolve(state: Message, event: DomainEvent) -> Message:
    """Apply one event of the stream."""
    match event:
        case ev.MessagePosted():
            return Message(event.message_id, event.event_id, event.audience, event.persons)
        case ev.MessageWithdrawn():
            return replace(state, withdrawn=True)
        case _:
            return state


@dataclass(frozen=True, slots=True)
class Meant:
    """Who is meant: an audience, for TABLES from table `first` to table `last`."""

    audience: str
    first: int | None = None
    last: int | None = None


def checked(text: str, meant: Meant, minutes: int, tables: Collection[int]) -> Refusal | None:
    """Say what is wrong with a message. `tables` are those of the round that is on.

    Refused with `tournaments.message_empty`, `tournaments.message_long{found, allowed}`,
    `tournaments.message_audience{found, allowed}`, `tournaments.message_minutes{found, allowed}`,
    `tournaments.message_tables{found, allowed}`.
    """
    if not text.strip():
        return Refusal("tournaments.message_empty")
    if len(text) > MOST_TEXT:
        return Refusal("tournaments.message_long", {"found": len(text), "allowed": MOST_TEXT})
    if meant.audience not in AUDIENCES:
        return Refusal(
            "tournaments.message_audience", {"found": meant.audience, "allowed": list(AUDIENCES)}
        )
    if not MINUTES[0] <= minutes <= MINUTES[1]:
        return Refusal("tournaments.message_minutes", {"found": minutes, "allowed": list(MINUTES)})
    if meant.audience == TABLES:
        first, last = meant.first, meant.last
        if first is None or last is None or not any(first <= one <= last for one in tables):
            return Refusal(
                "tournaments.message_tables",
                {
                    "found": [first, last],
                    "allowed": [min(tables), max(tables)] if tables else None,
                },
            )
    return None


def withdraw(state: Message) -> list[DomainEvent] | Refusal:
    """Take a message back. Refused with `tournaments.message_unknown`,
    `tournaments.message_withdrawn`."""
    if not state.message_id:
        return Refusal("tournaments.message_unknown")
    if state.withdrawn:
        return Refusal("tournaments.message_withdrawn")
    return [ev.MessageWithdrawn(state.event_id, state.message_id, state.audience, state.persons)]
