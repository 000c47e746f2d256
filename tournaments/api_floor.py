"""REST API of a round as it is played: slips, conflicts, time of a table, end of match, losses."""

from __future__ import annotations

from typing import Any, TypedDict
from uuid import UUID

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from people.rest import (
    Body,
    Done,
    DoneNumber,
    Endpoint,
    answer,
    context,
    given,
    operation,
)
from people.web import actor_of
from tournaments import answers as to
from tournaments import selectors, services, shapes
from tournaments.domain.slip import MOST_SIGNS
from tournaments.domain.table_time import MOST_EXTENSION_S
from tournaments.selectors.slips import Conflict, Said
from tournaments.services import EndStep, Entered


class SlipInput(Body):
    """One line of a slip, `47 2-1 d2` (docs/tournaments.md), for a table of a round."""

    round = serializers.IntegerField(min_value=1, max_value=999)
    line = serializers.CharField(max_length=MOST_SIGNS)


class Slips(Endpoint):
    """Slips of an event."""

    guard_action = "tournaments.result_enter"

    @operation("slips_enter", answers=Entered, body=SlipInput)
    def post(self, request: Request, event: UUID) -> Response:
        """Enter a line; `word` says whether it counts, was in already, or differs from what is."""
        values = given(SlipInput, request)
        return answer(
            services.slip_enter(
                context(request),
                event_id=str(event),
                number=values["round"],
                line=values["line"],
            )
        )


class SaidFull(TypedDict):
    """A statement about a result: its author's name, when, which. `index` names it in a choice."""

    author: str
    at: str
    winner: str
    score: list[int]
    reason: str
    drops: list[str]
    by_player: bool
    index: int


class ConflictFull(TypedDict):
    """A table whose result is contested: the one that stands and what was said against it."""

    table: to.TableLine
    standing: SaidFull
    against: list[SaidFull]


class ConflictList(TypedDict):
    """All of an event."""

    conflicts: list[ConflictFull]


def _said(one: Said) -> SaidFull:
    return {
        "author": one.author,
        "at": one.at,
        "winner": one.winner,
        "score": list(one.score),
        "reason": one.reason,
        "drops": list(one.drops),
        "by_player": one.by_player,
        "index": one.index,
    }


def _conflict(one: Conflict) -> ConflictFull:
    return {
        "table": shapes.table(one.line),
        "standing": _said(one.standing),
        "against": [_said(held) for held in one.against],
    }


class Conflicts(Endpoint):
    """Tables with results that differ."""

    guard_action = "tournaments.desk_use"

    @operation("conflicts_read", answers=ConflictList)
    def get(self, request: Request, event: UUID) -> Response:
        """Answer the tables whose result is contested, with authors and moments."""
        found = selectors.conflicts(actor_of(request), str(event))
        return Response({"conflicts": [_conflict(one) for one in found]})


class ChoiceInput(Body):
    """`choice` left out keeps the result; a number takes that statement in its place, for which
    `note` says why. `drops` are the seats that leave the event with it."""

    choice = serializers.IntegerField(min_value=0, max_value=99, required=False)
    drops = serializers.ListField(
        child=serializers.ChoiceField(["P1", "P2"]), max_length=2, required=False
    )
    note = serializers.CharField(max_length=4000, required=False, allow_blank=True)


class Settle(Endpoint):
    """The conflict of one table."""

    guard_action = "tournaments.result_enter"

    @operation("matches_settle", answers=Done, body=ChoiceInput)
    def post(self, request: Request, match: UUID) -> Response:
        """Choose between the result and what was said against it."""
        values = given(ChoiceInput, request)
        return answer(services.conflict_settle(context(request), match_id=str(match), **values))


class TakeBack(Endpoint):
    """An entry of staff."""

    guard_action = "tournaments.result_enter"

    @operation("matches_take_back", answers=Done)
    def post(self, request: Request, match: UUID) -> Response:
        """Take a result back that staff entered in the round that is on."""
        return answer(services.result_take_back(context(request), match_id=str(match)))


class NoteInput(Body):
    """Why."""

    note = serializers.CharField(max_length=4000, required=False, allow_blank=True)


class SlipMissing(Endpoint):
    """A table that brought nothing."""

    guard_action = "tournaments.result_enter"

    @operation("matches_slip_missing", answers=Done, body=NoteInput)
    def post(self, request: Request, match: UUID) -> Response:
        """Give the table what the ruleset says of a missing slip."""
        note = given(NoteInput, request).get("note", "")
        return answer(services.slip_missing_apply(context(request), match_id=str(match), note=note))


class ExtensionInput(NoteInput):
    """More time for one table."""

    seconds = serializers.IntegerField(min_value=0, max_value=MOST_EXTENSION_S)


class Extension(Endpoint):
    """The time of one table."""

    guard_action = "tournaments.time_extend"

    @operation("matches_extend", answers=DoneNumber, body=ExtensionInput)
    def post(self, request: Request, match: UUID) -> Response:
        """Give the table more time; answer the seconds it has beyond the round."""
        values = given(ExtensionInput, request)
        return answer(services.time_extend(context(request), match_id=str(match), **values))


class AnswerInput(Body):
    """The answer to the question that is next."""

    question = serializers.CharField(max_length=40)
    answer = serializers.CharField(max_length=40)


class EndStart(Endpoint):
    """The end of a match after time was called."""

    guard_action = "tournaments.end_of_match"

    @operation("matches_end_start", answers=EndStep)
    def post(self, request: Request, match: UUID) -> Response:
        """Begin it at the table's own end; answer the first question."""
        return answer(services.end_start(context(request), match_id=str(match)))


class EndAnswer(Endpoint):
    """A question of the end of a match."""

    guard_action = "tournaments.end_of_match"

    @operation("matches_end_answer", answers=EndStep, body=AnswerInput)
    def post(self, request: Request, match: UUID) -> Response:
        """Answer the question; answer the next one, or the result."""
        values = given(AnswerInput, request)
        return answer(services.end_answer(context(request), match_id=str(match), **values))


class EndBack(Endpoint):
    """The last answer."""

    guard_action = "tournaments.end_of_match"

    @operation("matches_end_back", answers=EndStep)
    def post(self, request: Request, match: UUID) -> Response:
        """Take the last answer back."""
        return answer(services.end_back(context(request), match_id=str(match)))


class EndConfirm(Endpoint):
    """The result of the answers."""

    guard_action = "tournaments.end_of_match"

    @operation("matches_end_confirm", answers=EndStep)
    def post(self, request: Request, match: UUID) -> Response:
        """Make it the result of the match."""
        return answer(services.end_confirm(context(request), match_id=str(match)))


class RulesetInput(Body):
    """A ruleset of the end of a match, `id@version`."""

    ruleset = serializers.CharField(max_length=60)


class Ruleset(Endpoint):
    """How matches of an event end when time is called."""

    guard_action = "tournaments.event_run"

    @operation("events_ruleset", answers=Done, body=RulesetInput)
    def post(self, request: Request, event: UUID) -> Response:
        """Choose it, from now on."""
        values = given(RulesetInput, request)
        return answer(services.ruleset_choose(context(request), event_id=str(event), **values))


class LossFull(TypedDict):
    """A loss given for a next match. `state` pending, carried_out (in round `carried_round`) or
    taken_back."""

    id: str
    entrant: to.EntrantSide
    kind: str
    infraction: str
    infraction_kind: str
    round: int
    at: str
    state: str
    carried_round: int


class LossList(TypedDict):
    """All that the caller may know of."""

    losses: list[LossFull]


class Losses(Endpoint):
    """Losses given for next matches."""

    guard_action = "tournaments.loss_read"

    @operation("losses_read", answers=LossList)
    def get(self, request: Request, event: UUID) -> Response:
        """Answer those of all for staff, the own ones for a player."""
        found: list[dict[str, Any]] = [
            {
                "id": one.row.pk,
                "entrant": shapes.some(one.side),
                "kind": one.row.kind,
                "infraction": one.row.infraction,
                "infraction_kind": one.row.infraction_kind,
                "round": one.row.round,
                "at": one.row.at,
                "state": one.row.state,
                "carried_round": one.row.carried_round,
            }
            for one in selectors.losses(actor_of(request), str(event))
        ]
        return Response({"losses": found})


class LossTakeBack(Endpoint):
    """A loss that waits."""

    guard_action = "tournaments.penalty_apply"

    @operation("losses_take_back", answers=Done, body=NoteInput)
    def post(self, request: Request, event: UUID, loss: UUID) -> Response:
        """Take it back; `note` says why."""
        note = given(NoteInput, request).get("note", "")
        return answer(
            services.loss_take_back(
                context(request), event_id=str(event), loss_id=str(loss), note=note
            )
        )
