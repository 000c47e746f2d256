"""One line of a slip, as a scorekeeper types it: `47 2-1 d2`.

    table  result  [t]  [d1 | d2 | d12]

| form | means |
|---|---|
| `47 2-1` | duels won: the first named player two, the second one |
| `47 2:1`, `47 2/1`, `47 2–1` | the same |
| `47 1-1-1` | the third number counts drawn duels |
| `47 0-0`, `47 1-0` | a match that time cut short; before the table's time is over write `t` |
| `47 1-0 t` | time was called |
| `47 d` | drawn, with the score that the match rules give a draw |
| `47 dl` | both lose the match |
| `47 n1`, `n2`, `n12` | no-show of the first, the second, both |
| `47 c1`, `c2` | the first, the second conceded |
| `47 2-1 d2`, `d1`, `d12` | the slip says that the second (first, both) leaves the event |

Capital letters, more blanks, full-width digits mean the same. Whatever else stands in the line is
refused whole: a line is never half understood.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from eventstore.domain.refusal import Refusal
from tournaments.domain import results, scores
from tournaments.domain.results import Result
from tournaments.domain.scores import Format, Score

MOST_SIGNS = 40
SEAT_OF = {"1": scores.P1, "2": scores.P2}
_SCORE = re.compile(r"(\d)[-:/](\d)(?:[-:/](\d))?")
_NAMED = re.compile(r"([nc])(12|1|2)")
_DROPS = re.compile(r"d(12|1|2)")
_DASHES = str.maketrans("‐‑‒–—−", "------")


@dataclass(frozen=True, slots=True)
class Slip:
    """A line as read. `score` None: the result is a word. `reason` empty: as the score says.
    `drawn`: the line says `d`. `losers` are the seats that a word names, `drops` who leaves."""

    table: int
    score: Score | None = None
    drawn: bool = False
    reason: str = ""
    losers: tuple[str, ...] = ()
    drops: tuple[str, ...] = ()


def _seats(digits: str) -> tuple[str, ...]:
    return tuple(SEAT_OF[one] for one in digits)


def _unreadable(found: str) -> Refusal:
    return Refusal("tournaments.line_unreadable", {"found": found[:MOST_SIGNS]})


def read(line: str) -> Slip | Refusal:
    """Read a line. Refused with `tournaments.line_unreadable{found}`: the part that is none of the
    forms above, or the whole line when a part is missing."""
    text = unicodedata.normalize("NFKC", line).translate(_DASHES).casefold()
    # `2 - 1` is one score with blanks in it
    parts = re.sub(r"\s*([-:/])\s*", r"\1", text.strip()).split()
    if len(line) > MOST_SIGNS or len(parts) < 2:
        return _unreadable(" ".join(line.split()))
    number, result, *rest = parts
    if not (number.isascii() and number.isdigit() and len(number) <= 6) or not int(number):
        return _unreadable(number)
    made = _result(int(number), result)
    if made is None:
        return _unreadable(result)
    reason, drops = made.reason, set[str]()
    for part in rest:
        dropped = _DROPS.fullmatch(part)
        if part == "t" and not reason and not made.losers:
            reason = results.TIME
        elif dropped is not None and not drops & set(_seats(dropped[1])):
            drops |= set(_seats(dropped[1]))
        else:
            return _unreadable(part)
    return Slip(made.table, made.score, made.drawn, reason, made.losers, tuple(sorted(drops)))


def _result(table: int, part: str) -> Slip | None:
    score = _SCORE.fullmatch(part)
    if score is not None:
        return Slip(table, (int(score[1]), int(score[2]), int(score[3] or 0)))
    if part == "d":
        return Slip(table, drawn=True)
    if part == "dl":
        return Slip(table, reason=results.DOUBLE_LOSS, losers=scores.SEATS)
    named = _NAMED.fullmatch(part)
    if named is None or named[0] == "c12":
        return None
    reason = results.NO_SHOW if named[1] == "n" else results.CONCESSION
    return Slip(table, reason=reason, losers=_seats(named[2]))


def settle(
    slip: Slip, form: Format, *, cut: bool, played: Sequence[str], time_over: bool | None
) -> Result | Refusal:
    """Make the result a line means under the match rules, given the duels already scored.

    `time_over`: whether the time of the table is over, None where the round has no clock. A score
    that only a match cut short can show is then taken as one; before it is refused with
    `tournaments.time_not_over{found, allowed}`. Else refused as `results.judge`.
    """
    score, reason, winner = slip.score, slip.reason or results.PLAYED, None
    if slip.drawn:
        score, reason = _drawn(form, played, reason)
    elif score is not None and not slip.reason:
        full = scores.possible(form, played)
        if score not in full and score in scores.possible(form, played, in_time=False):
            if time_over is False:
                return Refusal(
                    "tournaments.time_not_over",
                    {"found": list(score), "allowed": [list(one) for one in full]},
                )
            reason = results.TIME
    elif len(slip.losers) == 2:
        winner = scores.DOUBLE_LOSS
    elif slip.losers:
        winner = scores.other(slip.losers[0])
    return results.judge(form, cut=cut, played=played, score=score, reason=reason, winner=winner)


def _drawn(form: Format, played: Sequence[str], reason: str) -> tuple[Score | None, str]:
    """Return the score of a match that is called drawn: the drawn one with most duels won among
    those a whole match can show, else among those of a match that time cut short."""

    def best(possible: Sequence[Score]) -> Score | None:
        drawn = [one for one in possible if one[0] == one[1]]
        return max(drawn, key=lambda one: (one[0], -one[2]), default=None)

    whole = best(scores.possible(form, played)) if reason != results.TIME else None
    if whole is not None:
        return whole, reason
    return best(scores.possible(form, played, in_time=False)), results.TIME
