"""Commands on deck lists handed in for an event.

Deadlines and the state of the event are decided by the caller, who owns the event; here only
the list itself is decided.
"""

from __future__ import annotations

from typing import Any

import msgspec

from decks import photos
from decks.checking import Checked, check_content
from decks.domain.decklist import deck_hash
from decks.domain.registration import (
    NEW,
    Registration,
    Source,
    decide_confirm,
    decide_enter,
    decide_lock,
    decide_move,
    decide_photo,
    decide_photo_erase,
    decide_receive,
    decide_repair,
    decide_return,
    decide_submit,
    decide_unlock,
    evolve,
)
from decks.domain.report import Report
from decks.events import ListSubmitted, PaperPhotographed, PaperReceived
from decks.pictures import Picture
from eventstore import clock
from eventstore.commands import Loaded, Unit, accept, command
from eventstore.domain.refusal import Refusal, Refused
from eventstore.ids import is_id
from people import vault
from people.access import require
from people.domain.permissions import Subject

MAX_REASON = 500
MAX_TYPED = 20_000
"""Signs of a list that staff type in: it is kept as typed."""


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
    loaded = unit.load(stream_of(deck_id), NEW, evolve)
    owners = loaded.state.persons if loaded.state.event_id == event_id else ()
    require(unit.actor, "decks.list_submit", _subject(event_id, person_id, *owners))
    checked = check_content(content, preset, banlist_id)
    whose = {
        "deck_id": deck_id,
        "event_id": event_id,
        "entrant_id": entrant_id,
        "person_id": person_id,
    }
    offered = _offered(whose, checked, preset, banlist_id)
    events = accept(decide_submit(loaded.state, offered))
    if not checked.report.legal:
        raise Refused(illegal(checked.report))
    unit.append(loaded.stream, loaded.version, events)
    return _submitted(loaded, offered, checked, bool(events))


def _offered(
    whose: dict[str, str], checked: Checked, preset: str, banlist_id: str | None, **more: Any
) -> ListSubmitted:
    """Make a version that is not numbered yet. `whose` are the four ids of a list."""
    deck, report = checked.deck, checked.report
    return ListSubmitted(
        deck_id=whose["deck_id"],
        event_id=whose["event_id"],
        entrant_id=whose["entrant_id"],
        person_id=whose["person_id"],
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
        **more,
    )


def _submitted(
    loaded: Loaded[Registration], offered: ListSubmitted, checked: Checked, changed: bool
) -> Submitted:
    return Submitted(
        deck_id=offered.deck_id,
        number=loaded.state.number + changed,
        unchanged=not changed,
        deck_hash=offered.deck_hash,
        format=checked.format,
        counts=checked.report.counts,
        warnings=[one.as_json() for one in checked.report.warnings],
    )


def _subject(event_id: str, *persons: str) -> Subject:
    return Subject(event_id=event_id, owners=frozenset(persons), public=False)


def _subject_of(state: Registration) -> Subject:
    """The subject of a list by its own stream, never by what a caller says."""
    return _subject(state.event_id, *state.persons) if state.persons else Subject(public=False)


def _whose(state: Registration, deck_id: str) -> dict[str, str]:
    """The four ids of a list that is there, as its next version names them."""
    return {
        "deck_id": deck_id,
        "event_id": state.event_id,
        "entrant_id": state.entrant_id,
        "person_id": state.persons[0],
    }


@command("decks.list_move")
def list_move(
    unit: Unit, *, deck_id: str, entrant_id: str, persons: list[str], same: list[str]
) -> bool:
    """Let a list follow its player, whose ids `same` were made one or parted: it is that of
    `entrant_id` with these persons from here on. Say whether anything changed. The caller says who
    is who. Raises NotAllowed; Refused `decks.no_list`, `decks.bad_id`."""
    loaded = unit.load(stream_of(deck_id), NEW, evolve)
    require(unit.actor, "people.person_merge", _subject_of(loaded.state))
    made = decide_move(
        loaded.state, entrant_id=entrant_id, persons=tuple(persons), same=tuple(same)
    )
    events = accept(made)
    unit.append(loaded.stream, loaded.version, events)
    return bool(events)


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
    author = unit.actor.ref
    events = accept(decide_unlock(loaded.state, author, _sealed_reason(unit, reason)))
    unit.append(loaded.stream, loaded.version, events)
    return LockState(deck_id, loaded.state.number, False)


def _sealed_reason(unit: Unit, reason: str) -> str:
    """Seal a reason of the actor. Raises Refused (`decks.reason_missing`, `reason_too_long`)."""
    reason = " ".join(reason.split())
    if not reason:
        raise Refused(Refusal("decks.reason_missing"))
    if len(reason) > MAX_REASON:
        params = {"found": len(reason), "allowed": MAX_REASON}
        raise Refused(Refusal("decks.reason_too_long", params))
    return vault.seal(unit.actor.ref, reason)


class PaperState(msgspec.Struct, frozen=True):
    """How far a list is after a command: `state` none, paper, photographed, entered, checked;
    `errors` are the codes of an illegal list that is kept."""

    deck_id: str
    state: str
    number: int
    errors: list[str] = []


def _paper_state(deck_id: str, state: Registration, events: list[Any]) -> PaperState:
    for one in events:
        state = evolve(state, one)
    errors = list(state.submitted.errors) if state.submitted else []
    return PaperState(deck_id, state.state.value, state.number, errors)


def _handled(unit: Unit, deck_id: str, action: str = "decks.paper_handle") -> Loaded[Registration]:
    """Load a list for staff. Raises NotAllowed; Refused `decks.bad_id`."""
    loaded = unit.load(stream_of(deck_id), NEW, evolve)
    require(unit.actor, action, _subject_of(loaded.state))
    return loaded


def _kept(unit: Unit, loaded: Loaded[Registration], deck_id: str, decided: Any) -> PaperState:
    events = accept(decided)
    unit.append(loaded.stream, loaded.version, events)
    return _paper_state(deck_id, loaded.state, events)


@command("decks.paper_receive")
def paper_receive(
    unit: Unit, *, deck_id: str, event_id: str, entrant_id: str, person_id: str
) -> PaperState:
    """Take a list on paper at the desk: handed in now. Again: no effect. Raises NotAllowed;
    Refused `decks.list_there`, `decks.list_locked`, `decks.not_this_entrant`, `decks.bad_id`."""
    require(unit.actor, "decks.paper_handle", _subject(event_id, person_id))
    loaded = unit.load(stream_of(deck_id), NEW, evolve)
    offered = PaperReceived(
        deck_id, event_id, entrant_id, person_id, unit.actor.ref, clock.as_text(unit.now)
    )
    return _kept(unit, loaded, deck_id, decide_receive(loaded.state, offered))


@command("decks.paper_return")
def paper_return(unit: Unit, *, deck_id: str) -> PaperState:
    """Take a mark back that was a mistake. Raises NotAllowed; Refused `decks.no_paper`,
    `decks.list_locked`, `decks.paper_used`, `decks.bad_id`."""
    loaded = _handled(unit, deck_id)
    return _kept(unit, loaded, deck_id, decide_return(loaded.state, unit.actor.ref))


@command("decks.paper_enter")
def paper_enter(
    unit: Unit, *, deck_id: str, content: str, preset: str, banlist_id: str | None = None
) -> PaperState:
    """Type in a list that was received on paper, as it stands there: an illegal one is kept with
    its errors, for a judge to repair. Raises NotAllowed; Refused `decks.no_paper`,
    `decks.list_confirmed`, `decks.list_repaired`, `decks.typed_too_long`,
    `decks.unknown_preset`, `decks.unknown_banlist`, `decks.bad_id`."""
    loaded = _handled(unit, deck_id)
    if len(content) > MAX_TYPED:
        params = {"found": len(content), "allowed": MAX_TYPED}
        raise Refused(Refusal("decks.typed_too_long", params))
    paper = loaded.state.paper
    if paper is None:
        raise Refused(Refusal("decks.no_paper"))
    checked = check_content(content, preset, banlist_id)
    author = unit.actor.ref
    errors = tuple(dict.fromkeys(one.code for one in checked.report.errors))
    offered = _offered(
        _whose(loaded.state, deck_id),
        checked,
        preset,
        banlist_id,
        source=Source.PAPER.value,
        errors=errors,
        author_id=author,
        text=vault.seal(author, content) if errors else "",
    )
    return _kept(unit, loaded, deck_id, decide_enter(loaded.state, offered))


@command("decks.list_confirm")
def list_confirm(unit: Unit, *, deck_id: str, number: int) -> PaperState:
    """Mark version `number` as checked. Raises NotAllowed; Refused `decks.no_list`,
    `decks.other_version`, `decks.repair_first`, `decks.bad_id`."""
    loaded = _handled(unit, deck_id)
    return _kept(unit, loaded, deck_id, decide_confirm(loaded.state, number, unit.actor.ref))


@command("decks.photo_add")
def photo_add(unit: Unit, *, deck_id: str, photo_id: str, picture: Picture) -> PaperState:
    """Keep a photo of the paper. Raises NotAllowed; Refused `decks.no_paper`,
    `decks.photos_many`, `decks.bad_id`."""
    loaded = _handled(unit, deck_id)
    held = loaded.state.paper
    offered = PaperPhotographed(
        deck_id,
        held.event_id if held else "",
        photo_id,
        picture.sha256,
        picture.width,
        picture.height,
        unit.actor.ref,
    )
    events = accept(decide_photo(loaded.state, offered))
    if events and held is not None:
        photos.keep(
            unit,
            photo_id=photo_id,
            event_id=held.event_id,
            person_id=loaded.state.persons[0],
            about=deck_id,
            picture=picture,
        )
    return _kept(unit, loaded, deck_id, events)


@command("decks.photo_erase")
def photo_erase(unit: Unit, *, deck_id: str, photo_id: str) -> PaperState:
    """Erase a photo of the paper for good; its hash stays in the log. Raises NotAllowed;
    Refused `decks.photo_gone`, `decks.bad_id`."""
    loaded = _handled(unit, deck_id, "decks.photo_erase")
    events = accept(decide_photo_erase(loaded.state, photo_id, unit.actor.ref))
    photos.forget(photo_id)
    return _kept(unit, loaded, deck_id, events)


@command("decks.list_repair")
def list_repair(
    unit: Unit,
    *,
    deck_id: str,
    content: str,
    reason: str,
    infraction: str,
    infraction_kind: str = "",
    ruling_id: str = "",
) -> Submitted:
    """A judge puts a list right, whatever its lock: a new version with the reason and the
    infraction it belongs to. The room of judging vouches for the infraction and its ruling.

    Raises NotAllowed; Refused `decks.illegal_list` (the repair must be legal), `decks.no_list`,
    `decks.nothing_repaired`, `decks.reason_missing`, `decks.reason_too_long`, `decks.bad_id`.
    """
    loaded = _handled(unit, deck_id, "decks.list_repair")
    held = loaded.state.submitted
    if held is None:
        raise Refused(Refusal("decks.no_list"))
    checked = check_content(content, held.preset, held.banlist_id)
    if not checked.report.legal:
        raise Refused(illegal(checked.report))
    offered = _offered(
        _whose(loaded.state, deck_id),
        checked,
        held.preset,
        held.banlist_id,
        source=Source.JUDGE.value,
        author_id=unit.actor.ref,
        reason=_sealed_reason(unit, reason),
        infraction=infraction,
        infraction_kind=infraction_kind,
        ruling_id=ruling_id,
    )
    events = accept(decide_repair(loaded.state, offered))
    unit.append(loaded.stream, loaded.version, events)
    return _submitted(loaded, offered, checked, bool(events))
