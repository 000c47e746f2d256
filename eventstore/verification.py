"""Verify the whole log: every row against the chain, and against the signed checkpoints.

First the kept leaf hashes are proven by the checkpoints (their Merkle roots), then every row is
compared with its leaf hash. Beyond the last checkpoint only the chain of each stream speaks,
and whoever can write the table can forge that: the report says from which position.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from django.db import connection

from eventstore import checkpoints, signing, store
from eventstore.domain import checkpoint as notes
from eventstore.domain.audit import Auditor, Fault
from eventstore.domain.checkpoint import BadNote, Checkpoint, VerifierKey
from eventstore.domain.merkle import HASH_BYTES, Frontier
from eventstore.models import CheckpointRow

Progress = Callable[[int, int], None]
ROWS_A_STEP = 40_960
"""Rows between two notes of progress, and between two saves of the state to resume from."""


@dataclass(slots=True)
class Report:
    """What was found. `vouched` is the position up to which a checkpoint covers the log;
    from `vouched + 1` on nobody can vouch (None: all of it is covered)."""

    head: int
    vouched: int
    checkpoints: int
    resumed_after: int = 0
    faults: list[Fault] = field(default_factory=list)

    @property
    def unvouched_from(self) -> int | None:
        """The first position that no checkpoint covers."""
        return self.vouched + 1 if self.head > self.vouched else None


@dataclass(slots=True)
class _Cover:
    """Leaf hashes proven by checkpoints, and the checkpoints that they do not prove."""

    known: bytes
    open: list[Checkpoint]
    faults: list[Fault]
    number: int


def _signed(extra: Iterable[str], keys: list[VerifierKey]) -> tuple[list[Checkpoint], list[Fault]]:
    found: list[Checkpoint] = []
    faults: list[Fault] = []
    kept = CheckpointRow.objects.order_by("size").values_list("size", "note")
    for size, note in [*kept, *((None, note) for note in extra)]:
        try:
            opened = notes.open_checkpoint(note, keys)
        except BadNote as fault:
            faults.append(Fault(size or 0, "checkpoint_bad", {"why": fault.code}))
            continue
        if size is not None and size != opened.size:
            faults.append(Fault(size, "checkpoint_bad", {"why": "size"}))
        found.append(opened)
    return sorted(found, key=lambda one: one.size), faults


def _cover(extra: Iterable[str], keys: list[VerifierKey]) -> _Cover:
    signed, faults = _signed(extra, keys)
    raw = checkpoints.kept_leaves()
    edge = Frontier()
    good = 0
    unproven: list[Checkpoint] = []
    for one in signed:
        if not unproven and one.size * HASH_BYTES <= len(raw):
            edge.extend(
                raw[at : at + HASH_BYTES]
                for at in range(edge.size * HASH_BYTES, one.size * HASH_BYTES, HASH_BYTES)
            )
            if edge.root() == one.root:
                good = one.size
                continue
        unproven.append(one)
    return _Cover(raw[: good * HASH_BYTES], unproven, faults, len(signed))


class _State:
    """Where a run stands, kept in a file so that a run that was ended goes on from there."""

    def __init__(self, file: Path | None) -> None:
        self.file = file
        self.position = 0
        self.faults: list[Fault] = []
        with contextlib.suppress(OSError, ValueError, TypeError, KeyError):
            kept = json.loads(file.read_text()) if file else {}
            faults = [Fault(one["position"], one["code"], one["params"]) for one in kept["faults"]]
            if type(kept["position"]) is int and kept["position"] <= store.head_position():
                self.position, self.faults = kept["position"], faults

    def save(self, position: int, faults: list[Fault]) -> None:
        if self.file is None:
            return
        kept = [
            {"position": one.position, "code": one.code, "params": one.params} for one in faults
        ]
        fresh = self.file.with_name(f"{self.file.name}.{os.getpid()}")
        fresh.write_text(json.dumps({"position": position, "faults": kept}))
        fresh.replace(self.file)

    def remove(self) -> None:
        if self.file is not None:
            self.file.unlink(missing_ok=True)


def _below_one() -> list[Fault]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT position FROM eventstore_event WHERE position < 1")
        return [Fault(position, "out_of_place") for (position,) in cursor.fetchall()]


def verify_log(
    progress: Progress | None = None,
    *,
    state_file: Path | None = None,
    extra_notes: Iterable[str] = (),
    extra_keys: Iterable[VerifierKey] = (),
) -> Report:
    """Verify every row; returns the report, faults in order of position.

    `progress(done, head)` is called every few ten thousand rows. With `state_file` a run that
    was ended goes on where it stood. `extra_notes` are checkpoints kept elsewhere, which also
    show when checkpoints or the end of the log were taken away.
    """
    cover = _cover(extra_notes, [*signing.trusted_keys(), *extra_keys])
    head = store.head_position()
    # Checkpoints that the kept leaves do not prove need the tree over the rows themselves.
    whole_tree = Frontier() if cover.open else None
    state = _State(None if cover.open else state_file)
    auditor = Auditor(
        after=state.position,
        known=cover.known,
        previous=checkpoints.stored_hash if state.position else None,
        edge=whole_tree,
    )
    report = Report(head, auditor.covered, cover.number, state.position)
    pending = list(cover.open)
    since = 0
    for rows in checkpoints.rows_after(state.position, head):
        while pending and whole_tree is not None and pending[0].size <= rows[-1][0]:
            wanted = pending.pop(0)
            cut = wanted.size - whole_tree.size
            auditor.feed(rows[:cut])
            rows = rows[cut:]
            _compare(wanted, whole_tree, report)
        auditor.feed(rows)
        since += len(rows)
        if since >= ROWS_A_STEP:
            since = 0
            state.save(auditor.position, [*state.faults, *auditor.faults])
            if progress:
                progress(auditor.position, head)
    auditor.finish()
    for wanted in pending:
        report.faults.append(Fault(head + 1, "missing", {"upto": wanted.size}))
    report.faults += [*cover.faults, *state.faults, *auditor.faults, *_below_one()]
    report.faults.sort(key=lambda one: one.position)
    if progress:
        progress(head, head)
    state.remove()
    return report


def _compare(wanted: Checkpoint, tree: Frontier, report: Report) -> None:
    """Compare a checkpoint that no kept leaves prove with the tree over the rows."""
    first = report.vouched + 1
    if tree.size == wanted.size and tree.root() == wanted.root:
        report.faults.append(Fault(first, "copy_damaged", {"upto": wanted.size}))
        report.vouched = wanted.size
    else:
        report.faults.append(Fault(first, "range_altered", {"upto": wanted.size}))
