"""Photos of a table in a case. Stream `photos-<call>`; the pictures are kept outside the log
(decks.models.Photo), sealed, so that they can be erased."""

from __future__ import annotations

from eventstore.domain.registry import DomainEvent, event


@event("judging.case_photographed")
class CasePhotographed(DomainEvent, frozen=True):
    """A judge took a photo of the side of `person` at a table; `sha256` is the hash of the picture,
    `width` and `height` are pixels."""

    call: str
    tournament: str
    match: str
    photo: str
    person: str
    sha256: str
    width: int
    height: int
    by: str
    at: str


@event("judging.case_photo_erased")
class CasePhotoErased(DomainEvent, frozen=True):
    """A photo of a case was erased; its hash stays."""

    call: str
    photo: str
    by: str
    at: str
