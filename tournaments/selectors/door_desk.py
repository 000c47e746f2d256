"""Reads of the door page: who is meant by what was typed, and what is to be done next; and the
cash-up sheet. For the desk only: registered names stand in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from django.db.models import Count, Q, Sum

from decks import selectors as decks
from decks.domain.registration import ListState
from eventstore import clock
from people import selectors as people
from people import vault
from people.access import require
from people.domain.actor import Actor
from people.domain.names import clean_card_game_id, fold
from people.domain.permissions import Subject
from people.models import Account, Person
from tournaments import duplicates
from tournaments.domain import door_codes
from tournaments.domain.event import DISQUALIFIED, DROPPED, ENROLLED
from tournaments.models import (
    MERGED,
    DoorEntrantRow,
    EntrantRow,
    EventRow,
    FeeRow,
    NoticeRow,
)
from tournaments.selectors.door import Place, Seats, seats_of
from tournaments.selectors.sides import readable
from tournaments.suspended import suspension_of

MOST = 20
"""Persons shown for one text; who has more matches types more of the name."""
MOST_WORDS = 6


@dataclass(frozen=True, slots=True)
class Alike:
    """Another of the event who could be the same human, and which id is to stay: one with a
    log-in, else one whose entrant has handed in a list, else the one that is looked at.
    `both_lists`: whose list counts has to be chosen, of the one looked at or of the other, who has
    this number in the event (0 while waiting)."""

    person: Person
    entrant_id: str
    keep: str
    gone: str
    both_lists: bool
    number: int

    @property
    def lists(self) -> tuple[str, str]:
        """The words of the command for the list of the one looked at, and of the other."""
        return ("gone", "keep") if self.keep == self.person.pk else ("keep", "gone")


@dataclass(frozen=True, slots=True)
class Card:
    """One person at the door. `status` of the entrant, or waiting, or known (not in the event).

    Amounts are minor units. `listed` is the state of the deck list. `suspended`: the last day,
    empty for none. `duplicates`: others of the event who could be the same human; `merged`: ids
    that were merged into this person. `next` is the one thing to do: stop, seat, wait, enrol,
    back, notice, pay, eligible, paper, check_in, done.
    """

    person_id: str
    persons: tuple[str, ...]
    name: str
    public_name: str
    card_game_id: str
    entrant_id: str
    code: str
    number: int
    status: str
    late: bool
    place: Place | None
    paid: int
    owes: int
    comped: bool
    seen: str
    listed: str
    notice: bool
    suspended: str
    duplicates: tuple[Alike, ...]
    merged: tuple[tuple[str, str], ...]
    next: str


@dataclass(frozen=True, slots=True)
class Found:
    """What a text at the door means: `card` when it is one person; else the `cards` it could be,
    those of the event before those who are only known; `seats` of the event."""

    asked: str
    card: Card | None
    cards: tuple[Card, ...]
    seats: Seats


@dataclass(frozen=True, slots=True)
class _Event:
    """The event as far as a lookup needs it."""

    row: EventRow
    seats: Seats
    entrants: Mapping[str, EntrantRow]
    waiting: Mapping[str, Place]
    by_person: Mapping[str, str]


def _load(row: EventRow) -> _Event:
    held = seats_of(row)
    entrants = {
        one.pk: one for one in EntrantRow.objects.filter(event_id=row.pk).exclude(reason=MERGED)
    }
    waiting = {one.entrant_id: one for one in held.line}
    by_person = {person: pk for pk, one in entrants.items() for person in one.persons}
    by_person |= {
        person: pk for pk, one in waiting.items() for person in one.persons if pk not in entrants
    }
    return _Event(row, held, entrants, waiting, by_person)


def _meant(event: _Event, asked: door_codes.Asked) -> tuple[list[str], list[str]]:
    """Return (entrants or places meant, known persons of no entrant meant)."""
    if asked.code:
        every = [*event.entrants, *event.waiting]
        coded = [pk for pk in every if door_codes.code_of(pk) == asked.code]
        if coded:
            return coded[:1], []
    if asked.number is not None:
        return [pk for pk, one in event.entrants.items() if one.number == asked.number], []
    persons: list[str] = []
    number = clean_card_game_id(asked.digits) if asked.digits else None
    if isinstance(number, str):
        one = Person.objects.filter(card_game_id=number).values_list("pk", flat=True).first()
        persons = [one] if one else []
        if not persons and len(asked.digits) <= 6:
            pressed = [pk for pk, e in event.entrants.items() if e.number == int(asked.digits)]
            return pressed, []
    words = [] if asked.digits else fold(asked.text.replace(",", " ")).split()[:MOST_WORDS]
    if words:
        named = Person.objects.filter(merged_into="")
        for word in words:
            named = named.filter(Q(folded__contains=word) | Q(public_name__icontains=word))
        here = set(named.filter(pk__in=event.by_person).values_list("pk", flat=True)[:MOST])
        rest = named.exclude(pk__in=here).values_list("pk", flat=True)[: MOST - len(here)]
        persons = [*here, *rest]
    inside = dict.fromkeys(event.by_person[one] for one in persons if one in event.by_person)
    return list(inside), [one for one in persons if one not in event.by_person]


def door_find(viewer: Actor, event_id: str, text: str) -> Found:
    """Return who is meant by a code, a link, a number, a Card Game ID or a part of a name.

    Costs a fixed number of queries. Raises NotAllowed.
    """
    row = readable(viewer, event_id, "tournaments.event_read")
    require(viewer, "tournaments.door_use", Subject(event_id))
    asked = door_codes.read(text)
    event = _load(row)
    if not asked.text:
        return Found("", None, (), event.seats)
    inside, known = _meant(event, asked)
    cards = _cards(viewer, event, inside, known)
    cards.sort(key=lambda one: (one.status == "known", fold(one.name), one.number))
    card = cards[0] if len(cards) == 1 else None
    return Found(asked.text, card, () if card else tuple(cards), event.seats)


def _cards(viewer: Actor, event: _Event, inside: Iterable[str], known: Iterable[str]) -> list[Card]:
    rows = list(inside)
    persons_of = {
        pk: tuple(event.entrants[pk].persons if pk in event.entrants else event.waiting[pk].persons)
        for pk in rows
    } | {"": ()}
    alone = list(known)
    wanted = {one for persons in persons_of.values() for one in persons} | set(alone)
    found = Person.objects.in_bulk(wanted)
    notes = {one.pk: one for one in DoorEntrantRow.objects.filter(pk__in=rows)}
    version = event.seats.policy.notice_version
    accepted: set[str] = set()
    if version:
        accepted = set(
            NoticeRow.objects.filter(
                event_id=event.row.pk, person_id__in=wanted, version=version
            ).values_list("person_id", flat=True)
        )
    single = len(rows) + len(alone) == 1
    made = [
        _card(viewer, event, pk, persons_of[pk], found, notes.get(pk), accepted, single)
        for pk in rows
    ]
    for person in alone:
        made.append(_card(viewer, event, "", (person,), found, None, accepted, single))
    return made


def _card(
    viewer: Actor,
    event: _Event,
    pk: str,
    persons: tuple[str, ...],
    found: Mapping[str, Person],
    note: DoorEntrantRow | None,
    accepted: set[str],
    single: bool,
) -> Card:
    one = event.entrants.get(pk)
    place = event.waiting.get(pk)
    person = found.get(persons[0])
    policy = event.seats.policy
    paid, comped = (note.paid, note.comped) if note else (0, False)
    in_it = one is not None and one.status not in (DROPPED, DISQUALIFIED)
    status = one.status if one is not None and in_it else "waiting" if place else ""
    status = status or (one.status if one is not None else "known")
    held = suspension_of(persons, clock.now()) if single else None
    card = Card(
        persons[0],
        persons,
        " / ".join(
            found[each].display_name
            for each in persons
            if each in found and not found[each].merged_into
        )
        or "?",
        person.public_name if person else "",
        (person.card_game_id or "") if person else "",
        pk,
        door_codes.code_of(pk) if pk else "",
        one.number if one is not None else 0,
        status,
        one.late if one is not None else False,
        place,
        paid,
        0 if comped else max(0, policy.fee - paid),
        comped,
        note.seen if note else "",
        _listed(viewer, one, single),
        not policy.notice_version or persons[0] in accepted,
        held.until.isoformat() if held is not None else "",
        tuple(_alike(event, persons, pk)) if single else (),
        tuple((each, found[each].display_name) for each in persons if _is_merged(found, each)),
        "",
    )
    return _with_next(card, event)


def _alike(event: _Event, persons: tuple[str, ...], pk: str) -> list[Alike]:
    others = duplicates.pairs(dict(event.by_person), persons)
    known = Account.objects.filter(person_id__in=[one.person.pk for one in others])
    log_ins = set(known.values_list("person_id", flat=True)) if others else set()

    def listed(entrant_id: str) -> bool:
        return entrant_id in event.entrants and bool(event.entrants[entrant_id].deck_id)

    return [
        Alike(
            one.person,
            one.entrant_id,
            *((other, me) if stays else (me, other)),
            listed(one.entrant_id) and listed(pk),
            event.entrants[one.entrant_id].number if one.entrant_id in event.entrants else 0,
        )
        for one in others
        for me, other in [(persons[0], one.person.pk)]
        for stays in [other in log_ins or (listed(one.entrant_id) and not listed(pk))]
    ]


def _is_merged(found: Mapping[str, Person], person_id: str) -> bool:
    return person_id in found and bool(found[person_id].merged_into)


def _listed(viewer: Actor, one: EntrantRow | None, single: bool) -> str:
    if one is None or not one.deck_id:
        return ListState.NONE.value
    if not single:
        return "in"
    return decks.deck_in_force(viewer, one.deck_id).state.value


def _with_next(card: Card, event: _Event) -> Card:
    policy = event.seats.policy
    if card.suspended or card.status == DISQUALIFIED:
        word = "stop"
    elif card.place is not None and card.status == "waiting":
        word = "wait" if card.place.state == "waiting" else "seat"
    elif card.status == "known":
        word = "enrol"
    elif card.status == DROPPED:
        word = "back"
    elif not card.notice:
        word = "notice"
    elif card.owes:
        word = "pay"
    elif policy.eligibility and not card.seen:
        word = "eligible"
    elif event.row.decks_required and card.listed == ListState.NONE and card.status == ENROLLED:
        word = "paper"
    else:
        word = "check_in" if card.status == ENROLLED else "done"
    return replace(card, next=word)


@dataclass(frozen=True, slots=True)
class CashLine:
    """What one desk user took by one method: how often, taken, given back and the balance, in
    minor units of a currency."""

    person_id: str
    name: str
    method: str
    currency: str
    times: int
    taken: int
    given_back: int

    @property
    def balance(self) -> int:
        """What should be in the till."""
        return self.taken + self.given_back


@dataclass(frozen=True, slots=True)
class Movement:
    """One movement of money: who did it, for whom; `note` opened."""

    row: FeeRow
    by: str
    name: str
    number: int
    note: str


@dataclass(frozen=True, slots=True)
class CashUp:
    """The cash-up sheet: a line per desk user and method, the total by method and by currency,
    every movement, and how many entrants paid, were let in free, owe something."""

    lines: tuple[CashLine, ...]
    methods: tuple[tuple[str, str, int], ...]
    totals: tuple[tuple[str, int], ...]
    movements: tuple[Movement, ...]
    paid: int
    comped: int
    owing: int
    policy_fee: int
    currency: str


def cash_up(viewer: Actor, event_id: str) -> CashUp:
    """Return the cash-up sheet of an event: eight queries. Raises NotAllowed."""
    row = readable(viewer, event_id, "tournaments.event_read")
    require(viewer, "tournaments.fee_take", Subject(event_id))
    policy = seats_of(row).policy
    moved = FeeRow.objects.filter(event_id=event_id)
    sums = list(
        moved.exclude(kind="comped")
        .values("by", "method", "currency")
        .annotate(
            times=Count("pk"),
            taken=Sum("amount", filter=Q(amount__gt=0), default=0),
            given_back=Sum("amount", filter=Q(amount__lt=0), default=0),
        )
        .order_by("by", "method", "currency")
    )
    rows = list(moved.order_by("position"))
    entrants = {one.pk: one for one in EntrantRow.objects.filter(event_id=event_id)}
    persons = {one.by for one in rows} | {
        person
        for one in rows
        if one.entrant_id in entrants
        for person in entrants[one.entrant_id].persons[:1]
    }
    names = people.registered_names(persons)
    notes = vault.open_texts([(one.by, one.note) for one in rows])
    lines = [
        CashLine(
            one["by"],
            names.get(one["by"], one["by"]),
            one["method"],
            one["currency"],
            one["times"],
            one["taken"],
            one["given_back"],
        )
        for one in sums
    ]
    lines.sort(key=lambda one: (fold(one.name), one.method))
    methods: dict[tuple[str, str], int] = {}
    totals: dict[str, int] = {}
    for line in lines:
        key = (line.method, line.currency)
        methods[key] = methods.get(key, 0) + line.balance
        totals[line.currency] = totals.get(line.currency, 0) + line.balance
    noted = {one.pk: one for one in DoorEntrantRow.objects.filter(event_id=event_id)}
    playing = [one for one in entrants.values() if one.status not in (DROPPED, DISQUALIFIED)]
    comped = sum(one.pk in noted and noted[one.pk].comped for one in playing)
    owing = sum(
        policy.fee > (noted[one.pk].paid if one.pk in noted else 0)
        and not (one.pk in noted and noted[one.pk].comped)
        for one in playing
    )
    return CashUp(
        tuple(lines),
        tuple((method, currency, amount) for (method, currency), amount in methods.items()),
        tuple(totals.items()),
        tuple(
            Movement(
                one,
                names.get(one.by, one.by),
                names.get(entrants[one.entrant_id].persons[0], "?"),
                entrants[one.entrant_id].number,
                text or "",
            )
            for one, text in zip(rows, notes, strict=True)
        ),
        len(playing) - comped - owing,
        comped,
        owing,
        policy.fee,
        policy.currency,
    )
