"""REST API of the judge's instruments, and the text of a duel.

All of it is for the judges of the event, but for `fairness` and a masked text, which show
nothing hidden.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any
from uuid import UUID

import msgspec
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from duels import inspection, selectors, services
from duels.api import PERSPECTIVE, SEATS
from duels.domain.duel import Infraction
from duels.domain.instruments.counts import Audit
from duels.domain.instruments.fairness import Fairness
from duels.domain.instruments.knowing import Known
from duels.domain.instruments.ledgers import DrawRow, LifePoints
from duels.domain.instruments.repair import Plan, Repairable
from duels.domain.seats import VIEWERS
from duels.services import Acted
from people.rest import Body, Endpoint, PageQuery, Query, context, given, operation, page
from people.web import actor_of

MOST = 10**9


class EventQuery(Query):
    """Which event of the log."""

    at = serializers.IntegerField(
        min_value=1, max_value=MOST, required=False, help_text="event; the newest when left out"
    )


class KnowledgeQuery(PageQuery):
    """After which event of the log."""

    at = serializers.IntegerField(
        min_value=1, max_value=MOST, required=False, help_text="event; the newest when left out"
    )


class BackQuery(Query):
    """Which event play would go back to."""

    to = serializers.IntegerField(
        min_value=1,
        max_value=MOST,
        required=False,
        help_text="event to go back to; the one before the newest when left out",
    )


class TextQuery(Query):
    """Which knowledge the text may hold."""

    vars()["as"] = serializers.ChoiceField(list(VIEWERS), default="public", help_text=PERSPECTIVE)


@dataclass(frozen=True, slots=True)
class DuelMark:
    """A red mark: its code, and what it rests on."""

    code: str
    params: dict[str, Any]


@dataclass(frozen=True, slots=True)
class DuelMarked:
    """The red marks of a duel and the infractions on record."""

    marks: list[DuelMark]
    infractions: list[Infraction]


@dataclass(frozen=True, slots=True)
class DuelWritten:
    """A duel in the text format (docs/duel-text.md). `masked`: hidden cards are left out, and
    the text cannot be replayed."""

    perspective: str
    masked: bool
    text: str


class LotBody(Body):
    """Whose hand, how many cards, and of how many where the log does not say."""

    player = serializers.ChoiceField(choices=SEATS)
    n = serializers.IntegerField(min_value=1, max_value=200, default=1)
    of = serializers.IntegerField(min_value=1, max_value=200, required=False, allow_null=True)


class DuelLots(Endpoint):
    """Lots over a hand."""

    guard_action = "duels.lot_draw"

    @operation("duel_lot", body=LotBody, answers=Acted, status=201)
    def post(self, request: Request, duel: UUID) -> Response:
        """Draw lots: which of the cards that nobody can tell apart goes back."""
        drawn = services.lot_draw(context(request), duel_id=str(duel), **given(LotBody, request))
        return Response(msgspec.to_builtins(drawn), status=201)


class DuelDraws(Endpoint):
    """The draw ledger."""

    guard_action = "duels.instruments_read"

    @operation("duel_draws", answers=DrawRow, pages=True)
    def get(self, request: Request, duel: UUID) -> Response:
        """Answer a row for each card that came into a hand."""
        rows = inspection.draw_ledger(actor_of(request), str(duel))
        return page(self, request, rows, asdict)


class DuelHands(Endpoint):
    """The audit of the hand counts."""

    guard_action = "duels.instruments_read"

    @operation("duel_hands", answers=Audit)
    def get(self, request: Request, duel: UUID) -> Response:
        """Answer the counts at every event and the first wrong declaration."""
        return Response(asdict(inspection.hand_audit(actor_of(request), str(duel))))


class DuelDivergence(Endpoint):
    """The Life Point ledger with explanations."""

    guard_action = "duels.instruments_read"

    @operation("duel_divergence", answers=LifePoints)
    def get(self, request: Request, duel: UUID) -> Response:
        """Answer the ledger, its first divergence, and the slips that would explain it."""
        return Response(asdict(inspection.lp_explained(actor_of(request), str(duel))))


class DuelRepairable(Endpoint):
    """Can it be repaired?"""

    guard_action = "duels.instruments_read"

    @operation("duel_repairable", answers=Repairable, query=EventQuery)
    def get(self, request: Request, duel: UUID) -> Response:
        """Answer simple, possible, information_leaked or not_restorable, with the reasons."""
        found = inspection.repairable(actor_of(request), str(duel), self.asked.get("at"))
        return Response(asdict(found))


class DuelRewindPlan(Endpoint):
    """What a rewind would undo."""

    guard_action = "duels.instruments_read"

    @operation("duel_rewind_plan", answers=Plan, query=BackQuery)
    def get(self, request: Request, duel: UUID) -> Response:
        """Answer the events newest first, the cards that go back, and what was learned."""
        found = inspection.rewind_plan(actor_of(request), str(duel), self.asked.get("to"))
        return Response(asdict(found))


class DuelPace(Endpoint):
    """Seconds per turn."""

    guard_action = "duels.instruments_read"

    @operation("duel_pace", answers=inspection.PaceShown)
    def get(self, request: Request, duel: UUID) -> Response:
        """Answer the seconds of each turn and player, and the median of the event."""
        return Response(asdict(inspection.duel_pace(actor_of(request), str(duel))))


class DuelKnowledge(Endpoint):
    """Who knew what."""

    guard_action = "duels.instruments_read"

    @operation("duel_knowledge", answers=Known, query=KnowledgeQuery, pages=True)
    def get(self, request: Request, duel: UUID) -> Response:
        """Answer each card with who knew it after an event, since when, by what."""
        rows = inspection.who_knew(actor_of(request), str(duel), self.asked.get("at"))
        return page(self, request, rows, asdict)


class DuelDeckCheck(Endpoint):
    """Cards that the registered lists do not hold."""

    guard_action = "duels.instruments_read"

    @operation("duel_deck_check", answers=inspection.DeckShown)
    def get(self, request: Request, duel: UUID) -> Response:
        """Answer the seats whose list is known, and the cards seen more often than listed."""
        return Response(asdict(inspection.deck_check(actor_of(request), str(duel))))


class DuelMarks(Endpoint):
    """The red marks of a duel."""

    guard_action = "duels.instruments_read"

    @operation("duel_marks", answers=DuelMarked)
    def get(self, request: Request, duel: UUID) -> Response:
        """Answer marks and the infractions on record."""
        flags, infractions = selectors.duel_marks(actor_of(request), str(duel))
        marks = [DuelMark(flag.code, dict(flag.params)) for flag in flags]
        return Response(asdict(DuelMarked(marks, list(infractions))))


class DuelFairness(Endpoint):
    """Whether the shuffles keep their commitment."""

    guard_action = "duels.duel_read"

    @operation("duel_fairness", answers=Fairness)
    def get(self, request: Request, duel: UUID) -> Response:
        """Answer state, commitment, the secret once it is disclosed, and faults."""
        return Response(asdict(inspection.duel_fairness(actor_of(request), str(duel))))


class DuelText(Endpoint):
    """A duel as text."""

    guard_action = "duels.duel_read"

    @operation("duel_text", answers=DuelWritten, query=TextQuery)
    def get(self, request: Request, duel: UUID) -> Response:
        """Answer the text format, masked for the perspective."""
        asked = self.asked["as"]
        masked, body = inspection.duel_text(actor_of(request), str(duel), asked)
        return Response(asdict(DuelWritten(asked, masked, body.decode())))
