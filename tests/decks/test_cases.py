"""The deck and side-decking cases of the rules, run against the pure rules."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from cards.domain.banlist import Banlist, Limit
from cards.domain.catalogue import Catalogue
from cards.domain.facts import CardFacts
from decks.domain.decklist import DeckList
from decks.domain.presets import CLASSIC, Preset
from decks.domain.siding import Moment, Swap, exchange
from decks.domain.validate import validate
from eventstore.domain.refusal import Refusal

FILLERS = 200
OPTIONS = {"copies.count_fusion_deck": "count_extra"}


class Table:
    """The cards of one case, each under a key of its own, and fillers that keep every limit."""

    def __init__(self, cards: dict[str, dict[str, Any]]) -> None:
        self.keys = {name: str(1_000 + 100 * at) for at, name in enumerate(cards)}
        facts = [
            CardFacts(
                key=self.keys[name],
                passcode=int(self.keys[name]),
                konami_id=None,
                name=name,
                kind=one["type"],
                subkind=one.get("kind", "normal"),
            )
            for name, one in cards.items()
        ]
        facts += [
            CardFacts(f"f{at}", None, None, f"Filler {at}", "monster", "normal")
            for at in range(FILLERS)
        ]
        self.catalogue = Catalogue(facts)
        self._given = 0

    def section(self, given: dict[str, Any] | None) -> tuple[str, ...]:
        given = given or {}
        count = given.get("filler", 0)
        held = tuple(f"f{self._given + at}" for at in range(count))
        self._given += count
        for name, copies in given.get("cards", {}).items():
            held += (self.keys[name],) * copies
        return held

    def deck(self, given: dict[str, Any]) -> DeckList:
        return DeckList(*(self.section(given.get(name)) for name in ("main", "fusion", "side")))

    def banlist(self, lists: dict[str, list[str]]) -> Banlist:
        counts = {"forbidden": 0, "limited": 1, "semi_limited": 2}
        limits = [
            Limit(int(self.keys[name]), counts[word])
            for word, names in lists.items()
            for name in names
        ]
        return Banlist("case", False, tuple(limits))


def cases(shared: Path, group: str, kind: str) -> list[tuple[dict[str, Any], Table]]:
    body = yaml.safe_load((shared / f"cases/yugioh/{group}.yaml").read_text(encoding="utf-8"))
    return [
        (case, Table({**case.get("cards", {}), **body["cards"]}))
        for case in body["cases"]
        if case["kind"] == kind and case.get("status") != "disputed"
    ]


def preset(case: dict[str, Any]) -> Preset:
    return replace(CLASSIC, **{OPTIONS[key]: on for key, on in case.get("options", {}).items()})


def test_every_deck_case(shared: Path) -> None:
    run = cases(shared, "decks", "deck")
    assert len(run) == 20
    for case, table in run:
        given, then = case["given"], case["then"]
        held = table.deck(given)
        report = validate(
            held, table.catalogue, table.banlist(given.get("lists", {})), preset(case)
        )
        if "refused" in then:
            assert report.errors[0].rule == then["refused"], case["id"]
            assert [one.rule for one in report.errors] == [then["refused"]], case["id"]
        else:
            assert report.legal, (case["id"], report.errors)
        for name in ("main", "side"):
            assert len(getattr(held, name)) == then.get(name, len(getattr(held, name)))


def _named(what: list[str] | int, held: tuple[str, ...], table: Table) -> tuple[str, ...]:
    if isinstance(what, int):
        return tuple(key for key in held if key.startswith("f"))[:what]
    return tuple(table.keys[name] for name in what)


def test_every_side_decking_case(shared: Path) -> None:
    run = cases(shared, "side-decking", "side")
    assert len(run) == 3
    for case, table in run:
        given, then = case["given"], case["then"]
        held = table.deck(given)
        (act,) = case["acts"]
        swap = Swap(
            into_main=_named(act["in"], held.side, table),
            out_of_main=_named(act["out"], held.main, table),
        )
        result = exchange(
            held,
            held,
            swap,
            Moment(given["moment"]),
            catalogue=table.catalogue,
            preset=preset(case),
        )
        if "refused" in then:
            assert isinstance(result, Refusal)
            assert result.code == then["refused"], case["id"]
            result = held
        assert isinstance(result, DeckList), case["id"]
        assert result.counts == {"main": then["main"], "extra": 0, "side": then["side"]}


@pytest.mark.parametrize("group", ["decks", "side-decking"])
def test_the_case_files_are_there(shared: Path, group: str) -> None:
    assert (shared / f"cases/yugioh/{group}.yaml").is_file()
