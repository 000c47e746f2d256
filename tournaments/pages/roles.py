"""Who does what in an event."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from eventstore import clock
from eventstore.domain.refusal import Refusal
from people import selectors as people_read
from people import services as people
from people.access import require
from people.domain.permissions import Subject
from people.domain.roles import Role
from people.guard import guarded
from people.posts import Form, Sent, perform, send, text_of
from people.web import actor_of
from tournaments.pages.common import staff_frame

LOCAL = "%Y-%m-%dT%H:%M"
DONE = {
    "grant": gettext_lazy("The role is given."),
    "end": gettext_lazy("The role is ended."),
}


def _granted(request: HttpRequest, zone: str, values: dict[str, str]) -> Sent:
    """Give a role, until a local time of the event's zone where one was typed."""
    until: str | None = None
    given = text_of(request, "until", 16)
    if given:
        try:
            local = datetime.strptime(given, LOCAL).replace(tzinfo=ZoneInfo(zone))
        except ValueError:
            allowed = {"found": given, "allowed": "2026-07-04T19:30"}
            return Sent(refusal=Refusal("people.until_invalid", allowed))
        until = clock.as_text(local)
    return send(request, "organiser", people.role_grant, until=until, **values)


@guarded("people.role_grant")
@never_cache
@require_http_methods(["GET", "POST"])
def roles(request: HttpRequest, event_id: str) -> HttpResponse:
    """Give and end roles; the person is found by name or Card Game ID."""
    viewer = actor_of(request)
    context = staff_frame(request, viewer, event_id)
    require(viewer, "people.role_grant", Subject(event_id))
    form = Form()
    if request.method == "POST":
        values = {
            "person_id": text_of(request, "person_id", 36),
            "role": text_of(request, "role", 20),
            "event_id": event_id,
        }
        zone = context["event"].zone
        acts = {
            "grant": lambda: _granted(request, zone, values),
            "end": lambda: send(request, "organiser", people.role_end, **values),
        }
        refused = perform(request, acts, DONE)
        if refused is None:
            return redirect(request.path)
        form = refused
    held = people_read.roles_in_event(viewer, event_id)
    persons = {person for person, _role, _until in held}
    names = people_read.names(persons)
    query = request.GET.get("who", "")
    context |= {
        "form": form,
        "held": [(person, names.get(person, "–"), role, until) for person, role, until in held],
        "without": people_read.without_log_in(viewer, persons, event_id=event_id),
        "who": query,
        "known": people_read.people_search(viewer, query, event_id=event_id),
        "roles": [role.value for role in Role],
    }
    return render(request, "tournaments/roles.html", context, status=form.status)
