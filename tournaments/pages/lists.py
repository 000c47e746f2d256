"""Deck lists around the match: exchanges with the Side Deck, the lists of a table for its
judges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from cards import selectors as cards
from cards.domain.catalogue import Catalogue
from decks.domain.decklist import DeckList
from decks.domain.siding import Moment, Swap
from decks.pages.lists import counted, kind_of
from people.guard import guarded
from people.posts import Form, Sent, perform, send, text_of
from people.web import actor_of
from tournaments import selectors, services
from tournaments.pages.common import staff_frame
from tournaments.pages.player import own, put_away
from tournaments.selectors import ListNow

DONE = {
    "swap": gettext_lazy("The cards have changed places."),
    "back": gettext_lazy("You play your registered list again."),
}


@dataclass(frozen=True, slots=True)
class Choice:
    """A card that can change places: its key, name, symbol and copies there."""

    key: str
    name: str
    kind: str
    number: int


def _choices(keys: Sequence[str], catalogue: Catalogue) -> list[Choice]:
    rows = []
    for key, number in Counter(keys).items():
        placed = catalogue.place(key)
        kind = kind_of(placed.facts.kind, placed.facts.subkind) if placed else "n"
        rows.append(Choice(key, placed.facts.name if placed else key, kind, number))
    return sorted(rows, key=lambda one: one.name)


def _sections(deck: DeckList, catalogue: Catalogue) -> list[dict[str, Any]]:
    return [
        {"name": name, "total": len(keys), "cards": counted(keys, catalogue)}
        for name, keys in deck.sections()
        if keys
    ]


def _swap(request: HttpRequest, held: ListNow) -> Swap:
    """Read one exchange: a card of the Side Deck for one of the main or the fusion deck."""
    coming, going = text_of(request, "coming", 20), text_of(request, "going", 20)
    if going in held.current.extra and going not in held.current.main:
        return Swap(into_extra=(coming,), out_of_extra=(going,))
    return Swap((coming,), (going,))


@guarded("tournaments.sides_exchange")
@never_cache
@require_http_methods(["GET", "POST"])
def sides(request: HttpRequest, event_id: str) -> HttpResponse:
    """Exchange cards with the Side Deck between two duels, one for one; the next match begins
    with the registered list by itself."""
    viewer = actor_of(request)
    home, context = own(request, viewer, event_id)
    bare = put_away(request, viewer, home, context)
    if bare is not None:
        return bare
    detail = selectors.my_match(viewer, event_id)
    if detail is None or detail.seat is None:
        raise Http404
    now = selectors.lists_of_match(viewer, detail.row.pk)
    held = now.lists.get(detail.seat)
    form = Form()
    if request.method == "POST":
        current = held or ListNow(detail.seat, 0, "", DeckList(), DeckList(), ())

        def exchange(swap: Swap) -> Sent:
            return send(
                request,
                "player",
                services.sides_exchange,
                match_id=detail.row.pk,
                into_main=list(swap.into_main),
                out_of_main=list(swap.out_of_main),
                into_extra=list(swap.into_extra),
                out_of_extra=list(swap.out_of_extra),
            )

        acts = {
            "swap": lambda: exchange(_swap(request, current)),
            "back": lambda: exchange(current.back),
        }
        refused = perform(request, acts, DONE)
        if refused is None:
            return redirect("my:sides", event_id)
        form = refused
    catalogue = cards.catalogue(viewer)
    context |= {"form": form, "held": held, "detail": detail}
    context["may_swap"] = (
        held is not None
        and bool(held.registered.side)
        and now.moment is Moment.BETWEEN_DUELS
        and not detail.row.winner
    )
    if held is not None:
        context |= {
            "going": _choices((*held.current.main, *held.current.extra), catalogue),
            "coming": _choices(held.current.side, catalogue),
            "sections": _sections(held.current, catalogue),
            "changed": held.back != Swap(),
        }
    return render(request, "tournaments/my_sides.html", context, status=form.status)


@guarded("decks.list_read")
@never_cache
@require_GET
def table_lists(request: HttpRequest, match_id: str) -> HttpResponse:
    """Both lists of a table for its judges: registered, as now played, every exchange."""
    viewer = actor_of(request)
    detail = selectors.match_detail(viewer, match_id)
    now = selectors.lists_at_table(viewer, match_id)
    context = staff_frame(request, viewer, detail.row.event_id)
    catalogue = cards.catalogue(viewer)
    context |= {"detail": detail, "seats": []}
    for seat, side in (("P1", detail.p1), ("P2", detail.p2)):
        held = now.lists.get(seat)
        row: dict[str, Any] = {"seat": seat, "side": side, "held": held}
        row["paper"] = seat in now.paper
        if held is not None:
            row["sections"] = _sections(held.current, catalogue)
            row["exchanges"] = [
                {
                    "duel": one.duel,
                    "into": [
                        catalogue.name(key) or key
                        for key in (*one.swap.into_main, *one.swap.into_extra)
                    ],
                    "out": [
                        catalogue.name(key) or key
                        for key in (*one.swap.out_of_main, *one.swap.out_of_extra)
                    ],
                }
                for one in held.exchanges
            ]
        context["seats"].append(row)
    return render(request, "tournaments/table_lists.html", context)
