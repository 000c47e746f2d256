"""My deck: check it, hand it in, see the list in force."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from cards import selectors as cards
from decks import selectors as decks
from decks.pages.lists import counted, posted_list
from people.guard import guarded
from people.posts import Form, Sent, form_id, perform, send
from people.web import actor_of
from tournaments import selectors, services
from tournaments.pages.player import own, put_away


def _done(result: Any) -> str:
    if result.unchanged:
        return _("This list was in force already; nothing changed.")
    return _("Your list is handed in: version %(number)s.") % {"number": result.number}


@guarded("decks.list_submit")
@never_cache
@require_http_methods(["GET", "POST"])
def deck(request: HttpRequest, event_id: str) -> HttpResponse:
    """Paste or choose a list; check keeps nothing, hand in keeps a legal list."""
    viewer = actor_of(request)
    held, context = own(request, viewer, event_id)
    bare = put_away(request, viewer, held, context)
    if bare is not None:
        return bare
    content = posted_list(request)
    report: dict[str, Any] | None = None
    form = Form()
    if request.method == "POST" and request.POST.get("act") == "check":
        checked = decks.list_check(
            viewer, content, preset=held.row.preset, banlist_id=held.row.banlist_id or None
        )
        report = checked.report.as_json()
    elif request.method == "POST":

        def submit() -> Sent:
            return send(
                request,
                "player",
                services.deck_submit,
                event_id=event_id,
                entrant_id=held.entrant_id,
                content=content,
                deck_id=form_id(request, "deck_id"),
            )

        refused = perform(request, {"submit": submit}, {"submit": _done})
        if refused is None:
            return redirect("my:deck", event_id)
        form = refused
        if form.refusal is not None and form.refusal.code == "decks.illegal_list":
            report, form = dict(form.refusal.params), Form(form.act)
    context |= {
        "form": form,
        "report": report,
        "content": content,
        "checked": report is not None and request.POST.get("act") == "check",
        **_in_force(request, event_id, held.entrant_id or ""),
    }
    bad = form.refusal is not None or (report is not None and not context["checked"])
    return render(request, "tournaments/my_deck.html", context, status=409 if bad else 200)


def _in_force(request: HttpRequest, event_id: str, entrant_id: str) -> dict[str, Any]:
    viewer = actor_of(request)
    line = next(
        one for one in selectors.roster(viewer, event_id) if one.side.entrant_id == entrant_id
    )
    if not line.deck_id:
        return {"registration": None}
    held = decks.deck_in_force(viewer, line.deck_id)
    catalogue = cards.catalogue(viewer)
    return {
        "registration": held,
        "sections": [
            {"name": name, "total": len(keys), "cards": counted(keys, catalogue)}
            for name, keys in held.deck.sections()
            if keys
        ],
    }
