"""API of cards and lists of limits: reads only."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, TypedDict

from django.http import Http404
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from cards import selectors
from cards.domain.facts import MONSTER, SKILL, SPELL, TOKEN, TRAP, CardFacts
from cards.domain.timeline import series_of
from cards.models import Banlist
from people.domain.names import fold
from people.rest import Endpoint, PageQuery, operation, page
from people.web import actor_of

CardLine = TypedDict(
    "CardLine",
    {
        "key": str,
        "passcode": int | None,
        "konami_id": int | None,
        "name": str,
        "kind": str,
        "subkind": str,
        "traits": list[str],
        "attribute": str,
        "race": str,
        "level": int | None,
        "rank": int | None,
        "link": int | None,
        "scale": int | None,
        "atk": int | None,
        "def": int | None,
        "has_stats": bool,
        "alias": int,
        "extra_deck": bool,
    },
)
"""The facts of a card; `def` is null for '?' and where there is none."""


class CardFull(CardLine):
    """A card with the keys of its arts, and how many copies each list of limits allows."""

    identity: str
    counts_as: str
    assumed_art: bool
    arts: list[str]
    limits: dict[str, int]


class BanlistLine(TypedDict):
    """A list of limits; lists of the same region and format follow each other. With `whitelist`
    only the cards on it are legal."""

    id: str
    title: str
    date: str | None
    region: str
    format: str
    whitelist: bool
    hash: str
    client_hash: str


class LimitLine(TypedDict):
    """How many copies of one passcode are allowed; below 0: never legal."""

    passcode: int
    count: int
    remark: str


class CostLine(TypedDict):
    """What a copy of one passcode costs, in points."""

    passcode: int
    points: int
    remark: str


class PointsLine(TypedDict):
    """The points of a list: what a deck may cost in all, and which of its decks are counted."""

    name: str
    budget: int
    decks: list[str]
    costs: list[CostLine]


class BanlistFull(BanlistLine):
    """A list with its limits in order of the passcodes, and its points where it has them."""

    limits: list[LimitLine]
    points: PointsLine | None


class CardQuery(PageQuery):
    """Which cards."""

    q = serializers.CharField(
        max_length=200, required=False, allow_blank=True, help_text="part of a name, or an id"
    )
    kind = serializers.ChoiceField([MONSTER, SPELL, TRAP, TOKEN, SKILL], required=False)


class BanlistQuery(PageQuery):
    """Which lists."""

    q = serializers.CharField(max_length=80, required=False, help_text="part of the title")
    whitelist = serializers.BooleanField(required=False, allow_null=True, default=None)


def card_json(card: CardFacts) -> dict[str, Any]:
    """Return the facts of a card as plain JSON; `def` is null for '?' and where there is none."""
    body = asdict(card)
    body["def"] = body.pop("defence")
    body["traits"] = list(card.traits)
    body["extra_deck"] = card.is_extra
    return body


def _named(title: str, date: str) -> dict[str, Any]:
    series = series_of(title)
    return {
        "title": title,
        "date": date or None,
        "region": series.region,
        "format": series.format,
    }


def _banlist_json(row: Banlist) -> dict[str, Any]:
    return {
        "id": row.id,
        **_named(row.title, row.date),
        "whitelist": row.whitelist,
        "hash": row.content_hash,
        "client_hash": row.client_hash,
    }


class CardSearch(Endpoint):
    """Find cards by a part of the name or by id."""

    guard_action = "cards.catalogue_read"

    @operation("cards_search", answers=CardLine, query=CardQuery, pages=True)
    def get(self, request: Request) -> Response:
        """Answer one page of cards, best first, of the first thousand that fit."""
        text, kind = self.asked.get("q", ""), self.asked.get("kind")
        found = selectors.card_search(actor_of(request), text, limit=selectors.MAX_RESULTS)
        kept = [card for card in found if kind in (None, card.kind)]
        return page(self, request, kept, card_json)


class CardDetail(Endpoint):
    """One card by key or id."""

    guard_action = "cards.catalogue_read"

    @operation("cards_read", answers=CardFull)
    def get(self, request: Request, key: str) -> Response:
        """Answer the card, the keys of its arts, and what the lists allow of it."""
        page = selectors.card(actor_of(request), key)
        if page is None:
            raise Http404
        body = card_json(page.placed.facts)
        body |= {
            "identity": page.placed.identity,
            "counts_as": page.placed.counts_as,
            "assumed_art": page.placed.assumed,
            "arts": list(page.arts),
            "limits": page.limits,
        }
        return Response(body)


class BanlistList(Endpoint):
    """Every list of limits."""

    guard_action = "cards.banlist_read"

    @operation("banlists_list", answers=BanlistLine, query=BanlistQuery, pages=True)
    def get(self, request: Request) -> Response:
        """Answer one page of lists, newest date first."""
        wanted, kind = fold(self.asked.get("q", "")), self.asked.get("whitelist")
        kept = [
            row
            for row in selectors.banlists(actor_of(request))
            if wanted in fold(row.title) and kind in (None, row.whitelist)
        ]
        return page(self, request, kept, _banlist_json)


class BanlistDetail(Endpoint):
    """One list with its limits."""

    guard_action = "cards.banlist_read"

    @operation("banlists_read", answers=BanlistFull)
    def get(self, request: Request, banlist_id: str) -> Response:
        """Answer the list with its limits."""
        value = selectors.banlist(actor_of(request), banlist_id)
        if value is None:
            raise Http404
        return Response(
            {
                "id": banlist_id,
                **_named(value.title, value.date),
                "whitelist": value.whitelist,
                "hash": value.content_hash,
                "client_hash": f"{value.client_hash:08x}",
                "limits": [asdict(one) for one in value.limits],
                "points": asdict(value.points) if value.points else None,
            }
        )
