"""Undo: what each act would change, shown before it is confirmed, and what was undone so far."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from people.access import may, require
from people.domain.permissions import Subject
from people.guard import guarded
from people.posts import Form, Sent, perform, send, text_of
from people.web import actor_of
from tournaments import selectors, services
from tournaments.domain import results as rules
from tournaments.domain.event import CUT, FINISHED, UNDER_WAY
from tournaments.pages.common import staff_frame

BY_WINNER = (*rules.BY_WINNER, rules.DOUBLE_LOSS)
FIELDS = ("act", "match_id", "score", "reason", "winner", "number", "entrant_id")
WITHOUT_REASON = ("reinstate", "drop")
"""Acts that are no change of what was played: they need no reason."""


def score_in(text: str) -> list[int] | None:
    """Read a score such as 2-1 or 1-1-1 as three numbers; None for anything else.

    >>> score_in("2-1"), score_in("1-1-1"), score_in("two")
    ([2, 1, 0], [1, 1, 1], None)
    """
    parts = text.split("-")
    if len(parts) not in (2, 3) or not all(one.isascii() and one.isdigit() for one in parts):
        return None
    numbers = [int(one[:2]) for one in parts]
    return numbers if len(numbers) == 3 else [*numbers, 0]


def _asked(given: QueryDict) -> dict[str, Any]:
    """Return what an act is about, as its command and its preview take it."""

    def text(name: str, limit: int) -> str:
        return given.get(name, "").replace("\x00", "").strip()[:limit]

    act = text("act", 20)
    if act == "round":
        number = text("number", 3)
        return {"number": int(number) if number.isascii() and number.isdigit() else 0}
    if act in WITHOUT_REASON:
        return {"entrant_id": text("entrant_id", 36)}
    if act != "result":
        return {}
    reason = text("reason", 20) or rules.PLAYED
    winner = text("winner", 12) or None
    if reason == rules.DOUBLE_LOSS or reason not in BY_WINNER:
        winner = None
    return {
        "match_id": text("match_id", 36),
        "score": score_in(text("score", 20)),
        "reason": reason,
        "winner": winner,
    }


def _acts(request: HttpRequest, event_id: str) -> dict[str, Any]:
    asked, note = _asked(request.POST), text_of(request, "note", 4000)

    def run(service: Any, **values: Any) -> Sent:
        return send(request, "organiser", service, **values)

    return {
        "result": lambda: run(services.result_correct, note=note, **asked),
        "round": lambda: run(services.round_delete, event_id=event_id, note=note, **asked),
        "cut": lambda: run(services.cut_restart, event_id=event_id, note=note),
        "reopen": lambda: run(services.event_reopen, event_id=event_id, note=note),
        "reinstate": lambda: run(services.entrant_reinstate, event_id=event_id, **asked),
        "drop": lambda: run(services.entrant_drop, event_id=event_id, **asked),
    }


def _taken_back(result: int) -> str:
    text = ngettext(
        "The round is taken back with %(number)s match.",
        "The round is taken back with %(number)s matches.",
        result,
    )
    return text % {"number": result}


DONE = {
    "result": gettext_lazy("The result is corrected; the standings have a new revision."),
    "round": _taken_back,
    "cut": gettext_lazy("The cut is taken back with its rounds. It can be made again."),
    "reopen": gettext_lazy("The event goes on where it stood."),
    "reinstate": gettext_lazy("The player is in again."),
    "drop": gettext_lazy("The player has dropped."),
}


@guarded("tournaments.desk_use")
@never_cache
@require_http_methods(["GET", "POST"])
def undo(request: HttpRequest, event_id: str) -> HttpResponse:
    """What can be undone now; with `act`, what it would change and the form that confirms it."""
    viewer = actor_of(request)
    context = staff_frame(request, viewer, event_id)
    require(viewer, "tournaments.desk_use", Subject(event_id))
    form = Form()
    if request.method == "POST":
        refused = perform(request, _acts(request, event_id), DONE)
        if refused is None:
            return redirect(request.path)
        form = refused
    given = request.POST if request.method == "POST" else request.GET
    act = given.get("act", "")
    event = context["event"]
    preview = detail = None
    if act in selectors.ACTS:
        asked = _asked(given)
        preview = selectors.undo_preview(viewer, event_id, act, **asked)
        if act == "result":
            detail = selectors.match_detail(viewer, asked["match_id"])
    subject = Subject(event_id)
    people = selectors.roster(viewer, event_id)
    context |= {
        "form": form,
        "act": act if preview else "",
        "preview": preview,
        "detail": detail,
        "score": _asked(given).get("score") if act == "result" else None,
        "note": given.get("note", "")[:1000],
        "sent": [(name, given.get(name, "")[:40]) for name in FIELDS[1:] if given.get(name)],
        "needs_reason": act not in WITHOUT_REASON,
        "number": _asked(given).get("number"),
        "entrant": next(
            (one.side for one in people if one.side.entrant_id == given.get("entrant_id")), None
        ),
        "may_run": may(viewer, "tournaments.event_run", subject),
        "may_enrol": may(viewer, "tournaments.entrant_enrol", subject),
        "under_way": event.status in UNDER_WAY,
        "in_cut": event.status == CUT,
        "finished": event.status == FINISHED,
        "dropped": [one.side for one in people if one.side.status == "dropped"],
        "playing": [one.side for one in people if one.side.status == "checked_in"],
        "rounds": [one for one in selectors.rounds_list(viewer, event_id) if one.published],
        "undone": selectors.undone(viewer, event_id),
    }
    return render(request, "tournaments/undo.html", context, status=form.status)
