"""Which scores a match can have, and who has won, under the match rules of the event.

`ygo-classic`: three duels at most, YGO-1.1 to YGO-1.4. `ygo-modern`: first to two wins,
drawn duels make the match longer. In the cut a drawn match is played on when the event says
so: the next duel with a winner decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from duels.rules.yugioh import match as classic
from eventstore.domain.refusal import Refusal

P1, P2, DRAW = classic.P1, classic.P2, classic.DRAW
SEATS = (P1, P2)
DOUBLE_LOSS = "double_loss"
WINNERS = (P1, P2, DRAW, DOUBLE_LOSS)
Score = tuple[int, int, int]

CLASSIC, MODERN = "ygo-classic", "ygo-modern"
MATCH_RULES = (CLASSIC, MODERN)
LONGEST = 9
"""No list of possible scores goes beyond this many duels."""


@dataclass(frozen=True, slots=True)
class Format:
    """How a match is played: its match rules, and whether a draw is played on."""

    rules: str = CLASSIC
    play_on: bool = False


def other(seat: str) -> str:
    """Return the opposite seat of P1 or P2."""
    return classic.other(seat)


def score(results: Sequence[str]) -> Score:
    """Return (P1 wins, P2 wins, draws)."""
    return classic.score(results)


def leader(tally: Score) -> str:
    """Return who has more duel wins: P1, P2, or draw when they are equal."""
    if tally[0] == tally[1]:
        return DRAW
    return P1 if tally[0] > tally[1] else P2


def outcome(form: Format, results: Sequence[str]) -> classic.MatchResult | None:
    """Return the result of the match, None while it goes on."""
    if form.rules == MODERN:
        tally = score(results)
        for seat, wins in zip(SEATS, tally[:2], strict=True):
            if wins >= classic.WINS_NEEDED:
                return classic.MatchResult(seat, "YGO-1.2", tally)
        return None
    ended = classic.outcome(results)
    if ended is None or ended.winner != DRAW or not form.play_on:
        return ended
    for played in range(classic.MAX_DUELS + 1, len(results) + 1):
        tally = score(results[:played])
        if leader(tally) != DRAW:
            return classic.MatchResult(leader(tally), "YGO-1.4", tally)
    return None


def next_duel(form: Format, results: Sequence[str]) -> int | Refusal:
    """Return the number of the next duel; refused with YGO-1.1 or YGO-1.5 when it is over."""
    if outcome(form, results) is None:
        return len(results) + 1
    refused = classic.next_duel(results)
    if isinstance(refused, Refusal):
        return refused
    return Refusal("YGO-1.5", {"score": list(score(results)), "found": len(results) + 1})


def needs_toss(form: Format, results: Sequence[str]) -> bool:
    """Say whether a coin is tossed before the next duel (YGO-1.6, YGO-1.8)."""
    return outcome(form, results) is None and (not results or results[-1] == DRAW)


def chooser(form: Format, results: Sequence[str], toss_winner: str | None) -> str | None:
    """Return the seat that chooses who starts the next duel, None while a toss is due or the
    match is over (YGO-1.6 to YGO-1.8)."""
    if outcome(form, results) is not None:
        return None
    return toss_winner if needs_toss(form, results) else other(results[-1])


def choose_first(
    form: Format, results: Sequence[str], toss_winner: str | None, by: str, first: str
) -> str | Refusal:
    """Return the starting seat as `by` chose it; refusals as in the rules of the match.

    A duel beyond the third (played on) is judged by the last duel alone, like a second one.
    """
    beyond = len(results) >= classic.MAX_DUELS and outcome(form, results) is None
    return classic.choose_first(results[-1:] if beyond else results, toss_winner, by, first)


def _reachable(form: Format, played: Sequence[str]) -> tuple[set[Score], set[Score]]:
    """Return (final scores, scores of an unfinished match) that `played` can still lead to."""
    final: set[Score] = set()
    unfinished: set[Score] = set()
    front = {(score(played), tuple(played))}
    while front:
        following: set[tuple[Score, tuple[str, ...]]] = set()
        seen: set[Score] = set()
        for tally, results in sorted(front):
            if outcome(form, results) is not None:
                final.add(tally)
                continue
            unfinished.add(tally)
            if len(results) >= LONGEST:
                continue
            for word in (P1, P2, DRAW):
                longer = (*results, word)
                following.add((score(longer), longer))
        # One way of reaching a score is enough: what follows depends on the score alone,
        # save for which of several finished ones came first, which both ways share.
        front = set()
        for tally, results in sorted(following):
            if tally not in seen:
                seen.add(tally)
                front.add((tally, results))
    return final, unfinished


def possible(form: Format, played: Sequence[str] = (), *, in_time: bool = True) -> list[Score]:
    """Return the scores a result can show, sorted.

    `played` are the duels already scored. `in_time` False: time was called, so that every
    score an unfinished match can show is possible too.
    """
    final, unfinished = _reachable(form, played)
    return sorted(final if in_time else final | unfinished)
