"""Tell the order of shuffled Decks from what is later drawn of them.

No message says how a shuffled Deck lies. But each card that is drawn or taken shows what lay at
its place, and hosts send refreshes. So places are followed from the shuffle on and bound to the
card that shows there; what never shows lies in the rest in the order of the pool.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from duels.imports.engine import moves as mv
from duels.imports.engine.recording import Deck
from duels.imports.replay.messages import Order


@dataclass(slots=True)
class _Slot:
    code: int = 0


@dataclass(slots=True)
class _Epoch:
    """The places of a Deck since a shuffle, as they lay then, and the cards in it."""

    shuffle: mv.OrderUntold | None
    slots: list[_Slot]
    pool: Counter[int]

    def bind(self, slot: _Slot, code: int) -> None:
        if slot.code:
            return
        if self.shuffle is None:  # a Deck that nobody told: what shows is what it was
            slot.code = code
        elif self.pool[code] > 0:
            slot.code = code
            self.pool[code] -= 1

    def close(self) -> tuple[int, ...]:
        rest = iter(sorted(self.pool.elements()))
        for slot in self.slots:
            if not slot.code:
                slot.code = next(rest, 0)
        return tuple(slot.code for slot in self.slots)


@dataclass(slots=True)
class _Deck:
    slots: list[_Slot]
    epoch: _Epoch
    first: tuple[_Slot, ...]
    told: dict[int, tuple[int, ...]] = field(default_factory=dict)
    """Order by identity of the shuffle's move."""
    looked: bool = True

    @classmethod
    def of(cls, main: Sequence[int]) -> _Deck:
        slots = [_Slot(code) for code in main]
        return cls(slots, _Epoch(None, list(slots), Counter()), tuple(slots))

    def close(self) -> None:
        order = self.epoch.close()
        if self.epoch.shuffle is not None:
            self.told[id(self.epoch.shuffle)] = order

    def shuffled(self, move: mv.OrderUntold) -> None:
        self.close()
        pool = Counter(slot.code for slot in self.slots)
        self.slots = [_Slot() for _ in self.slots]
        self.epoch = _Epoch(move, list(self.slots), pool)
        self.looked = False

    def drawn(self, codes: Iterable[int]) -> None:
        for code in codes:
            if self.slots:
                self.epoch.bind(self.slots.pop(), code)

    def taken(self, index: int, code: int) -> None:
        if 0 <= index < len(self.slots):
            self.epoch.bind(self.slots.pop(index), code)

    def moved(self, source: int, target: int, code: int) -> None:
        """A card changed its place within the Deck; often nobody is told which."""
        if 0 <= source < len(self.slots):
            slot = self.slots.pop(source)
            self.epoch.bind(slot, code)
            self.slots.insert(target, slot)

    def put(self, index: int, code: int) -> None:
        self.slots.insert(index, _Slot(code))

    def seen(self, codes: Sequence[int]) -> None:
        if self.looked or len(codes) != len(self.slots):
            return
        self.looked = True
        for slot, code in zip(self.slots, codes, strict=True):
            if code:
                self.epoch.bind(slot, code)


def told(
    decks: Sequence[Deck], moves: Iterable[mv.Move | Order]
) -> tuple[tuple[Deck, Deck], dict[int, tuple[int, ...]]]:
    """Return both decks as they lay at the start (cards of which nobody told the passcode, 0,
    as far as they showed before the first shuffle), and by `id` of each `OrderUntold` of a Deck
    among `moves` the cards of that Deck just after it, from the bottom to the top."""
    held = [_Deck.of(deck.main) for deck in decks]
    for move in moves:
        _follow(held, move)
    for one in held:
        one.close()
    first, second = (
        Deck([slot.code for slot in one.first], deck.extra)
        for one, deck in zip(held, decks, strict=True)
    )
    return (first, second), {move: order for one in held for move, order in one.told.items()}


def _follow(held: Sequence[_Deck], move: mv.Move | Order) -> None:
    match move:
        case Order():
            if move.zone == "deck":
                held[move.player].seen(move.codes)
        case mv.CardsDrawn():
            held[move.player].drawn(move.codes)
        case mv.CardMoved():
            source, target = move.source, move.target
            within = source.player == target.player
            if source.zone == target.zone == "deck" and within:
                held[source.player].moved(source.index, target.index, move.code)
                return
            if source.zone == "deck":
                held[source.player].taken(source.index, move.code)
            if target.zone == "deck":
                held[target.player].put(target.index, move.code)
        case mv.OrderUntold():
            if move.zone == "deck":
                held[move.player].shuffled(move)
        case mv.DecksReversed():
            for deck in held:
                deck.slots.reverse()
        case _:
            pass
