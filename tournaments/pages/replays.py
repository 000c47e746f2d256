"""Replay files of a player's own match: hand one in, look at what became of it."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from duels.replays import MOST_UPLOAD, HandedIn
from people.guard import guarded
from people.posts import Form, Sent, form_id, perform, send, text_of
from people.uploads import file_of_kind
from people.web import actor_of
from tournaments import selectors, services
from tournaments.pages.player import OTHER, match_meant, own, put_away, turned
from tournaments.selectors import MatchDetail


def _told(found: HandedIn) -> str:
    if found.winner == "none":
        return _("The file is handed in. It names no winner.")
    return _("The file is handed in. It is evidence; the result is still to be reported.")


@guarded("tournaments.match_read")
@never_cache
@require_http_methods(["GET", "POST"])
def replays(request: HttpRequest, event_id: str) -> HttpResponse:
    """The files of my match, and the form for another one."""
    viewer = actor_of(request)
    held, context = own(request, viewer, event_id)
    bare = put_away(request, viewer, held, context)
    if bare is not None:
        return bare
    detail = match_meant(request, viewer, event_id)
    if detail is None or detail.seat is None:
        raise Http404
    form = Form()
    if request.method == "POST":
        refused = perform(
            request, {"hand_in": lambda: _hand_in(request, detail)}, {"hand_in": _told}
        )
        if refused is None:
            return redirect("my:replays", event_id)
        form = refused
    context |= {"form": form, "posted": request.POST, "detail": detail} | _context(request, detail)
    return render(request, "tournaments/my_replays.html", context, status=form.status)


def _hand_in(request: HttpRequest, detail: MatchDetail) -> Sent:
    seat = detail.seat or ""
    first = {"mine": seat, "theirs": OTHER[seat]}.get(text_of(request, "first", 6), "")
    return send(
        request,
        "player",
        services.replay_hand_in,
        match_id=detail.row.pk,
        first=first,
        data=file_of_kind(request, "file", "replay", MOST_UPLOAD),
        duel_id=form_id(request, "duel_id"),
    )


def _context(request: HttpRequest, detail: MatchDetail) -> dict[str, Any]:
    found = selectors.match_replays(actor_of(request), detail.row)
    names = {"P1": detail.p1.name, "P2": detail.p2.name}
    reportable = detail.may_claim and tuple(found.score) in {tuple(one) for one in detail.possible}
    return {
        "files": [
            {"row": one.row, "winner": names.get(one.winner, ""), "drawn": one.winner == "draw"}
            for one in found.files
        ],
        "opponent": names[OTHER[detail.seat or "P1"]],
        "proposed": turned(found.score, detail.seat) if any(found.score) else "",
        "value": "-".join(map(str, found.score)) if reportable else "",
    }
