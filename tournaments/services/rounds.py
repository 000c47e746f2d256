"""Commands on rounds: start, pair, publish, cut, finish."""

from __future__ import annotations

from collections.abc import Sequence

from decks import services as decks
from eventstore import store
from eventstore.commands import Loaded, Unit, accept, command
from eventstore.domain.refusal import Refused
from eventstore.domain.registry import DomainEvent
from eventstore.ids import new_id
from eventstore.jobs import CHECKPOINT
from eventstore.store import StreamWrite
from tournaments import policies, reckoning
from tournaments.domain import drafting, ending, losses, rounds, undoing
from tournaments.domain.event import RUNNING, Tournament, in_status
from tournaments.events import CutMade, EventStarted, MatchWithdrawn, RoundWithdrawn
from tournaments.services.loading import (
    checked_seed,
    load_event,
    match_stream,
    reasoned,
)
from tournaments.services.seats import append_after


@command("tournaments.event_start")
def event_start(unit: Unit, *, event_id: str) -> int:
    """Start the event: rounds are fixed, lists locked, who is absent is out. Return the number
    of Swiss rounds. Raises Refused (`tournaments.too_few_players`, `tournaments.cut_too_large`,
    `tournaments.wrong_state`), NotAllowed."""
    loaded = load_event(unit, event_id, "tournaments.event_run")
    usual = policies.usual()
    made = accept(rounds.start(loaded.state, usual.policy, usual.hash))
    for entrant in loaded.state.active:
        if entrant.deck_id is not None:
            decks.list_lock(unit, deck_id=entrant.deck_id)
    # seats of those who did not come go to those who wait, while late entrants are let in
    append_after(unit, loaded, [], made)
    return next(one.rounds for one in made if isinstance(one, EventStarted))


def _match_ids(state: Tournament) -> list[str]:
    return [new_id() for _ in range(len(state.active) // 2 + 1)]


@command("tournaments.round_pair")
def round_pair(
    unit: Unit,
    *,
    event_id: str,
    seed: int | None = None,
    locked: Sequence[Sequence[str]] | None = None,
) -> int:
    """Draft the next round (again), in the cut as in Swiss; return its number.

    `locked` are pairs of entrants to keep; None: those of the draft. Raises Refused
    (`tournaments.results_open`, `tournaments.rounds_played`, `tournaments.too_few_active`,
    `tournaments.cut_over`, `tournaments.lock_invalid`, `tournaments.tables_short`,
    `tournaments.companion_mode`), NotAllowed.
    """
    loaded = load_event(unit, event_id, "tournaments.round_pair")
    state = loaded.state
    made = accept(
        rounds.pair(
            state,
            reckoning.facts(event_id),
            seed=checked_seed(seed),
            match_ids=_match_ids(state),
            locked=None if locked is None else [(pair[0], pair[-1]) for pair in locked if pair],
        )
    )
    unit.append(loaded.stream, loaded.version, made)
    return state.current + 1


@command("tournaments.draft_swap")
def draft_swap(unit: Unit, *, event_id: str, one: str, two: str, note: str = "") -> int:
    """Exchange two players of the draft, or one with the bye; return the number of the round.

    Raises Refused (`tournaments.no_draft`, `tournaments.not_in_draft`,
    `tournaments.nothing_changed`, `tournaments.reason_missing`), NotAllowed.
    """
    loaded = load_event(unit, event_id, "tournaments.round_pair")
    state, facts = loaded.state, reckoning.facts(event_id)
    wrong = rounds.may_pair(state, facts)
    if wrong is not None:
        raise Refused(wrong)
    made = accept(
        drafting.swap(
            state,
            facts.played,
            one,
            two,
            note=reasoned(unit, note),
            match_ids=_match_ids(state),
        )
    )
    unit.append(loaded.stream, loaded.version, made)
    return state.current + 1


@command("tournaments.draft_by_hand")
def draft_by_hand(
    unit: Unit,
    *,
    event_id: str,
    pairs: Sequence[Sequence[str]],
    byes: Sequence[str] = (),
    note: str = "",
    tables: Sequence[int] | None = None,
) -> int:
    """Make the draft of the next Swiss round what staff say; return its number.

    `tables`: at which each pair sits, as printed; None: as the pairing would seat them. Raises
    Refused (`tournaments.draft_incomplete`, `tournaments.byes_many`, `tournaments.draft_tables`,
    `tournaments.reason_missing`, and as round_pair), NotAllowed.
    """
    loaded = load_event(unit, event_id, "tournaments.round_pair")
    state, facts = loaded.state, reckoning.facts(event_id)
    wrong = rounds.may_pair(state, facts) or in_status(state, RUNNING)
    if wrong is not None:
        raise Refused(wrong)
    made = accept(
        drafting.by_hand(
            state,
            facts.played,
            [(pair[0], pair[-1]) for pair in pairs if pair],
            list(byes),
            note=reasoned(unit, note),
            match_ids=_match_ids(state),
            tables=tables,
        )
    )
    unit.append(loaded.stream, loaded.version, made)
    return state.current + 1


@command("tournaments.round_withdraw")
def round_withdraw(unit: Unit, *, event_id: str, number: int) -> int:
    """Take the newest published round back; return its number.

    Raises Refused (`tournaments.not_newest`, `tournaments.results_there`,
    `tournaments.tables_started`), NotAllowed.
    """
    loaded = load_event(unit, event_id, "tournaments.event_run")
    made = accept(ending.withdraw_round(loaded.state, reckoning.facts(event_id), number=number))
    withdraw(unit, loaded, made)
    return number


def withdraw(unit: Unit, loaded: Loaded[Tournament], made: list[DomainEvent]) -> int:
    """Append events that take rounds back, and tell the streams of their matches; return how
    many matches there were."""
    state = loaded.state
    numbers = [one.round for one in made if isinstance(one, RoundWithdrawn)]
    matches = undoing.matches_of(state, numbers)
    writes = [StreamWrite(loaded.stream, loaded.version, made)]
    writes += [
        StreamWrite(match_stream(one), store.ANY, [MatchWithdrawn(one, state.event_id)])
        for one in matches
    ]
    unit.append_all(writes)
    return len(matches)


@command("tournaments.round_publish")
def round_publish(unit: Unit, *, event_id: str, number: int) -> int:
    """Publish the draft of a round and open its matches; return how many. Losses that waited for
    it fall on their matches. The log is signed once it is committed.

    Raises Refused (`tournaments.no_draft`, `tournaments.round_published`,
    `tournaments.draft_stale`), NotAllowed.
    """
    return publish(unit, load_event(unit, event_id, "tournaments.round_pair"), number)


def publish(unit: Unit, loaded: Loaded[Tournament], number: int) -> int:
    """Publish a draft for a command that has asked for its right already."""
    event_id = loaded.state.event_id
    made = accept(rounds.publish(loaded.state, reckoning.facts(event_id), number=number))
    draft = loaded.state.rounds[-1]
    opened = rounds.matches_opened(loaded.state, draft)
    fallen, in_match = losses.carry_out(loaded.state, opened)
    unit.append_all(
        [
            StreamWrite(loaded.stream, loaded.version, [*made, *fallen]),
            *(
                StreamWrite(match_stream(match_id), 0, [first, *in_match.get(match_id, ())])
                for match_id, first in opened
            ),
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


@command("tournaments.cut_replace")
def cut_replace(unit: Unit, *, event_id: str, gone: str, entrant_id: str) -> None:
    """Give the place of a player of the cut, and its seed, to another.

    Raises Refused (`tournaments.not_in_cut`, `tournaments.entrant_in`, `tournaments.entrant_out`,
    `tournaments.cut_moved_on`), NotAllowed.
    """
    loaded = load_event(unit, event_id, "tournaments.event_run")
    made = accept(ending.replace_in_cut(loaded.state, gone=gone, entrant_id=entrant_id))
    unit.append(loaded.stream, loaded.version, made)


@command("tournaments.cut_undo")
def cut_undo(unit: Unit, *, event_id: str) -> None:
    """Take the cut back before its first round. Raises Refused (`tournaments.cut_moved_on`),
    NotAllowed."""
    loaded = load_event(unit, event_id, "tournaments.event_run")
    unit.append(loaded.stream, loaded.version, accept(ending.undo_cut(loaded.state)))


@command("tournaments.event_finish")
def event_finish(unit: Unit, *, event_id: str, early: bool = False, note: str = "") -> None:
    """End the event with its final places; `early`, with a reason, whatever is left to play.

    Raises Refused (`tournaments.results_open`, `tournaments.rounds_left`,
    `tournaments.cut_not_made`, `tournaments.cut_not_over`, `tournaments.reason_missing`),
    NotAllowed.
    """
    loaded = load_event(unit, event_id, "tournaments.event_run")
    why = reasoned(unit, note) if early else None
    made = accept(ending.finish(loaded.state, reckoning.facts(event_id), early=why))
    unit.append(loaded.stream, loaded.version, made)
    unit.enqueue(CHECKPOINT, reason="event_finished", subject=event_id)
