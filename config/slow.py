"""The log of slow statements, and how many statements a request asks.

A wrapper stands on each connection that Django opens. It logs the text of a slow statement with
its placeholders, never its values; literals that stand in the text are blotted too. What the
event store asks the driver itself (eventstore.turns) does not pass here: there whole commands
are timed (eventstore.commands).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from contextvars import ContextVar
from time import perf_counter
from typing import Any

import structlog
from django.db.backends.signals import connection_created

from eventstore import measures

TEXT_AT_MOST = 2000
_LITERAL = re.compile(r"'(?:[^']|'')*'")


class Asked:
    """How many statements this request has asked so far."""

    __slots__ = ("count",)

    def __init__(self) -> None:
        self.count = 0


asked: ContextVar[Asked | None] = ContextVar("asked", default=None)


def text_of(sql: Any) -> str:
    """Return the text of a statement as it may be logged."""
    text = _LITERAL.sub("'?'", str(sql))
    return text if len(text) <= TEXT_AT_MOST else f"{text[:TEXT_AT_MOST]} ..."


class Watching:
    """The wrapper of one connection."""

    def __init__(self, vendor: str, slow_seconds: float) -> None:
        self.vendor, self.slow_seconds = vendor, slow_seconds

    def __call__(
        self, execute: Callable[..., Any], sql: Any, params: Any, many: bool, context: Any
    ) -> Any:
        """Carry the statement out, count it, and log it when it was slow, failed or not."""
        count = asked.get()
        if count is not None:
            count.count += 1
        began = perf_counter()
        try:
            return execute(sql, params, many, context)
        finally:
            seconds = perf_counter() - began
            if seconds > self.slow_seconds:
                self._slow(sql, seconds, many, count)

    def _slow(self, sql: Any, seconds: float, many: bool, count: Asked | None) -> None:
        measures.note(measures.SlowNote(seconds))
        fields: dict[str, Any] = {"sql": text_of(sql), "ms": round(seconds * 1000)}
        if many:
            fields["many"] = True
        if count is not None:
            fields["statement"] = count.count
        structlog.get_logger("slow").warning("slow query", database=self.vendor, **fields)


def watch(slow_ms: int) -> None:
    """Watch every connection that is opened from now on, and every command; 0: log none."""
    seconds = slow_ms / 1000 if slow_ms else math.inf
    measures.slow_seconds = seconds

    def opened(connection: Any, **_: Any) -> None:
        if not any(isinstance(one, Watching) for one in connection.execute_wrappers):
            connection.execute_wrappers.append(Watching(connection.vendor, seconds))

    connection_created.connect(opened, dispatch_uid="config.slow", weak=False)
