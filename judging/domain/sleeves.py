"""Marked sleeves (job J17): are the marked cards a group that matters?

The numbers are advice: how likely so large an overlap is by chance. Intent is for the head judge.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from math import comb

from eventstore.domain.refusal import Refusal
from judging.domain.policy import Pack


class Pattern(StrEnum):
    """The answer to the question whether the marked cards are a group that matters."""

    UNSURE = "unsure"
    NO = "no"
    YES = "yes"


KINDS = {
    Pattern.YES: ("pattern",),
    Pattern.NO: ("few_no_pattern", "many_no_pattern"),
    Pattern.UNSURE: (),
}
"""Kinds of infractions that an answer leads to; few or many is for the judge to say."""


@dataclass(frozen=True, slots=True)
class Overlap:
    """The 2x2 table of a deck: marked or not, of the group or not. `chance` is the probability of
    at least so many marked cards of the group, were the marks laid at random."""

    group_marked: int
    group_clean: int
    rest_marked: int
    rest_clean: int
    chance: Fraction

    @property
    def one_in(self) -> int:
        """The chance as 1 in so many, rounded down; 1 for a certainty."""
        return int(1 / self.chance)


def overlap(total: int, group: int, marked: int, both: int) -> Overlap:
    """Return the table for a deck of `total` cards with `group` of the group, `marked` marked
    and `both` both. Raises ValueError for numbers that no deck can have."""
    rest = total - group - marked + both
    if min(total, group, marked, both, rest, group - both, marked - both) < 0:
        raise ValueError("no such deck")
    most = min(group, marked)
    ways = sum(comb(group, at) * comb(total - group, marked - at) for at in range(both, most + 1))
    return Overlap(both, group - both, marked - both, rest, Fraction(ways, comb(total, marked)))


def seen_overlap(
    deck: Sequence[str], keys: Sequence[str], group: Collection[str]
) -> Overlap | None:
    """Return the table for the cards found under marked sleeves; None before the cards under all
    of them are known, and without a group."""
    if not group or not keys or not all(keys):
        return None
    inside = sum(key in group for key in deck)
    both = sum(key in group for key in keys)
    if both > inside or len(keys) - both > len(deck) - inside:
        return None  # cards that are not on the list lie in the deck
    return overlap(len(deck), inside, len(keys), both)


def marks_refused(
    deck: Sequence[str],
    places: Sequence[int],
    keys: Sequence[str],
    group: Collection[str],
    pattern: str,
) -> Refusal | None:
    """Say what is wrong with marks of a main deck: judging.sleeve_place, sleeve_card,
    unknown_answer."""
    total = len(deck)
    strange = next((one for one in places if not 1 <= one <= total), None)
    if strange is not None or len(set(places)) != len(places) or len(keys) != len(places):
        found = strange if strange is not None else len(places)
        return Refusal("judging.sleeve_place", {"found": found, "allowed": total})
    listed = set(deck)
    unknown = next((one for one in (*keys, *group) if one and one not in listed), None)
    if unknown is not None:
        return Refusal("judging.sleeve_card", {"found": unknown[:40]})
    if pattern not in set(Pattern):
        allowed = [one.value for one in Pattern]
        return Refusal("judging.unknown_answer", {"found": pattern[:20], "allowed": allowed})
    return None


def candidates(pattern: str, pack: Pack) -> list[tuple[str, str]]:
    """Return the (infraction of the pack, kind) that an answer leads to; a judge decides."""
    wanted = KINDS.get(Pattern(pattern), ()) if pattern in set(Pattern) else ()
    return [
        (code, kind)
        for code, one in pack.infractions.items()
        for kind in one.kinds
        if kind in wanted
    ]
