"""Cases of kind deck, side and card, carried out by the rules of the rooms below."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from cards.domain import facts as cf
from cards.domain.catalogue import Catalogue
from decks.domain.decklist import DeckList
from decks.domain.presets import CLASSIC_DM, Preset
from decks.domain.validate import validate
from duels.domain.cases import Case, first, same, so_many
from duels.rules.duelmasters.cards import SPELL, Card, load_card
from duels.rules.duelmasters.cases.position import options_of
from duels.rules.duelmasters.match import exchange
from eventstore.domain.refusal import Refusal

FIRST_FILLER = 10_000
KINDS = {SPELL: "dm_spell"}
"""Where the catalogue has another word than the rules for a kind of card."""


def run_card(case: Case) -> str | None:
    """Run a case of kind card; return the first difference."""
    loaded = load_card(case["given"]["record"])
    found = loaded.code if isinstance(loaded, Refusal) else None
    return same("refused", case["then"].get("refused"), found)


def run_deck(case: Case, facts: Mapping[str, Card]) -> str | None:
    """Run a case of kind deck; return the first difference."""
    given, then = case["given"], case["then"]
    deck, catalogue = _read(given, facts)
    report = validate(deck, catalogue, None, preset_of(options_of(case)))
    refused = report.errors[0].rule if report.errors else None
    counts = {"main": len(deck.main), "side": len(deck.side), "fusion": len(deck.extra)}
    return first(
        [same("refused", then.get("refused"), refused)]
        + [same(name, then.get(name, size), size) for name, size in counts.items()]
        + [
            same(f"copies {name}", n, deck.main.count(name))
            for name, n in then.get("copies", {}).items()
        ]
    )


def run_side(case: Case) -> str | None:
    """Run a case of kind side: there is no side deck (DM-10.16)."""
    then = case["then"]
    size = so_many(case["given"].get("main", {}).get("filler", 0)) + sum(
        so_many(n) for n in case["given"].get("main", {}).get("cards", {}).values()
    )
    return first(
        [
            same("refused", then.get("refused"), exchange().code),
            same("main", then.get("main", size), size),
        ]
    )


def preset_of(options: Mapping[str, Any]) -> Preset:
    """Return the way to build decks under the options of a case (option deck.size)."""
    return CLASSIC_DM if options["deck.size"] == "exact_40" else replace(CLASSIC_DM, main_max=None)


def _read(given: Mapping[str, Any], facts: Mapping[str, Card]) -> tuple[DeckList, Catalogue]:
    """Return the deck and a catalogue of its cards, fillers with four copies of each."""
    cards = [
        cf.CardFacts(name, None, None, name, KINDS.get(one.type, one.type), "normal")
        for name, one in facts.items()
    ]
    sections: dict[str, tuple[str, ...]] = {}
    number = 4 * FIRST_FILLER
    for name in ("main", "side", "fusion"):
        section = given.get(name, {})
        held: list[str] = []
        for _ in range(so_many(section.get("filler", 0))):
            key = f"filler {number // 4}"
            if number % 4 == 0:
                cards.append(cf.CardFacts(key, None, None, key, "creature", "normal"))
            held.append(key)
            number += 1
        number += -number % 4
        for card, copies in section.get("cards", {}).items():
            held += [card] * so_many(copies)
        sections[name] = tuple(held)
    return DeckList(sections["main"], sections["fusion"], sections["side"]), Catalogue(cards)
