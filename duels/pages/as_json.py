"""A duel as one JSON file: every line and the table, as one perspective may know them."""

from __future__ import annotations

import json
from dataclasses import asdict

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from duels import selectors, wording
from duels.domain.seats import VIEWERS
from eventstore.domain.refusal import Refused
from eventstore.ids import is_id
from people import selectors as people
from people.domain.names import joined
from people.guard import guarded
from people.web import actor_of

FORMAT = "headjudge-duel/1"


@guarded("duels.duel_read")
@never_cache
@require_GET
def as_json(request: HttpRequest, duel_id: str) -> HttpResponse:
    """The file for `?as=`, an unknown perspective is the public one: `format`, the duel, `players`
    by seat, `table` after the last line, `lines` with their sentence in the reader's language."""
    asked = request.GET.get("as", "")
    perspective = asked if asked in VIEWERS else "public"
    if not is_id(duel_id):
        raise Http404
    viewer = actor_of(request)
    recorded = selectors.read_for(viewer, duel_id)
    try:
        shown = selectors.duel_view(viewer, duel_id, None, perspective, recorded)
    except Refused:
        raise Http404 from None
    lines = selectors.duel_log(viewer, duel_id, perspective, recorded)
    names = people.names(person for persons in shown.seats.values() for person in persons)
    players = {
        seat: joined(persons, names) or wording.DASH for seat, persons in shown.seats.items()
    }
    told = {
        "format": FORMAT,
        "duel_id": duel_id,
        "event_id": shown.event_id,
        "match_id": shown.match_id,
        "number": shown.number,
        "perspective": perspective,
        "players": players,
        "lines": [
            asdict(one) | {"text": wording.line_text(one.code, one.params, players)}
            for one in lines
        ],
        "table": shown.table,
    }
    response = HttpResponse(
        json.dumps(told, ensure_ascii=False), content_type="application/json; charset=utf-8"
    )
    response["Content-Disposition"] = f'attachment; filename="duel-{duel_id}-{perspective}.json"'
    response["Cache-Control"] = "no-store"
    return response
