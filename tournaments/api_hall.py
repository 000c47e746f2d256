"""REST API of the hall: messages, what is printed, the wall screen, a round from paper."""

from __future__ import annotations

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
from tournaments import answers_hall as to
from tournaments import selectors, services
from tournaments import shapes_hall as shapes
from tournaments.domain.hall import choice, messages, slips, wall


class MessageInput(Body):
    """A message; `first` and `last` only where it is for tables."""

    message_id = serializers.UUIDField(required=False)
    text = serializers.CharField(max_length=4000)
    audience = serializers.ChoiceField(messages.AUDIENCES, required=False)
    minutes = serializers.IntegerField(min_value=0, max_value=9999, required=False)
    first = serializers.IntegerField(min_value=0, max_value=99999, required=False)
    last = serializers.IntegerField(min_value=0, max_value=99999, required=False)


class Messages(Endpoint):
    """Messages from the desk."""

    guard_action = "tournaments.event_read"

    @operation("messages_list", answers=to.MessageLine, query=PageQuery, pages=True)
    def get(self, request: Request, event: UUID) -> Response:
        """Answer the messages in force that are for the caller, the newest first."""
        held = selectors.messages(actor_of(request), str(event))
        return page(self, request, held, shapes.message)

    @operation("messages_post", answers=DoneId, body=MessageInput, status=201)
    def post(self, request: Request, event: UUID) -> Response:
        """Show a message; answer its id."""
        body = given(MessageInput, request)
        sent = context(request)
        # the key of the request names the message where the body does not
        message_id = body.pop("message_id", None) or sent.command_id
        made = services.message_post(sent, event_id=str(event), message_id=message_id, **body)
        return answer(made, 201)


class MessageWithdraw(Endpoint):
    """Take a message back."""

    guard_action = "tournaments.message_post"

    @operation("messages_withdraw", answers=Done)
    def post(self, request: Request, event: UUID, message: UUID) -> Response:
        """Take the message back."""
        made = services.message_withdraw(
            context(request), event_id=str(event), message_id=str(message)
        )
        return answer(made)


class WallQuery(Query):
    """How many lines a column has, and which of how many screens side by side this is."""

    lines = serializers.ChoiceField(wall.LINES, required=False)
    part = serializers.IntegerField(min_value=1, max_value=wall.MOST_SCREENS, required=False)
    of = serializers.IntegerField(min_value=1, max_value=wall.MOST_SCREENS, required=False)


class WallScreen(Endpoint):
    """The wall screen."""

    guard_action = "tournaments.pairings_read"

    @operation("wall_read", answers=to.WallFull, query=WallQuery)
    def get(self, request: Request, event: UUID) -> Response:
        """Answer the pages of the wall screen: what everybody may know, whoever asks."""
        of = self.asked.get("of", 1)
        held = selectors.wall_screen(
            str(event),
            lines=int(self.asked.get("lines", wall.USUAL_LINES)),
            part=min(self.asked.get("part", 1), of),
            of=of,
        )
        return Response(shapes.wall(held))


class PaperInput(Body):
    """How an event prints; what is not named is as usual."""

    paper = serializers.ChoiceField(choice.PAPERS, required=False)
    language = serializers.CharField(max_length=8, required=False, allow_blank=True)
    per_page = serializers.ChoiceField(slips.PER_PAGE, required=False)
    ids = serializers.ChoiceField(choice.IDS, required=False)
    large = serializers.BooleanField(required=False)


class Paper(Endpoint):
    """How an event prints."""

    guard_action = "tournaments.desk_use"

    @operation("paper_read", answers=to.PaperFull)
    def get(self, request: Request, event: UUID) -> Response:
        """Answer how the event prints."""
        return Response(shapes.paper(selectors.paper_choice(actor_of(request), str(event))))


class PaperChoose(Endpoint):
    """Choose how an event prints."""

    guard_action = "tournaments.paper_choose"

    @operation("paper_choose", answers=Done, body=PaperInput)
    def post(self, request: Request, event: UUID) -> Response:
        """Choose how the event prints from now on."""
        body = given(PaperInput, request)
        return answer(services.paper_choose(context(request), event_id=str(event), **body))


class SlipsQuery(Query):
    """How many slips a page holds, and what stands beside the names."""

    per_page = serializers.ChoiceField(slips.PER_PAGE, required=False)
    ids = serializers.ChoiceField(choice.IDS, required=False)


class Slips(Endpoint):
    """Match slips of a round."""

    guard_action = "tournaments.desk_use"

    @operation("slips_read", answers=to.SlipsFull, query=SlipsQuery)
    def get(self, request: Request, event: UUID, number: int) -> Response:
        """Answer the slips of a round page by page, so that the pile once cut lies in order."""
        viewer = actor_of(request)
        kept = selectors.paper_choice(viewer, str(event))
        held = selectors.slip_pages(
            viewer,
            str(event),
            selectors.pairings(viewer, str(event), number),
            per_page=int(self.asked.get("per_page", kept.per_page)),
            ids=self.asked.get("ids", kept.ids),
        )
        return Response(shapes.slips(held))


class Seats(Endpoint):
    """Who sits where when all are seated."""

    guard_action = "tournaments.desk_use"

    @operation("seats_list", answers=to.SeatFull, query=PageQuery, pages=True)
    def get(self, request: Request, event: UUID) -> Response:
        """Answer one page of seats, by name."""
        held = selectors.seats(actor_of(request), str(event))
        return page(self, request, held, shapes.seat)


class NextRound(Endpoint):
    """What it takes to run the next round on paper."""

    guard_action = "tournaments.desk_use"

    @operation("next_round_read", answers=to.NextFull)
    def get(self, request: Request, event: UUID) -> Response:
        """Answer the players with points, opponents and byes so far, and the tables needed."""
        return Response(shapes.next_round(selectors.next_sheet(actor_of(request), str(event))))


class PaperRoundInput(Body):
    """A round as it was paired on paper: entrants two by two, the table of each pair, byes."""

    pairs = serializers.ListField(
        child=serializers.ListField(child=serializers.UUIDField(), min_length=2, max_length=2),
        max_length=6000,
    )
    tables = serializers.ListField(
        child=serializers.IntegerField(min_value=0, max_value=999999), max_length=6000
    )
    byes = serializers.ListField(child=serializers.UUIDField(), max_length=100, required=False)
    note = serializers.CharField(max_length=4000, required=False, allow_blank=True)


class PaperRound(Endpoint):
    """A round that was paired on paper."""

    guard_action = "tournaments.round_pair"

    @operation("rounds_from_paper", answers=DoneNumber, body=PaperRoundInput, status=201)
    def post(self, request: Request, event: UUID) -> Response:
        """Draft and publish the next round as it was paired on paper; answer its number."""
        body = given(PaperRoundInput, request)
        made = services.round_from_paper(context(request), event_id=str(event), **body)
        return answer(made, 201)
