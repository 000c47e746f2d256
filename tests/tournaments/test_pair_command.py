"""`manage.py pair`: a process of its own, JSON in and out, no database."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from eventstore.domain.refusal import Refusal
from tests.conftest import ROOT
from tournaments.domain.pairing import problem, swiss


def command(name: str, *arguments: str, given: bytes = b"") -> tuple[int, Any, str]:
    """Run a command with a database that cannot be reached; (exit code, JSON, errors)."""
    env = os.environ | {"DATABASE_URL": "postgresql://nobody@127.0.0.1:1/nothing", "REDIS_URL": ""}
    done = subprocess.run(
        [sys.executable, "manage.py", name, *arguments, "--json"],
        cwd=ROOT, env=env, input=given, capture_output=True, timeout=120,
    )  # fmt: skip
    return done.returncode, json.loads(done.stdout), done.stderr.decode()


def asked(**changes: Any) -> dict[str, Any]:
    players = [
        {"id": 1, "points": 6, "opponents": [2, 3], "byes": 0, "active": True},
        {"id": 2, "points": 3, "opponents": [1, 4], "byes": 0, "active": True},
        {"id": 3, "points": 3, "opponents": [4, 1], "byes": 0, "active": True, "club": "x"},
        {"id": 4, "points": 0, "opponents": [3, 2], "byes": 0, "active": True, "seat": 9},
        {"id": "gone", "points": 9, "opponents": [], "byes": 0, "active": False},
    ]
    return {"players": players, "forbidden": [], "locked": [], "seed": 7, "options": {}} | changes


def answer(given: dict[str, Any]) -> dict[str, Any] | Refusal:
    read = problem.read(json.dumps(given).encode())
    if isinstance(read, Refusal):
        return read
    made = swiss.pair(
        read.players,
        seed=read.seed,
        forbidden=read.forbidden,
        locked=read.locked,
        options=read.options,
    )
    return problem.answer(read, made, 0.0)


def test_the_command_pairs_without_a_database() -> None:
    code, found, _ = command("pair", given=json.dumps(asked()).encode())
    assert code == 0
    assert list(found) == [
        "pairs",
        "bye",
        "rematches",
        "cost",
        "lower_bound",
        "proven",
        "method",
        "ms",
    ]
    assert {frozenset(pair) for pair in found["pairs"]} == {frozenset((1, 4)), frozenset((2, 3))}
    assert (found["bye"], found["rematches"], found["cost"], found["proven"]) == (None, 0, 4, True)


def test_the_command_says_what_is_wrong_with_its_input() -> None:
    code, found, errors = command("pair", given=b'{"players": [{"id": 1}, {"id": 1}]}')
    assert code == 1
    assert found == {"error": {"code": "tournaments.player_twice", "params": {"player": 1}}}
    assert "player_twice" in errors


def test_ids_come_back_as_they_were_given() -> None:
    found = answer({"players": [{"id": 1}, {"id": "1"}, {"id": "x"}]})
    assert isinstance(found, dict)
    seated = [one for pair in found["pairs"] for one in pair] + [found["bye"]]
    assert sorted(seated, key=repr) == ["1", "x", 1]


def test_seats_are_given_on_request() -> None:
    found = answer(asked(options={"seats": {"offset": 100, "ranges": [[1, 20]]}}))
    assert isinstance(found, dict)
    by_table = {frozenset(p): t for p, t in zip(found["pairs"], found["tables"], strict=True)}
    assert by_table == {frozenset((1, 4)): 109, frozenset((2, 3)): 101}


def test_options_left_out_or_null_are_the_defaults() -> None:
    nothing = {"order": None, "seats": None, "soft": None}
    for options in ({}, None, nothing, {"order": "random", "seats": False, "soft": []}):
        assert answer(asked(options=options)) == answer(asked())


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"players": []}, "too_few_active"),
        ({"players": [{"id": 1}, {"id": 2, "active": False}]}, "too_few_active"),
        ({"players": [{"points": 3}]}, "pair_input_invalid"),
        ({"players": [{"id": 1, "byes": -1}, {"id": 2}]}, "pair_input_invalid"),
        ({"players": [{"id": 1, "points": 10**12}, {"id": 2}]}, "pair_input_invalid"),
        ({"players": [{"id": 1, "points": "6"}, {"id": 2}]}, "pair_input_invalid"),
        ({"players": "all"}, "pair_input_invalid"),
        ({"forbidden": [[1, 99]]}, "player_unknown"),
        ({"forbidden": [[1]]}, "pair_input_invalid"),
        ({"locked": [[1, 1]]}, "lock_invalid"),
        ({"locked": [[1, 2], [2, 3]]}, "lock_invalid"),
        ({"locked": [[1, "gone"]]}, "lock_invalid"),
        ({"options": {"order": "best"}}, "pair_input_invalid"),
        ({"options": {"soft": ["luck"]}}, "pair_input_invalid"),
        ({"options": {"seats": {"ranges": [[5, 1]]}}}, "seating_invalid"),
        ({"options": {"seats": {"ranges": [[9, 9]]}}}, "tables_short"),
    ],
)
def test_wrong_input_is_refused_by_code(changes: dict[str, Any], code: str) -> None:
    found = answer(asked(**changes))
    assert isinstance(found, Refusal)
    assert found.code == f"tournaments.{code}"


@pytest.mark.parametrize(
    "data", [b"", b"\xff\xfe", b"[" * 100_000, b"null", b'{"players": [1e999]}']
)
def test_what_is_no_json_is_refused(data: bytes) -> None:
    found = problem.read(data)
    assert isinstance(found, Refusal)
    assert found.code == "tournaments.pair_input_invalid"
