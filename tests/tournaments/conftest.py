"""An event run through the real commands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from eventstore.commands import Context
from eventstore.ids import new_id
from people.domain.actor import SYSTEM, Actor
from tests.conftest import Member
from tournaments import selectors, services
from tournaments.models import EntrantRow, MatchRow


@dataclass
class Running:
    """An event of Olga's: its id, and entrants by the name of their person."""

    olga: Member
    event_id: str
    entrants: dict[str, str] = field(default_factory=dict)
    persons: dict[str, str] = field(default_factory=dict)

    def staff(self) -> Context:
        """A new command of the organiser."""
        return self.olga.context()

    def player(self, name: str) -> Context:
        """A new command of a player on a join link."""
        return Context(Actor(person_id=self.persons[name]), "player")

    def run(self, command: Callable[..., Any], **values: Any) -> Any:
        """Send a command on the event as its organiser."""
        return command(self.staff(), event_id=self.event_id, **values)

    def enrol(self, *names: str, check_in: bool = True) -> None:
        """Staff enrol people by name, and check them in."""
        for name in names:
            made = self.run(services.entrant_enrol, display_name=name)
            self.entrants[name], self.persons[name] = made.entrant_id, made.person_id
            if check_in:
                self.run(services.entrant_check_in, entrant_id=made.entrant_id)

    def pair(self, seed: int = 1) -> int:
        """Pair and publish the next round; return its number."""
        number: int = self.run(services.round_pair, seed=seed)
        self.run(services.round_publish, number=number)
        return number

    def matches(self, number: int | None = None) -> list[MatchRow]:
        """The published matches, of one round or all."""
        rows = MatchRow.objects.filter(event_id=self.event_id).exclude(state="draft")
        return list(rows.filter(round=number) if number else rows)

    def match_of(self, name: str, number: int) -> tuple[MatchRow, str]:
        """The match of a player in a round, and the seat."""
        entrant = self.entrants[name]
        for row in self.matches(number):
            if entrant in (row.p1, row.p2):
                return row, "P1" if row.p1 == entrant else "P2"
        raise AssertionError(f"{name} has no match in round {number}")

    def settle(self, *scores: list[int]) -> None:
        """Staff enter results for the open tables, P1 wins where none is given."""
        given = iter(scores)
        for row in self.matches():
            if row.state != "decided":
                services.result_enter(self.staff(), match_id=row.pk, score=next(given, [2, 0, 0]))

    def play_swiss(self) -> None:
        """Play every Swiss round, the better number winning."""
        for number in range(1, self.home().row.rounds + 1):
            self.pair(seed=number)
            numbers = dict(EntrantRow.objects.values_list("pk", "number"))
            for row in self.matches(number):
                better = numbers[row.p1] < numbers[row.p2]
                services.result_enter(
                    self.staff(), match_id=row.pk, score=[2, 0, 0] if better else [0, 2, 0]
                )

    def home(self) -> Any:
        """The event as the system sees it."""
        return selectors.event_home(SYSTEM, self.event_id)


NAMES = ("Alice", "Bob", "Dora", "Emil", "Fay", "Gus", "Hal", "Ida", "Jan", "Kim", "Lea", "Max")


@pytest.fixture
def make_event(olga: Member) -> Callable[..., Running]:
    """Create an event with an open registration and the first `players` of the names in it."""

    def make(players: int = 0, *, start: bool = False, **settings: Any) -> Running:
        values: dict[str, Any] = {"name": "Friday cup", "decks_required": False} | settings
        event_id = new_id()
        services.event_create(olga.context(), event_id=event_id, **values)
        made = Running(olga, event_id)
        made.run(services.registration_open)
        names = NAMES[:players] + tuple(f"Player {n}" for n in range(len(NAMES), players))
        made.enrol(*names)
        if start:
            made.run(services.event_start)
        return made

    return make
