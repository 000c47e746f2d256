"""The packet of a disqualification: while it is open nobody of that entrant can be erased."""

from __future__ import annotations

from collections.abc import Iterable

from eventstore.commands import Unit, command
from eventstore.domain.refusal import Refusal, Refused
from people import erasure
from tournaments.domain.event import DISQUALIFIED
from tournaments.services.loading import load_entrant

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
    hold_id = hold_of(event_id, entrant_id)
    held = [one for one in entrant.persons if hold_id in erasure.holds_of(one)]
    if entrant.status != DISQUALIFIED or not held:
        raise Refused(Refusal("tournaments.no_packet", {"entrant": entrant_id}))
    for person_id in held:
        erasure.legal_hold_lift(unit, person_id=person_id, hold_id=hold_id, event_id=event_id)
