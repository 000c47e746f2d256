"""Presets that an organiser makes: a plain mapping (JSON or TOML) to a Preset and back.

Every fault is a finding with the path of its value, such as `side.sizes[1]`; docs/decks.md has
the keys. What is not said has the value that DEFAULTS gives.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from cards.domain.banlist import COUNTED_DECKS, MAX_POINTS, Banlist, Cost, Limit, Points
from cards.domain.facts import EXTRA_SUBKINDS, MAX_ID
from cards.domain.findings import Finding, Unreadable, error
from cards.domain.games import KINDS, YUGIOH
from cards.domain.sources import limited, lines_of
from decks.domain.presets import ALL_KINDS, PRESETS, Preset
from eventstore.domain import canonical

MAX_BYTES = 256 << 10
MAX_FAULTS = 100
MOST_ENTRIES = 10_000
"""Cards that a table may name."""
LARGEST_DECK = 200
MOST_COPIES = 99
ID = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,22}[a-z0-9])?")
"""The id of a preset: 24 signs at most, so that id@version fits where presets are named."""
TITLE_SIGNS = 80
NAME_SIGNS = 200
MOST_SIGNS = 1_000
"""Signs of a line of TOML."""
MOST_LEVELS = 20
"""Points and brackets outside of texts in a line of TOML."""
_QUOTED = re.compile(r""" "(?:[^"\\]|\\.)*" | '[^']*' """, re.VERBOSE)

RULE_PATHS: Mapping[str, str] = MappingProxyType(
    {
        "token_in_deck": "cards.kinds",
        "kind_not_in_format": "cards.monsters",
        "outside_ruleset": "cards",
        "ritual_in_extra": "extra.kinds",
        "extra_card_in_main": "extra.kinds",
        "extra_card_in_side": "side.extra_cards",
        "not_an_extra_card": "extra.kinds",
        "main_too_small": "main.least",
        "main_too_large": "main.most",
        "extra_too_large": "extra.most",
        "side_size": "side",
        "forbidden": "limits",
        "not_on_list": "limits",
        "unknown_card": "limits",
        "limited": "limits",
        "semi_limited": "limits",
        "too_many_copies": "copies.most",
        "points_over_budget": "points.budget",
    }
)
"""Per code the part of the data that a list breaks: its rule is `id@version/path`."""


@dataclass(frozen=True, slots=True)
class PresetRead:
    """A preset, or None and what is wrong with it."""

    preset: Preset | None
    findings: tuple[Finding, ...] = ()


def _printable(text: str) -> str:
    return "".join(sign if sign.isprintable() else "\ufffd" for sign in canonical.text(text))


class _Reader:
    """Takes values out of a mapping and notes every fault with its path."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []

    def note(self, code: str, path: str, found: object = None, allowed: object = None) -> None:
        if len(self.findings) < MAX_FAULTS:
            plain = found is None or (
                isinstance(found, int) and abs(found) <= canonical.MAX_INTEGER
            )
            shown = found if plain else _printable(str(found)[:60])
            where = _printable(path[:120])
            self.findings.append(error(code, path=where, found=shown, allowed=allowed))

    def table(self, data: Mapping[Any, Any], name: str, keys: tuple[str, ...]) -> dict[str, Any]:
        """Return the table of this name, {} where it is not there or is none."""
        held = data.get(name, {})
        if not isinstance(held, Mapping):
            self.note("preset_wrong_type", name, held, "table")
            return {}
        self.known(held, f"{name}.", keys)
        return dict(held)

    def known(self, held: Mapping[Any, Any], before: str, keys: tuple[str, ...]) -> None:
        for key in held:
            if key not in keys:
                self.note("preset_key_unknown", f"{before}{key}", key, list(keys))

    def text(self, held: Mapping[str, Any], key: str, path: str, default: str | None) -> str:
        value = held.get(key, default)
        if value is None:
            self.note("preset_key_missing", path)
            return ""
        if not isinstance(value, str):
            self.note("preset_wrong_type", path, value, "text")
            return ""
        return " ".join(canonical.text(value).split())

    def line(self, held: Mapping[str, Any], key: str, most: int) -> str:
        value = self.text(held, key, key, None)
        if isinstance(held.get(key), str) and not 1 <= len(value) <= most:
            self.note("preset_out_of_range", key, len(value), [1, most])
        elif value != _printable(value):
            self.note("preset_value_unknown", key, value, "signs that can be printed")
        return value

    def number(
        self,
        held: Mapping[str, Any],
        key: str,
        path: str,
        default: int | None,
        most: int,
        *,
        needed: bool = False,
    ) -> int | None:
        if needed and key not in held:
            self.note("preset_key_missing", path)
        value = held.get(key, default)
        if value is None:
            return None
        return default if not self.whole(value, path, most) else int(value)

    def whole(self, value: object, path: str, most: int) -> bool:
        if isinstance(value, bool) or not isinstance(value, int):
            self.note("preset_wrong_type", path, value, "number")
            return False
        if not 0 <= value <= most:
            self.note("preset_out_of_range", path, value, [0, most])
            return False
        return True

    def flag(self, held: Mapping[str, Any], key: str, path: str, default: bool) -> bool:
        value = held.get(key, default)
        if not isinstance(value, bool):
            self.note("preset_wrong_type", path, value, "true or false")
            return default
        return value

    def words(
        self,
        held: Mapping[str, Any],
        key: str,
        path: str,
        default: frozenset[str],
        allowed: frozenset[str],
    ) -> frozenset[str]:
        value = held.get(key)
        if value is None:
            return default
        if not isinstance(value, list | tuple):
            self.note("preset_wrong_type", path, value, "list")
            return default
        for at, one in enumerate(value):
            if not isinstance(one, str) or one not in allowed:
                self.note("preset_value_unknown", f"{path}[{at}]", one, sorted(allowed))
        return frozenset(one for one in value if isinstance(one, str)) & allowed

    def cards(self, held: Mapping[str, Any], path: str, most: int) -> list[tuple[int, str, int]]:
        """Read a table {id or name: number} to (id or 0, name or nothing, number)."""
        value = held.get("cards", {})
        if not isinstance(value, Mapping):
            self.note("preset_wrong_type", path, value, "table")
            return []
        if len(value) > MOST_ENTRIES:
            self.note("preset_out_of_range", path, len(value), [0, MOST_ENTRIES])
            return []
        made: dict[tuple[int, str], int] = {}
        for key, number in value.items():
            name = " ".join(canonical.text(str(key)).split())
            digits = name.isascii() and name.isdigit() and len(name) <= 10
            passcode = int(name) if digits else 0
            wrong = not name or len(name) > NAME_SIGNS or name != _printable(name)
            if wrong or (digits and not 0 < passcode <= MAX_ID):
                self.note("preset_value_unknown", f"{path}.{name}", name, "an id or a name")
            elif self.whole(number, f"{path}.{name}", most):
                made[passcode, "" if digits else name] = int(number)
        return [(*key, made[key]) for key in sorted(made)]


def read_preset(data: object, version: int | None = None) -> PresetRead:
    """Read the data of a preset. Findings: `preset_wrong_type`, `preset_key_missing`,
    `preset_key_unknown`, `preset_value_unknown`, `preset_out_of_range`, `preset_contradiction`,
    each with `path`, `found` and `allowed`. With a version the preset is named id@version."""
    reader = _Reader()
    if not isinstance(data, Mapping):
        reader.note("preset_wrong_type", "", data, "table")
        return PresetRead(None, tuple(reader.findings))
    tables = ("main", "extra", "side", "copies", "cards", "limits", "points")
    reader.known(data, "", ("id", "title", "game", *tables))
    name = reader.text(data, "id", "id", None)
    if name and (not ID.fullmatch(name) or name in PRESETS):
        reader.note("preset_value_unknown", "id", name, "1 to 24 of a-z, 0-9 and -, not yet taken")
    title = reader.line(data, "title", TITLE_SIGNS)
    game = reader.text(data, "game", "game", YUGIOH)
    if game not in KINDS:
        reader.note("preset_value_unknown", "game", game, sorted(KINDS))
        game = YUGIOH
    preset = _sizes(reader, data, Preset(name, 0, None, None, 15, {}, game=game, title=title))
    preset = _kinds(reader, data, preset)
    preset = replace(preset, own_list=_own_list(reader, data, preset))
    if reader.findings:
        return PresetRead(None, tuple(reader.findings))
    return PresetRead(_named(preset, version))


def _named(preset: Preset, version: int | None) -> Preset:
    full = preset.id if version is None else f"{preset.id}@{version}"
    rules = {code: f"{full}/{path}" for code, path in RULE_PATHS.items()}
    return replace(preset, id=full, rules=MappingProxyType(rules))


def _sizes(reader: _Reader, data: Mapping[str, Any], preset: Preset) -> Preset:
    main = reader.table(data, "main", ("least", "most"))
    least = reader.number(main, "least", "main.least", 0, LARGEST_DECK, needed=True) or 0
    most = reader.number(main, "most", "main.most", None, LARGEST_DECK)
    if most is not None and most < least:
        reader.note("preset_contradiction", "main.most", most, [least, LARGEST_DECK])
    extra = reader.table(data, "extra", ("most", "kinds"))
    side = reader.table(data, "side", ("most", "sizes", "extra_cards"))
    sizes: tuple[int, ...] | None = None
    if "sizes" in side:
        given = side["sizes"]
        if "most" in side:
            reader.note("preset_contradiction", "side.most", side["most"], "sizes or most")
        if not isinstance(given, list | tuple) or not given or len(given) > LARGEST_DECK:
            reader.note("preset_wrong_type", "side.sizes", str(given), "list of numbers")
        else:
            right = [
                reader.whole(one, f"side.sizes[{at}]", LARGEST_DECK) for at, one in enumerate(given)
            ]
            sizes = tuple(sorted(set(given))) if all(right) else None
    side_most = reader.number(side, "most", "side.most", 15, LARGEST_DECK)
    copies = reader.table(data, "copies", ("most", "extra", "treated_as"))
    return replace(
        preset,
        main_min=least,
        main_max=most,
        extra_max=reader.number(extra, "most", "extra.most", None, LARGEST_DECK),
        side_max=max(sizes) if sizes else side_most or 0,
        side_sizes=sizes,
        side_extra=reader.flag(side, "extra_cards", "side.extra_cards", True),
        copies=reader.number(copies, "most", "copies.most", 3, MOST_COPIES) or 0,
        count_extra=reader.flag(copies, "extra", "copies.extra", True),
        treated_as=reader.flag(copies, "treated_as", "copies.treated_as", True),
    )


def _kinds(reader: _Reader, data: Mapping[str, Any], preset: Preset) -> Preset:
    cards = reader.table(data, "cards", ("kinds", "monsters", "attributes"))
    extra = data.get("extra", {})
    held = extra if isinstance(extra, Mapping) else {}
    all_kinds = KINDS[preset.game]
    monsters = reader.words(cards, "monsters", "cards.monsters", ALL_KINDS, ALL_KINDS)
    return replace(
        preset,
        card_kinds=reader.words(cards, "kinds", "cards.kinds", all_kinds, all_kinds),
        monster_kinds=monsters,
        extra_kinds=reader.words(held, "kinds", "extra.kinds", EXTRA_SUBKINDS, ALL_KINDS),
        most_attributes=reader.number(cards, "attributes", "cards.attributes", None, 9),
    )


def _own_list(reader: _Reader, data: Mapping[str, Any], preset: Preset) -> Banlist | None:
    """Return the limits and points of a preset as a list, None where it has neither."""
    limits = reader.table(data, "limits", ("whitelist", "cards"))
    whitelist = reader.flag(limits, "whitelist", "limits.whitelist", False)
    counts = reader.cards(limits, "limits.cards", preset.copies)
    table = reader.table(data, "points", ("budget", "decks", "cards"))
    points: Points | None = None
    if "points" in data:
        budget = reader.number(table, "budget", "points.budget", 0, MAX_POINTS, needed=True)
        costs = reader.cards(table, "points.cards", MAX_POINTS)
        every = frozenset(COUNTED_DECKS)
        decks = reader.words(table, "decks", "points.decks", every, every)
        if not decks:
            reader.note("preset_out_of_range", "points.decks", 0, list(COUNTED_DECKS))
        points = Points(
            preset.id,
            budget or 0,
            tuple(Cost(passcode, number, name) for passcode, name, number in costs),
            tuple(one for one in COUNTED_DECKS if one in decks),
        )
    if whitelist and not counts:
        reader.note("preset_contradiction", "limits.cards", 0, "a whitelist names cards")
    if not counts and points is None:
        return None
    made = tuple(Limit(passcode, number, name) for passcode, name, number in counts)
    return Banlist(preset.id, whitelist, made, points=points)


def preset_data(preset: Preset) -> dict[str, Any]:
    """Write a preset as data with every key: read_preset gives the same preset again. The id is
    without its version."""
    own = preset.own_list
    side: dict[str, Any] = {"extra_cards": preset.side_extra}
    if preset.side_sizes is not None:
        side["sizes"] = list(preset.side_sizes)
    else:
        side["most"] = preset.side_max
    body: dict[str, Any] = {
        "id": preset.id.partition("@")[0],
        "title": preset.title or preset.id,
        "game": preset.game,
        "main": {"least": preset.main_min, "most": preset.main_max},
        "extra": {"most": preset.extra_max, "kinds": sorted(preset.extra_kinds)},
        "side": side,
        "copies": {
            "most": preset.copies,
            "extra": preset.count_extra,
            "treated_as": preset.treated_as,
        },
        "cards": {
            "kinds": sorted(preset.card_kinds),
            "monsters": sorted(preset.monster_kinds),
            "attributes": preset.most_attributes,
        },
    }
    if own is not None and (own.limits or own.whitelist):
        body["limits"] = {
            "whitelist": own.whitelist,
            "cards": {_card(one): one.count for one in own.limits},
        }
    if own is not None and own.points is not None:
        body["points"] = {
            "budget": own.points.budget,
            "decks": list(own.points.decks),
            "cards": {_card(one): one.points for one in own.points.costs},
        }
    for name in ("main", "extra", "cards"):
        body[name] = {key: value for key, value in body[name].items() if value is not None}
    return body


def _card(one: Limit | Cost) -> str:
    return str(one.passcode) if one.passcode else one.remark


def preset_hash(preset: Preset) -> str:
    """Return the hex SHA-256 of the preset as it is written: what an event freezes."""
    return hashlib.sha256(write_preset(preset).encode()).hexdigest()


def parse_preset(content: bytes, version: int | None = None) -> PresetRead:
    """Read a preset from TOML, or from JSON where the text begins with a brace.

    Raises Unreadable `too_large`, `bad_preset` (neither of them, with what the parser says).
    """
    limited(content, MAX_BYTES)
    try:
        text = content.decode("utf-8-sig")
        data = json.loads(text) if text.lstrip().startswith("{") else _toml_table(text)
    except (ValueError, RecursionError) as fault:
        why = "too deep" if isinstance(fault, RecursionError) else str(fault)[:120]
        raise Unreadable("bad_preset", found=why, allowed="TOML or JSON in UTF-8") from None
    return read_preset(data, version)


def _toml_table(text: str) -> dict[str, Any]:
    """Parse TOML without lines that its parser would take minutes or hundreds of MiB for: a key
    of many parts costs it their square. Raises ValueError."""
    for number, line in enumerate(lines_of(text), 1):
        if len(line) > MOST_SIGNS:
            raise ValueError(f"line {number} has {len(line)} signs, at most {MOST_SIGNS} are read")
        if sum(map(_QUOTED.sub("", line).count, ".[{")) > MOST_LEVELS:
            raise ValueError(f"line {number} is too deep")
    return tomllib.loads(text)


def write_preset(preset: Preset) -> str:
    """Write a preset as TOML that parse_preset reads back: always the same text for the same
    preset."""
    plain: list[str] = []
    tables: list[str] = []
    for key, value in preset_data(preset).items():
        if not isinstance(value, dict):
            plain.append(f"{key} = {_toml(value)}")
            continue
        inner = {name: one for name, one in value.items() if not isinstance(one, dict)}
        tables += ["", f"[{key}]", *(f"{name} = {_toml(one)}" for name, one in inner.items())]
        for name, held in value.items():
            if isinstance(held, dict):
                lines = (f"{_toml(card)} = {number}" for card, number in held.items())
                tables += ["", f"[{key}.{name}]", *lines]
    return "\n".join([*plain, *tables, ""])


def _toml(value: object) -> str:
    """Write a text, number, flag or list of them; JSON writes them as TOML does."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
