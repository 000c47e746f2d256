"""Cases of kind deck, side and card, carried out by the rules of the rooms below."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from cards.domain import facts as cf
from cards.domain.banlist import Banlist, Limit
from cards.domain.catalogue import Catalogue
from decks.domain import siding
from decks.domain.decklist import DeckList
from decks.domain.presets import CLASSIC, Preset
from decks.domain.validate import validate
from duels.domain.events import CardFacts
from duels.rules.yugioh.cards import load_card
from duels.rules.yugioh.cases.base import Case, first, same, so_many
from duels.rules.yugioh.cases.position import options_of
from eventstore.domain.refusal import Refusal

FIRST_FILLER = 10_000
LIMITS = {"forbidden": 0, "limited": 1, "semi_limited": 2}


def run_card(case: Case) -> str | None:
    """Run a case of kind card; return the first difference."""
    loaded = load_card(case["given"]["record"])
    found = loaded.code if isinstance(loaded, Refusal) else None
    return same("refused", case["then"].get("refused"), found)


def run_deck(case: Case, facts: Mapping[str, CardFacts]) -> str | None:
    """Run a case of kind deck; return the first difference."""
    given, then = case["given"], case["then"]
    deck, catalogue, keys = _read(given, facts)
    options = options_of(case)
    lists = given.get("lists", {}) if options["lists.enabled"] else {}
    report = validate(deck, catalogue, _banlist(lists, keys), preset_of(options))
    refused = report.errors[0].rule if report.errors else None
    counts = {"main": len(deck.main), "side": len(deck.side), "fusion": len(deck.extra)}
    return first(
        [same("refused", then.get("refused"), refused)]
        + [same(name, then.get(name, size), size) for name, size in counts.items()]
    )


def preset_of(options: Mapping[str, Any]) -> Preset:
    """Return the classic way to build decks under the options of a case."""
    return replace(
        CLASSIC,
        count_extra=bool(options["copies.count_fusion_deck"]),
        side_extra=options["side_deck.fusion_monsters"] == "like_for_like",
    )


def run_side(case: Case, facts: Mapping[str, CardFacts]) -> str | None:
    """Run a case of kind side; return the first difference."""
    given, then = case["given"], case["then"]
    deck, _, keys = _read(given, facts)
    refused: str | None = None
    for act in case["acts"]:
        swapped = exchange(given, given["moment"], act, facts, options_of(case), deck)
        if isinstance(swapped, Refusal):
            refused = swapped.code
        else:
            deck = swapped
    counts = {"main": len(deck.main), "side": len(deck.side), "fusion": len(deck.extra)}
    copies = Counter(deck.main)
    return first(
        [same("refused", then.get("refused"), refused)]
        + [same(name, then.get(name, size), size) for name, size in counts.items()]
        + [
            same(f"copies {name}", n, copies[keys[name]])
            for name, n in then.get("copies", {}).items()
        ]
    )


def exchange(
    given: Mapping[str, Any],
    moment: str,
    act: Mapping[str, Any],
    facts: Mapping[str, CardFacts],
    options: Mapping[str, Any],
    current: DeckList | None = None,
) -> DeckList | Refusal:
    """Carry an exchange of a case out on the lists as they are now (None: as registered)."""
    registered, catalogue, keys = _read(given, facts)
    deck = current or registered
    fusion = act.get("deck") == "fusion"
    coming = _chosen(act["in"], deck.side, keys)
    going = _chosen(act["out"], deck.extra if fusion else deck.main, keys)
    swap = (
        siding.Swap(into_extra=coming, out_of_extra=going)
        if fusion
        else siding.Swap(into_main=coming, out_of_main=going)
    )
    return siding.exchange(
        registered,
        deck,
        swap,
        siding.Moment(moment),
        catalogue=catalogue,
        preset=preset_of(options),
    )


def _chosen(value: Any, section: tuple[str, ...], keys: Mapping[str, str]) -> tuple[str, ...]:
    """The named cards, or so many fillers, which come first in a section."""
    if isinstance(value, list):
        return tuple(keys[name] for name in value)
    return section[:value]


def _read(
    given: Mapping[str, Any], facts: Mapping[str, CardFacts]
) -> tuple[DeckList, Catalogue, dict[str, str]]:
    """Return the deck, a catalogue of its cards, and the key of each card name. Keys are made-up
    passcodes, for the lists of limits know cards by passcode."""
    keys = {name: str(number) for number, name in enumerate(facts, 1)}
    cards = [
        cf.CardFacts(keys[one.name], int(keys[one.name]), None, one.name, one.type, one.kind)
        for one in facts.values()
    ]
    sections: dict[str, list[str]] = {}
    number = 3 * FIRST_FILLER
    for name in ("main", "side", "fusion"):
        section = given.get(name, {})
        held: list[str] = []
        for _ in range(so_many(section.get("filler", 0))):
            passcode = number // 3  # three copies of each: the copy limit is kept
            if number % 3 == 0:
                kind = "fusion" if name == "fusion" else "normal"
                label = f"Filler {passcode}"
                cards.append(cf.CardFacts(str(passcode), passcode, None, label, "monster", kind))
            held.append(str(passcode))
            number += 1
        number += -number % 3
        for card, copies in section.get("cards", {}).items():
            held += [keys[card]] * so_many(copies)
        sections[name] = held
    deck = DeckList(tuple(sections["main"]), tuple(sections["fusion"]), tuple(sections["side"]))
    return deck, Catalogue(cards), keys


def _banlist(lists: Mapping[str, list[str]], keys: Mapping[str, str]) -> Banlist | None:
    limits = [
        Limit(int(keys[name]), count)
        for word, count in LIMITS.items()
        for name in lists.get(word, [])
    ]
    return Banlist("Case", False, tuple(limits)) if limits else None
