"""Events of a duel log that belong to no one game. Stream `duel-<id>`.

Seats are P1 and P2. Cards stand by instance id (from 1 within the duel); what a card is
stands apart from the instance, so that an unknown card is a card all the same.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from eventstore.domain.registry import DomainEvent, event, upcaster

Seat = Literal["P1", "P2"]
Mode = Literal["refereed", "recorded"]
Fidelity = Literal["full", "pad", "reconstructed", "imported"]


def seat(word: str) -> Seat:
    """Return a word known to be P1 or P2 as a seat."""
    return "P1" if word == "P1" else "P2"


class CardFacts(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the rules need to know of a card, frozen in the log. `atk` and `defence` are None
    where the card prints none (or a question mark). `effects` are scripts of operations.
    `materials`: names of the materials of a Fusion Monster; `ritual`: what a Ritual Spell
    summons (`monster`) and the sum of Levels it asks for (`levels`)."""

    key: str
    name: str
    type: str
    kind: str = "normal"
    level: int | None = None
    atk: int | None = None
    defence: int | None = None
    attribute: str | None = None
    race: str | None = None
    effects: list[dict[str, Any]] = []
    materials: list[str] = []
    ritual: dict[str, Any] = {}


@upcaster("duels.duel_opened", 1)
def _facts_without_pieces(values: dict[str, Any]) -> dict[str, Any]:
    """Version 2 may say materials and rituals; version 1 did not know them."""
    return values


@event("duels.duel_opened", 2)
class DuelOpened(DomainEvent, frozen=True):
    """The table before the first shuffle. `main` and `fusion` hold a card key (or None, card
    not known) per instance; ids run P1 main, P1 fusion, P2 main, P2 fusion, from 1. The order
    says nothing about the contents of a list (see setup.scatter)."""

    duel_id: str
    event_id: str | None
    match_id: str | None
    number: int
    game: str
    mode: Mode
    fidelity: Fidelity
    options: dict[str, Any]
    seats: dict[str, list[str]]
    starter: Seat
    life_points: int
    facts: list[CardFacts]
    main: dict[str, list[str | None]]
    fusion: dict[str, list[str | None]]


@event("duels.seed_committed")
class SeedCommitted(DomainEvent, frozen=True):
    """Before the first shuffle: all chance of this duel follows from `secret` (chance.py).
    Only `commitment`, its hex SHA-256, is shown until the secret is disclosed."""

    commitment: str
    secret: str


@event("duels.seed_revealed")
class SeedRevealed(DomainEvent, frozen=True):
    """The duel is over and the secret is disclosed: everybody can make its shuffles again."""

    secret: str


@event("duels.infraction_recorded")
class InfractionRecorded(DomainEvent, frozen=True):
    """A rule was broken at the table: the rule id, further ids, what was found, and the act.
    `player` is a seat, or None when nobody can be named."""

    player: Seat | None
    rule: str
    also: list[str]
    params: dict[str, Any]
    act: dict[str, Any]


@event("duels.duel_conceded")
class DuelConceded(DomainEvent, frozen=True):
    """A player gave the duel up; `duels.duel_ended` follows."""

    player: Seat


@event("duels.duel_ended")
class DuelEnded(DomainEvent, frozen=True):
    """The duel is over. `winner` P1, P2 or draw; `by` the rule id of the ending; `how` one of
    life_points, deck_out, exodia, concession; `found` what the rule rests on."""

    winner: Literal["P1", "P2", "draw"]
    by: str
    how: str
    found: dict[str, Any]


@event("duels.rewound")
class Rewound(DomainEvent, frozen=True):
    """Play was taken back: the effective log is again the one just after event `to` (version
    in the stream; also one before an earlier rewind, which undoes that). `reversed` are the
    versions struck by it. The rest is what the public sees afterwards, so that a read table
    need not fold."""

    to: int
    reversed: list[int]
    authorised_by: str
    ruling: str | None
    reason: str | None
    turn: int
    active: str
    phase: str
    step: str
    life_points: dict[str, int]
    ended: bool


@event("duels.replay_imported")
class ReplayImported(DomainEvent, frozen=True):
    """Everything above comes from a replay file that the person `by` handed in (`source` of
    those lines is import). `sha256` and `size` are the file's, which is kept outside the log;
    `format` and `client` who wrote it. `winner` (P1, P2, draw, or none) and `reason` are what
    the file says, a proposal and no result. `unknown`: messages without a meaning here,
    `damage`: where reading stopped, `findings`: the audit, each with its line."""

    sha256: str
    size: int
    format: str
    client: str
    by: str
    winner: str
    reason: str
    unknown: list[dict[str, Any]]
    damage: dict[str, Any] | None
    findings: list[dict[str, Any]]


@event("duels.lot_drawn")
class LotDrawn(DomainEvent, frozen=True):
    """A judge drew lots: of `of` cards in the hand of `about`, those at the places `drawn` (from
    1), from `seed`. `by` is the person; `ruling` what it belongs to."""

    about: Seat
    of: int
    drawn: list[int]
    seed: str
    by: str
    ruling: str | None


@event("duels.watch_delay_set")
class WatchDelaySet(DomainEvent, frozen=True):
    """Who only watches the duels of an event is so many seconds behind (stream `watch-<event>`).
    The newest one holds, also for duels that go on."""

    event_id: str
    seconds: int


@event("duels.lp_declared")
class LpDeclared(DomainEvent, frozen=True):
    """A pad's line: `player` says that `about` stands at `value` after `delta`. `pad_seq`
    counts the lines of that pad; `client_time` is what the device claimed (UTC text)."""

    player: Seat
    about: Seat
    value: int
    delta: int | None
    pad_seq: int
    client_time: str | None


@event("duels.lp_agreed")
class LpAgreed(DomainEvent, frozen=True):
    """Both pads were held side by side and agree: an anchor of the Life Point ledger."""

    life_points: dict[str, int]


@event("duels.count_declared")
class CountDeclared(DomainEvent, frozen=True):
    """`player` counted a zone of `about`, for example the hand."""

    player: Seat
    about: Seat
    zone: str
    value: int


@event("duels.turn_marked")
class TurnMarked(DomainEvent, frozen=True):
    """A pad marked the start of a turn (number over both players, from 1)."""

    player: Seat
    turn: int
    active: Seat


@event("duels.hand_shuffled")
class HandShuffled(DomainEvent, frozen=True):
    """`player` shuffled the own hand: from here on places in it tell nothing of which card is
    which. Said of a table of paper; it changes no count and no knowledge of what is in it."""

    player: Seat


@event("duels.line_disputed")
class LineDisputed(DomainEvent, frozen=True):
    """`player` does not accept the line with this version; `reason` is sealed text."""

    player: Seat
    line: int
    reason: str | None


STATEMENTS: tuple[type[DomainEvent], ...] = (
    LpDeclared,
    LpAgreed,
    CountDeclared,
    TurnMarked,
    HandShuffled,
    LineDisputed,
)
"""Statements never change the table."""
BESIDE: tuple[type[DomainEvent], ...] = (
    *STATEMENTS,
    InfractionRecorded,
    Rewound,
    SeedRevealed,
    LotDrawn,
    ReplayImported,
)
"""Lines beside the play: a rewind does not take them back."""
