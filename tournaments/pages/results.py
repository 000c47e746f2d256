"""Results entry: one line, the tables of the round, two reports side by side."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from people.access import require
from people.domain.permissions import Subject
from people.guard import guarded
from people.live import live
from people.posts import Form, Sent, perform, send, text_of
from people.web import actor_of
from tournaments import selectors, services
from tournaments.domain import results as rules
from tournaments.domain.scores import SEATS
from tournaments.domain.slip import MOST_SIGNS
from tournaments.pages.common import number_in, staff_frame
from tournaments.pages.player import score_of, turned
from tournaments.services.slips import CONFLICT, SAME

BY_WINNER = (*rules.BY_WINNER, rules.DOUBLE_LOSS)


def _acts(request: HttpRequest, event_id: str, number: int) -> dict[str, Any]:
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

    def settle() -> Sent:
        choice = text_of(request, "choice", 4)
        return run(
            services.conflict_settle,
            match_id=text_of(request, "match_id", 36),
            choice=int(choice) if choice.isascii() and choice.isdigit() else None,
            drops=[one for one in request.POST.getlist("drops") if one in SEATS],
            note=text_of(request, "note", 4000),
        )

    return {
        "line": lambda: run(
            services.slip_enter,
            event_id=event_id,
            number=number,
            line=text_of(request, "line", MOST_SIGNS + 1),
        ),
        "settle": settle,
        "take_back": lambda: run(
            services.result_take_back, match_id=text_of(request, "match_id", 36)
        ),
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


def _told(entered: services.Entered) -> str:
    if entered.word == CONFLICT:
        return _("Another result stands. Both are kept until you choose.")
    if entered.word == SAME:
        told = _("The same result was in already.")
        return f"{told} {_('The player has dropped.')}" if entered.drops else told
    if entered.late:
        return _("The result is in. It came late: a game loss waits for the next match.")
    return _("The result is in.")


DONE = {
    "line": _told,
    "settle": gettext_lazy("It is settled."),
    "take_back": gettext_lazy("The entry is taken back; the table is open again."),
    "enter": gettext_lazy("The result is in."),
    "correct": gettext_lazy("The result is corrected; the standings follow."),
    "drop": gettext_lazy("The player has dropped."),
    "accept": _accepted,
}


@guarded("tournaments.desk_use")
@never_cache
@require_GET
def slip_reads(request: HttpRequest, event_id: str) -> HttpResponse:
    """The fragment that says what the line being typed means."""
    number = number_in(request, "round") or 0
    line = request.GET.get("line", "").replace("\x00", "")[: MOST_SIGNS + 1]
    context = {"reading": selectors.reading(actor_of(request), event_id, number, line)}
    return render(request, "tournaments/parts/slip_reads.html", context)


def _after_slip(request: HttpRequest, event_id: str, number: int) -> HttpResponse:
    """Answer a line sent by script: the fragment below the field."""
    viewer = actor_of(request)
    sent = _acts(request, event_id, number)["line"]()
    view = selectors.pairings(viewer, event_id, number)
    context = _slips(request, event_id, number) | {
        "event": selectors.event_home(viewer, event_id).row,
        "missing": sum(not one.winner for one in view.tables),
        "slip_line": text_of(request, "line", MOST_SIGNS),
        "slip_refusal": sent.refusal,
    }
    if sent.refusal is None:
        context |= {
            "slip_word": sent.result.word,
            "slip_text": _told(sent.result),
            "slip_sent": request.POST.get("nonce", "")[:36],
        }
    return render(request, "tournaments/parts/slip_told.html", context)


def _slips(request: HttpRequest, event_id: str, number: int) -> dict[str, Any]:
    viewer = actor_of(request)
    return {
        "results_url": f"{request.path}?round={number}",
        "conflicts": selectors.conflicts(viewer, event_id),
        "entries": selectors.entries(viewer, event_id, number),
    }


@guarded("tournaments.result_enter")
@live("desk")
@never_cache
@require_http_methods(["GET", "POST"])
def results(request: HttpRequest, event_id: str) -> HttpResponse:
    """The tables of a round with their state, and the forms to enter and correct."""
    viewer = actor_of(request)
    context = staff_frame(request, viewer, event_id)
    require(viewer, "tournaments.desk_use", Subject(event_id))
    number = number_in(request, "round") or context["home"].row.round
    if request.method == "POST" and request.htmx and request.POST.get("act") == "line":  # type: ignore[attr-defined]
        return _after_slip(request, event_id, number)
    form = Form()
    if request.method == "POST":
        refused = perform(request, _acts(request, event_id, number), DONE)
        if refused is None:
            return redirect(f"{request.path}?round={number}")
        form = refused
    view = selectors.pairings(viewer, event_id, number) if number else None
    claimed = selectors.claims_open(viewer, event_id)
    chosen = request.GET.get("match") or request.POST.get("match_id") or ""
    detail = selectors.match_detail(viewer, chosen) if chosen else None
    lines = list(view.tables) if view else []
    context |= _slips(request, event_id, number)
    disputed = [
        (one, claimed[one.match_id].claims)
        for one in lines
        if one.state == "disputed" and one.match_id in claimed
    ]
    context |= {
        "form": form,
        "posted": request.POST,
        "number": number,
        "rounds": [one for one in selectors.rounds_list(viewer, event_id) if one.published],
        "lines": sorted(lines, key=lambda one: (one.winner != "", one.table)),
        "open": sum(not one.winner for one in lines),
        "done": sum(bool(one.winner) for one in lines),
        "missing": sum(not one.winner for one in lines),
        "disputed": disputed,
        "clashes": len(disputed) + len(context["conflicts"]),
        "half": sum(one.state == "claimed" for one in claimed.values()),
        "chosen": detail,
        "sides": [detail.p1, detail.p2] if detail else [],
        "reasons": rules.REASONS,
        "said": {
            one.match_id: _said(claimed[one.match_id].claims)
            for one in lines
            if one.match_id in claimed
        },
    }
    return render(request, "tournaments/results.html", context, status=form.status)


def _said(claims: Any) -> str:
    if len(claims) != 1:
        return ""
    seat, claim = next(iter(claims.items()))
    score = turned(tuple(claim["score"]), "P1")
    return _("%(player)s says %(score)s") % {"player": "A" if seat == "P1" else "B", "score": score}
