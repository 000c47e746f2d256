"""Photos of a table in a case: only where the policy pack allows them, made anew without what a
camera writes into them, sealed under the key of the player whose side they show."""

from __future__ import annotations

from collections.abc import Iterable

from decks import photos
from decks.pictures import Picture
from eventstore import clock
from eventstore.commands import Unit, command
from eventstore.domain.refusal import Refusal, Refused
from eventstore.domain.registry import DomainEvent
from eventstore.ids import is_id
from eventstore.store import read_stream
from judging import handling
from judging.domain.photo_events import CasePhotoErased, CasePhotographed
from judging.domain.words import SEATS
from judging.models import CallRow
from judging.packs import pack
from people.access import NotAllowed, require
from people.domain.actor import Actor
from people.domain.permissions import Verdict

MOST = 6
"""Photos that a case may have at a time."""


def _row(viewer: Actor, call_id: str, action: str) -> CallRow:
    row = CallRow.objects.filter(pk=call_id).first() if is_id(call_id) else None
    if row is None:
        raise NotAllowed(action, Verdict.HIDDEN)
    require(viewer, action, handling.subject(row.event_id, row.seats))
    return row


def _kept(events: Iterable[DomainEvent]) -> dict[str, CasePhotographed]:
    """The photos that were not erased, by id, oldest first."""
    held: dict[str, CasePhotographed] = {}
    for event in events:
        if isinstance(event, CasePhotographed):
            held[event.photo] = event
        elif isinstance(event, CasePhotoErased):
            held.pop(event.photo, None)
    return held


def _stream(call_id: str) -> str:
    return f"photos-{call_id}"


@command("judging.case_photo_add")
def case_photo_add(unit: Unit, *, call_id: str, seat: str, photo_id: str, picture: Picture) -> None:
    """Keep a photo of the side of `seat` at the table of an open call.

    Raises Refused (judging.call_over, photos_not_allowed, unknown_seat, `decks.photos_many`,
    `decks.bad_id`), NotAllowed.
    """
    row = _row(unit.actor, call_id, "judging.case_read")
    if seat not in SEATS:
        raise Refused(Refusal("judging.unknown_seat", {"found": seat[:10], "allowed": SEATS}))
    if not row.open:
        raise Refused(Refusal("judging.call_over", {"found": row.state}))
    if not pack(row.pack, row.pack_version).photos_allowed:
        raise Refused(Refusal("judging.photos_not_allowed", {"found": row.pack}))
    before = read_stream(_stream(call_id))
    held = _kept(one.data for one in before)
    if len(held) >= MOST:
        raise Refused(Refusal("decks.photos_many", {"found": len(held), "allowed": MOST}))
    person = row.seats[SEATS.index(seat)][0]
    photos.keep(
        unit,
        photo_id=photo_id,
        event_id=row.event_id,
        person_id=person,
        about=call_id,
        picture=picture,
    )
    taken = CasePhotographed(
        call_id, row.event_id, row.match_id, photo_id, person, picture.sha256, picture.width,
        picture.height, unit.actor.ref, clock.as_text(unit.now),
    )  # fmt: skip
    unit.append(_stream(call_id), len(before), [taken])


@command("judging.case_photo_erase")
def case_photo_erase(unit: Unit, *, call_id: str, photo_id: str) -> None:
    """Erase a photo of a case for good. Raises Refused (`decks.photo_gone`), NotAllowed."""
    _row(unit.actor, call_id, "judging.case_read")
    _row(unit.actor, call_id, "decks.photo_erase")
    before = read_stream(_stream(call_id))
    if photo_id not in _kept(one.data for one in before):
        raise Refused(Refusal("decks.photo_gone"))
    photos.forget(photo_id)
    erased = CasePhotoErased(call_id, photo_id, unit.actor.ref, clock.as_text(unit.now))
    unit.append(_stream(call_id), len(before), [erased])


def case_photos(viewer: Actor, call_id: str) -> list[CasePhotographed]:
    """Return the photos of a case that are kept still, oldest first: three queries. Raises
    NotAllowed."""
    row = _row(viewer, call_id, "judging.case_read")
    held = _kept(one.data for one in read_stream(_stream(call_id)))
    there = photos.photos_about(viewer, row.event_id, call_id) if held else {}
    return [one for key, one in held.items() if key in there]
