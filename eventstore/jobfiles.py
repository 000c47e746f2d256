"""Files of background work: what was uploaded for a job, and what a job made for download.

They lie in DATA_DIR/jobs, which server and workers share, readable by the server's user only, and
are no part of the log or of a backup. One that is no longer needed is removed; whatever stays is
taken away a day after it was written.
"""

from __future__ import annotations

import os
import time
from datetime import timedelta
from pathlib import Path

from django.conf import settings

from eventstore.ids import is_id, new_id

KEPT = timedelta(days=1)


def folder() -> Path:
    """Return the folder of the files."""
    return Path(settings.DATA_DIR) / "jobs"


def keep(content: bytes) -> str:
    """Write a file whole, and return its name."""
    folder().mkdir(mode=0o700, parents=True, exist_ok=True)
    name = new_id()
    part = folder() / f"{name}.part"
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as out:
        out.write(content)
        out.flush()
        os.fsync(out.fileno())
    part.rename(folder() / name)
    return name


def read(name: str) -> bytes | None:
    """Return a file's content, None when it is gone."""
    if not is_id(name):
        return None
    try:
        return (folder() / name).read_bytes()
    except FileNotFoundError:
        return None


def there(name: str) -> bool:
    """Say whether a file is still kept."""
    return is_id(name) and (folder() / name).is_file()


def remove(name: str) -> None:
    """Take a file away; again: no effect."""
    if is_id(name):
        (folder() / name).unlink(missing_ok=True)


def tidy(now: float | None = None) -> int:
    """Take away every file that is older than KEPT at `now` (seconds since 1970); return how
    many."""
    before = (time.time() if now is None else now) - KEPT.total_seconds()
    gone = 0
    for file in folder().glob("*") if folder().is_dir() else ():
        try:
            if file.stat().st_mtime < before:
                file.unlink()
                gone += 1
        except FileNotFoundError:
            continue  # another process was quicker
    return gone
