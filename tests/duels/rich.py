"""Decks in which every mechanism of the game occurs, and duels played with them at random."""

from __future__ import annotations

import random
from typing import Any

from duels.domain.events import CardFacts
from duels.rules.yugioh import engine, options, setup
from duels.rules.yugioh.acts import AnyAct, Concede
from duels.rules.yugioh.cases.position import facts_of
from duels.rules.yugioh.duel import Duel, evolve, fold
from duels.rules.yugioh.legal import legal_acts
from duels.rules.yugioh.match import PLAYERS
from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent


def chosen(op: str, **more: Any) -> dict[str, Any]:
    """An operation on one chosen monster of either side."""
    return {"op": op, "target": "chosen", "zone": "monsters", "of": "any", "n": 1, **more}


def monster(level: int, atk: int, defence: int, *effects: dict[str, Any]) -> dict[str, Any]:
    """An Effect Monster, or a Normal one without effects."""
    return {
        "type": "monster",
        "kind": "effect" if effects else "normal",
        "level": level,
        "atk": atk,
        "def": defence,
        "effects": list(effects),
    }


def spell(kind: str, *ops: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A Spell whose one effect is these operations."""
    return {
        "type": "spell",
        "kind": kind,
        "effects": [{"kind": "spell", "effect": list(ops), **more}],
    }


def trap(kind: str, *ops: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A Trap whose one effect is these operations."""
    return {
        "type": "trap",
        "kind": kind,
        "effects": [{"kind": "trap", "effect": list(ops), **more}],
    }


def trigger(when: str | list[str], *ops: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A Trigger effect."""
    return {"kind": "trigger", "when": when, "effect": list(ops), **more}


CARDS: dict[str, dict[str, Any]] = {
    "Heron": monster(4, 1700, 1000),
    "Otter": monster(3, 1200, 1300),
    "Bison": monster(6, 2300, 1500),
    "Newt": monster(2, 600, 700),
    "Fern": monster(2, 700, 600),
    "Sheep": {"type": "token", "level": 1, "atk": 0, "def": 0},
    "Mole": monster(2, 450, 600, {"kind": "flip", "effect": [chosen("destroy")]}),
    "Crab": monster(2, 300, 1500, {"kind": "flip", "effect": [chosen("return_to_hand")]}),
    "Bat": monster(
        2, 300, 400, {"kind": "flip", "optional": True, "effect": [{"op": "draw", "n": 1}]}
    ),
    "Herald": monster(4, 1000, 1000, trigger("normal_summon", {"op": "draw", "n": 1})),
    "Scout": monster(
        4, 1300, 1000, trigger(["flip_summon", "special_summon"], chosen("change_position"))
    ),
    "Lantern": monster(4, 1000, 1000, trigger("destroyed", {"op": "draw", "n": 1}, optional=True)),
    "Ash": monster(
        3,
        900,
        900,
        trigger(
            "sent_to_graveyard",
            {"op": "special_summon", "target": "self", "from": "graveyard"},
            optional=True,
        ),
    ),
    "Thief": monster(
        3, 1000, 500, trigger("direct_damage", {"op": "discard", "player": "opponent"})
    ),
    "Thorn": monster(4, 1400, 1000, trigger("battled", {"op": "destroy", "target": "battled"})),
    "Ram": monster(
        4,
        1200,
        1000,
        {
            "kind": "continuous",
            "while": "in_battle",
            "effect": [{"op": "modify_atk", "target": "self", "amount": 600}],
        },
    ),
    "Owl": monster(
        4,
        1300,
        1300,
        {
            "kind": "multi_trigger",
            "cost": [{"op": "pay_lp", "amount": 500}],
            "effect": [{"op": "modify_atk", "target": "all_own_monsters", "amount": 200}],
        },
    ),
    "Page": monster(
        3,
        1100,
        900,
        {
            "kind": "ignition",
            "cost": [{"op": "discard", "n": 1}],
            "effect": [{"op": "damage", "player": "opponent", "amount": 300}],
        },
    ),
    "Altar": monster(
        4,
        800,
        1800,
        {
            "kind": "ignition",
            "cost": [{"op": "tribute", "target": "chosen", "zone": "monsters", "of": "own"}],
            "effect": [{"op": "create_token", "card": "Sheep", "n": 1}],
        },
    ),
    "Sky": monster(
        3,
        900,
        400,
        {
            "kind": "continuous",
            "effect": [{"op": "attack_directly", "target": "self"}],
            "overrides": ["YGO-15.6"],
        },
    ),
    "Firedrake": {**monster(4, 1900, 1250), "kind": "fusion", "materials": ["Fern", "Newt"]},
    "Twin": {**monster(6, 2400, 1250), "kind": "fusion", "materials": ["Newt", "Newt"]},
    "Regent": {**monster(6, 2400, 1850), "kind": "ritual"},
    "Blend": spell("normal", {"op": "fusion_summon"}),
    "Rite": {
        **spell("ritual", {"op": "ritual_summon"}),
        "ritual": {"monster": "Regent", "levels": 6},
    },
    "Mace": spell("equip", {"op": "modify_atk", "target": "equipped", "amount": 700}),
    "Oath": spell("normal", chosen("take_control", of="opponent", until="end_of_turn")),
    "Bond": spell("normal", chosen("take_control", of="opponent")),
    "Gate": spell(
        "normal",
        {
            "op": "special_summon",
            "target": "chosen",
            "zone": "graveyard",
            "of": "own",
            "from": "graveyard",
        },
    ),
    "Flood": spell("normal", {"op": "destroy", "target": "all_monsters"}),
    "Sweep": spell("normal", {"op": "destroy", "target": "all_spells_traps"}),
    "Mirror": spell("normal", chosen("flip_face_down")),
    "Mill": spell("normal", {"op": "send_to_graveyard", "target": "top_of_deck", "n": 2}),
    "Flock": spell("quick_play", {"op": "create_token", "card": "Sheep", "n": 2}),
    "Charge": spell("quick_play", chosen("modify_atk", amount=700, until="end_of_turn")),
    "Ridge": {
        "type": "spell",
        "kind": "field",
        "effects": [
            {
                "kind": "continuous",
                "effect": [{"op": "modify_atk", "target": "all_monsters", "amount": 200}],
            }
        ],
    },
    "Rent": {
        "type": "spell",
        "kind": "continuous",
        "effects": [
            trigger(
                "standby",
                {
                    "op": "unless_paid",
                    "cost": [{"op": "pay_lp", "amount": 300}],
                    "else": [{"op": "destroy", "target": "self"}],
                },
            )
        ],
    },
    "Pit": trap("normal", chosen("destroy", of="opponent"), when=["normal_summon", "flip_summon"]),
    "Rope": trap("normal", {"op": "destroy", "target": "attacker"}, when="attack_declared"),
    "Wall": trap("normal", {"op": "negate_attack"}, when="attack_declared"),
    "Footing": trap("normal", chosen("modify_atk", amount=500, until="end_of_turn")),
    "Horn": trap(
        "counter",
        {"op": "negate_summon"},
        when=["normal_summon", "flip_summon", "special_summon"],
        cost=[{"op": "pay_lp", "amount": 500}],
    ),
    "Ward": trap("counter", {"op": "negate_activation"}, when="spell_activated"),
    "Seal": trap("counter", {"op": "negate_activation"}, when="trap_activated"),
    "Call": trap(
        "continuous",
        {"op": "special_summon", "target": "chosen", "zone": "hand", "of": "own", "from": "hand"},
    ),
    "Trip": trap("normal", {"op": "banish", "target": "chosen", "zone": "graveyard", "of": "any"}),
}
FACTS = facts_of(CARDS)
EXTRA = ("Firedrake", "Twin")
MAIN = tuple(name for name in CARDS if name not in (*EXTRA, "Sheep"))


def rich_facts() -> list[CardFacts]:
    """Every card of these decks, the token too."""
    return list(FACTS.values())


def rich_opening(seed: int, *, random_options: bool = False, **changes: Any) -> list[DomainEvent]:
    """Return the opening events of a duel between two such decks, drawn from a seed."""
    rng = random.Random(seed)
    main = {player: [*MAIN, *rng.choices(MAIN, k=8)] for player in PLAYERS}
    for keys in main.values():
        rng.shuffle(keys)
    fusion = {player: [*EXTRA, *EXTRA] for player in PLAYERS}
    values: dict[str, Any] = {}
    if random_options:
        values = {
            name: rng.choice([option.default, *option.others])
            for name, option in options.TABLE.items()
        }
    made = setup.Opening("d", "P1", {}, main, fusion, rich_facts(), values, **changes)
    events = setup.open_duel(made, str(seed))
    assert not isinstance(events, Refusal), events
    return events


LIKED = {
    "EndTurn": 0.15,
    "EnterPhase": 0.5,
    "Resume": 0.5,
    "Pass": 0.5,
    "SetSpellTrap": 0.7,
    "FusionSummon": 4.0,
    "RitualSummon": 4.0,
    "DeclareAttack": 3.0,
    "Respond": 2.0,
}
"""How often a kind of act is chosen beside one of weight 1."""


def choices(duel: Duel) -> list[AnyAct]:
    """Every lawful act of both players, concessions left out."""
    return [
        act
        for player in PLAYERS
        for act in legal_acts(duel, player)
        if not isinstance(act, Concede)
    ]


def rich_log(seed: int, most: int = 200, **changes: Any) -> list[DomainEvent]:
    """A log of lawful acts chosen at random. Raises AssertionError when a lawful act is refused
    or nobody can act."""
    rng = random.Random(seed)
    log = rich_opening(seed, **changes)
    duel = fold(log)
    for _ in range(most):
        if duel.table.result is not None:
            break
        found = choices(duel)
        assert found, "nobody can act"
        kinds = sorted({type(act).__name__ for act in found})
        kind = rng.choices(kinds, [LIKED.get(one, 1.0) for one in kinds])[0]
        act = rng.choice([act for act in found if type(act).__name__ == kind])
        decided = engine.decide(duel, act)
        assert not isinstance(decided, Refusal), (act, decided)
        for event in decided:
            duel = evolve(duel, event)
        log += decided
    return log
