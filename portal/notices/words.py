"""The words of a message, made when it is sent: in the language of whoever is told, from what
that person may know then.

A message whose matter is over (the match decided, the call taken) has none and is not sent. A
phone shows it on its locked screen, so it says that something is there and where, not what was
ruled or written.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import override

from decks.models import DeckInForce
from judging import selectors as judging
from judging.domain.words import Status
from judging.models import CallRow, TableJudgeRow
from judging.selectors import CallView
from people.access import NotAllowed, may
from people.domain.actor import Actor
from people.domain.permissions import Subject
from portal.notices import kinds
from portal.templatetags.hj import at_time, extra_time
from tournaments import selectors
from tournaments.domain.event import CHECKED_IN, ENROLLED, UNDER_WAY
from tournaments.domain.setup import NOT_IN_MATCH
from tournaments.models import EventRow, MatchRow, RoundRow


@dataclass(frozen=True, slots=True)
class Notice:
    """What a phone shows: a title, a line below it, and the page that a tap opens (a path)."""

    title: str
    body: str
    path: str


@dataclass(frozen=True, slots=True)
class Matter:
    """What a message is about, and who is told."""

    viewer: Actor
    kind: str
    event: EventRow
    subject: str
    number: int

    @property
    def closed(self) -> Subject:
        """The event as a subject that not everybody may know of."""
        return Subject(self.event.pk, public=False)


Maker = Callable[[Matter], Notice | None]


def notice(
    viewer: Actor, *, kind: str, event_id: str, subject: str, number: int, language: str
) -> Notice | None:
    """Return the words of a message for a viewer, None when there is nothing to be told any more,
    or nothing that this viewer may know."""
    with override(language):
        if kind == kinds.TRIAL:
            told = _("Headjudge reaches this device. What you have chosen is told here.")
            return Notice(_("It works"), told, reverse("portal:notices"))
        event = EventRow.objects.filter(pk=event_id).first()
        if event is None:
            return None
        matter = Matter(viewer, kind, event, subject, number)
        try:
            if kind in ("judge", "ruling", "time", "deck") and _put_away(matter):
                return None
            return MAKERS[kind](matter)
        except NotAllowed:
            return None


def _put_away(matter: Matter) -> bool:
    """Say whether the viewer plays a match now, where phones are forbidden in one."""
    if matter.event.devices != NOT_IN_MATCH:
        return False
    detail = selectors.my_match(matter.viewer, matter.event.pk)
    return detail is not None and not detail.row.winner


def _round(matter: Matter) -> Notice | None:
    event, number = matter.event, matter.number
    if event.round != number or event.status not in UNDER_WAY:
        return None
    path = reverse("my:match", args=[event.pk])
    detail = selectors.my_match(matter.viewer, event.pk)
    if detail is not None:
        if detail.row.winner:
            return None
        other = detail.p2 if detail.seat == "P1" else detail.p1
        title = _("Round %(round)s: table %(table)s") % {
            "round": number,
            "table": detail.row.table,
        }
        against = _("Against %(name)s") % {"name": other.name}
        return Notice(title, f"{against}. {event.name}", path)
    own = selectors.entrant_of_person(matter.viewer, event.pk)
    row = RoundRow.objects.filter(event_id=event.pk, number=number, published=True).first()
    if row is None or own not in row.byes:
        return None
    return Notice(_("Round %(round)s: a bye") % {"round": number}, event.name, path)


def _own_call(matter: Matter) -> CallView | None:
    view = judging.call_detail(matter.viewer, matter.subject)
    return view if view.seat is not None else None


def _judge(matter: Matter) -> Notice | None:
    view = _own_call(matter)
    if view is None or view.state not in (Status.CLAIMED, Status.HJ_CLAIMED):
        return None
    title = _("A judge is coming to table %(table)s") % {"table": view.table}
    return Notice(title, matter.event.name, reverse("my_calls:call", args=[matter.event.pk]))


def _ruling(matter: Matter) -> Notice | None:
    if matter.number == kinds.BACK:
        return _back(matter)
    view = _own_call(matter)
    if view is None or view.state not in (Status.RULED, Status.HJ_RULED):
        return None
    title = _("A ruling was made at table %(table)s") % {"table": view.table}
    path = reverse("my_calls:call", args=[matter.event.pk])
    return Notice(title, _("Tap to read it."), path)


def _back(matter: Matter) -> Notice | None:
    own = selectors.entrant_of_person(matter.viewer, matter.event.pk)
    if own is None or selectors.own_line(matter.viewer, matter.event.pk, own).side.status not in (
        ENROLLED,
        CHECKED_IN,
    ):
        return None
    title = _("Your disqualification was taken back")
    path = reverse("my:match", args=[matter.event.pk])
    return Notice(title, _("You play again from the next round that is paired."), path)


def _time(matter: Matter) -> Notice | None:
    detail = selectors.my_match(matter.viewer, matter.event.pk)
    if detail is None or detail.row.winner or matter.subject not in ("", detail.row.pk):
        return None
    told = {"time": extra_time(matter.number), "table": detail.row.table}
    if matter.subject:
        title = _("%(time)s for table %(table)s") % told
    else:
        title = _("%(time)s for this round") % told
    return Notice(title, matter.event.name, reverse("my:match", args=[matter.event.pk]))


def _deck(matter: Matter) -> Notice | None:
    own = selectors.entrant_of_person(matter.viewer, matter.event.pk)
    held = DeckInForce.objects.filter(pk=matter.subject).first()
    if own is None or (held is not None and held.entrant_id != own):
        return None
    if (held is None) != (matter.number == kinds.GIVEN_BACK):
        return None
    name = matter.event.name
    told = {
        kinds.CHECKED: (_("Your deck list is checked"), name),
        kinds.REOPENED: (
            _("Your deck list is open again"),
            _("You can change it. %(event)s") % {"event": name},
        ),
        kinds.GIVEN_BACK: (
            _("Your deck list is not handed in"),
            _("Staff took the mark back. %(event)s") % {"event": name},
        ),
        kinds.REPAIRED: (_("A judge changed your deck list"), name),
    }
    title, body = told[matter.number]
    return Notice(title, body, reverse("my:deck", args=[matter.event.pk]))


def _seat(matter: Matter) -> Notice | None:
    event = matter.event
    seats = selectors.door_now(matter.viewer, event.pk)
    mine = selectors.my_seat(matter.viewer, event, seats)
    if mine.state != "offered" or mine.place is None:
        return None
    until = at_time(mine.place.until, event.zone)
    body = _("Take it until %(time)s. %(event)s") % {"time": until, "event": event.name}
    return Notice(_("A seat is kept for you"), body, reverse("my:seat", args=[event.pk]))


def _call(matter: Matter) -> Notice | None:
    row = CallRow.objects.filter(pk=matter.subject).first()
    if row is None or row.state != Status.RAISED:
        return None
    if not may(matter.viewer, "judging.queue_read", matter.closed):
        return None
    if any(matter.viewer.person_id in seat for seat in row.seats):
        return None
    told = {"table": row.table if row.table is not None else "–", "round": row.round}
    if row.head_judge_wanted:
        title = _("Table %(table)s asks for the head judge") % told
    else:
        title = _("Table %(table)s calls a judge") % told
    body = f"{_('Round %(round)s') % told}. {matter.event.name}"
    return Notice(title, body, reverse("calls:call", args=[row.pk]))


def _handed(matter: Matter) -> Notice | None:
    if matter.number == kinds.ASSIGNED:
        return _assigned(matter)
    row = CallRow.objects.filter(pk=matter.subject).first()
    waits = Status.APPEALED if matter.number == kinds.APPEALED else Status.ESCALATED
    if row is None or row.state != waits:
        return None
    if not may(matter.viewer, "judging.penalty_approve", matter.closed):
        return None
    told = {"table": row.table if row.table is not None else "–"}
    if matter.number == kinds.APPEALED:
        title = _("Appeal at table %(table)s") % told
    else:
        title = _("The call of table %(table)s is handed to you") % told
    return Notice(title, matter.event.name, reverse("calls:call", args=[row.pk]))


def _assigned(matter: Matter) -> Notice | None:
    """A table to look after: as long as it is still this judge's and being played."""
    mine = TableJudgeRow.objects.filter(pk=matter.subject, judge=matter.viewer.person_id)
    row = MatchRow.objects.filter(pk=matter.subject, winner="").first()
    if row is None or not mine.exists():
        return None
    if not may(matter.viewer, "judging.table_take", matter.closed):
        return None
    title = _("Table %(table)s is yours to look after") % {"table": row.table}
    path = reverse("calls:sheet", args=[matter.event.pk, row.pk])
    return Notice(title, matter.event.name, path)


def _enrolled(matter: Matter) -> Notice | None:
    if selectors.entrant_of_person(matter.viewer, matter.event.pk) is None:
        return None
    path = reverse("my:match", args=[matter.event.pk])
    return Notice(_("You are in: %(event)s") % {"event": matter.event.name}, "", path)


MAKERS: dict[str, Maker] = {
    "round": _round,
    "judge": _judge,
    "ruling": _ruling,
    "time": _time,
    "deck": _deck,
    "seat": _seat,
    "enrolled": _enrolled,
    "call": _call,
    "handed": _handed,
}
