"""What people can be told of, and whom an event of the log concerns.

Only who and about what is kept; the words are made when a message is sent (portal.notices.words),
from what the person may know at that moment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from django.db.models import Q

from decks import events as decks
from eventstore import clock
from eventstore.domain.envelope import Recorded
from eventstore.domain.registry import DomainEvent
from eventstore.store import read_stream
from judging import events as judging
from judging.models import CallRow
from people.domain.permissions import JUDGES
from people.domain.roles import Role
from people.models import RoleRow
from tournaments import events as ev
from tournaments.domain import door_events as door
from tournaments.domain import floor_events as floor
from tournaments.door_models import WaitingRow
from tournaments.models import EntrantPerson, MatchRow

E = TypeVar("E", bound=DomainEvent)
PLAYER, JUDGE = "player", "judge"
MINUTE, HOUR = 60, 3600
TRIAL = "trial"
"""The kind of a message that is sent by hand, to see whether it arrives."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of message: for whom, the seconds after which it is of no use any more, how urgent
    it is to a phone (RFC 8030), and the ways in which it goes."""

    name: str
    audience: str
    seconds: int
    urgency: str = "normal"
    push: bool = True
    mail: bool = False


KINDS: dict[str, Kind] = {
    one.name: one
    for one in (
        Kind("round", PLAYER, 30 * MINUTE, "high"),
        Kind("judge", PLAYER, 10 * MINUTE, "high"),
        Kind("ruling", PLAYER, 30 * MINUTE),
        Kind("time", PLAYER, 15 * MINUTE),
        Kind("deck", PLAYER, 12 * HOUR, mail=True),
        Kind("seat", PLAYER, HOUR, "high", mail=True),
        Kind("enrolled", PLAYER, 24 * HOUR, push=False, mail=True),
        Kind("call", JUDGE, 15 * MINUTE, "high"),
        Kind("handed", JUDGE, 30 * MINUTE, "high"),
    )
}
PUSHED = tuple(name for name, one in KINDS.items() if one.push)
MAILED = tuple(name for name, one in KINDS.items() if one.mail)
CHECKED, REOPENED, GIVEN_BACK, REPAIRED = 1, 2, 3, 4
"""What became of a deck list: the `number` of a message of the kind deck."""
BACK = 1
"""A message of the kind ruling that is about no call: a disqualification was taken back."""
ESCALATED, APPEALED, ASSIGNED = 1, 2, 3
"""How a judge got something: the `number` of a message of the kind handed."""


@dataclass(frozen=True, slots=True)
class Told:
    """What is to be told: a kind, its event (tournament), what it is about, and to whom."""

    kind: str
    event_id: str
    persons: frozenset[str]
    subject: str = ""
    number: int = 0

    @property
    def topic(self) -> str:
        """Messages of one topic take each other's place: the newest counts."""
        about = self.event_id if self.kind in ("round", "seat") else self.subject or self.event_id
        return f"{self.kind}:{about}"


Teller = Callable[[Any, Recorded], Told | None]
TELLERS: dict[type[DomainEvent], Teller] = {}


def _of(
    cls: type[E],
) -> Callable[[Callable[[E, Recorded], Told | None]], Callable[[E, Recorded], Told | None]]:
    def register(
        teller: Callable[[E, Recorded], Told | None],
    ) -> Callable[[E, Recorded], Told | None]:
        TELLERS[cls] = teller
        return teller

    return register


def _flat(sides: Iterable[Iterable[str]]) -> frozenset[str]:
    return frozenset(person for side in sides for person in side)


def _entrants(event_id: str) -> frozenset[str]:
    rows = EntrantPerson.objects.filter(event_id=event_id)
    return frozenset(rows.values_list("person_id", flat=True))


def _holders(event_id: str, roles: Iterable[str], without: Iterable[str] = ()) -> frozenset[str]:
    """Return who holds a role in an event now, without some."""
    now = clock.as_text(clock.now())
    rows = RoleRow.objects.filter(Q(until="") | Q(until__gt=now), event_id=event_id)
    held = rows.filter(role__in=list(roles)).values_list("person_id", flat=True)
    return frozenset(held) - frozenset(without)


def _call(call_id: str) -> CallRow | None:
    return CallRow.objects.filter(pk=call_id).first()


@_of(ev.RoundPublished)
def _round(event: ev.RoundPublished, recorded: Recorded) -> Told:
    return Told("round", event.event_id, _entrants(event.event_id), number=event.round)


@_of(judging.CallClaimed)
def _claimed(event: judging.CallClaimed, recorded: Recorded) -> Told | None:
    row = _call(event.call)
    return None if row is None else Told("judge", row.event_id, _flat(row.seats), event.call)


def _ruled(event: Any, recorded: Recorded) -> Told | None:
    row = _call(event.call)
    return None if row is None else Told("ruling", row.event_id, _flat(row.seats), event.call)


@_of(ev.DisqualificationUndone)
def _back(event: ev.DisqualificationUndone, recorded: Recorded) -> Told:
    rows = EntrantPerson.objects.filter(entrant_id=event.entrant_id)
    persons = frozenset(rows.values_list("person_id", flat=True))
    return Told("ruling", event.event_id, persons, event.entrant_id, BACK)


TELLERS[judging.RulingMade] = TELLERS[judging.AppealRuled] = _ruled


@_of(floor.TimeExtended)
def _extended(event: floor.TimeExtended, recorded: Recorded) -> Told | None:
    row = MatchRow.objects.filter(pk=event.match_id).first()
    if row is None or not event.seconds:
        return None
    return Told("time", event.event_id, _flat(row.persons), event.match_id, event.seconds)


@_of(ev.ClockAdjusted)
def _adjusted(event: ev.ClockAdjusted, recorded: Recorded) -> Told | None:
    if event.by_s <= 0:
        return None
    return Told("time", event.event_id, _entrants(event.event_id), number=event.by_s)


def _deck(event: Any, what: int, persons: Iterable[str] = ()) -> Told:
    owners = frozenset(persons)
    if not owners:
        # whose list it is stands in the events before
        held = [getattr(one.data, "person_id", "") for one in read_stream(f"deck-{event.deck_id}")]
        owners = frozenset(held) - {""}
    return Told("deck", event.event_id, owners, event.deck_id, what)


@_of(decks.ListConfirmed)
def _checked(event: decks.ListConfirmed, recorded: Recorded) -> Told:
    return _deck(event, CHECKED)


@_of(decks.ListUnlocked)
def _reopened(event: decks.ListUnlocked, recorded: Recorded) -> Told:
    return _deck(event, REOPENED)


@_of(decks.PaperReturned)
def _given_back(event: decks.PaperReturned, recorded: Recorded) -> Told:
    return _deck(event, GIVEN_BACK)


@_of(decks.ListSubmitted)
def _repaired(event: decks.ListSubmitted, recorded: Recorded) -> Told | None:
    return _deck(event, REPAIRED, [event.person_id]) if event.source == "judge" else None


@_of(door.SeatOffered)
def _offered(event: door.SeatOffered, recorded: Recorded) -> Told:
    rows = WaitingRow.objects.filter(event_id=event.event_id, entrant_id=event.entrant_id)
    return Told("seat", event.event_id, _flat(rows.values_list("persons", flat=True)))


@_of(ev.EntrantEnrolled)
def _enrolled(event: ev.EntrantEnrolled, recorded: Recorded) -> Told:
    return Told("enrolled", event.event_id, frozenset(event.persons))


@_of(judging.CallRaised)
def _raised(event: judging.CallRaised, recorded: Recorded) -> Told:
    roles = [one.value for one in JUDGES]
    judges = _holders(event.tournament, roles, _flat(event.seats) | {event.by})
    return Told("call", event.tournament, judges, event.call)


@_of(judging.CallGivenBack)
def _waits_again(event: judging.CallGivenBack, recorded: Recorded) -> Told | None:
    row = _call(event.call)
    if row is None:
        return None
    roles = [one.value for one in JUDGES]
    judges = _holders(row.event_id, roles, _flat(row.seats) | {event.by})
    return Told("call", row.event_id, judges, event.call)


def _to_head(event: Any, what: int) -> Told | None:
    row = _call(event.call)
    if row is None:
        return None
    heads = _holders(row.event_id, [Role.HEAD_JUDGE], _flat(row.seats) | {event.by})
    return Told("handed", row.event_id, heads, event.call, what)


@_of(judging.CallEscalated)
def _escalated(event: judging.CallEscalated, recorded: Recorded) -> Told | None:
    return _to_head(event, ESCALATED)


@_of(judging.CallAppealed)
def _appealed(event: judging.CallAppealed, recorded: Recorded) -> Told | None:
    return _to_head(event, APPEALED)


@_of(judging.TableAssigned)
def _assigned(event: judging.TableAssigned, recorded: Recorded) -> Told | None:
    if not event.judge or event.judge == event.by:
        return None
    return Told("handed", event.tournament, frozenset([event.judge]), event.match, ASSIGNED)
