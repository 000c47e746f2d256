"""Whether players can have Life Point pads of the duel that is played or comes next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Why: TypeAlias = Literal["", "paper", "game", "no_match", "over", "unlogged", "starter"]
"""Empty: a pad is open or can be opened. Else why not: the policy wants paper; no duel of this game
has a log; the person has no match; the match is over; the duel goes on without a log; nobody knows
yet who starts."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How far a match is: `over` when no further duel can begin and none goes on; `running`: a
    duel goes on, with a log or without (`logged`); `starter`: it is settled who starts the next."""

    over: bool
    running: bool
    logged: bool
    starter: bool


def closed(*, paper: bool, game: bool, match: Standing | None) -> Why:
    """Return why there is no pad, empty where there is one or can be one. `paper`: the policy
    wants Life Points on paper; `game`: duels of the game have logs.

    >>> closed(paper=False, game=True, match=Standing(False, False, False, starter=False))
    'starter'
    """
    if paper:
        return "paper"
    if not game:
        return "game"
    if match is None:
        return "no_match"
    if match.running:
        return "" if match.logged else "unlogged"
    if match.over:
        return "over"
    return "" if match.starter else "starter"
