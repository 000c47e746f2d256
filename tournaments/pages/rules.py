"""The policy an event goes by: which version, what it advises, what late entries changed; seats
of the cut that are declined; an event that ends early."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from people.access import require
from people.domain.permissions import Subject
from people.guard import guarded
from people.posts import Form, Sent, perform, send, text_of
from people.web import actor_of
from tournaments import policies, selectors, services
from tournaments.domain.event import UNDER_WAY
from tournaments.pages.common import staff_frame


@guarded("tournaments.event_run")
@never_cache
@require_http_methods(["GET", "POST"])
def policy(request: HttpRequest, event_id: str) -> HttpResponse:
    """The version with its table and sources, and what follows from it for this event."""
    viewer = actor_of(request)
    context = staff_frame(request, viewer, event_id)
    require(viewer, "tournaments.event_run", Subject(event_id))
    people = selectors.roster(viewer, event_id)
    names = {one.side.entrant_id: one.side.name for one in people}

    def run(service: Any, **values: Any) -> Sent:
        return send(request, "organiser", service, event_id=event_id, **values)

    def moved(result: str | None) -> str:
        if result is None:
            return _("It is noted for the cut.")
        return _("%(name)s comes into the cut.") % {"name": names[result]}

    form = Form()
    if request.method == "POST":
        entrant = text_of(request, "entrant_id", 36)
        acts = {
            "choose": lambda: run(services.policy_choose, policy=text_of(request, "policy", 40)),
            "decline": lambda: run(services.seat_decline, entrant_id=entrant),
            "take": lambda: run(services.seat_take, entrant_id=entrant),
            "finish": lambda: run(
                services.event_finish, early=True, note=text_of(request, "note", 4000)
            ),
        }
        done = {
            "choose": gettext_lazy("The event goes by this version now."),
            "decline": moved,
            "take": moved,
            "finish": gettext_lazy("The event is finished."),
        }
        refused = perform(request, acts, done)
        if refused is None:
            return redirect(request.path)
        form = refused
    event = context["event"]
    rules = selectors.rules_of(event_id)
    going = event.status in UNDER_WAY
    context |= {
        "form": form,
        "rules": rules,
        "versions": list(policies.shipped().values()),
        "open": event.status in ("draft", "open", "closed"),
        "rows": _rows(rules),
        "seats": [
            one.side
            for one in people
            if going
            and one.side.status == "checked_in"
            and one.side.entrant_id not in rules.declined
            and (event.status != "cut" or one.side.seed)
        ]
        if event.cut
        else [],
        "declined": [one.side for one in people if one.side.entrant_id in rules.declined],
        "going": going,
        "note": text_of(request, "note", 1000) if request.method == "POST" else "",
    }
    return render(request, "tournaments/policy.html", context, status=form.status)


def _rows(rules: selectors.Rules) -> list[tuple[int, int, int, int]]:
    """Return the rows of the version as (from, to, rounds, cut), `to` 0 for no limit."""
    made, least = [], rules.policy.least_players
    for most, rounds, cut in rules.policy.rows:
        made.append((least, most, rounds, cut))
        least = most + 1
    return made
