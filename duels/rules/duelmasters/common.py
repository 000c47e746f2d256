"""What comes before the rule of the act itself: steps 1 and 2 of the order of precedence."""

from __future__ import annotations

from collections.abc import Iterator

from duels.rules.duelmasters import acts as a
from duels.rules.duelmasters import refs
from duels.rules.duelmasters.knowledge import by_place
from duels.rules.duelmasters.state import Table
from eventstore.domain.refusal import Refusal

BESIDE = (a.Identify, a.Observe, a.Concede, a.Claim)
"""Acts open to every player while the duel goes on."""
TARGETS = ("target", "targets", "onto")
"""Fields whose cards need not be seen by who names them."""
WHERE: dict[type[a.Act], str] = {
    a.Charge: "DM-3.5",
    a.Summon: "DM-6.1",
    a.Evolve: "DM-7.1",
    a.Cast: "DM-5.1",
    a.Attack: "DM-8.2",
    a.Block: "DM-9.1",
    a.UseShieldTrigger: "DM-10.4",
    a.TapAbility: "DM-10.5",
    a.Activate: "DM-8.4",
}
"""Per act the rule that says where its card must be."""


def impossible(table: Table, act: a.AnyAct) -> Refusal | None:
    """Return why an act cannot even be looked at: no table, an ended duel (DM-2.4), a card or
    player that does not exist. Such an act is refused in both modes."""
    if isinstance(act, a.Observe):
        return None
    if not table.opened:
        return Refusal("duels.not_open", {})
    if table.fidelity == "pad":
        return Refusal("duels.pad_only", {"allowed": "statements"})
    if table.result is not None:
        ended = table.result
        return Refusal("DM-2.4", {"found": ended.winner, "by": ended.by, "how": ended.how})
    if act.player not in table.alive:
        return Refusal("duels.act_malformed", {"found": act.player, "allowed": list(table.alive)})
    return refs.missing(table, named(act))


def named(act: a.AnyAct) -> list[a.Ref]:
    """Return the cards an act names by id or place; a key in `by` is no such name, nor is a
    player who is attacked."""
    found: list[a.Ref] = []
    for field in ("card", "target", "onto"):
        ref = getattr(act, field, None)
        if ref is not None and not (isinstance(ref, str) and "." not in ref):
            found.append(ref)
    found += getattr(act, "targets", [])
    mana = getattr(act, "mana", None)
    if isinstance(mana, list):
        found += mana
    return found


def unseen(table: Table, act: a.AnyAct) -> Iterator[Refusal]:
    """Yield the rule that says where the card of an act must be, when its player acts with a
    card whose face that player cannot see. Nothing that depends on the face is looked at."""
    rule = WHERE.get(type(act))
    ref: a.Ref = getattr(act, "card", 0) or 0
    card = refs.find(table, ref) if rule is not None else None
    if rule is not None and card is not None and act.player not in by_place(table, card):
        yield Refusal(rule, {"found": "a card that is not seen"})


def turn_player(table: Table, act: a.AnyAct, *steps: str) -> Iterator[Refusal]:
    """Yield DM-3.1 for another player than the turn player, or another step than these."""
    if act.player != table.active:
        yield Refusal("DM-3.1", {"found": act.player, "allowed": table.active})
    elif steps and table.step not in steps:
        yield Refusal("DM-3.1", {"found": table.step, "allowed": list(steps)})


def unknown(table: Table, card: int) -> Iterator[Refusal]:
    """Yield `duels.card_unknown` for a card of which nothing is known yet."""
    if table.facts_of(card) is None:
        yield Refusal("duels.card_unknown", {"card": card})
