"""The match of one game or best of three (DM-10.16), and who starts (DM-1.4).

Results are a sequence of `P1`, `P2` or `draw`, oldest first; a drawn game counts for neither.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from duels.domain.matches import MatchResult as MatchResult
from duels.rules.duelmasters.options import Value
from duels.rules.duelmasters.seats import DRAW, P1, P2, PLAYERS
from eventstore.domain.refusal import Refusal


def wins_needed(best_of: Value) -> int:
    """Return how many games win a match (option match.best_of)."""
    return 1 if best_of == 1 else 2


def score(results: Sequence[str]) -> tuple[int, int, int]:
    """Return (P1 wins, P2 wins, draws); raises ValueError for a word that is no result."""
    for word in results:
        if word not in (P1, P2, DRAW):
            raise ValueError(f"{word!r} is no result of a game")
    words = tuple(results)
    return words.count(P1), words.count(P2), words.count(DRAW)


def outcome(results: Sequence[str], best_of: Value = 3) -> MatchResult | None:
    """Return the result of the match, None while it goes on. Games reported after the deciding
    one do not count. Raises ValueError for an unknown word."""
    score(results)
    for played in range(1, len(results) + 1):
        tally = score(results[:played])
        for player, wins in zip(PLAYERS, tally[:2], strict=True):
            if wins == wins_needed(best_of):
                return MatchResult(player, "DM-10.16", tally)
    return None


def next_duel(results: Sequence[str], best_of: Value = 3) -> int | Refusal:
    """Return the number (from 1) of the game to play next; refused with DM-10.16 once the match
    is decided."""
    ended = outcome(results, best_of)
    if ended is None:
        return len(results) + 1
    params = {
        "score": list(ended.score),
        "winner": ended.winner,
        "found": len(results) + 1,
        "allowed": len(results),
    }
    return Refusal("DM-10.16", params)


def close(results: Sequence[str], winner: str, best_of: Value = 3) -> MatchResult | Refusal:
    """Close the match with the claimed winner; refused with DM-10.16 while it is not decided,
    or when another player has won it."""
    ended = outcome(results, best_of)
    if ended is None or ended.winner != winner:
        params = {
            "score": list(score(results)),
            "found": winner,
            "allowed": ended.winner if ended is not None else "none",
        }
        return Refusal("DM-10.16", params)
    return ended


def exchange() -> Refusal:
    """Refuse an exchange of cards: there is no side deck (DM-10.16)."""
    return Refusal("DM-10.16", {"found": "exchange", "allowed": "none"})


def starter(options: Mapping[str, Value], how: str, first: str) -> str | Refusal:
    """Return the starting player (DM-1.4). `how`: random (a lot, a coin, dice) or agreed; it is
    refused with DM-1.4 when option start.method says otherwise, or `first` is no player."""
    method = options["start.method"]
    if how != method:
        return Refusal("DM-1.4", {"found": how, "allowed": method})
    if first not in PLAYERS:
        return Refusal("DM-1.4", {"found": first[:40], "allowed": list(PLAYERS)})
    return first
