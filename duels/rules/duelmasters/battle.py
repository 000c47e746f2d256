"""A battle of two creatures (DM-8.8, 8.9, 8.11, 9.5, 10.6), and attacks that come to nothing."""

from __future__ import annotations

from typing import Literal

from duels.rules.duelmasters import events as ev
from duels.rules.duelmasters import triggers
from duels.rules.duelmasters.cards import SLAYER, has
from duels.rules.duelmasters.draft import Draft
from duels.rules.duelmasters.state import Attack, Table
from duels.rules.duelmasters.values import power

Stopped = Literal["attacker_gone", "target_gone", "target_untapped"]


def stopped(table: Table, attack: Attack) -> Stopped | None:
    """Return why an attack ends before its battle or break, None while it goes on (E-09, E-10):
    its attacker or target has left, or by option attack.target_untapped is untapped."""
    if attack.stage not in ("declared", "blocked", "unblocked"):
        return None
    if not table.in_battle_zone(attack.attacker):
        return "attacker_gone"
    opposing = attack.opposing
    if not opposing:
        return None
    if not table.in_battle_zone(opposing):
        return "target_gone"
    ends = table.options["attack.target_untapped"] == "ends"
    if ends and not attack.blocker and not table.lying[opposing].tapped:
        return "target_untapped"
    return None


def fight(draft: Draft, attack: Attack) -> None:
    """Compare the powers; the weaker creature goes to the graveyard, both at equality; slayers
    take the other one with them; then come the effects after the battle (DM-8.11)."""
    table, one, two = draft.table, attack.attacker, attack.opposing
    mine, theirs = power(table, one), power(table, two)
    if mine == theirs:
        lost, rule = [one, two], "DM-8.9"
    else:
        lost, rule = [two] if mine > theirs else [one], "DM-8.8"
    called = [
        *triggers.called(table, attack.player, one, "battled", about=two),
        *triggers.called(table, attack.defender, two, "battled", about=one),
    ]
    slain = _slain(table, one, two, lost)
    draft.add(ev.BattleFought(one, two, mine, theirs, lost, rule))
    draft.send(lost, "graveyard", "battle", destroyed=True)
    for victim, slayer in slain:
        if draft.table.in_battle_zone(victim):
            draft.send([victim], "graveyard", "effect", slayer, destroyed=True)
    draft.trigger(triggers.in_order(draft.table, called))


def _slain(table: Table, one: int, two: int, lost: list[int]) -> list[tuple[int, int]]:
    """Return (victim, slayer) of a battle (option slayer.mode)."""
    always = table.options["slayer.mode"] == "every_battle"
    return [
        (victim, slayer)
        for slayer, victim in ((one, two), (two, one))
        if has(table.facts_of(slayer), SLAYER) and (always or slayer in lost)
    ]
