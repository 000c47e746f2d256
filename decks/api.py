"""API of deck lists: a check that keeps nothing, and the list in force for those who may see it."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict
from uuid import UUID

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from decks import selectors
from decks.domain.decklist import DeckList
from decks.domain.limits import MAX_BYTES
from people.rest import Body, Endpoint, given, operation
from people.web import actor_of


class DeckCheckInput(Body):
    """A list to check: its text, the preset, and the id of a list of limits or nothing."""

    content = serializers.CharField(max_length=MAX_BYTES, trim_whitespace=False, allow_blank=True)
    preset = serializers.CharField(max_length=40, default="classic")
    banlist_id = serializers.CharField(
        max_length=36, required=False, allow_null=True, allow_blank=True
    )


class UnresolvedLine(TypedDict):
    """A line that names no card."""

    section: str
    line: int
    text: str


class DeckCards(TypedDict):
    """The cards of a list: keys per section, and the lines that name no card."""

    main: list[str]
    extra: list[str]
    side: list[str]
    unresolved: list[UnresolvedLine]


class DeckFinding(TypedDict):
    """A fault of a list: its code, the rule it breaks, the card, what was found and what is
    allowed."""

    code: str
    rule: str
    card: dict[str, Any] | None
    found: Any
    allowed: Any
    where: NotRequired[dict[str, int]]
    line: NotRequired[int]


class DeckChecked(TypedDict):
    """The check of a list: `errors` in the order of the rules, the first is the primary.
    `points` {found, allowed} is there where the list of limits counts points."""

    legal: bool
    counts: dict[str, int]
    errors: list[DeckFinding]
    warnings: list[DeckFinding]
    points: NotRequired[dict[str, int]]
    format: str
    deck: DeckCards


class DeckFull(TypedDict):
    """The list in force of an entrant. Times are UTC; `hash` is what the event froze."""

    deck_id: str
    number: int
    locked: bool
    hash: str | None
    preset: str | None
    banlist_id: str | None
    deck: DeckCards


def deck_json(deck: DeckList) -> dict[str, Any]:
    """Return the cards of a list as plain JSON: keys per section, and the lines not resolved."""
    return {
        **{name: list(keys) for name, keys in deck.sections()},
        "unresolved": [
            {"section": one.section, "line": one.line, "text": one.text} for one in deck.unresolved
        ],
    }


class DeckCheck(Endpoint):
    """Check a list and keep nothing."""

    guard_action = "decks.list_check"

    @operation("decks_check", body=DeckCheckInput, answers=DeckChecked, writes=False)
    def post(self, request: Request) -> Response:
        """Answer {legal, counts, errors, warnings, format, deck}."""
        body = given(DeckCheckInput, request)
        checked = selectors.list_check(
            actor_of(request),
            body["content"],
            preset=body["preset"],
            banlist_id=body.get("banlist_id") or None,
        )
        found = checked.report.as_json()
        found |= {"format": checked.format, "deck": deck_json(checked.deck)}
        return Response(found)


class DeckInForce(Endpoint):
    """The list in force of one entrant: for its player and the staff of its event."""

    guard_action = "decks.list_read"

    @operation("decks_read", answers=DeckFull)
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
