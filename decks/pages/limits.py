"""Lists of limits for everyone: which are in force on a day, which come, what they change."""

from __future__ import annotations

from datetime import date
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_GET

from cards import selectors as cards
from cards.domain.timeline import Line
from eventstore import clock
from people.domain.actor import Actor
from people.guard import guarded
from people.web import actor_of


def _day(request: HttpRequest) -> str:
    """Return the day asked for, today when none or no day is given."""
    given = request.GET.get("on", "")[:10]
    try:
        return date.fromisoformat(given).isoformat()
    except ValueError:
        return timezone.localtime(clock.now()).date().isoformat()


def _row(viewer: Actor, line: Line, day: str) -> dict[str, Any]:
    now, coming = line.on(day), line.after(day)
    changes = cards.banlist_changes(viewer, now.id, coming.id) if now and coming else ()
    return {"label": line.series.label, "now": now, "coming": coming, "changes": changes}


@guarded("cards.banlist_read")
@require_GET
def limits(request: HttpRequest) -> HttpResponse:
    """Each region and format: the list in force on a day, the next one, the difference."""
    viewer, day = actor_of(request), _day(request)
    rows = [_row(viewer, line, day) for line in cards.banlist_lines(viewer)]
    return render(request, "decks/limits.html", {"day": day, "rows": rows})
