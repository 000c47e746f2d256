"""Cards and duels of the game of creatures, mana and shields that the tests use."""

from __future__ import annotations

import random
from typing import Any

from duels.domain.events import DuelOpened
from duels.rules.duelmasters import bot, setup
from duels.rules.duelmasters.cards import Card, facts
from duels.rules.duelmasters.duel import fold
from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent

TAP_ONE = {"op": "tap", "target": "chosen", "zone": "battle", "of": "opponent", "n": 1}
DESTROY = {"op": "destroy", "target": "chosen", "zone": "battle", "of": "opponent", "n": 1}
CARDS: dict[str, dict[str, Any]] = {
    "Mole": {"cost": 1, "power": 1000, "race": "Digger"},
    "Kite": {"cost": 2, "power": 2000, "race": "Flyer", "abilities": ["speed_attacker"]},
    "Wall": {"cost": 2, "power": 2000, "race": "Digger", "abilities": ["blocker", "cant_attack"]},
    "Gate": {
        "cost": 3,
        "power": 4000,
        "race": "Digger",
        "abilities": ["blocker", "shield_trigger"],
    },
    "Adder": {"cost": 2, "power": 1000, "race": "Creeper", "abilities": ["slayer"]},
    "Bull": {"cost": 4, "power": 3000, "race": "Runner", "power_attacker": 3000},
    "Drake": {"cost": 5, "power": 6000, "race": "Flyer", "abilities": ["double_breaker"]},
    "Titan": {"cost": 4, "power": 7000, "race": "Digger", "evolves": "Digger"},
    "Netter": {
        "cost": 3,
        "power": 2000,
        "race": "Creeper",
        "effects": [{"kind": "trigger", "when": "attacks", "effect": [TAP_ONE]}],
    },
    "Thief": {
        "cost": 3,
        "power": 2000,
        "race": "Creeper",
        "effects": [
            {
                "kind": "trigger",
                "when": "not_blocked",
                "effect": [{"op": "discard", "n": 1, "player": "opponent"}],
            }
        ],
    },
    "Sage": {
        "cost": 3,
        "power": 2000,
        "race": "Flyer",
        "effects": [{"kind": "tap", "effect": [{"op": "draw", "n": 1}]}],
    },
    "Bolt": {
        "type": "spell",
        "cost": 3,
        "abilities": ["shield_trigger"],
        "effects": [{"kind": "spell", "effect": [DESTROY]}],
    },
    "Rain": {
        "type": "spell",
        "cost": 2,
        "effects": [{"kind": "spell", "effect": [{"op": "put_into_mana", "from": "deck", "n": 1}]}],
    },
}


def _made(name: str, record: dict[str, Any]) -> Card:
    civilization = "Fire" if len(name) % 2 else "Nature"
    made = facts({"name": name, "type": "creature", "civilization": civilization, **record})
    assert not isinstance(made, Refusal)
    return made


FACTS: dict[str, Card] = {name: _made(name, record) for name, record in CARDS.items()}
DECK: list[str] = [name for name in CARDS for _ in range(4)][:40]


def opening(seed: int, **values: Any) -> list[DomainEvent]:
    """The opening of a duel with the whole range of cards, shuffled by the seed."""
    cards = [name for name in CARDS for _ in range(4)]
    rng = random.Random(seed)
    main = {seat: rng.sample(cards, 40) for seat in ("P1", "P2")}
    given: dict[str, Any] = {
        "duel_id": "a duel",
        "starter": "P1",
        "seats": {"P1": ["alice"], "P2": ["bob"]},
        "main": main,
        "facts": list(FACTS.values()),
    }
    made = setup.open_duel(setup.Opening(**given | values), str(seed))
    assert not isinstance(made, Refusal), made
    assert isinstance(made[0], DuelOpened)
    return made


def played(seed: int, most: int = 4000, **values: Any) -> list[DomainEvent]:
    """The log of a duel that the policy played."""
    log = opening(seed, **values)
    _, more = bot.play(fold(log), random.Random(seed), most)
    return log + more
