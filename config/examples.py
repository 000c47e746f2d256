"""Examples for the schema, made from the schema itself, so that none can grow old: each field
gets a value that its type, its bounds and its name allow. Operations give their own where a
made one would not tell enough."""

from __future__ import annotations

from typing import Any

ID = "01890a5d-ac96-774b-bcce-b302099a8057"
WORDS = {
    "name": "Harbour Open",
    "title": "Advanced 2026.04",
    "zone": "Europe/Zagreb",
    "game": "yugioh",
    "preset": "classic",
    "match_rules": "ygo-classic",
    "standings": "konami-policy",
    "system": "konami-policy@1",
    "pack": "house-rules",
    "status": "running",
    "state": "waiting",
    "stage": "swiss",
    "language": "hr",
    "display_name": "Alice",
    "sort_name": "Alice",
    "card_game_id": "0101234567",
    "key": "89631139",
    "winner": "P1",
    "seat": "P1",
    "by": "P1",
    "first": "P1",
    "reason": "played",
    "kind": "ruling",
    "category": "rules",
    "code": "duels.monster_summoned",
    "text": "Alice summons a monster.",
    "rule": "YGO-1.1",
    "rule_id": "YGO-16.1",
    "content": "#main\n89631139\n!side\n",
    "infraction": "DC-MAJOR",
    "approval": "not_needed",
    "remedy": "play_on",
    "outcome": "upheld",
    "url": "https://example.org/hook",
    "label": "Pairings screen",
}
LIMIT = 4
"""How deep an example goes into schemas that hold each other."""


def example_of(schema: dict[str, Any], parts: dict[str, Any], name: str = "", deep: int = 0) -> Any:
    """Return an example value of a schema; `parts` are the components it refers to."""
    if "$ref" in schema:
        return example_of(parts[schema["$ref"].rpartition("/")[2]], parts, name, deep + 1)
    for given in ("example", "const", "default"):
        if schema.get(given) is not None:
            return schema[given]
    if schema.get("enum"):
        return schema["enum"][0]
    if "allOf" in schema:
        merged: dict[str, Any] = {}
        for one in schema["allOf"]:
            value = example_of(one, parts, name, deep)
            if not isinstance(value, dict):
                return value
            merged |= value
        return merged
    for choice in ("oneOf", "anyOf"):
        if choice in schema:
            real = [one for one in schema[choice] if one.get("type") != "null"]
            return example_of(real[0], parts, name, deep) if deep < LIMIT else None
    return _plain(schema, parts, name, deep)


def _plain(schema: dict[str, Any], parts: dict[str, Any], name: str, deep: int) -> Any:
    kind = schema.get("type", "object" if "properties" in schema else None)
    if isinstance(kind, list):
        kind = next(one for one in kind if one != "null")
    if kind == "object":
        if "properties" not in schema:
            return {}
        wanted = schema["properties"]
        if deep >= LIMIT:
            wanted = {key: wanted[key] for key in schema.get("required", [])}
        return {key: example_of(one, parts, key, deep) for key, one in wanted.items()}
    if kind == "array":
        if name in ("score", "possible") and schema["items"].get("type") == "integer":
            return [2, 1, 0]
        few = max(schema.get("minItems", 1), 1)
        return [example_of(schema.get("items", {}), parts, name, deep) for _ in range(few)]
    if kind == "integer":
        return max(schema.get("minimum", 1), 1)
    if kind == "number":
        return max(schema.get("minimum", 90.5), 90.5)
    if kind == "boolean":
        return name in ("done", "published", "proven", "frozen", "may_desk")
    return _text(schema, name) if kind == "string" else None


def _text(schema: dict[str, Any], name: str) -> str:
    if schema.get("format") == "uri":
        return "https://example.org/api/v1/events?page=2"
    if schema.get("format") == "date-time" or name == "at" or name.endswith("_at"):
        return "2026-07-04T09:30:00.000000Z"
    if schema.get("format") == "uuid" or name == "id" or name.endswith("_id"):
        return ID
    if name.endswith("hash"):
        return "9f86d081884c7d65"
    return WORDS.get(name, "")[: schema.get("maxLength", 200)]
