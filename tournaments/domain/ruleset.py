"""How a match ends when time is called, and what becomes of slips that come late or never.

Versioned data: an id with a version never changes its meaning. `parse` takes the plain values of
a file of `tournaments/data/rulesets` and returns the ruleset, or every fault with its path.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

NOW, TURN, PHASE = "now", "turn", "phase"
STOPS = (NOW, PHASE, TURN)
LIFE_POINTS, BOTH_LOSE, DRAWN, VOID = "life_points", "both_lose", "drawn", "void"
DUELS = (LIFE_POINTS, BOTH_LOSE, DRAWN, VOID)
MORE_WINS, TWO_WINS = "more_wins", "two_wins"
MATCHES = (MORE_WINS, TWO_WINS)
DRAW, DOUBLE_LOSS = "draw", "double_loss"
TIES = (DRAW, DOUBLE_LOSS)
EXTRA_DUEL, UNTIMED = "extra_duel", "untimed"
CUTS = (EXTRA_DUEL, UNTIMED)
LOSSES = ("game_loss", "match_loss")
MOST_TURNS, MOST_SECONDS = 9, 3600
KEYS = frozenset(
    {
        "id", "version", "source", "confirm", "games", "stop", "turns", "duel", "match", "tie",
        "cut", "cut_turns", "slip",
    }
)  # fmt: skip
SLIP_KEYS = frozenset({"late_after_s", "infraction", "infraction_kind", "loss", "missing"})


@dataclass(frozen=True, slots=True)
class SlipPolicy:
    """`late_after_s` seconds after its end a table's result is late: `loss` in the next match of
    who should have brought it, under `infraction` of the policy. `missing`: the result of a table
    that never brings one."""

    late_after_s: int
    infraction: str
    infraction_kind: str
    loss: str
    missing: str


@dataclass(frozen=True, slots=True)
class Ruleset:
    """One version. `stop`: what is finished when time is called, then `turns` more. `duel`: how a
    duel ends that is not over by then. `match`: who has more duel wins, or only who has two.
    `tie`: a Swiss match where that names nobody. `cut`: an extra duel of `cut_turns` turns (0: to
    its end), or matches of the cut have no time. `confirm` names values to check."""

    id: str
    version: str
    source: str
    confirm: tuple[str, ...]
    games: tuple[str, ...]
    stop: str
    turns: int
    duel: str
    match: str
    tie: str
    cut: str
    cut_turns: int
    slip: SlipPolicy

    @property
    def ref(self) -> str:
        """Id and version in one word, as slips name it: `eom.phase_2018@1`."""
        return f"{self.id}@{self.version}"


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of a file: where it stands, what was found, what is allowed."""

    path: str
    found: Any
    allowed: Any


def parse(values: Mapping[str, Any]) -> Ruleset | list[Fault]:
    """Read the plain values of a ruleset file; return the ruleset, or every fault in it."""
    faults: list[Fault] = []
    slip = values.get("slip")
    slip = slip if isinstance(slip, dict) else {}

    def only(found: Mapping[str, Any], allowed: frozenset[str], path: str) -> None:
        for key in sorted({*found} ^ allowed):
            faults.append(Fault(f"{path}{key}", key if key in found else None, sorted(allowed)))

    def text(source: Mapping[str, Any], key: str, path: str = "") -> str:
        value = source.get(key)
        if isinstance(value, str) and value.strip():
            return value
        faults.append(Fault(f"{path}{key}", value, "text"))
        return ""

    def one_of(
        source: Mapping[str, Any], key: str, allowed: tuple[str, ...], path: str = ""
    ) -> str:
        value = source.get(key)
        if value in allowed:
            return str(value)
        faults.append(Fault(f"{path}{key}", value, list(allowed)))
        return allowed[0]

    def number(source: Mapping[str, Any], key: str, most: int, path: str = "") -> int:
        value = source.get(key)
        if type(value) is int and 0 <= value <= most:
            return value
        faults.append(Fault(f"{path}{key}", value, [0, most]))
        return 0

    def names(key: str) -> tuple[str, ...]:
        value = values.get(key)
        if isinstance(value, list) and all(isinstance(one, str) and one for one in value):
            return tuple(value)
        faults.append(Fault(key, value, "list of names"))
        return ()

    only(values, KEYS, "")
    only(slip, SLIP_KEYS, "slip.")
    made = Ruleset(
        id=text(values, "id"),
        version=text(values, "version"),
        source=text(values, "source"),
        confirm=names("confirm"),
        games=names("games"),
        stop=one_of(values, "stop", STOPS),
        turns=number(values, "turns", MOST_TURNS),
        duel=one_of(values, "duel", DUELS),
        match=one_of(values, "match", MATCHES),
        tie=one_of(values, "tie", TIES),
        cut=one_of(values, "cut", CUTS),
        cut_turns=number(values, "cut_turns", MOST_TURNS),
        slip=SlipPolicy(
            late_after_s=number(slip, "late_after_s", MOST_SECONDS, "slip."),
            infraction=text(slip, "infraction", "slip."),
            infraction_kind=text(slip, "infraction_kind", "slip."),
            loss=one_of(slip, "loss", LOSSES, "slip."),
            missing=one_of(slip, "missing", TIES, "slip."),
        ),
    )
    if made.stop == NOW and made.turns:
        faults.append(Fault("turns", made.turns, 0))
    known = KEYS | {f"slip.{key}" for key in SLIP_KEYS}
    faults += [Fault("confirm", one, sorted(known)) for one in made.confirm if one not in known]
    return faults or made
