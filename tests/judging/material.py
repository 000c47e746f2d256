"""Material of the pure tests: the shipped pack, a match, times."""

from __future__ import annotations

from judging.domain import acts
from judging.domain.policy import Pack
from judging.packs import newest

ALICE, BOB, JUDE, HEDDA, CARLA = "alice", "bob", "jude", "hedda", "carla"
MATCH = acts.MatchFacts("m1", "e1", 1, 3, ((ALICE,), (BOB,)), ("ea", "eb"))
RULES = frozenset({"YGO-3.1", "YGO-16.1", "YGO-17.9"})


def house() -> Pack:
    """The shipped pack."""
    return newest("house-rules")
