"""REST API of duels: a duel for a perspective, its log, its ledger, acts and statements.

Reads answer what the viewer may know. A command is a POST; the header `Idempotency-Key` (a
UUID) is its command id, so that a repeated tap has one effect.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from uuid import UUID

import msgspec
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from duels import recording, selectors, services
from duels.domain.ledger import Ledger
from duels.domain.seats import VIEWERS
from duels.domain.statements import AnyStatement
from duels.rules.games import PLAYED, rules_of
from duels.services import Acted
from duels.wording import line_text
from eventstore.domain import canonical
from people.rest import (
    Body,
    Endpoint,
    PageQuery,
    Query,
    context,
    given,
    only,
    operation,
    page,
    union_of,
)
from people.web import actor_of

MAX_TEXT = 2000
SEATS = ["P1", "P2"]
PERSPECTIVE = "public, p1, p2 or judge: whose knowledge the answer may hold"


ACTS = [rules_of(game).ACTS for game in PLAYED]


@extend_schema_field(union_of("Act", *ACTS, leave_out="player"))
class ActField(serializers.DictField):
    """An act in its plain form, without the player."""


@extend_schema_field(union_of("Statement", AnyStatement, leave_out="player"))
class StatementField(serializers.DictField):
    """A statement in its plain form, without the player."""


class PerspectiveQuery(Query):
    """Which knowledge the answer may hold, and which event of the log it shows."""

    vars()["as"] = serializers.ChoiceField(list(VIEWERS), default="public", help_text=PERSPECTIVE)
    at = serializers.IntegerField(
        min_value=1,
        max_value=10**9,
        required=False,
        help_text="event to look at; the newest when left out",
    )


class LogQuery(PageQuery):
    """Which lines of the log."""

    vars()["as"] = serializers.ChoiceField(list(VIEWERS), default="public", help_text=PERSPECTIVE)
    after = serializers.IntegerField(
        min_value=0, max_value=10**9, default=0, help_text="only lines after this event"
    )
    code = serializers.CharField(max_length=80, required=False, help_text="the code of a line")
    struck = serializers.BooleanField(required=False, allow_null=True, default=None)


class ActsQuery(PageQuery):
    """Whose acts, and of which kind."""

    player = serializers.ChoiceField(SEATS)
    act = serializers.CharField(max_length=40, required=False)


class LedgerQuery(Query):
    """Which rows of the ledger."""

    diverges = serializers.BooleanField(required=False, allow_null=True, default=None)


@dataclass(frozen=True, slots=True)
class LogLineFull(selectors.LogLine):
    """A line of the log with its sentence in the language of the request."""

    text: str


class ActBody(Body):
    """An act of a seat: its plain form, and the version of the log that the person saw."""

    player = serializers.ChoiceField(choices=SEATS)
    act = ActField()
    expected = serializers.IntegerField(min_value=0, required=False, allow_null=True)


class StatementBody(Body):
    """A statement of a seat; `reason` of a dispute is free text."""

    player = serializers.ChoiceField(choices=SEATS)
    statement = StatementField()
    reason = serializers.CharField(required=False, allow_blank=True, max_length=MAX_TEXT)


class TakeBackBody(Body):
    """The version of the log that the person saw."""

    expected = serializers.IntegerField(min_value=0, required=False, allow_null=True)


def _source(request: Request, duel: UUID) -> str:
    """The source of an act: that of who records the duel on paper, else the player's own."""
    return recording.source_in(actor_of(request), str(duel)) or "player"


class DuelDetail(Endpoint):
    """A duel at an event."""

    guard_action = "duels.duel_read"

    @operation("duel", answers=selectors.DuelShown, query=PerspectiveQuery)
    def get(self, request: Request, duel: UUID) -> Response:
        """Answer the table for the perspective."""
        asked = self.asked
        shown = selectors.duel_view(actor_of(request), str(duel), asked.get("at"), asked["as"])
        return Response(asdict(shown))


class DuelLog(Endpoint):
    """The log of a duel."""

    guard_action = "duels.duel_read"

    @operation("duel_log", answers=LogLineFull, query=LogQuery, pages=True)
    def get(self, request: Request, duel: UUID) -> Response:
        """Answer one page of lines, masked for the perspective, each with its sentence."""
        asked = self.asked
        lines = selectors.duel_log(actor_of(request), str(duel), asked["as"])
        kept = [one for one in only(lines, asked, "code", "struck") if one.seq > asked["after"]]
        seats = {seat: seat for seat in SEATS}
        return page(
            self,
            request,
            kept,
            lambda one: asdict(one) | {"text": line_text(one.code, one.params, seats)},
        )


class DuelLedger(Endpoint):
    """The Life Point ledger of a duel."""

    guard_action = "duels.duel_read"

    @operation("duel_ledger", answers=Ledger, query=LedgerQuery)
    def get(self, request: Request, duel: UUID) -> Response:
        """Answer derived Life Points beside both pads."""
        found = asdict(selectors.lp_ledger(actor_of(request), str(duel)))
        wanted = self.asked.get("diverges")
        found["rows"] = [
            one for one in found["rows"] if wanted is None or one["diverges"] is wanted
        ]
        return Response(found)


class DuelActs(Endpoint):
    """Acts of a duel."""

    guard_action = "duels.duel_act"

    @operation("duel_acts", answers=union_of("Act", *ACTS), query=ActsQuery, pages=True)
    def get(self, request: Request, duel: UUID) -> Response:
        """Answer one page of the lawful acts of a seat, to its own player."""
        acts = selectors.acts_open(actor_of(request), str(duel), self.asked["player"])
        wanted = self.asked.get("act")
        return page(self, request, [one for one in acts if wanted in (None, one["act"])])

    @operation("duel_act", body=ActBody, answers=Acted, status=201)
    def post(self, request: Request, duel: UUID) -> Response:
        """Carry an act out; answer {version, events, winner, by}."""
        acted = services.act(
            context(request, _source(request, duel)), duel_id=str(duel), **given(ActBody, request)
        )
        return Response(msgspec.to_builtins(acted), status=201)


class DuelStatements(Endpoint):
    """Statements about a duel."""

    guard_action = "duels.statement_make"

    @operation("duel_statement", body=StatementBody, answers=Acted, status=201)
    def post(self, request: Request, duel: UUID) -> Response:
        """Record a statement; answer {version, events, winner, by}."""
        values = given(StatementBody, request)
        made = services.statement_make(
            context(request, _source(request, duel)),
            duel_id=str(duel),
            player=values["player"],
            statement=values["statement"],
            reason=canonical.text(values.get("reason", "")) or None,
        )
        return Response(msgspec.to_builtins(made), status=201)


class DuelTakeBack(Endpoint):
    """The newest line of a duel on paper."""

    guard_action = "duels.duel_write_down"

    @operation("duel_take_back", body=TakeBackBody, answers=Acted, status=201)
    def post(self, request: Request, duel: UUID) -> Response:
        """Take back what the newest command wrote, by appending; answer {version, events, winner,
        by}."""
        taken = services.act_take_back(
            context(request, recording.source_in(actor_of(request), str(duel))),
            duel_id=str(duel),
            **given(TakeBackBody, request),
        )
        return Response(msgspec.to_builtins(taken), status=201)
