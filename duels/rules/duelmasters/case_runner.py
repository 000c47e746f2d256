"""Run rule cases of this game: one case to its first difference."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from duels.domain.cases import Case, CaseFault
from duels.rules.duelmasters.cases.deck_case import run_card, run_deck, run_side
from duels.rules.duelmasters.cases.duel_case import run_duel
from duels.rules.duelmasters.cases.match_case import run_match
from duels.rules.duelmasters.cases.position import facts_of


def run(case: Case, cards: Mapping[str, Any]) -> str | None:
    """Run a case; return the first difference, None when it passes. Raises CaseFault."""
    kind = case.get("kind", "duel")
    if kind == "card":
        return run_card(case)
    facts = facts_of(cards, case.get("cards", {}))
    if kind == "deck":
        return run_deck(case, facts)
    if kind == "side":
        return run_side(case)
    given = case.get("given", {})
    around_a_match = not given or "results" in given or "decks" in given
    if kind == "match" or (kind == "conduct" and around_a_match):
        return run_match(case, facts)
    if kind in ("duel", "conduct"):
        return run_duel(case, facts)
    raise CaseFault(f"kind {kind!r} is unknown")
