"""Events about the policy pack of an event: stream `policy-<event>`. Nothing in them is private."""

from __future__ import annotations

from eventstore.domain.registry import DomainEvent, event


@event("judging.pack_kept")
class PackKept(DomainEvent, frozen=True):
    """A version of the event's own pack: `content` is the whole of it as TOML, `hash` its SHA-256;
    `based_on` is the pack it was made of."""

    tournament: str
    pack: str
    version: str
    based_on: str
    content: str
    hash: str
    by: str
    at: str


@event("judging.pack_chosen")
class PackChosen(DomainEvent, frozen=True):
    """The event is judged by this version of a pack; `hash` is that of its values."""

    tournament: str
    pack: str
    version: str
    hash: str
    by: str
    at: str


@event("judging.pack_confirmed")
class PackConfirmed(DomainEvent, frozen=True):
    """An organiser has checked marked values against the live document: `values` are (path,
    canonical JSON of the value). They stay confirmed in every pack that has the same value."""

    tournament: str
    pack: str
    version: str
    values: tuple[tuple[str, str], ...]
    by: str
    at: str
