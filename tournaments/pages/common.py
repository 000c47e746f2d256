"""What the pages of an event share: its frame, paging, finding a name, the tabs of its staff."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from django.core.paginator import Page, Paginator
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from people.access import may
from people.domain.actor import Actor
from people.domain.names import fold
from people.domain.permissions import Subject
from tournaments import selectors
from tournaments.selectors import EventHome

T = TypeVar("T")
PAGE_SIZE = 100


@dataclass(frozen=True, slots=True)
class Tab:
    """One view of an event."""

    label: str
    url: str
    current: bool


def frame(request: HttpRequest, viewer: Actor, event_id: str) -> tuple[EventHome, dict[str, Any]]:
    """Return the event and the context of its public frame. Raises NotAllowed."""
    home = selectors.event_home(viewer, event_id)
    names = [
        (_("Event"), "tournaments:home"),
        (_("Pairings"), "tournaments:pairings"),
        (_("Standings"), "tournaments:standings"),
    ]
    if home.row.cut or home.row.status == "cut":
        names.append((_("Bracket"), "tournaments:bracket"))
    if selectors.lists_are_open(home.row):
        names.append((_("Deck lists"), "tournaments:open_lists"))
    tabs = [_tab(request, label, reverse(name, args=[event_id])) for label, name in names]
    return home, {"home": home, "event": home.row, "tabs": tabs}


def staff_frame(request: HttpRequest, viewer: Actor, event_id: str) -> dict[str, Any]:
    """Return the context of the frame of staff pages: the tabs the viewer may open.

    Raises NotAllowed for an event one may not know of.
    """
    home = selectors.event_home(viewer, event_id)
    subject = Subject(event_id, public=False)
    rows = [
        (_("Desk"), "staff:desk", "tournaments.desk_use"),
        (_("Door"), "staff:door", "tournaments.door_use"),
        (_("Results"), "staff:results", "tournaments.desk_use"),
        (_("Floor"), "calls:floor", "judging.floor_read"),
        (_("No-shows"), "staff:tardy", "tournaments.tardiness_mark"),
        (_("Undo"), "staff:undo", "tournaments.desk_use"),
        (_("People"), "staff:people", "tournaments.entrant_enrol"),
        (_("Lists"), "staff:lists", "decks.list_read"),
        (_("Checks"), "calls:deck_checks", "judging.deck_check"),
        (_("Calls"), "calls:queue", "judging.queue_read"),
        (_("Record"), "staff:features", "duels.duel_record"),
        (_("Staff"), "staff:roles", "people.role_grant"),
        (_("Paper"), "staff:paper", "tournaments.desk_use"),
        (_("Settings"), "staff:settings", "tournaments.event_run"),
        (_("Pairing and tables"), "staff:plan", "tournaments.event_run"),
        (_("Policy"), "staff:policy", "tournaments.event_run"),
        (_("Policy pack"), "calls:pack", "judging.pack_read"),
        (_("Files"), "staff:files", "tournaments.event_run"),
        (_("Webhooks"), "portal:webhooks", "portal.webhook_manage"),
        (_("Background work"), "portal:event_jobs", "portal.event_jobs_read"),
    ]
    tabs = [
        _tab(request, label, reverse(name, args=[event_id]))
        for label, name, action in rows
        if may(viewer, action, subject)
    ]
    return {"home": home, "event": home.row, "tabs": tabs}


def _tab(request: HttpRequest, label: str, url: str) -> Tab:
    return Tab(label, url, request.path == url)


def number_in(request: HttpRequest, name: str) -> int | None:
    """Return a whole number of the query string; None for anything else."""
    given = request.GET.get(name, "")
    return int(given) if given.isascii() and given.isdigit() and len(given) <= 9 else None


def paged(request: HttpRequest, rows: Sequence[T], size: int = PAGE_SIZE) -> Page[T]:
    """Return the page that the query string asks for; a page that is not there is the nearest, and
    what is no number is the first."""
    try:
        number = max(1, int(request.GET.get("page", "")))
    except ValueError:
        number = 1
    return Paginator(rows, size).get_page(number)


def found(rows: Sequence[T], text: str, names: Callable[[T], Sequence[str]]) -> Sequence[T]:
    """Return the rows one of whose names holds the text, marks and case left aside; the rows
    themselves for no text."""
    wanted = fold(text[:80])
    if not wanted:
        return rows
    return [row for row in rows if any(wanted in fold(name) for name in names(row))]
