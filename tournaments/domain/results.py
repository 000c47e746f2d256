"""What counts as a result of a match: score, winner and reason must agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from eventstore.domain.refusal import Refusal
from tournaments.domain import scores
from tournaments.domain.scores import DOUBLE_LOSS as DOUBLE_LOSS
from tournaments.domain.scores import DRAW, SEATS, Format, Score

PLAYED, TIME, GAME_LOSS, MATCH_LOSS = "played", "time", "game_loss", "match_loss"
NO_SHOW, CONCESSION, DISQUALIFICATION = "no_show", "concession", "disqualification"
REASONS = (
    PLAYED,
    TIME,
    GAME_LOSS,
    MATCH_LOSS,
    NO_SHOW,
    CONCESSION,
    DOUBLE_LOSS,
    DISQUALIFICATION,
)
BY_SCORE = (PLAYED, TIME, GAME_LOSS)
"""Reasons whose winner follows from the score."""
BY_WINNER = (MATCH_LOSS, NO_SHOW, CONCESSION, DISQUALIFICATION)
"""Reasons whose winner is named, whatever was played."""
CLAIMABLE = (PLAYED, TIME, CONCESSION)
"""Reasons a player may report; the others are acts of staff."""


@dataclass(frozen=True, slots=True)
class Result:
    """A result: winner P1, P2, draw or double_loss; score (P1 wins, P2 wins, draws)."""

    winner: str
    score: Score
    reason: str
    by: str = ""


def awarded(winner: str, played: Score, form: Format) -> Score:
    """Return the score of a match given to `winner` without being played out: the winner's
    missing duel wins are added, what was played stands."""
    first, second, drawn = played
    if winner == scores.P1:
        first = max(first, form.wins)
    elif winner == scores.P2:
        second = max(second, form.wins)
    return first, second, drawn


def judge(
    form: Format,
    *,
    cut: bool,
    played: Sequence[str],
    score: Sequence[int] | None,
    reason: str,
    winner: str | None,
) -> Result | Refusal:
    """Make a result of what was reported, or say what is wrong with it and what would be right.

    `played` are the duels already scored one by one; `cut` says whether the match must have a
    winner. Refused with `tournaments.reason_unknown`, `tournaments.score_malformed`,
    `tournaments.score_impossible`, `tournaments.winner_missing`, `tournaments.winner_differs`,
    `tournaments.cut_needs_winner`.
    """
    if reason not in REASONS:
        return Refusal("tournaments.reason_unknown", {"found": reason, "allowed": list(REASONS)})
    if score is not None and (
        len(score) != 3 or any(type(part) is not int or not 0 <= part <= 9 for part in score)
    ):
        return Refusal(
            "tournaments.score_malformed",
            {"found": list(score)[:9], "allowed": "three numbers from 0 to 9"},
        )
    if reason in BY_SCORE:
        return _by_score(form, cut, played, score, reason, winner)
    tally = (score[0], score[1], score[2]) if score is not None else scores.score(played)
    if reason == DOUBLE_LOSS:
        if winner not in (None, DOUBLE_LOSS):
            return Refusal(
                "tournaments.winner_differs", {"found": winner, "allowed": [DOUBLE_LOSS]}
            )
        named = DOUBLE_LOSS
    elif winner in SEATS or (winner == DOUBLE_LOSS and reason != CONCESSION):
        named = winner
    else:
        allowed = [*SEATS] if reason == CONCESSION else [*SEATS, DOUBLE_LOSS]
        return Refusal("tournaments.winner_missing", {"found": winner, "allowed": allowed})
    if score is None:
        tally = awarded(named, tally, form)
    else:
        # Whoever is given the match is shown with the wins that stand for it.
        allowed_scores = {awarded(named, one, form) for one in scores.possible(form, in_time=False)}
        allowed_scores.add(awarded(named, scores.score(played), form))
        fitting = sorted(
            one for one in allowed_scores if named == DOUBLE_LOSS or scores.leader(one) == named
        )
        if tally not in fitting:
            return _impossible(tally, fitting)
    return Result(named, tally, reason)


def _by_score(
    form: Format,
    cut: bool,
    played: Sequence[str],
    score: Sequence[int] | None,
    reason: str,
    winner: str | None,
) -> Result | Refusal:
    allowed = scores.possible(form, played, in_time=reason != TIME)
    if score is None:
        return Refusal(
            "tournaments.score_malformed",
            {"found": None, "allowed": [list(one) for one in allowed]},
        )
    tally = (score[0], score[1], score[2])
    if tally not in allowed:
        return _impossible(tally, allowed)
    ahead = scores.leader(tally)
    if winner is not None and winner != ahead:
        return Refusal("tournaments.winner_differs", {"found": winner, "allowed": [ahead]})
    if cut and ahead == DRAW:
        fitting = [list(one) for one in allowed if scores.leader(one) != DRAW]
        return Refusal("tournaments.cut_needs_winner", {"found": list(tally), "allowed": fitting})
    return Result(ahead, tally, reason)


def _impossible(found: Score, allowed: Sequence[Score]) -> Refusal:
    return Refusal(
        "tournaments.score_impossible",
        {"found": list(found), "allowed": [list(one) for one in allowed]},
    )
