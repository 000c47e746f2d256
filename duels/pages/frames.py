"""A whole duel as small steps for a page that replays it without a server.

Each frame holds what changed on the table since the one before, as one viewer may see it: a
page adds them up. Names stand once, in a list of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from duels.domain.seats import PLAYERS
from duels.pages.skins import skin_of
from duels.rules.games import NEW, PLAYED, evolve, rules_for
from eventstore.domain.registry import DomainEvent

Frame = dict[str, Any]


def frames(raw: Sequence[DomainEvent], perspective: str) -> tuple[list[str], list[Frame]]:
    """Return the names that occur, and per event what changed: `t` turn, `p` phase, `a` seat
    of the turn player, and per seat (P1, P2) the fields of the game's skin."""
    names: dict[str, int] = {}
    made: list[Frame] = []

    def word(text: str) -> int:
        return names.setdefault(text, len(names))

    before: Frame = {}
    duel = NEW
    for event in raw:
        duel = evolve(duel, event)
        shown = rules_for(duel).view(duel, perspective)
        skin = skin_of(duel.opening.game if duel.opening is not None else PLAYED[0])
        now: Frame = {"t": shown["turn"], "p": shown["phase"], "a": shown["active"]}
        for player in PLAYERS:
            for key, value in skin.frame(skin.side(shown, player), word).items():
                now[f"{player}.{key}"] = value
        made.append({key: value for key, value in now.items() if before.get(key) != value})
        before = now
    return list(names), made
