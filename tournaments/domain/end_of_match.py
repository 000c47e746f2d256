"""Time is called: questions, answers, and the result they lead to.

A pure state machine. The answers so far are fed to the procedure of the ruleset; what comes out is
the next question, or the result with the steps that decided it. The same answers always lead to
the same result, so a slip can be checked years later from ruleset id, version and answers.

A win during the procedure wins that duel: every question about turns can be answered with it.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from dataclasses import dataclass

from eventstore.domain.refusal import Refusal
from tournaments.domain import results, scores
from tournaments.domain import ruleset as rules_of
from tournaments.domain.results import Result
from tournaments.domain.ruleset import Ruleset
from tournaments.domain.scores import DRAW, P1, P2, SEATS, Format, Score

DONE, IN_DUEL, BETWEEN, YES, NO = "done", "in_duel", "between", "yes", "no"
CHOICE, POINTS = "choice", "points"
MOST_LP = 99_999
MOST_ANSWERS = 200
"""Answers of one table at most: whoever plays on that long has pressed the wrong button."""
_POINTS = re.compile(r"(\d{1,5})-(\d{1,5})")


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked next. `id` is unique in one run; `topic` names the text, `number` counts
    within it (turn 2 of 5: number 2, of 5; of 0: without end). `kind` choice: one of `options`;
    points: the Life Points of both, `8000-4000`."""

    id: str
    topic: str
    kind: str = CHOICE
    options: tuple[str, ...] = ()
    number: int = 0
    of: int = 0


@dataclass(frozen=True, slots=True)
class Ended:
    """The result that the answers lead to, and the codes of the steps that decided it."""

    result: Result
    why: tuple[str, ...]


Run = Generator[Question, str, Ended]
Part = Generator[Question, str, str]
TURN_ANSWERS = (DONE, P1, P2, DRAW)


def step(
    rules: Ruleset, form: Format, *, cut: bool, played: Sequence[str], answers: Sequence[str]
) -> Question | Ended | Refusal:
    """Return what the answers lead to. `played` are the duels scored before time was called.

    Refused with `tournaments.answer_unknown{found, allowed}` for an answer that the question does
    not have, and `tournaments.end_over` for answers after the result.
    """
    run = _match(rules, form, cut, tuple(played))
    asked = next(run)
    for number, given in enumerate(answers, 1):
        wrong = _wrong(asked, given)
        if wrong is not None:
            return wrong
        try:
            asked = run.send(given)
        except StopIteration as end:
            ended: Ended = end.value
            return ended if number == len(answers) else Refusal("tournaments.end_over")
    return asked


def _wrong(question: Question, answer: str) -> Refusal | None:
    if question.kind == POINTS:
        found = _POINTS.fullmatch(answer)
        if found is None or max(int(found[1]), int(found[2])) > MOST_LP:
            return Refusal(
                "tournaments.answer_unknown", {"found": answer[:40], "allowed": "8000-4000"}
            )
        return None
    if answer not in question.options:
        return Refusal(
            "tournaments.answer_unknown",
            {"found": answer[:40], "allowed": list(question.options)},
        )
    return None


def _text(tally: Score) -> str:
    return "-".join(str(one) for one in tally)


def open_scores(form: Format) -> tuple[str, ...]:
    """Return the scores that an unfinished match of no more duels than usual can show."""
    whole = set(scores.possible(form))
    cut_short = [
        one
        for one in scores.possible(form, in_time=False)
        if one not in whole and sum(one) <= scores.named(form.rules).usual
    ]
    return tuple(_text(one) for one in sorted(cut_short, key=lambda one: (sum(one), one)))


def _match(rules: Ruleset, form: Format, cut: bool, played: tuple[str, ...]) -> Run:
    tally = scores.score(played)
    if not played:
        told = yield Question("score", "score", options=open_scores(form))
        first, second, drawn = (int(one) for one in told.split("-"))
        tally = (first, second, drawn)
    if cut and rules.cut == rules_of.UNTIMED:
        winner = yield Question("untimed", "untimed", options=SEATS)
        while max(tally[0], tally[1]) < form.wins and scores.leader(tally) != winner:
            tally = _with(tally, winner)
        if scores.leader(tally) != winner:
            tally = _with(tally, winner)
        return Ended(Result(winner, tally, results.TIME), ("untimed",))
    why: list[str] = []
    moment = yield Question("moment", "moment", options=(IN_DUEL, BETWEEN))
    if moment == IN_DUEL and rules.duel != rules_of.VOID:
        won = yield from _duel(rules, cut, why)
        if won == scores.DOUBLE_LOSS:
            return Ended(Result(won, tally, scores.DOUBLE_LOSS), tuple(why))
        tally = _with(tally, won)
    ahead = scores.leader(tally)
    if rules.match == rules_of.TWO_WINS and max(tally[0], tally[1]) < form.wins:
        why.append("nobody_two_wins")
    elif ahead != DRAW:
        return Ended(Result(ahead, tally, results.TIME), (*why, "more_wins"))
    else:
        why.append("equal_wins")
    if cut:
        won = yield from _extra_duel(rules, why)
        return Ended(Result(won, _with(tally, won), results.TIME), tuple(why))
    if rules.tie == rules_of.DRAW and ahead == DRAW:
        return Ended(Result(DRAW, tally, results.TIME), (*why, "match_drawn"))
    lost = Result(scores.DOUBLE_LOSS, tally, scores.DOUBLE_LOSS)
    return Ended(lost, (*why, "both_lose"))


def _with(tally: Score, won: str) -> Score:
    return (tally[0] + (won == P1), tally[1] + (won == P2), tally[2] + (won == DRAW))


def _duel(rules: Ruleset, cut: bool, why: list[str]) -> Part:
    """Play the running duel to its end by the ruleset; the answer is who won it, draw, or
    double_loss when both lose the match."""
    for number in range(rules.turns + 1):
        if number:
            told = yield Question(
                f"turn-{number}", "turn", options=TURN_ANSWERS, number=number, of=rules.turns
            )
        else:
            told = yield Question("stop", f"stop_{rules.stop}", options=TURN_ANSWERS)
        if told != DONE:
            why.append("duel_won" if told != DRAW else "duel_drawn")
            return told
    if rules.duel == rules_of.BOTH_LOSE:
        why.append("both_lose")
        return scores.DOUBLE_LOSS
    if rules.duel == rules_of.DRAWN:
        why.append("duel_drawn")
        return DRAW
    return (yield from _by_points("", cut, why))


def _by_points(name: str, cut: bool, why: list[str]) -> Part:
    """Compare Life Points; where a winner is needed, turn by turn until they differ."""
    number = -1
    while True:
        number += 1
        if number:
            told = yield Question(
                f"{name}more-{number}", "more", options=TURN_ANSWERS, number=number
            )
            if told != DONE:
                why.append("duel_won" if told != DRAW else "duel_drawn")
                return told
        told = yield Question(
            f"{name}points-{number}" if number else f"{name}points", POINTS, POINTS
        )
        first, second = (int(one) for one in told.split("-"))
        if first != second:
            why.append("points_higher")
            return P1 if first > second else P2
        if not cut:
            why.append("points_equal")
            return DRAW


def _extra_duel(rules: Ruleset, why: list[str]) -> Part:
    """A new duel decides a match of the cut: who was drawn chooses who starts, nobody sides
    unless somebody has looked already."""
    why.append("extra_duel")
    number = 0
    while True:
        number += 1
        name = f"extra-{number}-"
        yield Question(f"{name}chooser", "chooser", options=SEATS, number=number)
        yield Question(f"{name}sided", "sided", options=(NO, YES), number=number)
        if not rules.cut_turns:
            told = yield Question(f"{name}won", "extra_won", options=(P1, P2, DRAW))
        else:
            told = DONE
            for turn in range(1, rules.cut_turns + 1):
                told = yield Question(
                    f"{name}turn-{turn}",
                    "extra_turn",
                    options=TURN_ANSWERS,
                    number=turn,
                    of=rules.cut_turns,
                )
                if told != DONE:
                    break
            if told == DONE:
                told = yield from _by_points(name, True, why)
        if told != DRAW:
            return told
