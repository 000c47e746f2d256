"""Whether players may keep a pad on a phone, told by rooms that know more than this one.

The policy of an event may want Life Points on paper, or phones put away while a match runs. Who
knows of policies registers who can say so; every way to a pad then asks.
"""

from __future__ import annotations

from collections.abc import Callable

from eventstore.domain.refusal import Refusal

Ask = Callable[[str, str], Refusal | None]
_asked: list[Ask] = []
PAD_STATEMENTS = frozenset({"lp_declared", "lp_agreed", "count_declared", "turn_marked"})
"""Statements that a player writes on a pad; a dispute and a shuffle of the hand are none."""


def register(ask: Ask) -> None:
    """Name who knows: a function from the ids of an event and a match to why not (None: they
    may)."""
    if ask not in _asked:
        _asked.append(ask)


def pad_refused(event_id: str | None, match_id: str | None) -> Refusal | None:
    """Return why the players of a match may keep no pad on their phones; None: they may."""
    if not event_id:
        return None
    answers = (ask(event_id, match_id or "") for ask in _asked)
    return next((one for one in answers if one is not None), None)
