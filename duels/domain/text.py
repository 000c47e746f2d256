"""The text format of a duel log: header tags, then one event a line. docs/duel-text.md.

    headjudge-duel 1
    [Game "yugioh"]
    [Events "2"]

    1 2026-05-02T12:00:00.000000Z player turn_begun/1 turn=1 player=P1
    2 - - cards_drawn/1 player=P1 cards=[7] cause=normal by=0

A line: number, time or `-`, source or `-`, event type and schema version, fields. A value is
JSON, or a bare word for text that is one. Limits are asked before anything is parsed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from duels.domain.events import DuelEnded, DuelOpened
from eventstore.domain import canonical, registry
from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent, name_of

MAGIC, VERSION = "headjudge-duel", 1
MASKED = "masked"
PREFIX = "duels."
MAX_BYTES = 8 * 1024 * 1024
MAX_LINE = 1024 * 1024
MAX_EVENTS = 20_000
MAX_TAGS = 64
NONE = "-"

_TAG = re.compile(r'\[([A-Z][A-Za-z0-9]{0,30}) ("(?:[^"\\]|\\.)*")\]')
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z")
_SOURCE = re.compile(r"[a-z_]{1,20}")
_HEAD = re.compile(
    rf"(?P<seq>[1-9][0-9]{{0,8}}) (?P<at>-|{_TIME.pattern}) (?P<source>-|{_SOURCE.pattern})"
    r" (?P<type>[a-z_.]{1,60})/(?P<schema>[1-9][0-9]{0,3})(?= |$)"
)
_FIELD = re.compile(r" ([a-z][a-z0-9_]{0,39})=")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]*")
_LITERALS = ("true", "false", "null")


@dataclass(frozen=True, slots=True)
class Entry:
    """One event of a log. `at`: when it was recorded (UTC text with microseconds and Z);
    `source`: player, judge, import ... None where a log does not say."""

    event: DomainEvent
    at: str | None = None
    source: str | None = None


def write(entries: Sequence[Entry]) -> bytes:
    """Write a log; `read` gives it back. Raises NotCanonical for an event that could not be
    stored either."""
    lines = _header([one.event for one in entries], {})
    for seq, one in enumerate(entries, 1):
        name, schema = name_of(one.event)
        body: dict[str, Any] = msgspec.to_builtins(one.event)
        canonical.check(body)
        lines.append(_line(seq, one.at, one.source, name, schema, body))
    return _joined(lines)


def write_masked(
    opening: DuelOpened,
    rows: Sequence[tuple[str, int, str, str, Mapping[str, Any]]],
    perspective: str,
) -> bytes:
    """Write what a perspective may read of a log: rows of (type, schema, time, source, masked
    fields). The first line and a tag say that the text is masked, and `read` refuses it."""
    lines = _header([opening], {"Perspective": perspective, "Events": str(len(rows))})
    lines[0] = f"{lines[0]} {MASKED}"
    for seq, (name, schema, at, source, body) in enumerate(rows, 1):
        lines.append(_line(seq, at, source, name, schema, body))
    return _joined(lines)


def _joined(lines: list[str]) -> bytes:
    return ("\n".join(lines) + "\n").encode()


def _header(events: Sequence[DomainEvent], more: Mapping[str, str]) -> list[str]:
    """Return the first lines, up to the empty one. Tags repeat what events say, for readers."""
    tags = {"Events": str(len(events))}
    opening = events[0] if events else None
    if isinstance(opening, DuelOpened):
        tags |= {
            "Game": opening.game,
            "Duel": opening.duel_id,
            "Event": opening.event_id or "",
            "Match": opening.match_id or "",
            "Number": str(opening.number),
            "Mode": opening.mode,
            "Fidelity": opening.fidelity,
            "P1": " ".join(opening.seats.get("P1", [])),
            "P2": " ".join(opening.seats.get("P2", [])),
            "Starter": opening.starter,
        }
    ended = [event for event in events if isinstance(event, DuelEnded)]
    if ended:
        tags["Result"] = f"{ended[-1].winner} {ended[-1].by}"
    tags.update(more)
    made = [f"[{name} {_json(value)}]" for name, value in tags.items()]
    return [f"{MAGIC} {VERSION}", *made, ""]


def _line(
    seq: int, at: str | None, source: str | None, name: str, schema: int, body: Mapping[str, Any]
) -> str:
    short = name.removeprefix(PREFIX)
    fields = "".join(f" {key}={_value(value)}" for key, value in body.items())
    return f"{seq} {at or NONE} {source or NONE} {short}/{schema}{fields}"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def _value(value: Any) -> str:
    if isinstance(value, str) and value not in _LITERALS and _WORD.fullmatch(value):
        return value
    return _json(value)


class _Fault(Exception):
    """Damage at one place: the code without its prefix, and what was found."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.code)
        self.refusal = refusal


def read(data: bytes) -> list[Entry] | Refusal:
    """Read a log. Line ends may be those of Windows; a byte order mark is passed over.

    Refused, with the line number where there is one: `duels.text_too_large` (bytes, a line,
    events), `duels.text_not_utf8`, `duels.text_header` (no log, or of another version),
    `duels.text_masked`, `duels.text_tag`, `duels.text_line` (no event line), `duels.text_order`
    (a number out of turn), `duels.text_event` (type or version unknown), `duels.text_field`
    (values that the type has not), `duels.text_count` (lines lost at the end).
    """
    try:
        return _read(data)
    except _Fault as fault:
        return fault.refusal


def _read(data: bytes) -> list[Entry]:
    if len(data) > MAX_BYTES:
        raise _Fault(_too_large("bytes", len(data), MAX_BYTES))
    if data.count(b"\n") > MAX_EVENTS + MAX_TAGS + 2:
        raise _Fault(_too_large("lines", data.count(b"\n"), MAX_EVENTS))
    rows = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    if rows[-1] == b"":
        rows.pop()
    lines = [_decoded(number, row) for number, row in enumerate(rows, 1)]
    tags, start = _read_header(lines)
    entries: list[Entry] = []
    for number, line in enumerate(lines[start:], start + 1):
        if not line and number == len(lines):
            break  # an empty line at the end is no damage
        entries.append(_read_line(number, line, len(entries) + 1))
    if tags.get("Events") != str(len(entries)):
        found = {"found": len(entries), "allowed": tags.get("Events")}
        raise _Fault(Refusal("duels.text_count", found))
    return entries


def _too_large(what: str, found: int, allowed: int, line: int = 0) -> Refusal:
    return Refusal(
        "duels.text_too_large", {"what": what, "found": found, "allowed": allowed, "line": line}
    )


def _decoded(number: int, row: bytes) -> str:
    if len(row) > MAX_LINE:
        raise _Fault(_too_large("line", len(row), MAX_LINE, number))
    try:
        return row.removesuffix(b"\r").decode("utf-8")
    except UnicodeDecodeError as fault:
        found = {"line": number, "found": fault.start + 1}
        raise _Fault(Refusal("duels.text_not_utf8", found)) from None


def _read_header(lines: Sequence[str]) -> tuple[dict[str, str], int]:
    """Return the tags and the index of the first event line."""
    first = lines[0] if lines else ""
    if first == f"{MAGIC} {VERSION} {MASKED}":
        raise _Fault(Refusal("duels.text_masked", {"line": 1}))
    if first != f"{MAGIC} {VERSION}":
        found = {"line": 1, "found": first[:60], "allowed": f"{MAGIC} {VERSION}"}
        raise _Fault(Refusal("duels.text_header", found))
    tags: dict[str, str] = {}
    for number, line in enumerate(lines[1:], 2):
        if not line:
            return tags, number
        match = _TAG.fullmatch(line)
        try:
            value = json.loads(match[2]) if match else None
        except ValueError:
            value = None
        if match is None or value is None or match[1] in tags or len(tags) == MAX_TAGS:
            raise _Fault(Refusal("duels.text_tag", {"line": number, "found": line[:60]}))
        tags[match[1]] = value
    raise _Fault(Refusal("duels.text_tag", {"line": len(lines), "found": ""}))


def _read_line(number: int, line: str, seq: int) -> Entry:
    head = _HEAD.match(line)
    if head is None:
        raise _Fault(Refusal("duels.text_line", {"line": number, "found": line[:60]}))
    if int(head["seq"]) != seq:
        found = {"line": number, "found": int(head["seq"]), "allowed": seq}
        raise _Fault(Refusal("duels.text_order", found))
    short = head["type"]
    name = short if "." in short else PREFIX + short
    event = _event(number, name, int(head["schema"]), _fields(number, line, head.end()))
    at, source = head["at"], head["source"]
    return Entry(event, None if at == NONE else at, None if source == NONE else source)


def _no_float(text: str) -> Any:
    raise ValueError(f"{text} is no whole number")


def _whole(text: str) -> int:
    if len(text) > 17:
        raise ValueError("a number is too long")
    return int(text)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a key stands twice")
    return made


_values = json.JSONDecoder(
    parse_float=_no_float, parse_constant=_no_float, parse_int=_whole, object_pairs_hook=_once
)


def _fields(number: int, line: str, at: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    while at < len(line):
        match = _FIELD.match(line, at)
        if match is None or match[1] in found:
            raise _damaged(number, line[at : at + 60])
        at = match.end()
        word = _WORD.match(line, at)
        if word is not None and word[0] not in _LITERALS:
            found[match[1]], at = word[0], word.end()
            continue
        try:
            found[match[1]], at = _values.raw_decode(line, at)
        except (ValueError, RecursionError) as fault:
            raise _damaged(number, f"{match[1]}: {fault}"[:120]) from None
    return found


def _damaged(number: int, found: str) -> _Fault:
    return _Fault(Refusal("duels.text_field", {"line": number, "found": found}))


def _event(number: int, name: str, schema: int, body: dict[str, Any]) -> DomainEvent:
    try:
        return registry.decode(name, schema, canonical.encode(body))
    except registry.UnknownEventType:
        found = {"line": number, "found": f"{name}/{schema}"}
        raise _Fault(Refusal("duels.text_event", found)) from None
    except (canonical.NotCanonical, msgspec.MsgspecError, RecursionError) as fault:
        raise _damaged(number, str(fault)[:120]) from None
    except (KeyError, TypeError, ValueError) as fault:
        # a step from an older version met values that this version never had
        raise _damaged(number, f"{type(fault).__name__}: {fault}"[:120]) from None


class _Exported(msgspec.Struct, frozen=True):
    """The part of a stored envelope that a log needs; what else it holds is passed over."""

    type: str
    schema: int
    data: msgspec.Raw
    recorded_at: str | None = None
    meta: dict[str, Any] = {}


_exported = msgspec.json.Decoder(list[_Exported])


def read_json(data: bytes) -> list[Entry] | Refusal:
    """Read a log that was exported as a JSON list of stored envelopes, or of objects with at
    least their `type`, `schema` and `data`. Refused as `read`; `line` is the rank in the list.
    """
    if len(data) > MAX_BYTES:
        return _too_large("bytes", len(data), MAX_BYTES)
    try:
        listed = _exported.decode(data)
    except (msgspec.MsgspecError, RecursionError) as fault:
        return Refusal("duels.text_header", {"line": 1, "found": str(fault)[:120]})
    if len(listed) > MAX_EVENTS:
        return _too_large("events", len(listed), MAX_EVENTS)
    entries: list[Entry] = []
    try:
        for number, one in enumerate(listed, 1):
            event = _event(number, one.type, one.schema, _body(number, one.data))
            entries.append(Entry(event, *_origin(number, one)))
    except _Fault as fault:
        return fault.refusal
    return entries


def _origin(number: int, one: _Exported) -> tuple[str | None, str | None]:
    source = one.meta.get("source")
    if one.recorded_at is not None and not _TIME.fullmatch(one.recorded_at):
        raise _damaged(number, f"recorded_at: {one.recorded_at}"[:120])
    if source is not None and not (isinstance(source, str) and _SOURCE.fullmatch(source)):
        raise _damaged(number, f"source: {source}"[:120])
    return one.recorded_at, source


def _body(number: int, raw: msgspec.Raw) -> dict[str, Any]:
    try:
        body = msgspec.json.decode(raw)
    except (msgspec.MsgspecError, RecursionError) as fault:
        raise _damaged(number, str(fault)[:120]) from None
    if not isinstance(body, dict):
        raise _damaged(number, type(body).__name__)
    return body


def read_any(data: bytes) -> list[Entry] | Refusal:
    """Read either form: a text log, or a JSON list."""
    json_list = data.removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n")[:1] == b"["
    return read_json(data) if json_list else read(data)
