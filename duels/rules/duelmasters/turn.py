"""The five steps of a turn (DM-3.1 to 3.3)."""

from __future__ import annotations

from collections.abc import Iterator

from duels.rules.duelmasters import acts as a
from duels.rules.duelmasters import common
from duels.rules.duelmasters import events as ev
from duels.rules.duelmasters.draft import Draft
from duels.rules.duelmasters.seats import following, seat
from duels.rules.duelmasters.state import STEPS, Table
from eventstore.domain.refusal import Refusal


def tapped(table: Table, player: str) -> list[int]:
    """Return the tapped cards of a player in mana zone and battle zone."""
    side = table.side(player)
    return [card for card in (*side.mana, *side.battle) if table.lying[card].tapped]


def untap_owed(table: Table) -> bool:
    """Say whether step 1 is still to be done: there are tapped cards of the turn player."""
    active = table.active
    return table.step == "start" and not table.side(active).untapped and bool(tapped(table, active))


def draw_due(table: Table) -> bool:
    """Say whether the turn player still has to draw (DM-3.3): not the starter on turn 1."""
    if table.turn == 1 and table.active == table.starter:
        return False
    return table.step in ("start", "draw") and not table.side(table.active).drawn


def check_untap(table: Table, act: a.Untap) -> Iterator[Refusal]:
    """DM-3.1: in step 1, by the turn player, once."""
    yield from common.turn_player(table, act, "start")
    if table.step == "start" and table.side(table.active).untapped:
        yield Refusal("DM-3.1", {"found": "untapped already", "allowed": "draw"})


def carry_untap(draft: Draft, act: a.Untap) -> None:
    """Untap every tapped card of the player (DM-3.2)."""
    draft.add(ev.CardsUntapped(act.player, tapped(draft.table, act.player)))


def check_draw(table: Table, act: a.Draw) -> Iterator[Refusal]:
    """DM-3.1 player and step, DM-3.3 the starter on turn 1 and a second draw."""
    yield from common.turn_player(table, act, "start", "draw")
    if act.player == table.active and untap_owed(table):
        yield Refusal("DM-3.1", {"found": "start", "allowed": ["draw"]}, ("DM-3.2",))
    if table.turn == 1 and act.player == table.starter:
        yield Refusal("DM-3.3", {"found": 1, "allowed": 0})
    elif act.player == table.active and table.side(act.player).drawn:
        yield Refusal("DM-3.3", {"found": 2, "allowed": 1})


def carry_draw(draft: Draft, act: a.Draw) -> None:
    """Draw one card."""
    if draft.table.step == "start" and act.player == draft.table.active:
        draft.add(ev.StepBegun(act.player, "draw"))
    draft.draw({act.player: 1}, "normal")


def _left_undone(table: Table, to: str) -> Iterator[Refusal]:
    """What belongs to an earlier step and was not done: DM-3.2, DM-3.3."""
    if untap_owed(table):
        found = len(tapped(table, table.active))
        yield Refusal("DM-3.2", {"found": found, "allowed": 0})
    if STEPS.index(to) > STEPS.index("draw") and draw_due(table):
        yield Refusal("DM-3.3", {"found": 0, "allowed": 1})


def check_step(table: Table, act: a.EnterStep) -> Iterator[Refusal]:
    """DM-3.1: in fixed order, none twice; DM-3.2, 3.3: untapping and the draw come first."""
    yield from common.turn_player(table, act)
    if act.player == table.active and STEPS.index(act.step) <= STEPS.index(table.step):
        later = list(STEPS[STEPS.index(table.step) + 1 :])
        yield Refusal("DM-3.1", {"found": act.step, "allowed": later})
    yield from _left_undone(table, act.step)


def carry_step(draft: Draft, act: a.EnterStep) -> None:
    """Go on to the step; steps between are passed."""
    draft.add(ev.StepBegun(act.player, act.step))


def check_end(table: Table, act: a.EndTurn) -> Iterator[Refusal]:
    """DM-3.1: by the turn player; DM-3.2, 3.3: untapping and the draw come first."""
    yield from common.turn_player(table, act)
    yield from _left_undone(table, "attack")


def carry_end(draft: Draft, act: a.EndTurn) -> None:
    """Begin the next player's turn."""
    next_turn(draft)


def next_turn(draft: Draft) -> None:
    """Begin the turn of the next player clockwise who is still in the duel."""
    table = draft.table
    out = [one for one in table.seats if one not in table.alive]
    after = following(table.seats, table.active, out)
    draft.add(ev.TurnBegun(table.turn + 1, seat(after)))
