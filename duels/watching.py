"""Watching a duel that goes on: what those get to see who have no part in it, and how late.

An event of the organiser says how many seconds its duels are behind for everybody but the
players, the judges and who records. The log is cut before anything is made of it, so that no
page, no answer and no export tells more.
"""

from __future__ import annotations

from bisect import bisect_right
from datetime import timedelta

from duels.domain.events import DuelOpened, WatchDelaySet
from duels.models import WatchDelay
from eventstore import clock
from eventstore.commands import Unit, command
from eventstore.domain.envelope import Recorded
from eventstore.domain.refusal import Refusal, Refused
from eventstore.ids import is_id
from people.access import may, require
from people.domain.actor import Actor
from people.domain.permissions import Subject

MOST_SECONDS = 6 * 60 * 60
SEATS = ("P1", "P2")


@command("duels.watch_delay_set")
def watch_delay_set(unit: Unit, *, event_id: str, seconds: int) -> int:
    """Set by how many seconds the duels of an event are behind for those who only watch; return
    them. It holds at once, also for duels that go on.

    Raises Refused (`duels.watch_delay_invalid`), NotAllowed.
    """
    require(unit.actor, "duels.watch_delay_set", Subject(event_id if is_id(event_id) else None))
    if not 0 <= seconds <= MOST_SECONDS:
        params = {"found": seconds, "allowed": [0, MOST_SECONDS]}
        raise Refused(Refusal("duels.watch_delay_invalid", params))
    loaded = unit.load(f"watch-{event_id}", 0, lambda count, _: count + 1)
    unit.append(loaded.stream, loaded.version, [WatchDelaySet(event_id, seconds)])
    return seconds


def watch_delay(event_id: str | None) -> int:
    """Return by how many seconds those who watch an event are behind. Public; one query."""
    if not event_id:
        return 0
    kept = WatchDelay.objects.filter(pk=event_id).values_list("seconds", flat=True)
    return next(iter(kept), 0)


def has_part(viewer: Actor, opening: DuelOpened) -> bool:
    """Say whether a viewer plays a duel, judges its event or records it: then it is not late."""
    persons = frozenset(one for seat in SEATS for one in opening.seats.get(seat, []))
    subject = Subject(opening.event_id, persons)
    return any(
        may(viewer, action, subject)
        for action in ("duels.duel_act", "duels.duel_read_as_judge", "duels.duel_record")
    )


def lateness(viewer: Actor, recorded: list[Recorded]) -> int:
    """Return by how many seconds a viewer of this log is behind, 0 for who has part in it."""
    first = recorded[0].data if recorded else None
    if not isinstance(first, DuelOpened) or has_part(viewer, first):
        return 0
    return watch_delay(first.event_id)


def seen_until(viewer: Actor, opening: DuelOpened) -> str | None:
    """Return the moment (UTC text) up to which a viewer sees a duel by now, None for all of it.
    One query for who has no part in the duel, none for others."""
    if has_part(viewer, opening):
        return None
    seconds = watch_delay(opening.event_id)
    return clock.as_text(clock.now() - timedelta(seconds=seconds)) if seconds else None


def watched(viewer: Actor, recorded: list[Recorded]) -> list[Recorded]:
    """Return as much of a log as a viewer may see by now: for who has no part in the duel what
    is older than the delay of its event. The opening is never held back, for the pairings say
    as much."""
    first = recorded[0].data if recorded else None
    limit = seen_until(viewer, first) if isinstance(first, DuelOpened) else None
    if limit is None:
        return recorded
    kept = bisect_right(recorded, limit, key=lambda one: one.recorded_at)
    return recorded[: max(1, kept)]
