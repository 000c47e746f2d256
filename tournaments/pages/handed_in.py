"""Deck lists at the desk: who handed in what, paper in one tap, one list with its history."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from cards import selectors as cards
from decks import photos, pictures
from decks import selectors as decks
from decks import services as deck_services
from decks.domain.registration import ListState
from decks.pages.lists import counted, posted_list, version_rows
from eventstore.domain.refusal import Refusal
from people.access import may, require
from people.domain.permissions import Subject
from people.guard import guarded
from people.posts import Form, Sent, form_id, number_of, perform, send, text_of
from people.selectors import names
from people.uploads import picture_bytes
from people.web import actor_of
from tournaments import selectors, services
from tournaments.pages.common import found, paged, staff_frame
from tournaments.selectors import HandIn

TO_TYPE = (ListState.PAPER, ListState.PHOTOGRAPHED)
FILTERS = {
    "missing": lambda one: one.state == ListState.NONE,
    "paper": lambda one: one.state in TO_TYPE,
    "entered": lambda one: one.state == ListState.ENTERED,
    "checked": lambda one: one.state == ListState.CHECKED,
    "illegal": lambda one: one.illegal,
    "late": lambda one: one.late,
}
LABELS = {
    "missing": gettext_lazy("not handed in"),
    "paper": gettext_lazy("to type in"),
    "entered": gettext_lazy("to check"),
    "checked": gettext_lazy("checked"),
    "illegal": gettext_lazy("illegal"),
    "late": gettext_lazy("late"),
}


def _locked(result: int) -> str:
    text = ngettext("%(number)s list is locked.", "%(number)s lists are locked.", result)
    return text % {"number": result}


def _opened(result: int) -> str:
    text = ngettext("%(number)s list is open again.", "%(number)s lists are open again.", result)
    return text % {"number": result}


@guarded("decks.list_read")
@never_cache
@require_http_methods(["GET", "POST"])
def lists(request: HttpRequest, event_id: str) -> HttpResponse:
    """How far the list of everybody is, who was late; paper received in one tap; the locks of
    all lists at once."""
    viewer = actor_of(request)
    context = staff_frame(request, viewer, event_id)
    require(viewer, "decks.list_read", Subject(event_id, public=False))
    form = Form()
    if request.method == "POST":
        acts = {
            "receive": lambda: send(
                request,
                "scorekeeper",
                services.paper_receive,
                event_id=event_id,
                entrant_id=text_of(request, "entrant_id", 36),
                deck_id=form_id(request, "deck_id"),
            ),
            "lock_all": lambda: send(
                request, "organiser", services.decks_lock_all, event_id=event_id
            ),
            "unlock_all": lambda: send(
                request,
                "organiser",
                services.decks_unlock_all,
                event_id=event_id,
                reason=text_of(request, "reason", 600),
            ),
        }
        done = {
            "receive": gettext_lazy("The paper is received: this player has handed in."),
            "lock_all": _locked,
            "unlock_all": _opened,
        }
        refused = perform(request, acts, done)
        if refused is None:
            return redirect(request.get_full_path())
        form = refused
    lines = selectors.hand_ins(viewer, event_id)
    numbers = {name: sum(map(fits, lines)) for name, fits in FILTERS.items()}
    show = request.GET.get("show", "")
    show = show if show in FILTERS else ""
    chosen = [one for one in lines if FILTERS[show](one)] if show else lines
    query = request.GET.get("q", "")
    context |= {
        "form": form,
        "show": show,
        "query": query,
        "filters": [(name, LABELS[name], numbers[name]) for name in FILTERS],
        "total": len(lines),
        "numbers": numbers,
        "locked": sum(one.deck is not None and one.deck.locked for one in lines),
        "may_lock": may(viewer, "tournaments.event_run", Subject(event_id)),
        "may_recheck": may(viewer, "decks.lists_recheck", Subject(event_id)),
        "limits": selectors.limits_of_event(viewer, context["event"]),
        "page": paged(request, found(chosen, query, lambda one: [one.side.name])),
    }
    return render(request, "tournaments/lists.html", context, status=form.status)


def _entered(result: deck_services.PaperState) -> str:
    if result.errors:
        text = ngettext(
            "The list is typed in and illegal: %(number)s kind of error for a judge.",
            "The list is typed in and illegal: %(number)s kinds of errors for a judge.",
            len(result.errors),
        )
        return text % {"number": len(result.errors)}
    return _("The list is typed in: version %(number)s.") % {"number": result.number}


DONE = {
    "receive": gettext_lazy("The paper is received: this player has handed in."),
    "return": gettext_lazy("The mark is taken back: nothing is handed in."),
    "enter": _entered,
    "confirm": gettext_lazy("The list is checked."),
    "photo": gettext_lazy("The photo is kept."),
    "photo_erase": gettext_lazy("The photo is erased."),
}


def _line(viewer: Any, event_id: str, entrant_id: str) -> HandIn:
    for one in selectors.hand_ins(viewer, event_id):
        if one.side.entrant_id == entrant_id:
            return one
    raise Http404


def _photo(request: HttpRequest, deck_id: str) -> Sent:
    """Make the photo anew before the command: decoding holds no lock of the database."""
    made = pictures.cleaned(picture_bytes(request, "photo", pictures.MAX_BYTES))
    if isinstance(made, Refusal):
        return Sent(refusal=made)
    return send(
        request,
        "scorekeeper",
        deck_services.photo_add,
        deck_id=deck_id,
        photo_id=form_id(request, "photo_id"),
        picture=made,
    )


@guarded("decks.paper_handle")
@never_cache
@require_http_methods(["GET", "POST"])
def one_list(request: HttpRequest, event_id: str, entrant_id: str) -> HttpResponse:
    """The list of one entrant: paper, photos, typing in, the check, every version with what
    differs from the one before."""
    viewer = actor_of(request)
    context = staff_frame(request, viewer, event_id)
    require(viewer, "decks.paper_handle", Subject(event_id, public=False))
    line = _line(viewer, event_id, entrant_id)
    deck_id = line.deck.deck_id if line.deck else ""
    form, content = Form(), ""
    if request.method == "POST":
        ids = {"event_id": event_id, "entrant_id": entrant_id}
        if request.POST.get("act") == "enter":
            content = posted_list(request)
        acts = {
            "receive": lambda: send(
                request,
                "scorekeeper",
                services.paper_receive,
                deck_id=form_id(request, "deck_id"),
                **ids,
            ),
            "return": lambda: send(request, "scorekeeper", services.paper_return, **ids),
            "enter": lambda: send(
                request, "scorekeeper", services.paper_enter, content=content, **ids
            ),
            "confirm": lambda: send(
                request,
                "scorekeeper",
                services.list_confirm,
                number=number_of(request, "number") or 0,
                **ids,
            ),
            "photo": lambda: _photo(request, deck_id),
            "photo_erase": lambda: send(
                request,
                "organiser",
                deck_services.photo_erase,
                deck_id=deck_id,
                photo_id=text_of(request, "photo_id", 36),
            ),
        }
        refused = perform(request, acts, DONE)
        if refused is None:
            return redirect("staff:list", event_id, entrant_id)
        form = refused
    subject = Subject(event_id, public=False)
    context |= {
        "form": form,
        "line": line,
        "side": line.side,
        "content": content,
        "may_erase": may(viewer, "decks.photo_erase", subject),
        "may_repair": may(viewer, "decks.list_repair", subject),
    }
    if line.deck is not None:
        context |= _kept(viewer, event_id, line.deck.deck_id, content)
    return render(request, "tournaments/one_list.html", context, status=form.status)


def _kept(viewer: Any, event_id: str, deck_id: str, content: str) -> dict[str, Any]:
    """What is kept of a list: cards, photos, versions; an illegal one with its report."""
    held = decks.deck_in_force(viewer, deck_id)
    history = decks.deck_versions(viewer, deck_id)
    catalogue = cards.catalogue(viewer)
    people = {one.by for one in history.versions} | {held.paper.by if held.paper else ""}
    typed = decks.typed_and_report(viewer, deck_id) if not held.legal and held.submitted else None
    kept = photos.photos_about(viewer, event_id, deck_id)
    return {
        "registration": held,
        "versions": version_rows(history, catalogue),
        "names": names(people - {""}),
        "report": typed[1].as_json() if typed else None,
        "content": content or (typed[0] if typed else ""),
        "photos": [one.photo_id for one in held.photos if one.photo_id in kept],
        "sections": [
            {"name": name, "total": len(keys), "cards": counted(keys, catalogue)}
            for name, keys in held.deck.sections()
            if keys
        ],
    }
