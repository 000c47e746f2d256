"""REST API of disqualification packets. The read of one packet is its export as data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any, ClassVar
from uuid import UUID

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from judging import packet_reads as reads
from judging import packets
from judging.api import Words
from judging.domain.packet import HOWS, KINDS, ROLES
from judging.packet_reads import PacketView
from judging.packets import PacketState
from people.rest import (
    Body,
    DoneId,
    Endpoint,
    PageQuery,
    answer,
    context,
    given,
    only,
    operation,
    page,
)
from people.web import actor_of


class PacketPersonBody(Body):
    """Somebody involved: `person_id` of a known person, or the name of one who is not enrolled."""

    person_id = serializers.UUIDField(required=False, allow_null=True)
    display_name = Words(max_length=60)
    role = serializers.ChoiceField(list(ROLES), default="witness")


class PacketLeaveOutBody(Body):
    """Of whom no statement is asked, and why."""

    person_id = serializers.UUIDField()
    reason = Words(required=True, allow_blank=False)


class PacketStatementBody(Body):
    """What somebody involved states; `refused` needs no text."""

    person_id = serializers.UUIDField()
    how = serializers.ChoiceField(list(HOWS))
    text = Words()


class PacketReportBody(Body):
    """The report of the head judge, or an addendum."""

    text = Words(required=True, allow_blank=False)


class PacketEvidenceBody(Body):
    """A reference to evidence; `none`: there is none."""

    kind = serializers.ChoiceField(list(KINDS))
    text = Words()


class PacketSentBody(Body):
    """Where the packet was sent to."""

    note = Words(required=True, allow_blank=False)


class PacketUndoBody(Body):
    """Why the disqualification is taken back."""

    reason = Words(required=True, allow_blank=False)


class PacketsQuery(PageQuery):
    """Which packets."""

    state = serializers.CharField(max_length=12, required=False)


class Packets(Endpoint):
    """The packets of an event."""

    guard_action = "judging.packet_keep"

    @operation("judging_packets", answers=PacketView, query=PacketsQuery, pages=True)
    def get(self, request: Request, event_id: UUID) -> Response:
        """Answer the packets, those that are due first."""
        found = reads.packets(actor_of(request), str(event_id))
        return page(self, request, only(found, self.asked, "state"), asdict)


class Detail(Endpoint):
    """One packet."""

    guard_action = "judging.packet_keep"

    @operation("judging_packet_read", answers=PacketView)
    def get(self, request: Request, event_id: UUID, entrant_id: UUID) -> Response:
        """Answer the packet with everything it holds."""
        return Response(asdict(reads.packet(actor_of(request), str(event_id), str(entrant_id))))


class PacketCommand(Endpoint):
    """Base of the commands on one packet."""

    guard_action = "judging.packet_keep"
    body: ClassVar[type[Body] | None] = None
    service: ClassVar[Callable[..., Any]]

    def run(self, request: Request, event_id: UUID, entrant_id: UUID) -> Response:
        """Check the body, run the service, answer its result."""
        body = type(self).body
        values = given(body, request) if body is not None else {}
        ids = {"event_id": str(event_id), "entrant_id": str(entrant_id)}
        return answer(type(self).service(context(request), **ids, **values))


class Person(PacketCommand):
    """Somebody involved."""

    body = PacketPersonBody
    service = staticmethod(packets.packet_person_add)

    @operation("judging_packet_person", answers=DoneId, body=PacketPersonBody)
    def post(self, request: Request, event_id: UUID, entrant_id: UUID) -> Response:
        """Add somebody involved; answer the person id."""
        return self.run(request, event_id, entrant_id)


class LeaveOut(PacketCommand):
    """No statement asked."""

    body = PacketLeaveOutBody
    service = staticmethod(packets.packet_person_leave_out)

    @operation("judging_packet_leave_out", answers=PacketState, body=PacketLeaveOutBody)
    def post(self, request: Request, event_id: UUID, entrant_id: UUID) -> Response:
        """Ask no statement of somebody, with a reason."""
        return self.run(request, event_id, entrant_id)


class Statement(PacketCommand):
    """A statement."""

    body = PacketStatementBody
    service = staticmethod(packets.packet_statement_keep)

    @operation("judging_packet_statement", answers=PacketState, body=PacketStatementBody)
    def post(self, request: Request, event_id: UUID, entrant_id: UUID) -> Response:
        """Keep what somebody involved states."""
        return self.run(request, event_id, entrant_id)


class Report(PacketCommand):
    """The report."""

    guard_action = "judging.packet_sign"
    body = PacketReportBody
    service = staticmethod(packets.packet_report_keep)

    @operation("judging_packet_report", answers=PacketState, body=PacketReportBody)
    def post(self, request: Request, event_id: UUID, entrant_id: UUID) -> Response:
        """Keep the head judge's report."""
        return self.run(request, event_id, entrant_id)


class Evidence(PacketCommand):
    """Evidence."""

    body = PacketEvidenceBody
    service = staticmethod(packets.packet_evidence_keep)

    @operation("judging_packet_evidence", answers=PacketState, body=PacketEvidenceBody)
    def post(self, request: Request, event_id: UUID, entrant_id: UUID) -> Response:
        """Keep a reference to evidence."""
        return self.run(request, event_id, entrant_id)


class Sign(PacketCommand):
    """The signature."""

    guard_action = "judging.packet_sign"
    service = staticmethod(packets.packet_sign)

    @operation("judging_packet_sign", answers=PacketState)
    def post(self, request: Request, event_id: UUID, entrant_id: UUID) -> Response:
        """Sign that nothing is missing."""
        return self.run(request, event_id, entrant_id)


class Send(PacketCommand):
    """The sending."""

    guard_action = "judging.packet_send"
    body = PacketSentBody
    service = staticmethod(packets.packet_send)

    @operation("judging_packet_send", answers=PacketState, body=PacketSentBody)
    def post(self, request: Request, event_id: UUID, entrant_id: UUID) -> Response:
        """Say that the packet is sent: it closes."""
        return self.run(request, event_id, entrant_id)


class Undo(PacketCommand):
    """The disqualification taken back."""

    guard_action = "tournaments.disqualification_undo"
    body = PacketUndoBody
    service = staticmethod(packets.disqualification_undo)

    @operation("judging_disqualification_undo", answers=PacketState, body=PacketUndoBody)
    def post(self, request: Request, event_id: UUID, entrant_id: UUID) -> Response:
        """Take the disqualification back, with a reason."""
        return self.run(request, event_id, entrant_id)
