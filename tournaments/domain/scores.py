"""Which scores a match can have, and who has won, under the match rules of the event.

The match rules are those of the packages of the games (duels.rules.games). In the cut a drawn
match is played on when the event says so: the next duel with a winner decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from duels.domain import seats
from duels.domain.matches import MatchResult, MatchRules
from duels.rules.games import PLAYED, match_rules
from eventstore.domain.refusal import Refusal

P1, P2, DRAW = seats.P1, seats.P2, seats.DRAW
SEATS = (P1, P2)
DOUBLE_LOSS = "double_loss"
Score = tuple[int, int, int]

_RULES = {name: one for game in PLAYED for name, one in match_rules()[game].items()}
MATCH_RULES = tuple(_RULES)
LONGEST = 9
"""No list of possible scores goes beyond this many duels."""


def of_game(game: str) -> tuple[str, ...]:
    """Return the match rules of a game, the usual one first; those of the first game for a game
    without an engine."""
    return tuple(match_rules()[game if game in PLAYED else PLAYED[0]])


def game_of(name: str) -> str:
    """Return the game of match rules; the first game for a name of none."""
    return next((game for game in PLAYED if name in match_rules()[game]), PLAYED[0])


def named(name: str) -> MatchRules:
    """Return match rules by their id. Raises KeyError."""
    return _RULES[name]


@dataclass(frozen=True, slots=True)
class Format:
    """How a match is played: its match rules, and whether a draw is played on."""

    rules: str = MATCH_RULES[0]
    play_on: bool = False

    @property
    def wins(self) -> int:
        """Duel wins that decide the match."""
        return _RULES[self.rules].wins

    @property
    def lot_starts(self) -> bool:
        """Whether the winner of the toss starts, without a choice."""
        return _RULES[self.rules].lot_starts


def other(seat: str) -> str:
    """Return the opposite seat of P1 or P2."""
    return seats.other(seat)


def score(results: Sequence[str]) -> Score:
    """Return (P1 wins, P2 wins, draws); raises ValueError for a word that is no result."""
    words = tuple(results)
    for word in words:
        if word not in (P1, P2, DRAW):
            raise ValueError(f"{word!r} is no result of a duel")
    return words.count(P1), words.count(P2), words.count(DRAW)


def leader(tally: Score) -> str:
    """Return who has more duel wins: P1, P2, or draw when they are equal."""
    if tally[0] == tally[1]:
        return DRAW
    return P1 if tally[0] > tally[1] else P2


def outcome(form: Format, results: Sequence[str]) -> MatchResult | None:
    """Return the result of the match, None while it goes on."""
    ended = _RULES[form.rules].outcome(results)
    if ended is None or ended.winner != DRAW or not form.play_on:
        return ended
    for played in range(sum(ended.score) + 1, len(results) + 1):
        tally = score(results[:played])
        if leader(tally) != DRAW:
            return MatchResult(leader(tally), ended.by, tally)
    return None


def next_duel(form: Format, results: Sequence[str]) -> int | Refusal:
    """Return the number of the next duel; refused with the rule of the game when the match is
    over (YGO-1.1, YGO-1.5, DM-10.16)."""
    if outcome(form, results) is None:
        return len(results) + 1
    return _RULES[form.rules].closed(results)


def needs_toss(form: Format, results: Sequence[str]) -> bool:
    """Say whether a coin is tossed before the next duel (YGO-1.6, YGO-1.8, DM-1.4)."""
    return outcome(form, results) is None and _RULES[form.rules].tossed(results)


def chooser(form: Format, results: Sequence[str], toss_winner: str | None) -> str | None:
    """Return the seat that chooses who starts the next duel, None while a toss is due or the
    match is over (YGO-1.6 to YGO-1.8)."""
    if outcome(form, results) is not None:
        return None
    return toss_winner if needs_toss(form, results) else other(results[-1])


def choose_first(
    form: Format, results: Sequence[str], toss_winner: str | None, by: str, first: str
) -> str | Refusal:
    """Return the starting seat as `by` chose it; refusals as in the rules of the match."""
    if outcome(form, results) is not None:
        return _RULES[form.rules].closed(results)
    return _RULES[form.rules].choose_first(results, toss_winner, by, first)


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
