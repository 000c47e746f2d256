"""A small hall: an event with one round published, Alice against Bob at one of its tables."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from eventstore import clock
from eventstore.ids import new_id
from judging import services
from tests.conftest import Member, make_member
from tournaments import services as tournaments
from tournaments.models import MatchRow

NOON = datetime(2026, 5, 2, 12, 0, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Hall:
    """The event, the match of Alice (her entrant id `ea`) and Bob (`eb`), a second match, and
    Joan, another judge."""

    event_id: str
    match_id: str
    other_match: str
    ea: str
    eb: str
    seat: str
    dora: Member
    joan: Member
    olga: Member

    @property
    def match(self) -> MatchRow:
        """The read row of the match as it stands."""
        return MatchRow.objects.get(pk=self.match_id)

    def wins(self, entrant: str) -> int:
        """Games the entrant has won in the match."""
        row = self.match
        seat = "P1" if entrant == row.p1 else "P2"
        return sum(duel["winner"] == seat for duel in row.duels)


def open_hall(
    olga: Member,
    alice: Member,
    bob: Member,
    jude: Member,
    hedda: Member,
    *,
    again: bool = False,
    **settings: Any,
) -> Hall:
    """Create the event through the real commands and publish round 1. `again`: a later event of
    the same cast, with other people at the other table."""
    event_id = new_id()
    tournaments.event_create(
        olga.context(), event_id=event_id, name="Spring duel", decks_required=False, **settings
    )
    first = 31 if again else 11
    dora, emil = (
        make_member(first + at, name, account=False) for at, name in enumerate(("Dora", "Emil"))
    )
    joan = make_member(first + 2, "Joan", account=not again)
    jude.grant("judge", event_id)
    joan.grant("judge", event_id)
    hedda.grant("head_judge", event_id)
    tournaments.registration_open(olga.context(), event_id=event_id)
    entrants: dict[str, str] = {}
    for member in (alice, bob, dora, emil):
        made = tournaments.entrant_enrol(
            olga.context(), event_id=event_id, person_id=member.person_id
        )
        entrants[member.name] = made.entrant_id
        tournaments.entrant_check_in(olga.context(), event_id=event_id, entrant_id=made.entrant_id)
    tournaments.registration_close(olga.context(), event_id=event_id)
    tournaments.event_start(olga.context(), event_id=event_id)
    ea, eb = entrants["Alice"], entrants["Bob"]
    for seed in range(200):
        tournaments.round_pair(olga.context(), event_id=event_id, seed=seed)
        rows = list(MatchRow.objects.filter(event_id=event_id, round=1))
        mine = next((row for row in rows if {row.p1, row.p2} == {ea, eb}), None)
        if mine is not None:
            break
    else:
        raise AssertionError("no seed pairs Alice with Bob")
    tournaments.round_publish(olga.context(), event_id=event_id, number=1)
    other = next(row.pk for row in rows if row.pk != mine.pk)
    seat = "P1" if mine.p1 == ea else "P2"
    return Hall(event_id, mine.pk, other, ea, eb, seat, dora, joan, olga)


@contextmanager
def at(minutes: float) -> Iterator[None]:
    """Set the clock to so many minutes after noon."""
    with clock.clock_set(lambda: NOON + timedelta(minutes=minutes)):
        yield


def raise_call(member: Member, match_id: str, **values: Any) -> str:
    """Call a judge and return the call."""
    made = services.call_raise(member.context(), call_id=new_id(), match_id=match_id, **values)
    return made.call_id


def to_table(judge: Member, call_id: str, **values: Any) -> None:
    """Claim a call and go there."""
    services.call_claim(judge.context("judge"), call_id=call_id)
    services.call_arrive(judge.context("judge"), call_id=call_id, **values)
