"""The Merkle tree of RFC 9162 over the log: roots, inclusion and consistency proofs.

Leaves are the hashes of `envelope.leaf_hash` in the order of positions: leaf 0 is position 1.
All hashes here are 32 bytes, not hex.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

NODE = b"\x01"
"""RFC 9162 prefix of an inner node."""
EMPTY = hashlib.sha256(b"").digest()
"""Root of the tree without leaves."""
HASH_BYTES = 32


def node(left: bytes, right: bytes) -> bytes:
    """Return the hash of an inner node."""
    return hashlib.sha256(NODE + left + right).digest()


def _pairs(hashes: Sequence[bytes]) -> list[bytes]:
    """Hash neighbours together; a last one without a neighbour is left out."""
    sha = hashlib.sha256
    return [
        sha(NODE + left + right).digest()
        for left, right in zip(hashes[0::2], hashes[1::2], strict=False)
    ]


def _split(size: int) -> int:
    """Return the largest power of two below `size` (at least 2)."""
    return 1 << (size - 1).bit_length() - 1


class Frontier:
    """The right edge of a growing tree: enough to add leaves and to tell the root.

    `peaks[k]` is the hash of the complete subtree of 2**k leaves at the edge, or None.
    """

    __slots__ = ("peaks", "size")

    def __init__(self, size: int = 0, peaks: Sequence[bytes | None] = ()) -> None:
        self.size = size
        self.peaks: list[bytes | None] = list(peaks)

    def extend(self, leaves: Iterable[bytes]) -> None:
        """Add leaf hashes at the right."""
        carry = list(leaves)
        self.size += len(carry)
        level = 0
        while carry:
            if level == len(self.peaks):
                self.peaks.append(None)
            peak = self.peaks[level]
            if peak is not None:
                carry.insert(0, peak)
            self.peaks[level] = carry.pop() if len(carry) % 2 else None
            carry = _pairs(carry)
            level += 1

    def root(self) -> bytes:
        """Return the root over all leaves so far."""
        found: bytes | None = None
        for peak in self.peaks:
            if peak is not None:
                found = peak if found is None else node(peak, found)
        return EMPTY if found is None else found

    def as_text(self) -> str:
        """Write the edge as text: `size hex - hex ...`, lowest level first."""
        return " ".join([str(self.size), *(peak.hex() if peak else "-" for peak in self.peaks)])

    @classmethod
    def from_text(cls, text: str) -> Frontier:
        """Read `as_text`; raises ValueError."""
        size, *peaks = text.split(" ")
        edge = cls(int(size), [None if peak == "-" else bytes.fromhex(peak) for peak in peaks])
        for level, peak in enumerate(edge.peaks):
            if (peak is not None) != bool(edge.size >> level & 1) or len(peak or EMPTY) != 32:
                raise ValueError("the peaks do not fit the size")
        if edge.size >> len(edge.peaks):
            raise ValueError("the peaks do not fit the size")
        return edge


class Tree:
    """A whole tree in memory, for proofs. 64 bytes a leaf."""

    def __init__(self, leaves: Sequence[bytes]) -> None:
        self.size = len(leaves)
        self._levels: list[Sequence[bytes]] = [leaves]
        while len(self._levels[-1]) > 1:
            self._levels.append(_pairs(self._levels[-1]))

    def _range(self, start: int, stop: int) -> bytes:
        """Return the hash over leaves start..stop-1; start is a multiple of the next power."""
        size = stop - start
        if size & (size - 1) == 0:
            level = size.bit_length() - 1
            return self._levels[level][start >> level]
        middle = start + _split(size)
        return node(self._range(start, middle), self._range(middle, stop))

    def root(self, size: int | None = None) -> bytes:
        """Return the root over the first `size` leaves (all without it)."""
        size = self._known(self.size if size is None else size)
        return self._range(0, size) if size else EMPTY

    def _known(self, size: int) -> int:
        if not 0 <= size <= self.size:
            raise ValueError(f"the tree has {self.size} leaves, not {size}")
        return size

    def inclusion(self, index: int, size: int | None = None) -> list[bytes]:
        """Return the inclusion proof of leaf `index` (from 0) in the tree of `size` leaves.

        RFC 9162, 2.1.3.1. Raises ValueError when there is no such leaf.
        """
        size = self._known(self.size if size is None else size)
        if not 0 <= index < size:
            raise ValueError(f"no leaf {index} among {size}")
        path: list[bytes] = []
        start, stop = 0, size
        while stop - start > 1:
            middle = start + _split(stop - start)
            if index < middle:
                path.append(self._range(middle, stop))
                stop = middle
            else:
                path.append(self._range(start, middle))
                start = middle
        path.reverse()
        return path

    def consistency(self, old: int, new: int | None = None) -> list[bytes]:
        """Return the proof that the tree of `old` leaves is a prefix of that of `new`.

        RFC 9162, 2.1.4.1; empty when the sizes are equal. Raises ValueError when old is 0 or
        above new.
        """
        new = self._known(self.size if new is None else new)
        if not 0 < old <= new:
            raise ValueError(f"no proof from {old} to {new}")
        path: list[bytes] = []
        start, stop, whole = 0, new, True
        while old != stop:
            middle = start + _split(stop - start)
            if old <= middle:
                path.append(self._range(middle, stop))
                stop = middle
            else:
                path.append(self._range(start, middle))
                start, whole = middle, False
        if not whole:
            path.append(self._range(start, stop))
        path.reverse()
        return path


def verify_inclusion(
    index: int, size: int, leaf: bytes, proof: Sequence[bytes], root: bytes
) -> bool:
    """Say whether the proof shows leaf `index` in the tree of that size and root.

    RFC 9162, 2.1.3.2.
    """
    if not 0 <= index < size:
        return False
    at, last, found = index, size - 1, leaf
    for sibling in proof:
        if last == 0:
            return False
        if at & 1 or at == last:
            found = node(sibling, found)
            while not at & 1 and at:
                at, last = at >> 1, last >> 1
        else:
            found = node(found, sibling)
        at, last = at >> 1, last >> 1
    return last == 0 and found == root


def verify_consistency(
    old: int, new: int, old_root: bytes, new_root: bytes, proof: Sequence[bytes]
) -> bool:
    """Say whether the proof shows that the old tree is a prefix of the new one.

    RFC 9162, 2.1.4.2.
    """
    if not 0 < old <= new:
        return False
    if old == new:
        return not proof and old_root == new_root
    path = list(proof)
    if old & (old - 1) == 0:
        path.insert(0, old_root)
    if not path:
        return False
    at, last = old - 1, new - 1
    while at & 1:
        at, last = at >> 1, last >> 1
    first = second = path[0]
    for sibling in path[1:]:
        if last == 0:
            return False
        if at & 1 or at == last:
            first, second = node(sibling, first), node(sibling, second)
            while not at & 1 and at:
                at, last = at >> 1, last >> 1
        else:
            second = node(second, sibling)
        at, last = at >> 1, last >> 1
    return first == old_root and second == new_root and last == 0
