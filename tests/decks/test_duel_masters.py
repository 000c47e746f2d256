"""Lists of Duel Masters under `classic-dm`: 40 cards, 4 copies, what the rules do not cover."""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from pathlib import Path

import pytest

from cards.domain.catalogue import Catalogue
from cards.domain.games import KINDS
from cards.domain.load import read_cards
from decks.domain.presets import ADVANCED, CLASSIC_DM
from decks.domain.read import read_deck
from decks.domain.validate import check, wrong_place
from duels.rules.games import PACKAGES, PLAYED
from duels.rules.texts import rule_ids
from tests.conftest import ROOT


@pytest.fixture(scope="module")
def catalogue(shared: Path) -> Catalogue:
    """The 1,152 cards of the reference folder."""
    return Catalogue(read_cards((shared / "data/duel-masters/cards.json").read_bytes()).cards)


def _codes(lines: list[str], catalogue: Catalogue) -> dict[str, str | None]:
    _, report = check(read_deck("\n".join(lines), catalogue), catalogue, None, CLASSIC_DM)
    return {one.code: one.rule for one in report.errors}


def _usual(catalogue: Catalogue) -> list[str]:
    cards = catalogue.cards.values()
    return [one.name for one in cards if wrong_place(one, "main", CLASSIC_DM) is None]


def test_what_lies_outside_the_rules_is_counted_as_in_the_source(
    catalogue: Catalogue, shared: Path
) -> None:
    raw = json.loads((shared / "data/duel-masters/cards.json").read_bytes())["cards"]
    assert len(catalogue) == len(raw) == 1152
    found = Counter(
        wrong_place(one, "main", CLASSIC_DM) or "in" for one in catalogue.cards.values()
    )
    several = {one["name"] for one in raw if len(one["civilizations"]) > 1}
    gears = {one["name"] for one in raw if one["type"] == "Cross Gear"}
    assert (len(several), len(gears)) == (75, 24)
    assert found == {"outside_ruleset": len(several | gears), "in": 1152 - len(several | gears)}
    assert all(wrong_place(one, "main", ADVANCED) for one in catalogue.cards.values())


@pytest.mark.parametrize(("count", "rule"), [(39, "DM-10.1"), (40, None), (41, "DM-10.1")])
def test_a_deck_has_exactly_forty_cards(catalogue: Catalogue, count: int, rule: str | None) -> None:
    codes = _codes([f"1 {name}" for name in _usual(catalogue)[:count]], catalogue)
    assert list(codes.values()) == ([rule] if rule else [])


def test_four_copies_no_fifth_no_side_deck(catalogue: Catalogue) -> None:
    names = _usual(catalogue)
    assert _codes([f"4 {name}" for name in names[:10]], catalogue) == {}
    five = [f"5 {names[0]}", *(f"1 {name}" for name in names[1:36])]
    assert _codes(five, catalogue) == {"too_many_copies": "DM-10.2"}
    side = [*(f"4 {name}" for name in names[:10]), "Side Deck:", f"1 {names[20]}"]
    assert _codes(side, catalogue) == {"side_size": "DM-10.16"}


def test_a_cross_gear_is_named_as_outside(catalogue: Catalogue) -> None:
    gear = next(one.name for one in catalogue.cards.values() if one.kind == "cross_gear")
    lines = [f"1 {gear}", *(f"1 {name}" for name in _usual(catalogue)[:40])]
    assert "outside_ruleset" in _codes(lines, catalogue)


@pytest.mark.parametrize(
    "data", [b'{"cards":[', b'{"cards":[{}]}', b'{"cards":[{"name":1,"type":"Spell"}]}']
)
def test_damaged_lists_are_refused_by_code(data: bytes) -> None:
    from cards.domain.findings import Unreadable

    with pytest.raises(Unreadable, match=r"bad_json|no_cards"):
        read_cards(data)


def test_no_code_asks_by_name_which_game_it_is() -> None:
    """Games are told apart by what registries hold (cards.domain.games, decks.domain.presets,
    duels.rules.games), never by a comparison with a name."""
    asked = []
    for room in ("cards", "decks", "duels", "tournaments", "judging", "portal", "people", "config"):
        for path in sorted((ROOT / room).rglob("*.py")):
            if path.is_relative_to(ROOT / "duels" / "rules"):
                continue  # the package of a game, and the registry of the engines
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Compare | ast.MatchValue):
                    names = {one.value for one in ast.walk(node) if isinstance(one, ast.Constant)}
                    if names & KINDS.keys():
                        asked.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert asked == []
    assert PLAYED[0] in KINDS


ROOMS = ("cards", "decks", "duels", "tournaments", "judging", "portal", "people", "config")
OF_A_GAME = ("duels/rules", "duels/imports", "duels/pages/skins", "duels/templates/duels/skins")
"""Where a game has a place of its own: rules, skin, and the files of programs that play one."""
REGISTERED = {"duels/events.py"}
"""The registry of event types imports those of every game."""


def _of_no_game(ending: str) -> list[Path]:
    return [
        path
        for room in ROOMS
        for path in sorted((ROOT / room).rglob(f"*{ending}"))
        if not any(path.is_relative_to(ROOT / one) for one in OF_A_GAME)
        and str(path.relative_to(ROOT)) not in REGISTERED
    ]


def test_nothing_outside_imports_the_rules_of_a_game() -> None:
    packages = "|".join(PACKAGES.values())
    named = re.compile(rf"^\s*(?:from|import) duels\.(?:rules|pages\.skins)\.(?:{packages})", re.M)
    found = [str(one.relative_to(ROOT)) for one in _of_no_game(".py")
             if named.search(one.read_text("utf-8"))]  # fmt: skip
    assert found == []


@pytest.mark.parametrize("ending", [".html", ".js", ".css"])
def test_no_template_or_script_names_a_game(ending: str) -> None:
    words = {*PACKAGES, *PACKAGES.values(), *(rule_ids(one)[0].partition("-")[0] + "-"
             for one in PACKAGES.values())}  # fmt: skip
    files = _of_no_game(ending)
    assert files
    found = [
        (str(one.relative_to(ROOT)), word)
        for one in files
        for word in sorted(words)
        if re.search(rf"(?<![\w-]){re.escape(word)}", one.read_text("utf-8"), re.IGNORECASE)
    ]
    assert found == []
