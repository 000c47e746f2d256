"""A bundle: all events of one event (a tournament) in one file that proves itself offline.

A zip with
    bundle.note       signed note: which event, which checkpoint, SHA-256 of every other file
    checkpoint.txt    the signed checkpoint that the proofs lead to
    events.jsonl      the stored bytes of the events, one a line, in the order of the log
    proofs.jsonl      one line for each of those: position, inclusion proof (null: not covered)
    doubts.jsonl      rows elsewhere in the log that are not what the checkpoint covers
    streams.json      the streams and the newest version of each
    history.jsonl     older checkpoints, each with a consistency proof to this one
    README.txt        how to verify

`tools/verify_bundle.py` reads it with nothing but Python. The store knows no games: a room
registers with `bundle_members` which streams belong to an event. Without that a stream belongs
when its first event names, in a top-level field, the id of a stream that belongs.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import msgspec
from django.db import connection

from eventstore import checkpoints, signing
from eventstore.checkpoints import LogFault, NotCovered, Signed
from eventstore.domain import checkpoint as notes
from eventstore.domain.audit import Auditor, Fault
from eventstore.domain.merkle import HASH_BYTES, Tree

Members = Callable[[str], Iterable[str]]
FORMAT = "headjudge-bundle/1"
ROOT_KIND = "tournament"
STAMP = (1980, 1, 1, 0, 0, 0)
README = """\
This bundle holds the log of one event and proves itself.

    python3 verify_bundle.py BUNDLE.zip [--key KEY] [--checkpoint FILE]

KEY is the public key that the organiser published; FILE is a checkpoint that was downloaded
while the event ran. Nothing but Python 3 is needed. The texts that people wrote are sealed.
"""

_members: list[Members] = []


class NoSuchEvent(LookupError):
    """There is no stream of that event."""


def bundle_members(find: Members) -> Members:
    """Register a function that returns the streams of an event by its id."""
    _members.append(find)
    return find


class _First(msgspec.Struct, frozen=True):
    stream: str
    data: dict[str, Any]


_first = msgspec.json.Decoder(_First)


class _Stream(msgspec.Struct, frozen=True):
    stream: str


_stream = msgspec.json.Decoder(_Stream)


def _named_by_first_events(root: str) -> set[str]:
    """Return the streams reached from `root` by what their first events name."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT body FROM eventstore_event WHERE version = 1 ORDER BY position")
        bodies = [bytes(body) for (body,) in cursor.fetchall()]
    names: dict[str, list[str]] = {}
    for body in bodies:
        try:
            first = _first.decode(body)
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue  # altered: the walk over the log names it
        if first.stream.partition("-")[0] != ROOT_KIND:
            for value in first.data.values():
                if type(value) is str:
                    names.setdefault(value, []).append(first.stream)
    reached, waiting = {root}, [root]
    while waiting:
        _, _, identity = waiting.pop().partition("-")
        for stream in names.get(identity, ()):
            if stream not in reached:
                reached.add(stream)
                waiting.append(stream)
    return reached


def streams_of(event_id: str) -> set[str]:
    """Return the streams that belong to an event; raises NoSuchEvent."""
    root = f"{ROOT_KIND}-{event_id}"
    if not checkpoints.stream_positions(root):
        raise NoSuchEvent(event_id)
    reached = _named_by_first_events(root)
    for find in _members:
        reached.update(find(event_id))
    return reached


@dataclass(slots=True)
class _Parts:
    """The lines of a bundle while the log is read."""

    events: list[bytes] = field(default_factory=list)
    proofs: list[dict[str, Any]] = field(default_factory=list)
    doubts: list[dict[str, Any]] = field(default_factory=list)
    versions: dict[str, int] = field(default_factory=dict)


def _belongs(row: tuple[Any, ...], streams: set[str]) -> bool:
    """Say whether a row is of the event, by its column or by its bytes."""
    if row[1] in streams:
        return True
    try:
        return _stream.decode(row[6]).stream in streams
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False


def _read(streams: set[str], tree: Tree, known: bytes) -> _Parts:
    """Walk the whole log: members with proofs, and what is wrong elsewhere."""
    parts = _Parts()
    auditor = Auditor(known=known)
    kept: set[int] = set()
    for rows in checkpoints.rows_after(0):
        wrong_before = len(auditor.faults)
        auditor.feed(rows)
        wrong = {fault.position for fault in auditor.faults[wrong_before:]}
        for row in rows:
            position = row[0]
            if not (_belongs(row, streams) if position in wrong else row[1] in streams):
                continue
            kept.add(position)
            proof = None
            if 0 < position <= auditor.covered:
                proof = [step.hex() for step in tree.inclusion(position - 1)]
            parts.events.append(bytes(row[6]))
            parts.proofs.append({"position": position, "proof": proof})
            parts.versions[row[1]] = max(parts.versions.get(row[1], 0), row[2])
    auditor.finish()
    for fault in auditor.faults:
        # a copy beside the stored bytes does not show in the bundle: the export says so
        if fault.position not in kept or fault.code == "columns_differ":
            parts.doubts.append(
                {"position": fault.position, "code": fault.code, "found": fault.params.get("found")}
            )
    return parts


def _history(tree: Tree, upto: Signed) -> list[dict[str, Any]]:
    lines: list[dict[str, Any]] = []
    for one in checkpoints.checkpoints():
        size = one.checkpoint.size
        if 0 < size < upto.checkpoint.size:
            proof = [step.hex() for step in tree.consistency(size)]
            lines.append({"note": one.note, "reason": one.reason, "proof": proof})
    return lines


def _json_lines(values: Iterable[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(one, sort_keys=True).encode() + b"\n" for one in values)


def _current_checkpoint() -> Signed:
    """Return a checkpoint over all events, or the newest one where the rest is no chain."""
    try:
        checkpoints.checkpoint_make(reason="bundle")
    except LogFault:
        if checkpoints.newest_checkpoint() is None:
            raise
    newest = checkpoints.newest_checkpoint()
    if newest is None or newest.checkpoint.size == 0:
        raise NotCovered("the log is empty")
    return newest


def export(event_id: str) -> bytes:
    """Return the bundle of an event as the bytes of a zip file.

    Makes a checkpoint first when there are newer events. A log that is not what its checkpoint
    covers is exported all the same, so that the verifier can name what is wrong. Raises
    NoSuchEvent, NotCovered, and LogFault when the kept leaf hashes themselves are damaged.
    """
    streams = streams_of(event_id)
    newest = _current_checkpoint()
    size = newest.checkpoint.size
    known = checkpoints.kept_leaves()[: size * HASH_BYTES]
    if len(known) < size * HASH_BYTES:
        raise LogFault([Fault(len(known) // HASH_BYTES + 1, "copy_damaged")])
    tree = Tree([known[at : at + HASH_BYTES] for at in range(0, len(known), HASH_BYTES)])
    if tree.root() != newest.checkpoint.root:
        raise LogFault([Fault(1, "copy_damaged", {"upto": size})])
    parts = _read(streams, tree, known)
    files = {
        "README.txt": README.encode(),
        "checkpoint.txt": newest.note.encode(),
        "doubts.jsonl": _json_lines(parts.doubts),
        "events.jsonl": b"".join(body + b"\n" for body in parts.events),
        "history.jsonl": _json_lines(_history(tree, newest)),
        "proofs.jsonl": _json_lines(parts.proofs),
        "streams.json": json.dumps(parts.versions, sort_keys=True).encode() + b"\n",
    }
    lines = [FORMAT, f"event {event_id}", f"size {size}"]
    lines += [f"file {name} {hashlib.sha256(raw).hexdigest()}" for name, raw in files.items()]
    key = signing.signing_key()
    lines.append(f"key {key.verifier.as_text()}")
    files["bundle.note"] = notes.sign_note("\n".join(lines) + "\n", key).encode()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, raw in sorted(files.items()):
            archive.writestr(zipfile.ZipInfo(name, STAMP), raw, zipfile.ZIP_DEFLATED)
    return out.getvalue()
