"""The page on which a judge puts a deck list right."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from cards import selectors as cards
from decks import library
from decks import selectors as decks
from decks.domain.draft import write_draft
from decks.pages.lists import posted_list
from judging import listrepair
from judging.domain.listrepair import list_infractions
from judging.matches import pack_or_usual
from people.access import require
from people.domain.permissions import Subject
from people.guard import guarded
from people.posts import Form, form_id, perform, send, text_of
from people.web import actor_of
from tournaments import selectors as tournaments
from tournaments.models import EntrantRow
from tournaments.pages.common import staff_frame
from tournaments.pages.deck_draft import put_together

LOOKS = ("look", "check")


def _done(result: listrepair.Repaired) -> str:
    return _("The list is repaired: version %(number)s is in force.") % {"number": result.number}


@guarded("decks.list_repair")
@never_cache
@require_http_methods(["GET", "POST"])
def repair(request: HttpRequest, event_id: str, entrant_id: str) -> HttpResponse:
    """Take out or replace cards by buttons or as text; name the infraction or its ruling."""
    viewer = actor_of(request)
    context = staff_frame(request, viewer, event_id)
    require(viewer, "decks.list_repair", Subject(event_id, public=False))
    row = EntrantRow.objects.filter(pk=entrant_id, event_id=event_id).first()
    if row is None or not row.deck_id:
        raise Http404
    held = decks.deck_in_force(viewer, row.deck_id)
    if held.submitted is None:
        raise Http404
    form, status = Form(), 200
    if request.method == "POST":
        content = posted_list(request)
        if request.POST.get("act") == "repair":
            call_id = form_id(request, "call_id")
            acts = {
                "repair": lambda: send(
                    request,
                    "judge",
                    listrepair.list_repair,
                    event_id=event_id,
                    entrant_id=entrant_id,
                    content=content,
                    reason=text_of(request, "reason", 600),
                    infraction=text_of(request, "infraction", 40).partition(":")[0] or None,
                    infraction_kind=text_of(request, "infraction", 80).partition(":")[2] or None,
                    ruling_id=text_of(request, "ruling_id", 36) or None,
                    call_id=call_id,
                )
            }
            refused = perform(request, acts, {"repair": _done})
            if refused is None:
                return redirect("staff:list", event_id, entrant_id)
            form, status = refused, refused.status
        elif "edit" not in request.POST and request.POST.get("act") not in LOOKS:
            raise BadRequest("no such act")
    else:
        typed = decks.typed_and_report(viewer, row.deck_id)
        written = write_draft(held.deck, cards.catalogue(viewer))
        content = (typed[0] if typed else "") or written
    preset, banlist = library.rules_of(held.submitted.preset, held.submitted.banlist_id)
    made = put_together(request, viewer, content, preset, banlist)
    context |= {"draft": made, "opened": "edit" in request.POST, "handed_in": True}
    if request.htmx:  # type: ignore[attr-defined]
        return render(request, "tournaments/my_deck_draft.html", context)
    illegal = form.refusal is not None and form.refusal.code == "decks.illegal_list"
    context |= {
        "form": Form() if illegal else form,
        "content": made.content,
        "find": text_of(request, "find", 80),
        "posted": request.POST,
        **_about(viewer, event_id, row),
    }
    return render(request, "judging/list_repair.html", context, status=status)


def _about(viewer: Any, event_id: str, row: EntrantRow) -> dict[str, Any]:
    """What the page says of the player: name, open table, rulings, infractions to choose."""
    used = pack_or_usual(event_id)
    line = next(
        one for one in tournaments.roster(viewer, event_id) if one.side.entrant_id == row.pk
    )
    return {
        "side": line.side,
        "table": listrepair.open_match(row),
        "rulings": [
            {"ruling_id": one.pk, "infraction": one.infraction, "at": one.at}
            for one in listrepair.rulings_of(row)
        ],
        "infractions": [
            {"value": f"{code}:{kind}", "code": code, "kind": kind}
            for code, kinds in list_infractions(used).items()
            for kind in kinds
        ],
    }
