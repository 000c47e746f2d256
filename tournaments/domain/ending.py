"""Decisions about the cut and the end of an event, and the final places."""

from __future__ import annotations

import random

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
    active = {one.entrant_id for one in state.active}
    places = state.cut if size is None else size
    if not 2 <= places <= len(active):
        return Refusal("tournaments.cut_size", {"found": places, "allowed": [2, len(active)]})
    rows = swiss_standings(state, facts.played)
    lot = [row.entrant_id for row in rows]
    random.Random(seed).shuffle(lot)
    seeds = [one for one in final_order(rows, facts.played, lot) if one in active][:places]
    tied = {row.rank for row in rows if sum(other.rank == row.rank for other in rows) > 1}
    drawn = tuple(row.entrant_id for row in rows if row.rank in tied)
    return [ev.CutMade(state.event_id, state.current, tuple(seeds), seed, drawn)]


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
    """Take the newest published round back while none of its matches has a result.

    Refused with `tournaments.not_newest{found, allowed}`, `tournaments.results_there{found}`.
    """
    wrong = state_of.in_status(state, RUNNING, CUT)
    if wrong is not None:
        return wrong
    if number != state.current or not number:
        return Refusal("tournaments.not_newest", {"found": number, "allowed": state.current})
    there = sum(one.round == number for one in facts.played)
    if there:
        return Refusal("tournaments.results_there", {"found": there})
    return [ev.RoundWithdrawn(state.event_id, number)]


def finish(state: Tournament, facts: Facts) -> Decision:
    """End the event with its final places.

    Refused with `tournaments.results_open`, `tournaments.rounds_left`,
    `tournaments.cut_not_made`, `tournaments.cut_not_over`; with fewer than two players left
    it ends wherever it stands.
    """
    wrong = state_of.in_status(state, RUNNING, CUT) or results_open(facts)
    if wrong is not None:
        return wrong
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
