"""A player's own pages at the door: the seat, or the place in the line; the code to be scanned."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from people import merging
from people.guard import guarded
from people.live import live
from people.posts import Form, Sent, perform, send, text_of
from people.web import actor_of
from tournaments import selectors, services
from tournaments.domain.door_codes import code_of
from tournaments.pages.door import door_link
from tournaments.pages.people import qr_svg

DONE = {
    "accept": gettext_lazy("The seat is yours."),
    "decline": gettext_lazy("The seat goes to the next."),
    "leave": gettext_lazy("You are off the waiting list."),
    "name": gettext_lazy("Others see this name from now on."),
    "notice": gettext_lazy("The privacy notice is accepted."),
}


def _context(request: HttpRequest, event_id: str) -> dict[str, Any]:
    """Return what both pages show. Raises NotAllowed, and Http404 for somebody who neither takes
    part nor waits nor waited."""
    viewer = actor_of(request)
    held = selectors.event_home(viewer, event_id)
    places = selectors.door_now(viewer, event_id)
    mine = selectors.my_seat(viewer, held.row, places)
    if held.entrant_id is None and mine.state == "none":
        raise Http404
    entrant_id = mine.entrant_id if mine.place is not None else held.entrant_id or mine.entrant_id
    return {
        "home": held,
        "event": held.row,
        "seats": places,
        "mine": mine,
        "entrant_id": entrant_id,
        "note": selectors.my_door(viewer, event_id, entrant_id),
    }


@guarded("tournaments.offer_take")
@live("board", "mine")
@never_cache
@require_http_methods(["GET", "POST"])
def seat(request: HttpRequest, event_id: str) -> HttpResponse:
    """My place on the waiting list; the seat that is kept for me and how long still, counted by
    the server's clock."""
    context = _context(request, event_id)
    form = Form()
    if request.method == "POST":
        ids = {"event_id": event_id, "entrant_id": context["entrant_id"]}

        def run(service: Any) -> Sent:
            return send(request, "player", service, **ids)

        acts = {
            "accept": lambda: run(services.offer_accept),
            "decline": lambda: run(services.offer_decline),
            "leave": lambda: run(services.waiting_leave),
        }
        refused = perform(request, acts, DONE)
        if refused is None:
            took = request.POST.get("act") == "accept"
            return redirect("my:match" if took else "my:seat", event_id)
        form = refused
        context = _context(request, event_id)
    return render(request, "tournaments/my_seat.html", context | {"form": form}, status=form.status)


@guarded("tournaments.offer_take")
@live("mine")
@never_cache
@require_http_methods(["GET", "POST"])
def code(request: HttpRequest, event_id: str) -> HttpResponse:
    """My code for the door as a QR code and in letters; the name that others see; what is open."""
    viewer = actor_of(request)
    context = _context(request, event_id)
    form = Form()
    if request.method == "POST":
        person = viewer.person_id or ""
        acts = {
            "name": lambda: send(
                request,
                "player",
                merging.public_name_set,
                person_id=person,
                public_name=text_of(request, "public_name"),
                event_id=event_id,
            ),
            "notice": lambda: send(
                request,
                "player",
                services.notice_accept,
                event_id=event_id,
                person_id=person,
                version=text_of(request, "version", 20),
            ),
        }
        refused = perform(request, acts, DONE)
        if refused is None:
            return redirect(request.path)
        form = refused
        context = _context(request, event_id)
    mark = code_of(context["entrant_id"])
    context |= {
        "form": form,
        "posted": request.POST,
        "code": mark,
        "svg": qr_svg(door_link(request, event_id, mark)),
    }
    return render(request, "tournaments/my_code.html", context, status=form.status)
