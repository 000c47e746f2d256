"""Commands on deck lists handed in for an event.

Deadlines and the state of the event are decided by the caller, who owns the event; here only
the list itself is decided.
"""

from __future__ import annotations

from typing import Any

import msgspec

from decks.checking import check_content
from decks.domain.decklist import deck_hash
from decks.domain.registration import (
    NEW,
    Registration,
    decide_lock,
    decide_submit,
    decide_unlock,
    evolve,
)
from decks.domain.report import Report
from decks.events import ListSubmitted
from eventstore.commands import Unit, accept, command
from eventstore.domain.refusal import Refusal, Refused
from eventstore.ids import is_id
from people import vault
from people.access import require
from people.domain.permissions import Subject

MAX_REASON = 500


class Submitted(msgspec.Struct, frozen=True):
    """A list that was taken. `number` is its version; `unchanged` says that it is the list
    that was in force already. `warnings` are faults as plain JSON (decks.domain.report)."""

    deck_id: str
    number: int
    unchanged: bool
    deck_hash: str
    format: str
    counts: dict[str, int]
    warnings: list[dict[str, Any]]


class LockState(msgspec.Struct, frozen=True):
    """Whether the list is locked now, and the version in force."""

    deck_id: str
    number: int
    locked: bool


def stream_of(deck_id: str) -> str:
    """Return the stream of a deck; raises Refused `decks.bad_id`."""
    if not is_id(deck_id):
        raise Refused(Refusal("decks.bad_id", {"found": deck_id[:60]}))
    return f"deck-{deck_id}"


def illegal(report: Report) -> Refusal:
    """Make the refusal of an illegal list: every fault; `also` holds the rules, primary first."""
    rules = tuple(dict.fromkeys(one.rule for one in report.errors if one.rule))
    return Refusal("decks.illegal_list", report.as_json(), rules)


@command("decks.list_submit")
def list_submit(
    unit: Unit,
    *,
    deck_id: str,
    event_id: str,
    entrant_id: str,
    person_id: str,
    content: str | bytes,
    preset: str,
    banlist_id: str | None = None,
) -> Submitted:
    """Hand in a list: the first version, or the next one while the list is not locked.

    Raises NotAllowed; Refused `decks.illegal_list` (params: counts, errors, warnings; nothing
    is stored), `decks.list_locked`, `decks.not_this_entrant`, `decks.unknown_preset`,
    `decks.unknown_banlist`, `decks.bad_id`.
    """
    require(unit.actor, "decks.list_submit", _subject(event_id, person_id))
    loaded = unit.load(stream_of(deck_id), NEW, evolve)
    checked = check_content(content, preset, banlist_id)
    deck, report = checked.deck, checked.report
    offered = ListSubmitted(
        deck_id=deck_id,
        event_id=event_id,
        entrant_id=entrant_id,
        person_id=person_id,
        number=0,
        main=deck.main,
        extra=deck.extra,
        side=deck.side,
        format=checked.format,
        deck_hash=deck_hash(deck),
        preset=preset,
        banlist_id=banlist_id or None,
        banlist_hash=checked.banlist_hash,
        catalogue_hash=checked.catalogue_hash,
        findings=tuple(sorted({one.code for one in report.warnings})),
    )
    events = accept(decide_submit(loaded.state, offered))
    if not report.legal:
        raise Refused(illegal(report))
    unit.append(loaded.stream, loaded.version, events)
    return Submitted(
        deck_id=deck_id,
        number=loaded.state.number + len(events),
        unchanged=not events,
        deck_hash=offered.deck_hash,
        format=checked.format,
        counts=report.counts,
        warnings=[one.as_json() for one in report.warnings],
    )


def _subject(event_id: str, person_id: str) -> Subject:
    return Subject(event_id=event_id, owners=frozenset({person_id}), public=False)


def _subject_of(state: Registration) -> Subject:
    """The subject of a list by its own stream, never by what a caller says."""
    held = state.submitted
    return _subject(held.event_id, held.person_id) if held else Subject(public=False)


@command("decks.list_lock")
def list_lock(unit: Unit, *, deck_id: str) -> LockState:
    """Lock the list in force. Raises NotAllowed; Refused `decks.no_list`, `decks.bad_id`."""
    loaded = unit.load(stream_of(deck_id), NEW, evolve)
    require(unit.actor, "decks.list_lock", _subject_of(loaded.state))
    unit.append(loaded.stream, loaded.version, accept(decide_lock(loaded.state)))
    return LockState(deck_id, loaded.state.number, True)


@command("decks.list_unlock")
def list_unlock(unit: Unit, *, deck_id: str, reason: str) -> LockState:
    """Open a locked list again, with a reason that is kept sealed under its author's key.

    Raises NotAllowed; Refused `decks.no_list`, `decks.list_not_locked`, `decks.reason_missing`,
    `decks.reason_too_long`, `decks.bad_id`.
    """
    loaded = unit.load(stream_of(deck_id), NEW, evolve)
    require(unit.actor, "decks.list_lock", _subject_of(loaded.state))
    reason = " ".join(reason.split())
    if not reason:
        raise Refused(Refusal("decks.reason_missing"))
    if len(reason) > MAX_REASON:
        params = {"found": len(reason), "allowed": MAX_REASON}
        raise Refused(Refusal("decks.reason_too_long", params))
    author = unit.actor.ref
    events = accept(decide_unlock(loaded.state, author, vault.seal(author, reason)))
    unit.append(loaded.stream, loaded.version, events)
    return LockState(deck_id, loaded.state.number, False)
