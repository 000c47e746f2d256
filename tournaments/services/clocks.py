"""Commands on the clock of the round that is on."""

from __future__ import annotations

from eventstore import clock as house
from eventstore.commands import Unit, accept, command
from tournaments.domain import clock
from tournaments.services.loading import load_event

ACTION = "tournaments.clock_run"


@command("tournaments.clock_start")
def clock_start(unit: Unit, *, event_id: str, minutes: int) -> None:
    """Start the clock of the round. Raises Refused (`tournaments.clock_no_round`,
    `tournaments.clock_started`, `tournaments.clock_length`), NotAllowed."""
    loaded = load_event(unit, event_id, ACTION)
    now = house.as_text(unit.now)
    made = clock.start(loaded.state, seconds=minutes * 60, now=now)
    unit.append(loaded.stream, loaded.version, accept(made))


@command("tournaments.clock_pause")
def clock_pause(unit: Unit, *, event_id: str) -> None:
    """Pause the clock. Raises Refused (`tournaments.clock_not_started`,
    `tournaments.clock_paused`), NotAllowed."""
    loaded = load_event(unit, event_id, ACTION)
    made = clock.pause(loaded.state, now=house.as_text(unit.now))
    unit.append(loaded.stream, loaded.version, accept(made))


@command("tournaments.clock_resume")
def clock_resume(unit: Unit, *, event_id: str) -> None:
    """Let the clock go on. Raises Refused (`tournaments.clock_not_started`,
    `tournaments.clock_running`), NotAllowed."""
    loaded = load_event(unit, event_id, ACTION)
    made = clock.resume(loaded.state, now=house.as_text(unit.now))
    unit.append(loaded.stream, loaded.version, accept(made))


@command("tournaments.clock_adjust")
def clock_adjust(unit: Unit, *, event_id: str, minutes: int) -> None:
    """Give all tables minutes, below zero: take them away. Raises Refused
    (`tournaments.clock_not_started`, `tournaments.clock_change`), NotAllowed."""
    loaded = load_event(unit, event_id, ACTION)
    now = house.as_text(unit.now)
    made = clock.adjust(loaded.state, by_s=minutes * 60, now=now)
    unit.append(loaded.stream, loaded.version, accept(made))
