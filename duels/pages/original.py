"""The replay file behind a duel as it was handed in: for judges of its event."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from duels import replays
from eventstore.ids import is_id
from people.guard import guarded
from people.web import actor_of


@guarded("duels.replay_original_read")
@never_cache
@require_GET
def original(request: HttpRequest, duel_id: str) -> HttpResponse:
    """The bytes, to be saved: no browser is to make anything of them."""
    if not is_id(duel_id):
        raise Http404
    data = replays.original(actor_of(request), duel_id)
    response = HttpResponse(data, content_type="application/octet-stream")
    response["Content-Disposition"] = f'attachment; filename="duel-{duel_id}.yrpX"'
    response["X-Content-Type-Options"] = "nosniff"
    response["Cache-Control"] = "no-store"
    return response
