"""The read tables of disputes."""

from __future__ import annotations

from eventstore.domain.envelope import Recorded
from eventstore.projections import Projection
from judging.domain.dispute import CORRECTED, LEFT, RAISED, RESULT, RULED, TAKEN, WAITS, WITHDRAWN
from judging.domain.dispute_events import (
    DisputeGivenBack,
    DisputeRaised,
    DisputeRuled,
    DisputeSettled,
    DisputeTaken,
    DisputeWindowSet,
    DisputeWithdrawn,
)
from judging.models_after import DisputeRow, DisputeWindowRow

disputes = Projection("judging.disputes", [DisputeRow, DisputeWindowRow])


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
    _change(event.dispute, state=RAISED, taken_by="", conflicts=[])


@disputes.on(DisputeRuled)
def dispute_ruled(event: DisputeRuled, recorded: Recorded) -> None:
    """Reviewed; a change of the result waits."""
    _change(
        event.dispute,
        state=WAITS if event.outcome == RESULT else RULED,
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
