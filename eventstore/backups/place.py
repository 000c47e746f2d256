"""The second path: a folder with a marker file, such as a USB stick.

Everything goes through one handle of the folder, opened once and asked for the marker: if the
stick is pulled out meanwhile, nothing is written into the empty mount point that is left on the
internal disk. A FAT file system is good enough: no links, no rights, no colon in names.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from eventstore.domain.copies import MANIFEST, PART, CopyName, read_name
from eventstore.domain.manifest import MANIFEST_AT_MOST, Summer, Sums

MARKER = ".headjudge-backup"
MARKER_FORMAT = "headjudge-backup-place@1"
PIECE = 1 << 20

_BY_ERRNO = {
    errno.ENOSPC: "full",
    errno.EDQUOT: "full",
    errno.EROFS: "read_only",
    errno.EACCES: "read_only",
    errno.EPERM: "read_only",
    errno.EFBIG: "too_large",
    errno.ENOENT: "absent",
    errno.ENOTDIR: "absent",
    errno.ENODEV: "gone",
    errno.ENXIO: "gone",
    errno.EIO: "gone",
    errno.ESTALE: "gone",
    errno.ENOTCONN: "gone",
}


class PlaceFault(Exception):
    """The second path cannot be used now. Codes: `absent`, `no_marker`, `gone` (pulled out),
    `full`, `read_only`, `too_large` (4 GB of a FAT file system), `unreadable` (read back
    otherwise than written), `other`."""

    def __init__(self, code: str, **params: Any) -> None:
        super().__init__(f"{code} {params or ''}".rstrip())
        self.code, self.params = code, params


@contextlib.contextmanager
def faults() -> Iterator[None]:
    """Turn errors of the operating system inside the block into PlaceFault."""
    try:
        yield
    except OSError as fault:
        code = _BY_ERRNO.get(fault.errno or 0, "other")
        raise PlaceFault(code, found=os.strerror(fault.errno or 0)) from None


def prepare(path: Path) -> None:
    """Write the marker that makes a folder a place for copies; the folder must be there.

    Again: no effect. Raises PlaceFault.
    """
    with faults():
        folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
            with contextlib.suppress(FileExistsError):
                handle = os.open(MARKER, flags, 0o644, dir_fd=folder)
                with os.fdopen(handle, "w") as out:
                    json.dump({"format": MARKER_FORMAT}, out)
                    out.flush()
                    os.fsync(out.fileno())
            _sync(folder)
        finally:
            os.close(folder)


def _sync(folder: int) -> None:
    with contextlib.suppress(OSError):  # FAT over some drivers knows no fsync of a folder
        os.fsync(folder)


class Place:
    """An opened second path. Use as a context manager; every method raises PlaceFault."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._folder = -1

    def __enter__(self) -> Place:
        with faults():
            self._folder = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY)
            try:
                os.stat(MARKER, dir_fd=self._folder, follow_symlinks=False)
            except FileNotFoundError:
                self._close()
                raise PlaceFault("no_marker", found=str(self.path)) from None
            except OSError:
                self._close()
                raise
        return self

    def __exit__(self, *exc: object) -> None:
        self._close()

    def _close(self) -> None:
        with contextlib.suppress(OSError):
            os.close(self._folder)

    def files(self) -> list[str]:
        """Return the names of all files."""
        with faults():
            return sorted(os.listdir(self._folder))

    def copies(self, log: str | None = None) -> list[CopyName]:
        """Return the finished copies, of one log where `log` is given."""
        there = self.files()
        known = set(there)
        found = [read_name(text) for text in there]
        return [
            one
            for one in found
            if one is not None and one.manifest in known and log in (None, one.log)
        ]

    def size(self, name: str) -> int:
        """Return the bytes of a file."""
        with faults():
            return os.stat(name, dir_fd=self._folder).st_size

    def free(self) -> int:
        """Return the free bytes."""
        with faults():
            found = os.fstatvfs(self._folder)
        return found.f_bavail * found.f_frsize

    def device(self) -> int:
        """Return the number of the disk that the folder is on."""
        with faults():
            return os.fstat(self._folder).st_dev

    def read(self, name: str) -> bytes:
        """Return the bytes of a small file."""
        with faults(), self._opened(name) as source:
            return source.read(MANIFEST_AT_MOST)

    @contextlib.contextmanager
    def _opened(self, name: str) -> Iterator[BinaryIO]:
        # without O_NONBLOCK a pipe under this name would be waited for
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
        handle = os.open(name, flags, dir_fd=self._folder)
        with os.fdopen(handle, "rb") as source:
            yield source

    def remove(self, name: str) -> None:
        """Remove a file; again: no effect."""
        with faults(), contextlib.suppress(FileNotFoundError):
            os.unlink(name, dir_fd=self._folder)

    def sweep(self, log: str) -> None:
        """Remove what unfinished copies of this log left: parts, and copies or manifests that
        stand alone."""
        there = set(self.files())
        for text in there:
            bare = text.removesuffix(PART)
            name = read_name(bare.removesuffix(MANIFEST))
            if name is None or name.log != log:
                continue
            alone = name.text not in there or name.manifest not in there
            if text != bare or alone:
                self.remove(text)

    def write(self, name: str, pieces: Iterator[bytes]) -> None:
        """Write a file under a temporary name, on the disk when this returns, then rename it."""
        part = name + PART
        with faults():
            # what lies there under this name may be a link that leads elsewhere, or a pipe
            self.remove(part)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
            handle = os.open(part, flags, 0o600, dir_fd=self._folder)
            try:
                for piece in pieces:
                    view = memoryview(piece)
                    while view:
                        view = view[os.write(handle, view) :]
                os.fsync(handle)
                with contextlib.suppress(OSError):
                    # reading it back is to ask the stick and not this machine's memory
                    os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
            finally:
                os.close(handle)
            os.rename(part, name, src_dir_fd=self._folder, dst_dir_fd=self._folder)
            _sync(self._folder)

    def sums(self, name: str, block: int) -> Sums:
        """Read a file and return its sums."""
        total = Summer(block)
        with faults(), self._opened(name) as source:
            while piece := source.read(PIECE):
                total.feed(piece)
        return total.done()


def pieces_of(file: Path, seen: Callable[[bytes], None] | None = None) -> Iterator[bytes]:
    """Yield a local file in pieces, each shown to `seen` first."""
    with file.open("rb") as source:
        while piece := source.read(PIECE):
            if seen is not None:
                seen(piece)
            yield piece
