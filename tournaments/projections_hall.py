"""The projector of the hall: messages from the desk, how an event prints, outages."""

from __future__ import annotations

import msgspec

from eventstore.domain.envelope import Recorded
from eventstore.projections import Projection
from tournaments import events as ev
from tournaments.domain import outage_events as away
from tournaments.models_hall import MessageRow, OutageRow, PaperRow

hall = Projection("tournaments.hall", [MessageRow, PaperRow, OutageRow])


@hall.on(ev.MessagePosted)
def message_posted(event: ev.MessagePosted, recorded: Recorded) -> None:
    MessageRow.objects.bulk_create(
        [
            MessageRow(
                id=event.message_id,
                event_id=event.event_id,
                author=recorded.meta.actor,
                audience=event.audience,
                text=event.text,
                round=event.round,
                first=event.first,
                last=event.last,
                persons=list(event.persons),
                posted_at=recorded.recorded_at,
                until=event.until,
            )
        ]
    )


@hall.on(ev.MessageWithdrawn)
def message_withdrawn(event: ev.MessageWithdrawn, recorded: Recorded) -> None:
    MessageRow.objects.filter(pk=event.message_id).update(withdrawn_at=recorded.recorded_at)


@hall.on(ev.PaperChosen)
def paper_chosen(event: ev.PaperChosen, recorded: Recorded) -> None:
    values = msgspec.to_builtins(event.choice)
    PaperRow.objects.filter(pk=event.event_id).delete()
    PaperRow.objects.bulk_create([PaperRow(event_id=event.event_id, **values)])


@hall.on(away.OutageNoticed)
def outage_noticed(event: away.OutageNoticed, recorded: Recorded) -> None:
    OutageRow.objects.filter(pk=event.outage).delete()
    OutageRow.objects.bulk_create(
        [
            OutageRow(
                id=event.outage,
                event_id=event.event_id,
                round=event.round,
                since=event.since,
                until=event.until,
                seconds=event.seconds,
                ran=event.ran,
                copy=event.copy,
            )
        ]
    )


@hall.on(away.OutageSettled)
def outage_settled(event: away.OutageSettled, recorded: Recorded) -> None:
    OutageRow.objects.filter(pk=event.outage).update(
        length_s=event.length_s,
        given_s=event.given_s,
        by_s=event.by_s,
        tables=list(event.tables),
        settled_by=recorded.meta.actor,
        settled_at=event.at,
    )


@hall.on(away.OutageReopened)
def outage_reopened(event: away.OutageReopened, recorded: Recorded) -> None:
    OutageRow.objects.filter(pk=event.outage).update(
        length_s=0, given_s=0, by_s=0, tables=[], settled_by="", settled_at=""
    )


@hall.on(ev.RoundWithdrawn)
def round_withdrawn(event: ev.RoundWithdrawn, recorded: Recorded) -> None:
    """Its outages are of no round any more."""
    OutageRow.objects.filter(event_id=event.event_id, round=event.round).update(round=0)
