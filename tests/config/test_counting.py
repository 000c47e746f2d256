"""The folder in which several server processes count together."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from config import server


def test_a_folder_that_was_given_begins_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("METRICS_DIR", str(tmp_path))
    (tmp_path / "counter_17.db").write_bytes(b"of a server that ended")
    (tmp_path / "notes.txt").write_text("not ours")
    with server.counting_together(2):
        assert [one.name for one in tmp_path.iterdir()] == ["notes.txt"]


def test_several_processes_get_one_and_a_single_one_needs_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("METRICS_DIR", raising=False)
    with server.counting_together(1):
        assert "METRICS_DIR" not in os.environ
    with server.counting_together(2):
        made = Path(os.environ["METRICS_DIR"])
        assert made.is_dir()
    assert not made.exists()
    assert "METRICS_DIR" not in os.environ
