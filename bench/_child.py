"""Run a part of a bench in a process of its own, with a database of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


def environment(folder: Path, url: str = "") -> dict[str, str]:
    """Return the environment of a product whose data lies in a folder; `url` names another
    database than a SQLite file there."""
    return {
        **os.environ,
        "DATABASE_URL": url or f"sqlite:///{folder / 'bench.sqlite3'}",
        "DATA_DIR": str(folder),
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "BACKGROUND": "none",
        "API_RATE": "",
        "REDIS_URL": "",
    }


def child(module: str, folder: Path, *words: object, url: str = "") -> dict[str, Any]:
    """Run `bench.<module>` with these words; return the JSON value that it prints."""
    done = subprocess.run(
        [sys.executable, "-m", f"bench.{module}", *map(str, words)],
        cwd=ROOT, env=environment(folder, url), text=True, stdout=subprocess.PIPE, check=True,
    )  # fmt: skip
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def await_server(port: int, server: subprocess.Popen[bytes], *, pages: int = 1) -> None:
    """Wait until a server has answered with so many pages one after the other."""
    limit = time.monotonic() + 60
    while time.monotonic() < limit and server.poll() is None:
        try:
            for _ in range(pages):
                urllib.request.urlopen(f"http://localhost:{port}/", timeout=20).close()
            return
        except OSError:
            time.sleep(0.1)
    raise SystemExit("the server did not start")
