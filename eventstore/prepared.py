"""Look-ups that Django writes once for each kind of database, and that are then only filled in.

To make a statement of a query set costs several times what asking it costs, and thousands of
phones ask for the same page at the end of a round:

    @prepared
    def _own(event_id: Any, person_id: Any) -> Any:
        return EntrantPerson.objects.filter(event_id=event_id, person_id=person_id)

    rows = _own(event_id, person_id)

The function sees a place holder for each value and must not look into it. `ask` puts several
look-ups to PostgreSQL at once: one statement more is cheap, one way there and back more is not.
There they are prepared in the server, too, and what projectors write this way waits for the end of
their command (eventstore.named).
"""

from __future__ import annotations

import functools
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import CharField, Expression, Lookup, QuerySet, TextField
from django.db.models.query import FlatValuesListIterable, ModelIterable, ValuesListIterable

from eventstore import named
from eventstore.models import only_projectors
from eventstore.named import Statement


@CharField.register_lookup
class Listed(Lookup):  # type: ignore[type-arg]
    """`pk__listed=ids`: one of a list of any length that is a single value (`listed`), so that a
    look-up of many is written once as well."""

    lookup_name = "listed"

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, tuple[Any, ...]]:
        """Write the condition."""
        left, given = self.process_lhs(compiler, connection)
        right, more = self.process_rhs(compiler, connection)
        among = "{} IN (SELECT value FROM json_each({}))"
        if connection.vendor == "postgresql":
            among = "{} = ANY(ARRAY(SELECT jsonb_array_elements_text({}::jsonb)))"
        return among.format(left, right), (*given, *more)


def listed(values: Iterable[str]) -> str:
    """Return a list of texts as the one value of a look-up."""
    return json.dumps(list(values))


class _Place(Expression):
    """Where the value number `at` goes."""

    def __init__(self, at: int) -> None:
        super().__init__(output_field=TextField())
        self.at = at

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, tuple[Any, ...]]:
        """Write the mark of a value."""
        return "%s", (self,)


def _fill(given: Sequence[Any], values: Sequence[Any]) -> list[Any]:
    """Put values where their places are among the parameters of a statement."""
    return [values[one.at] if type(one) is _Place else one for one in given]


class _Written:
    """A look-up as it is put to one kind of database, and how its rows are read."""

    def __init__(self, rows: QuerySet[Any], database: Any) -> None:
        compiler = rows.query.get_compiler(connection=database)
        self.sql, self.given = compiler.as_sql()
        select = compiler.select[: compiler.col_count]
        self._converters = list(compiler.get_converters([one for one, _, _ in select]).items())
        kind = rows._iterable_class
        if kind is ModelIterable:
            fields = compiler.klass_info["select_fields"]
            if fields != list(range(len(fields))):
                raise TypeError("a prepared look-up of rows takes its own columns first")
            self._model: Any = compiler.klass_info["model"]
            self._names = [select[at][0].target.attname for at in fields]
            self._more = list((compiler.annotation_col_map or {}).items())
            self._read = self._models
        elif kind is FlatValuesListIterable:
            self._read = self._first
        elif kind is ValuesListIterable:
            self._read = self._tuples
        else:
            raise TypeError("a prepared look-up is of rows or of a list of values")

    def read(self, found: list[Any], database: Any) -> list[Any]:
        """Make what the query set would have given of the rows that the driver gave."""
        if not found:
            return []
        if self._converters:
            found = [list(row) for row in found]
            for row in found:
                for at, (converters, expression) in self._converters:
                    for convert in converters:
                        row[at] = convert(row[at], expression, database)
        return list(self._read(found, database))

    def _first(self, found: list[Any], database: Any) -> Iterator[Any]:
        return (row[0] for row in found)

    def _tuples(self, found: list[Any], database: Any) -> Iterator[Any]:
        return (tuple(row) for row in found)

    def _models(self, found: list[Any], database: Any) -> Iterator[Any]:
        width = len(self._names)
        for row in found:
            one = self._model.from_db(database.alias, self._names, row[:width])
            for name, at in self._more:
                setattr(one, name, row[at])
            yield one


@dataclass(frozen=True, slots=True)
class Bound:
    """A look-up with its values, for `ask`."""

    lookup: Prepared
    values: tuple[Any, ...]

    def statement(self, database: Any) -> Statement:
        """Write it for this kind of database."""
        written = self.lookup.written(database, len(self.values))
        return Statement(written.sql, _fill(written.given, self.values))


class Prepared:
    """A look-up that is written once; called with its values it returns the list of its rows."""

    def __init__(self, make: Callable[..., Any]) -> None:
        self._make = make
        self._written: dict[tuple[str, int], _Written] = {}
        functools.update_wrapper(self, make)

    def written(self, database: Any, number: int) -> _Written:
        """Return the statement for so many values, made with the first use."""
        known = self._written.get((database.vendor, number))
        if known is None:
            known = _Written(self._make(*map(_Place, range(number))), database)
            self._written[(database.vendor, number)] = known
        return known

    def bind(self, *values: Any) -> Bound:
        """Return the look-up with these values, not asked yet."""
        return Bound(self, values)

    def __call__(self, *values: Any) -> list[Any]:
        """Ask for these values: one query."""
        database = connections[DEFAULT_DB_ALIAS]
        one = self.written(database, len(values))
        filled = _fill(one.given, values)
        at_once = named.ask(database, [Statement(one.sql, filled)])
        if at_once is not None:
            return one.read(at_once[0], database)
        with database.cursor() as cursor:
            cursor.execute(one.sql, filled)
            found = cursor.fetchall()
        return one.read(found, database)


def prepared(make: Callable[..., Any]) -> Prepared:
    """Make a look-up of a function from values to the query set that looks for them. A function
    of `*values` is written for each number of them."""
    return Prepared(make)


def ask(*bound: Bound) -> list[list[Any]]:
    """Return the rows of several look-ups, which do not need each other's: one query on
    PostgreSQL, one for each elsewhere."""
    database = connections[DEFAULT_DB_ALIAS]
    if not bound:
        return []
    named_rows = named.ask(database, [one.statement(database) for one in bound])
    if named_rows is not None:
        return [
            one.lookup.written(database, len(one.values)).read(rows, database)
            for one, rows in zip(bound, named_rows, strict=True)
        ]
    at_once = database.vendor == "postgresql" and len(bound) > 1
    if not at_once or database.settings_dict["OPTIONS"].get("server_side_binding"):
        return [one.lookup(*one.values) for one in bound]
    written = [one.lookup.written(database, len(one.values)) for one in bound]
    values: list[Any] = []
    for statement, one in zip(written, bound, strict=True):
        values += _fill(statement.given, one.values)
    found: list[list[Any]] = []
    with database.cursor() as cursor:
        cursor.execute("; ".join(one.sql for one in written), values)
        for at in range(len(written)):
            if at:
                cursor.nextset()
            found.append(cursor.fetchall())
    return [one.read(rows, database) for one, rows in zip(written, found, strict=True)]


class _PreparedWrite(ABC):
    """A statement on a read table that Django writes once for each kind of database."""

    def __init__(self, model: Any, fields: Sequence[Any]) -> None:
        self._model, self._fields = model, list(fields)
        self._written: dict[str, tuple[str, Sequence[Any]]] = {}

    def _put(self, values: Sequence[Any], *more: Any) -> None:
        """Send it with a value for each field, and `more` after them. Raises NotTheProjector."""
        only_projectors(self._model.__name__)
        database = connections[DEFAULT_DB_ALIAS]
        known = self._written.get(database.vendor)
        if known is None:
            known = self._written[database.vendor] = self._write(database)
        saved = [
            field.get_db_prep_save(value, connection=database)
            for field, value in zip(self._fields, values, strict=True)
        ]
        one = Statement(known[0], _fill(known[1], [*saved, *more]))
        named.write(database, one, self._model._meta.db_table)

    @abstractmethod
    def _write(self, database: Any) -> tuple[str, Sequence[Any]]:
        """Return the statement and what it is given, a place for each value."""


class PreparedUpdate(_PreparedWrite):
    """Sets some fields of the row of a read table that has a key: for projectors."""

    def __init__(self, model: Any, *fields: str) -> None:
        super().__init__(model, [model._meta.get_field(name) for name in fields])

    def __call__(self, key: Any, *values: Any) -> None:
        """Write the values, in the order of the fields: one statement. Raises NotTheProjector."""
        self._put(values, key)

    def _write(self, database: Any) -> tuple[str, Sequence[Any]]:
        from django.db.models.sql import UpdateQuery

        number = len(self._fields)
        query = self._model._default_manager.filter(pk=_Place(number)).query.chain(UpdateQuery)
        query.add_update_values({one.name: _Place(at) for at, one in enumerate(self._fields)})
        sql, given = query.get_compiler(connection=database).as_sql()
        return sql, given


class PreparedInsert(_PreparedWrite):
    """Adds a row to a read table whose key comes from outside: for projectors."""

    def __init__(self, model: Any) -> None:
        super().__init__(model, model._meta.concrete_fields)

    def __call__(self, row: Any) -> None:
        """Insert the row: one statement. Raises NotTheProjector, IntegrityError."""
        self._put([getattr(row, field.attname) for field in self._fields])

    def _write(self, database: Any) -> tuple[str, Sequence[Any]]:
        from django.db.models.sql import InsertQuery

        marks = {field.attname: _Place(at) for at, field in enumerate(self._fields)}
        query = InsertQuery(self._model)
        query.insert_values(self._fields, [self._model(**marks)], raw=True)
        ((sql, given),) = query.get_compiler(connection=database).as_sql()
        return sql, given
