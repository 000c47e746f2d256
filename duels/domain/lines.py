"""A line of the log of a duel as a viewer may read it: codes and parameters, no words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Line:
    """One event: number, type, masked params, turn and phase after it, struck by a rewind."""

    seq: int
    code: str
    params: dict[str, Any]
    turn: int
    phase: str
    step: str
    struck: bool
