"""Run rule cases of every game that has an engine (duels.domain.cases, FORMAT.md)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from duels.domain import cases
from duels.domain.cases import Case, Run, Verdict
from duels.domain.cases import summary as summary
from duels.rules.duelmasters import case_runner as duelmasters
from duels.rules.yugioh import case_runner as yugioh

RUNNERS: Mapping[str, Run] = {"yugioh": yugioh.run, "duel-masters": duelmasters.run}
"""The `game` of a file -> how a case of it is run."""
FIRST = next(iter(RUNNERS))


def run_case(case: Case, cards: Mapping[str, Any], game: str = FIRST) -> Verdict:
    """Run one case with the cards of its file."""
    return cases.run_case(RUNNERS[game], case, cards)


def run_file(
    document: Mapping[str, Any], disputed: Mapping[str, str] | None = None
) -> list[Verdict]:
    """Run every case of a parsed file; a file of no game that is played gives one failed
    verdict. `disputed`: case id -> why it is believed to be wrong; such a case is not run."""
    run = RUNNERS.get(str(document.get("game")))
    if run is None:
        return [Verdict(str(document.get("group", "?")), "failed", "not a file of a known game")]
    return cases.run_file(run, document, disputed)
