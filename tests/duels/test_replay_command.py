"""manage.py replay_duel: a file, no database, an answer for each viewer and for bad input."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
from django.core.management import CommandError, call_command

from duels.domain import text
from duels.domain.text import Entry
from duels.rules.yugioh.duel import fold
from duels.rules.yugioh.lines import lines
from duels.rules.yugioh.view import VIEWERS, view
from eventstore.domain import registry
from tests.conftest import ROOT
from tests.duels.made import opening, played

LOG = played(4)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("logs") / "duel.txt"
    made.write_bytes(text.write([Entry(event) for event in LOG]))
    return made


class Done(NamedTuple):
    """How a run of the command ended."""

    returncode: int
    stdout: str
    stderr: str


def run(*arguments: str | Path) -> Done:
    """Run the command in this process, which may not touch the database in these tests."""
    out, err = StringIO(), StringIO()
    try:
        call_command("replay_duel", *map(str, arguments), stdout=out, stderr=err)
    except SystemExit as ended:
        return Done(int(ended.code or 0), out.getvalue(), err.getvalue())
    except CommandError as fault:
        return Done(2, out.getvalue(), str(fault))  # as manage.py ends for wrong arguments
    return Done(0, out.getvalue(), err.getvalue())


def test_no_database_is_needed(file: Path, tmp_path: Path) -> None:
    """A process of its own, whose database is not there and whose data folder is new."""
    env = {
        **os.environ,
        "DATABASE_URL": "postgres://nobody:none@127.0.0.1:9/none",
        "DATA_DIR": str(tmp_path),
    }
    command = [sys.executable, "manage.py", "replay_duel", str(file)]
    for more, code in (([], 0), (["--at", "x"], 2), (["--at", "0"], 1)):
        done = subprocess.run(
            command + more, cwd=ROOT, env=env, text=True, capture_output=True, timeout=120
        )
        assert done.returncode == code, done.stderr
        assert "Traceback" not in done.stderr
        assert (f"after {len(LOG)} of {len(LOG)}" in done.stdout) == (code == 0)


@pytest.mark.parametrize("viewer", VIEWERS)
def test_the_table_and_the_lines_of_a_viewer(file: Path, viewer: str) -> None:
    done = run(file, "--viewer", viewer, "--at", "30", "--json")
    assert done.returncode == 0, done.stderr
    shown: dict[str, Any] = json.loads(done.stdout)
    assert shown["table"] == json.loads(json.dumps(view(fold(LOG[:30]), viewer)))
    assert (shown["at"], shown["head"], shown["viewer"]) == (30, len(LOG), viewer)
    told = lines(LOG, viewer)[:30]
    assert [line["params"] for line in shown["lines"]] == [
        json.loads(json.dumps(line.params)) for line in told
    ]
    assert ("flags" in shown) == (viewer == "judge")


def test_in_words_the_newest_table(file: Path) -> None:
    done = run(file)
    assert done.returncode == 0, done.stderr
    assert f"after {len(LOG)} of {len(LOG)}, seen by public" in done.stdout
    table = fold(LOG).table
    assert f"P1  LP {table.p1.life_points}" in done.stdout
    assert "winner" in done.stdout
    assert "Turn 1: P1." in done.stdout


def test_a_json_list_is_read_as_well(tmp_path: Path) -> None:
    listed = [
        {"type": name, "schema": schema, "data": msgspec.to_builtins(event), "position": 1}
        for event in LOG
        for name, schema in [registry.name_of(event)]
    ]
    made = tmp_path / "duel.json"
    made.write_text(json.dumps(listed), encoding="utf-8")
    done = run(made, "--json", "--viewer", "judge")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["head"] == len(LOG)


@pytest.mark.parametrize(
    ("content", "arguments", "code", "exit_code"),
    [
        (b"", (), "duels.text_header", 1),
        (b"\x00\xff", (), "duels.text_not_utf8", 1),
        (b"[1, 2]", (), "duels.text_header", 1),
        (text.write([]), (), "duels.text_log", 1),
        (text.write([Entry(one) for one in opening(1)]), ("--at", "0"), "duels.no_such_line", 1),
        (text.write([Entry(one) for one in opening(1)]), ("--at", "99"), "duels.no_such_line", 1),
        (text.write([Entry(one) for one in opening(1)[1:]]), (), "duels.text_log", 1),
        (None, (), "duels.text_unreadable", 2),
    ],
)
def test_bad_input_has_a_code_and_an_exit_code(
    tmp_path: Path, content: bytes | None, arguments: tuple[str, ...], code: str, exit_code: int
) -> None:
    made = tmp_path / "bad.txt"
    if content is not None:
        made.write_bytes(content)
    done = run(made, *arguments)
    assert done.returncode == exit_code, done.stderr
    assert done.stderr.startswith(f"{code}: ")
    assert not done.stdout
    as_json = run(made, *arguments, "--json")
    assert as_json.returncode == exit_code
    assert json.loads(as_json.stdout)["error"]["code"] == code


def test_wrong_arguments_end_with_two(file: Path) -> None:
    assert run(file, "--viewer", "nobody").returncode == 2
    assert run(file, "--at", "x").returncode == 2
    assert run().returncode == 2
