"""The page behind a join link: bind this phone to a player, or enrol first."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from eventstore.domain.refusal import Refusal
from people import joinlinks, services
from people import selectors as people
from people.domain.actor import SYSTEM, Actor
from people.guard import guarded
from people.posts import Form, send, text_of
from people.web import actor_of, bind_device
from tournaments import selectors
from tournaments.domain.event import OPEN
from tournaments.models import EventRow
from tournaments.pages.joining import entrant_join
from tournaments.selectors.door import Seats
from tournaments.services import entrant_enrol_self


@guarded("people.join_link_use")
@never_cache
@require_http_methods(["GET", "POST"])
def join(request: HttpRequest, token: str) -> HttpResponse:
    """Show whom the link is for and bind on a button: a link alone, opened by a preview or a
    scanner, does nothing. Whoever is signed in keeps that session and enrols by it."""
    link = joinlinks.read(token)
    if link is None:
        return render(request, "tournaments/join_dead.html", status=404)
    # The link itself is the right to know of the event, a draft included.
    home = selectors.event_home(SYSTEM, link.event_id)
    name = ""
    if link.person_id is not None:
        name = people.names([link.person_id]).get(link.person_id, "")
        if not name:
            raise Http404
    form = Form()
    viewer = actor_of(request)
    other = viewer.signed_in and link.person_id not in (None, viewer.person_id)
    if request.method == "POST" and not other:
        form, person_id = _use(request, link, home.row.status == OPEN)
        if person_id and not viewer.signed_in:
            bind_device(request, person_id=person_id, event_id=link.event_id)
        if person_id:
            return _inside(request, person_id, link.event_id)
    seats = selectors.door_now(SYSTEM, link.event_id)
    named = Actor(person_id=link.person_id) if link.person_id is not None else None
    known = viewer.person_id if link.person_id is None else None
    context = {
        "home": home,
        "event": home.row,
        "name": name,
        "plays": named is None or _plays(named, home.row, seats),
        "enrolling": link.person_id is None,
        "open": home.row.status == OPEN and seats.window == "open",
        "seats": seats,
        "known": people.names([known]).get(known) if known else None,
        "other": other,
        "form": form,
        "posted": request.POST,
    }
    return render(request, "tournaments/join.html", context, status=form.status)


def _plays(me: Actor, row: EventRow, seats: Seats) -> bool:
    """Say whether a person plays or waits for a seat; else it is a witness who does not play."""
    return (
        selectors.entrant_of_person(me, row.pk) is not None
        or selectors.my_seat(me, row, seats).place is not None
    )


def _inside(request: HttpRequest, person_id: str, event_id: str) -> HttpResponse:
    """Go to the page of the player: the match, or the place in the line."""
    row = selectors.event_home(SYSTEM, event_id).row
    me = Actor(person_id=person_id)
    seats = selectors.door_now(SYSTEM, event_id)
    if selectors.my_seat(me, row, seats).place is not None:
        messages.success(request, _("All seats are taken: you are on the waiting list."))
        return redirect("my:seat", event_id)
    if not _plays(me, row, seats):
        # a witness who does not play: only what the judges ask
        return redirect("my_calls:statements", event_id)
    messages.success(request, _("You are in. This page is yours for the event."))
    return redirect("my:match", event_id)


def _use(request: HttpRequest, link: joinlinks.JoinLink, is_open: bool) -> tuple[Form, str]:
    if link.person_id is not None:
        sent = send(
            request,
            "player",
            services.device_join,
            person_id=link.person_id,
            event_id=link.event_id,
        )
        return Form("join", sent.refusal), "" if sent.refusal else link.person_id
    if not is_open:
        # Said here, because a draft answers everybody else as if it were not there.
        return Form("join", Refusal("tournaments.registration_closed")), ""
    notice = text_of(request, "notice", 20)
    if request.POST.get("act") == "self":
        sent = send(request, "player", entrant_enrol_self, event_id=link.event_id, notice=notice)
        return Form("self", sent.refusal), "" if sent.refusal else sent.result.person_id
    sent = send(
        request,
        "player",
        entrant_join,
        event_id=link.event_id,
        display_name=text_of(request, "display_name"),
        card_game_id=text_of(request, "card_game_id", 40),
        language=getattr(request, "LANGUAGE_CODE", "en"),
        notice=notice,
    )
    return Form("join", sent.refusal), "" if sent.refusal else sent.result.person_id
