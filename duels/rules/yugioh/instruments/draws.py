"""The draw ledger: a row for every card that came into a hand, and why (YGO-5.4, 10.2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from duels.domain.events import CardFacts
from duels.domain.instruments.ledgers import DrawRow as DrawRow
from duels.rules.yugioh import events as ev
from duels.rules.yugioh.instruments.walk import Step
from duels.rules.yugioh.match import PLAYERS
from duels.rules.yugioh.refs import place_of
from duels.rules.yugioh.state import OPENING_HAND
from duels.rules.yugioh.turn import draw_owed

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
        for player in PLAYERS:
            came = step.came(player)
            if not came:
                continue
            flags = _flags(steps[: index + 1], step, player, came)
            table = step.before.table
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
                        _cause(step, one),
                        step.card(step.after.table, by) if by else None,
                        step.knowers(step.after, one),
                        flags,
                        step.struck,
                    )
                )
    return rows


def _cause(step: Step, one: int) -> str:
    if isinstance(step.event, ev.CardsDrawn):
        return step.event.cause
    return "search" if step.before.table.where(one)[1] == "deck" else "return"


def _flags(so_far: Sequence[Step], step: Step, player: str, came: list[int]) -> tuple[str, ...]:
    event, table = step.event, step.before.table
    if not isinstance(event, ev.CardsDrawn):
        return ()
    found: list[str] = []
    if event.cause == "opening":
        if len(came) != OPENING_HAND or table.side(player).opened:
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
    if table.turn == 1 and player == table.active and table.options["first_turn.draw"] is not True:
        return [FIRST_TURN]
    return [] if draw_owed(table) and player == table.active else [MOMENT]


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
            case ev.CardActivated(card=event.by):
                used += 1
                most += _of_script(table.facts_of(event.by))
            case ev.MonsterSummoned(card=event.by) | ev.PositionChanged(card=event.by):
                # a Flip or Trigger effect begins with what befell its card
                scripted = _of_script(table.facts_of(event.by))
                used, most = used + bool(scripted), most + scripted
            case _:
                pass
    if not used:
        return [NO_CAUSE]
    return [MORE] if most < drawn else []


def _of_script(facts: CardFacts | None) -> int:
    """Return how many cards one use of a card can let a player draw."""
    if facts is None:
        return 0
    return max((_drawn_by(effect.get("effect", [])) for effect in facts.effects), default=0)


def _drawn_by(ops: Iterable[dict[str, object]]) -> int:
    total = 0
    for op in ops:
        n = op.get("n", 1)
        if op.get("op") == "draw" and isinstance(n, int):
            total += n
    return total
