"""A player's pad: Life Points of both, agreements, hand counts, marks of turns. It works without
a server as the match page does: what is written waits in the open page, in order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from eventstore.domain.refusal import Refusal
from judging import pad
from people.guard import guarded
from people.live import live
from people.posts import Form, Sent, number_of, perform, send, text_of
from people.web import actor_of
from tournaments import services as tournaments
from tournaments.pages.player import OTHER, match_meant, own, put_away
from tournaments.selectors import MatchDetail, my_match

DONE: Mapping[str, Any] = {
    "note": gettext_lazy("Your line is noted in the log of the duel."),
    "agree": gettext_lazy("Agreed: both pads stand alike."),
    "count": gettext_lazy("The count is noted."),
    "turn": gettext_lazy("The turn is marked."),
    "open": gettext_lazy("The pads are open."),
}


def _acts(request: HttpRequest, detail: MatchDetail) -> dict[str, Any]:
    duel_id = text_of(request, "duel_id", 36)
    known = any(one["duel_id"] == duel_id for one in detail.duels)

    def run(service: Any, **values: Any) -> Sent:
        if not known:
            return Sent(refusal=Refusal("duels.not_open"))
        return send(request, "player", service, duel_id=duel_id, **values)

    def whose() -> str:
        return text_of(request, "about", 6) or pad.MINE

    return {
        "note": lambda: run(
            pad.pad_note,
            about=whose(),
            how=text_of(request, "how", 10) or "loses",
            amount=number_of(request, "amount"),
            pad_seq=number_of(request, "pad_seq"),
            client_time=text_of(request, "client_time", 30) or None,
        ),
        "agree": lambda: run(
            pad.pad_agree, mine=number_of(request, "mine"), theirs=number_of(request, "theirs")
        ),
        "count": lambda: run(pad.pad_count, about=whose(), cards=number_of(request, "cards")),
        "turn": lambda: run(pad.pad_turn, about=whose(), turn=number_of(request, "turn")),
        "open": lambda: send(
            request,
            "player",
            tournaments.duel_start,
            match_id=detail.row.pk,
            mode="recorded",
            fidelity="pad",
        ),
    }


@guarded("duels.statement_make")
@live("mine", "round")
@never_cache
@require_http_methods(["GET", "POST"])
def mine(request: HttpRequest, event_id: str) -> HttpResponse:
    """My pad of the duel that is played, beside my opponent's. Where the policy of the event wants
    paper, the page says so and takes nothing."""
    viewer = actor_of(request)
    held, context = own(request, viewer, event_id)
    bare = put_away(request, viewer, held, context)
    if bare is not None:
        return bare
    form = Form()
    detail = match_meant(request, viewer, event_id) if request.method == "POST" else None
    paper = pad.pad_refused(event_id, "")
    if request.method == "POST":
        if paper is not None:
            form = Form("", paper)
        elif detail is None or detail.seat is None:
            form = Form("", Refusal("duels.not_open"))
        else:
            refused = perform(request, _acts(request, detail), DONE)
            if refused is None:
                return redirect("my_calls:pad", event_id)
            form = refused
    detail = my_match(viewer, event_id)
    closed = pad.closed(held.row, detail.row if detail is not None else None, paper)
    context |= {"form": form, "detail": detail, "paper": paper, "posted": request.POST}
    context["closed"] = closed
    running = detail.running if detail is not None else None
    if detail is not None and detail.seat is not None and paper is None:
        other = OTHER[detail.seat]
        context |= {
            "seat": detail.seat,
            "other": other,
            "opponent": detail.p2 if detail.seat == "P1" else detail.p1,
            "running": running,
            "may_open": not closed and detail.may_play and not running,
        }
        if running is not None and running["duel_id"] and detail.may_play:
            shown = pad.pads_of(viewer, running["duel_id"])
            mine_, theirs = shown.values[detail.seat], shown.values[other]
            context |= {
                "pads": shown,
                "own": {"me": mine_[detail.seat], "you": mine_[other]},
                "their": {"me": theirs[detail.seat], "you": theirs[other]},
                "both_told": len(shown.told) == len(OTHER),
                "counts": [
                    {
                        "seat": seat,
                        "mine": shown.counts[detail.seat].get(seat),
                        "theirs": shown.counts[other].get(seat),
                    }
                    for seat in (detail.seat, other)
                    if seat in shown.counts[detail.seat] or seat in shown.counts[other]
                ],
                "next_turn": shown.turn + 1,
                "next_active": pad.MINE if shown.active == other else pad.THEIRS,
            }
            if not shown.active:
                first = running["starter"] == detail.seat
                context["next_active"] = pad.MINE if first else pad.THEIRS
    return render(request, "judging/my_pad.html", context, status=form.status)
