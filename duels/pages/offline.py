"""A duel as one HTML file that replays itself anywhere: no server, no request, no other file."""

from __future__ import annotations

import json
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.safestring import mark_safe
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from duels import selectors, wording
from duels.domain.seats import VIEWERS
from duels.pages.frames import frames
from duels.pages.skins import skin_of
from duels.rules.games import rules_of
from eventstore.domain.refusal import Refused
from eventstore.ids import is_id
from people import selectors as people
from people.domain.names import joined
from people.guard import guarded
from people.web import actor_of


def in_script(value: Any) -> str:
    """Return JSON that no HTML can end: for a script element of type application/json."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


@guarded("duels.duel_read")
@never_cache
@require_GET
def offline(request: HttpRequest, duel_id: str) -> HttpResponse:
    """The file for `?as=`: what this perspective may know and nothing else. An unknown
    perspective is the public one; one whose cards are closed to the viewer is not there."""
    asked = request.GET.get("as", "")
    perspective = asked if asked in VIEWERS else "public"
    if not is_id(duel_id):
        raise Http404
    viewer = actor_of(request)
    recorded = selectors.read_for(viewer, duel_id)
    try:
        opening = selectors.sighted(viewer, recorded, perspective)
    except Refused:
        raise Http404 from None
    raw = [one.data for one in recorded]
    names = people.names(person for persons in opening.seats.values() for person in persons)
    players = {
        seat: joined(persons, names) or wording.DASH for seat, persons in opening.seats.items()
    }
    words, steps = frames(raw, perspective)
    told = rules_of(opening.game).lines(raw, perspective)
    body = render_to_string(
        "duels/offline.html",
        {
            "number": opening.number,
            "players": players,
            "skin": skin_of(opening.game),
            "perspective": perspective,
            "head": len(told),
            "lines": [
                {
                    "seq": one.seq,
                    "text": wording.line_text(one.code, one.params, players),
                    "struck": one.struck,
                    "turn": one.turn if place == 0 or told[place - 1].turn != one.turn else 0,
                }
                for place, one in enumerate(told)
            ],
            "data": mark_safe(in_script({"names": words, "frames": steps})),  # noqa: S308
        },
        request,
    )
    response = HttpResponse(body, content_type="text/html; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="duel-{duel_id}-{perspective}.html"'
    response["Cache-Control"] = "no-store"
    return response
