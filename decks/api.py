"""API of deck lists: a check that keeps nothing, and the list in force for those who may see it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from decks import selectors
from decks.domain.decklist import DeckList
from decks.domain.limits import MAX_BYTES
from people.web import actor_of


class DeckCheckInput(serializers.Serializer[Any]):
    """A list to check: its text, the preset, and the id of a list of limits or nothing."""

    content = serializers.CharField(max_length=MAX_BYTES, trim_whitespace=False, allow_blank=True)
    preset = serializers.CharField(max_length=40, default="classic")
    banlist_id = serializers.CharField(
        max_length=36, required=False, allow_null=True, allow_blank=True
    )


def deck_json(deck: DeckList) -> dict[str, Any]:
    """Return the cards of a list as plain JSON: keys per section, and the lines not resolved."""
    return {
        **{name: list(keys) for name, keys in deck.sections()},
        "unresolved": [
            {"section": one.section, "line": one.line, "text": one.text} for one in deck.unresolved
        ],
    }


class DeckCheck(APIView):
    """Check a list and keep nothing."""

    guard_action = "decks.list_check"

    @extend_schema(
        operation_id="decks_check", request=DeckCheckInput, responses=OpenApiTypes.OBJECT
    )
    def post(self, request: Request) -> Response:
        """Answer {legal, counts, errors, warnings, format, deck}."""
        given = DeckCheckInput(data=request.data)
        given.is_valid(raise_exception=True)
        checked = selectors.list_check(
            actor_of(request),
            given.validated_data["content"],
            preset=given.validated_data["preset"],
            banlist_id=given.validated_data.get("banlist_id") or None,
        )
        body = checked.report.as_json()
        body |= {"format": checked.format, "deck": deck_json(checked.deck)}
        return Response(body)


class DeckInForce(APIView):
    """The list in force of one entrant: for its player and the staff of its event."""

    guard_action = "decks.list_read"

    @extend_schema(operation_id="decks_read", responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, deck: UUID) -> Response:
        """Answer the list, its version and hash, and whether it is locked."""
        state = selectors.deck_in_force(actor_of(request), str(deck))
        held = state.submitted
        return Response(
            {
                "deck_id": str(deck),
                "number": state.number,
                "locked": state.locked,
                "hash": held.deck_hash if held else None,
                "preset": held.preset if held else None,
                "banlist_id": held.banlist_id if held else None,
                "deck": deck_json(state.deck),
            }
        )
