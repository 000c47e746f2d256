"""Halls too large to be played in a test: read tables alone, with no event behind them."""

from __future__ import annotations

from copy import copy

from eventstore import clock
from eventstore.ids import new_id
from people.domain.names import fold
from people.models import Person
from tests.tournaments.conftest import Running
from tournaments.models import EntrantPerson, EntrantRow, MatchRow


def grow(event: Running, tables: int) -> None:
    """Give round 1 so many tables in all, each as its first with players and names of its own."""
    held = list(MatchRow.objects.filter(event_id=event.event_id, round=1))
    people: list[Person] = []
    entrants: list[EntrantRow] = []
    keys: list[EntrantPerson] = []
    rows: list[MatchRow] = []
    for number in range(len(held) + 1, tables + 1):
        row = MatchRow.objects.get(pk=held[0].pk) if not rows else copy(rows[0])
        row.pk, row.table, row.persons = new_id(), number, []
        for seat in ("p1", "p2"):
            made, person = new_id(), new_id()
            name = f"Guest {number} {seat}"
            people.append(
                Person(id=person, display_name=name, folded=fold(name), created_at=clock.now())
            )
            at = {"event_id": event.event_id}
            entrants.append(
                EntrantRow(
                    pk=made, number=number, persons=[person], status="enrolled", by_staff=True, **at
                )
            )
            keys.append(EntrantPerson(key=made, entrant_id=made, person_id=person, **at))
            setattr(row, seat, made)
            row.persons = [*row.persons, [person]]
        rows.append(row)
    Person.objects.bulk_create(people)
    EntrantRow.objects.bulk_create(entrants)
    EntrantPerson.objects.bulk_create(keys)
    MatchRow.objects.bulk_create(rows)
