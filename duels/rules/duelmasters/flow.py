"""What happens by itself between acts, and what an act implies about what is still open."""

from __future__ import annotations

from collections.abc import Callable

from duels.rules.duelmasters import battle, effects, setup, shields, turn
from duels.rules.duelmasters import events as ev
from duels.rules.duelmasters.cards import CANT_BE_BLOCKED, has
from duels.rules.duelmasters.draft import Draft
from duels.rules.duelmasters.seats import player, seat
from duels.rules.duelmasters.state import Table, Waiting

STUCK = {
    "attacks": "DM-8.4",
    "attack_declared": "DM-8.4",
    "not_blocked": "DM-8.10",
    "battled": "DM-8.11",
    "destroyed": "DM-8.11",
    "cast": "DM-5.2",
    "tap": "DM-10.5",
}
"""The word under which a compulsory effect waits -> the rule that it be carried out first."""


def choosing(table: Table) -> Waiting | None:
    """Return the effect that waits for somebody's choice now, None when there is none."""
    if not table.waiting:
        return None
    one = table.waiting[0]
    return one if one.optional or effects.chooser(table, one) is not None else None


def asked(table: Table) -> str | None:
    """Return who has something to answer now, None when play is open, or goes on by itself:
    a choice for an effect, a block, the shields, or a shield trigger."""
    one = choosing(table)
    if one is not None:
        return effects.chooser(table, one) or one.player
    attack = table.attack
    if attack is None:
        return None
    match attack.stage:
        case "declared" | "broken":
            return attack.defender
        case "unblocked":
            return attack.player
    return None


def blocked(table: Table) -> tuple[str, int] | None:
    """Return (rule, card) when play cannot go on: a compulsory effect waits for its choice."""
    one = choosing(table)
    if one is None or not effects.bars_the_way(table, one):
        return None
    return STUCK.get(one.when, "DM-0.2"), one.card


def go_on(draft: Draft) -> None:
    """Let everything happen that needs nobody's word."""
    while draft.table.result is None and _step(draft):
        pass


def _step(draft: Draft) -> bool:
    table = draft.table
    if table.turn == 0 and table.opened and table.fidelity != "pad":
        setup.prepare(draft, table.secret)  # play was taken back into the preparation
        draft.add(ev.TurnBegun(1, seat(table.starter)))
        return True
    if table.active in table.sides and table.side(table.active).out:
        turn.next_turn(draft)
        return True
    if table.waiting:
        one = table.waiting[0]
        if one.optional or effects.chooser(table, one) is not None:
            return False
        effects.begin(draft, one)
        return True
    attack = table.attack
    if attack is None:
        return False
    cause = battle.stopped(table, attack)
    if cause is not None:
        draft.add(ev.AttackEnded(attack.attacker, cause))
        return True
    match attack.stage:
        case "declared" if has(table.facts_of(attack.attacker), CANT_BE_BLOCKED):
            defender = player(attack.defender)
            draft.add(ev.AttackUnblocked(defender, attack.attacker, "cannot_be_blocked"))
        case "unblocked" if attack.target:
            battle.fight(draft, attack)
        case "unblocked" if not table.side(attack.defender).shields:
            shields.win(draft, attack)
        case "broken" if not attack.broken:
            draft.add(ev.AttackEnded(attack.attacker, "carried_through"))
        case "fought" | "done":
            draft.add(ev.AttackEnded(attack.attacker, "carried_through"))
        case _:
            return False
    return True


def close(draft: Draft, until: Callable[[Table], bool] = lambda table: False) -> None:
    """Let everybody pass, again and again, until nothing is open, something compulsory bars the
    way, or `until` holds of the table."""
    go_on(draft)
    while draft.table.result is None and not until(draft.table) and pass_once(draft):
        go_on(draft)


def pass_once(draft: Draft) -> bool:
    """Go past what is open first; say False where nothing is, or something bars the way."""
    table = draft.table
    one = choosing(table)
    if one is not None:
        return give_up(draft, one)
    attack = table.attack
    if attack is None:
        return False
    match attack.stage:
        case "declared":
            draft.add(ev.AttackUnblocked(player(attack.defender), attack.attacker, "declined"))
        case "blocked":
            battle.fight(draft, attack)
        case "unblocked":
            shields.smash(draft, attack, shields.first_ones(table, attack))
        case "broken":
            draft.add(ev.Passed(seat(attack.defender)))
        case _:
            return False
    return True


def give_up(draft: Draft, one: Waiting) -> bool:
    """Leave an optional effect unused, or carry one out that needs no choice to be made; say
    False for a compulsory one that does."""
    if one.optional:
        draft.add(ev.EffectDeclined(seat(one.player), one.card, one.effect))
        effects.finish_spell(draft, one.card)
        return True
    if effects.bars_the_way(draft.table, one):
        return False
    effects.begin(draft, one)
    return True


def at_stage(*stages: str) -> Callable[[Table], bool]:
    """Return the condition that the attack is at one of these stages, with no effect waiting."""

    def reached(table: Table) -> bool:
        attack = table.attack
        return attack is not None and attack.stage in stages and choosing(table) is None

    return reached
