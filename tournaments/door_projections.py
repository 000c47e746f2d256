"""The projector of the door, and what a merge does to the entrants of the board."""

from __future__ import annotations

from typing import Any

import msgspec

from eventstore.domain.envelope import Recorded
from eventstore.projections import Projection
from tournaments import events as main
from tournaments.domain import door_events as ev
from tournaments.domain.door import later
from tournaments.domain.event import CHECKED_IN, DROPPED
from tournaments.domain.outage_events import OutageNoticed
from tournaments.door_models import DoorEntrantRow, DoorRow, FeeRow, NoticeRow, WaitingRow
from tournaments.models import MERGED, EntrantPerson, EntrantRow
from tournaments.projections import board

door = Projection("tournaments.door", [DoorRow, WaitingRow, FeeRow, DoorEntrantRow, NoticeRow])


@door.on(ev.DoorSet)
def door_set(event: ev.DoorSet, recorded: Recorded) -> None:
    DoorRow.objects.update_or_create(
        pk=event.event_id, defaults={"policy": msgspec.to_builtins(event.policy)}
    )


@door.on(main.EventStarted)
def event_started(event: main.EventStarted, recorded: Recorded) -> None:
    DoorRow.objects.update_or_create(pk=event.event_id, defaults={"started_with": event.players})


@door.on(ev.WaitingJoined)
def waiting_joined(event: ev.WaitingJoined, recorded: Recorded) -> None:
    WaitingRow.objects.bulk_create(
        [
            WaitingRow(
                key=f"{event.entrant_id}:{event.place}",
                event_id=event.event_id,
                entrant_id=event.entrant_id,
                place=event.place,
                persons=list(event.persons),
                person_id=event.persons[0],
                by_staff=event.by_staff,
                at=recorded.recorded_at,
            )
        ]
    )


def _line(entrant_id: str) -> Any:
    return WaitingRow.objects.filter(entrant_id=entrant_id, state__in=["waiting", "offered"])


@door.on(ev.SeatOffered)
def seat_offered(event: ev.SeatOffered, recorded: Recorded) -> None:
    _line(event.entrant_id).update(state="offered", until=event.until)


@door.on(OutageNoticed)
def outage_noticed(event: OutageNoticed, recorded: Recorded) -> None:
    """Offers that stood when the server went away hold that much longer."""
    if event.until <= event.since:
        return
    stood = WaitingRow.objects.filter(
        event_id=event.event_id, state="offered", until__gt=event.since
    )
    for row in stood:
        row.until = later(row.until, event.since, event.until)
        row.save(update_fields=["until"])


def _ended(state: str) -> Any:
    def handler(event: Any, recorded: Recorded) -> None:
        _line(event.entrant_id).update(state=state)

    return handler


door.on(ev.WaitingLeft)(_ended("left"))
door.on(ev.OfferDeclined)(_ended("declined"))
door.on(ev.OfferExpired)(_ended("expired"))
door.on(ev.OfferTaken)(_ended("taken"))


def _moved(event: Any, recorded: Recorded, kind: str, amount: int, **more: str) -> None:
    FeeRow.objects.bulk_create(
        [
            FeeRow(
                position=recorded.position,
                event_id=event.event_id,
                entrant_id=event.entrant_id,
                kind=kind,
                amount=amount,
                by=recorded.meta.actor,
                at=recorded.recorded_at,
                **more,
            )
        ]
    )


def _known(event_id: str, entrant_id: str) -> DoorEntrantRow:
    row = DoorEntrantRow.objects.filter(pk=entrant_id).first()
    return row or DoorEntrantRow(entrant_id=entrant_id, event_id=event_id)


@door.on(ev.FeePaid)
def fee_paid(event: ev.FeePaid, recorded: Recorded) -> None:
    _moved(event, recorded, "paid", event.amount, currency=event.currency, method=event.method)
    row = _known(event.event_id, event.entrant_id)
    row.paid += event.amount
    row.save()


@door.on(ev.FeeComped)
def fee_comped(event: ev.FeeComped, recorded: Recorded) -> None:
    _moved(event, recorded, "comped", 0, note=event.note or "")
    row = _known(event.event_id, event.entrant_id)
    row.comped = True
    row.save()


@door.on(ev.FeeRefunded)
def fee_refunded(event: ev.FeeRefunded, recorded: Recorded) -> None:
    _moved(event, recorded, "refunded", -event.amount, currency=event.currency, method=event.method)
    row = _known(event.event_id, event.entrant_id)
    row.paid -= event.amount
    row.comped = False
    row.save()


@door.on(ev.EligibilitySeen)
def eligibility_seen(event: ev.EligibilitySeen, recorded: Recorded) -> None:
    row = _known(event.event_id, event.entrant_id)
    row.seen = event.seen
    row.save()


@door.on(ev.NoticeAccepted)
def notice_accepted(event: ev.NoticeAccepted, recorded: Recorded) -> None:
    NoticeRow(
        key=f"{event.event_id} {event.person_id}",
        event_id=event.event_id,
        person_id=event.person_id,
        version=event.version,
        at=recorded.recorded_at,
    ).save()


@door.on(ev.EntrantPersonsSet)
def waiting_persons_set(event: ev.EntrantPersonsSet, recorded: Recorded) -> None:
    _line(event.entrant_id).update(persons=list(event.persons), person_id=event.persons[0])


@door.on(ev.EntrantsMerged)
def entrants_merged(event: ev.EntrantsMerged, recorded: Recorded) -> None:
    kept, gone = (_known(event.event_id, one) for one in (event.entrant_id, event.gone))
    kept.paid, kept.comped = event.paid, event.comped
    gone.paid, gone.comped, gone.merged_into = 0, False, event.entrant_id
    kept.save()
    gone.save()


@door.on(ev.EntrantsUnmerged)
def entrants_unmerged(event: ev.EntrantsUnmerged, recorded: Recorded) -> None:
    kept, gone = (_known(event.event_id, one) for one in (event.entrant_id, event.gone))
    kept.paid, kept.comped = event.paid, event.comped
    gone.paid, gone.comped, gone.merged_into = event.gone_paid, event.gone_comped, ""
    kept.save()
    gone.save()


def _stands_behind(event_id: str, entrant_id: str, persons: tuple[str, ...]) -> None:
    if not EntrantRow.objects.filter(pk=entrant_id).update(persons=list(persons)):
        return  # somebody who waits is no entrant yet
    EntrantPerson.objects.filter(entrant_id=entrant_id).delete()
    EntrantPerson.objects.bulk_create(
        [
            EntrantPerson(
                key=f"{entrant_id}:{person}",
                event_id=event_id,
                entrant_id=entrant_id,
                person_id=person,
            )
            for person in persons
        ]
    )


@board.on(ev.EntrantPersonsSet)
def entrant_persons_set(event: ev.EntrantPersonsSet, recorded: Recorded) -> None:
    _stands_behind(event.event_id, event.entrant_id, event.persons)


@board.on(ev.EntrantsMerged)
def board_merged(event: ev.EntrantsMerged, recorded: Recorded) -> None:
    """The entrant that gives way stays in the table, out and without persons of its own."""
    EntrantPerson.objects.filter(entrant_id=event.gone).delete()
    EntrantRow.objects.filter(pk=event.gone).update(status=DROPPED, reason=MERGED)
    _stands_behind(event.event_id, event.entrant_id, event.persons)
    if event.ready:
        EntrantRow.objects.filter(pk=event.entrant_id).update(status=CHECKED_IN)


@board.on(ev.EntrantsUnmerged)
def board_unmerged(event: ev.EntrantsUnmerged, recorded: Recorded) -> None:
    _stands_behind(event.event_id, event.entrant_id, event.persons)
    EntrantRow.objects.filter(pk=event.entrant_id).update(status=event.status)
    gone = EntrantRow.objects.get(pk=event.gone)
    EntrantRow.objects.filter(pk=event.gone).update(status=event.gone_status, reason="")
    _stands_behind(event.event_id, event.gone, tuple(gone.persons))
