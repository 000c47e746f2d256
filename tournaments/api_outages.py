"""REST API of the outages of the server while a round was on, and what is given for them."""

from __future__ import annotations

from typing import TypedDict
from uuid import UUID

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from people.rest import Body, DoneNumber, Endpoint, answer, context, given, operation
from people.web import actor_of
from tournaments import answers as to
from tournaments import selectors, services, shapes
from tournaments.domain.clock import MOST_CHANGE
from tournaments.domain.outage import LONGEST_S


class OutageFull(TypedDict):
    """The server was away from `since` to `until` (UTC text) while round `round` was on (0: none).

    `seconds` is the true length, null where its clock cannot say, 0 where only its clock was set.
    `clock_ran`: the clock of the round ran. `copy`: the log is a copy, which may lack whatever came
    after `since`. `offered_min` for all tables. `waits` for the desk; afterwards `given_s` seconds
    went to the matches `tables` (empty: all), and the clock of the round was moved by `moved_s`.
    """

    id: str
    round: int
    since: str
    until: str
    seconds: int | None
    clock_ran: bool
    copy: bool
    offered_min: int
    waits: bool
    length_s: int
    given_s: int
    moved_s: int
    tables: list[str]
    settled_at: str


class OutageList(TypedDict):
    """All of an event, newest first; `open_tables` of the round that is on, whose slips are to be
    checked where the log is a copy."""

    outages: list[OutageFull]
    open_tables: list[to.TableLine]


def _outage(one: selectors.OutageView) -> OutageFull:
    row = one.row
    return {
        "id": row.pk,
        "round": row.round,
        "since": row.since,
        "until": row.until,
        "seconds": row.seconds,
        "clock_ran": row.ran,
        "copy": row.copy,
        "offered_min": one.offered,
        "waits": one.waits,
        "length_s": row.length_s,
        "given_s": row.given_s,
        "moved_s": row.by_s,
        "tables": list(row.tables),
        "settled_at": row.settled_at,
    }


class Outages(Endpoint):
    """Outages of the server."""

    guard_action = "tournaments.desk_use"

    @operation("outages_read", answers=OutageList)
    def get(self, request: Request, event: UUID) -> Response:
        """Answer them, newest first."""
        view = selectors.outage_desk(actor_of(request), str(event))
        found: OutageList = {
            "outages": [_outage(one) for one in view.outages],
            "open_tables": [shapes.table(one) for one in view.tables],
        }
        return Response(found)


class SettleInput(Body):
    """`given_s` seconds for all tables of the round, or for the matches `tables`; 0: nothing.
    `length_s` states how long it was where the clock cannot say."""

    given_s = serializers.IntegerField(min_value=0, max_value=MOST_CHANGE)
    length_s = serializers.IntegerField(min_value=0, max_value=LONGEST_S, required=False)
    tables = serializers.ListField(child=serializers.UUIDField(), max_length=5000, required=False)


class OutageSettle(Endpoint):
    """An outage that waits."""

    guard_action = "tournaments.clock_run"

    @operation("outages_settle", answers=DoneNumber, body=SettleInput)
    def post(self, request: Request, event: UUID, outage: UUID) -> Response:
        """Give time for it, or nothing; answer by how many seconds the round's clock moved."""
        values = given(SettleInput, request)
        return answer(
            services.outage_settle(
                context(request),
                event_id=str(event),
                outage_id=str(outage),
                given_s=values["given_s"],
                length_s=values.get("length_s"),
                tables=[str(one) for one in values.get("tables", ())],
            )
        )


class OutageReopen(Endpoint):
    """An outage that was decided."""

    guard_action = "tournaments.clock_run"

    @operation("outages_reopen", answers=DoneNumber)
    def post(self, request: Request, event: UUID, outage: UUID) -> Response:
        """Take back what was given; answer by how many seconds the round's clock moved."""
        return answer(
            services.outage_reopen(context(request), event_id=str(event), outage_id=str(outage))
        )
