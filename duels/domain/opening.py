"""What a duel of any game opens with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Opening:
    """What a duel opens with. `main` and `fusion`: seat -> card keys, None per unknown card (a
    game without a second deck takes no notice of `fusion`); `facts` are those of the game."""

    duel_id: str
    starter: str
    seats: Mapping[str, Sequence[str]]
    main: Mapping[str, Sequence[str | None]]
    fusion: Mapping[str, Sequence[str | None]] = field(default_factory=dict)
    facts: Sequence[Any] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    mode: str = "refereed"
    fidelity: str = "full"
    event_id: str | None = None
    match_id: str | None = None
    number: int = 1
