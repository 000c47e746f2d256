"""Make, keep and prove with signed checkpoints of the log.

A checkpoint extends the one before it: old leaf hashes come from what was kept with the old
checkpoints, new ones from the events since. So an event that was altered after it was covered
never gets into a later checkpoint. Rooms leave the job `eventstore.jobs.CHECKPOINT` in the command
that publishes a round.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connection, connections, transaction

from eventstore import clock, signing, store
from eventstore.domain import checkpoint as notes
from eventstore.domain.audit import Auditor, Fault
from eventstore.domain.checkpoint import BadNote, Checkpoint, VerifierKey
from eventstore.domain.envelope import LEAF
from eventstore.domain.merkle import HASH_BYTES, Frontier, Tree
from eventstore.ids import new_id
from eventstore.models import CheckpointRow, LeafRow
from eventstore.queue import queued

LEAVES_A_ROW = 8192
BATCH = 256
"""Rows read at once: about as many as stay in the processor's cache."""
PROOF_HEAD = "c2sp.org/tlog-proof@v1"


class LogFault(Exception):
    """The log is not what its checkpoints say, or not a whole chain: nothing is signed."""

    def __init__(self, faults: list[Fault]) -> None:
        first = faults[0]
        super().__init__(f"position {first.position}: {first.code} {first.params}")
        self.faults = faults


class NotCovered(LookupError):
    """A proof was asked for what no checkpoint covers."""


@dataclass(frozen=True, slots=True)
class Signed:
    """A checkpoint that opened, with its note and why it was made."""

    checkpoint: Checkpoint
    note: str
    reason: str
    subject: str
    made_at: str


def rows_after(after: int, upto: int | None = None) -> Iterator[list[tuple[Any, ...]]]:
    """Yield the stored rows above a position in batches, columns as in audit.Row."""
    while upto is None or after < upto:
        rows = store.read_rows(after=after, batch=BATCH)
        if upto is not None:
            rows = [row for row in rows if row[0] <= upto]
        if not rows:
            return
        yield rows
        after = rows[-1][0]


def stored_hash(stream: str, version: int) -> str | None:
    """Hash the stored bytes of one event anew; None when there is no such event."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT body FROM eventstore_event WHERE stream = %s AND version = %s",
            [stream, version],
        )
        row = cursor.fetchone()
    return hashlib.sha256(LEAF + bytes(row[0])).hexdigest() if row else None


def kept_leaves() -> bytes:
    """Return the kept leaf hashes of positions 1, 2, ... as far as they follow each other."""
    parts: list[bytes] = []
    at = 1
    for first, count, hashes in LeafRow.objects.order_by("first").values_list(
        "first", "count", "hashes"
    ):
        if first != at or len(hashes) != count * HASH_BYTES:
            break
        parts.append(bytes(hashes))
        at += count
    return b"".join(parts)


def _newest_row() -> CheckpointRow | None:
    return CheckpointRow.objects.order_by("-size", "-made_at").first()


def _edge_of(row: CheckpointRow, keys: list[VerifierKey]) -> Frontier:
    """Return the tree's edge at a kept checkpoint; raises LogFault when it is not the signed."""
    try:
        opened = notes.open_checkpoint(row.note, keys)
        edge = Frontier.from_text(row.edge)
    except BadNote as fault:
        raise LogFault([Fault(row.size, "checkpoint_bad", {"why": fault.code})]) from None
    except ValueError:
        raise LogFault([Fault(row.size, "checkpoint_bad", {"why": "edge"})]) from None
    if (edge.size, edge.root()) != (opened.size, opened.root):
        raise LogFault([Fault(row.size, "checkpoint_bad", {"why": "edge"})])
    return edge


def checkpoint_make(*, reason: str = "demand", subject: str = "") -> str:
    """Sign the log as it stands and return the note; joins a running transaction.

    `reason` is a short code (`demand`, `round_published`, `event_finished`), `subject` what it
    was made for. When nothing was appended since the newest checkpoint, that one is returned.
    Raises LogFault when the events since the last checkpoint are not a whole chain,
    ImproperlyConfigured for the key.
    """
    key, keys = signing.signing_key(), signing.trusted_keys()
    with queued(connections[DEFAULT_DB_ALIAS]), transaction.atomic():
        store.writing_turn()
        newest = _newest_row()
        edge = _edge_of(newest, keys) if newest else Frontier()
        head = store.head_position()
        if head < edge.size:
            raise LogFault([Fault(head + 1, "missing", {"upto": edge.size})])
        if newest and head == edge.size and f"— {key.name} " in newest.note:
            return newest.note
        start = edge.size
        auditor = Auditor(after=start, previous=stored_hash, edge=edge)
        leaves: list[bytes] = []
        for rows in rows_after(start, head):
            auditor.feed(rows)
            leaves += [bytes.fromhex(row[7]) for row in rows]
            if auditor.faults:
                raise LogFault(auditor.faults)
        for at in range(0, len(leaves), LEAVES_A_ROW):
            part = leaves[at : at + LEAVES_A_ROW]
            LeafRow.objects.create(first=start + at + 1, count=len(part), hashes=b"".join(part))
        note = notes.sign(Checkpoint(key.name, edge.size, edge.root()), key)
        CheckpointRow.objects.create(
            id=new_id(),
            size=edge.size,
            note=note,
            edge=edge.as_text(),
            reason=reason,
            subject=subject,
            made_at=clock.as_text(clock.now()),
        )
    return note


def checkpoints() -> list[Signed]:
    """Return all kept checkpoints that a trusted key signed, smallest first."""
    found: list[Signed] = []
    keys = signing.trusted_keys()
    for row in CheckpointRow.objects.order_by("size", "made_at"):
        try:
            opened = notes.open_checkpoint(row.note, keys)
        except BadNote:
            continue  # verify_log names it; a proof cannot be built on it
        found.append(Signed(opened, row.note, row.reason, row.subject, row.made_at))
    return found


def checkpoints_for(subject: str) -> list[Signed]:
    """Return the trusted checkpoints made for a subject or a part of it (`subject/part`)."""
    return [
        one
        for one in checkpoints()
        if one.subject == subject or one.subject.startswith(f"{subject}/")
    ]


def newest_checkpoint() -> Signed | None:
    """Return the newest kept checkpoint, None before the first."""
    known = checkpoints()
    return known[-1] if known else None


def proven_tree(size: int, root: bytes) -> Tree:
    """Return the tree of the kept leaves; raises LogFault when it has not the signed root."""
    raw = kept_leaves()
    leaves = [raw[at : at + HASH_BYTES] for at in range(0, len(raw), HASH_BYTES)]
    if len(leaves) < size:
        raise LogFault([Fault(len(leaves) + 1, "copy_damaged", {})])
    tree = Tree(leaves)
    if tree.root(size) != root:
        raise LogFault([Fault(1, "copy_damaged", {"upto": size})])
    return tree


def inclusion_texts(positions: list[int]) -> dict[int, str]:
    """Return a proof per position that its event is in the newest checkpoint, in the C2SP
    tlog-proof text (the checkpoint's note at its end).

    Raises NotCovered when the newest checkpoint does not reach so far, LogFault.
    """
    newest = newest_checkpoint()
    reach = newest.checkpoint.size if newest else 0
    beyond = [position for position in positions if not 0 < position <= reach]
    if newest is None or beyond:
        raise NotCovered(f"no checkpoint covers position {beyond[0] if beyond else 1}")
    tree = proven_tree(reach, newest.checkpoint.root)
    texts: dict[int, str] = {}
    for position in positions:
        hashes = tree.inclusion(position - 1, reach)
        lines = [PROOF_HEAD, f"index {position - 1}"]
        lines += [base64.b64encode(one).decode() for one in hashes]
        texts[position] = "\n".join(lines) + "\n\n" + newest.note
    return texts


def stream_positions(stream: str) -> list[int]:
    """Return the positions of the events of a stream, oldest first: the subject of a proof."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT position FROM eventstore_event WHERE stream = %s ORDER BY version", [stream]
        )
        return [int(position) for (position,) in cursor.fetchall()]


def consistency_proof(old: int, new: int) -> list[bytes]:
    """Return the proof that the checkpoint of size `old` is a prefix of that of size `new`.

    Raises NotCovered when one of them was never made, LogFault.
    """
    made = {one.checkpoint.size: one for one in checkpoints()}
    for size in (old, new):
        if size not in made or size == 0:
            raise NotCovered(f"no checkpoint of size {size}")
    if old > new:
        raise NotCovered(f"no proof from {old} to {new}")
    return proven_tree(new, made[new].checkpoint.root).consistency(old, new)
