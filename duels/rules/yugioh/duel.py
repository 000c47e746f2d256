"""The whole of a duel: its table, what a rewind leaves alone, and evolve over the raw log."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import msgspec

from duels.domain.events import (
    CountDeclared,
    DuelOpened,
    InfractionRecorded,
    LpDeclared,
    Rewound,
    SeedRevealed,
)
from duels.domain.rewind import Trail
from duels.rules.yugioh import evolve as evolving
from duels.rules.yugioh import knowledge as knowing
from duels.rules.yugioh.knowledge import Knowledge
from duels.rules.yugioh.state import EMPTY, Table
from eventstore.domain.registry import DomainEvent


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


class Duel(msgspec.Struct, frozen=True, eq=False):
    """A duel after some raw events. `pads`: (who declared, about whom) -> last declared LP;
    `counts`: (who declared, about whom, zone) -> the last count; `pad_lines`: (who declared,
    number on that pad) of every line taken in; `opening`: the first event; `revealed`: the
    secret of its chance is disclosed, which no rewind takes back."""

    trail: Trail[Table]
    knowledge: Knowledge = {}
    infractions: tuple[Infraction, ...] = ()
    pads: Mapping[tuple[str, str], int] = {}
    counts: Mapping[tuple[str, str, str], Count] = {}
    pad_lines: frozenset[tuple[str, int]] = frozenset()
    opening: DuelOpened | None = None
    revealed: bool = False

    @property
    def table(self) -> Table:
        """The table as it stands."""
        return self.trail.state

    @property
    def seq(self) -> int:
        """The number of the newest event, 0 before the first."""
        return self.trail.seq


NEW = Duel(Trail(0, EMPTY, None, None))


def evolve(duel: Duel, event: DomainEvent) -> Duel:
    """Return the duel after one event. Trusts the log; raises LookupError only for a
    `Rewound` that names no event."""
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
    table = evolving.step(before, event)
    trail = duel.trail.then(table)
    knowledge, infractions = duel.knowledge, duel.infractions
    pads, counts, pad_lines = duel.pads, duel.counts, duel.pad_lines
    opening = event if isinstance(event, DuelOpened) else duel.opening
    revealed = duel.revealed
    if table is not before:
        knowledge = knowing.after(knowledge, before, table, event, trail.seq)
    elif isinstance(event, InfractionRecorded):
        infractions = (*infractions, Infraction(trail.seq, event.player, event.rule))
    elif isinstance(event, LpDeclared):
        pads = {**pads, (event.player, event.about): event.value}
        pad_lines = pad_lines | {(event.player, event.pad_seq)}
    elif isinstance(event, CountDeclared):
        count = Count(trail.seq, event.value, held(table, event.about, event.zone))
        counts = {**counts, (event.player, event.about, event.zone): count}
    elif isinstance(event, SeedRevealed):
        revealed = True
    return Duel(trail, knowledge, infractions, pads, counts, pad_lines, opening, revealed)


def fold(events: Iterable[DomainEvent], duel: Duel = NEW) -> Duel:
    """Return the duel after a log."""
    for event in events:
        duel = evolve(duel, event)
    return duel


def held(table: Table, player: str, zone: str) -> int:
    """Return how many cards a zone of a player holds."""
    value = getattr(table.side(player), zone)
    if isinstance(value, int):
        return 1 if value else 0
    return sum(1 for card in value if card)
