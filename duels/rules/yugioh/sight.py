"""Name cards in acts as their player may: a card out of sight by its place alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from duels.rules.yugioh import acts as a
from duels.rules.yugioh import knowledge as knowing
from duels.rules.yugioh import refs
from duels.rules.yugioh.duel import Duel
from eventstore.domain.refusal import Refusal


def by_sight(duel: Duel, act: a.AnyAct) -> a.AnyAct:
    """Return the act with targets that its player does not know named by their place."""
    changes: dict[str, Any] = {}
    target = getattr(act, "target", None)
    if target is not None:
        changes["target"] = _named(duel, act.player, target)
    targets = getattr(act, "targets", None)
    if targets:
        changes["targets"] = [_named(duel, act.player, one) for one in targets]
    return msgspec.structs.replace(act, **changes) if changes else act


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
    fields = ("card", "target", "by", "tributes", "targets", "cost", "cards", "materials", "spell")
    for field in fields:
        yield from _numbers(getattr(act, field, None))
    for op in getattr(act, "ops", []):
        yield from _numbers(op.get("target") if isinstance(op, dict) else None)


def _numbers(value: object) -> Iterator[int]:
    for one in value if isinstance(value, list) else [value]:
        if isinstance(one, int) and not isinstance(one, bool):
            yield one
