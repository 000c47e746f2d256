"""API of cards and lists of limits: reads only."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.http import Http404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from cards import selectors
from cards.domain.facts import CardFacts
from cards.models import Banlist
from people.web import actor_of


def card_json(card: CardFacts) -> dict[str, Any]:
    """Return the facts of a card as plain JSON; `def` is null for '?' and where there is none."""
    body = asdict(card)
    body["def"] = body.pop("defence")
    body["traits"] = list(card.traits)
    body["extra_deck"] = card.is_extra
    return body


def _banlist_json(row: Banlist) -> dict[str, Any]:
    return {
        "id": row.id,
        "title": row.title,
        "date": row.date or None,
        "whitelist": row.whitelist,
        "hash": row.content_hash,
        "client_hash": row.client_hash,
    }


class CardSearch(APIView):
    """Find cards by a part of the name or by id."""

    guard_action = "cards.catalogue_read"

    @extend_schema(
        operation_id="cards_search",
        parameters=[
            OpenApiParameter("q", str, description="part of a name, or an id"),
            OpenApiParameter("limit", int, description="at most 100"),
        ],
        responses=OpenApiTypes.OBJECT,
    )
    def get(self, request: Request) -> Response:
        """Answer {results: [card, ...]}, best first."""
        text = request.query_params.get("q", "")
        asked = request.query_params.get("limit", "20")
        limit = int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 5 else 20
        found = selectors.card_search(actor_of(request), text, limit=limit)
        return Response({"results": [card_json(card) for card in found]})


class CardDetail(APIView):
    """One card by key or id."""

    guard_action = "cards.catalogue_read"

    @extend_schema(operation_id="cards_read", responses=OpenApiTypes.OBJECT)
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


class BanlistList(APIView):
    """Every list of limits."""

    guard_action = "cards.banlist_read"

    @extend_schema(operation_id="banlists_list", responses=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> Response:
        """Answer {results: [list, ...]}, newest date first."""
        rows = selectors.banlists(actor_of(request))
        return Response({"results": [_banlist_json(row) for row in rows]})


class BanlistDetail(APIView):
    """One list with its limits."""

    guard_action = "cards.banlist_read"

    @extend_schema(operation_id="banlists_read", responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, banlist_id: str) -> Response:
        """Answer the list and {limits: [{id, count, remark}]}."""
        value = selectors.banlist(actor_of(request), banlist_id)
        if value is None:
            raise Http404
        return Response(
            {
                "id": banlist_id,
                "title": value.title,
                "date": value.date or None,
                "whitelist": value.whitelist,
                "hash": value.content_hash,
                "client_hash": f"{value.client_hash:08x}",
                "limits": [asdict(one) for one in value.limits],
            }
        )
