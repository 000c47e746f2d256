"""The floor: clock, open tables by their ends, who brings no slip, when the next round can come."""

from __future__ import annotations

from collections import Counter
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from judging import floor as floors
from people.access import may
from people.domain.permissions import Subject
from people.guard import guarded
from people.live import live
from people.posts import Form, Sent, number_of, perform, send, text_of
from people.web import actor_of
from tournaments import rulesets, selectors, services
from tournaments.pages.common import staff_frame
from tournaments.pages.end_words import ruleset_text

DONE = {
    "take": gettext_lazy("The table is yours."),
    "give_back": gettext_lazy("The table is given back."),
    "assign": gettext_lazy("The table is assigned."),
    "extend": gettext_lazy("The table has more time."),
    "no_slip": gettext_lazy("The table has the result of a missing slip."),
    "ruleset": gettext_lazy("Matches end by this ruleset from now on."),
    "loss_back": gettext_lazy("The loss is taken back."),
}


def _acts(request: HttpRequest, event_id: str) -> dict[str, Any]:
    match_id = text_of(request, "match_id", 36)

    def run(source: str, service: Any, **values: Any) -> Sent:
        return send(request, source, service, **values)

    def assign(judge: str | None) -> Sent:
        return run("judge", floors.table_assign, match_id=match_id, judge=judge)

    return {
        "take": lambda: assign(None),
        "give_back": lambda: assign(""),
        "assign": lambda: assign(text_of(request, "judge", 36)),
        "extend": lambda: run(
            "judge",
            services.time_extend,
            match_id=match_id,
            seconds=60 * (number_of(request, "minutes") or 0),
            note=text_of(request, "note", 4000),
        ),
        "no_slip": lambda: run(
            "scorekeeper",
            services.slip_missing_apply,
            match_id=match_id,
            note=text_of(request, "note", 4000),
        ),
        "ruleset": lambda: run(
            "organiser",
            services.ruleset_choose,
            event_id=event_id,
            ruleset=text_of(request, "ruleset", 60),
        ),
        "loss_back": lambda: run(
            "judge",
            services.loss_take_back,
            event_id=event_id,
            loss_id=text_of(request, "loss_id", 36),
            note=text_of(request, "note", 4000),
        ),
    }


@guarded("judging.floor_read")
@live("desk", "calls")
@never_cache
@require_http_methods(["GET", "POST"])
def floor(request: HttpRequest, event_id: str) -> HttpResponse:
    """Every open table with its own end, state and judge; the chase list; the estimate."""
    viewer = actor_of(request)
    context = staff_frame(request, viewer, event_id)
    form = Form()
    if request.method == "POST":
        refused = perform(request, _acts(request, event_id), DONE)
        if refused is None:
            return redirect("calls:floor", event_id)
        form = refused
    view = floors.floor_of(viewer, event_id)
    subject = Subject(event_id, public=False)
    rules = view.event.ruleset or rulesets.usual(view.event.game, view.event.match_rules).ref
    context |= {
        "form": form,
        "floor": view,
        "clock": view.clock,
        "me": viewer.person_id,
        "chase": [one for one in view.missing if one.state != floors.OVER],
        "load": sorted(Counter(one.judge_name for one in view.tables if one.judge).items()),
        "may_take": may(viewer, "judging.table_take", subject),
        "may_assign": may(viewer, "judging.table_assign", subject),
        "may_extend": may(viewer, "tournaments.time_extend", subject),
        "may_enter": may(viewer, "tournaments.result_enter", subject),
        "may_run": may(viewer, "tournaments.event_run", subject),
        "may_forgive": may(viewer, "tournaments.penalty_apply", subject),
        "losses": [one for one in selectors.losses(viewer, event_id) if one.row.state == "pending"],
        "rules": rules,
        "rules_text": ruleset_text(rules),
        "rulesets": [(one.ref, ruleset_text(one.id)) for one in rulesets.choices(view.event.game)],
    }
    return render(request, "judging/floor.html", context, status=form.status)
