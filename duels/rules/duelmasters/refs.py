"""Find the card an act names: by instance id or by its place (`P2.shields.3`, from 1)."""

from __future__ import annotations

from collections.abc import Iterable

from duels.rules.duelmasters.acts import Ref
from duels.rules.duelmasters.state import ZONES, Table
from eventstore.domain.refusal import Refusal


def find(table: Table, ref: Ref) -> int | None:
    """Return the instance a reference names, None when there is none."""
    if type(ref) is int:
        return ref if table.is_card(ref) else None
    if not isinstance(ref, str) or len(ref) > 40:
        return None
    player, _, rest = ref.partition(".")
    zone, _, rank = rest.partition(".")
    if player not in table.sides or zone not in ZONES:
        return None
    row: tuple[int, ...] = getattr(table.side(player), zone)
    if not (rank.isascii() and rank.isdigit()) or not 1 <= int(rank) <= len(row):
        return None
    return row[int(rank) - 1]


def place_of(table: Table, card: int) -> str:
    """Return the place of an instance as text, "" for a card of a player who is out. A card
    below another one is `P1.under.<the top card's place>.<how deep>`."""
    player, zone = table.where(card)
    if not zone:
        return ""
    if zone == "under":
        for place, top in enumerate(table.side(player).battle, 1):
            under = table.lying[top].under
            if card in under:
                return f"{player}.under.{place}.{under.index(card) + 1}"
    return f"{player}.{zone}.{getattr(table.side(player), zone).index(card) + 1}"


def missing(table: Table, refs: Iterable[Ref]) -> Refusal | None:
    """Return `duels.no_such_card` for the first reference that names no card."""
    for ref in refs:
        if find(table, ref) is None:
            return Refusal("duels.no_such_card", {"found": str(ref)[:40]})
    return None


def cards(table: Table, refs: Iterable[Ref]) -> list[int]:
    """Return the instances of references that `missing` has passed."""
    return [card for ref in refs if (card := find(table, ref)) is not None]
