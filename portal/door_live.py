"""Which topics the door of an event moves; part of the projection `portal.live`.

How many wait is public, who waits is not: a place on the waiting list moves the board, the desk
and the pages of whoever has it. Money and what staff have seen move the desk, and the pages of
the player concerned.
"""

from __future__ import annotations

from typing import Any

from eventstore.domain.envelope import Recorded
from portal.live import topics
from portal.models import LiveSubject
from portal.projections import board_topics, each, live, mine_topics, move
from tournaments.domain import door_events as ev
from tournaments.domain.outage_events import OutageNoticed


def _subjects(entrant_id: str) -> list[LiveSubject]:
    keys = [f"entrant:{entrant_id}", f"waiting:{entrant_id}"]
    return list(LiveSubject.objects.filter(pk__in=keys))


def _mine(entrant_id: str) -> list[str]:
    return [topic for one in _subjects(entrant_id) for topic in mine_topics(one)]


@live.on(ev.DoorSet)
def door_set(event: ev.DoorSet, recorded: Recorded) -> None:
    move(recorded, [*board_topics(event.event_id), topics.desk(event.event_id)])


@live.on(ev.WaitingJoined)
def waiting_joined(event: ev.WaitingJoined, recorded: Recorded) -> None:
    LiveSubject(
        key=f"waiting:{event.entrant_id}", event_id=event.event_id, persons=list(event.persons)
    ).save()
    _in_line(event, recorded)


def _in_line(event: Any, recorded: Recorded) -> None:
    moved = [*board_topics(event.event_id), topics.desk(event.event_id)]
    move(recorded, [*moved, *_mine(event.entrant_id)])


each(_in_line, ev.WaitingLeft, ev.SeatOffered, ev.OfferDeclined, ev.OfferExpired, ev.OfferTaken)


@live.on(OutageNoticed)
def outage_noticed(event: OutageNoticed, recorded: Recorded) -> None:
    """Staff are told; seats that were kept for somebody are kept longer."""
    kept = LiveSubject.objects.filter(event_id=event.event_id, pk__startswith="waiting:")
    move(recorded, [topics.desk(event.event_id), *(t for one in kept for t in mine_topics(one))])


def _noted(event: Any, recorded: Recorded) -> None:
    move(recorded, [topics.desk(event.event_id), *_mine(event.entrant_id)])


each(_noted, ev.FeePaid, ev.FeeComped, ev.FeeRefunded, ev.EligibilitySeen)


@live.on(ev.NoticeAccepted)
def notice_accepted(event: ev.NoticeAccepted, recorded: Recorded) -> None:
    move(recorded, [topics.desk(event.event_id)])


def _stands_behind(entrant_id: str, persons: tuple[str, ...]) -> None:
    for one in _subjects(entrant_id):
        one.persons = list(persons)
        one.save()


@live.on(ev.EntrantPersonsSet)
def entrant_persons_set(event: ev.EntrantPersonsSet, recorded: Recorded) -> None:
    before = _mine(event.entrant_id)
    _stands_behind(event.entrant_id, event.persons)
    moved = [*board_topics(event.event_id), topics.desk(event.event_id)]
    move(recorded, [*moved, *before, *_mine(event.entrant_id)])


def _merged(event: Any, recorded: Recorded) -> None:
    before = [*_mine(event.entrant_id), *_mine(event.gone)]
    _stands_behind(event.entrant_id, event.persons)
    moved = [*board_topics(event.event_id), topics.desk(event.event_id)]
    move(recorded, [*moved, *before, *_mine(event.entrant_id)])


each(_merged, ev.EntrantsMerged, ev.EntrantsUnmerged)
