"""Run rule cases of the format FORMAT.md, already parsed: a verdict per case.

A case that asks for what this engine does not play yet fails with that reason: it never
counts as passed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from duels.rules.yugioh.cases.base import Case, CaseFault
from duels.rules.yugioh.cases.deck_case import run_card, run_deck, run_side
from duels.rules.yugioh.cases.duel_case import run_duel
from duels.rules.yugioh.cases.match_case import run_match
from duels.rules.yugioh.cases.position import facts_of

OUTCOMES = ("passed", "failed", "disputed")


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of one case: passed, failed or disputed, and why."""

    id: str
    outcome: str
    reason: str | None = None


def run_case(case: Case, cards: Mapping[str, Any]) -> Verdict:
    """Run one case with the cards of its file."""
    label = str(case.get("id", "?"))
    if case.get("status") == "disputed":
        return Verdict(label, "disputed", str(case.get("reason", "")))
    try:
        difference = _run(case, cards)
    except CaseFault as fault:
        difference = str(fault)
    except (
        LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError,
    ) as fault:  # fmt: skip
        difference = f"the case is malformed: {type(fault).__name__} {fault}"
    return Verdict(label, "failed" if difference is not None else "passed", difference)


def _run(case: Case, cards: Mapping[str, Any]) -> str | None:
    kind = case.get("kind", "duel")
    if kind == "card":
        return run_card(case)
    facts = facts_of(cards, case.get("cards", {}))
    if kind == "deck":
        return run_deck(case, facts)
    if kind == "side":
        return run_side(case, facts)
    given = case.get("given", {})
    around_a_match = not given or "results" in given or "decks" in given
    if kind == "match" or (kind == "conduct" and around_a_match):
        return run_match(case, facts)
    if kind in ("duel", "conduct"):
        return run_duel(case, facts)
    raise CaseFault(f"kind {kind!r} is unknown")


def run_file(
    document: Mapping[str, Any], disputed: Mapping[str, str] | None = None
) -> list[Verdict]:
    """Run every case of a parsed file; a file of another game gives one failed verdict.
    `disputed`: case id -> why it is believed to be wrong; such a case is not run."""
    if document.get("game") != "yugioh":
        return [Verdict(str(document.get("group", "?")), "failed", "not a file of this game")]
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
            verdicts.append(run_case(case, cards))
    return verdicts


def summary(verdicts: Iterable[Verdict]) -> dict[str, Any]:
    """Return {passed, failed, disputed, failures: [{id, reason}]}."""
    listed = list(verdicts)
    count = {word: sum(one.outcome == word for one in listed) for word in OUTCOMES}
    failures = [{"id": one.id, "reason": one.reason} for one in listed if one.outcome == "failed"]
    return {**count, "failures": failures}
