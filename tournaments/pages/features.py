"""Duels to record: which table, who begins; and how far behind those are who watch."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from duels import watching
from duels.rules.games import is_played
from duels.services import source_of
from people.access import may, require
from people.domain.permissions import Subject
from people.guard import guarded
from people.live import live
from people.posts import Form, Sent, number_of, perform, send, text_of
from people.web import actor_of
from tournaments import selectors, services
from tournaments.pages.common import staff_frame

DONE = {
    "take": gettext_lazy("The result of the duel is taken from its log."),
    "delay": gettext_lazy("The delay holds from now on."),
}


@guarded("duels.duel_record")
@live("board")
@never_cache
@require_http_methods(["GET", "POST"])
def features(request: HttpRequest, event_id: str) -> HttpResponse:
    """The open tables of the newest round, feature tables first."""
    viewer = actor_of(request)
    context = staff_frame(request, viewer, event_id)
    require(viewer, "duels.duel_record", Subject(event_id))
    form = Form()
    if request.method == "POST":
        match_id = text_of(request, "match_id", 36)

        def run(service: Any, **values: Any) -> Sent:
            source = source_of(viewer, event_id)
            return send(request, source, service, match_id=match_id, **values)

        def delay() -> Sent:
            seconds = 60 * (number_of(request, "minutes") or 0)
            return send(
                request, "organiser", watching.watch_delay_set, event_id=event_id, seconds=seconds
            )

        opened: list[str] = []

        def begin() -> Sent:
            sent = run(services.duel_record_open, first=text_of(request, "first", 2) or None)
            opened.append(str(sent.result or ""))
            return sent

        acts = {
            "open": begin,
            "take": lambda: run(services.duel_record_take),
            "delay": delay,
        }
        refused = perform(request, acts, DONE)
        if refused is None:
            return redirect("duels:record", opened[0]) if opened else redirect(request.path)
        form = refused
    context |= {
        "form": form,
        "tables": selectors.record_tables(viewer, event_id),
        "logged": is_played(context["event"].game),
        "minutes": watching.watch_delay(event_id) // 60,
        "may_write": may(viewer, "duels.duel_write_down", Subject(event_id)),
        "may_delay": may(viewer, "duels.watch_delay_set", Subject(event_id)),
    }
    return render(request, "tournaments/features.html", context, status=form.status)
