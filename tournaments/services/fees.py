"""Commands on what the desk notes of an entrant: the entry fee, eligibility, the privacy notice."""

from __future__ import annotations

from eventstore.commands import Unit, accept, command
from eventstore.domain.refusal import Refusal, Refused
from people.access import may, require
from people.domain.permissions import Subject
from tournaments.domain import door_fees
from tournaments.services.loading import load_entrant, load_event, sealed


@command("tournaments.fee_pay")
def fee_pay(
    unit: Unit, *, event_id: str, entrant_id: str, method: str, amount: int | None = None
) -> int:
    """Note money that the desk took, in minor units (None: all that is owed); returns what is
    still owed. Nothing is paid online.

    Raises Refused (`tournaments.fee_none`, `tournaments.fee_settled`, `tournaments.fee_amount`,
    `tournaments.method_unknown`, `tournaments.entrant_unknown`), NotAllowed.
    """
    loaded, _ = load_entrant(unit, event_id, entrant_id, "tournaments.fee_take")
    made = accept(door_fees.pay(loaded.state, entrant_id=entrant_id, amount=amount, method=method))
    unit.append(loaded.stream, loaded.version, made)
    return loaded.state.door.owes(entrant_id) - sum(getattr(one, "amount", 0) for one in made)


@command("tournaments.fee_comp")
def fee_comp(unit: Unit, *, event_id: str, entrant_id: str, note: str = "") -> None:
    """Let an entrant in free; why is kept sealed. Raises Refused (`tournaments.fee_none`,
    `tournaments.fee_settled`, `tournaments.too_long`), NotAllowed."""
    loaded, _ = load_entrant(unit, event_id, entrant_id, "tournaments.fee_take", stands=True)
    made = accept(door_fees.comp(loaded.state, entrant_id=entrant_id, note=sealed(unit, note)))
    unit.append(loaded.stream, loaded.version, made)


@command("tournaments.fee_refund")
def fee_refund(
    unit: Unit, *, event_id: str, entrant_id: str, method: str, amount: int | None = None
) -> None:
    """Note money given back (None: all that was paid). Raises Refused (`tournaments.fee_unpaid`,
    `tournaments.fee_amount`, `tournaments.method_unknown`), NotAllowed."""
    loaded, _ = load_entrant(unit, event_id, entrant_id, "tournaments.fee_take")
    made = accept(
        door_fees.refund(loaded.state, entrant_id=entrant_id, amount=amount, method=method)
    )
    unit.append(loaded.stream, loaded.version, made)


@command("tournaments.eligibility_note")
def eligibility_note(unit: Unit, *, event_id: str, entrant_id: str, seen: str) -> None:
    """Note that staff have seen that an entrant may play: `seen` eligible or guardian_consent.

    Raises Refused (`tournaments.eligibility_unknown`, `tournaments.nothing_changed`), NotAllowed.
    """
    loaded, _ = load_entrant(unit, event_id, entrant_id, "tournaments.door_use", stands=True)
    made = accept(door_fees.eligible(loaded.state, entrant_id=entrant_id, seen=seen))
    unit.append(loaded.stream, loaded.version, made)


@command("tournaments.notice_accept")
def notice_accept(unit: Unit, *, event_id: str, person_id: str, version: str) -> None:
    """Accept the privacy notice of an event: its person, or staff for whoever says so at the
    desk. Raises Refused (`tournaments.notice_other`, `tournaments.person_missing`), NotAllowed."""
    loaded = load_event(unit, event_id, "tournaments.event_read", stands=True)
    subject = Subject(event_id, owners=frozenset({person_id}), public=False)
    require(unit.actor, "tournaments.notice_accept", subject)
    state = loaded.state
    if state.entrant_of(person_id) is None and state.door.waits_as(person_id) is None:
        raise Refused(
            Refusal("tournaments.person_missing", {"found": person_id, "allowed": "in the event"})
        )
    made = accept(
        door_fees.accept_notice(
            state,
            person_id=person_id,
            version=version,
            by_staff=may(unit.actor, "tournaments.door_use", Subject(event_id)),
        )
    )
    if made:
        unit.append(loaded.stream, loaded.version, made)
