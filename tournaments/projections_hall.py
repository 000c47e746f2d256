"""The projector of the hall: messages from the desk, and how an event prints."""

from __future__ import annotations

import msgspec

from eventstore.domain.envelope import Recorded
from eventstore.projections import Projection
from tournaments import events as ev
from tournaments.models_hall import MessageRow, PaperRow

hall = Projection("tournaments.hall", [MessageRow, PaperRow])


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
