"""The hand audit: a row for every card that came into a hand, and why (DM-1.3, 3.3, 3.4, 8.5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from duels.domain.instruments.ledgers import DrawRow
from duels.rules.duelmasters import events as ev
from duels.rules.duelmasters.cards import Card, ops_of
from duels.rules.duelmasters.instruments.walk import Step
from duels.rules.duelmasters.refs import place_of
from duels.rules.duelmasters.state import OPENING_HAND

NO_CAUSE = "DRAW_WITHOUT_CAUSE"
MORE = "MORE_THAN_THE_EFFECT"
SECOND = "SECOND_NORMAL_DRAW"
MOMENT = "DRAW_AT_A_WRONG_MOMENT"
FIRST_TURN = "DRAW_ON_THE_FIRST_TURN"
OPENING = "WRONG_OPENING_HAND"
NOT_TOP = "NOT_FROM_THE_TOP"
FLAGS = (NO_CAUSE, MORE, SECOND, MOMENT, FIRST_TURN, OPENING, NOT_TOP)


def draws(steps: Sequence[Step]) -> list[DrawRow]:
    """Return the ledger of a walked log, oldest first; struck lines are in it and marked, and
    are not counted against those in force."""
    rows: list[DrawRow] = []
    for index, step in enumerate(steps):
        if not step.plays:
            continue
        table = step.before.table
        for player in step.after.table.seats:
            came = step.came(player) if player in table.sides else []
            if not came:
                continue
            flags = _flags(steps[: index + 1], step, player, came)
            by = getattr(step.event, "by", 0)
            for one in came:
                rows.append(
                    DrawRow(
                        step.seq,
                        table.turn,
                        table.phase,
                        player,
                        step.card(step.after.table, one),
                        place_of(table, one),
                        _cause(step),
                        step.card(step.after.table, by) if by else None,
                        step.knowers(step.after, one),
                        flags,
                        step.struck,
                    )
                )
    return rows


def _cause(step: Step) -> str:
    match step.event:
        case ev.CardsDrawn(cause=cause):
            return cause
        case ev.ShieldsBroken():
            return "shield"
        case _:
            return "return"


def _flags(so_far: Sequence[Step], step: Step, player: str, came: list[int]) -> tuple[str, ...]:
    event, table = step.event, step.before.table
    if not isinstance(event, ev.CardsDrawn):
        return ()
    found: list[str] = []
    if event.cause == "opening":
        if len(came) != OPENING_HAND or table.turn:
            found.append(OPENING)
    elif event.cause == "normal":
        found += _normal(step, player, came)
    else:
        found += _effect(so_far, step, event)
    if tuple(event.cards) != table.side(player).deck[: len(event.cards)]:
        found.append(NOT_TOP)
    return tuple(found)


def _normal(step: Step, player: str, came: list[int]) -> list[str]:
    table = step.before.table
    if table.side(player).drawn or len(came) > 1:
        return [SECOND]
    if table.turn == 1 and player == table.starter:
        return [FIRST_TURN]
    return [] if player == table.active and table.step in ("start", "draw") else [MOMENT]


def _effect(so_far: Sequence[Step], step: Step, event: ev.CardsDrawn) -> list[str]:
    """A draw by an effect: some card was used or declared for it in this turn, and lets its
    player draw as many as were drawn."""
    drawn, used, most = 0, 0, 0
    table = step.before.table
    for earlier in reversed(so_far):
        if earlier.struck and not step.struck:
            continue
        if isinstance(earlier.event, ev.TurnBegun):
            break
        match earlier.event:
            case ev.CardsDrawn(player=event.player, cause="effect", by=event.by):
                drawn += len(earlier.event.cards)
            case ev.EffectDeclared(by=event.by):
                used += 1
                most += _drawn_by(earlier.event.ops)
            case ev.EffectBegun(card=event.by):
                used += 1
                most += _of_script(table.facts_of(event.by), earlier.event.effect)
    if not used:
        return [NO_CAUSE]
    return [MORE] if most < drawn else []


def _of_script(facts: Card | None, place: int) -> int:
    if facts is None or not 0 <= place < len(facts.effects):
        return 0
    return _drawn_by(ops_of(facts.effects[place]))


def _drawn_by(ops: Iterable[dict[str, object]]) -> int:
    total = 0
    for op in ops:
        n = op.get("n", 1)
        if op.get("op") == "draw" and isinstance(n, int):
            total += n
    return total
