"""An event as the files of the field hold it: players, matches, byes, rounds lost without a
match. What a reader noticed and could go on with are findings; what it could not, a refusal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from eventstore.domain.refusal import Refusal
from tournaments.domain.records import Bye, Played

KTS, WER, TRF, CSV, ARCHIVE = "kts", "wer", "trf", "csv", "archive"
SINGLE, TAG, TEAM = "single", "tag", "team"
DROP, CUT, DISQUALIFIED = "drop", "cut", "disqualified"
SWISS_STAGE, CUT_STAGE = "swiss", "cut"

MAX_BYTES = 16 * 1024 * 1024
MOST_PLAYERS = 20_000
MOST_MATCHES = 400_000
MOST_ROUNDS = 64
MOST_TABLE = 200_000
LONGEST = 200
"""Signs of a name or another text that are kept."""


class Unreadable(Exception):
    """A file that cannot be read: a code with parameters that name the place."""

    def __init__(self, code: str, **params: Any) -> None:
        super().__init__(f"{code} {params}")
        self.refusal = Refusal(code, params)


@dataclass(frozen=True, slots=True)
class Finding:
    """Something a reader noticed and could go on with."""

    code: str
    params: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SheetPlayer:
    """A player, or a team with its members. `dropped_after` is the last round played of one who
    left for `reason` (drop or disqualified), None for all others. `seat` is a fixed table.
    `given` are figures the file states itself (rank, points), for comparison."""

    id: str
    name: str
    members: tuple[str, ...] = ()
    dropped_after: int | None = None
    reason: str = ""
    seat: int | None = None
    given: Mapping[str, str] = field(default_factory=dict, compare=False)
    kept: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class SheetMatch:
    """A match. `winner` P1, P2, draw, double_loss, or None while it has no result."""

    round: int
    table: int
    p1: str
    p2: str
    winner: str | None
    score: tuple[int, int, int] = (0, 0, 0)
    stage: str = SWISS_STAGE


@dataclass(frozen=True, slots=True)
class SheetBye:
    """A round without an opponent: won (a bye), or lost (a late entrant, a missed round)."""

    round: int
    player: str
    won: bool = True
    table: int = 0


@dataclass(frozen=True, slots=True)
class Sheet:
    """A whole event. `system` is the system of standings its program uses. `cut_from` is the
    first round of the cut, 0 without one. `kept` holds what only the format itself knows."""

    format: str
    system: str
    name: str
    players: tuple[SheetPlayer, ...]
    matches: tuple[SheetMatch, ...] = ()
    byes: tuple[SheetBye, ...] = ()
    foreign_id: str = ""
    date: str = ""
    rounds: int = 0
    cut_from: int = 0
    offset: int = 0
    kind: str = SINGLE
    kept: tuple[tuple[str, str], ...] = ()
    findings: tuple[Finding, ...] = field(default=(), compare=False)

    @property
    def last_swiss(self) -> int:
        """Number of the last Swiss round that has a match or a bye."""
        swiss = [one.round for one in self.matches if one.stage == SWISS_STAGE]
        swiss += [one.round for one in self.byes if not self.cut_from or one.round < self.cut_from]
        return max(swiss, default=0)

    @property
    def last_round(self) -> int:
        """Number of the last round that has a match or a bye."""
        return max(
            [one.round for one in self.matches] + [one.round for one in self.byes], default=0
        )

    def results(self, upto: int) -> tuple[list[Played], list[Bye]]:
        """Return the results and byes of the Swiss rounds up to one."""
        played = [
            Played(one.round, one.p1, one.p2, one.winner, one.score)
            for one in self.matches
            if one.stage == SWISS_STAGE and one.round <= upto and one.winner is not None
        ]
        byes = [
            Bye(one.round, one.player, one.won)
            for one in self.byes
            if one.round <= upto and (not self.cut_from or one.round < self.cut_from)
        ]
        return played, byes

    def cut_wins(self, upto: int) -> dict[str, int]:
        """Matches won in the cut up to a round, of those who won one."""
        won: dict[str, int] = {}
        for one in self.matches:
            if one.stage == CUT_STAGE and one.round <= upto and one.winner in ("P1", "P2"):
                winner = one.p1 if one.winner == "P1" else one.p2
                won[winner] = won.get(winner, 0) + 1
        return won
