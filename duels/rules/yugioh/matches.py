"""The match rules of this game: three duels at most, or first to two wins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from duels.domain.matches import MatchResult, MatchRules
from duels.domain.seats import PLAYERS
from duels.rules.yugioh import match
from eventstore.domain.refusal import Refusal


def _modern(results: Sequence[str]) -> MatchResult | None:
    tally = match.score(results)
    for seat, wins in zip(PLAYERS, tally[:2], strict=True):
        if wins >= match.WINS_NEEDED:
            return MatchResult(seat, "YGO-1.2", tally)
    return None


def _closed(results: Sequence[str]) -> Refusal:
    refused = match.next_duel(results)
    if isinstance(refused, Refusal):
        return refused
    params = {"score": list(match.score(results)), "found": len(results) + 1}
    return Refusal("YGO-1.5", params)


def _tossed(results: Sequence[str]) -> bool:
    return not results or results[-1] == match.DRAW


def _choose_first(
    results: Sequence[str], toss_winner: str | None, by: str, first: str
) -> str | Refusal:
    # a duel beyond the third (played on) is judged by the last duel alone, like a second one
    beyond = len(results) >= match.MAX_DUELS
    return match.choose_first(results[-1:] if beyond else results, toss_winner, by, first)


_CLASSIC = MatchRules(
    wins=match.WINS_NEEDED,
    usual=match.MAX_DUELS,
    outcome=match.outcome,
    closed=_closed,
    tossed=_tossed,
    choose_first=_choose_first,
    standings="konami-policy@1",
    ending="eom.turns_2010@1",
)
MATCHES: Mapping[str, MatchRules] = {
    "ygo-classic": _CLASSIC,
    "ygo-modern": replace(_CLASSIC, outcome=_modern, ending="eom.phase_2018@1"),
}
