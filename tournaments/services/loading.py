"""What every command does first: load the stream, ask the permission table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from eventstore import store
from eventstore.ahead import ahead
from eventstore.commands import Loaded, Unit
from eventstore.domain.refusal import Refusal, Refused
from eventstore.ids import is_id, new_id
from eventstore.named import Statement
from eventstore.prepared import Bound, prepared
from people import vault
from people.access import require
from people.domain.permissions import Subject
from tournaments.domain import event as tournament
from tournaments.domain import match as match_of
from tournaments.domain.event import (
    CANCELLED,
    CLOSED,
    CUT,
    DRAFT,
    FINISHED,
    OPEN,
    RUNNING,
    Entrant,
    Tournament,
)
from tournaments.domain.match import Match
from tournaments.domain.setup import NOT_IN_MATCH
from tournaments.models import EventRow, MatchRow

MOST_NOTE = 4000
SEED_BITS = 53


def checked_id(text: str) -> str:
    """Return an id that a caller made; raises Refused (`tournaments.bad_id`)."""
    if not is_id(text):
        raise Refused(Refusal("tournaments.bad_id", {"found": str(text)[:60], "allowed": "UUID"}))
    return text


def event_stream(event_id: str) -> str:
    """Name of the stream of a tournament."""
    return f"tournament-{event_id}"


def match_stream(match_id: str) -> str:
    """Name of the stream of a match."""
    return f"match-{match_id}"


def _tournament(unit: Unit, event_id: str) -> Loaded[Tournament]:
    """Load a tournament; what is no id at all names none."""
    stream = event_stream(event_id)
    if not is_id(event_id):
        return Loaded(stream, 0, Tournament())
    return unit.load_recent(stream, Tournament(), tournament.evolve)


def load_event(
    unit: Unit, event_id: str, action: str, owners: Iterable[str] = (), *, stands: bool = False
) -> Loaded[Tournament]:
    """Load a tournament for an action on it; `stands`: not once it was cancelled.

    Raises NotAllowed (hidden for an event that does not exist or is not public yet), Refused
    (`tournaments.event_unknown`, `tournaments.wrong_state`).
    """
    loaded = _tournament(unit, event_id)
    known = bool(loaded.state.event_id)
    subject = Subject(
        event_id=event_id if known else None,
        owners=frozenset(owners),
        public=known and loaded.state.status != DRAFT,
    )
    require(unit.actor, action, subject)
    if not known:
        raise Refused(Refusal("tournaments.event_unknown", {"found": event_id}))
    if stands and loaded.state.status == CANCELLED:
        raise Refused(_over())
    return loaded


def event_of(unit: Unit, event_id: str) -> Loaded[Tournament]:
    """Load a tournament for a command that has asked for its right already."""
    return _tournament(unit, event_id)


def load_entrant(
    unit: Unit, event_id: str, entrant_id: str, action: str, *, stands: bool = False
) -> tuple[Loaded[Tournament], Entrant]:
    """Load a tournament for an action on one entrant, who owns the subject; `stands`: not once it
    was cancelled. Raises NotAllowed, Refused (`tournaments.entrant_unknown`,
    `tournaments.wrong_state`)."""
    loaded = _tournament(unit, event_id)
    one = loaded.state.entrants.get(entrant_id)
    require(
        unit.actor,
        action,
        Subject(
            event_id=loaded.state.event_id or None,
            owners=frozenset(one.persons if one else ()),
            public=False,
        ),
    )
    if one is None:
        raise Refused(Refusal("tournaments.entrant_unknown", {"found": entrant_id}))
    if stands and loaded.state.status == CANCELLED:
        raise Refused(_over())
    return loaded, one


def load_match(unit: Unit, match_id: str, action: str) -> Loaded[Match]:
    """Load a match for an action; its persons own it. Raises NotAllowed (hidden for a match
    that does not exist or is a draft), Refused (`tournaments.match_unknown`)."""
    stream = match_stream(match_id)
    loaded = Loaded(stream, 0, Match())
    if is_id(match_id):
        loaded = unit.load(stream, Match(), match_of.evolve)
    state = loaded.state
    require(
        unit.actor,
        action,
        Subject(
            event_id=state.event_id or None,
            owners=frozenset(person for side in state.persons for person in side),
            public=False,
        ),
    )
    if not state.match_id:
        raise Refused(Refusal("tournaments.match_unknown", {"found": match_id}))
    return loaded


def load_played(unit: Unit, match_id: str, action: str) -> Loaded[Match]:
    """Load a match to play it on or to give it a result: none of an event that was cancelled,
    whose open tables stay as they are. Raises as load_match; Refused
    (`tournaments.wrong_state`)."""
    loaded = load_match(unit, match_id, action)
    _terms_of(match_id)
    return loaded


@prepared
def _status(event_id: Any) -> Any:
    return EventRow.objects.filter(pk=event_id).order_by().values_list("status", flat=True)


@prepared
def _terms_at(match_id: Any) -> Any:
    of = MatchRow.objects.filter(pk=match_id).order_by().values("event_id")
    return EventRow.objects.filter(pk__in=of).order_by().values_list("status", "devices")


@ahead("tournaments.result_claim")
@ahead("tournaments.result_enter")
def _played(*, match_id: str, **_: Any) -> list[Bound | Statement]:
    """What `load_own` and `load_played` ask."""
    if not is_id(match_id):
        return []
    return [store.whole(match_stream(match_id)), _terms_at.bind(match_id)]


def _terms_of(match_id: str) -> str:
    """Return what players do with their phones in the event of a match. Raises Refused
    (`tournaments.wrong_state`) where the event was cancelled."""
    status, devices = next(iter(_terms_at(match_id)), ("", ""))
    if status == CANCELLED:
        raise Refused(_over())
    return str(devices)


def load_own(unit: Unit, match_id: str, action: str) -> tuple[Loaded[Match], str]:
    """Load a match that the actor plays on with a phone, and the actor's seat: one query beside
    the stream. Raises as load_played; Refused (`tournaments.not_your_match`;
    `tournaments.devices_put_away` while the match runs, where the event has phones put away:
    whatever program sends it)."""
    loaded = load_match(unit, match_id, action)
    devices = _terms_of(match_id)
    seat = loaded.state.seat_of_person(unit.actor.person_id)
    if seat is None:
        raise Refused(Refusal("tournaments.not_your_match", {"match": match_id}))
    if loaded.state.result is None and devices == NOT_IN_MATCH:
        raise Refused(Refusal("tournaments.devices_put_away"))
    return loaded, seat


def cancelled(event_id: str) -> Refusal | None:
    """Return why nothing at the tables of an event goes on: it was cancelled; None else. One
    query."""
    return _over() if next(iter(_status(event_id)), "") == CANCELLED else None


def refuse_cancelled(event_id: str) -> None:
    """Raise Refused (`tournaments.wrong_state`) for an event that was cancelled: it stays as it
    is. One query."""
    stopped = cancelled(event_id)
    if stopped is not None:
        raise Refused(stopped)


def _over() -> Refusal:
    allowed = [OPEN, CLOSED, RUNNING, CUT, FINISHED]
    return Refusal("tournaments.wrong_state", {"found": CANCELLED, "allowed": allowed})


def refuse_own(unit: Unit, state: Match) -> None:
    """Refuse an act of staff at the actor's own table, where it is a player like the other: raises
    Refused (`tournaments.own_match`)."""
    if state.seat_of_person(unit.actor.person_id) is not None:
        raise Refused(Refusal("tournaments.own_match", {"table": state.table}))


def sealed(unit: Unit, note: str) -> str | None:
    """Seal free text of the actor; None for no text. Raises Refused (`tournaments.too_long`)."""
    if not note.strip():
        return None
    if len(note) > MOST_NOTE:
        raise Refused(Refusal("tournaments.too_long", {"found": len(note), "allowed": MOST_NOTE}))
    return vault.seal(unit.actor.ref, note)


def fresh_seed() -> int:
    """Return a new seed, drawn like an id, so that a rehearsal repeats it."""
    return int(new_id().replace("-", ""), 16) % 2**SEED_BITS


def checked_seed(seed: int | None) -> int:
    """Return the seed given, or a new one; raises Refused (`tournaments.seed_invalid`)."""
    if seed is None:
        return fresh_seed()
    if not 0 <= seed < 2**SEED_BITS:
        raise Refused(Refusal("tournaments.seed_invalid", {"allowed": [0, 2**SEED_BITS - 1]}))
    return seed


def reasoned(unit: Unit, note: str) -> str:
    """Seal why staff do what has to be answered for; raises Refused
    (`tournaments.reason_missing`, `tournaments.too_long`)."""
    kept = sealed(unit, note)
    if kept is None:
        raise Refused(Refusal("tournaments.reason_missing"))
    return kept
