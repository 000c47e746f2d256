"""Reads of the standings: frozen after a round, or live."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from people.access import NotAllowed
from people.domain.actor import Actor
from people.domain.permissions import Verdict
from tournaments import reckoning
from tournaments.domain.event import SWISS_STAGE
from tournaments.domain.standings import Move, explain, moves
from tournaments.models import RoundRow, StandingRow
from tournaments.selectors.sides import Side, event_sides, readable


@dataclass(frozen=True, slots=True)
class StandingLine:
    """One line. `tiebreaks` are (name, value) in the order in which they count, rates per
    mille; `detail` says what each number is made of (domain.standings.explain)."""

    rank: int
    side: Side
    points: int
    tiebreaks: tuple[tuple[str, int], ...]
    code: str
    wins: int
    losses: int
    draws: int
    byes: int
    detail: Mapping[str, Any]

    def figure(self, name: str) -> int:
        """A tie-break by name, 0 where the system does not have it."""
        return dict(self.tiebreaks).get(name, 0)


@dataclass(frozen=True, slots=True)
class StandingsView:
    """Standings after a round, best first. `frozen` False: live, results still coming in.
    `revision` and `revisions` count the frozen versions, 0 for live ones."""

    event_id: str
    system: str
    round: int
    frozen: bool
    revision: int
    revisions: int
    lines: tuple[StandingLine, ...]


def standings_after(
    viewer: Actor, event_id: str, number: int | None = None, revision: int | None = None
) -> StandingsView:
    """Return the standings after Swiss round `number`, of its newest revision or of one named.

    `number` None: after the newest round; live while its results are coming in. Raises
    NotAllowed, hidden for a round or revision that there is not.
    """
    event = readable(viewer, event_id, "tournaments.standings_read")
    rows = RoundRow.objects.filter(event_id=event_id, stage=SWISS_STAGE, published=True)
    if number is None:
        newest = rows.order_by("-number").first()
    else:
        newest = rows.filter(number=number).first()
        if newest is None:
            raise NotAllowed("tournaments.standings_read", Verdict.HIDDEN)
    upto = newest.number if newest is not None else 0
    revisions = newest.revision if newest is not None else 0
    if revision is not None and not 1 <= revision <= revisions:
        raise NotAllowed("tournaments.standings_read", Verdict.HIDDEN)
    named = event_sides(event_id)
    if revisions:
        kept = revision or revisions
        frozen = StandingRow.objects.filter(event_id=event_id, round=upto, revision=kept)
        lines = tuple(_frozen(row, named) for row in frozen.order_by("position"))
        return StandingsView(event_id, event.standings, upto, True, kept, revisions, lines)
    live = tuple(
        StandingLine(
            row.rank,
            named[row.entrant_id],
            row.points,
            row.tiebreaks,
            row.code,
            row.wins,
            row.losses,
            row.draws,
            row.byes,
            explain(row),
        )
        for row in reckoning.swiss_standings(event_id, upto)
    )
    return StandingsView(event_id, event.standings, upto, False, 0, 0, live)


def _frozen(row: StandingRow, named: Mapping[str, Side]) -> StandingLine:
    return StandingLine(
        row.rank,
        named[row.entrant_id],
        row.points,
        tuple((name, value) for name, value in row.tiebreaks),
        row.code,
        row.wins,
        row.losses,
        row.draws,
        row.byes,
        row.detail,
    )


@dataclass(frozen=True, slots=True)
class Moved:
    """A rank that moved with a correction (domain.standings.moves)."""

    side: Side
    move: Move


def moved(viewer: Actor, event_id: str, number: int, revision: int) -> list[Moved]:
    """Return which ranks moved from the revision before to this one, and why: six queries.

    Raises NotAllowed, hidden for a round or revision that there is not.
    """
    after = standings_after(viewer, event_id, number, revision)
    if revision < 2 or not after.frozen:
        return []
    rows = StandingRow.objects.filter(event_id=event_id, round=number)
    before = list(rows.filter(revision=revision - 1).order_by("position"))
    now = list(rows.filter(revision=revision).order_by("position"))
    sides = {line.side.entrant_id: line.side for line in after.lines}
    return [Moved(sides[one.entrant_id], one) for one in moves(before, now)]
