"""Reads of what a new draw of a round changed, and whether its draft can still be published."""

from __future__ import annotations

from dataclasses import dataclass

from eventstore.domain.refusal import Refusal
from people.access import require
from people.domain.actor import Actor
from people.domain.permissions import Subject
from tournaments import reckoning
from tournaments.domain import rounds
from tournaments.models import DrawRow
from tournaments.selectors.positions import state_of
from tournaments.selectors.sides import Side, event_sides, readable


@dataclass(frozen=True, slots=True)
class DrawnPair:
    """Two players at a table of a draw."""

    table: int
    p1: Side
    p2: Side


@dataclass(frozen=True, slots=True)
class DrawChange:
    """What the newest draw of a round changed: pairs that are gone and pairs that are new, those
    that only moved to another table, byes before and after. `was_published`: everybody had seen
    the draw before."""

    number: int
    gone: tuple[DrawnPair, ...]
    new: tuple[DrawnPair, ...]
    moved: tuple[tuple[int, DrawnPair], ...]
    byes_gone: tuple[Side, ...]
    byes_new: tuple[Side, ...]
    was_published: bool

    @property
    def same(self) -> bool:
        """Whether nothing is different."""
        return not (self.gone or self.new or self.moved or self.byes_gone or self.byes_new)


def draw_change(viewer: Actor, event_id: str, number: int) -> DrawChange | None:
    """Return what changed from the draw before to the newest one of a round, None where it was
    drawn once: four queries, for staff. Raises NotAllowed."""
    readable(viewer, event_id, "tournaments.pairings_read")
    require(viewer, "tournaments.event_read_draft", Subject(event_id, public=False))
    row = DrawRow.objects.filter(pk=f"{event_id}:{number}").first()
    if row is None or row.draws < 2:
        return None
    named = event_sides(event_id)
    before = {frozenset((one, two)): (table, one, two) for table, one, two in row.was_pairs}
    after = {frozenset((one, two)): (table, one, two) for table, one, two in row.pairs}

    def drawn(held: tuple[int, str, str]) -> DrawnPair:
        return DrawnPair(held[0], named[held[1]], named[held[2]])

    return DrawChange(
        number,
        tuple(drawn(held) for pair, held in before.items() if pair not in after),
        tuple(drawn(held) for pair, held in after.items() if pair not in before),
        tuple(
            (before[pair][0], drawn(held))
            for pair, held in after.items()
            if pair in before and before[pair][0] != held[0]
        ),
        tuple(named[one] for one in row.was_byes if one not in row.byes),
        tuple(named[one] for one in row.byes if one not in row.was_byes),
        row.was_published,
    )


def draft_fault(viewer: Actor, event_id: str) -> Refusal | None:
    """Return why the draft could not be published now, None when it could or there is none.

    Raises NotAllowed.
    """
    readable(viewer, event_id, "tournaments.pairings_read")
    require(viewer, "tournaments.round_pair", Subject(event_id))
    state = state_of(event_id)
    if state.draft is None:
        return None
    out = rounds.publish(state, reckoning.facts(event_id), number=state.draft.number)
    return out if isinstance(out, Refusal) else None
