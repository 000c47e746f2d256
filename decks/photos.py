"""Photos of lists and decks: kept sealed beside the log, seen by staff, erased for good."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

from decks.models import Photo
from decks.pictures import Picture
from eventstore import clock
from eventstore.commands import Unit
from eventstore.domain.refusal import Refusal, Refused
from eventstore.ids import is_id
from people import vault
from people.access import NotAllowed, require
from people.domain.actor import Actor
from people.domain.permissions import Subject, Verdict
from people.erasure import on_erase, on_export


def keep(
    unit: Unit, *, photo_id: str, event_id: str, person_id: str, about: str, picture: Picture
) -> None:
    """Keep a picture of `person_id`, in the transaction of the command that tells of it. The
    caller has asked the permission table. Raises Refused `decks.bad_id`."""
    if not is_id(photo_id) or Photo.objects.filter(pk=photo_id).exists():
        raise Refused(Refusal("decks.bad_id", {"found": photo_id[:40]}))
    Photo.objects.create(
        photo_id=photo_id,
        event_id=event_id,
        person_id=person_id,
        about=about,
        sha256=picture.sha256,
        sealed=vault.seal_bytes(person_id, picture.data),
        taken_at=clock.as_text(unit.now),
        taken_by=unit.actor.ref,
    )


def forget(photo_id: str) -> None:
    """Take a picture away, in the transaction of the command that tells of it."""
    Photo.objects.filter(pk=photo_id).delete()


def photos_about(viewer: Actor, event_id: str, about: str) -> dict[str, Photo]:
    """Return the photos that are kept of a deck or at a call, without their pictures, by id:
    one query. Raises NotAllowed."""
    require(viewer, "decks.photo_read", Subject(event_id=event_id, public=False))
    rows = Photo.objects.filter(event_id=event_id, about=about).defer("sealed")
    return {one.photo_id: one for one in rows.order_by("taken_at", "photo_id")}


def photo_data(viewer: Actor, photo_id: str) -> bytes:
    """Return the JPEG of a photo. A photo that is not there, cannot be opened any more, or is
    not what the log has the hash of, is hidden. Raises NotAllowed."""
    row = Photo.objects.filter(pk=photo_id).first() if is_id(photo_id) else None
    require(
        viewer,
        "decks.photo_read",
        Subject(event_id=row.event_id if row else None, public=False),
    )
    data = None if row is None else vault.open_bytes(row.person_id, bytes(row.sealed))
    if row is None or data is None or hashlib.sha256(data).hexdigest() != row.sha256:
        raise NotAllowed("decks.photo_read", Verdict.HIDDEN)
    return data


@on_erase("photos")
def _erase(person_id: str) -> int:
    return Photo.objects.filter(person_id=person_id).delete()[0]


@on_export("photos")
def _export(person_id: str) -> list[dict[str, Any]]:
    found = []
    for row in Photo.objects.filter(person_id=person_id).order_by("taken_at", "photo_id"):
        data = vault.open_bytes(person_id, bytes(row.sealed))
        found.append(
            {
                "event_id": row.event_id,
                "taken_at": row.taken_at,
                "jpeg": base64.b64encode(data).decode() if data else None,
            }
        )
    return found
