"""The hand-count audit: cards in and out of each hand at every event, declared counts pinned
to their lines, and what happened between the last right and the first wrong one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from duels.domain.events import CountDeclared, LpAgreed, LpDeclared, TurnMarked
from duels.domain.seats import PLAYERS, other
from duels.domain.walk import Step

LEAST, MOST = 3, 6
"""How many events are shown between the last right and the first wrong count."""


@dataclass(frozen=True, slots=True)
class Count:
    """One line that changed a hand or declared one. `hands`: cards in each hand after it, None
    where no table is kept; `came` and `went`: cards in and out by seat; `by`, `about` and
    `declared` of a declaration. `wrong`: it is not what the table held, or, without a table,
    not what the other player said of the same hand just before."""

    seq: int
    code: str
    hands: Mapping[str, int] | None
    came: Mapping[str, int]
    went: Mapping[str, int]
    by: str | None = None
    about: str | None = None
    declared: int | None = None
    wrong: bool = False
    struck: bool = False


@dataclass(frozen=True, slots=True)
class Audit:
    """All rows; the number of the first wrong declaration, of the last right one about that
    hand before it (None: none), and of the events in between that matter most."""

    rows: tuple[Count, ...]
    first_wrong: int | None
    last_right: int | None
    between: tuple[int, ...]


def audit(steps: Sequence[Step]) -> Audit:
    """Return the audit of a walked log."""
    pad = any(step.after.table.fidelity == "pad" for step in steps)
    rows: list[Count] = []
    said: dict[tuple[str, str], int] = {}
    for step in steps:
        if pad and isinstance(step.event, LpDeclared | LpAgreed | TurnMarked):
            said.clear()  # the pads went on: an earlier count is no longer of the same moment
        row = _row(step, said, pad)
        if row is not None:
            rows.append(row)
    wrong = next((row for row in rows if row.wrong), None)
    if wrong is None:
        return Audit(tuple(rows), None, None, ())
    right = next(
        (
            row.seq
            for row in reversed(rows)
            if row.seq < wrong.seq and row.about == wrong.about and not row.wrong
        ),
        None,
    )
    between = _between(steps, rows, wrong, right or 0)
    return Audit(tuple(rows), wrong.seq, right, between)


def _row(step: Step, said: dict[tuple[str, str], int], pad: bool) -> Count | None:
    table = step.after.table
    hands = None if pad else {player: len(table.side(player).hand) for player in PLAYERS}
    came = {player: len(step.came(player)) for player in PLAYERS}
    went = {player: len(step.went(player)) for player in PLAYERS}
    event = step.event
    if isinstance(event, CountDeclared) and event.zone == "hand":
        against = said.get((other(event.player), event.about)) if pad else None
        if hands is not None:
            against = hands[event.about]
        said[event.player, event.about] = event.value
        return Count(
            step.seq,
            step.code,
            hands,
            came,
            went,
            event.player,
            event.about,
            event.value,
            wrong=against is not None and against != event.value,
        )
    if any(came.values()) or any(went.values()):
        return Count(step.seq, step.code, hands, came, went, struck=step.struck)
    return None


def _between(
    steps: Sequence[Step], rows: Sequence[Count], wrong: Count, after: int
) -> tuple[int, ...]:
    """Events in force that touched the hand, newest six; the nearest others up to three."""
    about = wrong.about or ""
    touched = [
        row.seq
        for row in rows
        if after < row.seq < wrong.seq
        and not row.struck
        and (row.came.get(about) or row.went.get(about))
    ][-MOST:]
    if len(touched) < LEAST:
        others = [
            step.seq
            for step in steps
            if after < step.seq < wrong.seq
            and step.seq not in touched
            and not step.struck
            and step.after.table is not step.before.table
        ]
        touched += others[len(touched) - LEAST :]
    return tuple(sorted(touched))
