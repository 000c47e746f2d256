"""What both kinds of copy tell of themselves."""

from __future__ import annotations

from dataclasses import dataclass


class StageFault(Exception):
    """The copy on the internal disk could not be made, or is not a sound database."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What a copy holds: the newest event (0 and empty: none), the hash of the first, and the
    migrations (app, name) in the order in which they were applied."""

    position: int
    head: str
    last_at: str
    first: str
    migrations: list[tuple[str, str]]
