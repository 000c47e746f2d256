"""The command behind a join link that names no person: one person and one entrant, or neither."""

from __future__ import annotations

from dataclasses import replace

from eventstore.commands import Unit, command
from eventstore.ids import new_id
from people.domain.actor import SYSTEM, Actor
from people.services import device_join, person_register
from tournaments.services import Enrolled, entrant_enrol_self


@command("tournaments.entrant_join")
def entrant_join(
    unit: Unit,
    *,
    event_id: str,
    display_name: str,
    card_game_id: str = "",
    language: str = "en",
    notice: str = "",
) -> Enrolled:
    """Make the bearer of a verified link of an event known, and enrol that person.

    The house registers the person, because the link stands for the desk that gave it out; the
    person then enrols as anybody does, or waits. Raises Refused (`people.*`, and as
    entrant_enrol_self), NotAllowed.
    """
    house = Unit(replace(unit.context, actor=SYSTEM, source="system"))
    person = person_register(
        house,
        person_id=new_id(),
        display_name=display_name,
        card_game_id=card_game_id,
        language=language,
        event_id=event_id,
    )
    player = Unit(replace(unit.context, actor=Actor(person_id=person), source="player"))
    enrolled = entrant_enrol_self(player, event_id=event_id, notice=notice)
    device_join(player, person_id=person, event_id=event_id)
    return enrolled
