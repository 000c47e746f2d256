"""Who knows the identity of which card: the knowers, and what a head keeps.

Knowers are the seats and the public (what everybody has seen). Folded over the raw log: a
rewind takes nothing out of a head.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

PUBLIC = "public"


@dataclass(frozen=True, slots=True)
class Seen:
    """Since which event (version in the stream), and by which type of event."""

    since: int
    by: str


Knowledge: TypeAlias = Mapping[int, Mapping[str, Seen]]
"""Instance -> knower -> since when."""


def forget_hand(known: dict[int, Mapping[str, Seen]], hand: tuple[int, ...], owner: str) -> None:
    """A card left this hand unseen: it may be any of it, for everybody but the owner. A hand
    of one card leaves no doubt."""
    if len(hand) == 1:
        return
    for one in hand:
        seen = known.get(one)
        if seen:
            known[one] = {knower: since for knower, since in seen.items() if knower == owner}
