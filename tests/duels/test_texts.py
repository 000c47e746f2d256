"""Texts of the rules: one for every id of the rule file, none for another."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest

from duels.rules import texts
from tests.conftest import ROOT


def test_ids_are_those_of_the_rule_file(shared: Path) -> None:
    source = (shared / "rules" / "yugioh-classic.md").read_text(encoding="utf-8")
    assert list(texts.rule_ids()) == re.findall(r"^### (YGO-\d+\.\d+) ", source, re.M)


def test_every_rule_has_a_short_title_and_one_sentence() -> None:
    assert len(texts.rule_ids()) == 167
    for rule_id in texts.rule_ids():
        text = texts.rule_text(rule_id)
        assert text is not None
        assert 3 <= len(text.title) <= 60
        assert text.refusal.endswith(".")
        assert len(text.refusal) <= 140


def test_every_id_that_the_engine_cites_has_a_text() -> None:
    known = set(texts.rule_ids())
    cited: set[str] = set()
    for path in (ROOT / "duels").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            word = node.value if isinstance(node, ast.Constant) else None
            if isinstance(word, str) and re.fullmatch(r"YGO-\d+\.\d+", word):
                cited.add(word)
    assert len(cited) > 60
    assert cited <= known


def test_parameters_are_filled_in_and_missing_ones_are_a_dash() -> None:
    said = texts.refusal_sentence("YGO-7.2", {"found": 5, "allowed": 5})
    assert said == "5 of 5 monster spaces are filled; there is no free one."
    assert texts.refusal_sentence("YGO-7.2", {}) is not None
    assert texts.refusal_sentence("YGO-99.9", {}) is None
    assert texts.rule_text("nonsense") is None
    assert texts.rule_text("YGO-7.2", "xx") == texts.rule_text("YGO-7.2")


FILES = sorted((ROOT / "duels" / "rules" / "yugioh").glob("rules.*.toml"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_another_language_has_every_rule_and_the_same_parameters(file: Path) -> None:
    language = file.name.split(".")[1]
    assert list(tomllib.loads(file.read_text(encoding="utf-8"))) == list(texts.rule_ids())
    differing = []
    for rule_id in texts.rule_ids():
        english, other = texts.rule_text(rule_id), texts.rule_text(rule_id, language)
        assert english is not None
        assert other is not None
        names = [sorted(re.findall(r"\{(\w+)\}", one.refusal)) for one in (english, other)]
        if names[0] != names[1] or english.title == other.title:
            differing.append(rule_id)
    assert differing == []
