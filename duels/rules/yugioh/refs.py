"""Find the card an act names: by instance id or by its place."""

from __future__ import annotations

from collections.abc import Iterable

from duels.rules.yugioh.acts import Ref
from duels.rules.yugioh.match import P1, P2
from duels.rules.yugioh.state import MATERIALS, ZONES, Table, materials
from eventstore.domain.refusal import Refusal


def find(table: Table, ref: Ref) -> int | None:
    """Return the instance a reference names, None when there is none."""
    if type(ref) is int:  # by far the most common: a bool is none
        return ref if 0 < ref < len(table.owners) else None
    if not isinstance(ref, str) or len(ref) > 40:
        return None
    player, _, rest = ref.partition(".")
    zone, _, rank = rest.partition(".")
    if player not in (P1, P2) or zone not in ZONES:
        return None
    row = getattr(table.side(player), zone)
    if zone == "field":
        return row or None
    if not (rank.isascii() and rank.isdigit()) or not 1 <= int(rank) <= len(row):
        return None
    return row[int(rank) - 1] or None


def place_of(table: Table, card: int) -> str:
    """Return the place of an instance as text, "" for a token that is gone."""
    player, zone = table.where(card)
    if not zone:
        return ""
    if zone == "field":
        return f"{player}.field"
    if zone == MATERIALS:
        bearer = table.placed[card].equipped_to
        return f"{player}.{zone}.{materials(table, bearer).index(card) + 1}"
    return f"{player}.{zone}.{getattr(table.side(player), zone).index(card) + 1}"


def missing(table: Table, refs: Iterable[Ref]) -> Refusal | None:
    """Return `duels.no_such_card` for the first reference that names no card."""
    for ref in refs:
        if find(table, ref) is None:
            return Refusal("duels.no_such_card", {"found": str(ref)[:40]})
    return None


def cards(table: Table, refs: Iterable[Ref]) -> list[int]:
    """Return the instances of references that `missing` has passed."""
    found: list[int] = []
    for ref in refs:
        card = find(table, ref)
        if card is not None:
            found.append(card)
    return found
