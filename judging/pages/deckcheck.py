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
from decks.pages.lists import kind_of
from eventstore import clock
from judging import deckcheck
from judging.domain.deckcheck import AMBER_S, SECTIONS, candidate, section_of
from judging.packs import pack
from people.access import may
from people.domain.permissions import Subject
from people.guard import guarded
from people.posts import Form, form_id, number_of, perform, send, text_of
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
    """Pick tables, see what was picked and how many players were checked; begin a check."""
    viewer = actor_of(request)
    context = staff_frame(request, viewer, event_id)
    entrants = sum(one.side.status == "checked_in" for one in tournaments.roster(viewer, event_id))
    view = deckcheck.picks(viewer, event_id, entrants)
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
            "begin": lambda: send(
                request,
                "judge",
                deckcheck.deck_check_begin,
                match_id=text_of(request, "match_id", 36),
                call_id=call_id,
            ),
        }
        done = {"pick": _picked, "begin": gettext_lazy("The check has begun; its clock runs.")}
        refused = perform(request, acts, done)
        if refused is None:
            begun = request.POST.get("act") == "begin"
            return redirect("calls:deck_check", call_id) if begun else redirect(request.path)
        form = refused
    context |= {"form": form, "view": view, "posted": request.POST}
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


@guarded("judging.deck_check")
@never_cache
@require_http_methods(["GET", "POST"])
def check(request: HttpRequest, call_id: str) -> HttpResponse:
    """Tap through both decks section by section; what is found goes into the ruling form."""
    viewer = actor_of(request)
    view = deckcheck.check(viewer, call_id)
    form = Form()
    if request.method == "POST":
        acts = {
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
        refused = perform(request, acts, {"count": gettext_lazy("The count is noted.")})
        if refused is None:
            return redirect("calls:deck_check", call_id)
        form = refused
    context = staff_frame(request, viewer, view.call.event_id)
    match = tournaments.match_detail(viewer, view.call.match_id)
    catalogue = cards.catalogue(viewer)
    used = pack(view.call.pack, view.call.pack_version)
    context |= {"form": form, "call": view.call, "seats": [], "amber": AMBER_S}
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
        }
        if suggested:
            query = {
                "infraction": suggested[0],
                "infraction_kind": suggested[1],
                "target_entrant": entrant,
                "remedy": used.infractions[suggested[0]].remedies[0].value,
            }
            row["address"] = f"{reverse('calls:call', args=[call_id])}?{urlencode(query)}"
        if seat in view.lists:
            deck = view.deck(seat)
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
    context["gone"] = int((clock.now() - clock.from_text(begun)).total_seconds())
    context["late"] = context["gone"] >= AMBER_S
    context["may_rule"] = may(
        viewer, "judging.call_take", Subject(view.call.event_id, public=False)
    )
    return render(request, "judging/deck_check.html", context, status=form.status)


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
