"""The list of limits of an event in time: which one counts on its day, which one comes."""

from __future__ import annotations

from dataclasses import dataclass
from zoneinfo import ZoneInfo

from cards import selectors as cards
from cards.domain.timeline import Change, Line, Listed
from eventstore import clock
from people.domain.actor import Actor
from tournaments.domain.event import CLOSED, DRAFT, OPEN
from tournaments.models import EntrantRow, EventRow

BEFORE_START = (DRAFT, OPEN, CLOSED)


@dataclass(frozen=True, slots=True)
class LimitsOfEvent:
    """The list that an event plays by, on its `day` (YYYY-MM-DD in its zone).

    `chosen` is the list it names, None for none or one without a date; `frozen` says that it
    cannot change any more: the event has started, or a list was handed in. `due` is the list of
    the same region and format that is in force on the day, where that is another one, and
    `due_changes` what it changes; `coming` the next one after the day, with what changes
    against the one in force then.
    """

    day: str
    frozen: bool = False
    chosen: Listed | None = None
    due: Listed | None = None
    due_changes: tuple[Change, ...] = ()
    coming: Listed | None = None
    coming_changes: tuple[Change, ...] = ()


def day_of(row: EventRow) -> str:
    """Return the day of an event in its zone: that of its start; before it that of the deadline
    for deck lists, and never a day that is past."""
    zone = ZoneInfo(row.zone)
    if row.started_at:
        return clock.from_text(row.started_at).astimezone(zone).date().isoformat()
    today = clock.now().astimezone(zone).date().isoformat()
    if not row.deck_deadline:
        return today
    return max(today, clock.from_text(row.deck_deadline).astimezone(zone).date().isoformat())


def limits_of_event(viewer: Actor, row: EventRow) -> LimitsOfEvent:
    """Return the list of limits of an event that the viewer was given, and what comes after it:
    no query without a list, else two. Raises NotAllowed."""
    day = day_of(row)
    if not row.banlist_id:
        return LimitsOfEvent(day)
    found = cards.banlist_lines(viewer)
    line, chosen = _named(found, row.banlist_id)
    if line is None or chosen is None:
        return LimitsOfEvent(day)
    frozen = row.status not in BEFORE_START or (
        EntrantRow.objects.filter(event_id=row.pk).exclude(deck_id="").exists()
    )
    now, coming = line.on(day), line.after(day)
    due = now if now is not None and now.id != chosen.id and now.date >= chosen.date else None
    if coming is not None and coming.id == chosen.id:
        coming = line.after(coming.date)
    return LimitsOfEvent(
        day,
        frozen,
        chosen,
        due,
        cards.banlist_changes(viewer, chosen.id, due.id) if due else (),
        coming,
        cards.banlist_changes(viewer, (due or chosen).id, coming.id) if coming else (),
    )


def _named(found: list[Line], banlist_id: str) -> tuple[Line | None, Listed | None]:
    for line in found:
        for one in line.lists:
            if one.id == banlist_id:
                return line, one
    return None, None
