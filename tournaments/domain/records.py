"""The record of each entrant: what its rounds came to, by the results and byes so far."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tournaments.domain.scores import DRAW, P1, P2

WIN, LOSS, DRAWN, BYE, LATE = "win", "loss", "draw", "bye", "late"


@dataclass(frozen=True, slots=True)
class Played:
    """The result of one match: `winner` P1, P2, draw or double_loss; `score` in games: P1 wins, P2
    wins, draws."""

    round: int
    p1: str
    p2: str
    winner: str
    score: tuple[int, int, int] = (0, 0, 0)


@dataclass(frozen=True, slots=True)
class Bye:
    """A round that an entrant won without an opponent; not `won`: one that it lost without."""

    round: int
    entrant_id: str
    won: bool = True


@dataclass(frozen=True, slots=True)
class Line:
    """One round of one entrant: `kind` win, loss, draw, bye or late; `opponent` None for the
    last two."""

    round: int
    kind: str
    opponent: str | None


@dataclass(frozen=True, slots=True)
class Record:
    """All rounds of one entrant, in order. Points: win and bye 3, draw 1."""

    entrant_id: str
    lines: tuple[Line, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)

    @property
    def points(self) -> int:
        """Match points."""
        return 3 * (self.count(WIN) + self.count(BYE)) + self.count(DRAWN)

    @property
    def losses(self) -> int:
        """Rounds lost, the round a late entrant missed among them."""
        return self.count(LOSS) + self.count(LATE)

    @property
    def opponents(self) -> tuple[str, ...]:
        """Opponents met, one entry per match, oldest first."""
        return tuple(line.opponent for line in self.lines if line.opponent is not None)

    @property
    def lost_rounds(self) -> tuple[int, ...]:
        """Numbers of the rounds lost."""
        return tuple(line.round for line in self.lines if line.kind in (LOSS, LATE))

    def count(self, kind: str) -> int:
        """How many rounds were of a kind."""
        return self.counts.get(kind, 0)


def records(
    entrants: Iterable[str],
    played: Sequence[Played],
    byes: Sequence[Bye] = (),
    late: Iterable[str] = (),
) -> dict[str, Record]:
    """Return the record of every entrant, in the order given.

    `late` entrants lose round 1. Matches of entrants that are not named are counted for their
    opponent only.
    """
    lines: dict[str, list[Line]] = {one: [] for one in entrants}
    for one in late:
        if one in lines:
            lines[one].append(Line(1, LATE, None))
    for bye in byes:
        if bye.entrant_id in lines:
            lines[bye.entrant_id].append(Line(bye.round, BYE if bye.won else LATE, None))
    for match in played:
        for seat, me, facing in ((P1, match.p1, match.p2), (P2, match.p2, match.p1)):
            if me not in lines:
                continue
            kind = DRAWN if match.winner == DRAW else WIN if match.winner == seat else LOSS
            lines[me].append(Line(match.round, kind, facing))
    made: dict[str, Record] = {}
    for entrant, rows in lines.items():
        rows.sort(key=lambda line: line.round)
        counts: dict[str, int] = {}
        for row in rows:
            counts[row.kind] = counts.get(row.kind, 0) + 1
        made[entrant] = Record(entrant, tuple(rows), counts)
    return made
