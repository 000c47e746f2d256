"""Load a PostgreSQL copy into the database of the site, inside the caller's transaction."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from psycopg import sql

from eventstore.backups import postgres
from eventstore.domain.manifest import BadCopy, Manifest

PIECE = 1 << 20
KEPT_BY_MIGRATE = (postgres.MIGRATIONS,)
_OWN_RELATIONS = (
    "SELECT c.relname, c.relkind FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
    " WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p', 'v', 'm') AND NOT EXISTS"
    " (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')"
)
_OWN_FUNCTIONS = (
    "SELECT p.oid::regprocedure::text FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace"
    " WHERE n.nspname = current_schema() AND NOT EXISTS"
    " (SELECT 1 FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')"
)
_COUNTED = (
    "SELECT table_name, column_name FROM information_schema.columns WHERE"
    " table_schema = current_schema() AND (is_identity = 'YES' OR column_default LIKE 'nextval(%')"
)


def load(file: Path, manifest: Manifest) -> None:
    """Empty the schema, make the tables as they were when the copy was made, and fill them.

    Raises BadCopy (`unsound`) for a table that the copy has and the product had not.
    """
    connection.ensure_connection()
    line: Any = connection.connection
    _empty(line)
    _make_tables(manifest)
    tables = postgres.columns(file)
    there = set(connection.introspection.table_names())
    unknown = sorted(set(tables) - there)
    if unknown:
        raise BadCopy("unsound", why=f"unknown table {unknown[0]}")
    with zipfile.ZipFile(file) as source:
        held = set(source.namelist())
        for table, names in tables.items():
            entry = f"{table}.copy"
            if table not in KEPT_BY_MIGRATE and entry in held:
                _fill(line, source, entry, table, names)
    line.execute("SET CONSTRAINTS ALL IMMEDIATE")
    _count_on(line)


def _empty(line: Any) -> None:
    kinds = {"v": "VIEW", "m": "MATERIALIZED VIEW"}
    for name, kind in line.execute(_OWN_RELATIONS).fetchall():
        what = sql.SQL(kinds.get(_text(kind), "TABLE"))
        line.execute(sql.SQL("DROP {} IF EXISTS {} CASCADE").format(what, sql.Identifier(name)))
    for (signature,) in line.execute(_OWN_FUNCTIONS).fetchall():
        line.execute(sql.SQL("DROP FUNCTION IF EXISTS {} CASCADE").format(sql.SQL(signature)))


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _make_tables(manifest: Manifest) -> None:
    """Run the migrations that the copy had, and no other."""
    executor = MigrationExecutor(connection)
    applied = {(app, name) for app, names in manifest.migrations.items() for name in names}
    graph = executor.loader.graph
    ends = [
        key
        for key in sorted(applied)
        if key in graph.nodes
        and not any(child.key in applied and child.key[0] == key[0]
                    for child in graph.node_map[key].children)
    ]  # fmt: skip
    executor.migrate(ends)


def _fill(line: Any, source: zipfile.ZipFile, entry: str, table: str, names: list[str]) -> None:
    where = sql.Identifier(table)
    if line.execute(sql.SQL("SELECT 1 FROM {} LIMIT 1").format(where)).fetchone():
        line.execute(sql.SQL("DELETE FROM {}").format(where))  # what a migration put there
    columns = sql.SQL(", ").join(map(sql.Identifier, names))
    command = sql.SQL("COPY {} ({}) FROM STDIN").format(where, columns)
    with source.open(entry) as part, line.cursor().copy(command) as copy:
        while piece := part.read(PIECE):
            copy.write(piece)


def _count_on(line: Any) -> None:
    """Set each counter behind the highest number in use."""
    for table, column in line.execute(_COUNTED).fetchall():
        line.execute(
            sql.SQL(
                "SELECT setval(pg_get_serial_sequence({}, {}), COALESCE(MAX({}), 0) + 1, false)"
                " FROM {}"
            ).format(
                sql.Literal(f'"{table}"'), sql.Literal(column), sql.Identifier(column),
                sql.Identifier(table),
            )
        )  # fmt: skip
