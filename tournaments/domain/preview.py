"""What an undoing would change, before anybody confirms it.

A position is an event with its results. The commands decide events from one; the same events
folded onto it, by the same evolve, give the position after. Everything here is read from the two
positions with the functions that rank, cut and pair for real. Pure; nothing is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from eventstore.domain.envelope import fold
from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent
from tournaments import events as ev
from tournaments.domain import drafting, ending, rounds
from tournaments.domain.event import (
    CHECKED_IN,
    CUT,
    DROPPED,
    FINISHED,
    RUNNING,
    SWISS_STAGE,
    Tournament,
    evolve,
)
from tournaments.domain.match import Match
from tournaments.domain.records import Played
from tournaments.domain.rounds import Facts
from tournaments.domain.standings import Move, Standing, moves

SEED = 1
"""Of drafts that are only imagined: both sides of a comparison are drawn alike."""


@dataclass(frozen=True, slots=True)
class Position:
    """An event and what its matches have come to."""

    state: Tournament
    facts: Facts


@dataclass(frozen=True, slots=True)
class Paired:
    """A round as it would be drawn: its pairs and byes, or why none can be."""

    pairs: frozenset[frozenset[str]] = frozenset()
    byes: tuple[str, ...] = ()
    refusal: Refusal | None = None


@dataclass(frozen=True, slots=True)
class Stands:
    """A published round that stays as it is, and what it would be if it were drawn from the
    results after the change: how many of its `tables` would be others, and the byes."""

    number: int
    tables: int
    others: int
    byes_before: tuple[str, ...]
    byes_after: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Effects:
    """What a change moves.

    `moves` of ranks in the standings after the newest round with all its results. `cut_before`
    and `cut_after` are who would go on by them (who does, once the cut is made), empty without a
    cut. `stands` are published rounds drawn from what was changed. `before` and `after` are the
    next round; `draft_stale`: there is a draft, and it has to be paired anew. `places` are
    (entrant, before, after) of an event that is over, None for no place.
    """

    moves: tuple[Move, ...]
    cut_before: tuple[str, ...]
    cut_after: tuple[str, ...]
    stands: tuple[Stands, ...]
    before: Paired
    after: Paired
    draft_stale: bool
    places: tuple[tuple[str, int | None, int | None], ...]

    @property
    def cut_in(self) -> tuple[str, ...]:
        """Who comes into the cut."""
        return tuple(one for one in self.cut_after if one not in self.cut_before)

    @property
    def cut_out(self) -> tuple[str, ...]:
        """Who falls out of it."""
        return tuple(one for one in self.cut_before if one not in self.cut_after)

    @property
    def byes(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The byes of the next round, before and after."""
        return self.before.byes, self.after.byes

    @property
    def new_pairs(self) -> int:
        """Tables of the next round that would seat another pair."""
        return len(self.after.pairs - self.before.pairs)


def after_events(position: Position, made: Iterable[DomainEvent]) -> Position:
    """Return the position after events of the tournament's stream: results of rounds that they
    take back are gone."""
    state = fold(position.state, evolve, made)
    there = {one.number for one in state.published}
    played = [one for one in position.facts.played if one.round in there]
    gone = state.current < position.state.current
    facts = Facts(played) if gone else replace(position.facts, played=played)
    return Position(state, facts)


def after_result(position: Position, match: Match) -> Position:
    """Return the position with the result that a match has now, in place of the one it had."""
    if match.result is None:
        return position
    now = Played(match.round, *match.entrants, match.result.winner, match.result.score)

    def same(one: Played) -> bool:
        return one.round == match.round and (one.p1, one.p2) == match.entrants

    played = [now if same(one) else one for one in position.facts.played]
    return Position(position.state, replace(position.facts, played=played))


def effects(before: Position, after: Position, changed_round: int = 0) -> Effects:
    """Return what changes from one position to the other. `changed_round` is the round of a
    result that was corrected: the next published one was drawn from it."""
    rows_before, rows_after = _standings(before), _standings(after)
    return Effects(
        tuple(moves(rows_before, rows_after)),
        _cut(before),
        _cut(after),
        _stands(before, after, changed_round),
        _next(before),
        _next(after),
        _stale(after),
        _places(before.state.placings, after.state.placings),
    )


def _settled(position: Position) -> Position:
    """Return the position after the newest round that has all its results: what the standings
    now frozen, and their next revision, are made of."""
    state = position.state
    newest = state.published[-1] if state.published else None
    if newest is None or newest.stage != SWISS_STAGE or not position.facts.open_tables:
        return position
    played = [one for one in position.facts.played if one.round < newest.number]
    return Position(replace(state, rounds=state.published[:-1]), Facts(played))


def _standings(position: Position) -> list[Standing]:
    settled = _settled(position)
    return drafting.swiss_standings(settled.state, settled.facts.played)


def _cut(position: Position) -> tuple[str, ...]:
    state = position.state
    if state.status == CUT or (state.status == FINISHED and state.seeds):
        return state.seeds
    if not state.cut or state.status not in (RUNNING, FINISHED):
        return ()
    settled = _settled(position)
    order, _ = ending.cut_order(settled.state, settled.facts, state.cut_seed or SEED)
    return order[: state.cut]


def _ids(players: int) -> list[str]:
    return [str(number) for number in range(players // 2 + 1)]


def _next(position: Position) -> Paired:
    state = position.state
    seed = state.draft.seed if state.draft is not None else SEED
    made = rounds.pair(
        state, position.facts, seed=seed, match_ids=_ids(len(state.active)), locked=None
    )
    return _paired(made)


def _paired(made: list[DomainEvent] | Refusal) -> Paired:
    if isinstance(made, Refusal):
        return Paired(refusal=made)
    (drawn,) = (one for one in made if isinstance(one, ev.RoundPaired))
    pairs = frozenset(frozenset((pair.p1, pair.p2)) for pair in drawn.pairs)
    return Paired(pairs, drawn.byes)


def _stale(position: Position) -> bool:
    state = position.state
    if state.draft is None:
        return False
    out = rounds.publish(state, position.facts, number=state.draft.number)
    return isinstance(out, Refusal) and out.code == "tournaments.draft_stale"


def _stands(before: Position, after: Position, changed_round: int) -> tuple[Stands, ...]:
    """Draw the Swiss rounds after a corrected one from both positions, newest of them only: the
    rounds between were played from what was published."""
    if not changed_round:
        return ()
    later = [
        one
        for one in after.state.published
        if one.stage == SWISS_STAGE and one.number > changed_round
    ]
    if not later:
        return ()
    newest = later[-1]
    was, now = _redrawn(before, newest.number), _redrawn(after, newest.number)
    others = len(now.pairs - was.pairs)
    # A round changed by hand is no draw: then only what the two draws differ in is told.
    byes = newest.byes if now.byes == was.byes else now.byes
    return (Stands(newest.number, len(newest.pairs), others, newest.byes, byes),)


def _redrawn(position: Position, number: int) -> Paired:
    """Draw a published Swiss round once more, for those who took part in it, from the results of
    the rounds before it."""
    state = position.state
    made = state.rounds[number - 1]
    entrants = {
        key: replace(one, status=CHECKED_IN if key in made.entrants else DROPPED)
        for key, one in state.entrants.items()
    }
    earlier = replace(state, rounds=state.rounds[: number - 1], entrants=entrants, status=RUNNING)
    played = [one for one in position.facts.played if one.round < number]
    return _paired(
        drafting.draft(
            earlier,
            played,
            seed=made.seed,
            match_ids=_ids(len(entrants)),
            locked=made.locked,
        )
    )


def _places(
    before: Sequence[ev.Placing], after: Sequence[ev.Placing]
) -> tuple[tuple[str, int | None, int | None], ...]:
    was = {one.entrant_id: one.place for one in before}
    now = {one.entrant_id: one.place for one in after}
    everybody = [*now, *(one for one in was if one not in now)]
    return tuple(
        (one, was.get(one), now.get(one)) for one in everybody if was.get(one) != now.get(one)
    )
