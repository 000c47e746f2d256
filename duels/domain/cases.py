"""Rule cases of the format FORMAT.md: what the games share in running them. A verdict per
case, names of cards, the comparison of fields.

A case that asks for what an engine does not play fails with that reason: it never counts as
passed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Case = Mapping[str, Any]
MOST_CARDS = 1000
"""Cards that a case may ask for as a number; no rule needs as many."""


class CaseFault(Exception):
    """The case cannot be run as it stands; the message says why."""


def so_many(value: Any) -> int:
    """Return a number of cards; raises CaseFault when it is none, or beyond MOST_CARDS."""
    if type(value) is not int or not 0 <= value <= MOST_CARDS:
        raise CaseFault(f"{str(value)[:20]!r} is no number of cards from 0 to {MOST_CARDS}")
    return value


class Names:
    """Names of cards on the board: `NAME`, or `NAME#2` for the second copy in listed order."""

    def __init__(self) -> None:
        self.ids: dict[str, list[int]] = {}

    def add(self, name: str, card: int) -> None:
        """Note the next copy of a name."""
        self.ids.setdefault(name, []).append(card)

    def get(self, name: str) -> int | None:
        """Return the instance of a name, None when the board has none."""
        plain, _, number = name.partition("#")
        known = self.ids.get(plain, [])
        index = int(number) - 1 if number.isdigit() else 0
        return known[index] if 0 <= index < len(known) else None

    def find(self, name: object) -> int:
        """Return the instance of a name; raises CaseFault when the board has none."""
        card = self.get(str(name))
        if card is None:
            raise CaseFault(f"no card {name!r} on the board")
        return card


def same(field: str, expected: object, found: object) -> str | None:
    """Return the first difference as text, None when equal."""
    return None if expected == found else f"{field}: expected {expected!r}, found {found!r}"


def first(differences: Sequence[str | None]) -> str | None:
    """Return the first real difference."""
    return next((one for one in differences if one is not None), None)


OUTCOMES = ("passed", "failed", "disputed")


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of one case: passed, failed or disputed, and why."""

    id: str
    outcome: str
    reason: str | None = None


Run = Callable[[Case, Mapping[str, Any]], str | None]
"""Runs one case with the cards of its file; returns the first difference. Raises CaseFault."""


def run_case(run: Run, case: Case, cards: Mapping[str, Any]) -> Verdict:
    """Run one case with the cards of its file."""
    label = str(case.get("id", "?"))
    if case.get("status") == "disputed":
        return Verdict(label, "disputed", str(case.get("reason", "")))
    try:
        difference = run(case, cards)
    except CaseFault as fault:
        difference = str(fault)
    except (
        LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError,
    ) as fault:  # fmt: skip
        difference = f"the case is malformed: {type(fault).__name__} {fault}"
    return Verdict(label, "failed" if difference is not None else "passed", difference)


def run_file(
    run: Run, document: Mapping[str, Any], disputed: Mapping[str, str] | None = None
) -> list[Verdict]:
    """Run every case of a parsed file. `disputed`: case id -> why it is believed to be wrong;
    such a case is not run."""
    group = str(document.get("group", "?"))
    verdicts: list[Verdict] = []
    cases, cards = document.get("cases", []), document.get("cards", {})
    if not isinstance(cases, list) or not isinstance(cards, dict):
        return [Verdict(group, "failed", "cases are a list, cards are named")]
    for case in cases:
        if not isinstance(case, dict):
            verdicts.append(Verdict(group, "failed", f"not a case: {str(case)[:60]}"))
            continue
        why = (disputed or {}).get(str(case.get("id")))
        if why is not None:
            verdicts.append(Verdict(str(case.get("id")), "disputed", why))
        else:
            verdicts.append(run_case(run, case, cards))
    return verdicts


def summary(verdicts: Iterable[Verdict]) -> dict[str, Any]:
    """Return {passed, failed, disputed, failures: [{id, reason}]}."""
    listed = list(verdicts)
    count = {word: sum(one.outcome == word for one in listed) for word in OUTCOMES}
    failures = [{"id": one.id, "reason": one.reason} for one in listed if one.outcome == "failed"]
    return {**count, "failures": failures}
