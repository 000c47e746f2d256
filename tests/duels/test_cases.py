"""The shared rule cases and our own, which go where those do not: all pass."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from duels.rules import case_runner
from tests.conftest import ROOT


def documents(shared: Path, game: str) -> Iterator[dict[str, Any]]:
    for path in sorted((shared / "cases" / game).glob("*.yaml")):
        yield yaml.safe_load(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(("game", "least"), [("yugioh", 240), ("duel-masters", 84)])
def test_every_shared_case_passes(shared: Path, game: str, least: int) -> None:
    verdicts = [one for file in documents(shared, game) for one in case_runner.run_file(file)]
    assert [(one.id, one.reason) for one in verdicts if one.outcome != "passed"] == []
    assert len(verdicts) >= least


def test_every_own_case_passes() -> None:
    paths = sorted((ROOT / "tests" / "duels" / "cases").glob("*.yaml"))
    verdicts = [
        one
        for path in paths
        for one in case_runner.run_file(yaml.safe_load(path.read_text(encoding="utf-8")))
    ]
    assert verdicts
    assert [(one.id, one.reason) for one in verdicts if one.outcome != "passed"] == []


def test_a_wrong_expectation_fails() -> None:
    cards = {"Heron": {"type": "monster", "level": 4, "atk": 1600, "def": 1200}}
    case = {
        "id": "X-1",
        "given": {"P1": {"hand": ["Heron"]}},
        "acts": [{"player": "P1", "act": "normal_summon", "card": "Heron"}],
        "then": {"P1": {"hand": 1}},
    }
    verdict = case_runner.run_case(case, cards)
    assert verdict.outcome == "failed"
    assert verdict.reason == "P1 hand: expected 1, found 0"
    right = {**case, "then": {"P1": {"hand": 0, "monsters": ["Heron"]}}}
    assert case_runner.run_case(right, cards).outcome == "passed"
    refused = {**case, "then": {"refused": "YGO-11.1"}}
    assert case_runner.run_case(refused, cards).outcome == "failed"
    disputed = {**case, "status": "disputed", "reason": "why"}
    assert case_runner.run_case(disputed, cards).outcome == "disputed"


@pytest.mark.parametrize(
    "case",
    [
        {},
        {"id": "X", "kind": "nonsense", "then": {}},
        {"id": "X", "acts": [{"act": 5}], "then": {}},
        {"id": "X", "given": {"P1": 3}, "acts": [], "then": {}},
        {"id": "X", "given": {"P1": {"hand": ["Nobody"]}}, "acts": [], "then": {}},
    ],
)
def test_a_malformed_case_fails_and_does_not_crash(case: dict[str, Any]) -> None:
    assert case_runner.run_case(case, {}).outcome == "failed"


def test_the_command_prints_one_json_value(tmp_path: Path) -> None:
    good = {
        "game": "yugioh",
        "group": "own",
        "cards": {"Heron": {"type": "monster", "level": 4, "atk": 1600, "def": 1200}},
        "cases": [
            {
                "id": "X-1",
                "given": {"P1": {"hand": ["Heron"]}},
                "acts": [{"player": "P1", "act": "normal_summon", "card": "Heron"}],
                "then": {"P1": {"hand": 0}},
            }
        ],
    }
    path = tmp_path / "own.yaml"
    path.write_text(yaml.safe_dump(good), encoding="utf-8")
    run = [sys.executable, "manage.py", "run_cases", "--json"]
    done = subprocess.run([*run, str(tmp_path)], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"passed": 1, "failed": 0, "disputed": 0, "failures": []}
    path.write_text("a: [", encoding="utf-8")
    broken = subprocess.run([*run, str(path)], cwd=ROOT, capture_output=True, text=True)
    assert broken.returncode == 1
    assert json.loads(broken.stdout)["failed"] == 1


@pytest.mark.parametrize(
    "content",
    [
        "[" * 100_000,
        "a: " + "9" * 10_000,
        "a: 2020-13-45",
        "game: yugioh\ncases: 5\n",
        "game: yugioh\ncards: 5\ncases: [{id: x}]\n",
        "game: yugioh\ncases: [5, null, [x]]\n",
        "game: yugioh\ncases: [{id: x, given: &r {P1: *r}}]\n",
    ],
)
def test_a_damaged_file_of_cases_fails_and_says_so(tmp_path: Path, content: str) -> None:
    path = tmp_path / "damaged.yaml"
    path.write_text(content, encoding="utf-8")
    run = [sys.executable, "manage.py", "run_cases", "--json", str(path), "x" * 300]
    done = subprocess.run(run, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    found = json.loads(done.stdout)
    assert found["passed"] == 0
    assert found["failed"] >= 2


@pytest.mark.parametrize(
    "case",
    [
        {"given": {"P1": {"hand": 10**30}}},
        {"given": {"P1": {"graveyard": {"unknown": 10**30}}}},
        {"given": {"P1": {"deck": -1}}},
        {"kind": "deck", "given": {"main": {"filler": 10**30}}},
    ],
)
def test_no_case_has_more_cards_than_a_duel(case: dict[str, Any]) -> None:
    verdict = case_runner.run_case({"id": "X-1", "acts": [], "then": {}, **case}, {})
    assert verdict.outcome == "failed"
    assert "number of cards" in str(verdict.reason)


def test_a_name_that_no_file_can_have_is_an_unreadable_recording() -> None:
    run = [sys.executable, "manage.py", "compare_duel", "--json", "x" * 300]
    done = subprocess.run(run, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert json.loads(done.stdout)["errors"][0]["code"] == "duels.recording_unreadable"
