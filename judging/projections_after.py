"""The read tables of disputes and of packets of disqualifications."""

from __future__ import annotations

from typing import Any

from eventstore.domain.envelope import Recorded
from eventstore.projections import Projection
from judging.domain.dispute import (
    APPEALED,
    CORRECTED,
    LEFT,
    RAISED,
    RULED,
    TAKEN,
    WAITS,
    WITHDRAWN,
)
from judging.domain.dispute_events import (
    DisputeAppealed,
    DisputeAppealRuled,
    DisputeGivenBack,
    DisputeRaised,
    DisputeRuled,
    DisputeSettled,
    DisputeTaken,
    DisputeWindowSet,
    DisputeWithdrawn,
)
from judging.domain.packet_events import (
    PacketEvidenceKept,
    PacketPersonAdded,
    PacketPersonLeftOut,
    PacketReportKept,
    PacketSent,
    PacketSigned,
    PacketStatementKept,
    PacketUndone,
)
from judging.models_after import DisputeRow, DisputeWindowRow, PacketRow
from tournaments.events import EntrantDisqualified

disputes = Projection("judging.disputes", [DisputeRow, DisputeWindowRow])
packets = Projection("judging.packets", [PacketRow])


@disputes.on(DisputeRaised)
def dispute_raised(event: DisputeRaised, recorded: Recorded) -> None:
    """A new dispute."""
    DisputeRow(
        dispute_id=event.dispute,
        event_id=event.tournament,
        match_id=event.match,
        duel_id=event.duel,
        round=event.round,
        table=event.table,
        line=event.line,
        state=RAISED,
        seats=[list(persons) for persons in event.seats],
        entrants=list(event.entrants),
        ruled_by=list(event.ruled_by),
        until=event.until or "",
        by=event.by,
        at=event.at,
        reason=event.reason,
    ).save()


def _change(dispute_id: str, **values: object) -> None:
    row = DisputeRow.objects.get(pk=dispute_id)
    for name, value in values.items():
        setattr(row, name, value)
    row.save()


@disputes.on(DisputeWithdrawn)
def dispute_withdrawn(event: DisputeWithdrawn, recorded: Recorded) -> None:
    """Over without a review."""
    _change(event.dispute, state=WITHDRAWN)


@disputes.on(DisputeTaken)
def dispute_taken(event: DisputeTaken, recorded: Recorded) -> None:
    """A judge has it."""
    _change(event.dispute, state=TAKEN, taken_by=event.by, conflicts=list(event.conflicts))


@disputes.on(DisputeGivenBack)
def dispute_given_back(event: DisputeGivenBack, recorded: Recorded) -> None:
    """Back in the queue."""
    appealed = DisputeRow.objects.get(pk=event.dispute).appealed_at
    state = APPEALED if appealed else RAISED
    _change(event.dispute, state=state, taken_by="", conflicts=[])


@disputes.on(DisputeAppealed)
def dispute_appealed(event: DisputeAppealed, recorded: Recorded) -> None:
    """For the head judge."""
    _change(
        event.dispute,
        state=APPEALED,
        taken_by="",
        conflicts=[],
        appealed_by=event.by,
        appealed_at=event.at,
        appeal_reason=event.reason,
    )


@disputes.on(DisputeAppealRuled)
def dispute_appeal_ruled(event: DisputeAppealRuled, recorded: Recorded) -> None:
    """Decided, for good."""
    _change(event.dispute, appeal_outcome=event.outcome)


@disputes.on(DisputeRuled)
def dispute_ruled(event: DisputeRuled, recorded: Recorded) -> None:
    """Reviewed; a change of the result waits."""
    _change(
        event.dispute,
        state=RULED if event.proposed is None else WAITS,
        outcome=event.outcome,
        call_id=event.call,
        ruling_id=event.ruling,
        ruled_at=event.at,
        proposed=event.proposed,
    )


@disputes.on(DisputeSettled)
def dispute_settled(event: DisputeSettled, recorded: Recorded) -> None:
    """The result is corrected, or left."""
    _change(
        event.dispute,
        state=CORRECTED if event.corrected else LEFT,
        settled_by=event.by,
        settled_at=event.at,
        note=event.note,
    )


@disputes.on(DisputeWindowSet)
def dispute_window_set(event: DisputeWindowSet, recorded: Recorded) -> None:
    """The newest choice counts."""
    DisputeWindowRow.objects.filter(pk=event.tournament).delete()
    DisputeWindowRow(event_id=event.tournament, minutes=event.minutes).save()


@packets.on(EntrantDisqualified)
def entrant_disqualified(event: EntrantDisqualified, recorded: Recorded) -> None:
    """A disqualification opens a packet, wherever it came from; one after another that was taken
    back goes on with what the packet holds."""
    PacketRow(
        entrant_id=event.entrant_id,
        event_id=event.event_id,
        opened_at=recorded.recorded_at,
        opened_by=recorded.meta.actor,
        rule=event.rule or "",
    ).save()


def _added(event: Any, recorded: Recorded) -> None:
    """Whatever is added takes the signature away."""
    PacketRow.objects.filter(pk=event.entrant).update(signed_at="")


for _type in (
    PacketPersonAdded,
    PacketPersonLeftOut,
    PacketStatementKept,
    PacketReportKept,
    PacketEvidenceKept,
):
    packets.on(_type)(_added)


@packets.on(PacketSigned)
def packet_signed(event: PacketSigned, recorded: Recorded) -> None:
    """Complete, in the word of the head judge."""
    PacketRow.objects.filter(pk=event.entrant).update(signed_at=event.at)


@packets.on(PacketUndone)
def packet_undone(event: PacketUndone, recorded: Recorded) -> None:
    """Not owed any more, until the same entrant is disqualified again."""
    PacketRow.objects.filter(pk=event.entrant).update(signed_at="", undone_at=event.at)


@packets.on(PacketSent)
def packet_sent(event: PacketSent, recorded: Recorded) -> None:
    """Closed."""
    PacketRow.objects.filter(pk=event.entrant).update(sent_at=event.at)
