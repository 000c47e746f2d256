"""REST API of the tournaments.

Reads answer what the viewer may know; lists are paged. A command is a POST; the header
`Idempotency-Key` (a UUID) is its command id, so that the same request has one effect.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast
from uuid import UUID

import msgspec
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.pagination import PageNumberPagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.settings import api_settings
from rest_framework.views import APIView

from decks.domain.limits import MAX_BYTES
from eventstore.commands import Context
from eventstore.ids import is_id, new_id
from people.web import actor_of, command_context
from tournaments import selectors, services, shapes

ANY_JSON = OpenApiTypes.OBJECT
SOURCES = {
    "site_organiser": "organiser",
    "organiser": "organiser",
    "scorekeeper": "scorekeeper",
    "head_judge": "judge",
    "judge": "judge",
    "deck_checker": "judge",
}
Body = serializers.Serializer[Any]


def _context(request: Request) -> Context:
    given = request.headers.get("Idempotency-Key")
    if given is not None and not is_id(given):
        raise serializers.ValidationError({"Idempotency-Key": "a UUID in lower case"})
    return command_context(request, SOURCES.get(actor_of(request).role, "player"))


def _given(shape: type[Body], request: Request) -> dict[str, Any]:
    body = shape(data=request.data)
    body.is_valid(raise_exception=True)
    return dict(body.validated_data)


def _answer(result: Any, status: int = 200) -> Response:
    if result is None:
        return Response({"done": True}, status=status)
    if isinstance(result, msgspec.Struct):
        return Response(msgspec.to_builtins(result), status=status)
    return Response({"done": True, "result": result}, status=status)


def _page(request: Request, items: Any, write: Any, view: APIView) -> Response:
    pages: PageNumberPagination = cast(Any, api_settings.DEFAULT_PAGINATION_CLASS)()
    page: Sequence[Any] = pages.paginate_queryset(items, request, view=view) or []
    return pages.get_paginated_response([write(item) for item in page])


def _number(request: Request, name: str) -> int | None:
    text = request.query_params.get(name)
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= 4):
        raise serializers.ValidationError({name: "a number"})
    return int(text)


class Seed(Body):
    """A seed makes a draw repeatable."""

    seed = serializers.IntegerField(min_value=0, max_value=2**53 - 1, required=False)


class EventChanges(Body):
    """Some settings of an event."""

    name = serializers.CharField(max_length=200, required=False)
    zone = serializers.CharField(max_length=60, required=False)
    game = serializers.CharField(max_length=20, required=False)
    preset = serializers.CharField(max_length=40, required=False)
    match_rules = serializers.CharField(max_length=30, required=False)
    standings = serializers.CharField(max_length=40, required=False)
    pack = serializers.CharField(max_length=40, required=False)
    decks_required = serializers.BooleanField(required=False)
    deck_deadline = serializers.CharField(max_length=27, required=False, allow_null=True)
    rounds = serializers.IntegerField(min_value=1, max_value=99, required=False, allow_null=True)
    cut = serializers.IntegerField(min_value=0, max_value=9999, required=False)
    play_on = serializers.BooleanField(required=False)
    banlist_id = serializers.CharField(max_length=80, required=False, allow_null=True)
    devices = serializers.CharField(max_length=12, required=False)


class EventInput(EventChanges):
    """Settings of a new event; the id is the caller's, so that a retry is the same event."""

    event_id = serializers.UUIDField(required=False)
    name = serializers.CharField(max_length=200)


class EventList(APIView):
    """The events that the viewer may know of."""

    guard_action = "tournaments.event_read"

    @extend_schema(operation_id="events_list", responses=ANY_JSON)
    def get(self, request: Request) -> Response:
        """Answer one page of events, newest first."""
        return _page(request, selectors.events_list(actor_of(request)), shapes.event, self)

    @extend_schema(operation_id="events_create", request=EventInput, responses=ANY_JSON)
    def post(self, request: Request) -> Response:
        """Create an event; answer its id."""
        given = _given(EventInput, request)
        event_id = str(given.pop("event_id", None) or new_id())
        made = services.event_create(_context(request), event_id=event_id, **given)
        return _answer(made, 201)


class EventDetail(APIView):
    """One event."""

    guard_action = "tournaments.event_read"

    @extend_schema(operation_id="events_read", responses=ANY_JSON)
    def get(self, request: Request, event: UUID) -> Response:
        """Answer the event with its counts."""
        return Response(shapes.home(selectors.event_home(actor_of(request), str(event))))


class EventConfigure(APIView):
    """Change settings before the start."""

    guard_action = "tournaments.event_run"

    @extend_schema(operation_id="events_configure", request=EventChanges, responses=ANY_JSON)
    def post(self, request: Request, event: UUID) -> Response:
        """Change the settings named in the body."""
        given = _given(EventChanges, request)
        return _answer(
            services.event_configure(_context(request), event_id=str(event), changes=given)
        )


class EventCommand(APIView):
    """A command on the event that needs no more than its name."""

    guard_action = "tournaments.event_run"
    COMMANDS = {
        "registration-open": services.registration_open,
        "registration-close": services.registration_close,
        "start": services.event_start,
        "finish": services.event_finish,
        "cancel": services.event_cancel,
    }

    @extend_schema(operation_id="events_command", request=None, responses=ANY_JSON)
    def post(self, request: Request, event: UUID, command: str) -> Response:
        """Run the command."""
        run: Any = self.COMMANDS[command]
        return _answer(run(_context(request), event_id=str(event)))


class CutInput(Seed):
    """The size of the cut; without one, as the event was set."""

    size = serializers.IntegerField(min_value=0, max_value=9999, required=False)


class Cut(APIView):
    """Make the cut."""

    guard_action = "tournaments.event_run"

    @extend_schema(operation_id="events_cut", request=CutInput, responses=ANY_JSON)
    def post(self, request: Request, event: UUID) -> Response:
        """Make the cut; answer its entrants in order."""
        given = _given(CutInput, request)
        return _answer(services.cut_make(_context(request), event_id=str(event), **given))


class EnrolInput(Body):
    """Who is enrolled: a known person by id or Card Game ID, or a new one by name."""

    entrant_id = serializers.UUIDField(required=False)
    person_id = serializers.UUIDField(required=False)
    display_name = serializers.CharField(max_length=200, required=False, allow_blank=True)
    sort_name = serializers.CharField(max_length=200, required=False, allow_blank=True)
    card_game_id = serializers.CharField(max_length=40, required=False, allow_blank=True)
    language = serializers.ChoiceField(["en", "hu", "hr", "vi", "pl"], required=False)


class Entrants(APIView):
    """The entrants of an event."""

    guard_action = "tournaments.event_read"

    @extend_schema(operation_id="entrants_list", responses=ANY_JSON)
    def get(self, request: Request, event: UUID) -> Response:
        """Answer one page of entrants in order of enrolment."""
        held = selectors.roster(actor_of(request), str(event))
        return _page(request, held, shapes.roster_line, self)

    @extend_schema(operation_id="entrants_enrol", request=EnrolInput, responses=ANY_JSON)
    def post(self, request: Request, event: UUID) -> Response:
        """Staff enrol a person; answer the ids."""
        given = _given(EnrolInput, request)
        for name in ("entrant_id", "person_id"):
            if name in given:
                given[name] = str(given[name])
        made = services.entrant_enrol(_context(request), event_id=str(event), **given)
        return _answer(made, 201)


class EnrolSelf(APIView):
    """Enrol oneself."""

    guard_action = "tournaments.entrant_enrol_self"

    @extend_schema(operation_id="entrants_enrol_self", request=None, responses=ANY_JSON)
    def post(self, request: Request, event: UUID) -> Response:
        """Enrol the caller; answer the ids."""
        made = services.entrant_enrol_self(_context(request), event_id=str(event))
        return _answer(made, 201)


class EntrantCommand(APIView):
    """A command on one entrant."""

    guard_action = "tournaments.entrant_check_in"
    COMMANDS = {
        "check-in": services.entrant_check_in,
        "drop": services.entrant_drop,
        "reinstate": services.entrant_reinstate,
    }

    @extend_schema(operation_id="entrants_command", request=None, responses=ANY_JSON)
    def post(self, request: Request, event: UUID, entrant: UUID, command: str) -> Response:
        """Run the command."""
        run: Any = self.COMMANDS[command]
        return _answer(run(_context(request), event_id=str(event), entrant_id=str(entrant)))


class DeckInput(Body):
    """A deck list as .ydk, ydke or text."""

    content = serializers.CharField(max_length=MAX_BYTES, trim_whitespace=False, allow_blank=True)


class Deck(APIView):
    """The deck list of an entrant."""

    guard_action = "decks.list_submit"

    @extend_schema(operation_id="entrants_deck", request=DeckInput, responses=ANY_JSON)
    def post(self, request: Request, event: UUID, entrant: UUID) -> Response:
        """Hand in or replace the list; answer its version, counts and warnings."""
        given = _given(DeckInput, request)
        made = services.deck_submit(
            _context(request), event_id=str(event), entrant_id=str(entrant), **given
        )
        return _answer(made)


class PenaltyInput(Body):
    """A penalty: game_loss, match_loss or disqualification; `both` for the opponent too."""

    kind = serializers.CharField(max_length=20)
    match_id = serializers.UUIDField(required=False)
    both = serializers.BooleanField(required=False)
    rule = serializers.CharField(max_length=40, required=False)
    note = serializers.CharField(max_length=4000, required=False, allow_blank=True)


class Penalties(APIView):
    """Penalties that touch results."""

    guard_action = "tournaments.penalty_apply"

    @extend_schema(operation_id="entrants_penalty", request=PenaltyInput, responses=ANY_JSON)
    def post(self, request: Request, event: UUID, entrant: UUID) -> Response:
        """Apply a penalty; answer the state of the match."""
        given = _given(PenaltyInput, request)
        if "match_id" in given:
            given["match_id"] = str(given["match_id"])
        made = services.penalty_apply(
            _context(request), event_id=str(event), entrant_id=str(entrant), **given
        )
        return _answer(made)


class Rounds(APIView):
    """The rounds of an event."""

    guard_action = "tournaments.pairings_read"

    @extend_schema(operation_id="rounds_list", responses=ANY_JSON)
    def get(self, request: Request, event: UUID) -> Response:
        """Answer one page of rounds."""
        return _page(
            request,
            selectors.rounds_list(actor_of(request), str(event)),
            lambda row: {
                "number": row.number,
                "stage": row.stage,
                "published": row.published,
                "revision": row.revision,
                "proven": row.proven,
            },
            self,
        )


class PairRound(APIView):
    """Draft the next round."""

    guard_action = "tournaments.round_pair"

    @extend_schema(operation_id="rounds_pair", request=Seed, responses=ANY_JSON)
    def post(self, request: Request, event: UUID) -> Response:
        """Draft the next round, or draft it anew; answer its number."""
        given = _given(Seed, request)
        made = services.round_pair(_context(request), event_id=str(event), **given)
        return _answer(made, 201)


class RoundDetail(APIView):
    """One round."""

    guard_action = "tournaments.pairings_read"

    @extend_schema(operation_id="rounds_read", responses=ANY_JSON)
    def get(self, request: Request, event: UUID, number: int) -> Response:
        """Answer the tables of the round and the proof of its pairing."""
        return Response(
            shapes.round_view(selectors.pairings(actor_of(request), str(event), number))
        )


class PublishRound(APIView):
    """Publish a round."""

    guard_action = "tournaments.round_pair"

    @extend_schema(operation_id="rounds_publish", request=None, responses=ANY_JSON)
    def post(self, request: Request, event: UUID, number: int) -> Response:
        """Publish the draft; answer the number of matches opened."""
        return _answer(
            services.round_publish(_context(request), event_id=str(event), number=number)
        )


class Standings(APIView):
    """Standings after a round."""

    guard_action = "tournaments.standings_read"

    @extend_schema(
        operation_id="standings_read",
        responses=ANY_JSON,
        parameters=[OpenApiParameter("round", int), OpenApiParameter("revision", int)],
    )
    def get(self, request: Request, event: UUID) -> Response:
        """Answer one page of lines, best first, with the head of the standings beside them."""
        view = selectors.standings_after(
            actor_of(request), str(event), _number(request, "round"), _number(request, "revision")
        )
        answer = _page(request, shapes.standing_lines(view), dict, self)
        answer.data = shapes.standings(view) | answer.data
        return answer


class BracketView(APIView):
    """The cut."""

    guard_action = "tournaments.pairings_read"

    @extend_schema(operation_id="bracket_read", responses=ANY_JSON)
    def get(self, request: Request, event: UUID) -> Response:
        """Answer the bracket."""
        return Response(shapes.bracket(selectors.bracket(actor_of(request), str(event))))


class DeskView(APIView):
    """The desk."""

    guard_action = "tournaments.desk_use"

    @extend_schema(operation_id="desk_read", responses=ANY_JSON)
    def get(self, request: Request, event: UUID) -> Response:
        """Answer the open tables with their claims, and what to do next."""
        return Response(shapes.desk(selectors.desk(actor_of(request), str(event))))


class MyMatch(APIView):
    """The caller's match."""

    guard_action = "tournaments.event_read"

    @extend_schema(operation_id="my_match_read", responses=ANY_JSON)
    def get(self, request: Request, event: UUID) -> Response:
        """Answer the caller's match of the newest round, `match` null without one."""
        held = selectors.my_match(actor_of(request), str(event))
        return Response({"match": shapes.match(held) if held else None})


class MatchRead(APIView):
    """One match."""

    guard_action = "tournaments.match_read"

    @extend_schema(operation_id="matches_read", responses=ANY_JSON)
    def get(self, request: Request, match: UUID) -> Response:
        """Answer the match as its players and staff may see it."""
        return Response(shapes.match(selectors.match_detail(actor_of(request), str(match))))


class ResultInput(Body):
    """A result: score [P1 wins, P2 wins, draws], its reason, a winner where one is named."""

    score = serializers.ListField(
        child=serializers.IntegerField(min_value=0, max_value=99),
        min_length=3,
        max_length=3,
        required=False,
    )
    reason = serializers.CharField(max_length=20, required=False)
    winner = serializers.CharField(max_length=12, required=False)


class CorrectionInput(ResultInput):
    """A result in place of another, and why."""

    note = serializers.CharField(max_length=4000, required=False, allow_blank=True)


class Claims(APIView):
    """Reports of the players."""

    guard_action = "tournaments.result_claim"

    @extend_schema(operation_id="matches_claim", request=ResultInput, responses=ANY_JSON)
    def post(self, request: Request, match: UUID) -> Response:
        """Report the result; answer claimed, disputed or decided."""
        given = _given(ResultInput, request)
        return _answer(services.result_claim(_context(request), match_id=str(match), **given))


class Results(APIView):
    """Entry by staff."""

    guard_action = "tournaments.result_enter"

    @extend_schema(operation_id="matches_result", request=ResultInput, responses=ANY_JSON)
    def post(self, request: Request, match: UUID) -> Response:
        """Enter the result."""
        given = _given(ResultInput, request)
        return _answer(services.result_enter(_context(request), match_id=str(match), **given))


class Corrections(APIView):
    """Corrections by staff."""

    guard_action = "tournaments.result_enter"

    @extend_schema(operation_id="matches_correct", request=CorrectionInput, responses=ANY_JSON)
    def post(self, request: Request, match: UUID) -> Response:
        """Replace the result."""
        given = _given(CorrectionInput, request)
        return _answer(services.result_correct(_context(request), match_id=str(match), **given))


class CoinInput(Body):
    """Who won a coin tossed on the table; without it one is tossed here, by a seed that the
    caller cannot choose."""

    winner = serializers.CharField(max_length=2, required=False)


class Coin(APIView):
    """The coin of the next duel."""

    guard_action = "tournaments.match_play"

    @extend_schema(operation_id="matches_coin", request=CoinInput, responses=ANY_JSON)
    def post(self, request: Request, match: UUID) -> Response:
        """Toss; answer who won."""
        given = _given(CoinInput, request)
        return _answer(services.coin_toss(_context(request), match_id=str(match), **given))


class StarterInput(Body):
    """Who starts: P1 or P2; `by` is the seat whose choice staff enter."""

    first = serializers.CharField(max_length=2)
    by = serializers.CharField(max_length=2, required=False)


class Starter(APIView):
    """The choice of who starts."""

    guard_action = "tournaments.match_play"

    @extend_schema(operation_id="matches_starter", request=StarterInput, responses=ANY_JSON)
    def post(self, request: Request, match: UUID) -> Response:
        """Choose."""
        given = _given(StarterInput, request)
        return _answer(services.starter_choose(_context(request), match_id=str(match), **given))


class Duels(APIView):
    """The duels of a match."""

    guard_action = "tournaments.match_play"

    @extend_schema(operation_id="matches_duel_start", request=None, responses=ANY_JSON)
    def post(self, request: Request, match: UUID) -> Response:
        """Open the next duel; answer its id."""
        return _answer(services.duel_start(_context(request), match_id=str(match)), 201)


class DuelResult(APIView):
    """The result of the duel that is going on, read from its log."""

    guard_action = "tournaments.match_play"

    @extend_schema(operation_id="matches_duel_result", request=None, responses=ANY_JSON)
    def post(self, request: Request, match: UUID) -> Response:
        """Take the result; answer the state of the match."""
        return _answer(services.duel_result_take(_context(request), match_id=str(match)))


class SidesInput(Body):
    """Card keys that leave the Side Deck, and those that go into it."""

    into_main = serializers.ListField(child=serializers.CharField(max_length=40), max_length=60)
    out_of_main = serializers.ListField(child=serializers.CharField(max_length=40), max_length=60)
    into_extra = serializers.ListField(
        child=serializers.CharField(max_length=40), max_length=60, required=False
    )
    out_of_extra = serializers.ListField(
        child=serializers.CharField(max_length=40), max_length=60, required=False
    )


class Sides(APIView):
    """Exchange with the Side Deck."""

    guard_action = "tournaments.sides_exchange"

    @extend_schema(operation_id="matches_sides", request=SidesInput, responses=ANY_JSON)
    def post(self, request: Request, match: UUID) -> Response:
        """Exchange before the next duel."""
        given = _given(SidesInput, request)
        return _answer(services.sides_exchange(_context(request), match_id=str(match), **given))
