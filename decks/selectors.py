"""Reads of deck lists. A list is hidden information until its event says otherwise."""

from __future__ import annotations

from dataclasses import dataclass

from decks import library
from decks.checking import Checked, check_content
from decks.domain.decklist import DeckList
from decks.domain.preset_data import preset_hash
from decks.domain.presets import PRESETS, Preset
from decks.domain.registration import (
    NEW,
    Change,
    Registration,
    Source,
    difference,
    evolve,
)
from decks.domain.report import Report
from decks.domain.ydk import write_ydk
from decks.events import (
    ListConfirmed,
    ListLocked,
    ListSubmitted,
    ListUnlocked,
)
from decks.models import DeckInForce, PresetVersion
from decks.services import stream_of
from eventstore import store
from eventstore.domain.envelope import Recorded, fold
from eventstore.domain.refusal import Refusal
from people import vault
from people.access import require
from people.domain.actor import Actor
from people.domain.permissions import Subject


@dataclass(frozen=True, slots=True)
class DeckVersion:
    """One version of a list: its number, when it came in (UTC text), the list, and what differs
    from the version before. `source` player, paper or judge; `by` is whoever sent it. `reason`
    of a repair is None for others, and after its author was erased."""

    number: int
    submitted_at: str
    deck: DeckList
    deck_hash: str
    preset: str
    banlist_id: str | None
    source: str = "player"
    errors: tuple[str, ...] = ()
    by: str = ""
    reason: str | None = None
    infraction: str = ""
    ruling_id: str = ""
    changes: tuple[Change, ...] = ()
    checked: bool = False


@dataclass(frozen=True, slots=True)
class LockMark:
    """A lock or an unlock. `reason` is None for a lock, and after its author was erased."""

    locked: bool
    at: str
    reason: str | None


@dataclass(frozen=True, slots=True)
class DeckHistory:
    """All versions and marks of one list, oldest first."""

    versions: tuple[DeckVersion, ...]
    marks: tuple[LockMark, ...]

    @property
    def repaired(self) -> DeckVersion | None:
        """The version in force when a judge made it."""
        last = self.versions[-1] if self.versions else None
        return last if last is not None and last.source == Source.JUDGE else None


def _recorded(deck_id: str) -> list[Recorded]:
    return store.read_stream(stream_of(deck_id))


def _registration(deck_id: str) -> Registration:
    """Return the state of a deck's stream. Unguarded, for services: one query."""
    return fold(NEW, evolve, (one.data for one in _recorded(deck_id)))


def _guard(viewer: Actor, state: Registration) -> None:
    """Ask for the right to read a list. A deck that is not there is as hidden as one that is
    not the viewer's: both raise NotAllowed."""
    subject = Subject(public=False)
    if state.persons:
        owners = frozenset(state.persons)
        subject = Subject(event_id=state.event_id, owners=owners, public=False)
    require(viewer, "decks.list_read", subject)


def deck_in_force(viewer: Actor, deck_id: str) -> Registration:
    """Return the list in force and whether it is locked. Raises NotAllowed; Refused
    `decks.bad_id`."""
    state = _registration(deck_id)
    _guard(viewer, state)
    return state


def deck_versions(viewer: Actor, deck_id: str) -> DeckHistory:
    """Return every version, lock and unlock. Raises NotAllowed; Refused `decks.bad_id`."""
    recorded = _recorded(deck_id)
    _guard(viewer, fold(NEW, evolve, (one.data for one in recorded)))
    checked = {one.data.number for one in recorded if isinstance(one.data, ListConfirmed)}
    versions: list[DeckVersion] = []
    marks: list[LockMark] = []
    for one in recorded:
        data = one.data
        if isinstance(data, ListSubmitted):
            deck = DeckList(data.main, data.extra, data.side)
            before = versions[-1].deck if versions else deck
            versions.append(
                DeckVersion(
                    number=data.number,
                    submitted_at=one.recorded_at,
                    deck=deck,
                    deck_hash=data.deck_hash,
                    preset=data.preset,
                    banlist_id=data.banlist_id,
                    source=data.source,
                    errors=data.errors,
                    by=one.meta.actor,
                    reason=vault.open_text(data.author_id, data.reason) if data.reason else None,
                    infraction=data.infraction,
                    ruling_id=data.ruling_id,
                    changes=difference(before, deck),
                    checked=data.number in checked,
                )
            )
        elif isinstance(data, ListLocked):
            marks.append(LockMark(True, one.recorded_at, None))
        elif isinstance(data, ListUnlocked):
            reason = vault.open_text(data.author_id, data.reason)
            marks.append(LockMark(False, one.recorded_at, reason))
    return DeckHistory(tuple(versions), tuple(marks))


def typed_and_report(viewer: Actor, deck_id: str) -> tuple[str, Report] | None:
    """Return what was typed of an illegal paper list that is in force, and its report; None for
    any other list. Where the text cannot be opened any more, the cards alone are checked and the
    text is empty. Raises NotAllowed; Refused `decks.bad_id`."""
    state = _registration(deck_id)
    held = state.submitted
    subject = Subject(event_id=held.event_id if held else None, public=False)
    require(viewer, "decks.paper_handle", subject)
    if held is None or not held.errors:
        return None
    typed = vault.open_text(held.author_id, held.text) or ""
    written = typed or write_ydk(state.deck)
    if isinstance(written, Refusal):
        return None
    return typed, check_content(written, held.preset, held.banlist_id).report


def _decks_of_event(event_id: str) -> list[DeckInForce]:
    """Return the rows of an event's lists, oldest hand-in first. Unguarded, for services."""
    return list(DeckInForce.objects.filter(event_id=event_id).order_by("submitted_at", "deck_id"))


def decks_of_event(viewer: Actor, event_id: str) -> list[DeckInForce]:
    """Return who has handed in what size of list, also on paper: one query. Raises
    NotAllowed."""
    require(viewer, "decks.list_read", Subject(event_id=event_id, public=False))
    return _decks_of_event(event_id)


def list_check(
    viewer: Actor, content: str | bytes, *, preset: str, banlist_id: str | None = None
) -> Checked:
    """Check a list and keep nothing.

    Raises NotAllowed; Refused `decks.unknown_preset`, `decks.unknown_banlist`.
    """
    require(viewer, "decks.list_check")
    return check_content(content, preset, banlist_id)


@dataclass(frozen=True, slots=True)
class PresetKnown:
    """A preset with the hash of its data; `version` and `published_at` are None for one of the
    house."""

    preset: Preset
    preset_hash: str
    version: int | None = None
    newest: bool = True
    published_at: str | None = None


def preset_versions(viewer: Actor) -> list[PresetVersion]:
    """Return every version of the presets that organisers made, without their data: one query.
    Raises NotAllowed."""
    require(viewer, "decks.preset_read")
    rows = PresetVersion.objects.defer("body")
    return list(rows.order_by("title", "preset_id", "-version"))


def preset_known(viewer: Actor, name: str) -> PresetKnown | None:
    """Return a preset by name; None when there is none. Raises NotAllowed."""
    require(viewer, "decks.preset_read")
    held = library.preset(name)
    if held is None:
        return None
    if name in PRESETS:
        return PresetKnown(held, preset_hash(held))
    row = PresetVersion.objects.defer("body").get(pk=name)
    return PresetKnown(held, row.preset_hash, row.version, row.newest, row.published_at)
