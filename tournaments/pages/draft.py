"""The draft of a round: why each pair stands there, keep pairs, exchange players, take a round
back."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from people.access import require
from people.domain.permissions import Subject
from people.guard import guarded
from people.posts import Form, Sent, number_of, perform, send, text_of
from people.web import actor_of
from tournaments import selectors, services
from tournaments.pages.common import staff_frame

MOST_KEPT = 5000
DONE = {
    "round_pair": gettext_lazy("The round is drafted anew."),
    "draft_swap": gettext_lazy("The players are exchanged. What it costs stands above the tables."),
    "round_withdraw": gettext_lazy("The round is taken back."),
    "cut_undo": gettext_lazy("The top cut is taken back; the standings stay as they were."),
    "cut_replace": gettext_lazy("The place in the top cut is given to the other player."),
}


def _kept(request: HttpRequest) -> list[list[str]]:
    """Return the pairs that are ticked: two entrants in one value, with a blank between."""
    pairs = [one.split(" ") for one in request.POST.getlist("keep")[:MOST_KEPT]]
    return [[one[:36] for one in pair] for pair in pairs if len(pair) == 2]


@guarded("tournaments.round_pair")
@never_cache
@require_http_methods(["GET", "POST"])
def draft(request: HttpRequest, event_id: str) -> HttpResponse:
    """The draft with its proof, and the acts of staff on it."""
    viewer = actor_of(request)
    context = staff_frame(request, viewer, event_id)
    require(viewer, "tournaments.round_pair", Subject(event_id))
    form = Form()
    if request.method == "POST":

        def run(service: Any, **values: Any) -> Sent:
            return send(request, "organiser", service, event_id=event_id, **values)

        acts = {
            "round_pair": lambda: run(services.round_pair, locked=_kept(request)),
            "draft_swap": lambda: run(
                services.draft_swap,
                one=text_of(request, "one", 36),
                two=text_of(request, "two", 36),
                note=text_of(request, "note", 4000),
            ),
            "round_withdraw": lambda: run(
                services.round_withdraw, number=number_of(request, "number") or 0
            ),
            "cut_undo": lambda: run(services.cut_undo),
            "cut_replace": lambda: run(
                services.cut_replace,
                gone=text_of(request, "gone", 36),
                entrant_id=text_of(request, "entrant_id", 36),
            ),
        }
        refused = perform(request, acts, DONE)
        if refused is None:
            return redirect(request.path)
        form = refused
    event = context["event"]
    view = None
    if event.draft_round:
        view = selectors.pairings(viewer, event_id, event.draft_round)
    change = selectors.draw_change(viewer, event_id, event.draft_round) if view else None
    elsewhere = {}
    if view is not None:
        elsewhere = {
            one.entrant_id: one.event_name for one in selectors.live_elsewhere(viewer, event_id)
        }
    people = selectors.roster(viewer, event_id) if event.status == "cut" else []
    context |= {
        "form": form,
        "posted": request.POST,
        "draft": view,
        "change": change,
        "fault": selectors.draft_fault(viewer, event_id) if view else None,
        "elsewhere": [
            (side, elsewhere[side.entrant_id])
            for side in ([one for line in view.tables for one in line.sides] if view else [])
            if side.entrant_id in elsewhere
        ],
        "kept": [set(pair) for pair in view.row.locked] if view else [],
        "lines": [
            (line, {line.p1.entrant_id, line.p2.entrant_id} in [set(p) for p in view.row.locked])
            for line in view.tables
        ]
        if view
        else [],
        "seated": sorted(
            [side for line in view.tables for side in line.sides] + list(view.byes),
            key=lambda side: side.name,
        )
        if view
        else [],
        "seeds": sorted(
            (one.side for one in people if one.side.seed), key=lambda side: side.seed or 0
        ),
        "outside": [
            one.side for one in people if not one.side.seed and one.side.status == "checked_in"
        ],
    }
    return render(request, "tournaments/draft.html", context, status=form.status)
