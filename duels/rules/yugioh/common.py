"""What comes before the rule of the act itself: steps 1 and 2 of the order of precedence."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from duels.rules.yugioh import acts as a
from duels.rules.yugioh import refs
from duels.rules.yugioh.knowledge import by_place
from duels.rules.yugioh.state import HAND_LIMIT, Table
from eventstore.domain.refusal import Refusal

MAIN_PHASES = ("main1", "main2")
ANY_TIME = (a.Identify, a.Observe, a.Concede, a.Claim)
"""Acts open to either player while the duel goes on."""
TURN_PLAYER = (
    a.Draw,
    a.EnterPhase,
    a.EnterStep,
    a.EndTurn,
    a.Discard,
    a.NormalSummon,
    a.SetMonster,
    a.FlipSummon,
    a.ChangePosition,
    a.SetSpellTrap,
    a.DeclareAttack,
)
OPENING = (a.DrawOpeningHand, a.RedrawHand)
BY_PLACE: dict[type[a.Act], str] = {
    a.NormalSummon: "YGO-11.2",
    a.SetMonster: "YGO-11.3",
    a.FlipSummon: "YGO-11.9",
    a.ChangePosition: "YGO-11.13",
    a.SetSpellTrap: "YGO-13.1",
    a.Activate: "YGO-9.3",
    a.Respond: "YGO-9.3",
    a.FusionSummon: "YGO-12.1",
    a.RitualSummon: "YGO-12.6",
    a.DeclareAttack: "YGO-15.3",
    a.Discard: "YGO-10.9",
}
"""Per act the rule that says where its card must be."""


def named(act: a.AnyAct) -> list[a.Ref]:
    """Return the cards an act names by id or place; a key in `by` is no such name."""
    found: list[a.Ref] = []
    ones, lists = _fields(type(act))
    for field in ones:
        ref = getattr(act, field)
        if ref is not None:
            found.append(ref)
    for field in lists:
        found += getattr(act, field)
    return found


@cache
def _fields(kind: type[a.Act]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the fields of a kind of act that name a card, and those that name several."""
    there = kind.__struct_fields__
    return (
        tuple(field for field in ("card", "target", "spell") if field in there),
        tuple(
            field
            for field in ("tributes", "targets", "cost", "cards", "materials")
            if field in there
        ),
    )


def impossible(table: Table, act: a.AnyAct) -> Refusal | None:
    """Return why an act cannot even be looked at: no table, an ended duel (YGO-2.7), a card
    that does not exist. Such an act is refused in both modes."""
    if isinstance(act, a.Observe):
        return None
    if not table.opened:
        return Refusal("duels.not_open", {})
    if table.fidelity == "pad":
        return Refusal("duels.pad_only", {"allowed": "statements"})
    if table.result is not None:
        ended = table.result
        return Refusal("YGO-2.7", {"found": ended.winner, "by": ended.by, "how": ended.how})
    missing = refs.missing(table, named(act))
    if missing is None and type(act) not in BY_PLACE:
        missing = _out_of_sight(table, act)
    return missing


def unseen(table: Table, act: a.AnyAct) -> Iterator[Refusal]:
    """Yield the rule that says where the card of an act must be, when its player acts with a
    card whose face that player cannot see. Nothing that depends on the face is looked at: any
    other answer would tell something of it. Such an act cannot have happened at a table."""
    rule = BY_PLACE.get(type(act))
    hidden = _out_of_sight(table, act) if rule is not None else None
    if rule is not None and hidden is not None:
        yield Refusal(rule, {"found": "a card that is not seen"})
        yield hidden


def _out_of_sight(table: Table, act: a.AnyAct) -> Refusal | None:
    """Return `duels.no_such_card` when a player acts with a card whose face that player cannot
    see. Targets may be hidden cards."""
    if isinstance(act, a.Decide):
        return None  # the card has been activated: it is known
    ones, lists = _fields(type(act))
    for field in ones:
        if field != "target" and _hidden(table, act.player, getattr(act, field)):
            return _no_such_card(getattr(act, field))
    for field in lists:
        if field != "targets":
            for ref in getattr(act, field):
                if _hidden(table, act.player, ref):
                    return _no_such_card(ref)
    return None


def _hidden(table: Table, player: str, ref: a.Ref | None) -> bool:
    card = refs.find(table, ref) if ref is not None else None
    return card is not None and player not in by_place(table, card)


def _no_such_card(ref: a.Ref) -> Refusal:
    return Refusal("duels.no_such_card", {"found": str(ref)[:40]})


def before_the_rule(table: Table, act: a.AnyAct) -> Iterator[Refusal]:
    """Yield what is wrong with the moment and the player: YGO-5.4, 10.8, 10.10."""
    if isinstance(act, ANY_TIME):
        return
    if table.turn == 0 and not isinstance(act, OPENING):
        waiting = [player for player in ("P1", "P2") if not table.side(player).opened]
        yield Refusal("YGO-5.4", {"found": 0, "allowed": 5, "waiting": waiting})
    if table.end_announced and not isinstance(act, a.Discard | a.ResolveEffect | a.LpChange):
        owed = len(table.side(table.active).hand) - HAND_LIMIT
        yield Refusal("YGO-10.8", {"found": table.active, "owed": owed})
    if isinstance(act, TURN_PLAYER) and act.player != table.active:
        yield Refusal("YGO-10.10", {"found": act.player, "allowed": table.active})


def phase_of(table: Table) -> str:
    """Return the phase, with the step in the Battle Phase: the form used in params."""
    return f"{table.phase}.{table.step}" if table.step else table.phase
