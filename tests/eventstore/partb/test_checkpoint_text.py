"""Checkpoints as C2SP text: signed notes, verifier keys, and what is refused."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from eventstore.domain import checkpoint as cp

KEY = cp.SigningKey("example.org/log", Ed25519PrivateKey.from_private_bytes(bytes(range(32))))
OTHER = cp.SigningKey("example.org/log", Ed25519PrivateKey.from_private_bytes(bytes(32)))
POINT = cp.Checkpoint("example.org/log", 7, bytes(range(32)))


def test_the_note_has_the_lines_of_the_format() -> None:
    note = cp.sign(POINT, KEY)
    lines = note.split("\n")
    assert lines[:4] == [
        "example.org/log",
        "7",
        "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
        "",
    ]
    assert lines[4].startswith("— example.org/log ")
    assert lines[5:] == [""]
    assert cp.open_checkpoint(note, [KEY.verifier]) == POINT


def test_the_verifier_key_of_the_signed_note_specification_is_read() -> None:
    # the example key of C2SP signed-note
    text = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
    key = cp.VerifierKey.from_text(text)
    assert key.name == "PeterNeumann"
    assert key.as_text() == text
    note = (
        "If you think cryptography is the answer to your problem,\n"
        "then you don't know what your problem is.\n\n"
        "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqf"
        "qdngotpRZb6KE6RyyBwJnAM=\n"
    )
    assert cp.open_note(note, [key]).startswith("If you think")


def test_another_key_a_changed_text_and_nonsense_are_told_apart() -> None:
    note = cp.sign(POINT, KEY)
    with pytest.raises(cp.BadNote) as unknown:
        cp.open_checkpoint(note, [OTHER.verifier])
    assert unknown.value.code == "unknown_key"
    with pytest.raises(cp.BadNote) as changed:
        cp.open_checkpoint(note.replace("\n7\n", "\n8\n"), [KEY.verifier])
    assert changed.value.code == "bad_signature"
    for nonsense in ("", "a\n", note[:-1], note.replace("— ", "- "), note.replace("— e", "— *e!")):
        with pytest.raises(cp.BadNote):
            cp.open_checkpoint(nonsense, [KEY.verifier])


@pytest.mark.parametrize("size", ["-1", "07", "x", "1.0", ""])
def test_a_size_that_is_no_plain_number_is_refused(size: str) -> None:
    note = cp.sign_note(f"o\n{size or '?'}\n{'A' * 43}=\n", KEY)
    with pytest.raises(cp.BadNote) as refused:
        cp.open_checkpoint(note, [KEY.verifier])
    assert refused.value.code == "malformed"


@pytest.mark.parametrize("text", ["", "a+b", "a+00000000+AA==", "a+zz+!!"])
def test_a_damaged_verifier_key_is_refused(text: str) -> None:
    with pytest.raises(cp.BadNote):
        cp.VerifierKey.from_text(text)
