"""A bench that runs on SQLite and on PostgreSQL: a new database for each, one report of both."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench._aims import Aims, held, print_aims
from bench._child import child
from tools import services


@contextmanager
def database(kind: str, folder: Path) -> Iterator[str]:
    """Give the URL of a new database of a kind."""
    if kind == "sqlite":
        yield f"sqlite:///{folder / 'bench.sqlite3'}"
    else:
        with services.postgres(folder) as url:
            yield url


def on_both(module: str, *words: object, aims: Aims, as_json: bool) -> int:
    """Run `bench.<module>` with these words on both databases and print what it found; return the
    exit code."""
    found: dict[str, Any] = {}
    lines: list[dict[str, Any]] = []
    for kind in ("sqlite", "postgresql"):
        with services.short_folder() as folder, database(kind, folder) as url:
            found[kind] = child(module, folder, *words, url=url)
        lines += held(found[kind], aims, kind)
    if as_json:
        print(json.dumps({"found": found, "aims": lines}))
    else:
        for kind, figures in found.items():
            print(kind, ", ".join(f"{name} {value}" for name, value in figures.items()))
        print_aims(lines)
    return 0 if all(one["above_floor"] for one in lines) else 1
