#!/usr/bin/env python3
"""Verify a bundle of an event offline, with nothing but Python 3.

    python3 verify_bundle.py BUNDLE.zip [--key NAME+ID+KEY] [--checkpoint FILE] [--json]

Checks, in this order: the signatures (Ed25519, RFC 8032), the files against the signed list,
every event against the Merkle root of the checkpoint (RFC 9162), the chain of every stream, the
older checkpoints against this one. Names every event that is wrong by its position in the log.
Exit code 0: all true; 1: something is wrong; 2: not a bundle.

Without --key the key that the bundle itself states is used: that shows the bundle is whole, not
who made it. With --checkpoint a checkpoint kept from earlier must fit the bundle's history.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import sys
import zipfile
import zlib

FORMAT = "headjudge-bundle/1"
FILES = (
    "README.txt", "bundle.note", "checkpoint.txt", "doubts.jsonl", "events.jsonl",
    "history.jsonl", "proofs.jsonl", "streams.json",
)  # fmt: skip
BYTES_AT_MOST = 1 << 30


class NotABundle(Exception):
    """The file cannot be read as a bundle at all."""


# Ed25519 (RFC 8032, 5.1), verification only: nothing secret, so speed and timing do not matter.

P = 2**255 - 19
Q = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
ROOT_OF_MINUS_ONE = pow(2, (P - 1) // 4, P)
NEUTRAL = (0, 1, 1, 0)


def _add(one, other):
    a = (one[1] - one[0]) * (other[1] - other[0]) % P
    b = (one[1] + one[0]) * (other[1] + other[0]) % P
    c, d = 2 * one[3] * other[3] * D % P, 2 * one[2] * other[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def _times(number, point):
    found = NEUTRAL
    while number:
        if number & 1:
            found = _add(found, point)
        point = _add(point, point)
        number >>= 1
    return found


def _point(raw):
    """Decode a point; None when there is none."""
    y = int.from_bytes(raw, "little")
    sign, y = y >> 255, y & (1 << 255) - 1
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * ROOT_OF_MINUS_ONE % P
    if (x * x - square) % P or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = P - x
    return x, y, 1, x * y % P


BASE = _point((4 * pow(5, -1, P) % P).to_bytes(32, "little"))


def ed25519_verify(public, message, signature):
    """Say whether `signature` (64 bytes) of `message` is by the key `public` (32 bytes)."""
    if len(public) != 32 or len(signature) != 64:
        return False
    key, first = _point(public), _point(signature[:32])
    second = int.from_bytes(signature[32:], "little")
    if key is None or first is None or second >= Q:
        return False
    challenge = hashlib.sha512(signature[:32] + public + message).digest()
    number = int.from_bytes(challenge, "little") % Q
    left, right = _times(second, BASE), _add(first, _times(number, key))
    return not (
        (left[0] * right[2] - right[0] * left[2]) % P
        or (left[1] * right[2] - right[1] * left[2]) % P
    )


# Signed notes and checkpoints (C2SP signed-note, tlog-checkpoint).


def read_key(text):
    """Return (name, key id, public key) of a verifier key; raises ValueError."""
    name, key_id, tail = text.strip().split("+", 2)
    raw = base64.b64decode(tail, validate=True)
    found = hashlib.sha256(name.encode() + b"\n" + raw).digest()[:4]
    if raw[:1] != b"\x01" or len(raw) != 33 or found.hex() != key_id:
        raise ValueError("not an Ed25519 verifier key")
    return name, found, raw[1:]


def open_note(note, keys):
    """Return the text of a note signed by one of the keys; raises ValueError."""
    text, mark, lines = note.rpartition("\n\n")
    if not mark or not lines.endswith("\n"):
        raise ValueError("it has no signature")
    text += "\n"
    for line in lines[:-1].split("\n"):
        name, _, tail = line.removeprefix("— ").partition(" ")
        raw = base64.b64decode(tail, validate=True)
        for known, key_id, public in keys:
            if known == name and raw[:4] == key_id:
                if ed25519_verify(public, text.encode(), raw[4:]):
                    return text
                raise ValueError("its signature is false")
    raise ValueError("it is not signed by the trusted key")


def read_checkpoint(text):
    """Return (origin, size, root) of the text of a checkpoint; raises ValueError."""
    origin, size, root = text.split("\n")[:3]
    raw = base64.b64decode(root, validate=True)
    if str(int(size)) != size or int(size) < 1 or len(raw) != 32:
        raise ValueError("size or root is malformed")
    return origin, int(size), raw


# The Merkle tree (RFC 9162, 2.1).


def leaf_hash(body):
    """Return the leaf hash of stored bytes."""
    return hashlib.sha256(b"\x00" + body).digest()


def _node(left, right):
    return hashlib.sha256(b"\x01" + left + right).digest()


def included(index, size, leaf, proof, root):
    """Verify an inclusion proof (RFC 9162, 2.1.3.2)."""
    if not 0 <= index < size:
        return False
    at, last, found = index, size - 1, leaf
    for step in proof:
        if last == 0:
            return False
        if at & 1 or at == last:
            found = _node(step, found)
            while at and not at & 1:
                at, last = at >> 1, last >> 1
        else:
            found = _node(found, step)
        at, last = at >> 1, last >> 1
    return last == 0 and found == root


def consistent(old, new, old_root, new_root, proof):
    """Verify a consistency proof (RFC 9162, 2.1.4.2)."""
    if not 0 < old <= new:
        return False
    if old == new:
        return not proof and old_root == new_root
    path = ([old_root] if old & (old - 1) == 0 else []) + list(proof)
    if not path:
        return False
    at, last = old - 1, new - 1
    while at & 1:
        at, last = at >> 1, last >> 1
    first = second = path[0]
    for step in path[1:]:
        if last == 0:
            return False
        if at & 1 or at == last:
            first, second = _node(step, first), _node(step, second)
            while at and not at & 1:
                at, last = at >> 1, last >> 1
        else:
            second = _node(second, step)
        at, last = at >> 1, last >> 1
    return last == 0 and first == old_root and second == new_root


class Report:
    """What was found: faults as {position, stream, version, type, code, text}."""

    def __init__(self):
        self.faults = []
        self.notes = []
        self.values = {}

    def add(self, code, text, position=None, envelope=None):
        """Keep one fault; `position` None when it is not about one event."""
        envelope = envelope or {}
        self.faults.append(
            {
                "position": position,
                "stream": envelope.get("stream"),
                "version": envelope.get("version"),
                "type": envelope.get("type"),
                "code": code,
                "text": text,
            }
        )

    @property
    def first_position(self):
        """The lowest position that is wrong, None when no event is."""
        known = [one["position"] for one in self.faults if one["position"] is not None]
        return min(known, default=None)


def _unpack(file):
    try:
        with zipfile.ZipFile(file) as archive:
            if sum(one.file_size for one in archive.infolist()) > BYTES_AT_MOST:
                raise NotABundle("it is too large")
            names = archive.namelist()
            if sorted(names) != sorted(FILES):
                raise NotABundle(f"it holds {', '.join(sorted(names)) or 'nothing'}")
            return {name: archive.read(name) for name in FILES}
    except (
        OSError, zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError, EOFError,
        ValueError, OverflowError,
    ) as fault:  # fmt: skip
        raise NotABundle(str(fault)) from None


def _lines(raw):
    """Return the lines of a file, without the last line's end."""
    return raw.split(b"\n")[:-1] if raw.endswith(b"\n") else raw.split(b"\n") if raw else []


def _values(raw, report, name):
    """Return the JSON objects of a file; a line that is none becomes an empty object."""
    found = []
    for number, line in enumerate(_lines(raw), 1):
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            report.add("malformed", f"{name}, line {number} cannot be read")
            value = {}
        found.append(value)
    return found


def _steps(value):
    """Return a proof as bytes, None when it is not one."""
    try:
        steps = [bytes.fromhex(step) for step in value]
    except (TypeError, ValueError):
        return None
    return steps if all(len(step) == 32 for step in steps) else None


def _check_list(files, keys, report):
    """Check the signed list of files; returns what it states, {} when it cannot be opened."""
    try:
        note = files["bundle.note"].decode()
        if not keys:
            stated = [line for line in note.split("\n") if line.startswith("key ")]
            keys.append(read_key(stated[0][4:]))
            report.notes.append("The key is the one the bundle states: compare it with the "
                                "published one.")  # fmt: skip
        text = open_note(note, keys)
    except (ValueError, IndexError) as fault:
        report.add("list_bad", f"The signed list of files cannot be trusted: {fault}.")
        return {}
    lines = text.split("\n")[:-1]
    stated = dict(line.partition(" ")[::2] for line in lines[1:] if not line.startswith("file "))
    if lines[0] != FORMAT:
        report.add("list_bad", f"The bundle is of another format: {lines[0]}.")
    parts = [line.split(" ") for line in lines if line.startswith("file ")]
    sums = {part[1]: part[2] for part in parts if len(part) == 3}
    for name in FILES:
        if name != "bundle.note" and sums.get(name) != hashlib.sha256(files[name]).hexdigest():
            report.add("file_altered", f"The file {name} is not the one that was signed.")
    return stated


def _check_events(files, size, root, report):
    """Check every event; returns the versions seen per stream."""
    bodies, proofs = _lines(files["events.jsonl"]), _values(
        files["proofs.jsonl"], report, "proofs.jsonl"
    )  # fmt: skip
    # An event that was taken out, put in or moved shifts the lines: find each by its proof.
    by_position = {_number(one.get("position")): one.get("proof") for one in proofs}
    if len(bodies) != len(proofs):
        report.add("count", f"{len(bodies)} events and {len(proofs)} proofs do not match.")
        placed = _placed_by_what_they_state(bodies)
    else:
        placed = [(one.get("position"), body) for one, body in zip(proofs, bodies, strict=True)]
    heads, seen, last = {}, set(), 0
    for position, body in placed:
        try:
            envelope = json.loads(body)
        except (ValueError, RecursionError):
            envelope = None
        envelope = envelope if isinstance(envelope, dict) else {}
        position = _number(position)
        if position is None or position in seen or position not in by_position:
            report.add("not_proven", "An event has no proof of its own.", position, envelope)
            continue
        seen.add(position)
        covered = by_position[position] is not None
        steps = _steps(by_position[position]) if covered else []
        leaf = leaf_hash(body)
        if covered and (steps is None or not included(position - 1, size, leaf, steps, root)):
            report.add("altered", "The event is not the one that the checkpoint covers.",
                       position, envelope)  # fmt: skip
            continue
        if not covered:
            report.add("not_covered", "No checkpoint covers the event.", position, envelope)
        if position <= last:
            report.add("order", "The event stands at another place than in the log.", position,
                       envelope)  # fmt: skip
        last = max(last, position)
        _check_chain(position, envelope, leaf.hex(), heads, report)
    for position in sorted(one for one in by_position if one is not None):
        if position not in seen:
            report.add("missing", "There is a proof for the event, but the event is not there.",
                       position)  # fmt: skip
    return heads


def _number(value):
    return value if type(value) is int else None


def _placed_by_what_they_state(bodies):
    placed = []
    for body in bodies:
        try:
            value = json.loads(body)
            placed.append((value["position"], body))
        except (ValueError, TypeError, KeyError, RecursionError):
            placed.append((None, body))
    return placed


def _check_chain(position, envelope, found, heads, report):
    stream, version = envelope.get("stream"), envelope.get("version")
    if not isinstance(stream, str) or type(version) is not int:
        report.add("malformed", "The event cannot be read.", position, envelope)
        return
    if envelope.get("position") != position:
        report.add("order", "The event states another position.", position, envelope)
    before = heads.get(stream, (0, ""))
    heads[stream] = (version, found)
    broken = any(one["position"] is not None for one in report.faults)
    if before != (version - 1, envelope.get("prev_hash")) and not broken:
        report.add("chain_broken", f"The event does not follow version {before[0]} of its stream.",
                   position, envelope)  # fmt: skip


def _check_streams(raw, heads, report):
    try:
        stated = json.loads(raw)
        wanted = {str(name): int(version) for name, version in stated.items()}
    except (ValueError, AttributeError, TypeError):
        report.add("malformed", "streams.json cannot be read.")
        return
    for name in sorted(wanted.keys() | heads.keys()):
        found = heads.get(name, (0, ""))[0]
        if found != wanted.get(name, 0):
            report.add("stream_end", f"{name} ends with version {found}, stated is "
                       f"{wanted.get(name, 0)}.", None, {"stream": name})  # fmt: skip


def _check_history(files, extra, keys, size, root, report):
    wanted = []
    for note in extra:
        try:
            wanted.append(read_checkpoint(open_note(note, keys)))
        except ValueError as fault:
            report.add("checkpoint_bad", f"The checkpoint given cannot be trusted: {fault}.")
    proven = {size: root}
    for one in _values(files["history.jsonl"], report, "history.jsonl"):
        try:
            _, old, old_root = read_checkpoint(open_note(one["note"], keys))
        except (ValueError, KeyError, AttributeError) as fault:
            report.add("checkpoint_bad", f"An older checkpoint cannot be trusted: {fault}.")
            continue
        steps = _steps(one.get("proof"))
        if steps is None or not consistent(old, size, old_root, root, steps):
            report.add("history", f"The checkpoint of {old} events does not lead to this one.")
        else:
            proven[old] = old_root
    for _, old, old_root in wanted:
        if proven.get(old) != old_root:
            report.add("history", f"The given checkpoint of {old} events is not in the history "
                       "of this log.")  # fmt: skip
    report.values["history"] = len(proven) - 1


def verify(file, *, key=None, extra=()):
    """Verify a bundle; returns the Report. Raises NotABundle, ValueError for a bad `key`."""
    files = _unpack(file)
    report = Report()
    keys = [read_key(key)] if key else []
    stated = _check_list(files, keys, report)
    report.values["event"] = stated.get("event")
    try:
        _, size, root = read_checkpoint(open_note(files["checkpoint.txt"].decode(), keys))
    except ValueError as fault:
        report.add("checkpoint_bad", f"The checkpoint cannot be trusted: {fault}.")
        return report
    if stated and stated.get("size") != str(size):
        report.add("checkpoint_bad", "The checkpoint is another than the list states.")
    report.values.update(size=size, events=len(_lines(files["events.jsonl"])))
    heads = _check_events(files, size, root, report)
    for one in _values(files["doubts.jsonl"], report, "doubts.jsonl"):
        report.add(str(one.get("code", "doubt")), "A row of the log was found wrong at export.",
                   _number(one.get("position")))  # fmt: skip
    _check_streams(files["streams.json"], heads, report)
    _check_history(files, extra, keys, size, root, report)
    report.faults.sort(key=lambda one: (one["position"] is None, one["position"] or 0))
    return report


def main(arguments=None):
    """Run the command; returns the exit code."""
    parser = argparse.ArgumentParser(description="Verify the bundle of an event offline.")
    parser.add_argument("bundle", help="the zip file")
    parser.add_argument("--key", help="the published public key, NAME+ID+KEY")
    parser.add_argument("--checkpoint", action="append", default=[], metavar="FILE",
                        help="a checkpoint kept from earlier")  # fmt: skip
    parser.add_argument("--json", action="store_true", help="one JSON value on standard output")
    options = parser.parse_args(arguments)
    try:
        extra = []
        for name in options.checkpoint:
            with open(name, encoding="utf-8", newline="") as source:
                extra.append(source.read())
        report = verify(options.bundle, key=options.key, extra=extra)
    except (NotABundle, OSError, ValueError) as fault:
        print(f"not a bundle, or not readable: {fault}", file=sys.stderr)
        return 2
    if options.json:
        value = {"ok": not report.faults, "first_position": report.first_position}
        print(json.dumps({**value, **report.values, "faults": report.faults}))
        return 1 if report.faults else 0
    print(f"event {report.values.get('event')}: {report.values.get('events')} events, "
          f"{report.values.get('history')} older checkpoints")  # fmt: skip
    for note in report.notes:
        print(note)
    for one in report.faults:
        where = "" if one["position"] is None else f"position {one['position']}: "
        what = f" ({one['stream']} version {one['version']}, {one['type']})" if one["type"] else ""
        print(f"{where}{one['code']}: {one['text']}{what}")
    print("WRONG" if report.faults else "All true.")
    return 1 if report.faults else 0


if __name__ == "__main__":
    sys.exit(main())
