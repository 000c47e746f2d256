"""The turn: draw, phases, steps, the end of the turn and the hand limit (YGO-10, 15.1, 15.14)."""

from __future__ import annotations

from collections.abc import Iterator

from duels.domain.events import seat
from duels.rules.yugioh import acts as a
from duels.rules.yugioh import battle, refs
from duels.rules.yugioh import events as ev
from duels.rules.yugioh.common import phase_of
from duels.rules.yugioh.draft import Draft
from duels.rules.yugioh.match import other
from duels.rules.yugioh.state import HAND_LIMIT, SPACES, Table, free_space
from eventstore.domain.refusal import Refusal

NEXT: dict[str, tuple[str, ...]] = {
    "draw": ("standby",),
    "standby": ("main1",),
    "main1": ("battle", "end"),
    "battle": ("main2", "end"),
    "main2": ("end",),
    "end": (),
}


def draw_owed(table: Table) -> bool:
    """Say whether the draw of the turn is still to be made (YGO-10.2)."""
    if table.phase != "draw" or table.side(table.active).drawn:
        return False
    return table.turn != 1 or table.options["first_turn.draw"] is True


def check_draw(table: Table, act: a.Draw) -> Iterator[Refusal]:
    """YGO-10.2: one draw, in the Draw Phase."""
    if not draw_owed(table):
        drawn = 1 if table.side(table.active).drawn else 0
        yield Refusal(
            "YGO-10.2",
            {"found": drawn, "allowed": 1, "phase": phase_of(table), "turn": table.turn},
        )


def carry_draw(draft: Draft, act: a.Draw) -> None:
    """Draw one card."""
    draft.draw({act.player: 1}, "normal")


def check_phase(table: Table, act: a.EnterPhase) -> Iterator[Refusal]:
    """YGO-10.6, 10.5, 10.2, 10.1, in the order of precedence."""
    found = {"found": act.phase, "phase": phase_of(table), "turn": table.turn}
    if act.phase == "battle" and table.turn == 1:
        yield Refusal("YGO-10.6", found)
    if act.phase == "main2" and not table.fought:
        yield Refusal("YGO-10.5", found | {"allowed": list(NEXT["main1"])})
        if table.phase == "main1":
            return
    if draw_owed(table):
        yield Refusal("YGO-10.2", found | {"allowed": 1})
    allowed = [
        phase for phase in NEXT.get(table.phase, ()) if not (phase == "battle" and table.turn == 1)
    ]
    if act.phase not in allowed and not (act.phase == "battle" and table.turn == 1):
        yield Refusal("YGO-10.1", found | {"allowed": allowed})


def carry_phase(draft: Draft, act: a.EnterPhase) -> None:
    """Enter a phase. A Battle Phase begins with its Start Step and is left by its End Step, in
    which both players may answer (YGO-15.2, 15.14)."""
    player = seat(act.player)
    if draft.table.phase != "battle" or act.phase == "battle":
        draft.add(ev.PhaseEntered(player, act.phase))
        return
    if act.phase == "end":
        draft.add(ev.BattleEndAnnounced(player, "end"))
    _end_step(draft, act.player)


def _end_step(draft: Draft, player: str) -> None:
    """Announce the End Step; damage that was only noted is subtracted first (D-11)."""
    battle.settle_damage(draft)
    draft.add(ev.StepEntered(seat(player), "end"))
    if not draft.table.options["end_step.responses"]:
        leave_battle(draft)


def leave_battle(draft: Draft) -> None:
    """Nobody answers in the End Step any more: Main Phase 2, or what else was announced."""
    player, to = seat(draft.table.active), draft.table.leaving
    draft.add(ev.PhaseEntered(player, "end" if to else "main2"))
    if to == "turn_end":
        draft.add(ev.TurnEndAnnounced(player))
        _give_back(draft)


def check_step(table: Table, act: a.EnterStep) -> Iterator[Refusal]:
    """YGO-15.1: the End Step belongs to the Battle Phase."""
    if table.phase != "battle":
        yield Refusal("YGO-15.1", {"found": act.step, "phase": phase_of(table)})


def carry_step(draft: Draft, act: a.EnterStep) -> None:
    """Announce the End Step; Main Phase 2 follows (YGO-15.14)."""
    _end_step(draft, act.player)


def check_end(table: Table, act: a.EndTurn) -> Iterator[Refusal]:
    """YGO-10.2 and 10.1: no compulsory phase is skipped."""
    found = {"found": "end", "phase": phase_of(table), "turn": table.turn}
    if draw_owed(table):
        yield Refusal("YGO-10.2", found | {"allowed": 1})
    if table.phase in ("draw", "standby"):
        yield Refusal("YGO-10.1", found | {"allowed": list(NEXT[table.phase])})


def carry_end(draft: Draft, act: a.EndTurn) -> None:
    """Announce the end; the next turn begins unless cards are to be discarded."""
    player = seat(act.player)
    if draft.table.phase == "battle":
        draft.add(ev.BattleEndAnnounced(player, "turn_end"))
        _end_step(draft, act.player)
        return
    if draft.table.phase != "end":
        draft.add(ev.PhaseEntered(player, "end"))
    draft.add(ev.TurnEndAnnounced(player))
    _give_back(draft)


def _give_back(draft: Draft) -> None:
    """Control taken until the end of the turn goes back, in the position the monster has; with
    no free space it is destroyed, or stays by option (YGO-14.6, S-11)."""
    lying = sorted(card for card, placed in draft.table.placed.items() if placed.home)
    for card in lying:
        home = draft.table.placed[card].home if card in draft.table.placed else ""
        if not home:
            continue
        place = free_space(draft.table.side(home).monsters)
        if place < SPACES:
            draft.add(ev.ControlChanged(seat(home), card, place, "returned"))
        elif draft.table.options["control.return_full_zone"] == "destroyed":
            draft.move([card], "graveyard", "rule")
        else:
            lies = draft.table.placed[card]
            draft.add(ev.ControlChanged(seat(lies.controller), card, lies.place, "lasting"))


def next_turn(draft: Draft) -> bool:
    """Begin the opponent's turn once the hand limit is met (YGO-10.8, 10.9)."""
    table = draft.table
    if len(table.side(table.active).hand) > HAND_LIMIT:
        return False
    draft.add(ev.TurnBegun(table.turn + 1, seat(other(table.active))))
    return True


def check_discard(table: Table, act: a.Discard) -> Iterator[Refusal]:
    """YGO-10.9: in the End Phase, exactly down to 6, cards of the own hand."""
    hand = table.side(act.player).hand
    owed = max(0, len(hand) - HAND_LIMIT) if table.end_announced else 0
    chosen = refs.cards(table, act.cards)
    outside = [card for card in chosen if card not in hand]
    if len(chosen) != owed or len(set(chosen)) != len(chosen) or outside:
        yield Refusal(
            "YGO-10.9",
            {"found": len(chosen), "allowed": owed, "hand": len(hand), "limit": HAND_LIMIT},
        )


def carry_discard(draft: Draft, act: a.Discard) -> None:
    """Discard; the next turn begins when the limit is met."""
    hand = draft.table.side(act.player).hand
    chosen = [card for card in dict.fromkeys(refs.cards(draft.table, act.cards)) if card in hand]
    draft.move(chosen, "graveyard", "discard")
