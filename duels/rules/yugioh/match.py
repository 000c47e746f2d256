"""The match of three duels: its score, its end, the coin and the choice of the starter.

Results are a sequence of `P1`, `P2` or `draw`, oldest first. This module knows nothing of
penalties, no-shows or time: a tournament decides those and hands in the results.
"""

from __future__ import annotations

from collections.abc import Sequence

from duels.domain.matches import MatchResult as MatchResult
from duels.domain.seats import DRAW as DRAW
from duels.domain.seats import P1 as P1
from duels.domain.seats import P2 as P2
from duels.domain.seats import PLAYERS as PLAYERS
from duels.domain.seats import other as other
from eventstore.domain.refusal import Refusal

MAX_DUELS = 3
WINS_NEEDED = 2


def score(results: Sequence[str]) -> tuple[int, int, int]:
    """Return (P1 wins, P2 wins, draws); raises ValueError for a word that is no result."""
    for word in results:
        if word not in (P1, P2, DRAW):
            raise ValueError(f"{word!r} is no result of a duel")
    wins = tuple(results)
    return wins.count(P1), wins.count(P2), wins.count(DRAW)


def outcome(results: Sequence[str]) -> MatchResult | None:
    """Return the result of the match, None while it goes on (YGO-1.2 to YGO-1.5).

    Duels reported after the deciding one do not count. Raises ValueError for an unknown word.
    """
    score(results)
    for played in range(1, min(len(results), MAX_DUELS) + 1):
        tally = score(results[:played])
        for player, wins in zip(PLAYERS, tally[:2], strict=True):
            if wins == WINS_NEEDED:
                return MatchResult(player, "YGO-1.2", tally)
        if played == MAX_DUELS:
            for player, wins in zip(PLAYERS, tally[:2], strict=True):
                if wins == 1 and tally[2] == 2:
                    return MatchResult(player, "YGO-1.3", tally)
            return MatchResult(DRAW, "YGO-1.4", tally)
    return None


def next_duel(results: Sequence[str]) -> int | Refusal:
    """Return the number (from 1) of the duel to play next.

    Refused with YGO-1.1 after three duels, with YGO-1.5 as soon as a player has two wins.
    """
    ended = outcome(results)
    if ended is None:
        return len(results) + 1
    params = {"score": list(ended.score), "winner": ended.winner, "allowed": MAX_DUELS}
    if sum(ended.score) >= MAX_DUELS:
        return Refusal("YGO-1.1", params | {"found": len(results) + 1}, (ended.by,))
    return Refusal("YGO-1.5", params | {"found": len(results) + 1}, (ended.by,))


def close(results: Sequence[str], winner: str) -> MatchResult | Refusal:
    """Close the match with the claimed `winner` (P1, P2 or draw).

    Refused with YGO-1.5 while duels are still to be played, and with the rule that decided
    the match (YGO-1.2, 1.3 or 1.4) when another winner is named.
    """
    ended = outcome(results)
    if ended is None:
        return Refusal(
            "YGO-1.5",
            {
                "score": list(score(results)),
                "next_duel": len(results) + 1,
                "found": winner,
            },
        )
    if ended.winner != winner:
        return Refusal(
            ended.by,
            {"score": list(ended.score), "found": winner, "allowed": ended.winner},
        )
    return ended


def needs_toss(results: Sequence[str]) -> bool:
    """Say whether a coin decides who chooses: before duel 1 (YGO-1.6), after a draw (YGO-1.8)."""
    return outcome(results) is None and (not results or results[-1] == DRAW)


def toss(results: Sequence[str], winner: str) -> str | Refusal:
    """Accept a coin toss and return who won it.

    Refused when the match is over (YGO-1.1, YGO-1.5), when the loser of the last duel has the
    choice (YGO-1.7) and when `winner` is no player (YGO-1.6).
    """
    duel = next_duel(results)
    if isinstance(duel, Refusal):
        return duel
    if not needs_toss(results):
        return Refusal("YGO-1.7", {"found": "toss", "allowed": other(results[-1])})
    if winner not in PLAYERS:
        return Refusal(_choice_rule(results), {"found": winner, "allowed": list(PLAYERS)})
    return winner


def chooser(results: Sequence[str], toss_winner: str | None) -> str | None:
    """Return who chooses first or second: the loser of the last duel (YGO-1.7), else the
    winner of the toss; None while the toss is still to be made or the match is over."""
    if outcome(results) is not None:
        return None
    if needs_toss(results):
        return toss_winner
    return other(results[-1])


def choose_first(
    results: Sequence[str], toss_winner: str | None, by: str, first: str
) -> str | Refusal:
    """Return the starting player as chosen by `by`.

    Refused when the match is over (YGO-1.1, YGO-1.5), and with YGO-1.6, 1.7 or 1.8 when the
    toss is missing, another player has the choice, or `first` is no player.
    """
    duel = next_duel(results)
    if isinstance(duel, Refusal):
        return duel
    entitled = chooser(results, toss_winner)
    rule = _choice_rule(results)
    if entitled is None or by != entitled:
        return Refusal(
            rule,
            {
                "found": by,
                "allowed": entitled,
                "toss_due": entitled is None,
                "duel": duel,
            },
        )
    if first not in PLAYERS:
        return Refusal(rule, {"found": first, "allowed": list(PLAYERS), "toss_due": False})
    return first


def _choice_rule(results: Sequence[str]) -> str:
    if not results:
        return "YGO-1.6"
    return "YGO-1.8" if results[-1] == DRAW else "YGO-1.7"
