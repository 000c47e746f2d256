"""How wrong attempts are slowed: the first ones are free, then each costs a longer pause.

Pure: the state of one key and the time go in, the new state and the pause come out. What a key
stands for is decided by people.throttle: an account, a device, a route; never an address, for
a whole hall is one address.
"""

from __future__ import annotations

from dataclasses import dataclass

FREE = 5
"""Wrong attempts that cost nothing: people mistype."""
LONGEST_SECONDS = 300
FORGET_SECONDS = 15 * 60
"""After so long without an attempt a key starts anew."""


@dataclass(frozen=True, slots=True)
class Attempts:
    """Counted attempts of a key, and when the last of them was (seconds of the epoch)."""

    count: int = 0
    last: float = 0.0


def pause(count: int) -> int:
    """Return the seconds to wait after so many wrong attempts: 0, then 2, 4, 8 ... to 300."""
    if count < FREE:
        return 0
    return int(min(2 ** min(count - FREE + 1, 20), LONGEST_SECONDS))


def attempt(state: Attempts, now: float) -> tuple[Attempts, float]:
    """Count one attempt as a wrong one, before it is looked at; `refund` takes it back.

    Counting first means that many attempts at the same moment are not all let through. Returns
    the new state and 0.0, or the unchanged state and the seconds still to wait: an attempt
    that has to wait is not counted, so that nobody prolongs the pause of somebody else.
    """
    if now - state.last >= FORGET_SECONDS:
        state = Attempts()
    wait = state.last + pause(state.count) - now
    if state.count and wait > 0:
        return state, wait
    return Attempts(state.count + 1, now), 0.0


def refund(state: Attempts) -> Attempts:
    """Take one counted attempt back: it was right."""
    return Attempts(max(0, state.count - 1), state.last)
