"""Paper of a round: pairings by table and by name, result slips, standings."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from people.access import require
from people.domain.permissions import Subject
from people.guard import guarded
from people.selectors import sort_names
from people.web import actor_of
from tournaments import selectors
from tournaments.pages.common import number_in, staff_frame
from tournaments.pages.public import by_name

SHEETS = ("tables", "names", "slips", "standings")


@guarded("tournaments.desk_use")
@require_GET
def paper(request: HttpRequest, event_id: str) -> HttpResponse:
    """One sheet for the printer of the browser; slips go in cut-stack order by table."""
    viewer = actor_of(request)
    context = staff_frame(request, viewer, event_id)
    require(viewer, "tournaments.desk_use", Subject(event_id))
    event = context["event"]
    number = number_in(request, "round") or event.draft_round or event.round
    sheet = request.GET.get("sheet", "")
    sheet = sheet if sheet in SHEETS else "tables"
    view = selectors.pairings(viewer, event_id, number) if number else None
    context |= {"sheet": sheet, "sheets": SHEETS, "number": number, "view": view}
    context["rounds"] = selectors.rounds_list(viewer, event_id)
    if view is not None and sheet == "names":
        lines = by_name(view)
        order = sort_names(one.side.persons[0] for one in lines)
        context["lines"] = sorted(lines, key=lambda one: order.get(one.side.persons[0], ""))
    if sheet == "standings":
        context["standings"] = selectors.standings_after(viewer, event_id)
    return render(request, "tournaments/paper.html", context)
