"""A disk that fills up: a small file system of its own where one can be mounted, else a limit on
how far the server's files may grow."""

from __future__ import annotations

import contextlib
import errno
import os
import resource
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.sizes import SOAK

MEGABYTES = 160 if SOAK else 32


@dataclass
class Disk:
    """The folder of the database, and whether it is a file system of its own."""

    folder: Path
    own: bool

    @property
    def _filler(self) -> Path:
        return self.folder / "filler"

    def fill(self, server: int) -> None:
        """Leave no room; `server` is the process that is not to write any more."""
        if not self.own:
            _, hard = resource.prlimit(server, resource.RLIMIT_FSIZE)
            resource.prlimit(server, resource.RLIMIT_FSIZE, (1, hard))
            return
        with self._filler.open("wb", buffering=0) as out:
            for size in (1 << 20, 1 << 12, 1):
                with contextlib.suppress(OSError):
                    while out.write(b"\0" * size):
                        pass

    def clear(self, server: int) -> None:
        """Give the room back."""
        if not self.own:
            _, hard = resource.prlimit(server, resource.RLIMIT_FSIZE)
            resource.prlimit(server, resource.RLIMIT_FSIZE, (hard, hard))
            return
        self._filler.unlink()


def is_full(folder: Path) -> bool:
    """Say whether not even a small file fits in."""
    probe = folder / "probe"
    try:
        probe.write_bytes(b"\0" * 8192)
    except OSError as fault:
        return fault.errno == errno.ENOSPC
    finally:
        with contextlib.suppress(OSError):
            probe.unlink()
    return False


@contextmanager
def small_disk(folder: Path) -> Iterator[Disk]:
    """Give a small disk for a database; gone at the end."""
    folder.mkdir()
    own = False
    if os.geteuid() == 0:
        size = f"size={MEGABYTES}m"
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", size, "none", str(folder)], capture_output=True
        )
        own = done.returncode == 0
    try:
        yield Disk(folder, own)
    finally:
        if own:
            subprocess.run(["umount", "-l", str(folder)], check=True)
