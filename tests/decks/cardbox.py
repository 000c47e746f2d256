"""A small catalogue of made-up cards for the tests of deck rules."""

from __future__ import annotations

from cards.domain.banlist import Banlist, read_banlists
from cards.domain.catalogue import Catalogue
from cards.domain.facts import CardFacts
from decks.domain.decklist import DeckList

FILLERS = tuple(str(100_000 + 100 * at) for at in range(80))
LANCER, FUSION, RITUAL, TOKEN, SYNCHRO, SPELL, TREATED = (
    "1000",
    "2000",
    "3000",
    "4000",
    "5000",
    "6000",
    "70000",
)


def facts(
    key: str, name: str, kind: str = "monster", subkind: str = "normal", alias: int = 0
) -> CardFacts:
    """Make the facts of one card."""
    return CardFacts(key, int(key), None, name, kind, subkind, alias=alias)


CATALOGUE = Catalogue(
    [
        facts(LANCER, "Bronze Lancer"),
        facts("1003", "Bronze Lancer", alias=1000),
        facts(FUSION, "Twin Drake", subkind="fusion"),
        facts(RITUAL, "Moon Regent", subkind="ritual"),
        facts(TOKEN, "Sheep Token", kind="token"),
        facts(SYNCHRO, "Star Drake", subkind="synchro"),
        facts(SPELL, "Moon Rite", kind="spell", subkind="ritual"),
        facts(TREATED, "Lancer of Bronze", alias=1000),
        facts("8000", "7 Herons"),
        facts("8100", "Heron LV3"),
        facts("8200", "Heron"),
        facts("8300", "Élan, the 3rd"),
        facts("8400", "Twin Name"),
        facts("8500", "Twin Name", subkind="ritual"),
        *(
            facts(key, f"Filler {chr(65 + at // 26)}{chr(97 + at % 26)}")
            for at, key in enumerate(FILLERS)
        ),
    ]
)


def filler(count: int, start: int = 0) -> tuple[str, ...]:
    """Return `count` filler cards, at most three of each."""
    return tuple(FILLERS[(start + at) % len(FILLERS)] for at in range(count))


def deck(
    main: tuple[str, ...] = (), extra: tuple[str, ...] = (), side: tuple[str, ...] = ()
) -> DeckList:
    """Make a list."""
    return DeckList(main, extra, side)


def banlist(text: str) -> Banlist:
    """Read one list of limits without its title line."""
    return read_banlists(f"!2005.04 test\n{text}\n".encode()).lists[0]
