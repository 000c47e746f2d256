"""Bring a database back from a copy: all of it, or the old state stays as it was.

On SQLite the copy is brought over into a file of its own, brought up to date and checked there,
and takes the place of the old one by one rename. On PostgreSQL everything is one transaction.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db import connection, transaction
from django.db.migrations.loader import MigrationLoader

from eventstore import checkpoints, clock, heartbeat, projections, rebuilt, signing, store
from eventstore.backups import carried, loading, making, postgres, reading
from eventstore.backups.facts import StageFault
from eventstore.backups.reading import Found
from eventstore.domain.checkpoint import BadNote, VerifierKey
from eventstore.domain.manifest import BadCopy, Manifest
from eventstore.ids import new_id
from eventstore.models import BackupRow, RestoreRow
from eventstore.verification import verify_log

Say = Callable[[str], None]
UNREADABLE = (
    ValueError, TypeError, LookupError, AttributeError, RecursionError, zlib.error, sqlite3.Error,
)  # fmt: skip
"""What reading a file raises that is no copy at all, although its manifest says so."""
MAGIC = b"SQLite format 3\x00"
REASON = "restored"
"""Reason of the checkpoint that is signed after a restore."""


class NotEmpty(Exception):
    """There is a database with something in it already."""


class InUse(Exception):
    """Somebody has the database open: the server still runs."""


@dataclass(slots=True)
class Restored:
    """What was brought back. `skipped`: newer copies that are no good, by name and why;
    `rebuilt`: projections that were made anew; `kept`: where the old state lies."""

    manifest: Manifest
    vouched: bool
    events: int = 0
    new_key: bool = False
    skipped: list[tuple[str, BadCopy]] = field(default_factory=list)
    rebuilt: list[str] = field(default_factory=list)
    other_logs: bool = False
    kept: str = ""
    seconds: float = 0.0


def restore(source: Path, *, force: bool = False, say: Say = lambda text: None) -> Restored:
    """Restore the site's database from a copy, or from the newest good one of a folder.

    Raises BadCopy, NotEmpty (not with `force`), InUse, OSError, and checkpoints.LogFault when the
    log of the copy does not verify. In every case but the return the old state is untouched.
    """
    started = time.monotonic()
    if heartbeat.served():
        raise InUse
    _refuse_if_there(force)
    with making.only_one():
        folder = making.folder()
        for left in folder.glob("restore-*"):
            left.unlink(missing_ok=True)
        files = reading.candidates(source) if source.is_dir() else [source]
        if not files:
            raise BadCopy("no_copy", found=str(source))
        skipped: list[tuple[str, BadCopy]] = []
        while True:
            target = folder / f"restore-{new_id()}"
            try:
                found, restored = _fetched(files, target, skipped, say)
                restored.new_key = not _known_signer(found.manifest)
                into = _into_sqlite if connection.vendor == "sqlite" else _into_postgresql
                with _trusted_if_taken():
                    into(target, found, restored, say)
                break
            except checkpoints.LogFault as fault:
                # whoever can write on the stick can sign a newer copy with a key of his own
                later = files[files.index(found.file) + 1 :] if found.file in files else []
                if not later:
                    raise
                first = fault.faults[0]
                bad = BadCopy("log_fault", position=first.position, why=first.code)
                say(f"{found.file.name} is no good: {bad}")
                skipped.append((found.file.name, bad))
                files = later
            finally:
                for left in folder.glob(f"{target.name}*"):
                    left.unlink(missing_ok=True)
    restored.seconds = time.monotonic() - started
    return restored


def last_restore() -> RestoreRow | None:
    """Return the newest restore of this database; None when it never was restored."""
    return RestoreRow.objects.order_by("-restored_at").first()


def _refuse_if_there(force: bool) -> None:
    if connection.vendor == "sqlite":
        live = making.database_file()
        if live is None or not live.exists():
            return
        try:
            with contextlib.closing(sqlite3.connect(live, timeout=1)) as old:
                filled = bool(old.execute(_FILLED).fetchone()[0])
        except sqlite3.OperationalError as fault:
            filled = "no such table" not in str(fault)
        except sqlite3.DatabaseError:
            filled = True  # damaged: only with force
    else:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                " AND pid <> pg_backend_pid() AND usename IS NOT NULL"
                # of other roles the kind is not shown
                " AND COALESCE(backend_type, 'client backend') = 'client backend'"
            )
            if cursor.fetchone()[0]:
                raise InUse
            filled = "eventstore_event" in connection.introspection.table_names(cursor)
            if filled:
                cursor.execute(_FILLED)
                filled = bool(cursor.fetchone()[0])
    if filled and not force:
        raise NotEmpty


_FILLED = "SELECT EXISTS (SELECT 1 FROM eventstore_event) OR EXISTS (SELECT 1 FROM people_account)"


def _fetched(
    files: list[Path], target: Path, skipped: list[tuple[str, BadCopy]], say: Say
) -> tuple[Found, Restored]:
    """Bring over the first good copy of `files`; those before it are added to `skipped`. Raises
    BadCopy."""
    alone = len(files) == 1 and not skipped
    for file in files:
        try:
            found = reading.open_one(file)
            _fitting(found.manifest)
            say(f"Bringing over {file.name}")
            reading.fetch(found, target)
            _sound(target, found.manifest)
        except BadCopy as fault:
            target.unlink(missing_ok=True)
            if alone or fault.code in ("newer_product", "other_database"):
                raise
            say(f"{file.name} is no good: {fault}")
            skipped.append((file.name, fault))
            continue
        logs = {file.name.split("-")[1] for file in files}
        restored = Restored(found.manifest, found.opened.vouched, skipped=skipped)
        restored.other_logs = len(logs) > 1
        return found, restored
    raise skipped[0][1]


def _fitting(manifest: Manifest) -> None:
    """Refuse a copy of another kind of database, or of a newer product. Raises BadCopy."""
    if manifest.vendor != connection.vendor:
        raise BadCopy("other_database", found=manifest.vendor, allowed=connection.vendor)
    known = set(MigrationLoader(None).disk_migrations or ())
    newer = [
        f"{app}.{name}"
        for app, names in sorted(manifest.migrations.items())
        for name in names
        if (app, name) not in known
    ]
    if newer:
        raise BadCopy("newer_product", found=newer[0])


def _sound(file: Path, manifest: Manifest) -> None:
    """Check the inside of a copy: a sound database, and a log that is a whole chain.

    Raises BadCopy: `unsound`, `log_fault`.
    """
    try:
        facts = making.FORMATS[manifest.vendor].facts(file)
        if (facts.position, facts.head) != (manifest.position, manifest.head):
            raise BadCopy("unsound", why="another newest event than its manifest tells")
        making.audit(file, manifest.vendor, facts)
    except (StageFault, *UNREADABLE) as fault:
        raise BadCopy("unsound", why=str(fault)[:200]) from None
    except checkpoints.LogFault as fault:
        first = fault.faults[0]
        raise BadCopy("log_fault", position=first.position, why=first.code) from None


def _known_signer(manifest: Manifest) -> bool:
    return manifest.keys[0] == signing.signing_key().verifier.as_text()


@contextlib.contextmanager
def _trusted_if_taken() -> Iterator[None]:
    """Trust no key of a copy that was not taken: when the block fails, the list of keys is again
    what it was."""
    file = Path(settings.DATA_DIR) / signing.OLD_KEYS_FILE
    before = file.read_bytes() if file.exists() else None
    try:
        yield
    except BaseException:
        if before is None:
            file.unlink(missing_ok=True)
        elif file.read_bytes() != before:
            file.write_bytes(before)
        raise


def _trust(manifest: Manifest) -> None:
    """Let checkpoints of the copy count: its public keys go on the list of those of the past."""
    known = {key.as_text() for key in signing.trusted_keys()}
    fresh: list[str] = []
    for text in manifest.keys:
        try:
            key = VerifierKey.from_text(text).as_text()
        except BadNote:
            continue
        if key not in known:
            fresh.append(key)
    if not fresh:
        return
    file = Path(settings.DATA_DIR) / signing.OLD_KEYS_FILE
    with file.open("a", encoding="utf-8") as out:
        out.write("".join(f"\n# of the copy {manifest.file}\n{key}\n" for key in fresh))
        out.flush()
        os.fsync(out.fileno())


def _up_to_date(found: Found, restored: Restored, say: Say) -> None:
    """Bring the loaded database to the present product and check it, on the connection of the
    site. Raises checkpoints.LogFault."""
    manifest = found.manifest
    _trust(manifest)
    for other in reading.kin(found):
        carried.hand_back(other.carried)
    say("Bringing it up to date")
    call_command("migrate", verbosity=0, interactive=False, skip_checks=True)
    say("Verifying the log")
    report = verify_log()
    if report.faults:
        raise checkpoints.LogFault(report.faults)
    restored.events = report.head
    now = making.code_of_projections()
    for name in sorted(now):
        if manifest.projections.get(name) == now[name]:
            continue  # the rows are those the same code made: the sums of the file say so
        if rebuilt.differences([name]):
            say(f"Rebuilding {name}")
            projections.rebuild(name)
            restored.rebuilt.append(name)
    carried.after_restore()
    BackupRow.objects.all().delete()
    RestoreRow.objects.create(
        id=new_id(),
        restored_at=clock.as_text(clock.now()),
        file=manifest.file,
        made_at=manifest.made_at,
        position=manifest.position,
        last_at=manifest.last_at,
    )
    if store.head_position():
        checkpoints.checkpoint_make(reason=REASON, subject=manifest.file)


@contextlib.contextmanager
def _connected_to(file: Path) -> Iterator[None]:
    """Let the connection of the site lead to another SQLite file inside the block."""
    usual = connection.settings_dict["NAME"]
    connection.close()
    connection.settings_dict["NAME"] = str(file)
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict["NAME"] = usual


def _into_sqlite(file: Path, found: Found, restored: Restored, say: Say) -> None:
    with _connected_to(file):
        _up_to_date(found, restored, say)
    with contextlib.closing(sqlite3.connect(file)) as whole:
        whole.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        whole.execute("PRAGMA journal_mode=DELETE")  # one file alone, for the rename
    with file.open("rb+") as out:
        os.fsync(out.fileno())
    live = making.database_file()
    assert live is not None  # noqa: S101 - it was asked for on the way here
    if live.exists():
        restored.kept = str(_put_aside(live))
    os.replace(file, live)
    for end in ("-wal", "-shm"):
        live.with_name(live.name + end).unlink(missing_ok=True)
    handle = os.open(live.parent, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _put_aside(live: Path) -> Path:
    """Give the old database a second name; its write-ahead log is written back into it first, so
    that it can never be taken for that of the new one. Raises InUse."""
    stamp = clock.now().strftime("%Y%m%dT%H%M%SZ")
    aside = live.with_name(f"{live.name}.before-{stamp}")
    if not _is_sqlite(live):
        _wal_aside(live, aside)  # SQLite would throw it away, and it may be what is left
        return _second_name(live, aside)
    try:
        with contextlib.closing(sqlite3.connect(live, timeout=1, isolation_level=None)) as old:
            old.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            mode = old.execute("PRAGMA journal_mode=DELETE").fetchone()[0]
            if mode != "delete":
                raise InUse
    except sqlite3.OperationalError as fault:
        if "locked" in str(fault):
            raise InUse from None
        _wal_aside(live, aside)
    except sqlite3.DatabaseError:
        _wal_aside(live, aside)
    return _second_name(live, aside)


def _is_sqlite(file: Path) -> bool:
    with file.open("rb") as source:
        return source.read(len(MAGIC)) in (MAGIC, b"")


def _second_name(live: Path, aside: Path) -> Path:
    try:
        os.link(live, aside)
    except OSError:  # no links on this file system
        shutil.copyfile(live, aside)
    return aside


def _wal_aside(live: Path, aside: Path) -> None:
    """Move the write-ahead log of a database that cannot be opened out of the way."""
    for end in ("-wal", "-shm"):
        left = live.with_name(live.name + end)
        if left.exists():
            left.rename(aside.with_name(aside.name + end))


def _into_postgresql(file: Path, found: Found, restored: Restored, say: Say) -> None:
    with connection.cursor() as cursor:
        there = "eventstore_event" in connection.introspection.table_names(cursor)
    if there:
        stamp = clock.now().strftime("%Y%m%dT%H%M%SZ")
        aside = making.folder() / f"before-{stamp}.pgcopy.zip"
        connection.close()
        try:
            postgres.stage(aside)
            restored.kept = str(aside)
        except StageFault as fault:
            raise BadCopy("old_unreadable", why=str(fault)[:200]) from None
    with transaction.atomic():
        say("Loading the tables")
        loading.load(file, found.manifest)
        _up_to_date(found, restored, say)
