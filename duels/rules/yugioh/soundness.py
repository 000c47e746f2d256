"""Fold a log that comes from outside, and say where it cannot be the log of a duel.

`evolve` trusts its log. A file need not be trusted: a card that is not there, a second opening
or a rewind to nowhere is named with the number of its event instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from duels.domain.events import DuelOpened, Rewound
from duels.rules.yugioh.duel import NEW, Duel, evolve
from duels.rules.yugioh.events import CardPlaced, TokenCreated
from duels.rules.yugioh.setup import MAX_CARDS
from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent

MAX_PLACE = 100
"""Highest space of a zone that is taken in: zones have five, a faulty table a few more."""


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
            except (LookupError, TypeError, ValueError, AttributeError) as broken:
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
        sizes = [len(one) for lists in (event.main, event.fusion) for one in lists.values()]
        if max(sizes, default=0) > MAX_CARDS or event.game != "yugioh":
            return "decks too large" if event.game == "yugioh" else f"game {event.game}"
        return None
    if duel.seq == 0:
        return "no opening"
    if isinstance(event, Rewound) and not 0 <= event.to <= duel.seq:
        return f"to {event.to}"
    if isinstance(event, TokenCreated) or (
        isinstance(event, CardPlaced) and event.cause == "token"
    ):
        new = len(duel.table.owners)
        return None if event.card == new and event.place < MAX_PLACE else f"token {event.card}"
    missing = next((card for card in cards_of(event) if not _is_card(duel, card)), None)
    if missing is not None:
        return f"card {missing}"
    place = getattr(event, "place", 0)
    return f"place {place}" if not 0 <= place < MAX_PLACE else None


def _is_card(duel: Duel, card: int) -> bool:
    return card == 0 or duel.table.is_card(card)


def cards_of(event: DomainEvent) -> Iterator[int]:
    """Yield every instance that an event names, in whatever field; 0 stands for none."""
    for field in ("card", "target", "by"):
        value = getattr(event, field, 0)
        if type(value) is int:
            yield value
    for field in ("cards", "targets", "order", "named", "pieces"):
        yield from _numbers(getattr(event, field, ()))
    for one in (*getattr(event, "moves", ()), *getattr(event, "effects", ())):
        yield one.card


def _numbers(values: Iterable[Any]) -> Iterator[int]:
    for one in values:
        if type(one) is int:
            yield one
