"""Rows of the ledgers that a game makes of its own log: draws, Life Points, tallies of a zone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from duels.domain.divergence import Candidate
from duels.domain.ledger import Ledger
from duels.domain.walk import Card


@dataclass(frozen=True, slots=True)
class DrawRow:
    """One card that came into the hand of `player`. `source`: where it lay (`P1.deck.1` is the
    top). `cause`: opening, normal or effect for draws, search (from the Deck by an effect),
    shield (a broken one), return (from anywhere else); `by` the card whose effect it was.
    `known_to`: who knows it after the event. `flags`: what is wrong with it, as its game names
    it."""

    seq: int
    turn: int
    phase: str
    player: str
    card: Card
    source: str
    cause: str
    by: Card | None
    known_to: tuple[str, ...]
    flags: tuple[str, ...]
    struck: bool


@dataclass(frozen=True, slots=True)
class LifePoints:
    """The ledger, and the candidate explanations of its first divergence."""

    ledger: Ledger
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True, slots=True)
class TallyRow:
    """One event that changed a zone or used it: `what` befell it, to which cards of `player`;
    `counts`: cards in that zone by seat after it; `flags`: what is wrong with it."""

    seq: int
    turn: int
    phase: str
    player: str
    what: str
    cards: tuple[Card, ...]
    counts: Mapping[str, int]
    flags: tuple[str, ...]
    struck: bool


@dataclass(frozen=True, slots=True)
class Tally:
    """The audit of one zone: its name and its rows, oldest first."""

    zone: str
    rows: tuple[TallyRow, ...]
