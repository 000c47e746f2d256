"""Cards, positions and whole duels that the tests of the engine use."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from duels.domain.events import CardFacts
from duels.rules.yugioh import acts, bot, engine, setup
from duels.rules.yugioh.cases.base import Names
from duels.rules.yugioh.cases.duel_case import translate
from duels.rules.yugioh.cases.position import build, facts_of
from duels.rules.yugioh.duel import Duel, evolve, fold
from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent

CARDS: dict[str, dict[str, Any]] = {
    "Heron": {"type": "monster", "kind": "normal", "level": 4, "atk": 1600, "def": 1200},
    "Otter": {"type": "monster", "kind": "normal", "level": 3, "atk": 1100, "def": 1300},
    "Bison": {"type": "monster", "kind": "normal", "level": 6, "atk": 2200, "def": 1700},
    "Whale": {"type": "monster", "kind": "normal", "level": 8, "atk": 2900, "def": 2400},
    "Gnat": {"type": "monster", "kind": "normal", "level": 1, "atk": 0, "def": 0},
    "Regent": {"type": "monster", "kind": "ritual", "level": 4, "atk": 1000, "def": 1000},
    "Chimera": {"type": "monster", "kind": "fusion", "level": 4, "atk": 1000, "def": 1000},
    "Spark": {
        "type": "spell",
        "kind": "normal",
        "effects": [
            {"kind": "spell", "effect": [{"op": "damage", "player": "opponent", "amount": 400}]}
        ],
    },
    "Well": {
        "type": "spell",
        "kind": "normal",
        "effects": [{"kind": "spell", "effect": [{"op": "draw", "n": 2}]}],
    },
    "Axe": {
        "type": "spell",
        "kind": "equip",
        "effects": [
            {"kind": "spell", "effect": [{"op": "modify_atk", "target": "equipped", "amount": 500}]}
        ],
    },
    "Meadow": {"type": "spell", "kind": "field"},
    "Dash": {
        "type": "spell",
        "kind": "quick_play",
        "effects": [{"kind": "spell", "effect": [{"op": "gain_lp", "amount": 200}]}],
    },
    "Snare": {
        "type": "trap",
        "kind": "normal",
        "effects": [
            {"kind": "trap", "effect": [{"op": "damage", "player": "opponent", "amount": 300}]}
        ],
    },
}
FACTS = facts_of(CARDS)


class Board:
    """A position with names for its cards, on which acts are tried in the form of the cases."""

    def __init__(self, options: Mapping[str, Any] | None = None, **given: Any) -> None:
        self.duel: Duel
        self.names: Names
        self.lay(given, FACTS, options)

    def lay(
        self,
        given: Mapping[str, Any],
        facts: Mapping[str, CardFacts],
        options: Mapping[str, Any] | None = None,
    ) -> None:
        """Lay a position of these cards out."""
        self.duel, self.names = build(given, facts, {"options": options or {}})

    def id(self, name: str) -> int:
        """The instance of a card name."""
        return self.names.find(name)

    def read(self, act: str, player: str = "P1", **params: Any) -> acts.AnyAct:
        """Make an act."""
        read = acts.read(translate({"act": act, "player": player, **params}, self.names))
        assert not isinstance(read, Refusal), read
        return read

    def act(self, act: str, player: str = "P1", **params: Any) -> list[DomainEvent] | Refusal:
        """Decide an act and take its events in; windows stay open."""
        decided = engine.decide(self.duel, self.read(act, player, **params))
        if not isinstance(decided, Refusal):
            for event in decided:
                self.duel = evolve(self.duel, event)
        return decided

    def do(self, act: str, player: str = "P1", **params: Any) -> list[DomainEvent] | Refusal:
        """Decide an act; nobody answers it. Return all that followed."""
        decided = self.act(act, player, **params)
        if isinstance(decided, Refusal):
            return decided
        return decided + self.close()

    def close(self) -> list[DomainEvent]:
        """Let both players pass until nothing is open."""
        events = engine.passes(self.duel)
        for event in events:
            self.duel = evolve(self.duel, event)
        return events

    def refused(self, act: str, player: str = "P1", **params: Any) -> str:
        """Return the code with which an act is refused; the position stays as it was."""
        before = self.duel.table
        decided = self.do(act, player, **params)
        assert isinstance(decided, Refusal), decided
        assert self.duel.table is before
        return decided.code


def deck_facts(seed: int, *, effects: bool = True) -> list[CardFacts]:
    """Return sixty monsters and some Spells and Traps, drawn from a seed."""
    rng = random.Random(seed)
    made: list[CardFacts] = []
    for number in range(60):
        level = rng.choice([1, 2, 3, 4, 4, 4, 4, 5, 6, 7, 8])
        atk, defence = 100 * rng.randint(0, 8 + 3 * level), 100 * rng.randint(0, 8 + 2 * level)
        made.append(
            CardFacts(f"m{number}", f"Monster {number}", "monster", "normal", level, atk, defence)
        )
    made.append(CardFacts("m60", "Monster 60", "monster", "effect", 4, None, 1000))
    for name in ("Spark", "Well", "Dash", "Snare", "Axe", "Meadow"):
        facts = FACTS[name]
        made.append(facts if effects else CardFacts(name, name, facts.type, facts.kind))
    return made


def opening(seed: int, size: int = 40, **changes: Any) -> list[DomainEvent]:
    """Return the opening events of a duel with decks drawn from a seed."""
    facts = deck_facts(seed)
    rng = random.Random(seed)
    keys = [one.key for one in facts]
    decks = {player: rng.choices(keys, k=size) for player in ("P1", "P2")}
    values: dict[str, Any] = {"main": decks, "facts": facts, **changes}
    events = setup.open_duel(setup.Opening("d", "P1", {}, **values), str(seed))
    assert not isinstance(events, Refusal), events
    return events


def played(seed: int, most: int = 2000) -> list[DomainEvent]:
    """Return the log of a duel played by the seeded policy."""
    events = opening(seed)
    _, more = bot.play(fold(events), random.Random(seed), most)
    return events + more
