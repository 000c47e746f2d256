"""Name cards in acts as their player may: a card out of sight by its place alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from duels.rules.duelmasters import acts as a
from duels.rules.duelmasters import knowledge as knowing
from duels.rules.duelmasters import refs
from duels.rules.duelmasters.duel import Duel
from eventstore.domain.refusal import Refusal

FIELDS = ("card", "target", "onto", "by", "targets", "mana")


def by_sight(duel: Duel, act: a.AnyAct) -> a.AnyAct:
    """Return the act with targets that its player does not know named by their place."""
    targets = getattr(act, "targets", None)
    if not targets:
        return act
    shown = [_named(duel, act.player, one) for one in targets]
    changed: a.AnyAct = msgspec.structs.replace(act, targets=shown)
    return changed


def _named(duel: Duel, player: str, ref: a.Ref) -> a.Ref:
    if not isinstance(ref, int) or _seen(duel, player, ref):
        return ref
    return refs.place_of(duel.table, ref)


def _seen(duel: Duel, player: str, card: int) -> bool:
    return knowing.sees(duel.table, duel.knowledge, player, card)


def guessed(duel: Duel, act: a.AnyAct) -> Refusal | None:
    """Return `duels.no_such_card` when an act names by instance id a card that its player does
    not know: whether and how such an act works would tell where that card is."""
    for ref in _ids(act):
        if duel.table.is_card(ref) and not _seen(duel, act.player, ref):
            return Refusal("duels.no_such_card", {"found": str(ref)})
    return None


def _ids(act: a.AnyAct) -> Iterator[int]:
    for field in FIELDS:
        yield from _numbers(getattr(act, field, None))
    for op in getattr(act, "ops", []):
        yield from _numbers(op.get("target") if isinstance(op, dict) else None)


def _numbers(value: Any) -> Iterator[int]:
    for one in value if isinstance(value, list) else [value]:
        if isinstance(one, int) and not isinstance(one, bool):
            yield one
