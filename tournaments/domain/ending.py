"""Decisions about the cut and the end of an event, and the final places."""

from __future__ import annotations

import random
from collections import Counter

from eventstore.domain.refusal import Refusal
from tournaments import events as ev
from tournaments.domain import event as state_of
from tournaments.domain.drafting import swiss_standings
from tournaments.domain.event import (
    CUT,
    CUT_STAGE,
    DISQUALIFIED,
    RUNNING,
    Decision,
    Tournament,
)
from tournaments.domain.round_events import EventShortened, SeatDeclined, SeatTaken
from tournaments.domain.rounds import Facts, cut_places, results_open
from tournaments.domain.standings import final_order


def make_cut(state: Tournament, facts: Facts, *, size: int | None, seed: int) -> Decision:
    """Make the cut of the best active entrants; who left gives its place to the next.

    Equal places are told apart by the match between two, else by a draw from `seed`; who was
    drawn is named in the event. Refused with `tournaments.results_open`,
    `tournaments.swiss_not_over`, `tournaments.cut_size{found, allowed}`.
    """
    wrong = state_of.in_status(state, RUNNING) or results_open(facts)
    if wrong is not None:
        return wrong
    if state.current < state.planned:
        return Refusal(
            "tournaments.swiss_not_over", {"found": state.current, "allowed": state.planned}
        )
    order, drawn = cut_order(state, facts, seed)
    # A cut as announced shrinks with those who are left; one asked for by number does not.
    places = min(state.cut, len(order)) if size is None else size
    if not 2 <= places <= len(order):
        return Refusal("tournaments.cut_size", {"found": places, "allowed": [2, len(order)]})
    return [ev.CutMade(state.event_id, state.current, order[:places], seed, drawn)]


def cut_order(
    state: Tournament, facts: Facts, seed: int
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return who takes a place in the cut, best first, as results now stand, and those among
    equals whom the lot of `seed` may have parted. Who has left or declined is passed over."""
    rows = swiss_standings(state, facts.played)
    # An event without a Swiss round has no standings: the lot alone seeds it.
    lot = [row.entrant_id for row in rows] or [one.entrant_id for one in state.active]
    random.Random(seed).shuffle(lot)
    ranked = final_order(rows, facts.played, lot) if rows else lot
    may = {one.entrant_id for one in state.active} - set(state.declined)
    shared = Counter(row.rank for row in rows)
    drawn = [row.entrant_id for row in rows if shared[row.rank] > 1] if rows else sorted(lot)
    return tuple(one for one in ranked if one in may), tuple(drawn)


def decline_seat(state: Tournament, facts: Facts, *, entrant_id: str) -> Decision:
    """Let an entrant give up its place in the cut, before the first round of it is published.

    Where the cut is made, everybody below moves up one seed and the next in line is the last.
    Refused with `tournaments.entrant_unknown`, `tournaments.seat_declined`,
    `tournaments.cut_moved_on`, `tournaments.not_in_cut`, `tournaments.cut_size`.
    """
    wrong = _seat_free_to_move(state, entrant_id)
    if wrong is not None:
        return wrong
    if entrant_id in state.declined:
        return Refusal("tournaments.seat_declined", {"found": entrant_id})
    if state.status == CUT and entrant_id not in state.seeds:
        return Refusal("tournaments.not_in_cut", {"found": entrant_id})
    declined = SeatDeclined(state.event_id, entrant_id)
    return _reseeded(state, facts, declined)


def take_seat(state: Tournament, facts: Facts, *, entrant_id: str) -> Decision:
    """Undo decline_seat. Refused with `tournaments.seat_not_declined` and as decline_seat."""
    wrong = _seat_free_to_move(state, entrant_id)
    if wrong is not None:
        return wrong
    if entrant_id not in state.declined:
        return Refusal("tournaments.seat_not_declined", {"found": entrant_id})
    return _reseeded(state, facts, SeatTaken(state.event_id, entrant_id))


def _seat_free_to_move(state: Tournament, entrant_id: str) -> Refusal | None:
    wrong = state_of.in_status(state, RUNNING, CUT)
    if wrong is not None:
        return wrong
    if state.status == CUT and _cut_begun(state):
        return _cut_begun(state)
    if entrant_id not in state.entrants:
        return Refusal("tournaments.entrant_unknown", {"found": entrant_id})
    return None


def _reseeded(state: Tournament, facts: Facts, moved: SeatDeclined | SeatTaken) -> Decision:
    if state.status != CUT:
        return [moved]
    after = state_of.evolve(state, moved)
    order, drawn = cut_order(after, facts, state.cut_seed)
    places = len(state.seeds)
    if len(order) < places:
        return Refusal("tournaments.cut_size", {"found": places, "allowed": [2, len(order)]})
    seeds = order[:places]
    return [moved, ev.CutMade(state.event_id, state.swiss_rounds, seeds, state.cut_seed, drawn)]


def replace_in_cut(state: Tournament, *, gone: str, entrant_id: str) -> Decision:
    """Give the place of a player of the cut to another, before its first round is published.

    The new one gets the seed of the old. Refused with `tournaments.not_in_cut{found}`,
    `tournaments.entrant_in`, `tournaments.entrant_out`, `tournaments.cut_moved_on`.
    """
    wrong = state_of.in_status(state, CUT) or _cut_begun(state)
    if wrong is not None:
        return wrong
    if gone not in state.seeds:
        return Refusal("tournaments.not_in_cut", {"found": gone})
    if entrant_id in state.seeds:
        return Refusal("tournaments.entrant_in", {"found": entrant_id})
    if entrant_id not in {one.entrant_id for one in state.active}:
        return Refusal("tournaments.entrant_out", {"found": entrant_id})
    seeds = tuple(entrant_id if one == gone else one for one in state.seeds)
    return [ev.CutMade(state.event_id, state.swiss_rounds, seeds, 0, ())]


def undo_cut(state: Tournament) -> Decision:
    """Take the cut back, before its first round is published; standings and registrations stay.
    Refused with `tournaments.cut_moved_on`."""
    wrong = state_of.in_status(state, CUT) or _cut_begun(state)
    return wrong or [ev.CutUndone(state.event_id)]


def _cut_begun(state: Tournament) -> Refusal | None:
    if state.current > state.swiss_rounds:
        return Refusal(
            "tournaments.cut_moved_on", {"found": state.current, "allowed": state.swiss_rounds}
        )
    return None


def withdraw_round(state: Tournament, facts: Facts, *, number: int) -> Decision:
    """Take the newest published round back, to pair it anew, while no table of it has started.

    Refused with `tournaments.not_newest{found, allowed}`, `tournaments.results_there{found}`,
    `tournaments.tables_started{tables}`. `undoing.delete_round` takes it back for all that.
    """
    wrong = state_of.in_status(state, RUNNING, CUT)
    if wrong is not None:
        return wrong
    if number != state.current or not number:
        return Refusal("tournaments.not_newest", {"found": number, "allowed": state.current})
    there = sum(one.round == number for one in facts.played)
    if there:
        return Refusal("tournaments.results_there", {"found": there})
    if facts.started_tables:
        return Refusal("tournaments.tables_started", {"tables": sorted(facts.started_tables)})
    return [ev.RoundWithdrawn(state.event_id, number)]


def finish(state: Tournament, facts: Facts, *, early: str | None = None) -> Decision:
    """End the event with its final places.

    Refused with `tournaments.results_open`, `tournaments.rounds_left`,
    `tournaments.cut_not_made`, `tournaments.cut_not_over`; with fewer than two players left
    it ends wherever it stands, and with `early` (sealed text: why) whatever is left to play.
    """
    wrong = state_of.in_status(state, RUNNING, CUT) or results_open(facts)
    if wrong is not None:
        return wrong
    if early is not None:
        return [
            EventShortened(state.event_id, state.current, state.planned, early),
            ev.EventFinished(state.event_id, tuple(placings(state, facts))),
        ]
    left = len(state.active)
    if left >= 2 and state.status == RUNNING:
        if state.current < state.planned:
            return Refusal(
                "tournaments.rounds_left", {"found": state.current, "allowed": state.planned}
            )
        if state.cut:
            return Refusal("tournaments.cut_not_made", {"allowed": state.cut})
    if left >= 2 and state.status == CUT:
        in_play = [one for one in cut_places(state, facts) if one is not None]
        if len(in_play) > 1:
            return Refusal("tournaments.cut_not_over", {"in_play": in_play})
    return [ev.EventFinished(state.event_id, tuple(placings(state, facts)))]


def placings(state: Tournament, facts: Facts) -> list[ev.Placing]:
    """Return the final places: the cut by how far each came and then by its seed, the others
    by the Swiss standings; the disqualified have none."""
    rows = swiss_standings(state, facts.played)
    out = {one.entrant_id for one in state.entrants.values() if one.status == DISQUALIFIED}
    reached = dict.fromkeys(state.seeds, 0)
    for one in state.published:
        if one.stage == CUT_STAGE:
            reached |= dict.fromkeys((slot for slot in one.slots if slot), one.number)
    if state.seeds:
        champion = [one for one in cut_places(state, facts) if one is not None]
        reached |= dict.fromkeys(champion, state.current + 1)
    in_cut = [one for one in state.seeds if one not in out]
    in_cut.sort(key=lambda one: -reached[one])
    made = [ev.Placing(one, place) for place, one in enumerate(in_cut, 1)]
    below = [row for row in rows if row.entrant_id not in out and row.entrant_id not in reached]
    for index, row in enumerate(below):
        before = below[index - 1] if index else None
        same = before is not None and before.rank == row.rank
        made.append(ev.Placing(row.entrant_id, made[-1].place if same else len(made) + 1))
    return made
