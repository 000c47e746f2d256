"""What a bench holds its figures against: a floor that must never be lost again, and the aim.

Figures whose name ends with "per s" or "ratio" are the better the higher, all others the lower.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

Aims = Mapping[str, tuple[float, float]]
"""Name of a figure: (floor, reach)."""


def held(found: Mapping[str, Any], aims: Aims, on: str = "") -> list[dict[str, Any]]:
    """Hold the figures against floor and reach; `on` names where they were measured."""
    lines = []
    for figure, (floor, reach) in aims.items():
        value = found[figure]
        upwards = figure.endswith(("per s", "ratio"))
        lines.append(
            {
                **({"on": on} if on else {}),
                "figure": figure,
                "value": value,
                "floor": floor,
                "reach": reach,
                "above_floor": value >= floor if upwards else value <= floor,
                "reached": value >= reach if upwards else value <= reach,
            }
        )
    return lines


def told(found: Mapping[str, Any], lines: list[dict[str, Any]], *, as_json: bool) -> int:
    """Print figures and how they stand to their aims; return the exit code."""
    if as_json:
        print(json.dumps({"found": found, "aims": lines}))
    else:
        for figure, value in found.items():
            print(f"{figure:28} {value}")
        print_aims(lines)
    return 0 if all(one["above_floor"] for one in lines) else 1


def print_aims(lines: list[dict[str, Any]]) -> None:
    """Print each figure beside its aim: reached, above its floor, or LOW."""
    for one in lines:
        mark = "reached" if one["reached"] else "above its floor" if one["above_floor"] else "LOW"
        on = f"{one['on']:20} " if "on" in one else ""
        print(f"{on}{one['figure']:28} {one['value']} of {one['reach']}: {mark}")
