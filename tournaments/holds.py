"""What holds a table's time open, told by rooms that know more than this one.

A call at a table gives it an extension only when it closes; until then nobody knows the table's
own end. The room of the judges registers who can say so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Hold:
    """A table is held since `since` (UTC text). `forgotten`: longer than anybody believes, so its
    real length has to be stated."""

    match_id: str
    since: str
    forgotten: bool


Ask = Callable[[Sequence[str]], Mapping[str, Hold]]
_asked: list[Ask] = []


def register(ask: Ask) -> None:
    """Name who knows of holds: a function from match ids to the holds among them."""
    if ask not in _asked:
        _asked.append(ask)


def holds(match_ids: Sequence[str]) -> dict[str, Hold]:
    """Return the holds on these matches by match id."""
    return {key: one for ask in _asked for key, one in ask(match_ids).items()}
