"""What happens by itself, and what a rewind into the middle of an act has left open.

An act writes several events; a judge may take play back to any of them, so that a skipped
answer can be given there (YGO-17.9). Whatever act comes next first finishes what is open; only
answers, and what belongs to no phase, leave it open.
"""

from __future__ import annotations

from duels.domain.events import seat
from duels.rules.yugioh import acts as a
from duels.rules.yugioh import battle, spells_traps, turn, victory
from duels.rules.yugioh import events as ev
from duels.rules.yugioh.draft import Draft
from duels.rules.yugioh.match import PLAYERS
from duels.rules.yugioh.state import HAND_LIMIT, Table

LEAVES_OPEN = (
    a.Resume,
    a.Activate,
    a.ResolveEffect,
    a.LpChange,
    a.Identify,
    a.Claim,
    a.Observe,
    a.Concede,
)


def waits(table: Table) -> bool:
    """Say whether an attack or an activation is open."""
    return table.attack is not None or table.activation is not None


def settle(draft: Draft) -> None:
    """Let happen what happens by itself: an ending, the first turn, the next turn, a step."""
    table = draft.table
    if not table.opened or table.result is not None:
        return
    if table.turn == 0:
        if all(table.side(player).opened for player in PLAYERS):
            draft.end(victory.by_hand(table))
            draft.add(ev.TurnBegun(1, seat(table.starter)))
        return
    _judge(draft)
    player = seat(table.active)
    if table.end_announced:
        if len(table.side(player).hand) <= HAND_LIMIT:
            turn.next_turn(draft)
    elif table.phase == "battle" and not waits(table):
        if table.step == "end":
            draft.add(ev.PhaseEntered(player, "main2"))
        elif table.step != "battle":
            draft.add(ev.StepEntered(player, "battle"))


def _judge(draft: Draft) -> None:
    """End the duel when the table is such that it has ended."""
    if draft.table.turn:
        draft.end(victory.by_life_points(draft.table) or victory.by_hand(draft.table))


def finish(draft: Draft) -> None:
    """Go on with the open attack or activation to its end, and settle."""
    _judge(draft)
    spells_traps.resume(draft)
    battle.resume(draft)
    settle(draft)


def before(draft: Draft, act: a.AnyAct) -> None:
    """Bring the table to where an act meets it."""
    if isinstance(act, LEAVES_OPEN):
        if not isinstance(act, a.Resume | a.Observe | a.Claim):
            settle(draft)
    else:
        finish(draft)
