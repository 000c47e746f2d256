"""Reads of the desk's page of results: how far the round is, a part of its tables, what clashes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Case, Count, IntegerField, Q, QuerySet, Value, When

from people import selectors as people
from people.access import require
from people.domain.actor import Actor
from people.domain.permissions import Subject
from tournaments.models import EntrantPerson, MatchRow, RoundRow
from tournaments.selectors.rounds import PairingLine, line
from tournaments.selectors.sides import Lines
from tournaments.selectors.slips import DESK, Conflict, conflicts_of, named_in

OPEN, CONFLICT, DECIDED = RESULT_STATES = ("open", "conflict", "decided")
MOST_CLASHES = 20
"""Clashes that stand in full on one page; the others follow as these are settled."""

_CONTESTED = ~Q(contests=[])
_IN = {
    "": Q(),
    OPEN: Q(winner=""),
    CONFLICT: Q(state="disputed") | _CONTESTED,
    DECIDED: ~Q(winner=""),
}


@dataclass(frozen=True, slots=True)
class OpenTable:
    """A table without a result, with the claims side by side."""

    line: PairingLine
    claims: Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class ResultsTally:
    """How many tables of a round are in which state. A contested result is decided and in conflict,
    a table with two reports is open and in conflict. Of the whole event: `clashing` hold up the
    pairing, of `half` one player alone has reported."""

    tables: int
    open: int
    conflict: int
    clashing: int
    half: int

    @property
    def decided(self) -> int:
        """Tables that have a result."""
        return self.tables - self.open

    def of(self, state: str) -> int:
        """Return the tables in one of RESULT_STATES, all of them for the empty word."""
        held = {OPEN: self.open, CONFLICT: self.conflict, DECIDED: self.decided}
        return held.get(state, self.tables)


def results_tally(viewer: Actor, event_id: str, number: int) -> ResultsTally:
    """Count the tables of a round by state: one query, so the event is one the caller has read
    already. Raises NotAllowed."""
    require(viewer, DESK, Subject(event_id))
    here = Q(round=number)
    elsewhere = _CONTESTED & ~Q(state="draft")
    found = MatchRow.objects.filter(event_id=event_id).aggregate(
        tables=Count("pk", filter=here),
        open=Count("pk", filter=here & _IN[OPEN]),
        conflict=Count("pk", filter=here & _IN[CONFLICT]),
        clashing=Count("pk", filter=elsewhere | here & Q(state="disputed")),
        half=Count("pk", filter=Q(state="claimed")),
    )
    return ResultsTally(**found)


def results_shown(
    viewer: Actor, row: RoundRow, tally: ResultsTally, state: str = "", text: str = ""
) -> Lines[OpenTable]:
    """Return tables of a round for a page of them: those without a result or with a contested one
    first, then by number. `state` is one of RESULT_STATES or empty for all; `text` a table number,
    or words that all stand in the name of one of its players. Three queries for each slice that is
    looked at; where `text` is given one more to count, for a name two besides. Raises NotAllowed.
    """
    require(viewer, DESK, Subject(row.event_id))
    later = Case(
        When(_IN[OPEN] | _CONTESTED, then=Value(0)), default=Value(1), output_field=IntegerField()
    )
    held = MatchRow.objects.filter(_IN[state], event_id=row.event_id, round=row.number)
    asked = text.strip()
    if asked:
        held = held.filter(_meant(row.event_id, asked))

    def made(matches: list[MatchRow]) -> list[OpenTable]:
        named = named_in(matches)
        return [
            OpenTable(line(one, named, True, row.clock_ends_at), {} if one.winner else one.claims)
            for one in matches
        ]

    return Lines(held.order_by(later, "table"), made, None if asked else tally.of(state))


def _meant(event_id: str, text: str) -> Q:
    if text.isascii() and text.isdigit() and len(text) <= 6:
        return Q(table=int(text))
    here = EntrantPerson.objects.filter(event_id=event_id)
    persons = people.ids_named(text, here.values("person_id"))
    entrants = here.filter(person_id__in=persons).values("entrant_id")
    return Q(p1__in=entrants) | Q(p2__in=entrants)


@dataclass(frozen=True, slots=True)
class Clashes:
    """Tables that hold up the pairing, in full: those where both players report another result, and
    those whose result somebody entered otherwise."""

    disputed: tuple[OpenTable, ...] = ()
    contested: tuple[Conflict, ...] = ()

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.disputed) + len(self.contested)


def clashes(viewer: Actor, event_id: str, number: int, first: str = "") -> Clashes:
    """Return the first MOST_CLASHES clashes by round and table: the reports that differ in this
    round, the contested results of the event; the match `first` before all others. At most four
    queries. Raises NotAllowed."""
    require(viewer, DESK, Subject(event_id))
    before = Case(When(pk=first, then=Value(0)), default=Value(1), output_field=IntegerField())
    rows = list(_clashing(event_id, number).order_by(before, "round", "table")[:MOST_CLASHES])
    named = named_in(rows) if rows else {}
    disputed = [row for row in rows if not row.contests]
    contested = [row for row in rows if row.contests]
    return Clashes(
        tuple(OpenTable(line(row, named, True), row.claims) for row in disputed),
        tuple(conflicts_of(contested, named)) if contested else (),
    )


def open_lines(row: RoundRow, tally: ResultsTally, *, disputed_first: bool) -> Lines[OpenTable]:
    """Return the tables of a round without a result by number, or the disputed ones before the
    others, for who has asked for the right already: three queries for each slice."""
    later = Case(
        When(state="disputed", then=Value(0)), default=Value(1), output_field=IntegerField()
    )
    held = MatchRow.objects.filter(_IN[OPEN], event_id=row.event_id, round=row.number)

    def made(matches: list[MatchRow]) -> list[OpenTable]:
        named = named_in(matches)
        return [OpenTable(line(one, named, True, row.clock_ends_at), one.claims) for one in matches]

    return Lines(held.order_by(*[later] * disputed_first, "table"), made, tally.open)


def clash_lines(event_id: str, number: int, tally: ResultsTally) -> Lines[PairingLine]:
    """Return the tables that hold up the pairing, those without a result first, for who has asked
    for the right already: three queries for each slice."""
    later = Case(When(winner="", then=Value(0)), default=Value(1), output_field=IntegerField())

    def made(matches: list[MatchRow]) -> list[PairingLine]:
        named = named_in(matches)
        return [line(one, named, True) for one in matches]

    rows = _clashing(event_id, number).order_by(later, "round", "table")
    return Lines(rows, made, tally.clashing)


def _clashing(event_id: str, number: int) -> QuerySet[MatchRow]:
    return MatchRow.objects.filter(
        _CONTESTED & ~Q(state="draft") | Q(round=number, state="disputed"), event_id=event_id
    )
