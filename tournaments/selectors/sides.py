"""What all reads share: the guard of an event, entrants with their names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar, overload

from django.db.models import QuerySet

from eventstore.ids import is_id
from eventstore.prepared import prepared
from people import selectors as people
from people.access import NotAllowed, may, require
from people.domain.actor import Actor
from people.domain.permissions import Subject, Verdict
from tournaments.domain.event import DRAFT
from tournaments.models import EntrantRow, EventRow

T = TypeVar("T")


class Lines(Sequence[T]):
    """The lines of a long list, made only where a page looks: one query to count them, none where
    their `number` is known, and for each slice the one of its rows and what `make` asks to turn
    those into lines."""

    def __init__(
        self,
        rows: QuerySet[Any],
        make: Callable[[list[Any]], list[T]],
        number: int | None = None,
    ) -> None:
        self._rows, self._make, self._known = rows, make, number

    @cached_property
    def _number(self) -> int:
        return self._rows.count() if self._known is None else self._known

    def __len__(self) -> int:
        """Return how many there are."""
        return self._number

    @overload
    def __getitem__(self, at: int) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> list[T]: ...
    def __getitem__(self, at: int | slice) -> T | list[T]:
        """Make the lines of a slice without a step, or one line; raises IndexError."""
        if isinstance(at, slice):
            return self._make(list(self._rows[at]))
        if not 0 <= at < len(self):
            raise IndexError(at)
        return self._make([self._rows[at]])[0]

    def __iter__(self) -> Iterator[T]:
        """Make all lines, in one go and not one by one."""
        return iter(self[:])


@dataclass(frozen=True, slots=True)
class Side:
    """An entrant as a page shows it; `name` joins the names of its persons."""

    entrant_id: str
    number: int
    name: str
    persons: tuple[str, ...]
    status: str
    late: bool
    seed: int | None
    place: int | None
    points: int | None = None


@prepared
def event_rows(event_id: Any) -> Any:
    """The row of an event, unguarded."""
    return EventRow.objects.filter(pk=event_id).order_by()


def readable(viewer: Actor, event_id: str, action: str) -> EventRow:
    """Return the row of an event for a read; one query.

    Raises NotAllowed: hidden for an event that does not exist, or is a draft of others.
    """
    return readable_row(viewer, event_id, action, event_rows(event_id) if is_id(event_id) else [])


def readable_row(viewer: Actor, event_id: str, action: str, found: Sequence[EventRow]) -> EventRow:
    """The same with the rows of `event_rows` as they were read already: no query."""
    row = found[0] if found else None
    if row is None:
        raise NotAllowed(action, Verdict.HIDDEN)
    if row.status == DRAFT:
        require(viewer, "tournaments.event_read_draft", Subject(event_id, public=False))
    require(viewer, action, Subject(event_id))
    return row


def is_staff(viewer: Actor, event_id: str) -> bool:
    """Say whether the viewer sees drafts and claims of an event."""
    return may(viewer, "tournaments.event_read_draft", Subject(event_id, public=False))


def sides(
    rows: Iterable[EntrantRow],
    points: Mapping[str, int] | None = None,
    called: Iterable[people.Called] = (),
) -> dict[str, Side]:
    """Return entrants with their names by id; one query for the names, none with `called`, the
    rows of `people.names_bound` for all of their persons."""
    held = list(rows)
    names = people.names((person for row in held for person in row.persons), called)
    known = points or {}
    return {
        row.pk: Side(
            row.pk,
            row.number,
            # ids of one human that were merged have one name
            " / ".join(dict.fromkeys(names.get(person, "?") for person in row.persons)),
            tuple(row.persons),
            row.status,
            row.late,
            row.seed,
            row.place,
            known.get(row.pk),
        )
        for row in held
    }


def event_sides(event_id: str, points: Mapping[str, int] | None = None) -> dict[str, Side]:
    """Return every entrant of an event by id, in order of enrolment: two queries."""
    return sides(EntrantRow.objects.filter(event_id=event_id).order_by("number"), points)
