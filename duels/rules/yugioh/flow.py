"""What happens by itself between two acts: chains resolve, effects go on the chain, windows
lead on to what they held up, endings are judged; and the passes that an act implies.

An act writes several events; a judge may take play back to any of them (YGO-17.9). Whatever act
comes next first lets happen what is under way.
"""

from __future__ import annotations

from duels.domain.events import seat
from duels.rules.yugioh import battle, chain, triggers, turn, values, victory
from duels.rules.yugioh import events as ev
from duels.rules.yugioh.cards import effect_at, events_of
from duels.rules.yugioh.draft import Draft
from duels.rules.yugioh.evolve import DESTROYING
from duels.rules.yugioh.match import PLAYERS
from duels.rules.yugioh.state import HAND_LIMIT, Table, Waiting

STEPS = 2000
"""More steps than any lawful play takes by itself: a bound, not a rule."""


def go_on(draft: Draft) -> None:
    """Let happen what happens by itself, until somebody may or must act."""
    table = draft.table
    if table.turn and table.result is None:
        draft.end(victory.by_life_points(table) or victory.by_hand(table))
        _drop_orphans(draft)
    for _ in range(STEPS):
        if not _one(draft):
            return


def _drop_orphans(draft: Draft) -> None:
    """Equip Spells that lost their monster just before the moment play was taken back to."""
    table = draft.table
    for card, placed in tuple(table.placed.items()):
        if not placed.equipped_to or not values.works(table, card):
            continue
        carrier = table.placed.get(placed.equipped_to)
        if carrier is None or carrier.position == "set":
            gone = table.causes.get(placed.equipped_to) in DESTROYING and carrier is None
            draft.drop_equips([placed.equipped_to], destroyed=gone)


def _one(draft: Draft) -> bool:
    """Take one step; return False when there is none to take."""
    table = draft.table
    if table.result is not None or not table.opened:
        return False
    if table.turn == 0:
        return _first_turn(draft)
    if table.resolving and table.chain:
        return chain.resolve_next(draft)
    if chain.place_waiting(draft):
        return True
    if table.chain or table.waiting:
        return False
    if table.windows:
        if table.windows[-1].kind == "attack" and battle.broken(table):
            # it does not open again when a chain has broken the attack off: what is due follows
            return battle.go_on(draft)
        if table.passed < 2:
            return False
    return _after_windows(draft)


def _first_turn(draft: Draft) -> bool:
    table = draft.table
    if not all(table.side(player).opened for player in PLAYERS):
        return False
    draft.end(victory.by_hand(table))
    draft.add(ev.TurnBegun(1, seat(table.starter)))
    return True


def _after_windows(draft: Draft) -> bool:
    """Nothing is open, or both have passed: what follows."""
    table = draft.table
    if table.attack is not None or table.step == "damage":
        return battle.go_on(draft)
    player = seat(table.active)
    if table.end_announced:
        if table.windows:
            return False
        return turn.next_turn(draft)
    if table.phase == "battle":
        if table.step == "end":
            turn.leave_battle(draft)
            return True
        if table.step != "battle":
            draft.add(ev.StepEntered(player, "battle"))
            return True
    return False


def choosing(table: Table) -> Waiting | None:
    """Return the waiting effect for whose player the table waits, None for none."""
    if table.result is not None or table.resolving or not chain.may_place(table):
        return None
    return chain.first_waiting(table)


def blocked(table: Table) -> tuple[str, int] | None:
    """Return (rule, card) of what play may not pass over: a compulsory effect whose choice is
    still to be made, or a price still to be decided. None when nothing bars the way."""
    price = chain.pending_price(table)
    if price is not None:
        link = price[0]
        effect = effect_at(table.facts_of(link.card), link.effect)
        standby = "standby" in events_of(effect)
        return ("YGO-10.3" if standby else "YGO-17.4"), link.card
    for one in table.waiting:
        if not one.optional and choosing(table) is not None:
            return triggers.rule_of(one), one.card
    return None


def close(draft: Draft, *, until: int = 0) -> None:
    """Let both players pass in every open window, again and again until none is open, give up
    optional effects on the way, and stop at what may not be passed over.

    `until`: stop where an effect of this card waits, or asks for a decision.
    """
    for _ in range(STEPS):
        go_on(draft)
        table = draft.table
        if table.result is not None or (until and _waits(table, until)):
            return
        waiting = choosing(table)
        if waiting is not None:
            if not waiting.optional:
                return
            draft.add(ev.EffectDeclined(seat(waiting.player), waiting.card, waiting.effect))
            continue
        if chain.pending_price(table) is not None:
            return
        if table.chain:
            if table.resolving:
                return
            draft.add(ev.WindowClosed("chain"))
        elif table.windows:
            if table.windows[-1].kind == "summon":
                draft.shut()
            else:
                _lead_on(draft)
        elif table.waiting:
            return
        else:
            return


def _lead_on(draft: Draft) -> None:
    """Close a window that leads on to a step or phase: what follows says so in the log."""
    if not _after_windows(draft):
        draft.add(ev.WindowClosed(draft.table.windows[-1].kind))  # type: ignore[arg-type]


def _waits(table: Table, card: int) -> bool:
    if any(one.card == card for one in table.waiting) and choosing(table) is not None:
        return True
    return chain.pending_price(table) is not None and chain.price_of(table, card) is not None


def owed(table: Table) -> int:
    """Return how many cards the turn player still has to discard (YGO-10.9)."""
    if not table.end_announced:
        return 0
    return max(0, len(table.side(table.active).hand) - HAND_LIMIT)
