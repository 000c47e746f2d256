"""The whole of a duel: its table, what a rewind leaves alone, and evolve over the raw log.

A game gives the three parts that are its own: the step of its table, what an event teaches, and
how many cards a zone holds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

import msgspec

from duels.domain.events import (
    CountDeclared,
    DuelOpened,
    InfractionRecorded,
    LpDeclared,
    Rewound,
    SeedRevealed,
)
from duels.domain.knowledge import Knowledge
from duels.domain.rewind import Trail
from eventstore.domain.registry import DomainEvent

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Infraction:
    """A broken rule as recorded: event number, seat or None, rule id."""

    seq: int
    player: str | None
    rule: str


@dataclass(frozen=True, slots=True)
class Count:
    """A declared count and what the table held at that moment."""

    seq: int
    declared: int
    held: int


class Duel(msgspec.Struct, Generic[T], frozen=True, eq=False):
    """A duel after some raw events. `pads`: (who declared, about whom) -> last declared LP;
    `counts`: (who declared, about whom, zone) -> the last count; `pad_lines`: (who declared,
    number on that pad) of every line taken in; `opening`: the first event; `revealed`: the
    secret of its chance is disclosed, which no rewind takes back."""

    trail: Trail[T]
    knowledge: Knowledge = {}
    infractions: tuple[Infraction, ...] = ()
    pads: Mapping[tuple[str, str], int] = {}
    counts: Mapping[tuple[str, str, str], Count] = {}
    pad_lines: frozenset[tuple[str, int]] = frozenset()
    opening: DuelOpened | None = None
    revealed: bool = False

    @property
    def table(self) -> T:
        """The table as it stands."""
        return self.trail.state

    @property
    def seq(self) -> int:
        """The number of the newest event, 0 before the first."""
        return self.trail.seq


def evolving(
    step: Callable[[T, DomainEvent], T],
    learn: Callable[[Knowledge, T, T, DomainEvent, int], Knowledge],
    held: Callable[[T, str, str], int],
) -> Callable[[Duel[T], DomainEvent], Duel[T]]:
    """Return the evolve of a game. `step`: the table after an event (the same one where it
    changes nothing); `learn`: knowledge, given the table before and after event number seq;
    `held`: cards in a zone of a player. It trusts the log, and raises LookupError only for a
    `Rewound` that names no event."""

    def evolve(duel: Duel[T], event: DomainEvent) -> Duel[T]:
        """Return the duel after one event."""
        if isinstance(event, Rewound):
            return Duel(
                duel.trail.rewound(event.to),
                duel.knowledge,
                duel.infractions,
                duel.pads,
                duel.counts,
                duel.pad_lines,
                duel.opening,
                duel.revealed,
            )
        before = duel.trail.state
        table = step(before, event)
        trail = duel.trail.then(table)
        if table is not before:
            opening = duel.opening
            if opening is None and isinstance(event, DuelOpened):
                opening = event
            return Duel(
                trail,
                learn(duel.knowledge, before, table, event, trail.seq),
                duel.infractions,
                duel.pads,
                duel.counts,
                duel.pad_lines,
                opening,
                duel.revealed,
            )
        infractions, pads, counts = duel.infractions, duel.pads, duel.counts
        pad_lines, revealed = duel.pad_lines, duel.revealed
        if isinstance(event, InfractionRecorded):
            infractions = (*infractions, Infraction(trail.seq, event.player, event.rule))
        elif isinstance(event, LpDeclared):
            pads = {**pads, (event.player, event.about): event.value}
            pad_lines = pad_lines | {(event.player, event.pad_seq)}
        elif isinstance(event, CountDeclared):
            count = Count(trail.seq, event.value, held(table, event.about, event.zone))
            counts = {**counts, (event.player, event.about, event.zone): count}
        elif isinstance(event, SeedRevealed):
            revealed = True
        return Duel(
            trail, duel.knowledge, infractions, pads, counts, pad_lines, duel.opening, revealed
        )

    return evolve
