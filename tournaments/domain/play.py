"""Decisions while a match is played: coin, starter, duels, exchanges with the Side Deck."""

from __future__ import annotations

from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent
from tournaments import events as ev
from tournaments.domain import results, scores
from tournaments.domain.match import Match
from tournaments.domain.results import Result

Decision = list[DomainEvent] | Refusal


def over(state: Match) -> Refusal | None:
    """Refuse with `tournaments.match_unknown` or `tournaments.match_decided` when nothing more
    can be played here."""
    if not state.match_id:
        return Refusal("tournaments.match_unknown")
    if state.result is not None:
        return Refusal(
            "tournaments.match_decided",
            {
                "winner": state.result.winner,
                "score": list(state.result.score),
                "reason": state.result.reason,
            },
        )
    return None


def _between(state: Match) -> int | Refusal:
    """Return the number of the duel to come; refused when one is running or none follows."""
    closed = over(state)
    if closed is not None:
        return closed
    if state.running is not None:
        return Refusal("tournaments.duel_running", {"number": state.running.number})
    return scores.next_duel(state.form, state.results)


def toss_coin(state: Match, *, winner: str, seed: int | None) -> Decision:
    """Toss the coin before duel 1 and after a drawn duel (YGO-1.6, YGO-1.8), or before every duel
    where the lot itself says who starts (DM-1.4).

    Refused when the loser of the last duel has the choice (YGO-1.7), and with
    `tournaments.coin_tossed` when it was tossed already.
    """
    number = _between(state)
    if isinstance(number, Refusal):
        return number
    if not scores.needs_toss(state.form, state.results):
        chooser = scores.chooser(state.form, state.results, None)
        return Refusal("YGO-1.7", {"found": "toss", "allowed": chooser})
    if state.toss is not None:
        return Refusal("tournaments.coin_tossed", {"winner": state.toss, "number": number})
    if winner not in scores.SEATS:
        return Refusal("tournaments.seat_unknown", {"found": winner, "allowed": list(scores.SEATS)})
    tossed = ev.CoinTossed(state.match_id, number, winner, seed)
    if state.form.lot_starts:
        return [tossed, ev.StarterChosen(state.match_id, number, winner, winner)]
    return [tossed]


def choose_starter(state: Match, *, by: str, first: str) -> Decision:
    """The entitled seat chooses who starts (YGO-1.6 to YGO-1.8).

    Refused with those rules, and with `tournaments.starter_chosen` when it was chosen.
    """
    number = _between(state)
    if isinstance(number, Refusal):
        return number
    if state.starter is not None:
        return Refusal("tournaments.starter_chosen", {"first": state.starter, "number": number})
    first_or_no = scores.choose_first(state.form, state.results, state.toss, by, first)
    if isinstance(first_or_no, Refusal):
        return first_or_no
    return [ev.StarterChosen(state.match_id, number, by, first_or_no)]


def open_duel(state: Match, *, duel_id: str) -> Decision:
    """Open the log of the next duel; refused with YGO-1.1, YGO-1.5, or with
    `tournaments.starter_open` while nobody has chosen who starts."""
    number = _between(state)
    if isinstance(number, Refusal):
        return number
    if state.starter is None:
        return Refusal(
            "tournaments.starter_open",
            {
                "number": number,
                "toss_due": scores.needs_toss(state.form, state.results) and not state.toss,
                "chooser": scores.chooser(state.form, state.results, state.toss),
            },
        )
    return [ev.DuelOpened(state.match_id, number, duel_id, state.starter)]


def score_duel(state: Match, *, duel_id: str, winner: str, rule: str | None) -> Decision:
    """Take the result of the running duel from its log; decides the match when it is over.

    Refused with `tournaments.duel_unknown` when that duel is not the one going on.
    """
    closed = over(state)
    if closed is not None:
        return closed
    running = state.running
    if running is None or running.duel_id != duel_id:
        return Refusal(
            "tournaments.duel_unknown",
            {"found": duel_id, "allowed": running.duel_id if running else None},
        )
    scored = ev.DuelScored(state.match_id, running.number, duel_id, winner, results.PLAYED, rule)
    return [scored, *_decided_by_duels(state, (*state.results, winner), results.PLAYED, "log")]


def _decided_by_duels(
    state: Match, played: tuple[str, ...], reason: str, by: str
) -> list[DomainEvent]:
    ended = scores.outcome(state.form, played)
    if ended is None or (state.in_cut and ended.winner == scores.DRAW):
        return []
    return [decided(state, Result(ended.winner, ended.score, reason, by))]


def decided(state: Match, result: Result) -> ev.MatchDecided:
    """Return the event that ends a match."""
    return ev.MatchDecided(
        state.match_id,
        state.event_id,
        state.round,
        result.winner,
        result.score,
        result.reason,
        result.by,
    )


def apply_game_loss(
    state: Match, *, seats: tuple[str, ...], rule: str | None, note: str | None
) -> Decision:
    """Give a game loss to one seat or to both.

    The running duel, else the next one, counts as lost. For both seats each one scores a duel
    against the other; two players who then both have the wins of a match both lose it.
    """
    closed = over(state)
    if closed is not None:
        return closed
    unknown = _seats_refused(seats)
    if unknown is not None:
        return unknown
    running = state.running
    number = running.number if running else len(state.results) + 1
    made: list[DomainEvent] = [ev.GameLossApplied(state.match_id, seats, number, rule, note)]
    played = state.results
    for offset, seat in enumerate(sorted(seats)):
        winner = scores.other(seat)
        played = (*played, winner)
        duel_id = running.duel_id if running and offset == 0 else None
        made.append(
            ev.DuelScored(state.match_id, number + offset, duel_id, winner, results.GAME_LOSS, rule)
        )
    tally = scores.score(played)
    needed = state.form.wins
    if tally[0] >= needed and tally[1] >= needed:
        lost = Result(scores.DOUBLE_LOSS, tally, scores.DOUBLE_LOSS, "penalty")
        return [*made, decided(state, lost)]
    if tally[0] >= needed or tally[1] >= needed:
        won = Result(scores.leader(tally), tally, results.GAME_LOSS, "penalty")
        return [*made, decided(state, won)]
    return [*made, *_decided_by_duels(state, played, results.GAME_LOSS, "penalty")]


def apply_match_loss(
    state: Match,
    *,
    seats: tuple[str, ...],
    reason: str,
    rule: str | None,
    note: str | None,
) -> Decision:
    """Give the match to the other seat, or to nobody when both seats lose it.

    `reason` is match_loss, no_show or disqualification.
    """
    closed = over(state)
    if closed is not None:
        return closed
    unknown = _seats_refused(seats)
    if unknown is not None:
        return unknown
    tally = scores.score(state.results)
    if len(seats) == 2:
        result = Result(scores.DOUBLE_LOSS, tally, scores.DOUBLE_LOSS, "penalty")
    else:
        winner = scores.other(seats[0])
        result = Result(winner, results.awarded(winner, tally, state.form), reason, "penalty")
    return [
        ev.MatchLossApplied(state.match_id, seats, rule, note),
        decided(state, result),
    ]


def _seats_refused(seats: tuple[str, ...]) -> Refusal | None:
    if not seats or len(set(seats)) != len(seats) or any(s not in scores.SEATS for s in seats):
        return Refusal(
            "tournaments.seat_unknown", {"found": list(seats), "allowed": list(scores.SEATS)}
        )
    return None
