"""Breaking shields, and shield triggers (DM-2.1, 2.3, 8.5 to 8.7, 10.4, 10.9)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from duels.rules.duelmasters import acts as a
from duels.rules.duelmasters import events as ev
from duels.rules.duelmasters import evolution, refs, spells
from duels.rules.duelmasters.cards import (
    BREAKERS,
    SHIELD_TRIGGER,
    breaks,
    has,
    is_creature,
)
from duels.rules.duelmasters.draft import Draft
from duels.rules.duelmasters.seats import player
from duels.rules.duelmasters.state import Attack, Table
from duels.rules.duelmasters.values import may_have
from eventstore.domain.refusal import Refusal

MOST_BROKEN = max(BREAKERS.values())
"""What a creature of unknown text may break at most."""


def to_break(table: Table, attack: Attack) -> int:
    """Return how many shields an attack breaks: as many as its creature can, no more than are
    left (DM-8.7)."""
    wanted = breaks(table.facts_of(attack.attacker))
    return min(wanted, len(table.side(attack.defender).shields))


def first_ones(table: Table, attack: Attack) -> list[int]:
    """Return the shields that are broken when nobody chooses."""
    return list(table.side(attack.defender).shields[: to_break(table, attack)])


def smash(draft: Draft, attack: Attack, cards: Sequence[int]) -> None:
    """Break shields: their owner takes them into the hand (DM-8.5)."""
    draft.add(ev.ShieldsBroken(player(attack.defender), list(cards), attack.attacker))


def win(draft: Draft, attack: Attack) -> None:
    """An unblocked attack on a player without shields (DM-2.1)."""
    draft.lose([attack.defender], "DM-2.1", "direct_attack", by=attack.player)


def check_choice(table: Table, act: a.ChooseShields) -> Iterator[Refusal]:
    """DM-8.5: the attacking player chooses, once the attack is unblocked (DM-9.4 when it was
    blocked); as many as the attack breaks (DM-2.3, 8.6, 10.9), of those that are there."""
    attack = table.attack
    if attack is None or attack.stage != "unblocked" or attack.target:
        rule = "DM-9.4" if table.parried else "DM-8.5"
        yield Refusal(rule, {"found": "no attack breaks shields"})
        return
    if act.player != attack.player:
        yield Refusal("DM-8.5", {"found": act.player, "allowed": attack.player})
    row = table.side(attack.defender).shields
    wanted = to_break(table, attack)
    if len(set(act.shields)) != len(act.shields) or not all(
        1 <= one <= len(row) for one in act.shields
    ):
        yield Refusal("DM-8.5", {"found": act.shields[:10], "allowed": len(row)})
    if not act.shields:
        yield Refusal("DM-2.3", {"found": 0, "allowed": wanted})
    elif len(act.shields) != wanted and not (
        may_have(table, attack.attacker) and len(act.shields) <= MOST_BROKEN
    ):
        rule = {2: "DM-8.6", 3: "DM-10.9"}.get(breaks(table.facts_of(attack.attacker)), "DM-8.5")
        yield Refusal(rule, {"found": len(act.shields), "allowed": wanted})


def carry_choice(draft: Draft, act: a.ChooseShields) -> None:
    """Break the chosen shields."""
    attack = draft.table.attack
    if attack is None or attack.target:
        return
    row = draft.table.side(attack.defender).shields
    cards = [row[one - 1] for one in dict.fromkeys(act.shields) if 1 <= one <= len(row)]
    if cards:
        smash(draft, attack, cards)


def check_trigger(table: Table, act: a.UseShieldTrigger) -> Iterator[Refusal]:
    """DM-10.4: at once, by the owner, with a card that has just been broken and has the
    ability; DM-7.1 for an evolution creature; DM-5.2, 5.1 for the choices of a spell."""
    attack = table.attack
    card = refs.cards(table, [act.card])[0]
    if attack is None or attack.stage != "broken" or card not in attack.broken:
        yield Refusal("DM-10.4", {"card": card, "found": table.where(card)[1]})
        return
    if act.player != attack.defender:
        yield Refusal("DM-10.4", {"found": act.player, "allowed": attack.defender})
        return
    facts = table.facts_of(card)
    if facts is None:
        yield Refusal("duels.card_unknown", {"card": card})
        return
    if not may_use(table, card):
        yield Refusal("DM-10.4", {"card": card, "found": "no shield trigger"})
    targets = refs.cards(table, act.targets)
    if facts.evolves is not None:
        onto = targets[0] if targets else evolution.base_for(table, act.player, facts)
        yield from evolution.against(table, act.player, facts, onto)
    elif not is_creature(facts):
        yield from spells.check_targets(table, act.player, card, targets)


def carry_trigger(draft: Draft, act: a.UseShieldTrigger) -> None:
    """Summon the creature or cast the spell for nothing."""
    card = refs.cards(draft.table, [act.card])[0]
    facts = draft.table.facts_of(card)
    targets = refs.cards(draft.table, act.targets)
    source = draft.table.where(card)[1]
    if facts is None or not is_creature(facts):
        draft.add(ev.SpellCast(act.player, card, "trigger", [], targets, source))
        spells.start(draft, act.player, card, targets)
        return
    if facts.evolves is None:
        draft.add(ev.CreatureSummoned(act.player, card, "trigger", [], source))
        return
    onto = targets[0] if targets else evolution.base_for(draft.table, act.player, facts)
    if onto != card and onto in draft.table.side(act.player).battle:
        evolution.lay(draft, act.player, card, onto, "trigger", [], source)


def may_use(table: Table, card: int) -> bool:
    """Say whether a card that was broken has a shield trigger to use, or may have one."""
    facts = table.facts_of(card)
    return has(facts, SHIELD_TRIGGER) or (facts is not None and may_have(table, card))
