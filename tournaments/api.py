"""REST API of the tournaments.

Reads answer what the viewer may know; lists are paged. A command is a POST; the header
`Idempotency-Key` (a UUID) is its command id, so that the same request has one effect.
"""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict
from uuid import UUID

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from decks.domain.limits import MAX_BYTES
from decks.services import PaperState, Submitted
from people.domain.names import fold
from people.rest import (
    Body,
    Done,
    DoneId,
    DoneList,
    DoneNumber,
    Endpoint,
    PageQuery,
    Query,
    answer,
    context,
    given,
    only,
    operation,
    page,
)
from people.web import actor_of
from tournaments import answers as to
from tournaments import selectors, services, shapes
from tournaments.domain import event as states
from tournaments.domain import scores
from tournaments.services import Enrolled

EVENT_STATES = [
    states.DRAFT,
    states.OPEN,
    states.CLOSED,
    states.RUNNING,
    states.CUT,
    states.FINISHED,
    states.CANCELLED,
]
ENTRANT_STATES = [states.ENROLLED, states.CHECKED_IN, states.DROPPED, states.DISQUALIFIED]
STAGES = [states.SWISS_STAGE, states.CUT_STAGE]


EVENT_FILTERS = ("status", "game", "preset")


class EventQuery(PageQuery):
    """Which events."""

    status = serializers.ChoiceField(EVENT_STATES, required=False)
    game = serializers.CharField(max_length=20, required=False)
    preset = serializers.CharField(max_length=40, required=False)
    q = serializers.CharField(max_length=80, required=False, help_text="part of the name")


class EntrantQuery(PageQuery):
    """Which entrants."""

    status = serializers.ChoiceField(ENTRANT_STATES, required=False)
    late = serializers.BooleanField(required=False, allow_null=True, default=None)
    q = serializers.CharField(max_length=80, required=False, help_text="part of the name")


class RoundQuery(PageQuery):
    """Which rounds."""

    stage = serializers.ChoiceField(STAGES, required=False)
    published = serializers.BooleanField(required=False, allow_null=True, default=None)


class StandingsQuery(PageQuery):
    """After which round, in which of its frozen revisions, and whose lines."""

    round = serializers.IntegerField(min_value=0, max_value=9999, required=False)
    revision = serializers.IntegerField(min_value=0, max_value=9999, required=False)
    entrant = serializers.UUIDField(required=False)


class RoundTablesQuery(Query):
    """Which tables of a round."""

    state = serializers.CharField(max_length=10, required=False)
    entrant = serializers.UUIDField(required=False)


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
    decklists = serializers.CharField(max_length=12, required=False)
    decklists_at = serializers.CharField(max_length=27, required=False, allow_null=True)


class EventInput(EventChanges):
    """Settings of a new event; the id is the caller's, so that a retry is the same event."""

    event_id = serializers.UUIDField(required=False)
    name = serializers.CharField(max_length=200)


class EventList(Endpoint):
    """The events that the viewer may know of."""

    guard_action = "tournaments.event_read"

    @operation("events_list", answers=to.EventLine, query=EventQuery, pages=True)
    def get(self, request: Request) -> Response:
        """Answer one page of events, newest first."""
        rows = selectors.events_list(actor_of(request))
        exact = {key: self.asked[key] for key in EVENT_FILTERS if key in self.asked}
        rows = rows.filter(name__icontains=self.asked.get("q", ""), **exact)
        return page(self, request, rows, shapes.event)

    @operation("events_create", answers=DoneId, body=EventInput, status=201)
    def post(self, request: Request) -> Response:
        """Create an event; answer its id."""
        body = given(EventInput, request)
        sent = context(request)
        # the key of the request names the event where the body does not: a retry is the same one
        event_id = body.pop("event_id", None) or sent.command_id
        made = services.event_create(sent, event_id=event_id, **body)
        return answer(made, 201)


class EventDetail(Endpoint):
    """One event."""

    guard_action = "tournaments.event_read"

    @operation("events_read", answers=to.EventFull)
    def get(self, request: Request, event: UUID) -> Response:
        """Answer the event with its counts."""
        return Response(shapes.home(selectors.event_home(actor_of(request), str(event))))


class EventConfigure(Endpoint):
    """Change settings before the start."""

    guard_action = "tournaments.event_run"

    @operation("events_configure", answers=Done, body=EventChanges)
    def post(self, request: Request, event: UUID) -> Response:
        """Change the settings named in the body."""
        body = given(EventChanges, request)
        return answer(services.event_configure(context(request), event_id=str(event), changes=body))


class DoneStart(TypedDict):
    """The command was carried out; of `start`, `result` is the number of Swiss rounds."""

    done: bool
    result: NotRequired[int]


class EventCommand(Endpoint):
    """A command on the event that needs no more than its name."""

    guard_action = "tournaments.event_run"
    COMMANDS = {
        "registration-open": services.registration_open,
        "registration-close": services.registration_close,
        "start": services.event_start,
        "finish": services.event_finish,
        "cancel": services.event_cancel,
    }

    @operation("events_command", answers=DoneStart)
    def post(self, request: Request, event: UUID, command: str) -> Response:
        """Run the command."""
        run: Any = self.COMMANDS[command]
        return answer(run(context(request), event_id=str(event)))


class CutInput(Seed):
    """The size of the cut; without one, as the event was set."""

    size = serializers.IntegerField(min_value=0, max_value=9999, required=False)


class Cut(Endpoint):
    """Make the cut."""

    guard_action = "tournaments.event_run"

    @operation("events_cut", answers=DoneList, body=CutInput)
    def post(self, request: Request, event: UUID) -> Response:
        """Make the cut; answer its entrants in order."""
        body = given(CutInput, request)
        return answer(services.cut_make(context(request), event_id=str(event), **body))


class EnrolInput(Body):
    """Who is enrolled: a known person by id or Card Game ID, or a new one by name."""

    entrant_id = serializers.UUIDField(required=False)
    person_id = serializers.UUIDField(required=False)
    display_name = serializers.CharField(max_length=200, required=False, allow_blank=True)
    sort_name = serializers.CharField(max_length=200, required=False, allow_blank=True)
    card_game_id = serializers.CharField(max_length=40, required=False, allow_blank=True)
    language = serializers.ChoiceField(["en", "hu", "hr", "vi", "pl"], required=False)
    other_person = serializers.BooleanField(
        required=False, help_text="somebody of the same name is in the event; this is another"
    )


class Entrants(Endpoint):
    """The entrants of an event."""

    guard_action = "tournaments.event_read"

    @operation("entrants_list", answers=to.EntrantLine, query=EntrantQuery, pages=True)
    def get(self, request: Request, event: UUID) -> Response:
        """Answer one page of entrants in order of enrolment."""
        held = selectors.roster(actor_of(request), str(event))
        wanted = fold(self.asked.get("q", ""))
        kept = [one for one in held if wanted in fold(one.side.name)]
        sides = {id(one) for one in only([one.side for one in kept], self.asked, "status", "late")}
        kept = [one for one in kept if id(one.side) in sides]
        return page(self, request, kept, shapes.roster_line)

    @operation("entrants_enrol", answers=Enrolled, body=EnrolInput, status=201)
    def post(self, request: Request, event: UUID) -> Response:
        """Staff enrol a person, or put it on the waiting list; answer the ids."""
        body = given(EnrolInput, request)
        made = services.entrant_enrol(context(request), event_id=str(event), **body)
        return answer(made, 201)


class EnrolSelfInput(Body):
    """Which version of the privacy notice the caller accepts, where the event has one."""

    notice = serializers.CharField(max_length=20, required=False, allow_blank=True)


class EnrolSelf(Endpoint):
    """Enrol oneself."""

    guard_action = "tournaments.entrant_enrol_self"

    @operation("entrants_enrol_self", answers=Enrolled, body=EnrolSelfInput, status=201)
    def post(self, request: Request, event: UUID) -> Response:
        """Enrol the caller, or put it on the waiting list; answer the ids."""
        body = given(EnrolSelfInput, request)
        made = services.entrant_enrol_self(context(request), event_id=str(event), **body)
        return answer(made, 201)


class EntrantCommand(Endpoint):
    """A command on one entrant."""

    guard_action = "tournaments.entrant_check_in"
    COMMANDS = {
        "check-in": services.entrant_check_in,
        "drop": services.entrant_drop,
        "reinstate": services.entrant_reinstate,
    }

    @operation("entrants_command", answers=Done)
    def post(self, request: Request, event: UUID, entrant: UUID, command: str) -> Response:
        """Run the command."""
        run: Any = self.COMMANDS[command]
        return answer(run(context(request), event_id=str(event), entrant_id=str(entrant)))


class DeckInput(Body):
    """A deck list as .ydk, ydke or text."""

    content = serializers.CharField(max_length=MAX_BYTES, trim_whitespace=False, allow_blank=True)


class Deck(Endpoint):
    """The deck list of an entrant."""

    guard_action = "decks.list_submit"

    @operation("entrants_deck", answers=Submitted, body=DeckInput)
    def post(self, request: Request, event: UUID, entrant: UUID) -> Response:
        """Hand in or replace the list; answer its version, counts and warnings."""
        body = given(DeckInput, request)
        made = services.deck_submit(
            context(request), event_id=str(event), entrant_id=str(entrant), **body
        )
        return answer(made)


class HandIns(Endpoint):
    """How far the lists of an event are."""

    guard_action = "decks.list_read"

    @operation("lists_hand_ins", answers=to.HandInLine, query=PageQuery, pages=True)
    def get(self, request: Request, event: UUID) -> Response:
        """Answer one page of entrants with the states of their lists."""
        return page(
            self, request, selectors.hand_ins(actor_of(request), str(event)), shapes.hand_in
        )


class Paper(Endpoint):
    """The list of an entrant on paper."""

    guard_action = "decks.paper_handle"

    @operation("lists_paper_receive", answers=PaperState)
    def post(self, request: Request, event: UUID, entrant: UUID) -> Response:
        """Receive a list on paper: it counts as handed in now."""
        made = services.paper_receive(
            context(request), event_id=str(event), entrant_id=str(entrant)
        )
        return answer(made)


class PaperReturn(Endpoint):
    """A mark that was a mistake."""

    guard_action = "decks.paper_handle"

    @operation("lists_paper_return", answers=PaperState)
    def post(self, request: Request, event: UUID, entrant: UUID) -> Response:
        """Take the mark back that was a mistake."""
        made = services.paper_return(context(request), event_id=str(event), entrant_id=str(entrant))
        return answer(made)


class PaperEntry(Endpoint):
    """What stands on the paper."""

    guard_action = "decks.paper_handle"

    @operation("lists_paper_enter", answers=PaperState, body=DeckInput)
    def post(self, request: Request, event: UUID, entrant: UUID) -> Response:
        """Type a paper list in; an illegal one is kept with its errors."""
        made = services.paper_enter(
            context(request),
            event_id=str(event),
            entrant_id=str(entrant),
            **given(DeckInput, request),
        )
        return answer(made)


class ListCheckInput(Body):
    """The version that was checked."""

    number = serializers.IntegerField(min_value=1, max_value=999_999)


class ListChecked(Endpoint):
    """The check of a list."""

    guard_action = "decks.paper_handle"

    @operation("lists_confirm", answers=PaperState, body=ListCheckInput)
    def post(self, request: Request, event: UUID, entrant: UUID) -> Response:
        """Mark a version as checked."""
        made = services.list_confirm(
            context(request),
            event_id=str(event),
            entrant_id=str(entrant),
            **given(ListCheckInput, request),
        )
        return answer(made)


class OpenLists(Endpoint):
    """The lists of an event that are published."""

    guard_action = "tournaments.open_list_read"

    @operation("lists_open", answers=to.EntrantSide, query=PageQuery, pages=True)
    def get(self, request: Request, event: UUID) -> Response:
        """Answer whose lists are everybody's now; 404 before that."""
        return page(self, request, selectors.open_lists(actor_of(request), str(event)), shapes.some)


class OneOpenList(Endpoint):
    """A published list."""

    guard_action = "tournaments.open_list_read"

    @operation("lists_open_read", answers=to.OpenListFull)
    def get(self, request: Request, event: UUID, entrant: UUID) -> Response:
        """Answer the list; 404 for one that is not everybody's now."""
        held = selectors.open_list(actor_of(request), str(event), str(entrant))
        return Response(shapes.open_list(held))


class OpponentList(Endpoint):
    """The list of the caller's opponent."""

    guard_action = "tournaments.match_read"

    @operation("lists_opponent", answers=to.OpponentList)
    def get(self, request: Request, event: UUID) -> Response:
        """Answer the registered list while the match lasts; 404 where lists are closed."""
        held = selectors.opponent_list(actor_of(request), str(event))
        return Response({"list": None if held is None else shapes.open_list(held)})


class PenaltyInput(Body):
    """A penalty: game_loss, match_loss or disqualification; `both` for the opponent too."""

    kind = serializers.CharField(max_length=20)
    match_id = serializers.UUIDField(required=False)
    both = serializers.BooleanField(required=False)
    rule = serializers.CharField(max_length=40, required=False)
    note = serializers.CharField(max_length=4000, required=False, allow_blank=True)


class Penalties(Endpoint):
    """Penalties that touch results."""

    guard_action = "tournaments.penalty_apply"

    @operation("entrants_penalty", answers=DoneId, body=PenaltyInput)
    def post(self, request: Request, event: UUID, entrant: UUID) -> Response:
        """Apply a penalty; answer the state of the match."""
        body = given(PenaltyInput, request)
        made = services.penalty_apply(
            context(request), event_id=str(event), entrant_id=str(entrant), **body
        )
        return answer(made)


class Rounds(Endpoint):
    """The rounds of an event."""

    guard_action = "tournaments.pairings_read"

    @operation("rounds_list", answers=to.RoundLine, query=RoundQuery, pages=True)
    def get(self, request: Request, event: UUID) -> Response:
        """Answer one page of rounds."""
        held = selectors.rounds_list(actor_of(request), str(event))
        kept = only(held, self.asked, "stage", "published")
        return page(self, request, kept, shapes.round_line)


class PairRound(Endpoint):
    """Draft the next round."""

    guard_action = "tournaments.round_pair"

    @operation("rounds_pair", answers=DoneNumber, body=Seed, status=201)
    def post(self, request: Request, event: UUID) -> Response:
        """Draft the next round, or draft it anew; answer its number."""
        body = given(Seed, request)
        made = services.round_pair(context(request), event_id=str(event), **body)
        return answer(made, 201)


class RoundDetail(Endpoint):
    """One round."""

    guard_action = "tournaments.pairings_read"

    @operation("rounds_read", answers=to.RoundFull, query=RoundTablesQuery)
    def get(self, request: Request, event: UUID, number: int) -> Response:
        """Answer the tables of the round and the proof of its pairing."""
        shown = shapes.round_view(selectors.pairings(actor_of(request), str(event), number))
        state, entrant = self.asked.get("state"), self.asked.get("entrant")
        shown["tables"] = [
            one
            for one in shown["tables"]
            if state in (None, one["state"])
            and entrant in (None, one["p1"]["entrant_id"], one["p2"]["entrant_id"])
        ]
        return Response(shown)


class PublishRound(Endpoint):
    """Publish a round."""

    guard_action = "tournaments.round_pair"

    @operation("rounds_publish", answers=DoneNumber)
    def post(self, request: Request, event: UUID, number: int) -> Response:
        """Publish the draft; answer the number of matches opened."""
        return answer(services.round_publish(context(request), event_id=str(event), number=number))


class Standings(Endpoint):
    """Standings after a round."""

    guard_action = "tournaments.standings_read"

    @operation(
        "standings_read",
        answers=to.StandingLineFull,
        head=to.StandingsHead,
        query=StandingsQuery,
        pages=True,
    )
    def get(self, request: Request, event: UUID) -> Response:
        """Answer one page of lines, best first, with the head of the standings beside them."""
        asked = self.asked
        view = selectors.standings_after(
            actor_of(request), str(event), asked.get("round"), asked.get("revision")
        )
        lines = shapes.standing_lines(view)
        if "entrant" in asked:
            lines = [one for one in lines if one["entrant"]["entrant_id"] == asked["entrant"]]
        found = page(self, request, lines)
        found.data = shapes.standings(view) | found.data
        return found


class BracketView(Endpoint):
    """The cut."""

    guard_action = "tournaments.pairings_read"

    @operation("bracket_read", answers=to.BracketFull)
    def get(self, request: Request, event: UUID) -> Response:
        """Answer the bracket."""
        return Response(shapes.bracket(selectors.bracket(actor_of(request), str(event))))


class DeskView(Endpoint):
    """The desk."""

    guard_action = "tournaments.desk_use"

    @operation("desk_read", answers=to.DeskFull)
    def get(self, request: Request, event: UUID) -> Response:
        """Answer the open tables with their claims, and what to do next."""
        return Response(shapes.desk(selectors.desk(actor_of(request), str(event))))


class MyMatch(Endpoint):
    """The caller's match."""

    guard_action = "tournaments.event_read"

    @operation("my_match_read", answers=to.MyMatch)
    def get(self, request: Request, event: UUID) -> Response:
        """Answer the caller's match of the newest round, `match` null without one."""
        held = selectors.my_match(actor_of(request), str(event))
        return Response({"match": shapes.match(held) if held else None})


class MatchRead(Endpoint):
    """One match."""

    guard_action = "tournaments.match_read"

    @operation("matches_read", answers=to.MatchFull)
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


class Claims(Endpoint):
    """Reports of the players."""

    guard_action = "tournaments.result_claim"

    @operation("matches_claim", answers=DoneId, body=ResultInput)
    def post(self, request: Request, match: UUID) -> Response:
        """Report the result; answer claimed, disputed or decided."""
        body = given(ResultInput, request)
        return answer(services.result_claim(context(request), match_id=str(match), **body))


class Results(Endpoint):
    """Entry by staff."""

    guard_action = "tournaments.result_enter"

    @operation("matches_result", answers=Done, body=ResultInput)
    def post(self, request: Request, match: UUID) -> Response:
        """Enter the result."""
        body = given(ResultInput, request)
        return answer(services.result_enter(context(request), match_id=str(match), **body))


class Corrections(Endpoint):
    """Corrections by staff."""

    guard_action = "tournaments.result_enter"

    @operation("matches_correct", answers=Done, body=CorrectionInput)
    def post(self, request: Request, match: UUID) -> Response:
        """Replace the result."""
        body = given(CorrectionInput, request)
        return answer(services.result_correct(context(request), match_id=str(match), **body))


class CoinInput(Body):
    """Who won a coin tossed on the table; without it one is tossed here, by a seed that the
    caller cannot choose."""

    winner = serializers.CharField(max_length=2, required=False)


class Coin(Endpoint):
    """The coin of the next duel."""

    guard_action = "tournaments.match_play"

    @operation("matches_coin", answers=DoneId, body=CoinInput)
    def post(self, request: Request, match: UUID) -> Response:
        """Toss; answer who won."""
        body = given(CoinInput, request)
        return answer(services.coin_toss(context(request), match_id=str(match), **body))


class StarterInput(Body):
    """Who starts: P1 or P2; `by` is the seat whose choice staff enter."""

    first = serializers.CharField(max_length=2)
    by = serializers.CharField(max_length=2, required=False)


class Starter(Endpoint):
    """The choice of who starts."""

    guard_action = "tournaments.match_play"

    @operation("matches_starter", answers=Done, body=StarterInput)
    def post(self, request: Request, match: UUID) -> Response:
        """Choose."""
        body = given(StarterInput, request)
        return answer(services.starter_choose(context(request), match_id=str(match), **body))


class Duels(Endpoint):
    """The duels of a match."""

    guard_action = "tournaments.match_play"

    @operation("matches_duel_start", answers=DoneId, status=201)
    def post(self, request: Request, match: UUID) -> Response:
        """Open the next duel; answer its id."""
        return answer(services.duel_start(context(request), match_id=str(match)), 201)


class DuelResult(Endpoint):
    """The result of the duel that is going on, read from its log."""

    guard_action = "tournaments.match_play"

    @operation("matches_duel_result", answers=DoneId)
    def post(self, request: Request, match: UUID) -> Response:
        """Take the result; answer the state of the match."""
        return answer(services.duel_result_take(context(request), match_id=str(match)))


class RecordInput(Body):
    """Who begins, where the log of the match does not say so yet."""

    first = serializers.ChoiceField(list(scores.SEATS), required=False)


class Record(Endpoint):
    """The record of a duel on paper."""

    guard_action = "duels.duel_write_down"

    @operation("matches_record_open", answers=DoneId, body=RecordInput, status=201)
    def post(self, request: Request, match: UUID) -> Response:
        """Open the record of the next duel; answer its id."""
        values = given(RecordInput, request)
        made = services.duel_record_open(context(request), match_id=str(match), **values)
        return answer(made, 201)


class RecordResult(Endpoint):
    """The result of the duel that was recorded on paper."""

    guard_action = "duels.duel_record"

    @operation("matches_record_take", answers=DoneId)
    def post(self, request: Request, match: UUID) -> Response:
        """Take the result from the record; answer the state of the match."""
        taken = services.duel_record_take(context(request), match_id=str(match))
        return answer(taken)


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


class Sides(Endpoint):
    """Exchange with the Side Deck."""

    guard_action = "tournaments.sides_exchange"

    @operation("matches_sides", answers=Done, body=SidesInput)
    def post(self, request: Request, match: UUID) -> Response:
        """Exchange before the next duel."""
        body = given(SidesInput, request)
        return answer(services.sides_exchange(context(request), match_id=str(match), **body))
