"""The bytes of the stream. Nothing in them says what happened: a number stands for the topic in
the order in which the page asked, and one for how often it moved."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

RETRY_MS = 2000


def counters(moves: Sequence[int]) -> str:
    """Write counters as the id of a message: `7.3`."""
    return ".".join(str(one) for one in moves)


def clock(milliseconds: int, moves: Sequence[int]) -> bytes:
    """The server's clock (ms since 1970): the first message, and the heartbeat afterwards."""
    return f"id: {counters(moves)}\nevent: clock\ndata: {milliseconds}\n\n".encode()


def moved(which: Iterable[int], moves: Sequence[int]) -> bytes:
    """One message for each topic that moved."""
    at = counters(moves)
    return b"".join(
        f"id: {at}\nevent: moved\ndata: {one} {moves[one]}\n\n".encode() for one in which
    )


def opening(milliseconds: int, moves: Sequence[int], seen: Sequence[int] | None) -> bytes:
    """What a stream begins with: what moved since the page was drawn (`seen`; None: all)."""
    which = [one for one in range(len(moves)) if seen is None or seen[one] != moves[one]]
    return f"retry: {RETRY_MS}\n\n".encode() + clock(milliseconds, moves) + moved(which, moves)
