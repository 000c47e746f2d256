"""Pages of replay disputes: the queue, one dispute with its review, a player's own."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from duels.notes import notes_shown
from duels.wording import line_text
from eventstore.ids import is_id
from judging import dispute_reads as reads
from judging import disputes, wording
from judging import selectors as calls
from judging.dispute_reads import DisputeView
from judging.domain.dispute import OUTCOMES, RESULT
from judging.packs import pack
from people.access import NotAllowed
from people.domain.actor import Actor
from people.domain.permissions import Verdict
from people.guard import guarded
from people.live import live
from people.posts import Form, Sent, form_id, number_of, perform, send, text_of
from people.web import actor_of
from tournaments.domain import results
from tournaments.pages.common import number_in, staff_frame
from tournaments.pages.player import own, put_away
from tournaments.pages.undoing import BY_WINNER, score_in
from tournaments.selectors import match_detail

NOTE = 4000


@guarded("judging.dispute_read")
@live("calls")
@never_cache
@require_http_methods(["GET", "POST"])
def queue(request: HttpRequest, event_id: str) -> HttpResponse:
    """The disputes of an event, open ones first; the organiser chooses the window."""
    viewer = actor_of(request)
    context = staff_frame(request, viewer, event_id)
    reads.disputes(viewer, event_id)
    form = Form()
    if request.method == "POST":
        minutes = number_of(request, "minutes")
        refused = perform(
            request,
            {
                "window": lambda: send(
                    request,
                    "organiser",
                    disputes.dispute_window_set,
                    event_id=event_id,
                    minutes=-1 if minutes is None else minutes,
                )
            },
            {"window": gettext_lazy("The window is chosen.")},
        )
        if refused is None:
            return redirect("calls:disputes", event_id)
        form = refused
    context |= {"form": form, "found": reads.disputes(viewer, event_id)}
    return render(request, "judging/disputes.html", context, status=form.status)


def _proposed(request: HttpRequest) -> dict[str, Any]:
    """Read the result that a review proposes, as result_correct takes it."""
    reason = text_of(request, "reason", 20) or results.PLAYED
    winner = text_of(request, "winner", 12) or None
    return {
        "score": score_in(text_of(request, "score", 20)),
        "reason": reason,
        "winner": winner if reason in BY_WINNER and reason != results.DOUBLE_LOSS else None,
    }


def _acts(request: HttpRequest, dispute_id: str) -> dict[str, Any]:
    def run(service: Any, **values: Any) -> Sent:
        return send(request, "judge", service, dispute_id=dispute_id, **values)

    def rule() -> Sent:
        outcome = text_of(request, "outcome", 12)
        values = _proposed(request) if outcome == RESULT else {}
        return run(
            disputes.dispute_rule,
            outcome=outcome,
            rule_id=text_of(request, "rule_id", 40) or None,
            note=text_of(request, "note", NOTE + 1),
            **values,
        )

    return {
        "take": lambda: run(disputes.dispute_take),
        "give_back": lambda: run(disputes.dispute_give_back),
        "rule": rule,
        "correct": lambda: run(disputes.dispute_correct, note=text_of(request, "note", NOTE + 1)),
        "leave": lambda: run(disputes.dispute_leave, note=text_of(request, "note", NOTE + 1)),
    }


DONE = {
    "take": gettext_lazy("The review is yours."),
    "give_back": gettext_lazy("The review is back in the queue."),
    "rule": gettext_lazy("The review is recorded as a ruling."),
    "correct": gettext_lazy("The result is corrected; the standings have a new revision."),
    "leave": gettext_lazy("The result stays as it is."),
}


@guarded("judging.dispute_read")
@never_cache
@require_http_methods(["GET", "POST"])
def dispute(request: HttpRequest, dispute_id: str) -> HttpResponse:
    """One dispute: the lines about it, who ruled there, the review, and what a correction moves."""
    viewer = actor_of(request)
    view = reads.dispute(viewer, dispute_id)
    if not view.staff:
        raise NotAllowed(disputes.READ, Verdict.FORBIDDEN)
    context = staff_frame(request, viewer, view.event_id)
    form = Form()
    if request.method == "POST":
        refused = perform(request, _acts(request, dispute_id), DONE)
        if refused is None:
            return redirect("calls:dispute", dispute_id)
        form = refused
        view = reads.dispute(viewer, dispute_id)
    context |= {
        "form": form,
        "view": view,
        "posted": request.POST,
        "detail": match_detail(viewer, view.match_id),
        "outcomes": OUTCOMES,
        "reasons": [results.PLAYED, results.TIME, *BY_WINNER],
        "lines": _lines(viewer, view),
        "ruling": _ruling(viewer, view),
        "rules": calls.citable_rules(viewer, view.event_id) if view.may_rule else [],
    }
    if view.may_settle and view.proposed is not None:
        preview = reads.preview_of(viewer, view, disputes.proposal(view.proposed))
        wrong = preview.refusal.code if preview.refusal else ""
        there = wrong == disputes.SAME
        context |= {
            "preview": None if there else preview,
            "correctable": there or not wrong,
            "score": view.proposed["score"],
        }
    return render(request, "judging/dispute.html", context, status=form.status)


def _lines(viewer: Actor, view: DisputeView) -> list[dict[str, Any]]:
    """The lines about the disputed one, for judges of the event."""
    if not view.judge:
        return []
    players = reads.seat_names(view.duel_id)
    return [
        {"line": one, "text": line_text(one.code, one.params, players)}
        for one in reads.lines_around(viewer, view)
    ]


def _ruling(viewer: Actor, view: DisputeView) -> dict[str, Any] | None:
    if not view.ruling_id:
        return None
    found = calls.call_detail(viewer, view.call_id).rulings
    one = next((held for held in found if held.ruling_id == view.ruling_id), None)
    if one is None:
        return None
    return {"one": one, "text": wording.ruling_text(one, pack(one.pack, one.pack_version))}


@guarded("judging.dispute_raise")
@never_cache
@require_http_methods(["GET", "POST"])
def mine(request: HttpRequest, event_id: str) -> HttpResponse:
    """My disputes; with `duel` and `line`, the form that raises one."""
    viewer = actor_of(request)
    held, context = own(request, viewer, event_id)
    bare = put_away(request, viewer, held, context)
    if bare is not None:
        return bare
    given = request.POST if request.method == "POST" else request.GET
    duel_id = given.get("duel", "")[:36]
    line = number_of(request, "line") if request.method == "POST" else number_in(request, "line")
    form = Form()
    if request.method == "POST":
        refused = perform(request, _own_acts(request, duel_id, line or 0), OWN_DONE)
        if refused is None:
            return redirect("my_calls:disputes", event_id)
        form = refused
    shown = None
    if is_id(duel_id):
        found = reads.disputable(viewer, duel_id)
        shown = {"found": found, "text": _line_text(found, line)}
    context |= {
        "form": form,
        "posted": request.POST
        if request.method == "POST"
        else {"why": _flagged(viewer, shown, line)},
        "line": line,
        "shown": shown,
        "duels": reads.my_duels(viewer, event_id),
        "told": [
            {"one": one, "ruling": _ruling(viewer, one)}
            for one in reads.my_disputes(viewer, event_id)
        ],
    }
    return render(request, "judging/my_disputes.html", context, status=form.status)


def _flagged(viewer: Actor, shown: dict[str, Any] | None, line: int | None) -> str:
    """What the viewer wrote when flagging the line: the reason of a dispute may begin with it."""
    if shown is None or line is None:
        return ""
    noted = notes_shown(viewer, shown["found"].duel.duel_id)
    return next((one.text or "" for one in noted.on(line) if one.own_side), "")


def _line_text(found: reads.Disputable, line: int | None) -> str:
    if line is None or not 1 <= line <= len(found.lines):
        return ""
    one = found.lines[line - 1]
    return line_text(one.code, one.params, reads.seat_names(found.duel.duel_id))


def _own_acts(request: HttpRequest, duel_id: str, line: int) -> dict[str, Any]:
    return {
        "raise": lambda: send(
            request,
            "player",
            disputes.dispute_raise,
            dispute_id=form_id(request, "dispute_id"),
            duel_id=duel_id,
            line=line,
            reason=text_of(request, "why", NOTE + 1),
        ),
        "withdraw": lambda: send(
            request,
            "player",
            disputes.dispute_withdraw,
            dispute_id=text_of(request, "dispute_id", 36),
        ),
        "appeal": lambda: send(
            request,
            "player",
            disputes.dispute_appeal,
            dispute_id=text_of(request, "dispute_id", 36),
            reason=text_of(request, "why", NOTE + 1),
        ),
    }


OWN_DONE = {
    "raise": gettext_lazy("The line is disputed. Another judge looks at it."),
    "withdraw": gettext_lazy("The dispute is taken back."),
    "appeal": gettext_lazy("The head judge hears your appeal."),
}
