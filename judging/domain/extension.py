"""The time extension of a call (job J2): computed, never guessed by a tired judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from judging.domain.policy import TimePolicy
from judging.domain.words import Kind
from tournaments.domain.away import Span, overlap_s


@dataclass(frozen=True, slots=True)
class Extension:
    """An extension in whole seconds, the time the call took, and why it is what it is.

    `why` is one of whole_length, up_to_table_end, within_grace, end_of_match, game_loss,
    slow_play_minimum, deck_check, not_started, after_match (a dispute of a duel that is over).
    """

    seconds: int
    took_s: int
    why: str


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def _whole(span: timedelta) -> int:
    return max(0, int(span // timedelta(seconds=1)))


def compute(
    *,
    kind: str,
    claimed_at: str | None,
    arrived_at: str | None,
    closed_at: str,
    table_end: str | None,
    loses_game: bool,
    policy: TimePolicy,
    away: Sequence[Span] = (),
) -> Extension:
    """Compute the extension of one call. Times are UTC texts, `table_end` is the end of the
    table's time with earlier extensions in it (None: the round has no clock).

    The whole length counts, not the length beyond the grace; never more than what remained. While
    the server was `away` the clock of the call stood.
    """
    start_text = arrived_at if policy.from_event == "at_table" else claimed_at
    if start_text is None:
        return Extension(0, 0, "not_started")
    start, closed = _moment(start_text), _moment(closed_at)
    took = max(0, _whole(closed - start) - overlap_s(away, start_text, closed_at))
    if kind == Kind.REPLAY_DISPUTE:
        return Extension(0, took, "after_match")
    if loses_game and not policy.with_game_loss:
        return Extension(0, took, "game_loss")
    end = _moment(table_end) if table_end is not None else None
    if end is not None and start >= end and not policy.in_eom:
        return Extension(0, took, "end_of_match")
    if kind == Kind.DECK_CHECK:
        return Extension(_round_up(took + policy.deck_check_bonus_s, policy), took, "deck_check")
    seconds, why = _round_up(took, policy), "whole_length"
    if took <= policy.grace_s:
        seconds, why = 0, "within_grace"
    elif end is not None and not policy.in_eom and seconds > _whole(end - start):
        # rounding up must not give more than what remained either
        seconds, why = _whole(end - start), "up_to_table_end"
    if kind == Kind.SLOW_PLAY and seconds < policy.slow_play_min_s:
        return Extension(policy.slow_play_min_s, took, "slow_play_minimum")
    return Extension(seconds, took, why)


def _round_up(seconds: int, policy: TimePolicy) -> int:
    return -(-seconds // policy.round_up_s) * policy.round_up_s
