"""Reads of events and their entrants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db.models import Count, Q, QuerySet

from eventstore.ids import is_id
from eventstore.prepared import Bound, ask, prepared
from people.access import NotAllowed, may, require
from people.domain.actor import Actor
from people.domain.permissions import Subject, Verdict
from tournaments.domain.event import CHECKED_IN, DRAFT, DROPPED
from tournaments.models import MERGED, EntrantPerson, EntrantRow, EventRow, MatchRow
from tournaments.selectors.sides import (
    Lines,
    Side,
    event_rows,
    is_staff,
    readable,
    readable_row,
    sides,
)


@dataclass(frozen=True)
class EventHome:
    """An event with its counts. `may_run`, `may_desk` say which buttons the viewer gets;
    `entrant_id` is the viewer's own; `along`: the rows of each look-up that was asked along. What
    has to be counted over all entrants or tables is read when it is asked for: most pages do not
    show it."""

    row: EventRow
    entrant_id: str | None
    may_run: bool
    may_desk: bool
    along: Sequence[list[Any]] = ()

    @cached_property
    def _counted(self) -> dict[str, int]:
        """Count the entrants: one query. Who left before the first round is not counted; who
        dropped later has played and is."""
        gone = Q(reason=MERGED) | Q(status=DROPPED, dropped_after=0)
        rows = EntrantRow.objects.filter(event_id=self.row.pk).exclude(gone)
        return rows.aggregate(
            enrolled=Count("pk"),
            checked_in=Count("pk", filter=Q(status=CHECKED_IN)),
            decks=Count("pk", filter=~Q(deck_id="")),
        )

    @property
    def enrolled(self) -> int:
        """How many play, or will."""
        return self._counted["enrolled"]

    @property
    def checked_in(self) -> int:
        """How many of them are there."""
        return self._counted["checked_in"]

    @property
    def decks(self) -> int:
        """How many of them have handed in a list."""
        return self._counted["decks"]

    @cached_property
    def open_tables(self) -> int:
        """Matches of published rounds without a result: one query."""
        rows = MatchRow.objects.filter(event_id=self.row.pk)
        return rows.exclude(state__in=["draft", "decided"]).count()


@dataclass(frozen=True, slots=True)
class RosterLine:
    """One entrant of the list. `deck_id` is None for those who may not know of lists; it is
    empty where none was handed in."""

    side: Side
    dropped_after: int | None
    reason: str
    deck_id: str | None


def events_list(viewer: Actor) -> QuerySet[EventRow]:
    """Return the events that the viewer may know of, newest first: one query when read.

    Drafts show to their staff and to the site's organisers.
    """
    require(viewer, "tournaments.event_read")
    rows = EventRow.objects.order_by("-created_at", "id")
    if may(viewer, "tournaments.event_read_draft", Subject(public=False)):
        return rows
    staffed = [event_id for event_id in viewer.event_roles if is_staff(viewer, event_id)]
    return rows.filter(~Q(status=DRAFT) | Q(pk__in=staffed))


def my_events(viewer: Actor) -> list[EventRow]:
    """Return the events the viewer takes part in, newest first: two queries."""
    require(viewer, "tournaments.event_read")
    if viewer.person_id is None:
        return []
    mine = EntrantPerson.objects.filter(person_id=viewer.person_id)
    own = [one for one in mine.values_list("event_id", flat=True) if viewer.acts_in(one)]
    return list(EventRow.objects.filter(pk__in=own).order_by("-created_at", "id"))


@prepared
def _entrants_of(person_id: Any, event_id: Any) -> Any:
    own = EntrantPerson.objects.filter(person_id=person_id, event_id=event_id)
    return own.order_by("pk").values_list("entrant_id", flat=True)[:1]


def entrant_of_person(viewer: Actor, event_id: str) -> str | None:
    """Return the viewer's own entrant in an event: one query."""
    if not viewer.acts_in(event_id):
        return None
    return next(iter(_entrants_of(viewer.person_id, event_id)), None)


def event_home(viewer: Actor, event_id: str, along: Sequence[Bound] = ()) -> EventHome:
    """Return an event as the viewer sees it: one query on PostgreSQL, two elsewhere, and one for
    each kind of count that is looked at. What `along` looks up is asked with it where the viewer
    may act in the event. Raises NotAllowed."""
    own: str | None = None
    rest: list[list[Any]] = []
    if is_id(event_id) and viewer.acts_in(event_id):
        found, mine, *rest = ask(
            event_rows.bind(event_id), _entrants_of.bind(viewer.person_id, event_id), *along
        )
        row = readable_row(viewer, event_id, "tournaments.event_read", found)
        own = next(iter(mine), None)
    else:
        row = readable(viewer, event_id, "tournaments.event_read")
    subject = Subject(event_id)
    return EventHome(
        row,
        own,
        may(viewer, "tournaments.event_run", subject),
        may(viewer, "tournaments.desk_use", subject),
        rest,
    )


def line_of(row: EntrantRow, side: Side) -> RosterLine:
    """Make the line of an entrant for whoever may see all of it."""
    return RosterLine(side, row.dropped_after, row.reason, row.deck_id)


def own_line(viewer: Actor, event_id: str, entrant_id: str) -> RosterLine:
    """Return the line of the viewer's own entrant: two queries. Raises NotAllowed, hidden from
    everybody else."""
    row = EntrantRow.objects.filter(pk=entrant_id, event_id=event_id).first()
    own = row is not None and viewer.acts_in(event_id) and viewer.person_id in row.persons
    if row is None or not own:
        raise NotAllowed("tournaments.event_read", Verdict.HIDDEN)
    return line_of(row, sides([row])[row.pk])


def roster(viewer: Actor, event_id: str) -> list[RosterLine]:
    """Return the entrants in order of enrolment, without those merged into another: three
    queries. Staff, and each entrant for itself, see whether a deck was handed in. Raises
    NotAllowed."""
    return list(roster_shown(viewer, event_id)[:])


def roster_shown(viewer: Actor, event_id: str) -> Lines[RosterLine]:
    """Return the same lines for a page of them: one query, and three for those that are looked
    at. Raises NotAllowed."""
    readable(viewer, event_id, "tournaments.event_read")
    staff = is_staff(viewer, event_id)

    def made(rows: list[EntrantRow]) -> list[RosterLine]:
        named = sides(rows)
        lines: list[RosterLine] = []
        for row in rows:
            side = named[row.pk]
            own = viewer.acts_in(event_id) and viewer.person_id in side.persons
            lines.append(
                RosterLine(
                    side,
                    row.dropped_after,
                    row.reason if staff or own else "",
                    row.deck_id if staff or own else None,
                )
            )
        return lines

    rows = EntrantRow.objects.filter(event_id=event_id).exclude(reason=MERGED).order_by("number")
    return Lines(rows, made)


def best_placed(viewer: Actor, event_id: str, most: int) -> list[Side]:
    """Return who came in first, at most so many: three queries. Raises NotAllowed."""
    readable(viewer, event_id, "tournaments.event_read")
    rows = EntrantRow.objects.filter(event_id=event_id, place__isnull=False)
    return list(sides(rows.exclude(reason=MERGED).order_by("place", "number")[:most]).values())
