"""Check a deck list without keeping it."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from cards import selectors as cards
from decks import library, selectors
from decks.pages.lists import counted, posted_list
from eventstore.domain.refusal import Refusal, Refused
from people.guard import guarded
from people.posts import text_of
from people.web import actor_of


@guarded("decks.list_check")
@require_http_methods(["GET", "POST"])
def check(request: HttpRequest) -> HttpResponse:
    """Paste a list or choose a file; every fault is explained, nothing is stored."""
    viewer = actor_of(request)
    context: dict[str, Any] = {
        "presets": library.offered(),
        "banlists": cards.banlists(viewer),
        "preset": text_of(request, "preset", 40) or "classic",
        "banlist": text_of(request, "banlist", 80),
        "content": "",
    }
    refusal: Refusal | None = None
    if request.method == "POST":
        content = posted_list(request)
        context["content"] = content
        try:
            checked = selectors.list_check(
                viewer, content, preset=context["preset"], banlist_id=context["banlist"] or None
            )
        except Refused as fault:
            refusal = fault.refusal
        else:
            catalogue = cards.catalogue(viewer)
            context |= {
                "report": checked.report.as_json(),
                "format": checked.format,
                "sections": [
                    {"name": name, "total": len(keys), "cards": counted(keys, catalogue)}
                    for name, keys in checked.deck.sections()
                    if keys
                ],
            }
    context["refusal"] = refusal
    return render(request, "decks/check.html", context, status=409 if refusal else 200)
