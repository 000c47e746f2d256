"""A bracket from names alone: one page, one button, then the sheet to print."""

from __future__ import annotations

from django.conf import settings as site
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from people.access import require
from people.domain.permissions import Subject
from people.guard import guarded
from people.posts import Form, form_id, perform, send, text_of
from people.web import actor_of
from tournaments import selectors, services
from tournaments.domain.scores import MATCH_RULES
from tournaments.pages.common import staff_frame

MOST_TEXT = 8000


@guarded("tournaments.event_create")
@never_cache
@require_http_methods(["GET", "POST"])
def pod(request: HttpRequest) -> HttpResponse:
    """Names in, a published bracket out."""
    require(actor_of(request), "tournaments.event_create")
    form = Form()
    if request.method == "POST":
        event_id = form_id(request, "event_id")
        acts = {
            "pod": lambda: send(
                request,
                "organiser",
                services.pod_create,
                event_id=event_id,
                name=text_of(request, "name", 200),
                names=services.names_in(request.POST.get("names", "")[:MOST_TEXT]),
                zone=site.TIME_ZONE,
                match_rules=text_of(request, "match_rules", 40) or MATCH_RULES[0],
            )
        }
        refused = perform(request, acts, {"pod": gettext_lazy("The bracket is published.")})
        if refused is None:
            return redirect("staff:bracket_sheet", event_id)
        form = refused
    context = {"form": form, "posted": request.POST, "match_rules": list(MATCH_RULES)}
    return render(request, "tournaments/pod.html", context, status=form.status)


@guarded("tournaments.desk_use")
@require_GET
def bracket_sheet(request: HttpRequest, event_id: str) -> HttpResponse:
    """The bracket on paper: every round with room for names and scores still to come."""
    viewer = actor_of(request)
    context = staff_frame(request, viewer, event_id)
    require(viewer, "tournaments.desk_use", Subject(event_id))
    view = selectors.bracket(viewer, event_id)
    columns: list[dict[str, object]] = []
    for one in view.rounds:
        ties = zip(one.slots[::2], one.slots[1::2], one.lines, strict=False)
        columns.append({"number": one.number, "slots": len(one.slots), "ties": list(ties)})
    width = len(view.rounds[-1].slots) // 2 if view.rounds else 0
    number = view.rounds[-1].number if view.rounds else 0
    while width >= 2:
        number += 1
        blank = [(None, None, None)] * (width // 2)
        columns.append({"number": number, "slots": width, "ties": blank})
        width //= 2
    context |= {"view": view, "columns": columns}
    return render(request, "tournaments/bracket_sheet.html", context)
