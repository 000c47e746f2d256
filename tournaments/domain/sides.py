"""Exchanges with the Side Deck between the duels of a match (YGO-4.1 to YGO-4.3).

Every match begins with the registered list: exchanges live in the stream of their match.
"""

from __future__ import annotations

from cards.domain.catalogue import EMPTY, Catalogue
from decks.domain import siding
from decks.domain.decklist import DeckList
from decks.domain.presets import Preset
from decks.domain.siding import Moment, Swap
from eventstore.domain.refusal import Refusal
from tournaments import events as ev
from tournaments.domain.match import Match
from tournaments.domain.play import Decision, over


def moment(state: Match) -> Moment:
    """Return where in the match an exchange is asked for; once decided it is over, and the
    next match has not begun."""
    if state.running is not None:
        return Moment.DURING_DUEL
    if state.results and state.result is None:
        return Moment.BETWEEN_DUELS
    return Moment.BEFORE_MATCH


def current(registered: DeckList, state: Match, seat: str, preset: Preset) -> DeckList:
    """Return the list a seat now plays: the registered one with its exchanges applied.

    The exchanges were accepted when they were made. One that does not fit any more was overtaken
    by a judge's repair of the registered list: it is left out.
    """
    held = registered
    for one in state.exchanges:
        if one.seat == seat:
            made = siding.exchange(
                registered, held, one.swap, Moment.BETWEEN_DUELS, catalogue=EMPTY, preset=preset
            )
            if not isinstance(made, Refusal):
                held = made
    return held


def exchange(
    state: Match,
    *,
    seat: str,
    registered: DeckList,
    swap: Swap,
    catalogue: Catalogue,
    preset: Preset,
) -> Decision:
    """Exchange cards with the Side Deck.

    Refused with YGO-4.1 and YGO-4.2, `decks.card_not_there`, the deck rules of the preset, and
    `tournaments.match_decided`.
    """
    closed = over(state)
    if closed is not None:
        return closed
    held = current(registered, state, seat, preset)
    made = siding.exchange(
        registered, held, swap, moment(state), catalogue=catalogue, preset=preset
    )
    if isinstance(made, Refusal):
        return made
    return [
        ev.SidesExchanged(
            state.match_id,
            seat,
            len(state.results) + 1,
            swap.into_main,
            swap.out_of_main,
            swap.into_extra,
            swap.out_of_extra,
        )
    ]
