"""API of deck lists and presets: a check that keeps nothing, the list in force for those who may
see it, and the rules that lists are checked against."""

from __future__ import annotations

import json
from typing import Any, NotRequired, TypedDict
from uuid import UUID

from django.http import Http404
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from decks import preset_services, selectors
from decks.domain.decklist import DeckList
from decks.domain.limits import MAX_BYTES
from decks.domain.preset_data import preset_data, preset_hash, write_preset
from decks.domain.presets import PRESETS
from people.rest import Body, Endpoint, PageQuery, answer, context, given, operation, page
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
    """The list in force of an entrant; `hash` is what the event froze. `number` 0: on paper alone.
    `state` none, paper, entered or checked; `source` player, paper or judge (a repair); `errors`
    are the codes of an illegal paper list."""

    deck_id: str
    number: int
    state: str
    source: str | None
    errors: list[str]
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
                "state": state.shown_state.value,
                "source": held.source if held else None,
                "errors": list(held.errors) if held else [],
                "locked": state.locked,
                "hash": held.deck_hash if held else None,
                "preset": held.preset if held else None,
                "banlist_id": held.banlist_id if held else None,
                "deck": deck_json(state.deck),
            }
        )


class PresetLine(TypedDict):
    """A preset: the game it belongs to, and the hash of its data, which an event freezes. The
    presets of the house have no version and no title."""

    id: str
    title: str
    game: str
    version: int | None
    newest: bool
    hash: str
    published_at: str | None


class PresetFull(PresetLine):
    """A preset with its rules as data, as docs/decks.md describes it, and the same as TOML."""

    rules: dict[str, Any]
    toml: str


class PresetPublished(TypedDict):
    """A version that is there now; `unchanged`: it was the newest already."""

    id: str
    version: int
    preset_hash: str
    unchanged: bool


class PresetQuery(PageQuery):
    """Which presets."""

    game = serializers.CharField(max_length=20, required=False)
    newest = serializers.BooleanField(required=False, allow_null=True, default=None)


class PresetInput(Body):
    """The rules of a preset, and the version that was edited (0: a new one)."""

    rules = serializers.DictField()
    base = serializers.IntegerField(
        min_value=0, max_value=9999, required=False, allow_null=True, default=None
    )


PRESET_EXAMPLE = {
    "rules": {
        "id": "pond",
        "title": "Pond singles",
        "main": {"least": 40, "most": 60},
        "copies": {"most": 1},
    },
    "base": 0,
}


def _house() -> list[PresetLine]:
    return [
        {
            "id": one.id,
            "title": "",
            "game": one.game,
            "version": None,
            "newest": True,
            "hash": preset_hash(one),
            "published_at": None,
        }
        for one in PRESETS.values()
    ]


class PresetList(Endpoint):
    """The presets that lists are checked against."""

    guard_action = "decks.preset_read"

    @operation("presets_list", answers=PresetLine, query=PresetQuery, pages=True)
    def get(self, request: Request) -> Response:
        """Answer one page of presets: those of the house, then every version of the others."""
        made: list[PresetLine] = [
            {
                "id": one.id,
                "title": one.title,
                "game": one.game,
                "version": one.version,
                "newest": one.newest,
                "hash": one.preset_hash,
                "published_at": one.published_at,
            }
            for one in selectors.preset_versions(actor_of(request))
        ]
        game, newest = self.asked.get("game"), self.asked.get("newest")
        kept = [
            one
            for one in (*_house(), *made)
            if game in (None, one["game"]) and newest in (None, one["newest"])
        ]
        return page(self, request, kept)

    @operation(
        "presets_publish",
        answers=PresetPublished,
        body=PresetInput,
        status=201,
        example=PRESET_EXAMPLE,
    )
    def post(self, request: Request) -> Response:
        """Make a preset or its next version; the same data again is no new version."""
        body = given(PresetInput, request)
        made = preset_services.preset_publish(
            context(request),
            content=json.dumps(body["rules"], ensure_ascii=False),
            base=body["base"],
        )
        return answer(made, 201)


class PresetDetail(Endpoint):
    """One preset."""

    guard_action = "decks.preset_read"

    @operation("presets_read", answers=PresetFull)
    def get(self, request: Request, preset: str) -> Response:
        """Answer the preset with its data."""
        held = selectors.preset_known(actor_of(request), preset)
        if held is None:
            raise Http404
        return Response(
            {
                "id": held.preset.id,
                "title": held.preset.title,
                "game": held.preset.game,
                "version": held.version,
                "newest": held.newest,
                "hash": held.preset_hash,
                "published_at": held.published_at,
                "rules": preset_data(held.preset),
                "toml": write_preset(held.preset),
            }
        )
