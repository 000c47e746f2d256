"""The desk of an event: where it stands, what is to do, the next act."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from people.guard import guarded
from people.live import live
from people.posts import Form, Sent, number_of, perform, send, text_of
from people.web import actor_of
from tournaments import selectors, services
from tournaments.domain.event import UNDER_WAY
from tournaments.pages.common import staff_frame
from tournaments.selectors import MOST_OPEN

NEXT = {
    "registration_open": gettext_lazy("Open the registration"),
    "registration_close": gettext_lazy("Close the registration"),
    "event_start": gettext_lazy("Start the event"),
    "round_pair": gettext_lazy("Pair the next round"),
    "round_publish": gettext_lazy("Publish the pairings"),
    "cut_make": gettext_lazy("Make the top cut"),
    "event_finish": gettext_lazy("Finish the event"),
}
EFFECT = {
    "registration_open": gettext_lazy("The event becomes public and players can enrol."),
    "registration_close": gettext_lazy("Players can no longer enrol themselves; the desk can."),
    "event_start": gettext_lazy("Lists are locked, rounds fixed; who is not checked in is out."),
    "round_pair": gettext_lazy("A draft that only staff see."),
    "round_publish": gettext_lazy("Everybody sees the tables and play begins."),
    "cut_make": gettext_lazy("The best players by standings go on in single elimination."),
    "event_finish": gettext_lazy("The final places are recorded."),
}


@guarded("portal.page_read")
@never_cache
@require_GET
def home(request: HttpRequest) -> HttpResponse:
    """The events whose staff the viewer belongs to."""
    viewer = actor_of(request)
    events = [
        one
        for one in selectors.events_list(viewer)
        if viewer.roles_in(one.pk) or viewer.site_organiser
    ]
    rows = [(one, sorted(role.value for role in viewer.roles_in(one.pk))) for one in events]
    return render(request, "tournaments/staff_home.html", {"rows": rows})


def _paired(result: int) -> str:
    return _("Round %(number)s is drafted. Look at it, then publish.") % {"number": result}


def _published(result: int) -> str:
    text = ngettext("%(number)s table is open.", "%(number)s tables are open.", result)
    return text % {"number": result}


def _started(result: int) -> str:
    text = ngettext(
        "The event has started: %(number)s Swiss round.",
        "The event has started: %(number)s Swiss rounds.",
        result,
    )
    return text % {"number": result}


DONE = {
    "registration_open": gettext_lazy("The registration is open."),
    "registration_close": gettext_lazy("The registration is closed."),
    "event_start": _started,
    "round_pair": _paired,
    "round_publish": _published,
    "cut_make": gettext_lazy("The top cut is made."),
    "clock_start": gettext_lazy("The clock runs."),
    "clock_pause": gettext_lazy("The clock is paused."),
    "clock_resume": gettext_lazy("The clock runs again."),
    "clock_more": gettext_lazy("All tables have more time."),
    "clock_less": gettext_lazy("All tables have less time."),
    "event_finish": gettext_lazy("The event is finished."),
    "event_cancel": gettext_lazy("The event is cancelled."),
}


def _acts(request: HttpRequest, event_id: str) -> dict[str, Any]:
    def run(service: Any, **values: Any) -> Sent:
        return send(request, "organiser", service, event_id=event_id, **values)

    return {
        "registration_open": lambda: run(services.registration_open),
        "registration_close": lambda: run(services.registration_close),
        "event_start": lambda: run(services.event_start),
        "round_pair": lambda: run(services.round_pair, seed=number_of(request, "seed")),
        "round_publish": lambda: run(
            services.round_publish, number=number_of(request, "number") or 0
        ),
        "cut_make": lambda: run(services.cut_make),
        "clock_start": lambda: run(
            services.clock_start, minutes=number_of(request, "minutes") or 0
        ),
        "clock_pause": lambda: run(services.clock_pause),
        "clock_resume": lambda: run(services.clock_resume),
        "clock_more": lambda: run(
            services.clock_adjust, minutes=number_of(request, "minutes") or 0
        ),
        "clock_less": lambda: run(
            services.clock_adjust, minutes=-(number_of(request, "minutes") or 0)
        ),
        "event_finish": lambda: run(services.event_finish),
        "event_cancel": lambda: run(services.event_cancel, note=text_of(request, "note", 4000)),
    }


@guarded("tournaments.desk_use")
@live("desk")
@never_cache
@require_http_methods(["GET", "POST"])
def desk(request: HttpRequest, event_id: str) -> HttpResponse:
    """Numbers, tasks and the one next act of an event."""
    viewer = actor_of(request)
    form = Form()
    if request.method == "POST":
        refused = perform(request, _acts(request, event_id), DONE)
        if refused is None:
            return redirect("staff:desk", event_id)
        form = refused
    context = staff_frame(request, viewer, event_id)
    view = selectors.desk(viewer, event_id)
    event = view.event
    tables, done = view.tally.tables, view.tally.decided
    draft = None
    if view.draft is not None:
        draft = selectors.pairings_shown(viewer, context["home"], view.draft.number).view
    shown = view.open_shown
    clashes = view.clashes[:MOST_OPEN]
    context |= {
        "form": form,
        "desk": view,
        "open_shown": shown,
        "open_more": view.tally.open - len(shown),
        "clashes": clashes,
        "clashes_more": view.tally.clashing > len(clashes),
        "next_label": NEXT.get(view.next_action, ""),
        "next_effect": EFFECT.get(view.next_action, ""),
        "tables": tables,
        "done": done,
        "done_percent": 100 * done // tables if tables else 0,
        "draft": draft,
        "draft_page": Paginator(draft.tables, MOST_OPEN).page(1) if draft else None,
        "clock": selectors.clock_of(event_id),
        "may_clock": event.status in UNDER_WAY and event.round > 0,
        "outages": selectors.outages_open(viewer, event_id),
        "elsewhere": selectors.live_elsewhere(viewer, event_id),
    }
    return render(request, "tournaments/desk.html", context, status=form.status)
