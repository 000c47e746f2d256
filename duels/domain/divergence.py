"""Why two accounts of the Life Points may differ: the slips that people make, tried one by one.

Each candidate fits the numbers exactly. None is a finding: the judge asks, the list helps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from duels.domain.ledger import Divergence

MISSED_COST = "missed_cost"
DOUBLED = "doubled_damage"
SIGN = "sign"
TRANSPOSED = "transposed_digits"
WRONG_PLAYER = "wrong_player"
TWICE = "applied_twice"
ORIGINAL_ATK = "original_atk"
CODES = (MISSED_COST, DOUBLED, SIGN, TRANSPOSED, WRONG_PLAYER, TWICE, ORIGINAL_ATK)


@dataclass(frozen=True, slots=True)
class Change:
    """One change of Life Points that the log derives. `cause`: battle, effect or cost;
    `originals`: the changes it would have been with printed instead of current ATK and DEF."""

    seq: int
    about: str
    delta: int
    cause: str
    originals: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """One explanation: its code, the account that would have slipped (table never does), and
    the event of the log it rests on, where there is one."""

    code: str
    whose: str
    seq: int | None = None


def explain(found: Divergence, changes: Sequence[Change]) -> list[Candidate]:
    """Return every slip that explains the divergence, in the order of CODES.

    `changes` are those of the log since the last anchor, both seats; empty for pads alone,
    where either pad may be the wrong one.
    """
    wrong, right = found.value - found.before, found.expected - found.expected_before
    listed = _slips(found, found.whose, wrong, right, found.changes, changes)
    if found.other != "table":
        listed += _slips(found, found.other, right, wrong, (), changes)
    seen: dict[tuple[str, str], Candidate] = {}
    for one in listed:
        seen.setdefault((one.code, one.whose), one)
    return sorted(seen.values(), key=lambda one: CODES.index(one.code))


def _slips(
    found: Divergence,
    whose: str,
    wrong: int,
    right: int,
    earlier: Sequence[int],
    changes: Sequence[Change],
) -> list[Candidate]:
    """The account `whose` says `wrong` where `right` would be right."""
    own = [one for one in changes if one.about == found.about]
    made: list[Candidate] = []
    if (cost := _missed_cost(found, wrong, right, own)) is not None:
        made.append(Candidate(MISSED_COST, whose, cost.seq))
    if right and wrong == 2 * right:
        made.append(Candidate(DOUBLED, whose))
    if right and wrong == -right:
        made.append(Candidate(SIGN, whose))
    if transposed(abs(wrong), abs(right)) or transposed(found.value, found.expected):
        made.append(Candidate(TRANSPOSED, whose))
    opposite = next(
        (one for one in changes if one.about != found.about and one.delta == wrong), None
    )
    if wrong and wrong != right and (opposite is not None or wrong in found.opposite):
        made.append(Candidate(WRONG_PLAYER, whose, opposite.seq if opposite is not None else None))
    if wrong and earlier and earlier[-1] == wrong:
        made.append(Candidate(TWICE, whose))
    for one in own:
        if one.delta == right and wrong in one.originals:
            made.append(Candidate(ORIGINAL_ATK, whose, one.seq))
    return made


def _missed_cost(found: Divergence, wrong: int, right: int, own: Sequence[Change]) -> Change | None:
    """A cost that was not written down: the account is above by it, or shows the next change
    in its place."""
    for place, one in enumerate(own):
        if one.cause != "cost":
            continue
        later = [change.delta for change in own[place + 1 :]]
        if found.value - found.expected == -one.delta or (one.delta == right and wrong in later):
            return one
    return None


def transposed(one: int, other: int) -> bool:
    """Say whether two numbers differ by two neighbouring digits that changed places."""
    a, b = str(one), str(other)
    if len(a) != len(b):
        return False
    places = [place for place, (x, y) in enumerate(zip(a, b, strict=True)) if x != y]
    return (
        len(places) == 2
        and places[1] == places[0] + 1
        and (a[places[0]], a[places[1]]) == (b[places[1]], b[places[0]])
    )
