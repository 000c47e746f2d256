"""What an undoing would change, shown before it is confirmed, and what was undone so far.

Decided by the functions of the commands on a copy (domain.preview): nothing is written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from eventstore.domain.envelope import fold
from eventstore.domain.refusal import Refusal
from people import selectors as people
from people import vault
from people.access import NotAllowed, require
from people.domain.actor import Actor
from people.domain.permissions import Subject, Verdict
from tournaments.domain import enrolment, preview, reporting, undoing
from tournaments.domain.event import Decision
from tournaments.domain.match import evolve as evolve_match
from tournaments.domain.preview import Effects, Position
from tournaments.models import UndoneRow
from tournaments.selectors.positions import match_state, position_of
from tournaments.selectors.sides import Side, event_sides, readable
from tournaments.selectors.standings import Moved

RESULT, ROUND, CUT, REOPEN = "result", "round", "cut", "reopen"
REINSTATE, DROP = "reinstate", "drop"
ACTS: Mapping[str, str] = {
    RESULT: "tournaments.result_enter",
    ROUND: "tournaments.event_run",
    CUT: "tournaments.event_run",
    REOPEN: "tournaments.event_run",
    REINSTATE: "tournaments.entrant_enrol",
    DROP: "tournaments.entrant_enrol",
}
"""What can be previewed, and the right that its command asks for."""


@dataclass(frozen=True, slots=True)
class StandsView:
    """A published round that stays (domain.preview.Stands), with names."""

    number: int
    tables: int
    others: int
    byes_before: tuple[Side, ...]
    byes_after: tuple[Side, ...]


@dataclass(frozen=True, slots=True)
class Preview:
    """What an act would change. `refusal`: it would be refused, and nothing else is filled.

    `results_gone` counts results that are taken back. `next_before` and `next_after` say why the
    next round cannot be paired now, None where it can. The rest as in domain.preview.Effects.
    """

    act: str
    refusal: Refusal | None = None
    moves: tuple[Moved, ...] = ()
    cut_in: tuple[Side, ...] = ()
    cut_out: tuple[Side, ...] = ()
    stands: tuple[StandsView, ...] = ()
    draft_stale: bool = False
    new_pairs: int = 0
    byes_before: tuple[Side, ...] = ()
    byes_after: tuple[Side, ...] = ()
    next_before: Refusal | None = None
    next_after: Refusal | None = None
    places: tuple[tuple[Side, int | None, int | None], ...] = ()
    results_gone: int = 0

    @property
    def nothing(self) -> bool:
        """Whether no rank, cut, place or pairing moves."""
        return not (
            self.moves
            or self.cut_in
            or self.cut_out
            or self.places
            or self.new_pairs
            or self.draft_stale
            or self.byes_before != self.byes_after
        )


def undo_preview(viewer: Actor, event_id: str, act: str, **asked: Any) -> Preview:
    """Return what an act of ACTS would change: five queries.

    `asked` is what its command takes: result `match_id`, `score`, `reason`, `winner`; round
    `number`; reinstate and drop `entrant_id`. Raises NotAllowed, KeyError for another act.
    """
    readable(viewer, event_id, "tournaments.event_read")
    require(viewer, ACTS[act], Subject(event_id))
    before = position_of(event_id)
    changed_round = 0
    if act == RESULT:
        after, changed_round = _corrected(before, asked)
    else:
        after = _after(before, _decided(before, act, asked))
    if isinstance(after, Refusal):
        return Preview(act, after)
    made = preview.effects(before, after, changed_round)
    return _named(act, event_id, made, before, after)


def _corrected(before: Position, asked: Mapping[str, Any]) -> tuple[Position | Refusal, int]:
    match = match_state(asked.get("match_id", ""))
    if match.event_id != before.state.event_id:
        raise NotAllowed("tournaments.match_read", Verdict.HIDDEN)
    made = reporting.correct(
        match,
        score=asked.get("score"),
        reason=asked.get("reason", "played"),
        winner=asked.get("winner"),
        note=None,
    )
    if isinstance(made, Refusal):
        return made, 0
    now = fold(match, evolve_match, made)
    winner = now.result.winner if now.result is not None else ""
    wrong = undoing.correctable(before.state, match, winner)
    if wrong is not None:
        return wrong, 0
    after = preview.after_result(before, now)
    again = undoing.placed_anew(after.state, after.facts)
    return preview.after_events(after, again), match.round


def _decided(before: Position, act: str, asked: Mapping[str, Any]) -> Decision:
    state = before.state
    if act == ROUND:
        return undoing.delete_round(state, number=asked.get("number", 0))
    if act == CUT:
        return undoing.restart_cut(state)
    if act == REOPEN:
        return undoing.reopen(state, note="")
    entrant = asked.get("entrant_id", "")
    if act == DROP:
        return enrolment.drop(state, entrant_id=entrant, reason="staff")
    return enrolment.reinstate(state, entrant_id=entrant)


def _after(before: Position, made: Decision) -> Position | Refusal:
    return made if isinstance(made, Refusal) else preview.after_events(before, made)


def _named(act: str, event_id: str, made: Effects, before: Position, after: Position) -> Preview:
    named = event_sides(event_id)

    def sides(ids: Sequence[str]) -> tuple[Side, ...]:
        return tuple(named[one] for one in ids)

    return Preview(
        act,
        None,
        tuple(Moved(named[one.entrant_id], one) for one in made.moves),
        sides(made.cut_in),
        sides(made.cut_out),
        tuple(
            StandsView(
                one.number, one.tables, one.others, sides(one.byes_before), sides(one.byes_after)
            )
            for one in made.stands
        ),
        made.draft_stale,
        made.new_pairs,
        sides(made.before.byes),
        sides(made.after.byes),
        made.before.refusal,
        made.after.refusal,
        tuple((named[one], was, now) for one, was, now in made.places),
        len(before.facts.played) - len(after.facts.played),
    )


@dataclass(frozen=True, slots=True)
class Undone:
    """One correction or undoing, for staff: `note` is why, None where its author is erased."""

    row: UndoneRow
    by: str
    note: str | None


def undone(viewer: Actor, event_id: str) -> list[Undone]:
    """Return what staff corrected and took back, newest first: four queries. Raises NotAllowed."""
    readable(viewer, event_id, "tournaments.event_read")
    require(viewer, "tournaments.result_enter", Subject(event_id, public=False))
    rows = list(UndoneRow.objects.filter(event_id=event_id).order_by("-position")[:200])
    names = people.names(row.by for row in rows)
    notes = vault.open_texts([(row.by, row.note) for row in rows])
    return [
        Undone(row, names.get(row.by, ""), note if row.note else "")
        for row, note in zip(rows, notes, strict=True)
    ]
