"""Pages of an event for everyone: home, pairings, standings, bracket."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from people.domain.actor import Actor
from people.guard import guarded
from people.live import live
from people.web import actor_of, keep_offline
from tournaments import selectors
from tournaments.domain.event import CLOSED, FINISHED, OPEN
from tournaments.models import EventRow
from tournaments.pages.common import found, frame, number_in, paged
from tournaments.selectors import (
    Paired,
    PairedRow,
    PairingLine,
    RosterLine,
    RoundView,
    Side,
    StandingLine,
)

MOST_PLACES = 8


@guarded("tournaments.event_read")
@live("board", "desk")
@require_GET
def home(request: HttpRequest, event_id: str) -> HttpResponse:
    """The event: its state, how far the round is, who plays, where I sit."""
    viewer = actor_of(request)
    held, context = frame(request, viewer, event_id)
    query = request.GET.get("q", "")
    lines = found(selectors.roster_shown(viewer, event_id), query, lambda one: [one.side.name])
    tables = selectors.tables_in(event_id, held.row.round) if held.row.round else 0
    before = held.row.status in (OPEN, CLOSED)
    places = selectors.door_now(viewer, event_id) if before else None
    context |= {
        "seats": places,
        "waits": selectors.my_seat(viewer, held.row, places).place if places else None,
        "clock": selectors.clock_of(event_id) if held.row.round else None,
        "query": query,
        "page": paged(request, lines),
        "tables": tables,
        "done": max(0, tables - held.open_tables),
        "done_percent": 100 * max(0, tables - held.open_tables) // tables if tables else 0,
        "places": _places(viewer, held.row, lines if query else None),
    }
    return render(request, "tournaments/home.html", context)


def _places(viewer: Actor, event: EventRow, asked: Sequence[RosterLine] | None) -> list[Side]:
    """Return the first final places: of all, or of those who were asked for by name."""
    if event.status != FINISHED:
        return []
    if asked is None:
        return selectors.best_placed(viewer, event.pk, MOST_PLACES)
    placed = [one.side for one in asked if one.side.place]
    return sorted(placed, key=lambda one: one.place or 0)[:MOST_PLACES]


@guarded("tournaments.event_read")
@require_GET
def limits(request: HttpRequest, event_id: str) -> HttpResponse:
    """The deck rules of the event, its list of limits, the one in force on its day, the next."""
    viewer = actor_of(request)
    held, context = frame(request, viewer, event_id)
    context["limits"] = selectors.limits_of_event(viewer, held.row)
    return render(request, "tournaments/limits.html", context)


@guarded("tournaments.pairings_read")
@live("board", "desk")
@require_GET
def pairings(request: HttpRequest, event_id: str) -> HttpResponse:
    """One round by table or by name; without `round` the newest one."""
    viewer = actor_of(request)
    keep_offline(request)
    held, context = frame(request, viewer, event_id)
    number = number_in(request, "round") or held.row.round
    by = "name" if request.GET.get("by") == "name" else "table"
    query = request.GET.get("q", "")
    view: Paired | RoundView | None
    if query.strip() or by == "name":  # the whole round is read where names are looked through
        context["rounds"] = selectors.rounds_list(viewer, event_id)
        view = selectors.pairings(viewer, event_id, number) if number else None
    else:
        shown = selectors.pairings_shown(viewer, held, number)
        context |= {"rounds": shown.rounds, "messages_read": shown.messages}
        view = shown.view
    context |= {"number": number, "by": by, "query": query, "view": view}
    context["clock"] = selectors.clock_in(view.row) if view is not None else None
    if by == "name" and isinstance(view, RoundView):
        lines = selectors.by_name(view)
        context["page"] = paged(request, found(lines, query, lambda one: [one.side.name]))
    elif view is not None:

        def names(one: PairedRow | PairingLine) -> list[str]:
            return [one.p1.name, one.p2.name]

        context["page"] = paged(request, found(view.tables, query, names))
        why = request.GET.get("why", "")
        context["why"] = selectors.why_paired(viewer, event_id, number, why) if why else None
        context["byes"] = found(view.byes, query, lambda one: [one.name])
    return render(request, "tournaments/pairings.html", context)


@guarded("tournaments.standings_read")
@live("board", "desk")
@require_GET
def standings(request: HttpRequest, event_id: str) -> HttpResponse:
    """The standings after a round; `why` opens what the numbers of one player are made of."""
    viewer = actor_of(request)
    held, context = frame(request, viewer, event_id)
    view = selectors.standings_after(
        viewer, event_id, number_in(request, "round"), number_in(request, "revision")
    )
    # Swiss rounds come first, so their numbers need no read of their own.
    planned = held.row.rounds
    swiss = held.row.round if planned is None else min(held.row.round, planned)
    query, why = request.GET.get("q", ""), request.GET.get("why", "")

    def names(one: StandingLine) -> list[str]:
        return [one.side.name]

    opened = next((one for one in view.lines if one.side.entrant_id == why), None)
    by_id = {one.side.entrant_id: one.side for one in view.lines}
    context |= {
        "view": view,
        "rounds": range(1, swiss + 1),
        "query": query,
        "page": paged(request, found(view.lines, query, names)),
        "opened": opened,
        "facing": [(by_id.get(one["entrant"]), one) for one in opened.detail["opponents"]]
        if opened
        else [],
        "ahead": _ahead(view.lines, opened),
        "mine": held.entrant_id,
        "revisions": range(1, view.revisions + 1),
        # Everybody may read both revisions; why they differ is for staff.
        "moves": selectors.moved(viewer, event_id, view.round, view.revision)
        if view.revision > 1 and held.may_desk
        else [],
    }
    return render(request, "tournaments/standings.html", context)


@dataclass(frozen=True, slots=True)
class Ahead:
    """Who stands just ahead, and the first figure that differs (none: the place is shared)."""

    line: StandingLine
    name: str
    more: int
    less: int


def _ahead(lines: tuple[StandingLine, ...], opened: StandingLine | None) -> Ahead | None:
    place = lines.index(opened) if opened is not None else 0
    if opened is None or not place:
        return None
    before = lines[place - 1]
    theirs = (("points", before.points), *before.tiebreaks)
    mine = (("points", opened.points), *opened.tiebreaks)
    for (name, more), (_, less) in zip(theirs, mine, strict=True):
        if more != less:
            return Ahead(before, name, more, less)
    return Ahead(before, "", 0, 0)


@guarded("tournaments.pairings_read")
@live("board", "desk")
@require_GET
def bracket(request: HttpRequest, event_id: str) -> HttpResponse:
    """The cut: a picture in columns, which is a list on a phone and for screen readers."""
    viewer = actor_of(request)
    held, context = frame(request, viewer, event_id)
    view = selectors.bracket(viewer, event_id)
    columns = []
    for one in view.rounds:
        pairs = zip(one.slots[::2], one.slots[1::2], one.lines, strict=False)
        columns.append({"number": one.number, "ties": list(pairs), "slots": len(one.slots)})
    context |= {"view": view, "columns": columns, "mine": held.entrant_id}
    return render(request, "tournaments/bracket.html", context)
