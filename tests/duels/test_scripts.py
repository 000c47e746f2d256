"""Scripts of the shipped catalogue: every card with a text has one, or is said to be declared."""

from __future__ import annotations

import pytest

from cards import shipped
from cards.domain import facts as printed
from cards.domain.games import DUEL_MASTERS, KINDS, YUGIOH
from duels.rules.duelmasters import scripts as creatures
from duels.rules.duelmasters.cards import ABILITIES
from duels.rules.duelmasters.effects import unplayable
from duels.rules.games import rules_of
from duels.rules.yugioh import cards, effects
from duels.rules.yugioh.cases.position import facts_of
from duels.rules.yugioh.game import frozen
from duels.rules.yugioh.scripts import Script, operations, scripts, tokens_of
from duels.rules.yugioh.selectors import SELECTORS
from tests.duels.made import Board

CATALOGUE = {
    key: one for key, one in shipped.catalogue().cards.items() if one.kind in KINDS[YUGIOH]
}
BY_NAME = {one.name: one for one in CATALOGUE.values()}
EVENTS = {
    "normal_summon",
    "flip_summon",
    "special_summon",
    "attack_declared",
    "spell_activated",
    "trap_activated",
    "standby",
    "destroyed",
    "sent_to_graveyard",
    "direct_damage",
    "battled",
}


def has_a_text(card: printed.CardFacts) -> bool:
    """Whether the card says anything that the rules do not: Normal Monsters, tokens and Ritual
    Monsters without an effect do not."""
    if card.kind in (printed.SPELL, printed.TRAP):
        return True
    return card.kind == printed.MONSTER and (
        card.subkind in ("effect", "fusion") or "effect" in card.traits
    )


def test_every_shipped_card_with_a_text_is_scripted_or_declared() -> None:
    wanted = {key for key, card in CATALOGUE.items() if has_a_text(card)}
    assert wanted == set(scripts())
    for key, script in scripts().items():
        assert script.name == CATALOGUE[key].name
        assert script.effects or script.materials or script.declared, script.name


@pytest.mark.parametrize("script", scripts().values(), ids=lambda one: one.name)
def test_a_script_keeps_to_the_vocabulary(script: Script) -> None:
    for effect in script.effects:
        assert effect["kind"] in ("spell", "trap", "flip", "trigger", "continuous")
        assert set(cards.events_of(effect)) <= EVENTS
    for op in operations(script.effects):
        assert op["op"] in effects.CHECKS
        assert op.get("target", "self") in SELECTORS
        race = op.get("filter", {}).get("race")
        assert race is None or race in cards.RACES
    assert len(script.materials) != 1, "a Fusion takes two materials or more"
    assert not script.ritual or script.ritual["monster"] in BY_NAME
    assert all(CATALOGUE[key].is_token for key in tokens_of(script.effects))


def board(**given: object) -> Board:
    """A position of shipped cards."""
    made = Board.__new__(Board)
    records = {}
    for card in CATALOGUE.values():
        facts = frozen(card)
        assert facts is not None
        records[card.name] = {
            "type": facts.type,
            "kind": facts.kind,
            "level": facts.level,
            "atk": facts.atk,
            "def": facts.defence,
            "attribute": facts.attribute,
            "race": facts.race,
            "effects": facts.effects,
            "materials": facts.materials,
            "ritual": facts.ritual,
        }
        records.setdefault(card.key, records[card.name])
    made.lay(given, facts_of(records))
    return made


def test_trap_hole_needs_a_strong_monster() -> None:
    table = board(
        P1={"hand": ["Petit Dragon", "Gemini Elf"]},
        P2={"spells_traps": ["Trap Hole"]},
    )
    table.act("normal_summon", card="Petit Dragon")
    assert table.refused("respond", player="P2", card="Trap Hole", targets=["Petit Dragon"])


def test_mirror_force_destroys_monsters_in_attack_only() -> None:
    table = board(
        phase="battle",
        P1={"monsters": ["Gemini Elf", {"card": "Petit Dragon", "position": "defence"}]},
        P2={"spells_traps": ["Mirror Force"]},
    )
    table.act("declare_attack", card="Gemini Elf", direct=True)
    table.do("respond", player="P2", card="Mirror Force")
    left = table.duel.table.controlled("P1")
    assert left == [table.id("Petit Dragon")]


def test_solemn_judgment_answers_summons_and_activations() -> None:
    for act, card in (("normal_summon", "Gemini Elf"), ("activate", "Pot of Greed")):
        table = board(P1={"hand": [card]}, P2={"spells_traps": ["Solemn Judgment"]})
        table.act(act, card=card)
        table.do("respond", player="P2", card="Solemn Judgment")
        assert table.duel.table.p1.graveyard == (table.id(card),)
        assert table.duel.table.p2.life_points == 4000
        assert table.duel.table.p1.hand == ()


def test_scapegoat_makes_four_tokens_in_defence() -> None:
    table = board(P1={"hand": ["Scapegoat"]})
    table.do("activate", card="Scapegoat")
    lying = table.duel.table.controlled("P1")
    assert [table.duel.table.placed[card].position for card in lying] == ["defence"] * 4


def test_scripts_of_creatures_fit_the_shipped_cards_and_are_played() -> None:
    rules = rules_of(DUEL_MASTERS)
    pool = {
        key: one
        for key, one in shipped.catalogue().cards.items()
        if one.kind in KINDS[DUEL_MASTERS]
    }
    assert set(creatures.scripts()) <= set(pool)
    for key, printed_card in pool.items():
        facts = rules.frozen(printed_card)
        assert facts is not None
        script = creatures.script_of(key)
        assert (facts.evolves is not None) == ("evolution" in printed_card.traits)
        assert script is not None or facts.type == "creature", "a spell does something"
        if script is None:
            continue
        assert script.name == printed_card.name
        assert set(script.abilities) <= set(ABILITIES)
        for effect in script.effects:
            assert effect["kind"] in ("spell", "trigger", "tap", "continuous")
            assert unplayable(effect["effect"]) is None
        works = [op["op"] for effect in script.effects for op in effect["effect"]]
        assert bool(script.power_attacker or "modify_power" in works) == facts.plus
