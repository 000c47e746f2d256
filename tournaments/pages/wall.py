"""The wall screen: a page for a projector or a television, without log-in."""

from __future__ import annotations

import re

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from people.guard import guarded
from people.live import live
from tournaments import selectors
from tournaments.domain.hall import wall as rules
from tournaments.pages.common import number_in

SCREEN = re.compile(r"([1-9])/([1-9])")


def screen_of(text: str) -> tuple[int, int]:
    """Read which of how many screens side by side this is, 2/3; anything else is the only one."""
    found = SCREEN.fullmatch(text)
    part, of = (int(found[1]), int(found[2])) if found else (1, 1)
    return (part, of) if part <= of else (1, 1)


@guarded("tournaments.pairings_read")
@live("board")
@require_GET
def wall(request: HttpRequest, event_id: str) -> HttpResponse:
    """Pairings by name and standings in turn, the clock, the message to all, open tables.

    `lines` of a column (fewer are larger), `screen` 2/3 for the second of three side by side.
    """
    lines = number_in(request, "lines")
    lines = lines if lines in rules.LINES else rules.USUAL_LINES
    part, of = screen_of(request.GET.get("screen", ""))
    view = selectors.wall_screen(event_id, lines=lines, part=part, of=of)
    context = {"wall": view, "event": view.event, "lines": lines, "part": part, "of": of}
    return render(request, "tournaments/wall.html", context)
