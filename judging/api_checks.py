"""REST API of deck checks: picks, and a check at its table. Photos come by the pages."""

from __future__ import annotations

from typing import Any, TypedDict
from uuid import UUID

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from decks.api import DeckCards, deck_json
from judging import deckcheck, decktable
from judging.deckcheck import Check, Picks
from judging.domain.deckcheck import MOST
from judging.domain.sleeves import Pattern
from people.rest import Body, Done, DoneId, DoneList, Endpoint, answer, context, given, operation
from people.web import actor_of

MOST_LINES = 200
SEATS = ["P1", "P2"]


class PickedTable(TypedDict):
    """A picked table: its check once it has begun, and whether a deck is still with staff."""

    match_id: str
    table: int | None
    targeted: bool
    parts_counted: int
    call_id: str | None
    deck_out: bool


class PicksFull(TypedDict):
    """The picks of the round, and the entrants that were never checked."""

    round: int
    seeds: list[str]
    tables: list[PickedTable]
    eligible: int
    checked: int
    entrants: int
    never: list[str]


class FoundFull(TypedDict):
    """What was found in a deck so far; `counted` are the sections."""

    counted: list[str]
    missing: int
    surplus: int
    others: int
    wrong_language: int
    marked: int


class DeckAtTable(TypedDict):
    """A deck at a check: the list as now played, what was found, where it is. `marked_places`
    count from the top of the face-down main deck."""

    seat: str
    entrant_id: str
    version: int | None
    deck: DeckCards | None
    found: FoundFull
    taken_at: str | None
    returned_at: str | None
    confirmed_by: str | None
    marked_places: list[int]
    pattern: str | None
    photos: int


class CheckFull(TypedDict):
    """A deck check."""

    call_id: str
    match_id: str
    open: bool
    decks: list[DeckAtTable]


class PickBody(Body):
    """How many tables to draw, and those that are named; a seed makes the draw repeatable."""

    count = serializers.IntegerField(min_value=0, max_value=deckcheck.MOST_PICKED, default=0)
    targeted = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=999_999), default=list, max_length=200
    )
    seed = serializers.CharField(max_length=40, required=False, allow_null=True)


class BeginBody(Body):
    """The id of the call that the check becomes; without it one is made."""

    call_id = serializers.UUIDField(required=False)


def _number() -> serializers.IntegerField:
    return serializers.IntegerField(min_value=0, max_value=MOST, default=0)


class CountBody(Body):
    """What was counted of a section: copies by card where they are not as listed."""

    seat = serializers.ChoiceField(SEATS)
    section = serializers.CharField(max_length=5)
    counted = serializers.DictField(
        child=serializers.IntegerField(min_value=0, max_value=MOST), default=dict
    )
    others = _number()
    wrong_language = _number()
    marked = _number()


class ReturnBody(Body):
    """Whose deck is back, and who says so: player or staff."""

    seat = serializers.ChoiceField(SEATS)
    confirmed_by = serializers.ChoiceField([decktable.PLAYER, decktable.STAFF])


class SleevesBody(Body):
    """Marked places of a main deck, the cards found there by place, the cards that would matter
    together, and whether the marked ones are such a group."""

    seat = serializers.ChoiceField(SEATS)
    places = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=999), max_length=MOST_LINES
    )
    cards = serializers.DictField(child=serializers.CharField(max_length=20), default=dict)
    group = serializers.ListField(
        child=serializers.CharField(max_length=20), default=list, max_length=MOST_LINES
    )
    pattern = serializers.ChoiceField([one.value for one in Pattern], default=Pattern.UNSURE.value)


def _picks(view: Picks) -> PicksFull:
    return {
        "round": view.round,
        "seeds": list(view.seeds),
        "tables": [
            {
                "match_id": one.match_id,
                "table": one.table,
                "targeted": one.targeted,
                "parts_counted": one.counted,
                "call_id": one.call_id,
                "deck_out": one.out,
            }
            for one in view.tables
        ],
        "eligible": view.eligible,
        "checked": view.checked,
        "entrants": view.entrants,
        "never": list(view.never),
    }


def _deck(view: Check, seat: str, entrant: str) -> DeckAtTable:
    deck = (view.call.match_id, entrant)
    held, found = view.lists.get(seat), view.state.found(*deck)
    taken, back = view.state.taken.get(deck), view.state.returned.get(deck)
    noted = view.state.sleeves.get(deck)
    cards: Any = deck_json(held.current) if held else None
    return {
        "seat": seat,
        "entrant_id": entrant,
        "version": held.number if held else None,
        "deck": cards,
        "found": {
            "counted": sorted(found.counted),
            "missing": found.missing,
            "surplus": found.surplus,
            "others": found.others,
            "wrong_language": found.wrong_language,
            "marked": found.marked,
        },
        "taken_at": taken.at if taken else None,
        "returned_at": back.at if back else None,
        "confirmed_by": back.confirmed_by if back else None,
        "marked_places": list(noted.places) if noted else [],
        "pattern": noted.pattern if noted else None,
        "photos": len(view.state.photos.get(deck, ())),
    }


class CheckEndpoint(Endpoint):
    """Deck checks are for judges and deck checkers."""

    guard_action = "judging.deck_check"


class DeckChecks(CheckEndpoint):
    """The deck checks of an event."""

    @operation("deck_checks_read", answers=PicksFull)
    def get(self, request: Request, event_id: UUID) -> Response:
        """Answer the picks of the round and the coverage."""
        return Response(_picks(deckcheck.picks(actor_of(request), str(event_id))))

    @operation("deck_checks_pick", answers=DoneList, body=PickBody)
    def post(self, request: Request, event_id: UUID) -> Response:
        """Pick tables; answer their matches."""
        body = given(PickBody, request)
        made = deckcheck.tables_pick(context(request, "judge"), event_id=str(event_id), **body)
        return answer(made)


class CutChecks(CheckEndpoint):
    """The deck checks of the cut."""

    @operation("deck_checks_pick_cut", answers=DoneList)
    def post(self, request: Request, event_id: UUID) -> Response:
        """Pick every table of the cut; answer their matches."""
        return answer(deckcheck.cut_pick(context(request, "judge"), event_id=str(event_id)))


class CheckBegin(Endpoint):
    """The beginning of a check."""

    guard_action = "judging.call_take"

    @operation("deck_check_begin", answers=DoneId, body=BeginBody, status=201)
    def post(self, request: Request, match: UUID) -> Response:
        """Stand at the table and begin; answer the call."""
        sent = context(request, "judge")
        call_id = given(BeginBody, request).get("call_id") or sent.command_id
        made = deckcheck.deck_check_begin(sent, match_id=str(match), call_id=call_id)
        return answer(made, 201)


class CheckRead(CheckEndpoint):
    """A check."""

    @operation("deck_check_read", answers=CheckFull)
    def get(self, request: Request, call_id: UUID) -> Response:
        """Answer both decks as now played and what was found."""
        view = deckcheck.check(actor_of(request), str(call_id))
        made: CheckFull = {
            "call_id": view.call.call_id,
            "match_id": view.call.match_id,
            "open": view.call.open,
            "decks": [
                _deck(view, seat, entrant)
                for seat, entrant in zip(SEATS, view.call.entrants, strict=True)
            ],
        }
        return Response(made)


class CheckCount(CheckEndpoint):
    """What is counted."""

    @operation("deck_check_count", answers=Done, body=CountBody)
    def post(self, request: Request, call_id: UUID) -> Response:
        """Note the count of a section."""
        body = given(CountBody, request)
        return answer(deckcheck.deck_count(context(request, "judge"), call_id=str(call_id), **body))


class CheckTake(CheckEndpoint):
    """Decks in the hands of staff."""

    @operation("deck_check_take", answers=Done)
    def post(self, request: Request, call_id: UUID) -> Response:
        """Take both decks."""
        return answer(decktable.decks_take(context(request, "judge"), call_id=str(call_id)))


class CheckReturn(CheckEndpoint):
    """Decks that go back."""

    @operation("deck_check_return", answers=Done, body=ReturnBody)
    def post(self, request: Request, call_id: UUID) -> Response:
        """Give a deck back."""
        body = given(ReturnBody, request)
        return answer(
            decktable.deck_return(context(request, "judge"), call_id=str(call_id), **body)
        )


class CheckSleeves(CheckEndpoint):
    """Marked sleeves."""

    @operation("deck_check_sleeves", answers=Done, body=SleevesBody)
    def post(self, request: Request, call_id: UUID) -> Response:
        """Note the marked sleeves of a main deck."""
        body = given(SleevesBody, request)
        return answer(
            decktable.sleeves_mark(context(request, "judge"), call_id=str(call_id), **body)
        )
