"""The call that nobody closed: before it gives an extension, its real length is stated.

A judge who walks on without closing would hand the table a quarter of an hour. From the limit of
the pack on nobody believes the clock of a call, so whoever closes it says how long it took.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from eventstore.domain.refusal import Refusal
from judging.domain.call import Call
from judging.domain.policy import TimePolicy
from judging.domain.words import OPEN
from tournaments.domain.away import Span, overlap, overlap_s


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def begun_at(policy: TimePolicy, *, claimed_at: str | None, arrived_at: str | None) -> str | None:
    """Return the moment from which the pack counts a call, None before it."""
    return (arrived_at if policy.from_event == "at_table" else claimed_at) or None


def is_forgotten(
    policy: TimePolicy, *, begun: str | None, at: str, away: Sequence[Span] = ()
) -> bool:
    """Say whether a call that counts from `begun` is open longer at `at` than is believed; while
    the server was `away` its clock stood."""
    if not begun:
        return False
    open_for = _moment(at) - _moment(begun) - overlap(away, begun, at)
    return open_for > timedelta(seconds=policy.forgotten_after_s)


def closes_at(
    state: Call, policy: TimePolicy, *, at: str, real_s: int | None, away: Sequence[Span] = ()
) -> str | Refusal:
    """Return the moment at which a call that is closed at `at` counts as closed: by its stated
    length `real_s` (seconds from its begin), else now.

    Refused with `judging.real_length_missing{open_s, limit_s}` for a forgotten call, and with
    `judging.real_length_range{found, allowed}` for a length beyond the time it was open.
    """
    begun = begun_at(policy, claimed_at=state.claimed_at, arrived_at=state.arrived_at)
    if real_s is None:
        if state.status in OPEN and is_forgotten(policy, begun=begun, at=at, away=away):
            open_s = int((_moment(at) - _moment(begun or at)).total_seconds())
            open_s -= overlap_s(away, begun or at, at)
            return Refusal(
                "judging.real_length_missing",
                {"open_s": open_s, "limit_s": policy.forgotten_after_s},
            )
        return at
    if begun is None:
        return at
    open_s = int((_moment(at) - _moment(begun)).total_seconds()) - overlap_s(away, begun, at)
    if not 0 <= real_s <= open_s:
        return Refusal("judging.real_length_range", {"found": real_s, "allowed": open_s})
    ended = _moment(begun) + timedelta(seconds=real_s)
    return ended.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
