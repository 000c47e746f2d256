"""Players who are not at their table: marks, timers, and the losses that staff confirm."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from people.access import may, require
from people.domain.permissions import Subject
from people.guard import guarded
from people.live import live
from people.posts import Form, Sent, perform, send, text_of
from people.web import actor_of
from tournaments import selectors, services
from tournaments.pages.common import number_in, staff_frame

DONE = {
    "miss": gettext_lazy("The seat is marked as empty. The timer stands beside it."),
    "arrive": gettext_lazy("The player is there."),
    "confirm": gettext_lazy("The loss is confirmed."),
}


@guarded("tournaments.tardiness_mark")
@live("desk")
@never_cache
@require_http_methods(["GET", "POST"])
def tardy(request: HttpRequest, event_id: str) -> HttpResponse:
    """The open tables of the newest round; `table` shows one of them alone."""
    viewer = actor_of(request)
    context = staff_frame(request, viewer, event_id)
    require(viewer, "tournaments.tardiness_mark", Subject(event_id))
    form = Form()
    if request.method == "POST":
        seat = {"match_id": text_of(request, "match_id", 36), "seat": text_of(request, "seat", 2)}

        def run(service: Any, **values: Any) -> Sent:
            return send(request, "scorekeeper", service, **seat, **values)

        acts = {
            "miss": lambda: run(services.player_miss),
            "arrive": lambda: run(services.player_arrive),
            "confirm": lambda: run(
                services.tardiness_confirm,
                kind=text_of(request, "kind", 20),
                drop=request.POST.get("drop") == "1",
            ),
        }
        refused = perform(request, acts, DONE)
        if refused is None:
            return redirect(request.path)
        form = refused
    view = selectors.tardy_tables(viewer, event_id)
    wanted = number_in(request, "table")
    tables = [one for one in (view.tables if view else ()) if wanted is None or one.table == wanted]
    context |= {
        "form": form,
        "view": view,
        "tables": tables,
        "wanted": wanted,
        "missing": sum(one.missing for one in tables),
        "may_confirm": may(viewer, "tournaments.result_enter", Subject(event_id, public=False)),
    }
    return render(request, "tournaments/tardy.html", context, status=form.status)
