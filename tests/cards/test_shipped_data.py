"""What ships with the product is our own, true and legal; nothing of the reference folder."""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from cards import shipped
from cards.domain.facts import CardFacts
from cards.domain.games import DUEL_MASTERS, KINDS, YUGIOH
from cards.domain.read_cdb import read_cdb_file
from cards.domain.read_csv import read_csv
from decks.domain.presets import CLASSIC, CLASSIC_DM
from decks.domain.read import read_deck
from decks.domain.validate import check

ROOT = Path(__file__).resolve().parent.parent.parent


def tracked() -> list[str]:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True
    )
    return [name for name in listed.stdout.split("\0") if name]


def of_game(game: str) -> list[CardFacts]:
    return [one for one in shipped.catalogue().cards.values() if one.kind in KINDS[game]]


def test_no_file_of_the_reference_folder_is_tracked(shared: Path) -> None:
    known = {
        hashlib.sha256(path.read_bytes()).hexdigest(): path.name
        for folder in ("data", "cases")
        for path in (shared / folder).rglob("*")
        if path.is_file()
    }
    copies = [
        (name, known[digest])
        for name in tracked()
        if (ROOT / name).is_file()
        and (digest := hashlib.sha256((ROOT / name).read_bytes()).hexdigest()) in known
    ]
    assert copies == []


def test_files_of_the_field_are_tracked_only_where_they_are_our_own() -> None:
    kinds = (".ydk", ".cdb", ".lflist.conf", ".yrp", ".yrpX", ".wer", ".Tournament")
    found = {name for name in tracked() if name.endswith(kinds)}
    assert found == {
        "cards/data/decks/yugioh/starter-ember.ydk",
        "cards/data/decks/yugioh/starter-tide.ydk",
        "cards/data/starter.lflist.conf",
    }


def test_the_shipped_facts_are_the_printed_ones(shared: Path) -> None:
    with gzip.open(shared / "data/cards/cards.csv.gz", "rb") as file:
        field = {card.key: card for card in read_csv(file.read()).cards}
    tokens = {c.key: c for c in read_cdb_file(shared / "data/cards/cards-2017.cdb").cards}

    def facts(card: CardFacts) -> tuple[object, ...]:
        return (card.kind, card.subkind, card.attribute, card.level, card.atk, card.defence)

    for card in of_game(YUGIOH):
        known = tokens[card.key] if card.is_token else field[card.key]
        if not card.is_token:
            assert card.name == known.name
            assert card.konami_id == known.konami_id
        told = facts(known)
        assert facts(card)[:1] == told[:1], card
        assert facts(card)[2:3] == told[2:3], card
        assert facts(card)[4:] == told[4:], card


def test_the_cards_that_the_rules_name_are_there(shared: Path) -> None:
    text = (shared / "rules/yugioh-classic.md").read_text(encoding="utf-8")
    with gzip.open(shared / "data/cards/cards.csv.gz", "rt", encoding="utf-8", newline="") as file:
        names = {row["name_en"] for row in csv.DictReader(file)}
    words = {"Exchange"}  # a heading of the rules that is also the name of a card
    named = {
        name
        for name in names - words
        if len(name) > 3 and name in text and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)
    }
    ours = {card.name for card in of_game(YUGIOH)}
    assert len(named) >= 9
    assert named <= ours
    assert "Sheep Token" in ours


def test_there_is_enough_to_build_from() -> None:
    kinds = Counter((card.kind, card.subkind) for card in of_game(YUGIOH))
    assert kinds["monster", "normal"] >= 60
    assert kinds["monster", "fusion"] >= 3
    assert sum(count for (kind, _), count in kinds.items() if kind in ("spell", "trap")) >= 40
    assert shipped.banlist().date == "2026-01-01"
    assert "starter" in shipped.banlist().title


@pytest.mark.parametrize("name", sorted(shipped.decks()))
def test_a_starter_deck_is_legal_and_playable(name: str) -> None:
    catalogue = shipped.catalogue()
    read = read_deck(shipped.decks()[name], catalogue)
    deck, report = check(read, catalogue, shipped.banlist(), CLASSIC)
    assert report.legal, report.errors
    assert report.warnings == ()
    assert report.counts == {"main": 50, "extra": 0, "side": 0}
    cards = [catalogue.cards[key] for key in deck.main]
    monsters = [card for card in cards if card.kind == "monster"]
    assert all(card.subkind == "normal" for card in monsters)
    assert sum((card.level or 0) <= 4 for card in monsters) >= 24
    assert {card.level for card in monsters} >= {5, 6, 7, 8}


def test_there_are_two_starter_decks() -> None:
    assert len(shipped.decks()) == 2


def test_the_creatures_are_of_our_own_and_of_every_civilization(shared: Path) -> None:
    field = json.loads((shared / "data/duel-masters/cards.json").read_bytes())["cards"]
    ours = of_game(DUEL_MASTERS)
    assert not {one["name"] for one in field} & {one.name for one in ours}
    held = Counter((one.attribute, one.kind) for one in ours)
    assert len(held) == 10, "five civilizations, creatures and spells of each"
    assert min(held.values()) >= 2
    assert sum("evolution" in one.traits for one in ours) == 5
    assert next(one for one in ours if one.name == "Soot Lancer").traits == ("plus",)


@pytest.mark.parametrize("name", sorted(shipped.decks(DUEL_MASTERS)))
def test_a_starter_deck_of_creatures_is_legal(name: str) -> None:
    catalogue = shipped.catalogue().of_kinds(CLASSIC_DM.kinds_of_game)
    read = read_deck(shipped.decks(DUEL_MASTERS)[name], catalogue)
    deck, report = check(read, catalogue, shipped.starter_list(DUEL_MASTERS), CLASSIC_DM)
    assert report.legal, report.errors
    assert report.warnings == ()
    assert len(deck.main) == 40
