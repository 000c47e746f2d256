"""Decisions about entrants: enrol, deck, check in, drop, reinstate, disqualify."""

from __future__ import annotations

from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent
from tournaments import events as ev
from tournaments.domain import door_seats
from tournaments.domain import event as state_of
from tournaments.domain.door_seats import LAST_LATE_ROUND
from tournaments.domain.event import (
    CHECKED_IN,
    CLOSED,
    CUT,
    DISQUALIFIED,
    DRAFT,
    DROPPED,
    ENROLLED,
    OPEN,
    RUNNING,
    Decision,
    Entrant,
    Tournament,
)
from tournaments.domain.recommended import advice
from tournaments.domain.round_events import FieldGrown

MOST_PERSONS = 3


def _too_late(state: Tournament) -> Refusal | None:
    if state.status == CUT or state.current > LAST_LATE_ROUND:
        return Refusal("tournaments.too_late", {"found": state.current, "allowed": LAST_LATE_ROUND})
    return None


def find(state: Tournament, entrant_id: str) -> Entrant | Refusal:
    """Return the entrant; refused with `tournaments.entrant_unknown`."""
    one = state.entrants.get(entrant_id)
    if one is None:
        return Refusal("tournaments.entrant_unknown", {"found": entrant_id})
    return one


def enrol(
    state: Tournament, *, entrant_id: str, persons: tuple[str, ...], by_staff: bool
) -> Decision:
    """Enrol an entrant of one or more persons.

    Players need an open registration (`tournaments.registration_closed`); staff enrol until
    round 2 is published (`tournaments.too_late`). A person is in an event once: refused with
    `tournaments.already_enrolled`, also after a drop (re-entry is a reinstatement). Nobody comes
    in beyond the capacity: `tournaments.event_full`.
    """
    wrong = may_enrol(state, entrant_id=entrant_id, persons=persons, by_staff=by_staff)
    if wrong is None:
        wrong = door_seats.full(state)
    if wrong is not None:
        return wrong
    number = len(state.entrants) + 1
    return [ev.EntrantEnrolled(state.event_id, entrant_id, number, persons, by_staff)]


def may_enrol(
    state: Tournament, *, entrant_id: str, persons: tuple[str, ...], by_staff: bool
) -> Refusal | None:
    """Say why somebody cannot enrol, were there a seat; as `enrol`."""
    missing = state_of.known(state)
    if missing is not None:
        return missing
    if by_staff:
        wrong = state_of.in_status(state, DRAFT, OPEN, CLOSED, RUNNING, CUT) or _too_late(state)
        if wrong is not None:
            return wrong
    elif state.status != OPEN:
        return Refusal("tournaments.registration_closed", {"found": state.status, "allowed": OPEN})
    if not 1 <= len(persons) <= MOST_PERSONS or len(set(persons)) != len(persons):
        return Refusal(
            "tournaments.persons_invalid", {"found": len(persons), "allowed": [1, MOST_PERSONS]}
        )
    for person in persons:
        before = state.entrant_of(person)
        if before is not None:
            return Refusal(
                "tournaments.already_enrolled",
                {"entrant": before.entrant_id, "found": before.status, "number": before.number},
            )
    if entrant_id in state.entrants:
        return Refusal("tournaments.already_enrolled", {"entrant": entrant_id})
    return None


def deck_allowed(state: Tournament, *, entrant_id: str, now: str) -> Refusal | None:
    """Say whether the entrant may hand in or replace its list at `now` (UTC text).

    Until the deadline and the start; an entrant that comes in after that without a list may
    hand in its first one. Refused with `tournaments.deck_deadline_passed`,
    `tournaments.decks_locked`, `tournaments.entrant_out`.
    """
    wrong = state_of.in_status(state, DRAFT, OPEN, CLOSED, RUNNING)
    one = find(state, entrant_id)
    if wrong is not None or isinstance(one, Refusal):
        return wrong or (one if isinstance(one, Refusal) else None)
    if one.status in (DROPPED, DISQUALIFIED):
        return Refusal("tournaments.entrant_out", {"found": one.status})
    if state.status == RUNNING:
        if one.deck_id is None:
            return None
        return Refusal("tournaments.decks_locked", {"found": "event started"})
    deadline = state.chosen.deck_deadline
    if deadline is not None and now > deadline:
        return Refusal("tournaments.deck_deadline_passed", {"found": now, "allowed": deadline})
    return None


def paper_allowed(state: Tournament, *, entrant_id: str) -> Refusal | None:
    """Say whether a list on paper may be received from the entrant: whenever it is not out and
    the event has not ended. A deadline does not stop it: the hand-in time is kept, and a late
    list is shown as late. Refused with `tournaments.entrant_out`, `tournaments.wrong_state`."""
    wrong = state_of.in_status(state, DRAFT, OPEN, CLOSED, RUNNING, CUT)
    one = find(state, entrant_id)
    if wrong is not None or isinstance(one, Refusal):
        return wrong or (one if isinstance(one, Refusal) else None)
    if one.status in (DROPPED, DISQUALIFIED):
        return Refusal("tournaments.entrant_out", {"found": one.status})
    return None


def detach_deck(state: Tournament, *, entrant_id: str) -> Decision:
    """Undo the tie after a mark that was a mistake; without one: nothing."""
    one = find(state, entrant_id)
    if isinstance(one, Refusal):
        return one
    if one.deck_id is None:
        return []
    return [ev.DeckDetached(state.event_id, entrant_id, one.deck_id)]


def attach_deck(state: Tournament, *, entrant_id: str, deck_id: str) -> Decision:
    """Tie the stream of a deck to its entrant, once; a further version adds nothing."""
    one = find(state, entrant_id)
    if isinstance(one, Refusal):
        return one
    if one.deck_id is not None:
        return []
    return [ev.DeckAttached(state.event_id, entrant_id, deck_id)]


def check_in(state: Tournament, *, entrant_id: str) -> Decision:
    """Check an entrant in. After round 1 is published it comes in late.

    Refused with `tournaments.deck_missing` when lists are required, `tournaments.too_late`,
    `tournaments.already_checked_in`, `tournaments.entrant_out`.
    """
    wrong = state_of.in_status(state, OPEN, CLOSED, RUNNING, CUT)
    if wrong is not None:
        return wrong
    one = find(state, entrant_id)
    if isinstance(one, Refusal):
        return one
    if one.status in (DROPPED, DISQUALIFIED):
        return Refusal("tournaments.entrant_out", {"found": one.status, "allowed": ENROLLED})
    if one.status == CHECKED_IN:
        return Refusal("tournaments.already_checked_in", {"entrant": entrant_id})
    late = _too_late(state)
    if late is not None:
        return late
    if state.chosen.decks_required and one.deck_id is None:
        return Refusal("tournaments.deck_missing", {"entrant": entrant_id})
    late_entry = state.current >= 1
    checked_in = ev.EntrantCheckedIn(state.event_id, entrant_id, late_entry)
    return [checked_in, *grown(state, late_entry and not one.late)]


def grown(state: Tournament, late: bool) -> list[DomainEvent]:
    """Return what one late entry more changes by the policy: rounds stay, the cut follows where
    it was the advised one (policy 2.3: 127 players and 2 late ones play 7 rounds, and a cut of 8
    becomes 16)."""
    if not late or state.policy is None:
        return []
    before = advice(state.policy, state.players)
    after = advice(state.policy, state.players + 1)
    if before == after:
        return []
    cut = after[1] if state.cut and state.cut == before[1] else state.cut
    return [FieldGrown(state.event_id, state.players + 1, before, after, state.cut, cut)]


def drop(state: Tournament, *, entrant_id: str, reason: str) -> Decision:
    """Take an entrant out. Its open match stays open until it has a result."""
    wrong = state_of.in_status(state, DRAFT, OPEN, CLOSED, RUNNING, CUT)
    if wrong is not None:
        return wrong
    one = find(state, entrant_id)
    if isinstance(one, Refusal):
        return one
    if one.status in (DROPPED, DISQUALIFIED):
        return Refusal("tournaments.entrant_out", {"found": one.status})
    return [ev.EntrantDropped(state.event_id, entrant_id, state.current, reason)]


def reinstate(state: Tournament, *, entrant_id: str) -> Decision:
    """Take a dropped entrant in again, with the record it has; rounds it missed stay missed.

    A disqualification is not undone here (`undo_disqualification`):
    `tournaments.entrant_disqualified`. In the cut
    nobody comes back: `tournaments.too_late`. A seat that has gone to somebody else is not there
    any more: `tournaments.event_full`. Two entrants made one: `tournaments.entrant_merged`.
    """
    wrong = state_of.in_status(state, DRAFT, OPEN, CLOSED, RUNNING, CUT)
    if wrong is not None:
        return wrong
    one = find(state, entrant_id)
    if isinstance(one, Refusal):
        return one
    if one.status == DISQUALIFIED:
        return Refusal("tournaments.entrant_disqualified", {"entrant": entrant_id})
    if one.status != DROPPED:
        return Refusal("tournaments.entrant_in", {"found": one.status, "allowed": DROPPED})
    if state.status == CUT and one.dropped_after != state.current:
        return Refusal("tournaments.too_late", {"found": state.current, "allowed": "same round"})
    if one.merged_into:
        return Refusal("tournaments.entrant_merged", {"found": one.merged_into})
    full = door_seats.full(state)
    if full is not None:
        return full
    back = door_seats.back(state, one)
    return [back, *grown(state, back.late and not one.late)]


def accept_offer(state: Tournament, *, entrant_id: str) -> Decision:
    """Take the seat that is offered (`door_seats.accept`); who comes back late grows the field."""
    made = door_seats.accept(state, entrant_id=entrant_id)
    before = state.entrants.get(entrant_id)
    if isinstance(made, Refusal) or before is None:
        return made
    late = any(isinstance(one, ev.EntrantReinstated) and one.late for one in made)
    return [*made, *grown(state, late and not before.late)]


def disqualify(
    state: Tournament, *, entrant_id: str, rule: str | None, note: str | None
) -> Decision:
    """Disqualify an entrant: it plays no more and has no place."""
    wrong = state_of.in_status(state, DRAFT, OPEN, CLOSED, RUNNING, CUT)
    if wrong is not None:
        return wrong
    one = find(state, entrant_id)
    if isinstance(one, Refusal):
        return one
    if one.status == DISQUALIFIED:
        return Refusal("tournaments.entrant_disqualified", {"entrant": entrant_id})
    return [ev.EntrantDisqualified(state.event_id, entrant_id, state.current, rule, note)]


def taken_back(number: int) -> str:
    """Return the word that stands with an entrant whose disqualification was undone in a round."""
    return f"taken_back:{number}"


def undo_disqualification(state: Tournament, *, entrant_id: str, note: str) -> Decision:
    """Take a disqualification back: the entrant plays from the next pairing, with the record it
    has. Rounds it missed stay missed, and a result that the disqualification gave stays unless it
    is corrected. In the cut only one who is in it, and while its round is on. A seat that has gone
    to somebody else meanwhile holds nobody out: the event then has one more than its seats.

    Refused with `tournaments.not_disqualified`; too late with `tournaments.wrong_state` (the event
    is over), `tournaments.cut_without` (the cut was made without it), `tournaments.cut_went_on`.
    """
    wrong = state_of.in_status(state, DRAFT, OPEN, CLOSED, RUNNING, CUT)
    if wrong is not None:
        return wrong
    one = find(state, entrant_id)
    if isinstance(one, Refusal):
        return one
    if one.status != DISQUALIFIED:
        return Refusal("tournaments.not_disqualified", {"found": one.status})
    if state.status == CUT and entrant_id not in state.seeds:
        return Refusal("tournaments.cut_without", {"found": one.number})
    if state.status == CUT and one.dropped_after != state.current:
        found = {"found": state.current, "allowed": one.dropped_after}
        return Refusal("tournaments.cut_went_on", found)
    back = door_seats.back(state, one)
    undone = ev.DisqualificationUndone(
        state.event_id, entrant_id, state.current, back.ready, back.late, note
    )
    return [undone, *grown(state, back.late and not one.late)]
