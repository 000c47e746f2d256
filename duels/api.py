"""REST API of duels: a duel for a perspective, its log, its ledger, acts and statements.

Reads answer what the viewer may know. A command is a POST; the header `Idempotency-Key` (a
UUID) is its command id, so that a repeated tap has one effect.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any
from uuid import UUID

import msgspec
from django.http import QueryDict
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from duels import selectors, services
from duels.wording import line_text
from eventstore.domain import canonical
from people.web import actor_of, command_context

ANY_JSON = OpenApiTypes.OBJECT
Body = serializers.Serializer[Any]
MAX_TEXT = 2000
AS = OpenApiParameter("as", str, description="public, p1, p2 or judge")
AT = OpenApiParameter("at", int, description="event to look at; the newest when left out")
SEATS = ["P1", "P2"]


class ActBody(Body):
    """An act of a seat: its plain form, and the version of the log that the person saw."""

    player = serializers.ChoiceField(choices=SEATS)
    act = serializers.DictField()
    expected = serializers.IntegerField(min_value=0, required=False, allow_null=True)


class StatementBody(Body):
    """A statement of a seat; `reason` of a dispute is free text."""

    player = serializers.ChoiceField(choices=SEATS)
    statement = serializers.DictField()
    reason = serializers.CharField(required=False, allow_blank=True, max_length=MAX_TEXT)


def _perspective(query: QueryDict) -> str:
    return query.get("as", "public")


def _at(query: QueryDict) -> int | None:
    given = query.get("at", "")
    if not given:
        return None
    if not (given.isascii() and given.isdigit() and len(given) <= 9):
        raise serializers.ValidationError({"at": ["not a number"]})
    return int(given)


class DuelDetail(APIView):
    """A duel at an event."""

    guard_action = "duels.duel_read"

    @extend_schema(operation_id="duel", parameters=[AS, AT], responses=ANY_JSON)
    def get(self, request: Request, duel: UUID) -> Response:
        """Answer the table for the perspective."""
        query = request.query_params
        shown = selectors.duel_view(actor_of(request), str(duel), _at(query), _perspective(query))
        return Response(asdict(shown))


class DuelLog(APIView):
    """The log of a duel."""

    guard_action = "duels.duel_read"

    @extend_schema(operation_id="duel_log", parameters=[AS], responses=ANY_JSON)
    def get(self, request: Request, duel: UUID) -> Response:
        """Answer every line, masked for the perspective, with its sentence."""
        perspective = _perspective(request.query_params)
        lines = selectors.duel_log(actor_of(request), str(duel), perspective)
        seats = {seat: seat for seat in SEATS}
        return Response(
            [asdict(one) | {"text": line_text(one.code, one.params, seats)} for one in lines]
        )


class DuelLedger(APIView):
    """The Life Point ledger of a duel."""

    guard_action = "duels.duel_read"

    @extend_schema(operation_id="duel_ledger", responses=ANY_JSON)
    def get(self, request: Request, duel: UUID) -> Response:
        """Answer derived Life Points beside both pads."""
        return Response(asdict(selectors.lp_ledger(actor_of(request), str(duel))))


class DuelActs(APIView):
    """Acts of a duel."""

    guard_action = "duels.duel_act"

    @extend_schema(
        operation_id="duel_acts",
        parameters=[OpenApiParameter("player", str, description="P1 or P2")],
        responses=ANY_JSON,
    )
    def get(self, request: Request, duel: UUID) -> Response:
        """Answer the lawful acts of a seat, to its own player."""
        player = request.query_params.get("player", "")
        return Response(selectors.acts_open(actor_of(request), str(duel), player))

    @extend_schema(operation_id="duel_act", request=ActBody, responses=ANY_JSON)
    def post(self, request: Request, duel: UUID) -> Response:
        """Carry an act out; answer {version, events, winner, by}."""
        given = ActBody(data=request.data)
        given.is_valid(raise_exception=True)
        acted = services.act(
            command_context(request, "player"), duel_id=str(duel), **given.validated_data
        )
        return Response(msgspec.to_builtins(acted), status=201)


class DuelStatements(APIView):
    """Statements about a duel."""

    guard_action = "duels.statement_make"

    @extend_schema(operation_id="duel_statement", request=StatementBody, responses=ANY_JSON)
    def post(self, request: Request, duel: UUID) -> Response:
        """Record a statement; answer {version, events, winner, by}."""
        given = StatementBody(data=request.data)
        given.is_valid(raise_exception=True)
        values = given.validated_data
        made = services.statement_make(
            command_context(request, "player"),
            duel_id=str(duel),
            player=values["player"],
            statement=values["statement"],
            reason=canonical.text(values.get("reason", "")) or None,
        )
        return Response(msgspec.to_builtins(made), status=201)
