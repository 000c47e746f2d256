"""A small stick that can be full, read-only or pulled out, and a database in a file."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.eventstore.conftest import OwnDatabase, migrated, own_database

__all__ = ["OwnDatabase", "migrated", "own_database"]


def _mount(*words: str) -> bool:
    with contextlib.suppress(OSError):
        return subprocess.run(["mount", *words], capture_output=True).returncode == 0
    return False


@pytest.fixture
def mount(tmp_path: Path) -> Iterator[Callable[..., Path]]:
    """Mount a file system of so many KiB, gone at the end; skips where nobody may mount."""
    made: list[Path] = []

    def make(size_k: int, name: str = "stick") -> Path:
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        if not _mount("-t", "tmpfs", "-o", f"size={size_k}k", "tmpfs", str(folder)):
            pytest.skip("mounting needs root")
        made.append(folder)
        return folder

    yield make
    for folder in made:
        subprocess.run(["umount", "-l", str(folder)], capture_output=True)


def pull_out(folder: Path) -> None:
    """Take a mounted stick away, however busy it is."""
    subprocess.run(["umount", "-l", str(folder)], check=True)


def read_only(folder: Path) -> None:
    """Let a mounted stick be written to no more."""
    subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)
