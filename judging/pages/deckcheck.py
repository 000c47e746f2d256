"""Pages of deck checks: which tables, and the list to tap through at one of them."""

from __future__ import annotations

from collections import Counter
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from cards import selectors as cards
from cards.domain.catalogue import Catalogue, fold
from decks import photos, pictures
from decks.pages.lists import kind_of
from eventstore import clock
from eventstore.domain.refusal import Refusal
from judging import deckcheck, decktable
from judging.domain.deckcheck import AMBER_S, SECTIONS, candidate, section_of
from judging.domain.policy import Pack
from judging.domain.sleeves import Pattern, candidates, seen_overlap
from judging.matches import ran_s
from judging.packs import pack
from people.access import may
from people.domain.permissions import Subject
from people.guard import guarded
from people.posts import Form, Sent, form_id, number_of, perform, send, text_of
from people.selectors import names
from people.uploads import picture_bytes
from people.web import actor_of
from tournaments import selectors as tournaments
from tournaments.pages.common import staff_frame

ORDER = {"monster": 0, "spell": 1, "trap": 2}
MOST_LINES = 200


def _picked(result: list[str]) -> str:
    text = ngettext("%(number)s table is picked.", "%(number)s tables are picked.", len(result))
    return text % {"number": len(result)}


@guarded("judging.deck_check")
@never_cache
@require_http_methods(["GET", "POST"])
def checks(request: HttpRequest, event_id: str) -> HttpResponse:
    """Pick tables, or the whole cut; see what was picked, which decks are still out and who was
    never checked; begin a check."""
    viewer = actor_of(request)
    context = staff_frame(request, viewer, event_id)
    view = deckcheck.picks(viewer, event_id)
    form = Form()
    if request.method == "POST":
        named = [
            int(one)
            for one in text_of(request, "tables", 200).replace(",", " ").split()
            if one.isascii() and one.isdigit() and len(one) <= 6
        ]
        call_id = form_id(request, "call_id")
        acts = {
            "pick": lambda: send(
                request,
                "judge",
                deckcheck.tables_pick,
                event_id=event_id,
                count=number_of(request, "count") or 0,
                targeted=named,
                seed=text_of(request, "seed", 40) or None,
            ),
            "pick_cut": lambda: send(request, "judge", deckcheck.cut_pick, event_id=event_id),
            "begin": lambda: send(
                request,
                "judge",
                deckcheck.deck_check_begin,
                match_id=text_of(request, "match_id", 36),
                call_id=call_id,
            ),
        }
        done = {
            "pick": _picked,
            "pick_cut": _picked,
            "begin": gettext_lazy("The check has begun; its clock runs."),
        }
        refused = perform(request, acts, done)
        if refused is None:
            begun = request.POST.get("act") == "begin"
            return redirect("calls:deck_check", call_id) if begun else redirect(request.path)
        form = refused
    named_by = {one.side.entrant_id: one.side for one in tournaments.roster(viewer, event_id)}
    context |= {
        "form": form,
        "view": view,
        "posted": request.POST,
        "never": [named_by[one] for one in view.never if one in named_by],
        "in_cut": context["event"].status == "cut",
    }
    context["may_begin"] = may(viewer, "judging.call_take", Subject(event_id, public=False))
    return render(request, "judging/deck_checks.html", context, status=form.status)


def _counted(request: HttpRequest) -> dict[str, int]:
    """Read the numbers of the form: `n-<key>`; what is empty is as listed."""
    found: dict[str, int] = {}
    for name, value in list(request.POST.items())[:MOST_LINES]:
        text = str(value).strip()
        if name.startswith("n-") and text.isascii() and text.isdigit() and len(text) <= 4:
            found[name[2:]] = int(text)
    return found


def _photo(request: HttpRequest, call_id: str) -> Sent:
    """Make the photo anew before the command: decoding holds no lock of the database."""
    made = pictures.cleaned(picture_bytes(request, "photo", pictures.MAX_BYTES))
    if isinstance(made, Refusal):
        return Sent(refusal=made)
    return send(
        request,
        "judge",
        decktable.deck_photo_add,
        call_id=call_id,
        seat=text_of(request, "seat", 2),
        photo_id=form_id(request, "photo_id"),
        picture=made,
    )


def _sleeves(request: HttpRequest, call_id: str) -> Sent:
    """Read the grid: `place` for each ticked one, `k-<place>` for the card found there."""
    given = request.POST.getlist("place")[:MOST_LINES]
    places = [one for one in given if one.isascii() and one.isdigit() and len(one) <= 3]
    found = {one: text_of(request, f"k-{one}", 20) for one in places}
    return send(
        request,
        "judge",
        decktable.sleeves_mark,
        call_id=call_id,
        seat=text_of(request, "seat", 2),
        places=[int(one) for one in found],
        cards={str(int(place)): key for place, key in found.items() if key},
        group=[one[:20] for one in request.POST.getlist("group")[:MOST_LINES]],
        pattern=text_of(request, "pattern", 10) or Pattern.UNSURE.value,
    )


def _table_acts(request: HttpRequest, call_id: str) -> dict[str, Any]:
    """What is done with the cards themselves."""
    return {
        "take": lambda: send(request, "judge", decktable.decks_take, call_id=call_id),
        "return": lambda: send(
            request,
            "judge",
            decktable.deck_return,
            call_id=call_id,
            seat=text_of(request, "seat", 2),
            confirmed_by=text_of(request, "confirmed_by", 10),
        ),
        "photo": lambda: _photo(request, call_id),
        "photo_erase": lambda: send(
            request,
            "judge",
            decktable.deck_photo_erase,
            call_id=call_id,
            photo_id=text_of(request, "photo_id", 36),
        ),
        "sleeves": lambda: _sleeves(request, call_id),
    }


DONE = {
    "count": gettext_lazy("The count is noted."),
    "take": gettext_lazy("Both decks are with you."),
    "return": gettext_lazy("The deck is back."),
    "photo": gettext_lazy("The photo is kept."),
    "photo_erase": gettext_lazy("The photo is erased."),
    "sleeves": gettext_lazy("The sleeves are noted."),
}


def _ruling_address(call_id: str, entrant: str, used: Pack, code: str, kind: str) -> str:
    """The ruling form of a call, filled in with what was found."""
    query = {
        "infraction": code,
        "infraction_kind": kind,
        "target_entrant": entrant,
        "remedy": used.infractions[code].remedies[0].value,
    }
    return f"{reverse('calls:call', args=[call_id])}?{urlencode(query)}"


@guarded("judging.deck_check")
@never_cache
@require_http_methods(["GET", "POST"])
def check(request: HttpRequest, call_id: str) -> HttpResponse:
    """Tap through both decks section by section; decks taken and returned, photos, sleeves. What
    is found goes into the ruling form."""
    viewer = actor_of(request)
    view = deckcheck.check(viewer, call_id)
    form = Form()
    if request.method == "POST":
        acts = _table_acts(request, call_id) | {
            "count": lambda: send(
                request,
                "judge",
                deckcheck.deck_count,
                call_id=call_id,
                seat=text_of(request, "seat", 2),
                section=text_of(request, "section", 5),
                counted=_counted(request),
                others=number_of(request, "others") or 0,
                wrong_language=number_of(request, "wrong_language") or 0,
                marked=number_of(request, "marked") or 0,
            )
        }
        refused = perform(request, acts, DONE)
        if refused is None:
            return redirect("calls:deck_check", call_id)
        form = refused
    context = staff_frame(request, viewer, view.call.event_id)
    match = tournaments.match_detail(viewer, view.call.match_id)
    catalogue = cards.catalogue(viewer)
    used = pack(view.call.pack, view.call.pack_version)
    kept = photos.photos_about(viewer, view.call.event_id, call_id)
    context |= {
        "form": form,
        "call": view.call,
        "seats": [],
        "photos_allowed": used.photos_allowed and view.call.open,
        "patterns": [one.value for one in Pattern],
        "names": names(
            {one.confirmed_by for one in view.state.returned.values()}
            | {one.by for one in view.state.taken.values()}
        ),
        "may_erase": may(viewer, "decks.photo_erase", Subject(view.call.event_id, public=False)),
        "any_taken": any(
            (view.call.match_id, one) in view.state.taken for one in view.call.entrants
        ),
        "any_out": any(view.state.out(view.call.match_id, one) for one in view.call.entrants),
    }
    for at, (seat, side) in enumerate((("P1", match.p1), ("P2", match.p2))):
        entrant = view.call.entrants[at]
        found = view.state.found(view.call.match_id, entrant)
        suggested = candidate(found, used)
        row: dict[str, Any] = {
            "seat": seat,
            "side": side,
            "held": view.lists.get(seat),
            "found": found,
            "sections": [],
            "suggested": suggested,
            "taken": view.state.taken.get((view.call.match_id, entrant)),
            "out": view.state.out(view.call.match_id, entrant),
            "returned": view.state.returned.get((view.call.match_id, entrant)),
            "photos": [
                one.photo
                for one in view.state.photos.get((view.call.match_id, entrant), ())
                if one.photo in kept
            ],
        }
        if suggested:
            row["address"] = _ruling_address(call_id, entrant, used, *suggested)
        if seat in view.lists:
            deck = view.deck(seat)
            row["sleeves"] = _marks(view, call_id, entrant, deck.main, used, catalogue)
            row["sections"] = [
                {
                    "name": name,
                    "total": len(section_of(deck, name)),
                    "cards": _lines(section_of(deck, name), catalogue),
                    "noted": view.state.counts.get((view.call.match_id, entrant, name)),
                }
                for name in SECTIONS
                if section_of(deck, name)
            ]
        context["seats"].append(row)
    begun = view.call.arrived_at or view.call.raised_at
    away = tournaments.spans_of(view.call.event_id)
    context["gone"] = ran_s(begun, clock.as_text(clock.now()), away)
    context["late"] = context["gone"] >= AMBER_S
    context["may_rule"] = may(
        viewer, "judging.call_take", Subject(view.call.event_id, public=False)
    )
    return render(request, "judging/deck_check.html", context, status=form.status)


def _marks(
    view: deckcheck.Check,
    call_id: str,
    entrant: str,
    deck: tuple[str, ...],
    used: Pack,
    catalogue: Catalogue,
) -> dict[str, Any]:
    """The grid of sleeves of a main deck with what was noted, and what it amounts to."""
    noted = view.state.sleeves.get((view.call.match_id, entrant))
    found = dict(zip(noted.places, noted.keys, strict=True)) if noted else {}
    return {
        "noted": noted,
        "places": [(place, place in found) for place in range(1, len(deck) + 1)],
        "found": list(found.items()),
        "cards": _lines(deck, catalogue),
        "overlap": seen_overlap(deck, noted.keys, noted.group) if noted else None,
        "suggested": [
            (code, kind, _ruling_address(call_id, entrant, used, code, kind))
            for code, kind in (candidates(noted.pattern, used) if noted and noted.places else ())
        ],
    }


def _lines(keys: tuple[str, ...], catalogue: Catalogue) -> list[dict[str, Any]]:
    rows = []
    for key, number in Counter(keys).items():
        placed = catalogue.place(key)
        kind = placed.facts.kind if placed else "monster"
        rows.append(
            {
                "key": key,
                "number": number,
                "name": placed.facts.name if placed else key,
                "kind": kind_of(kind, placed.facts.subkind if placed else "normal"),
                "order": (ORDER.get(kind, 0), fold(placed.facts.name if placed else key)),
            }
        )
    return sorted(rows, key=lambda one: one["order"])
