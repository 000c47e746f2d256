"""The Merkle tree of RFC 9162 against a naive tree written from its definition."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventstore.domain import merkle
from eventstore.domain.envelope import leaf_hash

SIZES = st.integers(1, 70)


def leaves(size: int) -> list[bytes]:
    return [hashlib.sha256(b"\x00" + str(number).encode()).digest() for number in range(size)]


def naive(hashes: list[bytes]) -> bytes:
    """MTH of RFC 9162, 2.1.1, word for word."""
    if not hashes:
        return hashlib.sha256(b"").digest()
    if len(hashes) == 1:
        return hashes[0]
    split = 1
    while split * 2 < len(hashes):
        split *= 2
    return hashlib.sha256(b"\x01" + naive(hashes[:split]) + naive(hashes[split:])).digest()


def test_known_roots_of_the_certificate_transparency_test_vectors() -> None:
    bodies = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657",
              "606162636465666768696a6b6c6d6e6f"]  # fmt: skip
    hashes = [bytes.fromhex(leaf_hash(bytes.fromhex(body))) for body in bodies]
    assert hashes[0].hex() == "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"
    assert merkle.Tree(hashes).root().hex() == (
        "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"
    )
    assert merkle.Tree(hashes).root(0) == merkle.EMPTY


@given(SIZES, st.data())
def test_roots_equal_the_naive_tree_however_the_leaves_arrive(
    size: int, data: st.DataObject
) -> None:
    hashes = leaves(size)
    edge = merkle.Frontier()
    while edge.size < size:
        step = data.draw(st.integers(1, size - edge.size))
        edge.extend(hashes[edge.size : edge.size + step])
        edge = merkle.Frontier.from_text(edge.as_text())
    assert edge.root() == merkle.Tree(hashes).root() == naive(hashes)


@given(SIZES, st.data())
def test_an_inclusion_proof_holds_for_its_leaf_and_for_no_other(
    size: int, data: st.DataObject
) -> None:
    hashes = leaves(size)
    index = data.draw(st.integers(0, size - 1))
    root, proof = naive(hashes), merkle.Tree(hashes).inclusion(index)
    assert merkle.verify_inclusion(index, size, hashes[index], proof, root)
    other = data.draw(st.integers(0, size - 1).filter(lambda at: at != index or size == 1))
    if other != index:
        assert not merkle.verify_inclusion(other, size, hashes[index], proof, root)
    assert not merkle.verify_inclusion(index, size, leaves(size + 1)[size], proof, root)
    assert not merkle.verify_inclusion(index, size, hashes[index], [*proof, root], root)
    if proof:
        assert not merkle.verify_inclusion(index, size, hashes[index], proof[:-1], root)
    assert not merkle.verify_inclusion(size, size, hashes[index], proof, root)


@given(SIZES, st.data())
def test_a_consistency_proof_holds_for_a_prefix_and_for_nothing_else(
    new: int, data: st.DataObject
) -> None:
    old = data.draw(st.integers(1, new))
    hashes = leaves(new)
    proof = merkle.Tree(hashes).consistency(old)
    old_root, new_root = naive(hashes[:old]), naive(hashes)
    assert merkle.verify_consistency(old, new, old_root, new_root, proof)
    forged = naive([*hashes[: old - 1], merkle.EMPTY])
    assert not merkle.verify_consistency(old, new, forged, new_root, proof)
    assert not merkle.verify_consistency(old, new, old_root, forged, proof)
    assert not merkle.verify_consistency(old, new, old_root, new_root, [*proof, old_root])
    if proof:
        assert not merkle.verify_consistency(old, new, old_root, new_root, proof[1:])


def test_proofs_outside_the_tree_are_refused() -> None:
    tree = merkle.Tree(leaves(5))
    for call in (lambda: tree.inclusion(5), lambda: tree.consistency(0), lambda: tree.root(6),
                 lambda: tree.consistency(4, 3), lambda: tree.inclusion(-1)):  # fmt: skip
        with pytest.raises(ValueError, match=r"leaf|proof|leaves"):
            call()


@pytest.mark.parametrize("text", ["", "x", "1", "1 -", "2 - zz", "0 " + "00" * 32, "1 00"])
def test_a_damaged_edge_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        merkle.Frontier.from_text(text)
