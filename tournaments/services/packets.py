"""The packet of a disqualification: while it is open nobody of that entrant can be erased; and
how a disqualification is taken back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from eventstore.commands import Unit, accept, command
from eventstore.domain.refusal import Refusal, Refused
from people import erasure
from people.domain.actor import SYSTEM
from tournaments.domain import enrolment
from tournaments.domain.event import DISQUALIFIED, Entrant
from tournaments.services.loading import load_entrant, reasoned
from tournaments.services.seats import append_after, settled

REASON = "disqualification"


def hold_of(event_id: str, entrant_id: str) -> str:
    """Return the id of the legal hold for the packet of an entrant."""
    return f"{REASON}-{event_id}-{entrant_id}"


def packet_open(unit: Unit, *, event_id: str, entrant_id: str, persons: Iterable[str]) -> None:
    """Hold every person of a disqualified entrant, as part of the command that disqualifies."""
    for person_id in persons:
        erasure.legal_hold_set(
            unit,
            person_id=person_id,
            hold_id=hold_of(event_id, entrant_id),
            reason=REASON,
            event_id=event_id,
        )


@command("tournaments.packet_close")
def packet_close(unit: Unit, *, event_id: str, entrant_id: str) -> None:
    """Close the packet of a disqualification: its persons may be erased again.

    Raises Refused (`tournaments.entrant_unknown`, `tournaments.no_packet`), NotAllowed.
    """
    _, entrant = load_entrant(unit, event_id, entrant_id, "people.legal_hold_set")
    _release(unit, event_id, entrant)


def _release(unit: Unit, event_id: str, entrant: Entrant) -> None:
    hold_id = hold_of(event_id, entrant.entrant_id)
    held = [one for one in entrant.persons if hold_id in erasure.holds_of(one)]
    if entrant.status != DISQUALIFIED or not held:
        raise Refused(Refusal("tournaments.no_packet", {"entrant": entrant.entrant_id}))
    for person_id in held:
        erasure.legal_hold_lift(unit, person_id=person_id, hold_id=hold_id, event_id=event_id)


@command("tournaments.disqualification_undo")
def disqualification_undo(unit: Unit, *, event_id: str, entrant_id: str, note: str) -> None:
    """Take a disqualification back, with a reason (`enrolment.undo_disqualification`); its packet
    is not owed any more, so the holds on its persons end.

    Raises Refused (the codes of `enrolment.undo_disqualification`, `tournaments.reason_missing`,
    `tournaments.no_packet` once the packet was sent), NotAllowed.
    """
    found, entrant = load_entrant(unit, event_id, entrant_id, "tournaments.disqualification_undo")
    loaded, due = settled(unit, found)
    made = enrolment.undo_disqualification(
        loaded.state, entrant_id=entrant_id, note=reasoned(unit, note)
    )
    append_after(unit, loaded, due, accept(made))
    house = Unit(replace(unit.context, actor=SYSTEM, source="system"))
    _release(house, event_id, entrant)
