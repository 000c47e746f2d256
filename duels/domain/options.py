"""Options of a rule set: a name, its default and the other values it may have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from eventstore.domain.refusal import Refusal

Value = bool | int | str


@dataclass(frozen=True, slots=True)
class Option:
    """One option: its default and the other values."""

    default: Value
    others: tuple[Value, ...]


def defaults(table: Mapping[str, Option]) -> dict[str, Value]:
    """Return every option at its default."""
    return {name: option.default for name, option in table.items()}


def completed(
    table: Mapping[str, Option], chosen: Mapping[str, object]
) -> dict[str, Value] | Refusal:
    """Return all options of a table with the chosen values filled in.

    Refused with `duels.option_unknown` or `duels.option_value`; params name the option, what
    was found and what is allowed.
    """
    values = defaults(table)
    for name, value in chosen.items():
        option = table.get(name)
        if option is None:
            return Refusal("duels.option_unknown", {"found": str(name), "allowed": sorted(table)})
        allowed = (option.default, *option.others)
        if not isinstance(value, bool | int | str) or not any(
            value == one and type(value) is type(one) for one in allowed
        ):
            return Refusal(
                "duels.option_value",
                {"option": name, "found": str(value), "allowed": list(allowed)},
            )
        values[name] = value
    return values
