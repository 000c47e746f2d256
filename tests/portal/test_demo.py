"""The rehearsal command, run as a process of its own: its JSON, its seed, its bad arguments."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tournaments.domain.results import REASONS

ROOT = Path(__file__).resolve().parent.parent.parent
pytestmark = pytest.mark.xdist_group("demo")
"""One worker, so that what is `shown` is rehearsed once."""


def demo(data: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "DATA_DIR": str(data), "BACKGROUND": "none"}
    if not environment.get("DATABASE_URL", "").startswith("postgres"):
        environment.pop("DATABASE_URL", None)
    return subprocess.run(
        [sys.executable, "manage.py", "demo", *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.fixture(scope="session")
def shown(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    run = demo(tmp_path_factory.mktemp("demo"), "--players", "8", "--seed", "5", "--json")
    assert run.returncode == 0, run.stderr[-2000:]
    return json.loads(run.stdout)


def test_every_reason_of_a_result_occurs(shown: dict[str, Any]) -> None:
    assert set(shown["reasons"]) == set(REASONS)
    assert sum(shown["reasons"].values()) == shown["matches"]


def test_read_tables_equal_their_rebuild(shown: dict[str, Any]) -> None:
    assert shown["rebuild_equal"] is True


def test_every_duel_has_a_log_and_an_end_of_its_own(shown: dict[str, Any]) -> None:
    assert shown["duels"] == sum(shown["endings"].values())
    assert shown["shortest_duel"] >= 20
    assert shown["rewinds"] == 1
    assert shown["events"] > 20 * shown["duels"]


def test_standings_hold_every_player_once_with_whole_match_points(shown: dict[str, Any]) -> None:
    lines = shown["standings"]
    assert len({line["id"] for line in lines}) == shown["registered"] == 8
    assert [line["rank"] for line in lines] == sorted(line["rank"] for line in lines)
    assert all(0 <= line["points"] <= 3 * shown["rounds"] for line in lines)
    assert max(Counter(line["name"] for line in lines).values()) == 1


def test_the_same_seed_gives_the_same_event_and_another_one_another(
    shown: dict[str, Any], tmp_path: Path
) -> None:
    again = demo(tmp_path, "--players", "8", "--seed", "5", "--json")
    assert json.loads(again.stdout) == shown
    other = demo(tmp_path, "--players", "8", "--seed", "6", "--json")
    assert json.loads(other.stdout)["standings"] != shown["standings"]


def test_nothing_is_left_in_the_data_folder(tmp_path: Path) -> None:
    before = demo(tmp_path, "--players", "2")
    assert before.returncode != 0
    assert "at least 8" in before.stderr
    assert {path.name for path in tmp_path.iterdir()} <= {"secret.key"}


def test_lists_of_a_folder_are_checked_once_each_and_the_refused_ones_named(
    shared: Path, tmp_path: Path
) -> None:
    run = demo(
        tmp_path,
        *("--players", "8", "--rules", "advanced", "--json"),
        *("--decks", str(shared / "data/decks")),
        *("--cards", str(shared / "data/cards/cards.csv.gz")),
        *("--banlist", str(shared / "data/lflist/0TCG.lflist.conf")),
    )
    assert run.returncode == 0, run.stderr[-2000:]
    found = json.loads(run.stdout)
    files = sorted(path.name for path in (shared / "data/decks").iterdir())
    refused = [one["file"] for one in found["refused"]]
    assert len(set(refused)) == len(refused)
    assert set(refused) < set(files)
    assert all(one["codes"] for one in found["refused"])
    assert len(files) / 2 < len(refused) < len(files)
    assert found["registered"] == 8
    assert found["rebuild_equal"] is True


def test_a_rehearsal_of_the_other_game(tmp_path: Path) -> None:
    run = demo(
        tmp_path,
        *("--game", "duel-masters", "--match", "dm-bo1", "--players", "8", "--seed", "2", "--json"),
    )
    assert run.returncode == 0, run.stderr[-2000:]
    found = json.loads(run.stdout)
    assert found["rebuild_equal"] is True
    assert (found["registered"], found["rewinds"], found["refused"]) == (8, 1, [])
    assert found["duels"] == sum(found["endings"].values()) >= 10
    assert set(found["endings"]) <= {"DM-2.1", "DM-2.2"}
    assert found["shortest_duel"] > 40


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--decks", "no-such-folder"], "no-such-folder"),
        (["--banlist", "no-such.lflist.conf"], "no_file"),
        (["--cards", "manage.py"], "cards"),
        (["--game", "duel-masters", "--rules", "classic"], "classic are rules of yugioh"),
    ],
)
def test_bad_arguments_are_explained_on_standard_error(
    tmp_path: Path, arguments: list[str], said: str
) -> None:
    run = demo(tmp_path, "--json", *arguments)
    assert run.returncode != 0
    assert run.stdout == ""
    assert said in run.stderr
    assert "Traceback" not in run.stderr
