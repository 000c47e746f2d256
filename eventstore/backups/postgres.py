"""Take a copy of the PostgreSQL database and look into one.

A zip file with one text per table as COPY writes it, all read in one REPEATABLE READ transaction,
and `tables.json`. It needs no program of PostgreSQL, whose version would have to fit, and no
superuser on the way back: the tables are made by migrate, and COPY passes the guards of the log
because the events come in their order.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
from django.db import DEFAULT_DB_ALIAS, connections
from psycopg import sql

from eventstore.backups.facts import Facts, StageFault
from eventstore.backups.sqlite import EMPTIED, OWN_STATE

INDEX = "tables.json"
EVENTS = "eventstore_event"
MIGRATIONS = "django_migrations"
ORDER = {EVENTS: "position", "eventstore_leaves": "first", "eventstore_checkpoint": "size, made_at"}
COLUMNS = "position, stream, version, type, schema, recorded_at, body, hash"
_NOT_OF_LIBPQ = frozenset(
    ("cursor_factory", "context", "prepare_threshold", "pool", "isolation_level", "assume_role",
     "server_side_binding")
)  # fmt: skip
_ESCAPES = {"b": b"\b", "f": b"\f", "n": b"\n", "r": b"\r", "t": b"\t", "v": b"\v"}


def _entry(table: str) -> str:
    return f"{table}.copy"


def _tables(line: psycopg.Connection[Any]) -> dict[str, list[str]]:
    """Return the tables of the current schema with their columns."""
    found: dict[str, list[str]] = {}
    for table, column in line.execute(
        "SELECT c.table_name, c.column_name FROM information_schema.columns c"
        " JOIN information_schema.tables t USING (table_schema, table_name)"
        " WHERE c.table_schema = current_schema() AND t.table_type = 'BASE TABLE'"
        " AND c.is_generated = 'NEVER' ORDER BY c.table_name, c.ordinal_position"
    ):
        found.setdefault(table, []).append(column)
    return found


def connect() -> psycopg.Connection[Any]:
    """Open a connection of its own to the database of the site, without the limits of time of
    those that serve."""
    values = connections[DEFAULT_DB_ALIAS].get_connection_params()
    kept = {name: values[name] for name in values if name not in _NOT_OF_LIBPQ}
    line = psycopg.connect(**kept, autocommit=True)
    for limit in ("statement_timeout", "idle_in_transaction_session_timeout"):
        line.execute(f"SET {limit} = 0")  # type: ignore[call-overload]
    line.autocommit = False
    return line


def stage(target: Path) -> None:
    """Copy the database into `target`. Raises StageFault."""
    try:
        with (
            connect() as line,
            zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as out,
        ):
            line.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            tables = _tables(line)
            out.writestr(INDEX, json.dumps(tables))
            for table, columns in tables.items():
                if table in EMPTIED or table in OWN_STATE:
                    continue
                query = sql.SQL("COPY (SELECT {} FROM {} {}) TO STDOUT").format(
                    sql.SQL(", ").join(map(sql.Identifier, columns)),
                    sql.Identifier(table),
                    sql.SQL(f"ORDER BY {ORDER[table]}" if table in ORDER else ""),  # type: ignore[arg-type]
                )
                with (
                    out.open(_entry(table), "w", force_zip64=True) as part,
                    line.cursor().copy(query) as copy,
                ):
                    for piece in copy:
                        part.write(piece)
    except (psycopg.Error, zipfile.BadZipFile) as fault:
        raise StageFault(str(fault).strip()) from None


def _unescape(raw: bytes) -> bytes:
    """Read a value of COPY's text form that is not NULL."""
    if b"\\" not in raw:
        return raw
    parts = raw.split(b"\\")
    out = [parts[0]]
    at = 1
    while at < len(parts):
        part = parts[at]
        if not part:  # an escaped backslash: the next piece belongs to it
            at += 1
            out.append(b"\\" + (parts[at] if at < len(parts) else b""))
        else:
            sign = chr(part[0])
            out.append(_ESCAPES.get(sign, part[:1]) + part[1:])
        at += 1
    return b"".join(out)


def records(file: Path, table: str) -> Iterator[list[bytes | None]]:
    """Yield the rows of a table of a copy, values in the columns' order. Raises StageFault."""
    try:
        with zipfile.ZipFile(file) as source, source.open(_entry(table)) as part:
            for text in part:
                yield [
                    None if raw == b"\\N" else _unescape(raw)
                    for raw in text.rstrip(b"\n").split(b"\t")
                ]
    except (zipfile.BadZipFile, KeyError, OSError, EOFError) as fault:
        raise StageFault(f"{table}: {fault}") from None


def columns(file: Path) -> dict[str, list[str]]:
    """Return the tables of a copy with their columns. Raises StageFault."""
    try:
        with zipfile.ZipFile(file) as source:
            found: dict[str, list[str]] = json.loads(source.read(INDEX))
    except (zipfile.BadZipFile, KeyError, OSError, ValueError) as fault:
        raise StageFault(str(fault)) from None
    return found


def _events(file: Path) -> Iterator[tuple[Any, ...]]:
    names = columns(file)[EVENTS]
    places = [names.index(name.strip()) for name in COLUMNS.split(",")]
    for values in records(file, EVENTS):
        row = [values[place] or b"" for place in places]
        text = [one.decode("utf-8", "replace") for one in row]
        yield (
            int(text[0]), text[1], int(text[2]), text[3], int(text[4]), text[5],
            bytes.fromhex(text[6].removeprefix("\\x")), text[7],
        )  # fmt: skip


def facts(file: Path) -> Facts:
    """Return what a copy holds. Raises StageFault where it is damaged."""
    position, head, last_at, first = 0, "", "", ""
    for row in _events(file):
        position, head, last_at = row[0], row[7], row[5]
        if position == 1:
            first = head
    names = columns(file)[MIGRATIONS]
    places = names.index("app"), names.index("name"), names.index("id")
    applied: list[tuple[int, str, str]] = []
    for values in records(file, MIGRATIONS):
        app, name, number = ((values[place] or b"").decode() for place in places)
        applied.append((int(number), app, name))
    return Facts(position, head, last_at, first, [(app, name) for _, app, name in sorted(applied)])


def rows(file: Path, after: int, batch: int) -> Iterator[list[tuple[Any, ...]]]:
    """Yield the rows of events of a copy above a position, in batches."""
    held: list[tuple[Any, ...]] = []
    for row in _events(file):
        if row[0] > after:
            held.append(row)
            if len(held) == batch:
                yield held
                held = []
    if held:
        yield held


def hash_at(file: Path, position: int) -> str | None:
    """Return the stored hash of an event of a copy."""
    return next((row[7] for row in _events(file) if row[0] == position), None)
