"""Commands that undo by appending: delete a round, begin the cut again, reopen an event.

Each is previewed by `selectors.undo_preview`, which decides by the same functions.
"""

from __future__ import annotations

from collections.abc import Sequence

from eventstore.commands import Unit, accept, command
from eventstore.domain.refusal import Refused
from eventstore.domain.registry import DomainEvent
from tournaments import reckoning
from tournaments.domain import undoing
from tournaments.domain.event import CUT_STAGE
from tournaments.domain.match import Match
from tournaments.domain.match import evolve as evolve_match
from tournaments.domain.round_events import UndoingExplained
from tournaments.services.loading import event_of, load_event, reasoned
from tournaments.services.rounds import withdraw


def corrected_result(unit: Unit, match: Match, made: Sequence[DomainEvent]) -> None:
    """Raise Refused (`tournaments.cut_moved_on`) for a correction that would take somebody out
    of a published round of the cut."""
    if match.stage != CUT_STAGE:
        return
    after = match
    for one in made:
        after = evolve_match(after, one)
    if after.result is None:
        return
    state = event_of(unit, match.event_id).state
    wrong = undoing.correctable(state, match, after.result.winner)
    if wrong is not None:
        raise Refused(wrong)


def placed_anew(unit: Unit, event_id: str) -> None:
    """After a correction in an event that is over: record its final places anew, where they
    changed."""
    if not reckoning.is_over(event_id):
        return
    loaded = event_of(unit, event_id)
    made = undoing.placed_anew(loaded.state, reckoning.facts(event_id))
    if made:
        unit.append(loaded.stream, loaded.version, made)


@command("tournaments.round_delete")
def round_delete(unit: Unit, *, event_id: str, number: int, note: str) -> int:
    """Take the newest published round back with its results; return how many matches it had.

    Raises Refused (`tournaments.round_older`, `tournaments.round_none`,
    `tournaments.reason_missing`, `tournaments.wrong_state`), NotAllowed.
    """
    loaded = load_event(unit, event_id, "tournaments.event_run")
    made = accept(undoing.delete_round(loaded.state, number=number))
    why = UndoingExplained(event_id, "round", number, reasoned(unit, note))
    return withdraw(unit, loaded, [why, *made])


@command("tournaments.cut_restart")
def cut_restart(unit: Unit, *, event_id: str, note: str) -> int:
    """Take the cut back with all its rounds; return how many matches they had. The cut can then
    be made again. Raises Refused (`tournaments.wrong_state`, `tournaments.reason_missing`),
    NotAllowed."""
    loaded = load_event(unit, event_id, "tournaments.event_run")
    made = accept(undoing.restart_cut(loaded.state))
    first = loaded.state.swiss_rounds + 1
    why = UndoingExplained(event_id, "cut", first, reasoned(unit, note))
    return withdraw(unit, loaded, [why, *made])


@command("tournaments.event_reopen")
def event_reopen(unit: Unit, *, event_id: str, note: str) -> None:
    """Let a finished event go on where it stood. Raises Refused (`tournaments.wrong_state`,
    `tournaments.reason_missing`), NotAllowed."""
    loaded = load_event(unit, event_id, "tournaments.event_run")
    made = accept(undoing.reopen(loaded.state, note=reasoned(unit, note)))
    unit.append(loaded.stream, loaded.version, made)
