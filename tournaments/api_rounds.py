"""REST API of undoing, the policy, seats of the cut, tardiness and brackets from names."""

from __future__ import annotations

from typing import TypedDict
from uuid import UUID

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from people.rest import (
    Body,
    Done,
    DoneId,
    DoneNumber,
    Endpoint,
    PageQuery,
    Query,
    answer,
    context,
    given,
    operation,
    page,
)
from people.web import actor_of
from tournaments import answers_rounds as to
from tournaments import selectors, services
from tournaments.selectors.undoing import ACTS, RESULT


class WhyInput(Body):
    """Why something is taken back; kept sealed, for staff."""

    note = serializers.CharField(max_length=4000)


class PreviewQuery(Query):
    """Which act: `result` with match, score, reason, winner; `round` with number; `reinstate` and
    `drop` with entrant; `cut`; `reopen`."""

    act = serializers.ChoiceField(list(ACTS))
    match = serializers.UUIDField(required=False)
    score = serializers.RegexField(r"^\d{1,2}-\d{1,2}(-\d{1,2})?$", required=False)
    reason = serializers.CharField(max_length=20, required=False)
    winner = serializers.CharField(max_length=12, required=False)
    number = serializers.IntegerField(min_value=0, max_value=9999, required=False)
    entrant = serializers.UUIDField(required=False)


class UndoPreviewView(Endpoint):
    """What an act of undoing would change."""

    guard_action = "tournaments.desk_use"

    @operation("undo_preview", answers=to.UndoPreview, query=PreviewQuery)
    def get(self, request: Request, event: UUID) -> Response:
        """Answer the ranks, the cut, the byes and the pairings that would move."""
        asked = self.asked
        act = asked["act"]
        values: dict[str, object] = {
            "number": asked.get("number", 0),
            "entrant_id": asked.get("entrant", ""),
        }
        if act == RESULT:
            parts = [int(one) for one in asked["score"].split("-")] if "score" in asked else None
            values = {
                "match_id": asked.get("match", ""),
                "score": [*parts, 0][:3] if parts is not None else None,
                "reason": asked.get("reason", "played"),
                "winner": asked.get("winner"),
            }
        made = selectors.undo_preview(actor_of(request), str(event), act, **values)
        return Response(to.preview(made))


class RoundDelete(Endpoint):
    """Take the newest round back with its results."""

    guard_action = "tournaments.event_run"

    @operation("rounds_delete", answers=DoneNumber, body=WhyInput)
    def post(self, request: Request, event: UUID, number: int) -> Response:
        """Delete the round; answer how many matches it had."""
        body = given(WhyInput, request)
        made = services.round_delete(context(request), event_id=str(event), number=number, **body)
        return answer(made)


class RoundWithdraw(Endpoint):
    """Take the newest round back while no table has started."""

    guard_action = "tournaments.event_run"

    @operation("rounds_withdraw", answers=DoneNumber)
    def post(self, request: Request, event: UUID, number: int) -> Response:
        """Withdraw the round; answer its number."""
        return answer(services.round_withdraw(context(request), event_id=str(event), number=number))


class CutRestart(Endpoint):
    """Take the cut back with all its rounds."""

    guard_action = "tournaments.event_run"

    @operation("events_cut_restart", answers=DoneNumber, body=WhyInput)
    def post(self, request: Request, event: UUID) -> Response:
        """Restart the cut; answer how many matches its rounds had."""
        body = given(WhyInput, request)
        return answer(services.cut_restart(context(request), event_id=str(event), **body))


class EventReopen(Endpoint):
    """Let a finished event go on."""

    guard_action = "tournaments.event_run"

    @operation("events_reopen", answers=Done, body=WhyInput)
    def post(self, request: Request, event: UUID) -> Response:
        """Reopen the event where it stood."""
        body = given(WhyInput, request)
        return answer(services.event_reopen(context(request), event_id=str(event), **body))


class EventFinishEarly(Endpoint):
    """End an event before all of it is played."""

    guard_action = "tournaments.event_run"

    @operation("events_finish_early", answers=Done, body=WhyInput)
    def post(self, request: Request, event: UUID) -> Response:
        """Finish the event with the standings as they are."""
        body = given(WhyInput, request)
        made = services.event_finish(context(request), event_id=str(event), early=True, **body)
        return answer(made)


class PolicyInput(Body):
    """A version of the policy, by its id."""

    policy = serializers.CharField(max_length=40)


class EventPolicy(Endpoint):
    """The policy an event goes by."""

    guard_action = "tournaments.event_read"

    @operation("events_policy", answers=to.EventPolicyFull)
    def get(self, request: Request, event: UUID) -> Response:
        """Answer the version, its table and times, and what late entries changed."""
        return Response(to.policy(selectors.event_rules(actor_of(request), str(event))))

    @operation("events_policy_choose", answers=Done, body=PolicyInput)
    def post(self, request: Request, event: UUID) -> Response:
        """Choose the version, before the start."""
        body = given(PolicyInput, request)
        return answer(services.policy_choose(context(request), event_id=str(event), **body))


class DoneSeat(TypedDict):
    """The command was carried out; `result` is who came into the cut, null before it is made."""

    done: bool
    result: str | None


class SeatInput(Body):
    """Whether the entrant takes its seat in the cut after all; without it: declines."""

    take = serializers.BooleanField(required=False)


class CutSeat(Endpoint):
    """A seat of the cut."""

    guard_action = "tournaments.event_run"

    @operation("entrants_seat", answers=DoneSeat, body=SeatInput)
    def post(self, request: Request, event: UUID, entrant: UUID) -> Response:
        """Decline or take the seat; answer who came in."""
        body = given(SeatInput, request)
        service = services.seat_take if body.get("take") else services.seat_decline
        made = service(context(request), event_id=str(event), entrant_id=str(entrant))
        return Response({"done": True, "result": made})


class Tardy(Endpoint):
    """The timers of the newest round."""

    guard_action = "tournaments.tardiness_mark"

    @operation("tardy_read", answers=to.TardyFull)
    def get(self, request: Request, event: UUID) -> Response:
        """Answer the open tables, those with an empty seat first."""
        return Response(to.tardy(selectors.tardy_tables(actor_of(request), str(event))))


class TardyInput(Body):
    """What to do about a seat: miss, arrive, or confirm a game_loss or match_loss (`kind`), with
    `drop` for who lost the match so."""

    act = serializers.ChoiceField(["miss", "arrive", "confirm"])
    seat = serializers.CharField(max_length=2)
    kind = serializers.CharField(max_length=20, required=False)
    drop = serializers.BooleanField(required=False)


class MatchTardy(Endpoint):
    """A player who is not at the table."""

    guard_action = "tournaments.tardiness_mark"

    @operation("matches_tardy", answers=DoneId, body=TardyInput)
    def post(self, request: Request, match: UUID) -> Response:
        """Mark the seat, take the mark away, or confirm the loss; answer the state of the match
        after a loss, else an empty word."""
        body = given(TardyInput, request)
        act, seat = body.pop("act"), {"match_id": str(match), "seat": body.pop("seat")}
        word = ""
        if act == "confirm":
            values = {"kind": ""} | body
            word = services.tardiness_confirm(context(request), **seat, **values)
        else:
            service = services.player_miss if act == "miss" else services.player_arrive
            service(context(request), **seat)
        return Response({"done": True, "result": word})


class Elsewhere(Endpoint):
    """Who is live in another event as well."""

    guard_action = "tournaments.desk_use"

    @operation("elsewhere_list", answers=to.ElsewhereLine, query=PageQuery, pages=True)
    def get(self, request: Request, event: UUID) -> Response:
        """Answer one page of entrants with the other event."""
        held = selectors.live_elsewhere(actor_of(request), str(event))
        return page(self, request, held, _elsewhere)


def _elsewhere(one: selectors.Elsewhere) -> to.ElsewhereLine:
    return {
        "entrant_id": one.entrant_id,
        "person_id": one.person_id,
        "event_id": one.event_id,
        "event_name": one.event_name,
    }


class PodInput(Body):
    """A bracket from names; the id is the caller's, so that a retry is the same event."""

    event_id = serializers.UUIDField(required=False)
    name = serializers.CharField(max_length=200)
    names = serializers.ListField(
        child=serializers.CharField(max_length=200), min_length=1, max_length=64
    )
    zone = serializers.CharField(max_length=60, required=False)
    match_rules = serializers.CharField(max_length=30, required=False)
    seed = serializers.IntegerField(min_value=0, max_value=2**53 - 1, required=False)


class DonePod(TypedDict):
    """The event was made; `matches` of its first round are open."""

    event_id: str
    matches: int


class Pods(Endpoint):
    """Brackets from names."""

    guard_action = "tournaments.event_create"

    @operation("pods_create", answers=DonePod, body=PodInput, status=201)
    def post(self, request: Request) -> Response:
        """Make an event of the names and publish its bracket; answer its id."""
        body = given(PodInput, request)
        sent = context(request)
        event_id = body.pop("event_id", None) or sent.command_id
        made = services.pod_create(sent, event_id=event_id, **body)
        return Response({"event_id": event_id, "matches": made}, 201)
