"""The opening of a duel: the table, the shuffles, the hands (YGO-2.1, 5.2 to 5.4).

Chance is an argument: `shuffled` is the one place where a seed becomes an order, and it is
called outside of decide; the order and its seed are then recorded.
"""

from __future__ import annotations

from collections.abc import Iterator

from duels.domain import chance
from duels.domain.chance import scatter as scatter
from duels.domain.chance import shuffled as shuffled
from duels.domain.events import DuelOpened, SeedCommitted, seat
from duels.domain.opening import Opening as Opening
from duels.rules.yugioh import acts as a
from duels.rules.yugioh import events as ev
from duels.rules.yugioh import flow
from duels.rules.yugioh import options as opts
from duels.rules.yugioh.draft import Draft
from duels.rules.yugioh.match import PLAYERS
from duels.rules.yugioh.state import EMPTY, LIFE_POINTS, OPENING_HAND, Table
from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent

MAX_CARDS = 1000
"""Most cards a side may bring: far above any lawful deck, far below what would hurt."""


def open_table(opening: Opening) -> DuelOpened | Refusal:
    """Return the opening event.

    A key without facts stays an unknown card. Refused with `duels.option_*`, or with
    `duels.opening_malformed` (starter, mode, fidelity or decks of a wrong sort).
    """
    options = opts.complete(opening.options)
    if isinstance(options, Refusal):
        return options
    if opening.starter not in PLAYERS:
        return Refusal("duels.opening_malformed", {"field": "starter", "found": opening.starter})
    if opening.mode not in ("refereed", "recorded"):
        return Refusal("duels.opening_malformed", {"field": "mode", "found": opening.mode})
    if opening.fidelity not in ("full", "pad", "reconstructed", "imported"):
        return Refusal("duels.opening_malformed", {"field": "fidelity", "found": opening.fidelity})
    for player in PLAYERS:
        keys = [*opening.main.get(player, ()), *opening.fusion.get(player, ())]
        if len(keys) > MAX_CARDS:
            return Refusal(
                "duels.opening_malformed",
                {"field": "decks", "found": len(keys), "allowed": MAX_CARDS},
            )
    chosen = {name: value for name, value in options.items() if name in opening.options}
    return DuelOpened(
        opening.duel_id,
        opening.event_id,
        opening.match_id,
        opening.number,
        "yugioh",
        opening.mode,  # type: ignore[arg-type]
        opening.fidelity,  # type: ignore[arg-type]
        chosen,
        {player: list(opening.seats.get(player, ())) for player in PLAYERS},
        seat(opening.starter),
        LIFE_POINTS,
        list(opening.facts),
        {player: list(opening.main.get(player, ())) for player in PLAYERS},
        {player: list(opening.fusion.get(player, ())) for player in PLAYERS},
    )


def open_duel(opening: Opening, seed: str) -> list[DomainEvent] | Refusal:
    """Return the events that open a duel up to the first turn: table, shuffles, hands.

    A pad duel has no table to lay out: it is only opened. A player whose Deck is too small
    for the opening hand is refused with YGO-5.4. A refereed duel commits itself to its chance
    before the first shuffle (duels.domain.chance).
    """
    opened = open_table(opening)
    if isinstance(opened, Refusal):
        return opened
    draft = Draft(EMPTY)
    draft.add(opened)
    if opening.fidelity == "pad":
        return draft.events
    secret = chance.secret_of(seed)
    if opening.mode == "refereed":
        draft.add(SeedCommitted(chance.commitment(secret), secret))
    for player in PLAYERS:
        deck = draft.table.side(player).deck
        if len(deck) < OPENING_HAND:
            return Refusal("YGO-5.4", {"found": len(deck), "allowed": OPENING_HAND})
        once = chance.shuffle_seed(secret, player, 1)
        draft.add(ev.DeckShuffled(seat(player), shuffled(deck, once), once))
    for player in PLAYERS:
        carry_hand(draft, a.DrawOpeningHand(seat(player), OPENING_HAND))
    flow.go_on(draft)
    return draft.events


def check_hand(table: Table, act: a.DrawOpeningHand) -> Iterator[Refusal]:
    """YGO-5.4: five cards, once."""
    side = table.side(act.player)
    if act.n != OPENING_HAND or side.opened or len(side.deck) < OPENING_HAND:
        yield Refusal("YGO-5.4", {"found": act.n, "allowed": OPENING_HAND})


def carry_hand(draft: Draft, act: a.DrawOpeningHand) -> None:
    """Draw the hand; the first turn begins when both hold theirs (flow.go_on)."""
    drawn = list(draft.table.side(act.player).deck[: act.n])
    draft.add(ev.CardsDrawn(seat(act.player), drawn, "opening"))


def check_redraw(table: Table, act: a.RedrawHand) -> Iterator[Refusal]:
    """YGO-5.4: no redraw exists."""
    yield Refusal("YGO-5.4", {"found": "redraw", "allowed": OPENING_HAND})
