"""The hall of a rehearsal: who is in it, and how a person's act becomes a command."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from eventstore.commands import Context
from people import selectors
from people.domain.actor import Actor
from portal.demo.cast import Staff

Say = Callable[[str], None]


@dataclass(slots=True)
class Hall:
    """The event, its staff, its players by person id, and what has been counted so far."""

    event_id: str
    staff: Staff
    rng: random.Random
    say: Say
    players: dict[str, Actor] = field(default_factory=dict)
    duels: int = 0
    shortest: int = 0
    rewinds: int = 0
    matches: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    endings: Counter[str] = field(default_factory=Counter)

    def seat(self, person_id: str) -> None:
        """Let a player in, as a phone on a join link does."""
        self.players[person_id] = selectors.actor_for(person_id, signed_in=False)

    def player(self, person_id: str) -> Context:
        """A command from a player's phone."""
        return Context(actor=self.players[person_id], source="player")

    def desk(self) -> Context:
        """A command from the scorekeeper."""
        return Context(actor=self.staff.scorekeeper, source="scorekeeper")

    def organiser(self) -> Context:
        """A command from the organiser."""
        return Context(actor=self.staff.organiser, source="organiser")

    def judge(self) -> Context:
        """A command from the floor judge."""
        return Context(actor=self.staff.judge, source="judge")

    def head_judge(self) -> Context:
        """A command from the head judge."""
        return Context(actor=self.staff.head_judge, source="judge")

    def seed(self) -> int:
        """A seed for one random choice of the product."""
        return self.rng.randrange(2**53)
