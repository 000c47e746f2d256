"""What a system of standings leaves open: each a switch with a default."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace

from eventstore.domain.refusal import Refusal

TRUNCATE, NEAREST = "truncate", "nearest"
SIXTHS = (0, 2, 3)
"""Sixths of a win that a draw may count: nothing, a third, a half."""


@dataclass(frozen=True, slots=True)
class Switches:
    """Switches of all systems; each uses those its page names (docs/standings.md).

    `floor_permille`: least rate an opponent counts with. `dropped_cap_permille`: most with
    which an opponent counts who has dropped. `byes_count`: a bye is a won match in the rate of
    its holder. `late_counts`: the lost round 1 of a late entrant is a lost match in its rate.
    `draw_sixths`: sixths of a win that a draw counts in a rate (0, 2 or 3). `pooled`: points of
    all opponents over their matches, instead of the mean of their rates (no floor or cap
    applies then). `rounding`: `truncate` or `nearest`, of a rate to per mille. `cut_lowest`:
    how many of the lowest opponents' scores Buchholz leaves out first.
    """

    floor_permille: int = 0
    dropped_cap_permille: int = 1000
    byes_count: bool = False
    late_counts: bool = True
    draw_sixths: int = 2
    pooled: bool = False
    rounding: str = TRUNCATE
    cut_lowest: int = 0


SYSTEMS: Mapping[str, Switches] = {
    "konami-policy@1": Switches(),
    "konami-kts@1": Switches(byes_count=True, pooled=True),
    "owm-gw-ogw@1": Switches(floor_permille=330, byes_count=True),
    "duel-masters@1": Switches(byes_count=True),
    "buchholz@1": Switches(),
}
"""Every system an event can choose, under its id and version, with its defaults."""

USED: Mapping[str, tuple[str, ...]] = {
    "konami-policy@1": (
        "floor_permille",
        "dropped_cap_permille",
        "byes_count",
        "late_counts",
        "draw_sixths",
        "pooled",
        "rounding",
    ),
    # The program's own formula was matched to the last digit of a real file: nothing is open.
    "konami-kts@1": (),
    "owm-gw-ogw@1": ("floor_permille", "dropped_cap_permille", "byes_count", "late_counts"),
    "duel-masters@1": ("floor_permille", "dropped_cap_permille", "byes_count", "late_counts"),
    "buchholz@1": ("cut_lowest",),
}
"""The switches each system has."""


def full_name(system: str) -> str:
    """Return a system with its version; raises KeyError for one there is not.

    >>> full_name("konami-kts")
    'konami-kts@1'
    """
    found = system if "@" in system else f"{system}@1"
    if found not in SYSTEMS:
        raise KeyError(system)
    return found


def chosen(system: str, changes: Mapping[str, object]) -> Switches | Refusal:
    """Return the switches of a system with some of them changed.

    Refused with `tournaments.switch_invalid{field, found, allowed}` for a switch the system
    does not have, or a value it cannot take.
    """
    usual = SYSTEMS[full_name(system)]
    kinds = {one.name: type(getattr(usual, one.name)) for one in fields(Switches)}
    ranges: dict[str, object] = {
        "floor_permille": range(1001),
        "dropped_cap_permille": range(1001),
        "cut_lowest": range(11),
        "draw_sixths": SIXTHS,
        "rounding": (TRUNCATE, NEAREST),
    }
    for name, value in changes.items():
        if name not in USED[full_name(system)]:
            return Refusal(
                "tournaments.switch_invalid",
                {"field": name[:40], "found": "", "allowed": list(USED[full_name(system)])},
            )
        allowed = ranges.get(name)
        if type(value) is not kinds[name] or (
            isinstance(allowed, range | tuple) and value not in allowed
        ):
            told = [allowed[0], allowed[-1]] if isinstance(allowed, range) else allowed
            return Refusal(
                "tournaments.switch_invalid",
                {"field": name, "found": str(value)[:40], "allowed": told or [False, True]},
            )
    return replace(usual, **changes)  # type: ignore[arg-type]


def changed(system: str, switches: Switches) -> dict[str, object]:
    """Return the switches that differ from the defaults of a system."""
    usual = asdict(SYSTEMS[full_name(system)])
    return {name: value for name, value in asdict(switches).items() if value != usual[name]}
