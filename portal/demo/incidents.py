"""What goes wrong in a rehearsal, so that every reason of a result occurs once."""

from __future__ import annotations

from collections.abc import Callable

from eventstore.ids import new_id
from judging import services as judging
from portal.demo.hall import Hall
from tournaments import services as tournaments
from tournaments.selectors.matches import MatchDetail

Incident = Callable[[Hall, MatchDetail], None]


def _persons(match: MatchDetail) -> tuple[str, str]:
    first, second = match.row.persons
    return first[0], second[0]


def _ruling(hall: Hall, match: MatchDetail, infraction: str, entrant_id: str) -> None:
    """The opponent calls, the floor judge rules, the head judge approves."""
    at_fault = 0 if entrant_id == match.row.p1 else 1
    caller = _persons(match)[1 - at_fault]
    call = new_id()
    judging.call_raise(hall.player(caller), call_id=call, match_id=match.row.pk)
    judging.call_claim(hall.judge(), call_id=call)
    judging.call_arrive(hall.judge(), call_id=call, time_left_s=1500)
    ruled = judging.ruling_make(
        hall.judge(),
        call_id=call,
        infraction=infraction,
        target_entrant=entrant_id,
        remedy="loss",
        note="As both describe it.",
    )
    judging.penalty_approve(hall.head_judge(), call_id=call, ruling_id=ruled.ruling_id)
    judging.call_close(hall.judge(), call_id=call)


def _behind(match: MatchDetail) -> str:
    """The entrant who has fewer duels won; the one on P1 when they are level."""
    first, second, _ = match.score
    return match.row.p1 if first <= second else match.row.p2


def game_loss(hall: Hall, match: MatchDetail) -> None:
    """The player who is behind held up the event: a Game Loss, which is the match."""
    _ruling(hall, match, "PE-MAJOR", _behind(match))


def match_loss(hall: Hall, match: MatchDetail) -> None:
    """The player who is behind cannot go on: a Match Loss."""
    _ruling(hall, match, "PE-STRICT", _behind(match))


def disqualification(hall: Hall, match: MatchDetail) -> None:
    """The player who is behind lied to staff and is out of the event."""
    _ruling(hall, match, "UC-CHEATING", _behind(match))


def no_show(hall: Hall, match: MatchDetail) -> None:
    """One player never came to the table."""
    tournaments.result_enter(hall.desk(), match_id=match.row.pk, reason="no_show", winner="P1")


def time(hall: Hall, match: MatchDetail) -> None:
    """Time is called between two duels: what was played counts."""
    tournaments.result_enter(
        hall.desk(), match_id=match.row.pk, reason="time", score=list(match.score)
    )


def concession(hall: Hall, match: MatchDetail) -> None:
    """The player who is behind gives the match up on the phone."""
    loser = 0 if _behind(match) == match.row.p1 else 1
    tournaments.result_claim(
        hall.player(_persons(match)[loser]),
        match_id=match.row.pk,
        reason="concession",
        winner="P2" if loser == 0 else "P1",
    )


def double_loss(hall: Hall, match: MatchDetail) -> None:
    """Both left the table: nobody wins."""
    tournaments.result_enter(hall.desk(), match_id=match.row.pk, reason="double_loss")


BEFORE: dict[str, Incident] = {"no_show": no_show}
"""Incidents that come before the first duel."""
BETWEEN: dict[str, Incident] = {
    "game_loss": game_loss,
    "time": time,
    "concession": concession,
    "match_loss": match_loss,
    "double_loss": double_loss,
    "disqualification": disqualification,
}
"""Incidents that come after the first duel."""
