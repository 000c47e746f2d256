"""Whether players may keep a pad on a phone, told by rooms that know more than this one.

The policy of an event may want Life Points on paper, or phones put away while a match runs. Who
knows of policies registers who can say so; every way to a pad then asks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from duels.domain.events import LpAgreed, LpDeclared
from duels.domain.seats import PLAYERS
from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent

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


def agreed_alone(
    raw: Iterable[DomainEvent], start: int, said: Mapping[str, int], table: Mapping[str, int] | None
) -> Refusal | None:
    """Return why a player cannot say that both agree on these Life Points: an agreement is an
    anchor that sets both pads, so it needs what both pads say, or what the log's own table has
    (None: it has none). `start`: Life Points of the opening, where a pad says nothing yet.

    Refused with `duels.pads_differ{found, other}`: what the pads of P1 and P2 say.
    """
    if table is not None and dict(table) == dict(said):
        return None
    pads = {by: dict.fromkeys(PLAYERS, start) for by in PLAYERS}
    told: set[str] = set()
    for event in raw:
        if isinstance(event, LpDeclared):
            pads[event.player][event.about] = event.value
            told.add(event.player)
        elif isinstance(event, LpAgreed):
            pads = {by: dict(event.life_points) for by in PLAYERS}
    if told == set(PLAYERS) and all(pads[by] == dict(said) for by in PLAYERS):
        return None
    first, second = (list(pads[by].values()) for by in PLAYERS)
    return Refusal("duels.pads_differ", {"found": first, "other": second})
