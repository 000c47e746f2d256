"""Make one copy: take it on the internal disk, check it there, carry it to the place, read it back.

The order matters. The database is read only as long as the internal disk needs; a slow stick
holds up nobody. The file goes to the place first and its manifest last, each renamed when it is
whole on the disk, so that a copy is there with its manifest or not at all.
"""

from __future__ import annotations

import contextlib
import fcntl
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from django.conf import settings
from django.db import connection

from eventstore import checkpoints, clock, fingerprint, projections, signing, store
from eventstore.backups import carried, postgres, sqlite
from eventstore.backups.facts import Facts, StageFault
from eventstore.backups.place import Place, PlaceFault, pieces_of
from eventstore.domain import copies
from eventstore.domain.audit import Auditor
from eventstore.domain.copies import CopyName
from eventstore.domain.manifest import BadCopy, Manifest, Summer, block_for, compare
from eventstore.models import BackupRow

WHOLE_EVERY = 30
"""The whole log is checked in every so many copies, and in each at a publication or by hand."""
UNCHANGED_SECONDS = 600
"""Reference tables change without an event: after so long a copy is made all the same."""
ROOM_FOR_MANIFEST = 1 << 20
FORMATS: dict[str, ModuleType] = {"sqlite": sqlite, "postgresql": postgres}


class Busy(Exception):
    """Another copy is being made on this machine."""


@dataclass(frozen=True, slots=True)
class Made:
    """A copy that was made: its manifest, what it took, and how much room is left."""

    manifest: Manifest
    seconds: float
    copies: int
    free: int
    same_disk: bool


def folder() -> Path:
    """Return the folder on the internal disk where copies are taken."""
    found = Path(settings.DATA_DIR) / "backup"
    found.mkdir(mode=0o700, parents=True, exist_ok=True)
    return found


@contextlib.contextmanager
def only_one() -> Iterator[None]:
    """Hold the lock of the machine: one copy at a time. Raises Busy."""
    with (folder() / "lock").open("w") as held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Busy from None
        yield


def row_of(place: Path) -> BackupRow:
    """Return how backups to a place go; a row not yet kept where none was made."""
    return BackupRow.objects.filter(pk=str(place)).first() or BackupRow(place=str(place))


def database_file() -> Path | None:
    """Return the file of the SQLite database; None on PostgreSQL. Raises StageFault for a
    database in memory, of which there is no copy."""
    if connection.vendor != "sqlite":
        return None
    name = str(connection.settings_dict["NAME"])
    if not name or ":memory:" in name or "mode=memory" in name:
        raise StageFault("the database is in memory only")
    return Path(name)


def _stage(target: Path) -> None:
    source = database_file()
    if source is None:
        postgres.stage(target)
    else:
        sqlite.stage(source, target)


def audit(file: Path, vendor: str, facts: Facts, after: int = 0, head: str = "") -> int:
    """Check the log in a copy: whole, or above an event whose hash is known. Returns from which
    position on it was checked. Raises checkpoints.LogFault."""
    of = FORMATS[vendor]
    if after and of.hash_at(file, after) != head:
        after = 0  # another log than the one known: all of it
    auditor = Auditor(after=after, previous=checkpoints.stored_hash if after else None)
    for rows in of.rows(file, after, checkpoints.BATCH):
        auditor.feed(rows)
    auditor.finish()
    if auditor.faults:
        raise checkpoints.LogFault(auditor.faults)
    if auditor.position != facts.position:
        raise StageFault(f"{auditor.position} events, not {facts.position}")
    return after + 1


def code_of_projections() -> dict[str, str]:
    """Return the fingerprint of the code of each projection."""
    return {
        name: fingerprint.of_code(*one.handlers.values(), *one.tables)
        for name, one in projections.registered().items()
    }


def _by_app(applied: list[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for app, name in sorted(applied):
        found.setdefault(app, []).append(name)
    return found


def _make_room(place: Place, name: CopyName, needed: int) -> None:
    """Give up older copies of this log until there is room. Raises PlaceFault `full`."""
    for old in copies.given_up_for_room(place.copies(name.log)):
        if place.free() >= needed:
            return
        _remove(place, old)
    if place.free() < needed:
        raise PlaceFault("full", found=place.free(), allowed=needed)


def _remove(place: Place, name: CopyName) -> None:
    # the manifest first: a copy without one is no copy
    place.remove(name.manifest)
    place.remove(name.text)


def make_copy(path: Path, *, kind: str = copies.HAND, reason: str = "") -> Made:
    """Make a verified copy in a place. `kind` as in domain.copies, `reason` a short code.

    Raises PlaceFault, StageFault, checkpoints.LogFault, Busy; in each case older copies are as
    they were, but for those that were given up for room.
    """
    started = time.monotonic()
    staged = folder() / "stage"
    with only_one(), Place(path) as place:
        try:
            _clear(staged)
            return _make(place, staged, kind, reason, started)
        finally:
            _clear(staged)


def _clear(staged: Path) -> None:
    for left in staged.parent.glob(f"{staged.name}*"):
        left.unlink(missing_ok=True)


def _make(place: Place, staged: Path, kind: str, reason: str, started: float) -> Made:
    known = row_of(place.path)
    vendor = connection.vendor
    added = carried.read_all()
    key = signing.signing_key()
    now = clock.now()
    _stage(staged)
    facts: Facts = FORMATS[vendor].facts(staged)
    whole = kind != copies.MINUTE or known.since_whole + 1 >= WHOLE_EVERY or not known.file
    after = 0 if whole else known.position
    whole = audit(staged, vendor, facts, after, known.head) == 1
    if not connection.in_atomic_block:
        connection.close()  # a stick that hangs holds no place of a pool
    size = staged.stat().st_size
    name = CopyName(
        copies.log_mark(facts.first), now, facts.position, kind, copies.SUFFIXES[vendor]
    )
    place.sweep(name.log)
    _make_room(place, name, size + ROOM_FOR_MANIFEST)
    total = Summer(block_for(size))
    place.write(name.text, pieces_of(staged, total.feed))
    sums = total.done()
    try:
        compare(sums, place.sums(name.text, sums.block))
    except BadCopy as fault:
        place.remove(name.text)
        raise PlaceFault("unreadable", **fault.params) from None
    manifest = Manifest(
        vendor=vendor,
        file=name.text,
        kind=kind,
        reason=reason,
        made_at=clock.as_text(now),
        position=facts.position,
        head=facts.head,
        log=facts.first,
        last_at=facts.last_at,
        sums=sums,
        migrations=_by_app(facts.migrations),
        projections=code_of_projections(),
        keys=tuple(one.as_text() for one in signing.trusted_keys()),
        whole_log_checked=whole,
        carried=added,
    )
    place.write(name.manifest, iter([manifest.as_note(key).encode()]))
    for old in copies.superfluous(place.copies(name.log)):
        _remove(place, old)
    made = Made(
        manifest,
        time.monotonic() - started,
        len(place.copies(name.log)),
        place.free(),
        place.device() == folder().stat().st_dev,
    )
    _note_made(known, made)
    return made


def _note_made(row: BackupRow, made: Made) -> None:
    manifest = made.manifest
    row.state, row.code, row.params, row.fault_since = "ok", "", {}, ""
    row.made_at = row.current_at = manifest.made_at
    row.file, row.kind, row.size = manifest.file, manifest.kind, manifest.sums.size
    row.took_ms = round(made.seconds * 1000)
    row.position, row.head = manifest.position, manifest.head
    row.copies, row.free, row.same_disk = made.copies, made.free, made.same_disk
    if manifest.whole_log_checked:
        row.whole_at, row.since_whole = manifest.made_at, 0
    else:
        row.since_whole += 1
    row.save()


def still_good(path: Path) -> bool:
    """Say whether the newest copy is there and nothing happened since; then keep the moment.

    Raises PlaceFault where the place is not there.
    """
    row = row_of(path)
    with Place(path) as place:
        if not row.file or store.head_position() != row.position or row.state == "copying":
            return False
        age = (clock.now() - clock.from_text(row.made_at)).total_seconds()
        there = {one.text for one in place.copies()}
        if age >= UNCHANGED_SECONDS or row.file not in there or place.size(row.file) != row.size:
            return False
        row.free = place.free()
    row.state, row.code, row.params, row.fault_since = "ok", "", {}, ""
    row.current_at = clock.as_text(clock.now())
    row.save()
    return True


def note_started(path: Path) -> None:
    """Keep that a copy is on its way: one that hangs on a stick shows."""
    row = row_of(path)
    row.state, row.started_at = "copying", clock.as_text(clock.now())
    row.save()


def note_fault(path: Path, code: str, params: dict[str, Any]) -> None:
    """Keep why no copy could be made."""
    row = row_of(path)
    row.fault_since = row.fault_since or clock.as_text(clock.now())
    row.state, row.code, row.params = "fault", code, params
    row.save()
