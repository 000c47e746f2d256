"""Results entry: one line, the tables of the round, two reports side by side."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from eventstore.domain.refusal import Refusal
from people.guard import guarded
from people.live import live
from people.posts import Form, Sent, perform, send, text_of
from people.web import actor_of
from tournaments import selectors, services
from tournaments.domain import results as rules
from tournaments.pages.common import number_in, staff_frame
from tournaments.pages.player import score_of, turned
from tournaments.selectors import PairingLine, RoundView

BY_WINNER = (*rules.BY_WINNER, rules.DOUBLE_LOSS)


def _line(view: RoundView | None, table: str) -> PairingLine | None:
    if view is None or not (table.isascii() and table.isdigit()):
        return None
    return next((one for one in view.tables if one.table == int(table[:9])), None)


def _acts(request: HttpRequest, event_id: str, view: RoundView | None) -> dict[str, Any]:
    def run(service: Any, **values: Any) -> Sent:
        return send(request, "scorekeeper", service, **values)

    def outcome() -> dict[str, Any]:
        reason = text_of(request, "reason", 20) or rules.PLAYED
        winner = text_of(request, "winner", 12) or None
        if reason == rules.DOUBLE_LOSS:
            winner = None
        named = reason in BY_WINNER
        return {
            "score": score_of(request),
            "reason": reason,
            "winner": winner if named else None,
        }

    def entry() -> Sent:
        """Take the one-line entry: table, score as the first named player says it."""
        parts = text_of(request, "line", 40).split()
        line = _line(view, parts[0]) if parts else None
        if line is None or len(parts) != 2:
            return Sent(
                refusal=Refusal(
                    "tournaments.line_unreadable", {"found": text_of(request, "line", 40)}
                )
            )
        numbers = [int(one) for one in parts[1].split("-") if one.isascii() and one.isdigit()]
        if len(numbers) not in (2, 3) or len(numbers) != len(parts[1].split("-")):
            return Sent(refusal=Refusal("tournaments.line_unreadable", {"found": parts[1]}))
        score = numbers if len(numbers) == 3 else [*numbers, 0]
        return run(services.result_enter, match_id=line.match_id, score=score)

    return {
        "line": entry,
        "enter": lambda: run(
            services.result_enter, match_id=text_of(request, "match_id", 36), **outcome()
        ),
        "correct": lambda: run(
            services.result_correct,
            match_id=text_of(request, "match_id", 36),
            note=text_of(request, "note", 4000),
            **outcome(),
        ),
        "accept": lambda: run(services.results_accept, event_id=event_id),
        "drop": lambda: run(
            services.entrant_drop, event_id=event_id, entrant_id=text_of(request, "entrant_id", 36)
        ),
    }


def _accepted(result: int) -> str:
    text = ngettext("%(number)s report is accepted.", "%(number)s reports are accepted.", result)
    return text % {"number": result}


DONE = {
    "line": gettext_lazy("The result is in."),
    "enter": gettext_lazy("The result is in."),
    "correct": gettext_lazy("The result is corrected; the standings follow."),
    "drop": gettext_lazy("The player has dropped."),
    "accept": _accepted,
}


@guarded("tournaments.result_enter")
@live("desk")
@never_cache
@require_http_methods(["GET", "POST"])
def results(request: HttpRequest, event_id: str) -> HttpResponse:
    """The tables of a round with their state, and the forms to enter and correct."""
    viewer = actor_of(request)
    context = staff_frame(request, viewer, event_id)
    desk = selectors.desk(viewer, event_id)
    number = number_in(request, "round") or desk.event.round
    view = selectors.pairings(viewer, event_id, number) if number else None
    form = Form()
    if request.method == "POST":
        refused = perform(request, _acts(request, event_id, view), DONE)
        if refused is None:
            return redirect(f"{request.path}?round={number}")
        form = refused
    claims = {one.line.match_id: one.claims for one in desk.open_tables}
    chosen = request.GET.get("match") or request.POST.get("match_id") or ""
    detail = selectors.match_detail(viewer, chosen) if chosen else None
    lines = list(view.tables) if view else []
    context |= {
        "form": form,
        "posted": request.POST,
        "number": number,
        "rounds": [one for one in selectors.rounds_list(viewer, event_id) if one.published],
        "lines": sorted(lines, key=lambda one: (one.winner != "", one.table)),
        "open": sum(not one.winner for one in lines),
        "done": sum(bool(one.winner) for one in lines),
        "disputed": [
            (one, claims[one.match_id])
            for one in lines
            if one.state == "disputed" and one.match_id in claims
        ],
        "half": sum(one.line.state == "claimed" for one in desk.open_tables),
        "chosen": detail,
        "sides": [detail.p1, detail.p2] if detail else [],
        "reasons": rules.REASONS,
        "said": {
            one.match_id: _said(claims.get(one.match_id, {})) for one in lines if not one.winner
        },
    }
    return render(request, "tournaments/results.html", context, status=form.status)


def _said(claims: Any) -> str:
    if len(claims) != 1:
        return ""
    seat, claim = next(iter(claims.items()))
    score = turned(tuple(claim["score"]), "P1")
    return _("%(player)s says %(score)s") % {"player": "A" if seat == "P1" else "B", "score": score}
