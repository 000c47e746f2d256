"""What a command is known to look up, so that PostgreSQL hands it over together with the turn.

A command holds the one turn at the log from its look-up to its commit, and each look-up in between
is a way to the server and back, which all other commands wait for. What the service and the
projectors of a frequent command will ask can mostly be said from its arguments alone:

    @ahead("tournaments.result_claim")
    def _told(*, match_id: str, **_: Any) -> list[Bound]:
        return [_subjects.bind(f"match:{match_id}")]

The rows are read under the turn, and count until something they may show is written. Who asks
something else, or asks twice, gets the same answer by a way of its own: nothing depends on this.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from eventstore.named import Statement
from eventstore.prepared import Bound

Asks = Callable[..., Sequence[Statement | Bound]]
_registered: dict[str, list[Asks]] = {}


def ahead(command: str) -> Callable[[Asks], Asks]:
    """Register what a command of this name looks up: a function of its arguments, by name."""

    def register(asks: Asks) -> Asks:
        _registered.setdefault(command, []).append(asks)
        return asks

    return register


def of(command: str, content: Mapping[str, Any]) -> Callable[[], list[Statement | Bound]] | None:
    """Return what gives the look-ups of a command with these arguments; None where nobody
    registered any."""
    registered = _registered.get(command)
    if registered is None:
        return None
    return lambda: [one for asks in registered for one in asks(**content)]
