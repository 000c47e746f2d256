"""What a `decide` returns instead of events when an act breaks a rule."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

Params: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Refusal:
    """An act that was refused: the primary rule id, what the sentence needs, further ids.

    `code` is a rule id of the games (`YGO-3.1`) or a dotted code of the product
    (`tournaments.results_open`). `params` hold plain JSON values only; words are made at
    the edge, in the reader's language.
    """

    code: str
    params: Params = field(default_factory=dict)
    also: tuple[str, ...] = ()


class Refused(Exception):
    """Raised by a service when its `decide` refused: the transaction is rolled back."""

    measured_as = "refused"

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(f"{refusal.code} {refusal.params}")
        self.refusal = refusal
