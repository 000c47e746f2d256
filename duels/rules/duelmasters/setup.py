"""The opening of a duel: the table, the shuffles, shields and hands (DM-1.1 to 1.4).

Chance is an argument: orders come from seeds that are recorded beside them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from duels.domain import chance
from duels.domain.chance import scatter as scatter
from duels.domain.chance import shuffled
from duels.domain.events import DuelOpened, SeedCommitted
from duels.domain.opening import Opening as Opening
from duels.rules.duelmasters import events as ev
from duels.rules.duelmasters import options as opts
from duels.rules.duelmasters.draft import Draft
from duels.rules.duelmasters.seats import FOUR, PLAYERS, seat
from duels.rules.duelmasters.state import EMPTY, OPENING_HAND, SHIELDS, Table
from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent

GAME = "duel-masters"
MAX_CARDS = 1000
"""Most cards a side may bring: far above any lawful deck, far below what would hurt."""


def seats_of(options: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the seats of a duel under these options."""
    return FOUR if options.get("players.more_than_two") is True else PLAYERS


def open_table(opening: Opening) -> DuelOpened | Refusal:
    """Return the opening event. A key without facts stays an unknown card.

    Refused with `duels.option_*`, or with `duels.opening_malformed` (starter, mode, fidelity or
    decks of a wrong sort).
    """
    options = opts.complete(opening.options)
    if isinstance(options, Refusal):
        return options
    seats = [one for one in seats_of(options) if one in opening.main or one in PLAYERS]
    for name, found, allowed in (
        ("starter", opening.starter, tuple(seats)),
        ("mode", opening.mode, ("refereed", "recorded")),
        ("fidelity", opening.fidelity, ("full", "pad", "reconstructed", "imported")),
    ):
        if found not in allowed:
            return Refusal("duels.opening_malformed", {"field": name, "found": str(found)[:40]})
    most = max(len(opening.main.get(one, ())) for one in seats)
    if most > MAX_CARDS:
        params = {"field": "decks", "found": most, "allowed": MAX_CARDS}
        return Refusal("duels.opening_malformed", params)
    chosen = {name: value for name, value in options.items() if name in opening.options}
    return DuelOpened(
        opening.duel_id,
        opening.event_id,
        opening.match_id,
        opening.number,
        GAME,
        opening.mode,  # type: ignore[arg-type]
        opening.fidelity,  # type: ignore[arg-type]
        chosen,
        {one: list(opening.seats.get(one, ())) for one in seats},
        seat(opening.starter),
        0,
        [],
        {one: list(opening.main.get(one, ())) for one in seats},
        {},
    )


def open_duel(opening: Opening, seed: str) -> list[DomainEvent] | Refusal:
    """Return the events that open a duel up to the first turn: table, shuffles, shields, hands.

    A pad duel has no table to lay out: it is only opened. A deck too small for shields and hand
    is refused with DM-1.2 or DM-1.3. A refereed duel commits itself to its chance before the
    first shuffle (duels.domain.chance).
    """
    opened = open_table(opening)
    if isinstance(opened, Refusal):
        return opened
    draft = Draft(EMPTY)
    draft.add(opened)
    if opening.fidelity == "pad":
        return draft.events
    if opening.facts:
        draft.add(ev.CardsDescribed(list(opening.facts)))
    if opening.mode == "refereed":
        secret = chance.secret_of(seed)
        draft.add(SeedCommitted(chance.commitment(secret), secret))
    refused = too_small(draft.table)
    if refused is not None:
        return refused
    prepare(draft, chance.secret_of(seed))
    draft.add(ev.TurnBegun(1, seat(opening.starter)))
    return draft.events


def too_small(table: Table) -> Refusal | None:
    """Return DM-1.2 or DM-1.3 when a deck does not last for the shields, or for the hand too."""
    for one in table.seats:
        size = len(table.side(one).deck)
        for rule, least in (("DM-1.2", SHIELDS), ("DM-1.3", SHIELDS + OPENING_HAND)):
            if size < least:
                return Refusal(rule, {"found": size, "allowed": least})
    return None


def prepare(draft: Draft, secret: str) -> None:
    """Shuffle, lay the shields, draw the hands (DM-1.1 to 1.3): what of it is still to be done,
    for play may have been taken back into the middle of it."""
    for one in draft.table.seats:
        side = draft.table.side(one)
        if not side.shuffled:
            once = chance.shuffle_seed(secret, one, 1)
            draft.add(ev.DeckShuffled(seat(one), shuffled(side.deck, once), once))
    for one in draft.table.seats:
        if not draft.table.side(one).shields:
            draft.lay_shields(one, SHIELDS)
    for one in draft.table.seats:
        if not draft.table.side(one).hand:
            hand = list(draft.table.side(one).deck[:OPENING_HAND])
            draft.add(ev.CardsDrawn(seat(one), hand, "opening"))
