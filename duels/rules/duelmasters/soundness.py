"""Fold a log that comes from outside, and say where it cannot be the log of a duel.

`evolve` trusts its log. A file need not be trusted: a card that is not there, a second opening
or a rewind to nowhere is named with the number of its event instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from duels.domain.events import DuelOpened, Rewound
from duels.rules.duelmasters.duel import NEW, Duel, evolve
from duels.rules.duelmasters.setup import GAME, MAX_CARDS
from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent


def states(raw: Sequence[DomainEvent]) -> list[Duel] | Refusal:
    """Return the duel after each event of a log.

    Refused with `duels.text_log` (event number as `line`, what is wrong as `found`).
    """
    duel = NEW
    made: list[Duel] = []
    for seq, event in enumerate(raw, 1):
        fault = _fault(duel, event)
        if fault is None:
            try:
                duel = evolve(duel, event)
            except (LookupError, TypeError, ValueError, AttributeError, StopIteration) as broken:
                fault = f"{type(broken).__name__} {broken}"
        if fault is not None:
            return Refusal("duels.text_log", {"line": seq, "found": fault[:120]})
        made.append(duel)
    if not made:
        return Refusal("duels.text_log", {"line": 0, "found": "no event"})
    return made


def _fault(duel: Duel, event: DomainEvent) -> str | None:
    if isinstance(event, DuelOpened):
        if duel.seq:
            return "a second opening"
        if event.game != GAME:
            return f"game {event.game}"
        most = max((len(one) for one in event.main.values()), default=0)
        return "decks too large" if most > MAX_CARDS else None
    if duel.seq == 0:
        return "no opening"
    if isinstance(event, Rewound) and not 0 <= event.to <= duel.seq:
        return f"to {event.to}"
    missing = next((card for card in cards_of(event) if not _is_card(duel, card)), None)
    return f"card {missing}" if missing is not None else None


def _is_card(duel: Duel, card: int) -> bool:
    return card == 0 or duel.table.is_card(card)


def cards_of(event: DomainEvent) -> Iterator[int]:
    """Yield every instance that an event names, in whatever field; 0 stands for none."""
    for field in ("card", "target", "by", "onto"):
        value = getattr(event, field, 0)
        if type(value) is int:
            yield value
    for field in ("cards", "targets", "order", "mana", "lost"):
        for one in getattr(event, field, ()):
            if type(one) is int:
                yield one
    several: tuple[Any, ...] = (*getattr(event, "sendings", ()), *getattr(event, "effects", ()))
    for one in several:
        yield one.card
