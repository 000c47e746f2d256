"""A deck list: card keys per section, and the lines that no card answered for."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from cards.domain.findings import Finding
from eventstore.domain import canonical

MAIN, EXTRA, SIDE = "main", "extra", "side"
SECTIONS = (MAIN, EXTRA, SIDE)
"""`extra` is the Fusion Deck of the classic rules."""


@dataclass(frozen=True, slots=True)
class Unresolved:
    """A line of a list that names no card: its section, line number from 1 and text."""

    section: str
    line: int
    text: str
    suggestions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DeckList:
    """One card key per copy, in the order of the list."""

    main: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    side: tuple[str, ...] = ()
    unresolved: tuple[Unresolved, ...] = ()

    def sections(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield (name, keys) of main, extra and side."""
        yield MAIN, self.main
        yield EXTRA, self.extra
        yield SIDE, self.side

    @property
    def counts(self) -> dict[str, int]:
        """Copies per section."""
        return {name: len(keys) for name, keys in self.sections()}


@dataclass(frozen=True, slots=True)
class DeckRead:
    """What a reader made of its input. `mixed` says that the input has no place of its own for
    Extra Deck cards, so that they are told by type."""

    deck: DeckList
    format: str
    mixed: bool = False
    findings: tuple[Finding, ...] = ()


def deck_hash(deck: DeckList) -> str:
    """Return the hex SHA-256 of the content: the order of the cards does not matter."""
    body = {name: sorted(keys) for name, keys in deck.sections()}
    return hashlib.sha256(canonical.encode(body)).hexdigest()
