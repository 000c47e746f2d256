"""Commands on rounds: start, pair, publish, cut, finish."""

from __future__ import annotations

from decks import services as decks
from eventstore.commands import Unit, accept, command
from eventstore.ids import new_id
from eventstore.jobs import CHECKPOINT
from eventstore.store import StreamWrite
from tournaments import reckoning
from tournaments.domain import ending, rounds
from tournaments.events import CutMade, EventStarted
from tournaments.services.loading import checked_seed, load_event, match_stream


@command("tournaments.event_start")
def event_start(unit: Unit, *, event_id: str) -> int:
    """Start the event: rounds are fixed, lists locked, who is absent is out. Return the number
    of Swiss rounds. Raises Refused (`tournaments.too_few_players`, `tournaments.cut_too_large`,
    `tournaments.wrong_state`), NotAllowed."""
    loaded = load_event(unit, event_id, "tournaments.event_run")
    made = accept(rounds.start(loaded.state))
    for entrant in loaded.state.active:
        if entrant.deck_id is not None:
            decks.list_lock(unit, deck_id=entrant.deck_id)
    unit.append(loaded.stream, loaded.version, made)
    return next(one.rounds for one in made if isinstance(one, EventStarted))


@command("tournaments.round_pair")
def round_pair(unit: Unit, *, event_id: str, seed: int | None = None) -> int:
    """Draft the next round (again), in the cut as in Swiss; return its number.

    Raises Refused (`tournaments.results_open`, `tournaments.rounds_played`,
    `tournaments.too_few_active`, `tournaments.cut_over`), NotAllowed.
    """
    loaded = load_event(unit, event_id, "tournaments.round_pair")
    state = loaded.state
    made = accept(
        rounds.pair(
            state,
            reckoning.facts(event_id),
            seed=checked_seed(seed),
            match_ids=[new_id() for _ in range(len(state.active) // 2 + 1)],
        )
    )
    unit.append(loaded.stream, loaded.version, made)
    return state.current + 1


@command("tournaments.round_publish")
def round_publish(unit: Unit, *, event_id: str, number: int) -> int:
    """Publish the draft of a round and open its matches; return how many. The log is signed
    once it is committed.

    Raises Refused (`tournaments.no_draft`, `tournaments.round_published`,
    `tournaments.draft_stale`), NotAllowed.
    """
    loaded = load_event(unit, event_id, "tournaments.round_pair")
    made = accept(rounds.publish(loaded.state, reckoning.facts(event_id), number=number))
    draft = loaded.state.rounds[-1]
    opened = rounds.matches_opened(loaded.state, draft)
    unit.append_all(
        [
            StreamWrite(loaded.stream, loaded.version, made),
            *(StreamWrite(match_stream(match_id), 0, [first]) for match_id, first in opened),
        ]
    )
    unit.enqueue(CHECKPOINT, reason="round_published", subject=f"{event_id}/{number}")
    return len(opened)


@command("tournaments.cut_make")
def cut_make(
    unit: Unit, *, event_id: str, size: int | None = None, seed: int | None = None
) -> list[str]:
    """Make the cut after the last Swiss round; return its entrants, first seed first.

    `size` None: as the event was set. Raises Refused (`tournaments.results_open`,
    `tournaments.swiss_not_over`, `tournaments.cut_size`), NotAllowed.
    """
    loaded = load_event(unit, event_id, "tournaments.event_run")
    made = accept(
        ending.make_cut(loaded.state, reckoning.facts(event_id), size=size, seed=checked_seed(seed))
    )
    unit.append(loaded.stream, loaded.version, made)
    return [one for event in made if isinstance(event, CutMade) for one in event.seeds]


@command("tournaments.event_finish")
def event_finish(unit: Unit, *, event_id: str) -> None:
    """End the event with its final places. Raises Refused (`tournaments.results_open`,
    `tournaments.rounds_left`, `tournaments.cut_not_made`, `tournaments.cut_not_over`),
    NotAllowed."""
    loaded = load_event(unit, event_id, "tournaments.event_run")
    made = accept(ending.finish(loaded.state, reckoning.facts(event_id)))
    unit.append(loaded.stream, loaded.version, made)
    unit.enqueue(CHECKPOINT, reason="event_finished", subject=event_id)
