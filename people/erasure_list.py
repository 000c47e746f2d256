"""The list of erased persons: a file beside the database, so that no restored backup of the
database can undo an erasure.

DATA_DIR/erased.list holds one opaque id a line. A line is only ever added. Whoever is on it has
no key and no name any more, whatever the tables say (people.vault, people.erasure).
"""

from __future__ import annotations

import os
from pathlib import Path

from django.conf import settings

FILE = "erased.list"

_known: tuple[tuple[str, int, int], frozenset[str]] | None = None


def _file() -> Path:
    return Path(settings.DATA_DIR) / FILE


def erased() -> frozenset[str]:
    """Return the ids of all erased persons; the file is read again when it changed."""
    global _known
    file = _file()
    try:
        found = file.stat()
    except FileNotFoundError:
        return frozenset()
    mark = (str(file), found.st_mtime_ns, found.st_size)
    if _known is None or _known[0] != mark:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
        _known = (mark, frozenset(line.strip() for line in lines if line.strip()))
    return _known[1]


def add(person_ids: list[str]) -> None:
    """Add persons, on the disk when this returns. Raises OSError when it cannot be written."""
    fresh = [one for one in person_ids if one not in erased()]
    if not fresh:
        return
    file = _file()
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        # a line that a power failure left half must not swallow the next one
        os.write(handle, "".join(f"\n{one}\n" for one in fresh).encode())
        os.fsync(handle)
    finally:
        os.close(handle)
