"""What a reader found in its input that the person who brought it should know."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Severity(StrEnum):
    """How much a finding matters: an error stops the use of the part, a warning does not."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Finding:
    """One coded finding. `line` counts from 1 (None: the input as a whole); `params` hold
    plain JSON values, and words are made of them at the edge."""

    code: str
    severity: Severity = Severity.WARNING
    line: int | None = None
    params: dict[str, Any] = field(default_factory=dict)


class Unreadable(Exception):
    """The input as a whole cannot be read; `finding` says why."""

    def __init__(self, code: str, **params: Any) -> None:
        super().__init__(f"{code} {params}")
        self.finding = Finding(code, Severity.ERROR, None, params)


def error(code: str, line: int | None = None, **params: Any) -> Finding:
    """Make a finding that stops the use of the part it speaks of."""
    return Finding(code, Severity.ERROR, line, params)


def warning(code: str, line: int | None = None, **params: Any) -> Finding:
    """Make a finding that is shown and stops nothing."""
    return Finding(code, Severity.WARNING, line, params)
