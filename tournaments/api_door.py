"""REST API of the door: policy, seats, offers, fee, who is who."""

from __future__ import annotations

from typing import Any, TypedDict
from uuid import UUID

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from people import merging
from people.access import require
from people.domain.permissions import Subject
from people.rest import (
    Body,
    Done,
    DoneNumber,
    Endpoint,
    Query,
    answer,
    context,
    given,
    operation,
    page,
)
from people.web import actor_of
from tournaments import selectors, services
from tournaments.domain.door_fees import METHODS, SEEN
from tournaments.domain.door_merge import LISTS
from tournaments.selectors import Seats
from tournaments.selectors.door import Place
from tournaments.selectors.door import WaitingLine as Waiting
from tournaments.selectors.door_desk import Card

MOMENT = "UTC text, such as 2026-07-04T07:30:00.000000Z"


class PrizeLine(TypedDict):
    """What the places `first` to `last` get once at least `least` players take part."""

    least: int
    first: int
    last: int
    text: str


class DoorFull(TypedDict):
    """What holds at the door, and its seats by now. `free` is null without a limit; `window` and
    `check_in_window` are early, open or over; amounts are minor units."""

    opens_at: str | None
    closes_at: str | None
    check_in_opens: str | None
    check_in_closes: str | None
    capacity: int | None
    offer_minutes: int
    fee: int
    currency: str
    notice_version: str
    notice: str
    eligibility: bool
    prizes: list[PrizeLine]
    taken: int
    offered: int
    free: int | None
    waiting: int
    window: str
    check_in_window: str


class MySeatFull(TypedDict):
    """The caller's way into the event: `state` none, in, waiting, offered, due, expired, declined
    or left; `place` in the line from 1, 0 outside it; how long an offer stands still."""

    state: str
    entrant_id: str | None
    place: int
    until: str | None
    left_s: int


class WaitingFull(TypedDict):
    """A place on the waiting list: state waiting, offered or due."""

    entrant_id: str
    person_id: str
    name: str
    code: str
    place: int
    state: str
    until: str | None


class DuplicateFull(TypedDict):
    """Somebody of the event who could be the same human."""

    person_id: str
    entrant_id: str
    name: str


class DoorCardFull(TypedDict):
    """A person at the door: `status` of the entrant, waiting, or known (not in the event); `next`
    is the one thing to do: stop, seat, wait, enrol, back, notice, pay, eligible, paper,
    check_in, done."""

    person_id: str
    entrant_id: str | None
    name: str
    public_name: str
    card_game_id: str
    code: str
    number: int
    status: str
    late: bool
    place: int
    paid: int
    owes: int
    comped: bool
    seen: str
    list_state: str
    notice: bool
    suspended: str | None
    duplicates: list[DuplicateFull]
    next: str


class DoorFoundFull(TypedDict):
    """Who could be meant by what was typed or scanned."""

    cards: list[DoorCardFull]


class CashLineFull(TypedDict):
    """What one desk user took by one method, in minor units; given back is below zero."""

    person_id: str
    name: str
    method: str
    currency: str
    times: int
    taken: int
    given_back: int
    balance: int


class CashFull(TypedDict):
    """The cash-up sheet."""

    lines: list[CashLineFull]
    paid: int
    comped: int
    owing: int


class FieldFull(TypedDict):
    """What late entries changed: players at the start and now, what the policy advises for each
    as [rounds, cut], rounds and cut of the event, and the prizes that moved."""

    before: int
    now: int
    late: int
    advised_before: list[int]
    advised: list[int]
    rounds: int | None
    cut: int
    prizes: dict[str, str]
    prizes_moved: list[dict[str, Any]]


def _door(one: Seats) -> DoorFull:
    policy = one.policy
    return {
        "opens_at": policy.opens_at,
        "closes_at": policy.closes_at,
        "check_in_opens": policy.check_in_opens,
        "check_in_closes": policy.check_in_closes,
        "capacity": policy.capacity,
        "offer_minutes": policy.offer_minutes,
        "fee": policy.fee,
        "currency": policy.currency,
        "notice_version": policy.notice_version,
        "notice": policy.notice,
        "eligibility": policy.eligibility,
        "prizes": [
            {"least": line.least, "first": line.first, "last": line.last, "text": line.text}
            for line in policy.prizes
        ],
        "taken": one.taken,
        "offered": one.offered,
        "free": one.free,
        "waiting": one.waiting,
        "window": one.window,
        "check_in_window": one.check_in,
    }


def _place(place: Place | None) -> int:
    return place.ahead + 1 if place is not None else 0


def _card(one: Card) -> DoorCardFull:
    return {
        "person_id": one.person_id,
        "entrant_id": one.entrant_id or None,
        "name": one.name,
        "public_name": one.public_name,
        "card_game_id": one.card_game_id,
        "code": one.code,
        "number": one.number,
        "status": one.status,
        "late": one.late,
        "place": _place(one.place),
        "paid": one.paid,
        "owes": one.owes,
        "comped": one.comped,
        "seen": one.seen,
        "list_state": one.listed,
        "notice": one.notice,
        "suspended": one.suspended or None,
        "duplicates": [
            {
                "person_id": other.person.pk,
                "entrant_id": other.entrant_id,
                "name": other.person.display_name,
            }
            for other in one.duplicates
        ],
        "next": one.next,
    }


def _waiting(one: Waiting) -> WaitingFull:
    return {
        "entrant_id": one.place.entrant_id,
        "person_id": one.place.person_id,
        "name": one.name,
        "code": one.code,
        "place": _place(one.place),
        "state": one.place.state,
        "until": one.place.until or None,
    }


class PrizeInput(Body):
    """A line of the prize table."""

    least = serializers.IntegerField(min_value=0, max_value=20_000)
    first = serializers.IntegerField(min_value=1, max_value=20_000)
    last = serializers.IntegerField(min_value=1, max_value=20_000)
    text = serializers.CharField(max_length=200)


class DoorInput(Body):
    """Some parts of what holds at the door."""

    opens_at = serializers.CharField(
        max_length=27, required=False, allow_null=True, help_text=MOMENT
    )
    closes_at = serializers.CharField(max_length=27, required=False, allow_null=True)
    check_in_opens = serializers.CharField(max_length=27, required=False, allow_null=True)
    check_in_closes = serializers.CharField(max_length=27, required=False, allow_null=True)
    capacity = serializers.IntegerField(
        min_value=0, max_value=10**6, required=False, allow_null=True
    )
    offer_minutes = serializers.IntegerField(min_value=0, max_value=10**6, required=False)
    fee = serializers.IntegerField(min_value=0, max_value=10**9, required=False)
    currency = serializers.CharField(max_length=10, required=False)
    notice_version = serializers.CharField(max_length=40, required=False, allow_blank=True)
    notice = serializers.CharField(max_length=5000, required=False, allow_blank=True)
    eligibility = serializers.BooleanField(required=False)
    prizes = PrizeInput(many=True, required=False)


class Door(Endpoint):
    """What holds at the door."""

    guard_action = "tournaments.event_read"

    @operation("door_read", answers=DoorFull)
    def get(self, request: Request, event: UUID) -> Response:
        """Answer policy and seats."""
        return Response(_door(selectors.door_now(actor_of(request), str(event))))

    @operation("door_set", answers=Done, body=DoorInput)
    def post(self, request: Request, event: UUID) -> Response:
        """Change the parts named in the body."""
        body = given(DoorInput, request)
        if "prizes" in body:
            body["prizes"] = [dict(line) for line in body["prizes"]]
        return answer(services.door_set(context(request), event_id=str(event), changes=body))


class DoorQuery(Query):
    """What was typed or scanned: a code, its link, #12, a Card Game ID, a part of a name."""

    q = serializers.CharField(max_length=400)


class DoorFind(Endpoint):
    """The one field of the door."""

    guard_action = "tournaments.door_use"

    @operation("door_find", answers=DoorFoundFull, query=DoorQuery)
    def get(self, request: Request, event: UUID) -> Response:
        """Answer who could be meant, and what to do next for each."""
        found = selectors.door_find(actor_of(request), str(event), self.asked["q"])
        cards = [found.card] if found.card is not None else list(found.cards)
        return Response({"cards": [_card(one) for one in cards]})


class DoorField(Endpoint):
    """Rounds, cut and prizes by the number of players."""

    guard_action = "tournaments.event_read"

    @operation("door_field", answers=FieldFull)
    def get(self, request: Request, event: UUID) -> Response:
        """Answer what late entries changed."""
        one = selectors.field_moved(actor_of(request), str(event))
        body: FieldFull = {
            "before": one.before,
            "now": one.now,
            "late": one.late,
            "advised_before": list(one.advised_before),
            "advised": list(one.advised),
            "rounds": one.rounds,
            "cut": one.cut,
            "prizes": {str(place): text for place, text in one.prizes},
            "prizes_moved": [
                {"first": line.first, "last": line.last, "was": line.was, "now": line.now}
                for line in one.prizes_moved
            ],
        }
        return Response(body)


class WaitingLine(Endpoint):
    """The waiting list."""

    guard_action = "tournaments.door_use"

    @operation("waiting_list", answers=WaitingFull, pages=True)
    def get(self, request: Request, event: UUID) -> Response:
        """Answer one page of those who wait, in order."""
        rows = selectors.waiting_list(actor_of(request), str(event))
        return page(self, request, rows, _waiting)


class MySeat(Endpoint):
    """The caller's own seat."""

    guard_action = "tournaments.event_read"

    @operation("my_seat", answers=MySeatFull)
    def get(self, request: Request, event: UUID) -> Response:
        """Answer where the caller stands."""
        viewer = actor_of(request)
        home = selectors.event_home(viewer, str(event))
        mine = selectors.my_seat(viewer, home.row, selectors.door_now(viewer, str(event)))
        inside = mine.place is None and home.entrant_id is not None
        body: MySeatFull = {
            "state": "in" if inside else mine.state,
            "entrant_id": (home.entrant_id if inside else mine.entrant_id) or None,
            "place": _place(mine.place),
            "until": mine.place.until or None if mine.place is not None else None,
            "left_s": mine.place.left_s if mine.place is not None else 0,
        }
        return Response(body)


class WaitingCommand(Endpoint):
    """A command on a place of the waiting list."""

    guard_action = "tournaments.offer_take"
    COMMANDS = {
        "accept": services.offer_accept,
        "decline": services.offer_decline,
        "leave": services.waiting_leave,
    }

    @operation("waiting_command", answers=Done)
    def post(self, request: Request, event: UUID, entrant: UUID, command: str) -> Response:
        """Run the command."""
        run: Any = self.COMMANDS[command]
        run(context(request), event_id=str(event), entrant_id=str(entrant))
        return answer(None)


class FeeInput(Body):
    """A movement of money; without an amount all that is owed, or all that was paid."""

    method = serializers.ChoiceField(list(METHODS))
    amount = serializers.IntegerField(min_value=0, max_value=10**9, required=False)


class FeePay(Endpoint):
    """Money that the desk took."""

    guard_action = "tournaments.fee_take"

    @operation("fee_pay", answers=DoneNumber, body=FeeInput)
    def post(self, request: Request, event: UUID, entrant: UUID) -> Response:
        """Note it; answer what is still owed, in minor units."""
        body = given(FeeInput, request)
        return answer(
            services.fee_pay(context(request), event_id=str(event), entrant_id=str(entrant), **body)
        )


class FeeRefund(Endpoint):
    """Money given back."""

    guard_action = "tournaments.fee_take"

    @operation("fee_refund", answers=Done, body=FeeInput)
    def post(self, request: Request, event: UUID, entrant: UUID) -> Response:
        """Note it."""
        body = given(FeeInput, request)
        return answer(
            services.fee_refund(
                context(request), event_id=str(event), entrant_id=str(entrant), **body
            )
        )


class CompInput(Body):
    """Why somebody is let in free; kept sealed."""

    note = serializers.CharField(max_length=4000, required=False, allow_blank=True)


class FeeComp(Endpoint):
    """Somebody is let in free."""

    guard_action = "tournaments.fee_take"

    @operation("fee_comp", answers=Done, body=CompInput)
    def post(self, request: Request, event: UUID, entrant: UUID) -> Response:
        """Note it."""
        body = given(CompInput, request)
        return answer(
            services.fee_comp(
                context(request), event_id=str(event), entrant_id=str(entrant), **body
            )
        )


class CashUp(Endpoint):
    """The cash-up sheet."""

    guard_action = "tournaments.fee_take"

    @operation("cash_up", answers=CashFull)
    def get(self, request: Request, event: UUID) -> Response:
        """Answer what each desk user took by each method."""
        sheet = selectors.cash_up(actor_of(request), str(event))
        names = [
            "person_id",
            "name",
            "method",
            "currency",
            "times",
            "taken",
            "given_back",
            "balance",
        ]
        lines = [{name: getattr(one, name) for name in names} for one in sheet.lines]
        counts = {"paid": sheet.paid, "comped": sheet.comped, "owing": sheet.owing}
        return Response({"lines": lines, **counts})


class SeenInput(Body):
    """What staff have seen: nothing else is kept."""

    seen = serializers.ChoiceField(list(SEEN))


class Eligibility(Endpoint):
    """Staff have seen that an entrant may play."""

    guard_action = "tournaments.door_use"

    @operation("eligibility_note", answers=Done, body=SeenInput)
    def post(self, request: Request, event: UUID, entrant: UUID) -> Response:
        """Note it."""
        body = given(SeenInput, request)
        return answer(
            services.eligibility_note(
                context(request), event_id=str(event), entrant_id=str(entrant), **body
            )
        )


class NoticeInput(Body):
    """A version of the privacy notice; `person_id` at the desk, else the caller."""

    version = serializers.CharField(max_length=20)
    person_id = serializers.UUIDField(required=False)


class Notice(Endpoint):
    """The privacy notice is accepted."""

    guard_action = "tournaments.notice_accept"

    @operation("notice_accept", answers=Done, body=NoticeInput)
    def post(self, request: Request, event: UUID) -> Response:
        """Keep the version that was accepted."""
        body = given(NoticeInput, request)
        person = body.pop("person_id", None) or actor_of(request).person_id or ""
        return answer(
            services.notice_accept(context(request), event_id=str(event), person_id=person, **body)
        )


class NameInput(Body):
    """The name that others see; empty: the registered one."""

    public_name = serializers.CharField(max_length=200, allow_blank=True)


class PublicName(Endpoint):
    """The caller's own public name."""

    guard_action = "people.public_name_set"

    @operation("public_name_set", answers=Done, body=NameInput)
    def post(self, request: Request, event: UUID) -> Response:
        """Choose it."""
        body = given(NameInput, request)
        person = actor_of(request).person_id or ""
        subject = Subject(str(event), owners=frozenset({person} - {""}), public=False)
        require(actor_of(request), "people.public_name_set", subject)
        return answer(
            merging.public_name_set(
                context(request, "player"), person_id=person, event_id=str(event), **body
            )
        )


class MergeInput(Body):
    """Two persons that are one human: the id that stays and the one that goes; `lists`: whose deck
    list counts where both have one."""

    keep = serializers.UUIDField()
    gone = serializers.UUIDField()
    lists = serializers.ChoiceField(["", *LISTS], default="")


class Merges(Endpoint):
    """Two persons are one."""

    guard_action = "people.person_merge"

    @operation("persons_merge", answers=DoneNumber, body=MergeInput)
    def post(self, request: Request, event: UUID) -> Response:
        """Merge them; answer in how many events something changed."""
        body = given(MergeInput, request)
        return answer(services.persons_merge(context(request), event_id=str(event), **body))


class UndoInput(Body):
    """The id that was merged into another."""

    gone = serializers.UUIDField()


class MergeUndo(Endpoint):
    """Two persons are not one after all."""

    guard_action = "people.person_merge"

    @operation("merge_undo", answers=DoneNumber, body=UndoInput)
    def post(self, request: Request, event: UUID) -> Response:
        """Undo the merge; answer in how many events something changed."""
        body = given(UndoInput, request)
        return answer(services.merge_undo(context(request), event_id=str(event), **body))


class SuspensionsInput(Body):
    """The whole list, one line each: id, last day, reason. Empty: nobody."""

    content = serializers.CharField(max_length=2_000_000, allow_blank=True, trim_whitespace=False)


class Suspensions(Endpoint):
    """The suspended Card Game IDs of the site."""

    guard_action = "tournaments.suspensions_manage"

    @operation("suspensions_import", answers=DoneNumber, body=SuspensionsInput)
    def post(self, request: Request) -> Response:
        """Replace the list; answer how many there are."""
        body = given(SuspensionsInput, request)
        return answer(services.suspensions_import(context(request), **body))
