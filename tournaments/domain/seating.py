"""Tables of a round, as a step of its own after the pairing.

The better pairs get the lower tables of the event's ranges. A fixed seat keeps its table for
its holder in every round. When two holders meet they sit at the lower of their two tables; the
other stays empty for the round, whatever its number. Feature and accessible tables are given
only to those they are meant for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from eventstore.domain.refusal import Refusal

MOST_TABLE = 99_999


@dataclass(frozen=True, slots=True)
class Plan:
    """How an event sits. Table numbers are those of the event; the number printed is that plus
    `offset`. `ranges` are (first, last), best first; empty: from 1 on as many as are needed.

    `fixed` holds a table per player. `feature` tables are for pairs with a player of
    `featured`, `accessible` ones for pairs with a player of `needs`.
    """

    offset: int = 0
    ranges: tuple[tuple[int, int], ...] = ()
    fixed: Mapping[str, int] = field(default_factory=dict)
    feature: tuple[int, ...] = ()
    featured: frozenset[str] = frozenset()
    accessible: tuple[int, ...] = ()
    needs: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Seated:
    """Table of each pair, in the order of the pairs, without the offset. `empty` are fixed
    tables left free this round because their holder sits elsewhere; `unmet` are players who
    need an accessible table and could not get one."""

    tables: tuple[int, ...]
    empty: tuple[int, ...]
    unmet: tuple[str, ...]


def plan_refused(plan: Plan) -> Refusal | None:
    """Say what is wrong with a plan: `tournaments.seating_invalid{field, found, allowed}`."""
    if not -MOST_TABLE <= plan.offset <= MOST_TABLE:
        return _invalid("offset", plan.offset, [-MOST_TABLE, MOST_TABLE])
    lowest = min([1] if not plan.ranges else [first for first, _ in plan.ranges])
    lowest = min([lowest, *plan.fixed.values(), *plan.feature, *plan.accessible])
    if lowest + plan.offset < 1:
        return _invalid("offset", plan.offset, "numbers from 1 on")
    covered: set[int] = set()
    for first, last in plan.ranges:
        if not 1 <= first <= last <= MOST_TABLE:
            return _invalid("ranges", [first, last], f"1 to {MOST_TABLE}, first to last")
        here = set(range(first, last + 1))
        if covered & here:
            return _invalid("ranges", [first, last], "ranges that do not overlap")
        covered |= here
    for name, tables in (
        ("feature", plan.feature),
        ("accessible", plan.accessible),
        ("fixed", tuple(plan.fixed.values())),
    ):
        wrong = [one for one in tables if not 1 <= one <= MOST_TABLE]
        if wrong:
            return _invalid(name, wrong[0], [1, MOST_TABLE])
        if len(set(tables)) != len(tables):
            again = next(one for one in tables if tables.count(one) > 1)
            return _invalid(name, again, "each table once")
    both = set(plan.feature) & set(plan.accessible) or set(plan.fixed.values()) & set(plan.feature)
    if both:
        return _invalid("feature", min(both), "a table of one kind")
    return None


def _invalid(field_name: str, found: object, allowed: object) -> Refusal:
    return Refusal(
        "tournaments.seating_invalid", {"field": field_name, "found": found, "allowed": allowed}
    )


def seat(pairs: Sequence[tuple[str, str]], plan: Plan) -> Seated | Refusal:
    """Give each pair a table; `pairs` best first.

    Refused with `tournaments.seating_invalid`, or `tournaments.tables_short{found, allowed}`
    when the ranges do not hold the round.
    """
    wrong = plan_refused(plan)
    if wrong is not None:
        return wrong
    tables: list[int | None] = [None] * len(pairs)
    held = {one: plan.fixed[one] for pair in pairs for one in pair if one in plan.fixed}
    for at, pair in enumerate(pairs):
        own = [held[one] for one in pair if one in held]
        if own:
            tables[at] = min(own)
    taken = {one for one in tables if one is not None}
    unmet: list[str] = []
    for special, wanted, report in (
        (plan.accessible, plan.needs, True),
        (plan.feature, plan.featured, False),
    ):
        free = [one for one in special if one not in taken and one not in plan.fixed.values()]
        for at, pair in enumerate(pairs):
            asking = [one for one in pair if one in wanted]
            if not asking or (tables[at] is not None and (not report or tables[at] in special)):
                continue
            if tables[at] is None and free:
                tables[at] = free.pop(0)
            elif report:
                unmet += asking
        taken |= {one for one in tables if one is not None}
    kept = taken | set(plan.feature) | set(plan.accessible) | set(plan.fixed.values())
    ordinary = iter(_ordinary(plan, kept, len(pairs)))
    for at, table in enumerate(tables):
        if table is None:
            tables[at] = next(ordinary, None)
    given = [one for one in tables if one is not None]
    if len(given) < len(pairs):
        return Refusal("tournaments.tables_short", {"found": len(pairs), "allowed": len(given)})
    return Seated(tuple(given), tuple(sorted(set(held.values()) - set(given))), tuple(unmet))


def _ordinary(plan: Plan, kept: set[int], wanted: int) -> Iterable[int]:
    """Tables that are for nobody in particular, in order."""
    ranges = plan.ranges or ((1, wanted + len(kept)),)
    return (one for first, last in ranges for one in range(first, last + 1) if one not in kept)


def overlaps(ranges: Mapping[str, Sequence[tuple[int, int]]]) -> list[tuple[str, str, int]]:
    """Return (event, event, table) for each two events that reserve the same table of a venue,
    with the first table they share. Tables are those printed: with the offset added."""
    spans = sorted((first, last, event) for event, own in ranges.items() for first, last in own)
    found: list[tuple[str, str, int]] = []
    for at, (_, last, event) in enumerate(spans):
        for first, _, other in spans[at + 1 :]:
            if first > last:
                break
            if other != event:
                found.append((event, other, first))
    return found
