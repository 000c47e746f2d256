"""Results entry: one line, the tables of the round, two reports side by side."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from people.access import NotAllowed, require
from people.domain.permissions import Subject, Verdict
from people.guard import guarded
from people.live import live
from people.posts import Form, Sent, perform, send, text_of
from people.web import actor_of
from tournaments import selectors, services
from tournaments.domain import results as rules
from tournaments.domain.scores import SEATS
from tournaments.domain.slip import MOST_SIGNS
from tournaments.models import EventRow, RoundRow
from tournaments.pages.common import PAGE_SIZE, number_in, paged, staff_frame
from tournaments.pages.player import score_of, turned
from tournaments.selectors import ResultsTally
from tournaments.services.slips import CONFLICT, SAME

MOST_ASKED = 80
"""Signs of a name that is looked for."""

LABELS = {
    "open": gettext_lazy("open"),
    "conflict": gettext_lazy("in conflict"),
    "decided": gettext_lazy("decided"),
}
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


def _after_slip(request: HttpRequest, event: EventRow, number: int) -> HttpResponse:
    """Answer a line sent by script: the fragment below the field."""
    sent = _acts(request, event.pk, number)["line"]()
    tally = selectors.results_tally(actor_of(request), event.pk, number)
    context = _slips(request, event.pk, number, tally) | {
        "event": event,
        "results_url": _here(request, number),
        # the counts at the head of the page follow a line as well
        "apart": True,
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


def _slips(
    request: HttpRequest, event_id: str, number: int, tally: ResultsTally, first: str = ""
) -> dict[str, Any]:
    viewer = actor_of(request)
    clashes = selectors.Clashes()
    if tally.clashing:
        clashes = selectors.clashes(viewer, event_id, number, first)
    return {
        "conflicts": clashes.contested,
        "disputed": [(one.line, one.claims) for one in clashes.disputed],
        "clashes_shown": len(clashes),
        "entries": selectors.entries(viewer, event_id, number),
        "missing": tally.open,
        "open": tally.open,
        "done": tally.decided,
        "clashes": tally.clashing,
    }


def _asked(request: HttpRequest) -> tuple[str, str]:
    """Return the state and the text that the list is asked for; empty for what is none."""
    state = request.GET.get("state", "")
    text = request.GET.get("q", "").replace("\x00", "").strip()[:MOST_ASKED]
    return state if state in selectors.RESULT_STATES else "", text


def _here(request: HttpRequest, number: int) -> str:
    """Return the address of the part of the list that is looked at: where one is after an act."""
    state, text = _asked(request)
    page = number_in(request, "page")
    held = {"round": number, "state": state, "q": text, "page": page if page != 1 else None}
    return f"{request.path}?{urlencode({name: one for name, one in held.items() if one})}"


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
        return _after_slip(request, context["event"], number)
    here = _here(request, number)
    form = Form()
    if request.method == "POST":
        refused = perform(request, _acts(request, event_id, number), DONE)
        if refused is None:
            return redirect(here)
        form = refused
    rounds = selectors.rounds_list(viewer, event_id)
    chosen = request.GET.get("match") or request.POST.get("match_id") or ""
    detail = selectors.match_detail(viewer, chosen) if chosen else None
    context |= {
        "form": form,
        "posted": request.POST,
        "number": number,
        "rounds": [one for one in rounds if one.published],
        "results_url": here,
        "chosen": detail,
        "sides": [detail.p1, detail.p2] if detail else [],
        "reasons": rules.REASONS,
    }
    if number:
        row = next((one for one in rounds if one.number == number), None)
        if row is None:
            raise NotAllowed("tournaments.pairings_read", Verdict.HIDDEN)
        context |= _tables(request, row, detail.row.pk if detail else "")
    return render(request, "tournaments/results.html", context, status=form.status)


def _tables(request: HttpRequest, row: RoundRow, chosen: str) -> dict[str, Any]:
    """What stands in the round: whole counts, one page of its tables, what clashes."""
    viewer, event_id = actor_of(request), row.event_id
    state, text = _asked(request)
    tally = selectors.results_tally(viewer, event_id, row.number)
    page = paged(request, selectors.results_shown(viewer, row, tally, state, text))
    return _slips(request, event_id, row.number, tally, chosen) | {
        "page": page,
        "said": {one.line.match_id: _said(one.claims) for one in page},
        "half": tally.half,
        # a list that is seen whole needs no way through it
        "long": tally.tables > PAGE_SIZE or state or text,
        "state": state,
        "query": text,
        "tables": tally.tables,
        "filters": [(name, label, tally.of(name)) for name, label in LABELS.items()],
    }


def _said(claims: Any) -> str:
    if len(claims) != 1:
        return ""
    seat, claim = next(iter(claims.items()))
    score = turned(tuple(claim["score"]), "P1")
    return _("%(player)s says %(score)s") % {"player": "A" if seat == "P1" else "B", "score": score}
