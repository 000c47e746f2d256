"""Side-decking: cards change places one for one between two duels of a match."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum

from cards.domain.catalogue import EMPTY, Catalogue
from decks.domain.decklist import EXTRA, MAIN, SIDE, DeckList
from decks.domain.presets import CLASSIC, Preset
from decks.domain.validate import wrong_place
from eventstore.domain.refusal import Refusal


class Moment(StrEnum):
    """When an exchange is asked for."""

    BEFORE_MATCH = "before_match"
    DURING_DUEL = "during_duel"
    BETWEEN_DUELS = "between_duels"


@dataclass(frozen=True, slots=True)
class Swap:
    """Cards (keys, one per copy) that leave the Side Deck for the main or the Fusion Deck, and
    those that leave that deck for the Side Deck."""

    into_main: tuple[str, ...] = ()
    out_of_main: tuple[str, ...] = ()
    into_extra: tuple[str, ...] = ()
    out_of_extra: tuple[str, ...] = ()


def _take(held: tuple[str, ...], taken: tuple[str, ...]) -> tuple[str, ...] | None:
    """Take copies out of a section, keeping the order of the rest; None when one is missing."""
    due = Counter(taken)
    rest: list[str] = []
    for key in held:
        if due[key] > 0:
            due[key] -= 1
        else:
            rest.append(key)
    return None if any(count > 0 for count in due.values()) else tuple(rest)


def exchange(
    registered: DeckList,
    current: DeckList,
    swap: Swap,
    moment: Moment,
    *,
    catalogue: Catalogue = EMPTY,
    preset: Preset = CLASSIC,
) -> DeckList | Refusal:
    """Exchange cards with the Side Deck; return the new list.

    `registered` is the list the match began with: its sizes hold to the end (YGO-4.2). Refused
    in this order: rules without a Side Deck `decks.no_side_deck`, the moment or no Side Deck
    YGO-4.1, unequal numbers YGO-4.2, a card that is not where it is taken from
    `decks.card_not_there`, a card in a wrong place (the rule of the preset, e.g. YGO-3.12). Kinds
    of cards are known from `catalogue`.
    """
    if not preset.has_side:
        return Refusal("decks.no_side_deck", {"preset": preset.id})
    if moment is not Moment.BETWEEN_DUELS:
        return Refusal("YGO-4.1", {"found": str(moment), "allowed": str(Moment.BETWEEN_DUELS)})
    if not current.side:
        return Refusal(
            "YGO-4.1", {"found": 0, "allowed": list(preset.side_sizes or ()), "deck": SIDE}
        )
    for deck, coming, going in (
        (MAIN, swap.into_main, swap.out_of_main),
        (EXTRA, swap.into_extra, swap.out_of_extra),
    ):
        if len(coming) != len(going):
            return Refusal("YGO-4.2", {"deck": deck, "found": len(coming), "allowed": len(going)})
    if current.counts != registered.counts:
        return Refusal("YGO-4.2", {"found": current.counts, "allowed": registered.counts})
    taken: dict[str, tuple[str, ...]] = {}
    for deck, held, going in (
        (MAIN, current.main, swap.out_of_main),
        (EXTRA, current.extra, swap.out_of_extra),
        (SIDE, current.side, (*swap.into_main, *swap.into_extra)),
    ):
        rest = _take(held, going)
        if rest is None:
            missing = Counter(going) - Counter(held)
            return Refusal("decks.card_not_there", {"deck": deck, "found": sorted(missing)})
        taken[deck] = rest
    for deck, coming in (
        (MAIN, swap.into_main),
        (EXTRA, swap.into_extra),
        (SIDE, (*swap.out_of_main, *swap.out_of_extra)),
    ):
        for key in coming:
            placed = catalogue.place(key)
            code = wrong_place(placed.facts, deck, preset) if placed else None
            if placed and code:
                return Refusal(
                    preset.rule(code) or f"decks.{code}",
                    {"card": key, "name": placed.facts.name, "deck": deck},
                )
    return DeckList(
        (*taken[MAIN], *swap.into_main),
        (*taken[EXTRA], *swap.into_extra),
        (*taken[SIDE], *swap.out_of_main, *swap.out_of_extra),
    )
