"""Check stored rows of the log against each other and against leaf hashes that a checkpoint
covers. Pure: rows come in, faults come out; eventstore.verification feeds it.

A fault names the position that is wrong. Where a checkpoint covers the row, its leaf hash
decides alone, so that one altered event is one fault and not two; beyond it the chain of the
stream decides.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec

from eventstore.domain.envelope import LEAF, NO_HASH
from eventstore.domain.merkle import HASH_BYTES, Frontier

Head = tuple[int, str]
"""Version and hash (hex) of the newest event of a stream."""
NO_HEAD: Head = (0, NO_HASH)
FAULTS_AT_MOST = 10_000


class Row(NamedTuple):
    """One row of the table of events, as stored."""

    position: int
    stream: str
    version: int
    type: str
    schema: int
    recorded_at: str
    body: bytes
    hash: str


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong, and at which position.

    Codes: `missing` (no row), `altered` (not the bytes that were hashed), `malformed` (no
    envelope), `columns_differ` (copies beside the envelope, params fields), `chain_broken`
    (not the successor in its stream), `out_of_place` (a position below 1), `range_altered`
    (somewhere up to params upto), `copy_damaged` (the leaf copy, not the log),
    `checkpoint_bad` (params why).
    """

    position: int
    code: str
    params: dict[str, Any] = field(default_factory=dict)


class _Envelope(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    position: int
    stream: str
    version: int
    type: str
    schema: int
    data: msgspec.Raw
    meta: msgspec.Raw
    recorded_at: str
    prev_hash: str


_envelope = msgspec.json.Decoder(_Envelope)
_COPIES = ("position", "stream", "version", "type", "schema", "recorded_at")


class Auditor:
    """Takes the rows above `after` in order of position, batch by batch.

    `known` holds the leaf hashes (32 bytes each) of positions 1, 2, ... as far as a checkpoint
    covers them. `previous(stream, version)` finds the hash of an earlier event of a stream that
    this auditor was not fed, None when there is none; it is asked only when after > 0.
    `edge`, when given, grows by the leaf hash of every row fed.
    """

    def __init__(
        self,
        *,
        after: int = 0,
        known: bytes = b"",
        previous: Callable[[str, int], str | None] | None = None,
        edge: Frontier | None = None,
    ) -> None:
        self.position = after
        self.known = known
        self.covered = len(known) // HASH_BYTES
        self.edge = edge
        self.faults: list[Fault] = []
        self._previous = previous
        self._heads: dict[str, Head] = {}

    def feed(self, rows: Sequence[tuple[Any, ...]]) -> None:
        """Check the next rows (fields as in Row)."""
        if not rows:
            return
        sha = hashlib.sha256
        found = [sha(LEAF + row[6]).hexdigest() for row in rows]
        if self.edge is not None:
            self.edge.extend(map(bytes.fromhex, found))
        first, last = self.position + 1, rows[-1][0]
        whole = rows[0][0] == first and last - first + 1 == len(rows)
        # Every row is where it belongs, and all are covered and proven or none is covered: then
        # only the chain and the copies are left to look at.
        usual = whole and (
            first > self.covered
            or (
                last <= self.covered
                and "".join(found) == self.known[(first - 1) * HASH_BYTES : last * HASH_BYTES].hex()
            )
        )
        heads = self._heads
        for row, leaf in zip(rows, found, strict=True):
            position, stream, version, kind, schema, recorded_at, body, stored = row
            before, prev_hash = heads.get(stream, NO_HEAD)
            if (
                usual
                and version == before + 1
                and stored == leaf
                and body.endswith(
                    f'"position":{position},"prev_hash":"{prev_hash}","recorded_at":'
                    f'"{recorded_at}","schema":{schema},"stream":"{stream}","type":"{kind}",'
                    f'"version":{version}}}'.encode()
                )
            ):
                heads[stream] = (version, leaf)
            else:
                if whole:
                    self.position = position - 1
                self._look_closely(Row(*row), leaf)
        self.position = last

    def finish(self) -> None:
        """Report the rows that a checkpoint covers and that never came."""
        self._gap(self.covered + 1)

    def _add(self, position: int, code: str, **params: Any) -> None:
        if len(self.faults) < FAULTS_AT_MOST:
            self.faults.append(Fault(position, code, params))

    def _gap(self, before: int) -> None:
        """Report the positions after the last one up to `before` as missing."""
        for position in range(self.position + 1, before):
            if len(self.faults) >= FAULTS_AT_MOST:
                break
            self._add(position, "missing")
        self.position = max(self.position, before - 1)

    def _head_before(self, row: Row) -> Head:
        head = self._heads.get(row.stream)
        if head is None and self._previous is not None and row.version > 1:
            found = self._previous(row.stream, row.version - 1)
            head = None if found is None else (row.version - 1, found)
        return head or NO_HEAD

    def _look_closely(self, row: Row, leaf: str) -> None:
        self._gap(row.position)
        self.position = row.position
        at = (row.position - 1) * HASH_BYTES
        proven = row.position <= self.covered
        before = self._head_before(row)
        right = self.known[at : at + HASH_BYTES].hex()
        if proven and leaf != right:
            self._heads[row.stream] = (row.version, right)
            self._add(row.position, "altered", found=leaf, allowed=right)
            return
        self._heads[row.stream] = (row.version, leaf)
        if not proven and row.hash != leaf:
            self._add(row.position, "altered", found=leaf, allowed=row.hash)
            return
        try:
            envelope = _envelope.decode(row.body)
        except (msgspec.DecodeError, UnicodeDecodeError) as fault:
            self._add(row.position, "malformed", why=str(fault))
            return
        differing = [name for name in _COPIES if getattr(envelope, name) != getattr(row, name)]
        if row.hash != leaf:
            differing.append("hash")
        if differing:
            self._heads[envelope.stream] = (envelope.version, leaf)
            self._add(row.position, "columns_differ", fields=differing)
        elif (envelope.version - 1, envelope.prev_hash) != before and not (proven and self.faults):
            # a proven row after a fault is right: its predecessor is what was found wrong
            self._add(row.position, "chain_broken", found=envelope.version, allowed=before[0] + 1)
