"""Losses that wait for the next match of an entrant: for a slip that came late.

They are visible from the moment they are given, act by themselves when the next round with a
match of the entrant is published, and can be taken back with a reason until then.
"""

from __future__ import annotations

from collections.abc import Sequence

from eventstore.domain.envelope import fold
from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent
from tournaments import events as ev
from tournaments.domain import floor_events as floor
from tournaments.domain import play, results, scores
from tournaments.domain.event import Decision, Loss, Tournament
from tournaments.domain.match import Match
from tournaments.domain.match import evolve as match_after
from tournaments.domain.results import Result
from tournaments.domain.ruleset import SlipPolicy

ANSWERED_FOR = (results.PLAYED, results.TIME, results.CONCESSION)
"""Reasons of a result that players have to bring; the others are acts of staff."""


def late(
    *, over_s: int | None, end_done_s: int | None, end_running: bool, policy: SlipPolicy
) -> bool:
    """Say whether a result that comes now is late.

    `over_s`: seconds since the table's own end, None without a clock; `end_done_s`: since the
    procedure of the end of match was over, None when there was none. While it runs nobody is late.
    """
    if over_s is None or end_running:
        return False
    waited = over_s if end_done_s is None else min(over_s, end_done_s)
    return waited > policy.late_after_s


def for_late_slip(
    match: Match, result: Result, *, policy: SlipPolicy, ids: Sequence[str], now: str
) -> list[DomainEvent]:
    """Give the loss to who should have brought the slip: the winner, both after a draw.

    `ids` are two fresh ids.
    """
    if result.reason not in ANSWERED_FOR:
        return []
    seats = (result.winner,) if result.winner in scores.SEATS else scores.SEATS
    return [
        floor.LossPending(
            match.event_id,
            loss_id,
            match.entrants[scores.SEATS.index(seat)],
            policy.loss,
            policy.infraction,
            policy.infraction_kind,
            match.match_id,
            match.round,
            now,
        )
        for seat, loss_id in zip(seats, ids, strict=False)
    ]


def take_back(state: Tournament, *, loss_id: str, note: str | None) -> Decision:
    """Take a waiting loss back. Refused with `tournaments.loss_unknown`,
    `tournaments.loss_over{found}` (it fell already: correct the match), `reason_missing`."""
    found = state.losses.get(loss_id)
    if found is None:
        return Refusal("tournaments.loss_unknown", {"found": loss_id[:40]})
    if found.carried_in:
        return Refusal("tournaments.loss_over", {"found": found.carried_in})
    if note is None:
        return Refusal("tournaments.reason_missing")
    return [floor.LossTakenBack(state.event_id, loss_id, note)]


def of_match(state: Tournament, match_id: str) -> list[Loss]:
    """Return the waiting losses that a match brought."""
    return [one for one in state.losses.values() if one.match_id == match_id and not one.carried_in]


def carry_out(
    state: Tournament, opened: Sequence[tuple[str, ev.MatchOpened]]
) -> tuple[list[DomainEvent], dict[str, list[DomainEvent]]]:
    """Let waiting losses fall on the matches of a round: (events of the tournament, events of
    each match after its first one).

    A match loss falls before game losses; what a match that is over by then no longer takes, and
    what belongs to somebody with a bye, goes on waiting.
    """
    told: list[DomainEvent] = []
    made: dict[str, list[DomainEvent]] = {}
    for match_id, first in opened:
        match = fold(Match(), match_after, [first])
        waiting = {
            seat: sorted(
                (
                    one
                    for one in state.losses.values()
                    if one.entrant_id == entrant and not one.carried_in
                ),
                key=lambda one: (one.kind != results.MATCH_LOSS, one.at, one.loss_id),
            )
            for seat, entrant in zip(scores.SEATS, match.entrants, strict=True)
        }
        while any(waiting.values()):
            heads = {seat: few[0] for seat, few in waiting.items() if few}
            kind = min(one.kind != results.MATCH_LOSS for one in heads.values())
            now = {
                seat: one for seat, one in heads.items() if (one.kind != results.MATCH_LOSS) == kind
            }
            fallen = _fall(match, now)
            if isinstance(fallen, Refusal):
                break
            match = fold(match, match_after, fallen)
            made.setdefault(match_id, []).extend(fallen)
            for seat, one in now.items():
                waiting[seat].remove(one)
                told.append(
                    floor.LossCarriedOut(state.event_id, one.loss_id, match_id, first.round)
                )
    return told, made


def _fall(match: Match, losses: dict[str, Loss]) -> Decision:
    """Let losses of one kind fall, on both seats at once where both have one."""
    seats = tuple(sorted(losses))
    one = losses[seats[0]]
    if one.kind == results.MATCH_LOSS:
        return play.apply_match_loss(
            match, seats=seats, reason=results.MATCH_LOSS, rule=one.infraction, note=None
        )
    return play.apply_game_loss(match, seats=seats, rule=one.infraction, note=None)
