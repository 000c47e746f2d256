"""The match rules of this game: one duel, or best of three (DM-10.16)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from duels.domain.matches import MatchRules
from duels.rules.duelmasters import match
from duels.rules.duelmasters.seats import PLAYERS
from eventstore.domain.refusal import Refusal


def _closed(best_of: int, results: Sequence[str]) -> Refusal:
    refused = match.next_duel(results, best_of)
    if isinstance(refused, Refusal):
        return refused
    return Refusal("DM-10.16", {"score": list(match.score(results)), "found": len(results) + 1})


def _tossed(results: Sequence[str]) -> bool:
    """A lot says before every duel who starts (DM-1.4, option start.method)."""
    return True


def _choose_first(
    results: Sequence[str], toss_winner: str | None, by: str, first: str
) -> str | Refusal:
    if by != toss_winner or first not in PLAYERS:
        params = {"found": by, "allowed": "random", "toss_due": toss_winner is None}
        return Refusal("DM-1.4", params)
    return first


def _rules(best_of: int, ending: str) -> MatchRules:
    return MatchRules(
        wins=match.wins_needed(best_of),
        usual=best_of,
        outcome=partial(match.outcome, best_of=best_of),
        closed=partial(_closed, best_of),
        tossed=_tossed,
        choose_first=_choose_first,
        standings="duel-masters@1",
        ending=ending,
        lot_starts=True,
    )


MATCHES: Mapping[str, MatchRules] = {
    "dm-bo3": _rules(3, "eom.dm_draw@1"),
    "dm-bo1": _rules(1, "eom.dm_both_lose@1"),
}
