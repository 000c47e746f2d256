"""How duels make a match: what the package of a game says of each of its match rules.

Results are a sequence of `P1`, `P2` or `draw`, oldest first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from eventstore.domain.refusal import Refusal


@dataclass(frozen=True, slots=True)
class MatchResult:
    """The end of a match: `winner` P1, P2 or draw, `by` the rule id that ended it, `score`
    (P1 wins, P2 wins, draws)."""

    winner: str
    by: str
    score: tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class MatchRules:
    """One way to play a match. `wins`: duel wins that decide it; `usual`: duels that it has at
    most where none is drawn. `outcome` gives the result, None while it goes on; `closed` refuses
    a duel after the end. `tossed` says whether a coin or lot comes before the next duel, and
    `lot_starts` whether its winner starts without a choice; else `choose_first` (results, winner
    of the toss, who chooses, who shall start) gives the starter or refuses. `standings` and
    `ending` are what an event plays by that chose nothing."""

    wins: int
    usual: int
    outcome: Callable[[Sequence[str]], MatchResult | None]
    closed: Callable[[Sequence[str]], Refusal]
    tossed: Callable[[Sequence[str]], bool]
    choose_first: Callable[[Sequence[str], str | None, str, str], str | Refusal]
    standings: str
    ending: str
    lot_starts: bool = False
