"""Texts of the rules: one for every id of the rule file, none for another."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest

from duels.rules import texts
from tests.conftest import ROOT

GAMES = {"YGO": ("yugioh", "yugioh-classic.md", 167), "DM": ("duelmasters", "duel-masters.md", 68)}
both = pytest.mark.parametrize("prefix", GAMES)


@both
def test_ids_are_those_of_the_rule_file(shared: Path, prefix: str) -> None:
    game, source, n = GAMES[prefix]
    text = (shared / "rules" / source).read_text(encoding="utf-8")
    ids = list(texts.rule_ids(game))
    assert ids == re.findall(rf"^### ({prefix}-\d+\.\d+) ", text, re.M)
    assert len(ids) == n


@both
def test_every_rule_has_a_short_title_and_one_sentence(prefix: str) -> None:
    for rule_id in texts.rule_ids(GAMES[prefix][0]):
        text = texts.rule_text(rule_id)
        assert text is not None
        assert 3 <= len(text.title) <= 60
        assert text.refusal.endswith(".")
        assert len(text.refusal) <= 140


@both
def test_every_id_that_the_engine_cites_has_a_text(prefix: str) -> None:
    known = set(texts.rule_ids(GAMES[prefix][0]))
    cited: set[str] = set()
    for path in (ROOT / "duels").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            word = node.value if isinstance(node, ast.Constant) else None
            if isinstance(word, str) and re.fullmatch(rf"{prefix}-\d+\.\d+", word):
                cited.add(word)
    assert len(cited) > 30
    assert cited <= known


def test_parameters_are_filled_in_and_missing_ones_are_a_dash() -> None:
    said = texts.refusal_sentence("YGO-7.2", {"found": 5, "allowed": 5})
    assert said == "5 of 5 monster spaces are filled; there is no free one."
    assert texts.refusal_sentence("YGO-7.2", {}) is not None
    assert texts.refusal_sentence("YGO-99.9", {}) is None
    assert texts.rule_text("nonsense") is None
    assert texts.rule_text("YGO-7.2", "xx") == texts.rule_text("YGO-7.2")


FILES = sorted((ROOT / "duels" / "rules").glob("*/rules.*.toml"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name} {file.name}")
def test_another_language_has_every_rule_and_the_same_parameters(file: Path) -> None:
    language = file.name.split(".")[1]
    ids = list(texts.rule_ids(file.parent.name))
    assert list(tomllib.loads(file.read_text(encoding="utf-8"))) == ids
    differing = []
    for rule_id in ids:
        english, other = texts.rule_text(rule_id), texts.rule_text(rule_id, language)
        assert english is not None
        assert other is not None
        names = [sorted(re.findall(r"\{(\w+)\}", one.refusal)) for one in (english, other)]
        if names[0] != names[1] or english.title == other.title:
            differing.append(rule_id)
    assert differing == []
