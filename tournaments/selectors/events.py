"""Reads of events and their entrants."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet

from people.access import may, require
from people.domain.actor import Actor
from people.domain.permissions import Subject
from tournaments.domain.event import CHECKED_IN, DRAFT, DROPPED
from tournaments.models import MERGED, EntrantPerson, EntrantRow, EventRow, MatchRow
from tournaments.selectors.sides import Side, event_sides, is_staff, readable


@dataclass(frozen=True, slots=True)
class EventHome:
    """An event with its counts. `open_tables` are matches of published rounds without result;
    `may_run`, `may_desk` say which buttons the viewer gets; `entrant_id` is the viewer's own."""

    row: EventRow
    enrolled: int
    checked_in: int
    decks: int
    open_tables: int
    entrant_id: str | None
    may_run: bool
    may_desk: bool


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


def entrant_of_person(viewer: Actor, event_id: str) -> str | None:
    """Return the viewer's own entrant in an event: one query."""
    if not viewer.acts_in(event_id):
        return None
    own = EntrantPerson.objects.filter(person_id=viewer.person_id, event_id=event_id)
    return own.values_list("entrant_id", flat=True).first()


def event_home(viewer: Actor, event_id: str) -> EventHome:
    """Return an event with its counts: four queries. Raises NotAllowed.

    Who left before the first round is not counted; who dropped later has played and is.
    """
    row = readable(viewer, event_id, "tournaments.event_read")
    gone = Q(reason=MERGED) | Q(status=DROPPED, dropped_after=0)
    counted = (
        EntrantRow.objects.filter(event_id=event_id)
        .exclude(gone)
        .aggregate(
            enrolled=Count("pk"),
            checked_in=Count("pk", filter=Q(status=CHECKED_IN)),
            decks=Count("pk", filter=~Q(deck_id="")),
        )
    )
    open_tables = (
        MatchRow.objects.filter(event_id=event_id).exclude(state__in=["draft", "decided"]).count()
    )
    subject = Subject(event_id)
    return EventHome(
        row,
        counted["enrolled"],
        counted["checked_in"],
        counted["decks"],
        open_tables,
        entrant_of_person(viewer, event_id),
        may(viewer, "tournaments.event_run", subject),
        may(viewer, "tournaments.desk_use", subject),
    )


def roster(viewer: Actor, event_id: str) -> list[RosterLine]:
    """Return the entrants in order of enrolment, without those merged into another: four
    queries. Staff, and each entrant for itself, see whether a deck was handed in. Raises
    NotAllowed."""
    readable(viewer, event_id, "tournaments.event_read")
    staff = is_staff(viewer, event_id)
    named = event_sides(event_id)
    lines: list[RosterLine] = []
    for pk, dropped_after, reason, deck_id in (
        EntrantRow.objects.filter(event_id=event_id)
        .exclude(reason=MERGED)
        .order_by("number")
        .values_list("pk", "dropped_after", "reason", "deck_id")
    ):
        side = named[pk]
        own = viewer.acts_in(event_id) and viewer.person_id in side.persons
        lines.append(
            RosterLine(
                side,
                dropped_after,
                reason if staff or own else "",
                deck_id if staff or own else None,
            )
        )
    return lines
