"""The server was away: how long, what is given for it, which slips to check."""

from __future__ import annotations

import re
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from eventstore.domain.refusal import Refusal
from people.access import require
from people.domain.permissions import Subject
from people.guard import guarded
from people.live import live
from people.posts import Form, Sent, number_of, perform, send, text_of
from people.web import actor_of
from tournaments import selectors, services
from tournaments.domain.clock import MOST_CHANGE
from tournaments.pages.common import staff_frame
from tournaments.selectors import OutagesView

MOST_SIGNS = 2000


DONE = {
    "give": gettext_lazy("All tables have more time."),
    "some": gettext_lazy("The tables you named have more time."),
    "nothing": gettext_lazy("Nothing was given for the outage."),
    "reopen": gettext_lazy("It is taken back. The outage waits for a decision again."),
}


def _named(view: OutagesView, text: str) -> list[str] | Refusal:
    """Return the matches of table numbers as typed, `12, 15 31`."""
    known = {str(one.table): one.match_id for one in view.tables}
    wanted = [one for one in re.split(r"[\s,;]+", text) if one]
    strange = next((one for one in wanted if one.lstrip("0") not in known), "" if wanted else "–")
    if strange:
        return Refusal("tournaments.outage_tables", {"found": strange[:12]})
    return [known[one.lstrip("0")] for one in wanted]


def _acts(request: HttpRequest, event_id: str, view: OutagesView) -> dict[str, Any]:
    outage_id = text_of(request, "outage_id", 36)
    away = number_of(request, "away")

    def settle(seconds: int, tables: list[str]) -> Sent:
        return send(
            request,
            "scorekeeper",
            services.outage_settle,
            event_id=event_id,
            outage_id=outage_id,
            given_s=seconds,
            length_s=None if away is None else away * 60,
            tables=tables,
        )

    def timed(tables: list[str]) -> Sent:
        """Settle by the minutes typed. What is no number never means nothing, but where only a
        clock was set: that is confirmed without minutes."""
        given, typed = number_of(request, "minutes"), text_of(request, "minutes", 12)
        set_only = any(one.clock_set for one in view.outages if one.row.pk == outage_id)
        if given is None and (typed or not set_only):
            params = {"found": typed or "–", "allowed": MOST_CHANGE // 60}
            return Sent(refusal=Refusal("tournaments.outage_time", params))
        return settle((given or 0) * 60, tables)

    def some() -> Sent:
        tables = _named(view, text_of(request, "tables", MOST_SIGNS))
        if isinstance(tables, Refusal):
            return Sent(refusal=tables)
        return timed(tables)

    return {
        "give": lambda: timed([]),
        "some": some,
        "nothing": lambda: settle(0, []),
        "reopen": lambda: send(
            request,
            "scorekeeper",
            services.outage_reopen,
            event_id=event_id,
            outage_id=outage_id,
        ),
    }


@guarded("tournaments.desk_use")
@live("desk")
@never_cache
@require_http_methods(["GET", "POST"])
def outage(request: HttpRequest, event_id: str) -> HttpResponse:
    """The outages of an event, newest first, each with what was given for it or can be."""
    viewer = actor_of(request)
    context = staff_frame(request, viewer, event_id)
    require(viewer, "tournaments.desk_use", Subject(event_id))
    view = selectors.outage_desk(viewer, event_id)
    form = Form()
    if request.method == "POST":
        nothing = {} if number_of(request, "minutes") else dict.fromkeys(DONE, DONE["nothing"])
        done = DONE | nothing | {"reopen": DONE["reopen"]}
        refused = perform(request, _acts(request, event_id, view), done)
        if refused is None:
            return redirect("staff:outage", event_id)
        form = refused
    context |= {
        "form": form,
        "posted": request.POST,
        "view": view,
        "clock": selectors.clock_of(event_id),
        "copied": any(one.row.copy and one.now for one in view.outages),
    }
    return render(request, "tournaments/outage.html", context, status=form.status)
