"""Find the newest good copy in a folder, and bring its file over, checked."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from eventstore import signing
from eventstore.backups.place import pieces_of
from eventstore.domain.copies import MANIFEST, newest_first, read_name
from eventstore.domain.manifest import (
    MANIFEST_AT_MOST,
    BadCopy,
    Manifest,
    Opened,
    Summer,
    compare,
    open_manifest,
)


@dataclass(frozen=True, slots=True)
class Found:
    """A copy whose manifest could be read."""

    file: Path
    opened: Opened

    @property
    def manifest(self) -> Manifest:
        """What the copy is."""
        return self.opened.manifest


def open_one(file: Path) -> Found:
    """Read the manifest of one copy (either of its two files may be named). Raises BadCopy:
    `no_copy`, `no_manifest`, `manifest_damaged`, `format_unknown`, `renamed`."""
    file = file.with_name(file.name.removesuffix(MANIFEST))
    beside = file.with_name(file.name + MANIFEST)
    if not file.is_file():
        raise BadCopy("no_copy", found=file.name)
    if beside.exists() and not beside.is_file():  # a pipe would be waited for without end
        raise BadCopy("manifest_damaged", why="no file")
    try:
        with beside.open("rb") as source:
            raw = source.read(MANIFEST_AT_MOST)
    except FileNotFoundError:
        raise BadCopy("no_manifest", found=file.name) from None
    except OSError as fault:
        raise BadCopy("manifest_damaged", why=fault.strerror or "") from None
    opened = open_manifest(raw, signing.trusted_keys())
    if opened.manifest.file != file.name:
        raise BadCopy("renamed", found=file.name, allowed=opened.manifest.file)
    return Found(file, opened)


def candidates(folder: Path) -> list[Path]:
    """Return the copies in a folder, the newest first by name; unfinished ones are not copies."""
    there = set(os.listdir(folder))
    names = [read_name(text) for text in there]
    known = [one for one in names if one is not None and one.manifest in there]
    return [folder / one.text for one in newest_first(known)]


def fetch(found: Found, target: Path) -> None:
    """Bring the file of a copy over into `target` and compare it with its manifest.

    Raises BadCopy: `truncated`, `too_long`, `damaged` (params first and last: bytes), `unreadable`
    (the stick does not give the bytes); OSError when `target` cannot be written.
    """
    wanted = found.manifest.sums
    total = Summer(wanted.block)
    with target.open("xb") as out:
        pieces = pieces_of(found.file, total.feed)
        at = 0
        while True:
            try:
                piece = next(pieces, None)
            except OSError as fault:
                raise BadCopy("unreadable", first=at, why=fault.strerror or "") from None
            if piece is None:
                break
            at += len(piece)
            if at > wanted.size:  # no end that fills this disk is waited for
                raise BadCopy("too_long", found=at, allowed=wanted.size)
            out.write(piece)
        out.flush()
        os.fsync(out.fileno())
    compare(wanted, total.done())


def kin(found: Found) -> list[Manifest]:
    """Return the manifests beside a copy that are of its log and by one of its keys."""
    kept: list[Manifest] = []
    for file in candidates(found.file.parent):
        try:
            other = open_one(file)
        except BadCopy:
            continue
        same = other.manifest.log == found.manifest.log
        if same and (other.opened.vouched or other.opened.signer in found.manifest.keys):
            kept.append(other.manifest)
    return kept
