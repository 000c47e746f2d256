"""The plain values of a policy pack as TOML, and a pack out of TOML that somebody sent."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Mapping
from typing import Any

from eventstore.domain import canonical
from eventstore.domain.refusal import Refusal
from judging.domain.pack_file import Fault, value_at

MAX_BYTES = 64_000
BARE = re.compile(r"[A-Za-z0-9_-]+")
WIDE = 96
MOST_FAULTS = 60
MOST_DOTS = 100
"""Dots in one line: the reader's work for a dotted key grows with the square of its parts, and
half a minute of it fits into a file of 60 kB."""


def read_toml(content: str) -> dict[str, Any] | Refusal:
    """Read the values of a pack that somebody sent. Refused with `judging.pack_too_large`,
    `judging.pack_unreadable{found}` (where the reader stopped)."""
    size = len(content.encode("utf-8", "replace"))
    if size > MAX_BYTES:
        return Refusal("judging.pack_too_large", {"found": size, "allowed": MAX_BYTES})
    for number, line in enumerate(content.split("\n"), 1):
        if line.count(".") > MOST_DOTS:
            return Refusal("judging.pack_unreadable", {"found": f"line {number}"})
    try:
        return tomllib.loads(content.replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as fault:
        return Refusal("judging.pack_unreadable", {"found": str(fault)[:200]})
    except (RecursionError, ValueError):
        # too deep, or a number or a date that no calendar has
        return Refusal("judging.pack_unreadable", {"found": ""})


def told(faults: list[Fault]) -> list[dict[str, str]]:
    """Return faults as texts: the path, what was found, what is allowed."""
    return [
        {"path": one.path[:120], "found": _short(one.found), "allowed": _short(one.allowed, 400)}
        for one in faults[:MOST_FAULTS]
    ]


def _short(value: Any, most: int = 80) -> str:
    if value is None:
        return "–"
    text = ", ".join(str(one) for one in value) if isinstance(value, list) else str(value)
    text = canonical.text(text.replace("\x00", "")) if text else '""'
    return text if len(text) <= most else f"{text[: most - 1]}…"


def written(values: Mapping[str, Any]) -> str:
    """Write plain values (text, whole numbers, yes and no, lists of them, tables) as TOML."""
    return "\n".join(_table(values, "")).strip() + "\n"


def _table(values: Mapping[str, Any], path: str) -> list[str]:
    plain = {key: one for key, one in values.items() if not isinstance(one, dict)}
    lines = [f"{_key(key)} = {_value(one)}" for key, one in plain.items()]
    if path and (lines or not values):
        lines = ["", f"[{path}]", *lines]
    for key, one in values.items():
        if isinstance(one, dict):
            lines += _table(one, f"{path}.{_key(key)}".lstrip("."))
    return lines


def _key(key: str) -> str:
    return key if BARE.fullmatch(key) else _value(key)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        parts = [_value(one) for one in value]
        line = f"[{', '.join(parts)}]"
        return line if len(line) <= WIDE else "[\n    " + ",\n    ".join(parts) + ",\n]"
    if isinstance(value, str):
        # the escapes of JSON are those of TOML, but for one sign
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return str(value)


def fingerprint(values: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a pack's values, its id and version left aside: two packs of the
    same values have the same."""
    kept = {key: one for key, one in values.items() if key not in ("pack", "version")}
    return hashlib.sha256(canonical.encode(kept)).hexdigest()


def marked_values(values: Mapping[str, Any], paths: tuple[str, ...]) -> dict[str, str]:
    """Return the canonical JSON of the values at some paths."""
    return {path: canonical.encode(value_at(values, path)).decode() for path in paths}
