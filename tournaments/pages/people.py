"""The people of an event at the desk: enrol, check in, drop, decks, join links."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import segno
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from cards import selectors as cards
from decks import selectors as decks
from decks import services as deck_services
from decks.pages.lists import counted, posted_list
from eventstore import clock
from people import joinlinks, security
from people import selectors as people_read
from people.access import may, require
from people.domain.permissions import Subject
from people.guard import guarded
from people.posts import Form, Sent, form_id, number_of, perform, send, text_of
from people.web import actor_of
from tournaments import selectors, services
from tournaments.pages.common import found, paged, staff_frame
from tournaments.pages.door import alike, enrolled

LOOPBACK = {"localhost", "127.0.0.1", "::1"}
"""Hosts that no phone reaches."""


def only_here(request: HttpRequest) -> bool:
    """Say whether the page is open under an address that no phone reaches: what leads back to it,
    scanned from this page or from paper, then opens on this machine alone."""
    return urlsplit(request.build_absolute_uri()).hostname in LOOPBACK


DONE = {
    "plan": gettext_lazy("The plan is changed."),
    "enrol": enrolled,
    "check_in": gettext_lazy("The player is checked in."),
    "drop": gettext_lazy("The player has dropped."),
    "reinstate": gettext_lazy("The player is in again."),
    "submit": gettext_lazy("The list is handed in."),
    "lock": gettext_lazy("The list is locked."),
    "unlock": gettext_lazy("The list is open again."),
}


def _entrant_acts(request: HttpRequest, event_id: str, entrant_id: str) -> dict[str, Any]:
    def run(service: Any) -> Sent:
        return send(request, "organiser", service, event_id=event_id, entrant_id=entrant_id)

    return {
        "check_in": lambda: run(services.entrant_check_in),
        "drop": lambda: run(services.entrant_drop),
        "reinstate": lambda: run(services.entrant_reinstate),
    }


@guarded("tournaments.entrant_enrol")
@never_cache
@require_http_methods(["GET", "POST"])
def people(request: HttpRequest, event_id: str) -> HttpResponse:
    """The list of entrants with the one act each needs, and the form that enrols."""
    viewer = actor_of(request)
    context = staff_frame(request, viewer, event_id)
    subject = Subject(event_id)
    require(viewer, "tournaments.entrant_enrol", subject)
    form = Form()
    if request.method == "POST":
        acts = _entrant_acts(request, event_id, text_of(request, "entrant_id", 36))
        acts["enrol"] = lambda: send(
            request,
            "organiser",
            services.entrant_enrol,
            event_id=event_id,
            person_id=text_of(request, "person_id", 36) or None,
            display_name=text_of(request, "display_name"),
            sort_name=text_of(request, "sort_name"),
            card_game_id=text_of(request, "card_game_id", 40),
            other_person=request.POST.get("other_person") == "1",
        )
        refused = perform(request, acts, DONE)
        if refused is None:
            return redirect(request.get_full_path())
        form = refused
    query, state = request.GET.get("q", ""), request.GET.get("state", "")
    lines = selectors.roster(viewer, event_id)
    registered = people_read.registered_names(one.side.persons[0] for one in lines)
    shown = [one for one in lines if not state or one.side.status == state]
    context |= {
        "form": form,
        "posted": request.POST,
        "query": query,
        "state": state,
        "states": ["enrolled", "checked_in", "dropped", "disqualified"],
        "page": paged(
            request,
            found(shown, query, lambda one: [one.side.name, registered[one.side.persons[0]]]),
        ),
        "registered": registered,
        "alike": alike(form.refusal),
        "total": len(lines),
        "known": people_read.people_search(viewer, request.GET.get("who", ""), event_id=event_id),
        "who": request.GET.get("who", ""),
        "elsewhere": [
            (one.name, one.event_name) for one in selectors.live_elsewhere(viewer, event_id)
        ],
    }
    return render(request, "tournaments/people.html", context, status=form.status)


@guarded("tournaments.entrant_enrol")
@never_cache
@require_http_methods(["GET", "POST"])
def entrant(request: HttpRequest, event_id: str, entrant_id: str) -> HttpResponse:
    """One entrant at the desk: state, deck list, hand in for them, join link."""
    viewer = actor_of(request)
    context = staff_frame(request, viewer, event_id)
    require(viewer, "tournaments.entrant_enrol", Subject(event_id))

    lines = selectors.roster(viewer, event_id)
    one = next((line for line in lines if line.side.entrant_id == entrant_id), None)
    if one is None:
        raise Http404
    form = Form()
    report: dict[str, Any] | None = None
    content = posted_list(request) if request.method == "POST" else ""
    if request.method == "POST":
        acts = _entrant_acts(request, event_id, entrant_id)
        acts |= {
            "submit": lambda: send(
                request,
                "organiser",
                services.deck_submit,
                event_id=event_id,
                entrant_id=entrant_id,
                content=content,
                deck_id=form_id(request, "deck_id"),
            ),
            "lock": lambda: send(
                request, "organiser", deck_services.list_lock, deck_id=one.deck_id or ""
            ),
            "unlock": lambda: send(
                request,
                "organiser",
                deck_services.list_unlock,
                deck_id=one.deck_id or "",
                reason=text_of(request, "reason", 600),
            ),
            "plan": lambda: send(
                request,
                "organiser",
                services.plan_entrant,
                event_id=event_id,
                entrant_id=entrant_id,
                values={
                    "club": text_of(request, "club", 60),
                    "table": number_of(request, "table") or 0,
                    "free": number_of(request, "free") or 0,
                    "featured": request.POST.get("featured") == "1",
                    "needs": request.POST.get("needs") == "1",
                    "apart": [one[:36] for one in request.POST.getlist("apart")[:50]],
                },
            ),
        }
        refused = perform(request, acts, DONE)
        if refused is None:
            return redirect(request.path)
        form = refused
        if form.refusal is not None and form.refusal.code == "decks.illegal_list":
            report, form = dict(form.refusal.params), Form(form.act)
    context |= {
        "form": form,
        "one": one,
        "report": report,
        "content": content,
        "registration": None,
        "may_lock": may(viewer, "decks.list_lock", Subject(event_id, public=False)),
        "packet": selectors.packet_is_open(viewer, event_id, entrant_id),
        "plan": _planned(context["event"].plan, entrant_id)
        if may(viewer, "tournaments.event_run", Subject(event_id))
        else None,
        "others": [other.side for other in lines if other.side.entrant_id != entrant_id],
    }
    if one.deck_id:
        held = decks.deck_in_force(viewer, one.deck_id)
        catalogue = cards.catalogue(viewer)
        context["registration"] = held
        context["sections"] = [
            {"name": name, "total": len(keys), "cards": counted(keys, catalogue)}
            for name, keys in held.deck.sections()
            if keys
        ]
    status = 409 if report is not None else form.status
    return render(request, "tournaments/entrant.html", context, status=status)


def _planned(plan: dict[str, Any], entrant_id: str) -> dict[str, Any]:
    """Return what the plan of the event says of one entrant."""
    pairs = [pair for pair in plan.get("forbidden", []) if entrant_id in pair]
    return {
        "club": plan.get("clubs", {}).get(entrant_id, ""),
        "table": plan.get("fixed", {}).get(entrant_id, ""),
        "free": plan.get("free", {}).get(entrant_id, 0),
        "featured": entrant_id in plan.get("featured", []),
        "needs": entrant_id in plan.get("needs", []),
        "apart": {one for pair in pairs for one in pair} - {entrant_id},
    }


def qr_svg(address: str) -> SafeString:
    """Return a QR code as inline SVG without any style, black on white for every theme.

    The address stands in it as modules only, never as text.
    """
    svg = segno.make(address, error="m").svg_inline(
        scale=6, border=2, dark="#000", light="#fff", omitsize=True
    )
    return mark_safe(svg)  # noqa: S308


@guarded("people.join_link_make")
@never_cache
@require_http_methods(["GET", "POST"])
def join_link(request: HttpRequest, event_id: str) -> HttpResponse:
    """The join link as QR code: for the event (whoever enrols), or for one player; and the end
    of all such links given out so far."""
    viewer = actor_of(request)
    context = staff_frame(request, viewer, event_id)
    require(viewer, "people.join_link_make", Subject(event_id))
    person_id, name = None, ""
    wanted = request.GET.get("entrant", "")
    if wanted:
        lines = selectors.roster(viewer, event_id)
        one = next((line for line in lines if line.side.entrant_id == wanted), None)
        if one is None:
            raise Http404
        person_id, name = one.side.persons[0], one.side.name
    form = Form()
    if request.method == "POST":
        ended = {
            "end": lambda: send(
                request,
                "organiser",
                security.join_links_end,
                event_id=event_id,
                person_id=person_id,
            )
        }
        refused = perform(request, ended, {"end": _("The links given out so far are dead.")})
        if refused is None:
            return redirect(request.get_full_path())
        form = refused
    hours = request.GET.get("hours", "")
    chosen = int(hours) if hours in map(str, joinlinks.HOURS) else joinlinks.USUAL_HOURS
    token = joinlinks.make(joinlinks.JoinLink(event_id, person_id), hours=chosen)
    address = request.build_absolute_uri(reverse("tournaments:join", args=[token]))
    context |= {
        "form": form,
        "name": name,
        "address": address,
        "svg": qr_svg(address),
        "only_here": only_here(request),
        "entrant": wanted,
        "hours": chosen,
        "choices": joinlinks.HOURS,
        "ends": clock.now() + timedelta(hours=chosen),
    }
    return render(request, "tournaments/join_link.html", context)
