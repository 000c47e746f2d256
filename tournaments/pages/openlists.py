"""Deck lists of others: the published ones for everybody, the opponent's while the match lasts."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from cards import selectors as cards
from decks.domain.write import written
from decks.pages.lists import counted
from eventstore.domain.refusal import Refusal
from people.domain.actor import Actor
from people.guard import guarded
from people.web import actor_of
from tournaments import selectors
from tournaments.pages.common import frame, paged
from tournaments.pages.player import own, put_away
from tournaments.selectors import OpenList

FORMATS = {"text": "txt", "ydk": "ydk", "ydke": "txt"}


@guarded("tournaments.open_list_read")
@never_cache
@require_GET
def index(request: HttpRequest, event_id: str) -> HttpResponse:
    """Whose lists are published; before that this page is not there."""
    viewer = actor_of(request)
    sides = selectors.open_lists(viewer, event_id)
    _, context = frame(request, viewer, event_id)
    context["page"] = paged(request, sides)
    return render(request, "tournaments/open_lists.html", context)


def _cards(viewer: Actor, held: OpenList) -> dict[str, Any]:
    catalogue = cards.catalogue(viewer)
    return {
        "held": held,
        "sections": [
            {"name": name, "total": len(keys), "cards": counted(keys, catalogue)}
            for name, keys in held.deck.sections()
            if keys
        ],
    }


@guarded("tournaments.open_list_read")
@never_cache
@require_GET
def shown(request: HttpRequest, event_id: str, entrant_id: str) -> HttpResponse:
    """A published list by its cards, with its files."""
    viewer = actor_of(request)
    held = selectors.open_list(viewer, event_id, entrant_id)
    _, context = frame(request, viewer, event_id)
    context |= {"formats": list(FORMATS), **_cards(viewer, held)}
    return render(request, "tournaments/open_list.html", context)


@guarded("tournaments.open_list_read")
@never_cache
@require_GET
def file(request: HttpRequest, event_id: str, entrant_id: str, deck_format: str) -> HttpResponse:
    """A published list as a file; 404 where the format cannot hold it."""
    viewer = actor_of(request)
    held = selectors.open_list(viewer, event_id, entrant_id)
    if deck_format not in FORMATS:
        raise Http404
    text = written(held.deck, deck_format, cards.catalogue(viewer))
    if isinstance(text, Refusal):
        raise Http404
    response = HttpResponse(text, content_type="text/plain; charset=utf-8")
    name = f"deck-{held.side.number}-{deck_format}.{FORMATS[deck_format]}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@guarded("tournaments.match_read")
@never_cache
@require_GET
def opponent(request: HttpRequest, event_id: str) -> HttpResponse:
    """The registered list of my opponent, where the event shows it, until the result is in."""
    viewer = actor_of(request)
    home, context = own(request, viewer, event_id)
    bare = put_away(request, viewer, home, context)
    if bare is not None:
        return bare
    held = selectors.opponent_list(viewer, event_id)
    if held is not None:
        context |= _cards(viewer, held)
    return render(request, "tournaments/my_opponent.html", context)
