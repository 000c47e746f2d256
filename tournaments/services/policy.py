"""Commands on what an event goes by and on seats of the cut."""

from __future__ import annotations

from eventstore.commands import Unit, accept, command
from tournaments import policies, reckoning
from tournaments.domain import ending, rounds
from tournaments.events import CutMade
from tournaments.services.loading import load_event


@command("tournaments.policy_choose")
def policy_choose(unit: Unit, *, event_id: str, policy: str) -> None:
    """Choose the version of the policy before the start; the event keeps its rows and minutes.

    Raises Refused (`tournaments.policy_unknown`, `tournaments.nothing_changed`,
    `tournaments.wrong_state`), NotAllowed.
    """
    loaded = load_event(unit, event_id, "tournaments.event_run", stands=True)
    found = policies.policy_named(policy)
    made = accept(rounds.fix_policy(loaded.state, found.policy, found.hash))
    unit.append(loaded.stream, loaded.version, made)


@command("tournaments.seat_decline")
def seat_decline(unit: Unit, *, event_id: str, entrant_id: str) -> str | None:
    """Let an entrant give up its place in the cut; return who came in for it, None before the
    cut is made. Raises Refused (`tournaments.seat_declined`, `tournaments.not_in_cut`,
    `tournaments.cut_moved_on`, `tournaments.cut_size`, `tournaments.entrant_unknown`),
    NotAllowed."""
    return _moved(unit, event_id, entrant_id, decline=True)


@command("tournaments.seat_take")
def seat_take(unit: Unit, *, event_id: str, entrant_id: str) -> str | None:
    """Undo `seat_decline`; return who came in, None before the cut is made. Raises Refused
    (`tournaments.seat_not_declined` and those of seat_decline), NotAllowed."""
    return _moved(unit, event_id, entrant_id, decline=False)


def _moved(unit: Unit, event_id: str, entrant_id: str, *, decline: bool) -> str | None:
    loaded = load_event(unit, event_id, "tournaments.event_run", stands=True)
    decide = ending.decline_seat if decline else ending.take_seat
    made = accept(decide(loaded.state, reckoning.facts(event_id), entrant_id=entrant_id))
    unit.append(loaded.stream, loaded.version, made)
    seeds = [one.seeds for one in made if isinstance(one, CutMade)]
    came = [one for one in (seeds[0] if seeds else ()) if one not in loaded.state.seeds]
    return came[0] if came else None
