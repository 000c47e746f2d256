"""My deck: check it, hand it in, see the list in force."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from cards import selectors as cards
from cards.domain.timeline import touching
from decks import library
from decks import selectors as decks
from decks.domain.draft import write_draft
from decks.domain.write import written
from decks.domain.ydke import write_ydke
from decks.pages.lists import counted, paper_groups, posted_list, version_rows
from eventstore.domain.refusal import Refusal
from people.domain.actor import Actor
from people.guard import guarded
from people.posts import Form, Sent, form_id, perform, send, text_of
from people.web import actor_of, keep_offline
from tournaments import selectors, services
from tournaments.domain.setup import NOT_IN_MATCH
from tournaments.pages.deck_draft import put_together
from tournaments.pages.people import qr_svg
from tournaments.pages.player import own, put_away


def _done(result: Any) -> str:
    if result.unchanged:
        return _("This list was in force already; nothing changed.")
    return _("Your list is handed in: version %(number)s.") % {"number": result.number}


FILES = {
    "ydk": ("ydk", "text/plain"),
    "ydke": ("txt", "text/plain"),
    "omega": ("txt", "text/plain"),
    "csv": ("csv", "text/csv"),
    "text": ("txt", "text/plain"),
    "plain": ("txt", "text/plain"),
}
"""Formats of a list: the ending of the file, and its type."""


@guarded("decks.list_submit")
@never_cache
@require_http_methods(["GET", "POST"])
def deck(request: HttpRequest, event_id: str) -> HttpResponse:
    """Put a list together by pasting, by a file or by tapping; hand in keeps a legal one."""
    viewer = actor_of(request)
    held, context = own(request, viewer, event_id)
    bare = put_away(request, viewer, held, context)
    if bare is not None:
        return bare
    if held.row.devices != NOT_IN_MATCH:
        keep_offline(request)
    content = posted_list(request)
    preset, banlist = library.rules_of(held.row.preset, held.row.banlist_id)
    limits = selectors.limits_of_event(viewer, held.row)
    context["limits"] = limits
    form, made = Form(), None
    submitting = request.method == "POST" and request.POST.get("act") == "submit"
    if submitting:

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
    illegal = form.refusal is not None and form.refusal.code == "decks.illegal_list"
    if request.method == "POST":
        if not (submitting or "edit" in request.POST or request.POST.get("act") in LOOKS):
            raise BadRequest("no such act")
        made = put_together(request, viewer, content, preset, banlist)
        context |= {"draft": made, "opened": "edit" in request.POST}
        if limits.due and not limits.frozen:
            keys = (*made.deck.main, *made.deck.extra, *made.deck.side)
            touched = touching(limits.due_changes, keys, cards.catalogue(viewer))
            context["touched"] = touched
    if request.htmx:  # type: ignore[attr-defined]
        return render(request, "tournaments/my_deck_draft.html", context)
    context |= {
        "form": Form() if illegal else form,
        "bad": illegal,
        "content": made.content if made else "",
        "find": text_of(request, "find", 80),
        "kinds": list(FILES),
        **_in_force(request, event_id, held.entrant_id or ""),
    }
    registration = context["registration"]
    if request.method == "GET" and registration is not None and not registration.fixed:
        context["content"] = write_draft(registration.deck, cards.catalogue(viewer))
    return render(
        request, "tournaments/my_deck.html", context, status=409 if illegal else form.status
    )


LOOKS = ("look", "check")


def _deck_id(viewer: Actor, event_id: str, entrant_id: str) -> str | None:
    roster = selectors.roster(viewer, event_id)
    return next((one.deck_id for one in roster if one.side.entrant_id == entrant_id), None)


def _in_force(request: HttpRequest, event_id: str, entrant_id: str) -> dict[str, Any]:
    viewer = actor_of(request)
    deck_id = _deck_id(viewer, event_id, entrant_id)
    if not deck_id:
        return {"registration": None}
    held = decks.deck_in_force(viewer, deck_id)
    history = decks.deck_versions(viewer, deck_id)
    catalogue = cards.catalogue(viewer)
    return {
        "registration": held,
        "versions": version_rows(history, catalogue),
        "repaired": history.repaired,
        "sections": [
            {"name": name, "total": len(keys), "cards": counted(keys, catalogue)}
            for name, keys in held.deck.sections()
            if keys
        ],
    }


def _own_list(request: HttpRequest, event_id: str) -> tuple[Any, Any, dict[str, Any]]:
    """Return the viewer, the registration and the context of the player's frame; Http404 where
    nothing is handed in, and where phones are put away."""
    viewer = actor_of(request)
    held, context = own(request, viewer, event_id)
    deck_id = _deck_id(viewer, event_id, held.entrant_id or "")
    if not deck_id or put_away(request, viewer, held, dict(context)) is not None:
        raise Http404
    registration = decks.deck_in_force(viewer, deck_id)
    if registration.submitted is None:  # on paper alone
        raise Http404
    return viewer, registration, context


@guarded("decks.list_read")
@never_cache
@require_GET
def deck_file(request: HttpRequest, event_id: str, deck_format: str) -> HttpResponse:
    """The list in force as a file of one format; refused where the format cannot hold it."""
    if deck_format not in FILES:
        raise Http404
    viewer, held, context = _own_list(request, event_id)
    text = written(held.deck, deck_format, cards.catalogue(viewer))
    if isinstance(text, Refusal):
        context["refusal"] = text
        return render(request, "tournaments/my_deck_file.html", context, status=409)
    ending, media = FILES[deck_format]
    response = HttpResponse(text, content_type=f"{media}; charset=utf-8")
    response["Content-Disposition"] = (
        f'attachment; filename="deck-v{held.number}-{deck_format}.{ending}"'
    )
    return response


@guarded("decks.list_read")
@never_cache
@require_GET
def deck_paper(request: HttpRequest, event_id: str) -> HttpResponse:
    """The list as it is handed in on paper: by kind with counts, fingerprint, QR of its address."""
    viewer, held, context = _own_list(request, event_id)
    catalogue = cards.catalogue(viewer)
    address = write_ydke(held.deck)
    context |= {
        "registration": held,
        "groups": paper_groups(held.deck, catalogue, library.named(context["event"].preset)),
        "qr": None if isinstance(address, Refusal) else qr_svg(address),
    }
    return render(request, "tournaments/my_deck_paper.html", context)
