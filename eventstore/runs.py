"""A try of a long job, as the job itself sees it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from django.db.models import QuerySet

from eventstore.leases import LeaseLost, end
from eventstore.models import OutboxRow

WRITES_APART = 0.5
"""Seconds between two writes of progress; nobody sees more."""


@dataclass(slots=True)
class Run:
    """One try of one row: what it is, and where it tells how far it has come."""

    pk: int
    topic: str
    holder: str
    attempt: int = 1
    asked_by: str = ""
    event_id: str = ""
    outcome: dict[str, Any] = field(default_factory=dict)
    afterwards: list[Callable[[], None]] = field(default_factory=list)
    _written: float = 0.0

    def rows(self) -> QuerySet[OutboxRow]:
        """The row, as long as this try holds it."""
        return OutboxRow.objects.filter(pk=self.pk, holder=self.holder)

    def command_id(self, part: str = "") -> str:
        """Return the id for a command that this job sends: the same in every try, so that the
        command is done once however often the job is run. `part` tells several apart."""
        return f"job-{self.pk}{'-' if part else ''}{part}"

    def progress(self, done: int, total: int) -> None:
        """Tell how much is done. Call it often, outside a transaction: it writes twice a second
        at most. Raises LeaseLost when another process has taken the job over."""
        now = time.monotonic()
        if done < total and now - self._written < WRITES_APART:
            return
        self._written = now
        if not self.rows().update(progress=done, total=total, lease_until=end()):
            raise LeaseLost(f"{self.topic} {self.pk}")

    def after(self, call: Callable[[], None]) -> None:
        """Do something once the outcome is written, such as removing what a further try needs."""
        self.afterwards.append(call)

    def found(self, code: str, **params: Any) -> None:
        """Keep what came of it: the code of a sentence and its plain values."""
        self.outcome = {"code": code, "params": params}
