"""REST API of the case of a call: where its log, counts and draws part, looks at hidden cards,
sealed statements. All of it for the judges of the table; the own statement for who was asked."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from uuid import UUID

import msgspec
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from duels.reveals import Revealed
from judging import case as cases
from judging import statements
from judging.api import Code, EmptyBody, Words
from judging.statements import MOST_ASKED, StatementsState, StatementsView
from people.rest import Body, Endpoint, Query, context, given, operation, page
from people.web import actor_of

MOST = 10**9


class CaseQuery(Query):
    """Which log of the match, at which event."""

    duel = serializers.UUIDField(required=False, help_text="the newest log when left out")
    at = serializers.IntegerField(
        min_value=1, max_value=MOST, required=False, help_text="the one in question when left out"
    )


class RevealBody(Body):
    """Which duel, and why."""

    duel_id = serializers.UUIDField()
    reason = Words(required=True, allow_blank=False)


class AskBody(Body):
    """Who is asked (nobody named: all who play at the table), and for which infraction (none: on
    demand of the head judge); `witnesses` are names of others who neither play nor are staff."""

    persons = serializers.ListField(
        child=serializers.UUIDField(), max_length=MOST_ASKED, required=False
    )
    infraction = Code()
    witnesses = serializers.ListField(
        child=serializers.CharField(max_length=60), max_length=MOST_ASKED, required=False
    )


class StatementTextBody(Body):
    """The words of the statement; `person` where a judge types them for somebody."""

    text = Words(required=True, allow_blank=False)
    person = serializers.UUIDField(required=False, allow_null=True)


class OpenBody(Body):
    """Why the statements are opened early."""

    reason = Words(required=True, allow_blank=False)


@dataclass(frozen=True, slots=True)
class CaseLook:
    """A look at hidden cards: of which duel, up to which event, by whom, when, why (None: that
    text is erased)."""

    duel_id: str
    upto: int
    by: str
    by_name: str
    at: str
    reason: str | None


@dataclass(frozen=True, slots=True)
class CaseRead:
    """A case: the logs of the match, the one looked at (None: none was kept) and at which event,
    whether its hidden cards are open to the reader, and the events at which something parts:
    Life Points, a declared hand count, flagged draws, disputed lines. Its instruments are those
    of the duel. `left_s`: seconds on the clock of the table, None without one."""

    call_id: str
    match_id: str
    duels: list[str]
    duel_id: str | None
    at: int | None
    opened: bool | None
    first_divergence: int | None
    first_wrong_count: int | None
    flagged_draws: list[int]
    disputed: list[int]
    left_s: int | None
    looks: list[CaseLook]
    notes: list[cases.Note]


def _look(one: cases.Look) -> CaseLook:
    seen = one.reveal
    return CaseLook(seen.duel_id, seen.upto, seen.by, one.name, seen.at, seen.reason)


def _answer(made: StatementsState, status: int = 200) -> Response:
    return Response(msgspec.to_builtins(made), status=status)


class CaseDetail(Endpoint):
    """The case of a call."""

    guard_action = "judging.case_read"

    @operation("judging_case", answers=CaseRead, query=CaseQuery)
    def get(self, request: Request, call_id: UUID) -> Response:
        """Answer where the log, the counts and the draws part."""
        asked = self.asked
        wanted = asked.get("duel")
        found = cases.case(
            actor_of(request), str(call_id), str(wanted) if wanted else None, asked.get("at")
        )
        duel = found.duel
        flagged = [row.seq for row in duel.draws if row.flags] if duel else []
        made = CaseRead(
            call_id=found.call.call_id,
            match_id=found.call.match_id,
            duels=[one.duel_id for one in found.duels],
            duel_id=duel.duel_id if duel else None,
            at=duel.at if duel else None,
            opened=duel.opened if duel else None,
            first_divergence=duel.life_points.ledger.first_divergence if duel else None,
            first_wrong_count=duel.audit.first_wrong if duel else None,
            flagged_draws=list(dict.fromkeys(flagged)),
            disputed=list(found.disputed),
            left_s=found.left_s,
            looks=[_look(one) for one in found.looks],
            notes=list(found.notes),
        )
        return Response(asdict(made))


class CaseReveals(Endpoint):
    """Looks at hidden cards."""

    guard_action = "judging.case_read"

    @operation("judging_case_reveals", answers=CaseLook, pages=True)
    def get(self, request: Request, call_id: UUID) -> Response:
        """Answer the looks in this case: all for the head judge, the own ones for a judge."""
        rows = cases.looks_of_case(actor_of(request), str(call_id))
        return page(self, request, [_look(one) for one in rows], asdict)

    @operation("judging_case_reveal", answers=Revealed, body=RevealBody, status=201)
    def post(self, request: Request, call_id: UUID) -> Response:
        """Open the hidden cards of a running duel to oneself; on record."""
        body = given(RevealBody, request)
        made = cases.hidden_reveal(
            context(request, "judge"),
            call_id=str(call_id),
            duel_id=str(body["duel_id"]),
            reason=body["reason"],
        )
        return Response(msgspec.to_builtins(made), status=201)


class CaseStatements(Endpoint):
    """The sealed statements of a call."""

    guard_action = "judging.case_read"

    @operation("judging_statements", answers=StatementsView)
    def get(self, request: Request, call_id: UUID) -> Response:
        """Answer who was asked and whose statement is in; the words once they were opened."""
        return Response(asdict(statements.statements_of(actor_of(request), str(call_id))))


class StatementGive(Endpoint):
    """A statement."""

    guard_action = "judging.statement_give"

    @operation(
        "judging_statement_give", answers=StatementsState, body=StatementTextBody, status=201
    )
    def post(self, request: Request, call_id: UUID) -> Response:
        """Give the own statement, or (a judge) that of somebody without a phone."""
        body = given(StatementTextBody, request)
        person = body.get("person")
        made = statements.statement_give(
            context(request, "player"),
            call_id=str(call_id),
            text=body["text"],
            person=str(person) if person else None,
        )
        return _answer(made, 201)


class StatementsAsk(Endpoint):
    """Who is asked for a statement."""

    guard_action = "judging.statements_ask"

    @operation("judging_statements_ask", answers=StatementsState, body=AskBody, status=201)
    def post(self, request: Request, call_id: UUID) -> Response:
        """Ask for statements, where the policy calls for them or the head judge demands it."""
        body = given(AskBody, request)
        made = statements.statements_ask(
            context(request, "judge"),
            call_id=str(call_id),
            persons=[str(one) for one in body.get("persons") or ()],
            infraction=body.get("infraction") or "",
            witnesses=body.get("witnesses") or (),
        )
        return _answer(made, 201)


class StatementWithdraw(Endpoint):
    """A statement taken back."""

    guard_action = "judging.statement_give"

    @operation("judging_statement_withdraw", answers=StatementsState)
    def post(self, request: Request, call_id: UUID) -> Response:
        """Take the own sealed statement back."""
        given(EmptyBody, request)
        return _answer(
            statements.statement_withdraw(context(request, "player"), call_id=str(call_id))
        )


class StatementsOpen(Endpoint):
    """Statements opened early."""

    guard_action = "judging.statements_open"

    @operation("judging_statements_open", answers=StatementsState, body=OpenBody)
    def post(self, request: Request, call_id: UUID) -> Response:
        """Open the statements that are in: the head judge, with a reason."""
        made = statements.statements_open(
            context(request, "judge"),
            call_id=str(call_id),
            reason=given(OpenBody, request)["reason"],
        )
        return _answer(made)
