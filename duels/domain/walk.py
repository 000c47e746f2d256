"""One pass over a log: every event with the duel before and after it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from duels.domain.events import Rewound
from duels.domain.rewind import struck
from eventstore.domain.registry import DomainEvent, name_of

D = TypeVar("D")
S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class Passage(Generic[D]):
    """One event: its number, the duel before and after it, whether a rewind took it back."""

    seq: int
    event: DomainEvent
    before: D
    after: D
    struck: bool

    @property
    def code(self) -> str:
        """The type of the event."""
        return name_of(self.event)[0]

    @property
    def plays(self) -> bool:
        """Whether the event moves play on; a rewind sets it back instead."""
        return not isinstance(self.event, Rewound)


def passages(
    raw: Sequence[DomainEvent],
    new: D,
    evolve: Callable[[D, DomainEvent], D],
    make: Callable[[int, DomainEvent, D, D, bool], S],
) -> list[S]:
    """Return every step of a log, made by `make` (as `Passage`); raises LookupError for a
    rewind to no event."""
    marks = struck(raw)
    made: list[S] = []
    duel = new
    for seq, event in enumerate(raw, 1):
        after = evolve(duel, event)
        made.append(make(seq, event, duel, after, marks[seq - 1]))
        duel = after
    return made


@dataclass(frozen=True, slots=True)
class Card:
    """A card as a judge reads it: instance, key and name (None: not known to anybody), whose
    it is, where it lies (`P1.hand.3`, empty for one that is gone)."""

    card: int
    key: str | None
    name: str | None
    owner: str
    place: str
