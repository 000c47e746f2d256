"""The answer to a deck list: legal or not, and every fault with its rule."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

Plain: TypeAlias = int | str | list[Any] | dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong, or worth saying.

    `code` is listed in docs/decks.md, `rule` the rule id (None: a fault of the input). `card`
    is the key of the card and `name` its name where known. `found` and `allowed` are plain
    values, numbers of copies or cards where the rule speaks of numbers. `where` counts copies
    per section (of `points_over_budget`: the points of the dearest cards by name), `line` is the
    line of the input.
    """

    code: str
    rule: str | None = None
    card: str | None = None
    name: str | None = None
    found: Plain = None
    allowed: Plain = None
    where: dict[str, int] = field(default_factory=dict)
    line: int | None = None

    def as_json(self) -> dict[str, Any]:
        """Return plain JSON: code, rule, card {id, name} or null, found, allowed; where and
        line only where they say something."""
        body: dict[str, Any] = {
            "code": self.code,
            "rule": self.rule,
            "card": None if self.card is None else {"id": self.card, "name": self.name},
            "found": self.found,
            "allowed": self.allowed,
        }
        if self.where:
            body["where"] = dict(self.where)
        if self.line is not None:
            body["line"] = self.line
        return body


@dataclass(frozen=True, slots=True)
class Report:
    """`errors` stand in the order in which the rules are cited: the first is the primary.
    `points` is what the list costs and its budget, None where no points are counted."""

    legal: bool
    counts: dict[str, int]
    errors: tuple[Fault, ...] = ()
    warnings: tuple[Fault, ...] = ()
    points: tuple[int, int] | None = None

    def as_json(self) -> dict[str, Any]:
        """Return plain JSON {legal, counts, errors, warnings}, and points {found, allowed}
        where points are counted."""
        body = {
            "legal": self.legal,
            "counts": dict(self.counts),
            "errors": [one.as_json() for one in self.errors],
            "warnings": [one.as_json() for one in self.warnings],
        }
        if self.points is not None:
            body["points"] = {"found": self.points[0], "allowed": self.points[1]}
        return body
