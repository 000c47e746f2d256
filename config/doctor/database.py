"""The database: reached, as new as the program, guarded; and the log in it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

from config import env
from config.doctor.findings import Finding, bad, good, warning

LAST_EVENTS = 2000
OLDEST = {"sqlite": (3, 31), "postgresql": (14, 0)}
SKEW_SECONDS = 5.0
LAG_SECONDS = 60.0
PREPARE = "Run `python -m tools.prepare` (`make run` does it by itself)."


def reached() -> Iterator[Finding]:
    """Whether it answers, its version, and what makes its promises true."""
    from django.db import DatabaseError, OperationalError, connection

    file = connection.settings_dict["NAME"]
    if connection.vendor == "sqlite" and "memory" not in str(file) and not Path(file).exists():
        yield bad("database", f"{file} does not answer: it is not there", PREPARE)
        return
    began = time.monotonic()
    try:
        connection.ensure_connection()
    except OperationalError as fault:
        said = str(fault).strip().replace("\n", " ")
        yield bad("database", f"does not answer: {said}", "Start it, or set DATABASE_URL right.")
        return
    except DatabaseError as fault:
        yield bad("database", f"{file} does not answer, it is damaged: {fault}",
                  "Bring a copy back: manage.py restore --force puts it aside.")  # fmt: skip
        return
    version = connection.get_database_version()
    said = f"{connection.display_name} {'.'.join(map(str, version))}"
    if version < OLDEST[connection.vendor]:
        yield bad(
            "database", f"{said} is too old", "Bring it to a version that is still looked after."
        )
    else:
        yield good("database", f"{said} answers after {1000 * (time.monotonic() - began):.0f} ms")
    yield from _sqlite() if connection.vendor == "sqlite" else _postgresql()


def _asked(query: str) -> str:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(query)
        row = cursor.fetchone()
    return str(row[0]) if row else ""


def _sqlite() -> Iterator[Finding]:
    journal, synchronous = _asked("PRAGMA journal_mode"), _asked("PRAGMA synchronous")
    if journal != "wal":
        yield bad("database", f"journal_mode is {journal}, not wal",
                  "The file system lets no write-ahead log be: move DATA_DIR.")  # fmt: skip
    elif synchronous != "2":
        yield bad("database", f"synchronous is {synchronous}, not FULL",
                  "A power cut can lose what was acknowledged: report this.")  # fmt: skip
    else:
        yield good("database", "write-ahead log, synchronous FULL")


def _postgresql() -> Iterator[Finding]:
    if _asked("SELECT rolsuper FROM pg_roles WHERE rolname = current_user") == "True":
        yield bad("database", "the product works as a superuser, whom no guard of the log binds",
                  "Use a role of its own: ops/roles.sql.")  # fmt: skip
    elif _asked(
        "SELECT tableowner = current_user FROM pg_tables WHERE tablename = 'eventstore_event'"
    ) == "True":  # fmt: skip
        yield warning("database", "the product owns the tables and could switch off their guards",
                      "Serve under a second role: ops/roles.sql.")  # fmt: skip
    else:
        yield good("database", "the role of the product is no superuser and owns no table")
    for name in ("fsync", "full_page_writes", "synchronous_commit"):
        if _asked(f"SHOW {name}") == "off":
            yield bad("database", f"{name} is off: a power cut loses or breaks data",
                      f"Set {name} = on in postgresql.conf.")  # fmt: skip
    most, own = int(_asked("SHOW max_connections")), env.value("DB_POOL_MAX")
    wanted = env.value("WEB_WORKERS") * ((own or 40) + 3) + 8
    if wanted > most - 5:
        yield warning(
            "database", f"{wanted} connections may be asked for, max_connections is {most}",
            "Lower DB_POOL_MAX or WEB_WORKERS, or raise max_connections.",
        )  # fmt: skip
    skew = abs(float(_asked("SELECT extract(epoch FROM clock_timestamp())")) - time.time())
    if skew > SKEW_SECONDS:
        yield warning("clock", f"differs from the database's by {skew:.0f} s",
                      "Let both machines follow a time server (NTP).")  # fmt: skip


def migrations() -> Iterator[Finding]:
    """Whether database and program are of one version."""
    from django.db import connection
    from django.db.migrations.executor import MigrationExecutor

    executor = MigrationExecutor(connection)
    loader = executor.loader
    missing = executor.migration_plan(loader.graph.leaf_nodes())
    ours = {app for app, _ in loader.disk_migrations}
    newer = [key for key in loader.applied_migrations if key[0] in ours and key not in
             loader.disk_migrations and key not in loader.replacements]  # fmt: skip
    if newer:
        yield bad("version", f"the database is newer than this program ({newer[0][1]})",
                  "Use the program of that version: there is no way back.")  # fmt: skip
    elif missing:
        yield bad("version", f"{len(missing)} migrations are missing", PREPARE)
    else:
        yield good("version", "the database is as new as the program")


def keys() -> Iterator[Finding]:
    """Whether the keys here are those that this database was written with. Makes none."""
    from config.doctor.machine import key_there
    from eventstore.models import CheckpointRow
    from people.models import PersonKey
    from people.vault import unreadable_keys

    bring = "Stop, and bring it: manage.py keys_import FILE (docs/backups.md)."
    found: list[Finding] = []
    if not key_there("VAULT_KEY"):
        if count := PersonKey.objects.count():
            said = f"vault.key is away: free texts of {count} people cannot be read"
            found.append(bad("keys", said, bring))
    elif count := unreadable_keys():
        said = f"free texts of {count} people open under another vault.key"
        found.append(warning("keys", said, bring))
    if not key_there("LOG_SIGNING_KEY") and CheckpointRow.objects.exists():
        said = "log-signing.key is away, and the log was signed with one"
        found.append(bad("keys", said, bring))
    yield from found or [good("keys", "those of this database")]


def guarded() -> Iterator[Finding]:
    """The triggers that keep the log append-only."""
    from django.db import connection

    from eventstore.checks import missing_triggers

    missing = missing_triggers(connection)
    if missing:
        yield bad("log", f"unguarded: {', '.join(missing)} missing",
                  "Restore the database from a copy: manage.py restore.")  # fmt: skip
    else:
        yield good("log", "guarded by its triggers")


def log() -> Iterator[Finding]:
    """The newest events against their chain, and their time against the clock."""
    from eventstore import checkpoints, clock, store
    from eventstore.domain.audit import Auditor

    head = store.head_position()
    after = max(0, head - LAST_EVENTS)
    auditor = Auditor(after=after, previous=checkpoints.stored_hash)
    last = None
    for rows in checkpoints.rows_after(after, head):
        auditor.feed(rows)
        last = rows[-1][5]
    auditor.finish()
    if auditor.faults:
        first = auditor.faults[0]
        yield bad("log", f"broken at position {first.position}: {first.code}",
                  "Stop, keep a copy of everything, run manage.py verify_log.")  # fmt: skip
    else:
        yield good("log", f"{head} events; the last {head - after} fit their chain")
    if last is None:
        return
    ahead = (clock.from_text(last) - clock.now()).total_seconds()
    if ahead > SKEW_SECONDS:
        yield bad("clock", f"is {ahead:.0f} s behind the last event of the log",
                  "Set the clock right before anybody enters a result.")  # fmt: skip
    else:
        yield good("clock", f"the last event was {timedelta(seconds=max(0, int(-ahead)))} ago")


def background() -> Iterator[Finding]:
    """Work that waits, work that was given up, followers that lag."""
    from eventstore import clock, store, subscriptions
    from eventstore.models import OutboxRow, PeriodicRow, SubscriptionRow

    now = clock.now()
    given_up = OutboxRow.objects.filter(state="given_up").count()
    if given_up:
        yield warning("work", f"{given_up} pieces were given up",
                      "The page of background work shows why and starts them again.")  # fmt: skip
    waiting = OutboxRow.objects.filter(state__in=("waiting", "failed"))
    oldest = waiting.order_by("created_at").values_list("created_at", flat=True).first()
    late = (now - oldest).total_seconds() if oldest else 0.0
    said = f"{waiting.count()} pieces wait, the oldest for {late:.0f} s"
    if late > 5 * LAG_SECONDS:
        yield warning("work", said, "Is a server or worker running? docs/background.md.")
    else:
        yield good("work", said)
    head = store.head_position()
    for name in subscriptions.registered():
        row = SubscriptionRow.objects.filter(pk=name).first()
        if row and row.error:
            yield warning("followers", f"{name} stands before {row.failed_position}: {row.error}",
                          "It goes on by itself once the cause is mended.")  # fmt: skip
        elif head and (behind := head - (row.position if row else 0)) > 1000:
            yield warning("followers", f"{name} is {behind} events behind",
                          "Is a server or worker running?")  # fmt: skip
    late_ones = [
        one.name for one in PeriodicRow.objects.filter(next_at__lt=now - timedelta(minutes=10))
    ]
    if late_ones:
        yield warning("periodic work", f"nobody does {', '.join(late_ones)}",
                      "A server must run; with BACKGROUND=celery beat and a worker.")  # fmt: skip


def backups() -> Iterator[Finding]:
    """The copies on a second path: made, new, and on another disk."""
    from eventstore import clock
    from eventstore.backups import keeper
    from eventstore.models import BackupRow

    place = keeper.place()
    if place is None:
        yield warning("backups", "BACKUP_DIR is not set: a broken disk loses the event",
                      "Give a stick: docs/backups.md.")  # fmt: skip
        return
    row = BackupRow.objects.filter(pk=str(place)).first()
    wrong = keeper.warning()
    if wrong is not None:
        last = f"the last copy is {wrong['minutes']} minutes old" if wrong["minutes"] else "no copy"
        params = f" {row.params}" if row and row.params else ""
        yield bad("backups", f"{last} on {place} ({wrong['code']}{params})",
                  "The page of backups and docs/backups.md say what to do.")  # fmt: skip
        return
    made = (clock.now() - clock.from_text(row.made_at)).total_seconds() if row else 0.0
    yield good("backups", f"newest copy {timedelta(seconds=int(made))} old, nothing newer to copy")
    if row and row.same_disk:
        yield warning("backups", f"{place} lies on the disk of the database",
                      "A broken disk takes both: give a stick.")  # fmt: skip
