"""Names, rota and manifests of copies: pure, no disk and no database."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from eventstore.domain import copies, manifest
from eventstore.domain.checkpoint import SigningKey
from eventstore.domain.copies import CopyName, read_name
from eventstore.domain.manifest import BadCopy, Manifest, Summer, block_for, compare, open_manifest

NOON = datetime(2026, 11, 28, 12, tzinfo=UTC)
KEY = SigningKey("headjudge/test", Ed25519PrivateKey.from_private_bytes(b"k" * 32))
names = st.builds(
    CopyName,
    log=st.just("0a1b2c3d"),
    at=st.integers(0, 200_000).map(lambda seconds: NOON + timedelta(seconds=seconds)),
    position=st.integers(0, 10**9),
    kind=st.sampled_from(copies.KINDS),
    suffix=st.sampled_from(sorted(copies.SUFFIXES.values())),
)


def sums(raw: bytes, block: int = 64) -> manifest.Sums:
    total = Summer(block)
    total.feed(raw)
    return total.done()


def made(raw: bytes = b"x" * 1000) -> Manifest:
    return Manifest(
        vendor="sqlite",
        file="headjudge-0a1b2c3d-20261128T120000Z-0000000007-hand.sqlite3",
        kind="hand",
        reason="demand",
        made_at="2026-11-28T12:00:00.000000Z",
        position=7,
        head="ab" * 32,
        log="0a1b2c3d" * 8,
        last_at="2026-11-28T11:59:59.000000Z",
        sums=sums(raw),
        migrations={"eventstore": ["0001_initial"]},
        projections={"people.roles": "cd" * 32},
        keys=(KEY.verifier.as_text(),),
        whole_log_checked=True,
    )


@given(names)
def test_a_name_reads_back_and_holds_nothing_that_fat_refuses(name: CopyName) -> None:
    assert read_name(name.text) == name
    assert not set(name.manifest) & set('\\/:*?"<>|')
    assert read_name(name.text + ".part") is None
    assert read_name("x" + name.text) is None


def test_a_name_with_a_date_that_is_none_is_no_copy() -> None:
    assert read_name("headjudge-0a1b2c3d-20261340T120000Z-0000000007-hand.sqlite3") is None


@given(st.lists(names, max_size=120, unique=True))
def test_the_rota_keeps_the_newest_and_is_bounded(found: list[CopyName]) -> None:
    gone = copies.superfluous(found)
    kept = [one for one in found if one not in gone]
    most = copies.KEPT_MINUTES + copies.KEPT_HOURS + copies.KEPT_PUBLISHED + copies.KEPT_BY_HAND
    assert len(kept) <= most
    assert copies.superfluous(kept) == []
    if found:
        newest = copies.newest_first(found)[0]
        assert newest in kept
        assert newest not in copies.given_up_for_room(found)
        assert len(copies.given_up_for_room(found)) == len(found) - 1


def test_an_afternoon_of_copies_leaves_minutes_hours_and_publications() -> None:
    every = [
        CopyName("0a1b2c3d", NOON + timedelta(minutes=minute), minute, kind, "sqlite3")
        for minute in range(300)
        for kind in (["minute", "publish"] if minute % 50 == 0 else ["minute"])
    ]
    gone = copies.superfluous(every)
    kept = [one for one in every if one not in gone]
    assert [one.position for one in kept if one.kind == "publish"] == [0, 50, 100, 150, 200, 250]
    assert [one.position for one in kept if one.kind == "minute"] == [
        59, 119, 179, 239, *range(285, 300)
    ]  # fmt: skip


def test_when_there_is_no_room_the_old_minutes_go_first_and_publications_last() -> None:
    every = [
        CopyName("0a1b2c3d", NOON + timedelta(minutes=number), number, kind, "sqlite3")
        for number, kind in enumerate(["publish", "minute", "hand", "minute", "publish", "minute"])
    ]
    order = copies.given_up_for_room(every)
    assert [one.position for one in order] == [1, 3, 2, 0, 4]


@given(st.binary(max_size=2000), st.integers(1, 700), st.randoms(use_true_random=False))
def test_sums_do_not_depend_on_how_the_bytes_come(
    raw: bytes, block: int, draw: random.Random
) -> None:
    total = Summer(block)
    at = 0
    while at < len(raw):
        step = draw.randint(1, 900)
        total.feed(raw[at : at + step])
        at += step
    assert total.done() == sums(raw, block)
    assert block_for(len(raw)) == manifest.BLOCK_BYTES


@given(st.binary(min_size=1, max_size=3000), st.data())
def test_a_flipped_bit_is_found_where_it_is(raw: bytes, data: st.DataObject) -> None:
    wanted = sums(raw)
    at = data.draw(st.integers(0, len(raw) * 8 - 1))
    wrong = bytearray(raw)
    wrong[at // 8] ^= 1 << at % 8
    with pytest.raises(BadCopy) as fault:
        compare(wanted, sums(bytes(wrong)))
    assert fault.value.code == "damaged"
    assert fault.value.params["first"] <= at // 8 <= fault.value.params["last"]
    assert fault.value.params["last"] - fault.value.params["first"] < 64


@given(st.binary(min_size=1, max_size=3000), st.data())
def test_an_end_that_is_missing_or_too_much_is_told(raw: bytes, data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(raw) - 1))
    with pytest.raises(BadCopy) as fault:
        compare(sums(raw), sums(raw[:cut]))
    assert (fault.value.code, fault.value.params) == (
        "truncated",
        {"found": cut, "allowed": len(raw)},
    )
    with pytest.raises(BadCopy) as fault:
        compare(sums(raw[:cut]), sums(raw))
    # the last block grew: either is said, never nothing
    assert fault.value.code in ("damaged", "too_long")
    compare(sums(raw), sums(raw))


def test_a_manifest_reads_back_and_says_whether_its_key_is_known() -> None:
    note = made().as_note(KEY).encode()
    opened = open_manifest(note, [KEY.verifier])
    assert (opened.manifest, opened.vouched) == (made(), True)
    assert not open_manifest(note, []).vouched


@given(st.data())
def test_any_bit_that_flips_in_a_manifest_is_found(data: st.DataObject) -> None:
    note = bytearray(made().as_note(KEY).encode())
    at = data.draw(st.integers(0, len(note) * 8 - 1))
    note[at // 8] ^= 1 << at % 8
    with pytest.raises(BadCopy):
        open_manifest(bytes(note), [KEY.verifier])


@given(st.integers(0, 1_000_000))
def test_a_manifest_that_ends_early_is_damaged(cut: int) -> None:
    note = made().as_note(KEY).encode()
    with pytest.raises(BadCopy):
        open_manifest(note[: cut % len(note)], [KEY.verifier])


def test_a_manifest_of_a_later_form_is_told_from_a_damaged_one() -> None:
    note = replace(made(), format="headjudge-backup@2").as_note(KEY).encode()
    with pytest.raises(BadCopy, match="format_unknown"):
        open_manifest(note, [KEY.verifier])


def test_a_manifest_that_lies_about_its_form_is_damaged_whoever_signed_it() -> None:
    for lie in (
        {"file": "../../etc/passwd"},
        {"file": "copy"},
        {"migrations": {"eventstore": 7}},
        {"migrations": {"eventstore": [["x"]]}},
        {"keys": (KEY.verifier.as_text(), 5)},
        {"projections": {"people.roles": None}},
        {"sums": replace(sums(b"x"), block=0)},
        {"carried": {"erasures": [[[]]]}, "file": "headjudge\n# a key"},
    ):
        note = replace(made(), **lie).as_note(KEY).encode()  # type: ignore[arg-type]
        with pytest.raises(BadCopy, match="manifest_damaged"):
            open_manifest(note, [KEY.verifier])
    with pytest.raises(BadCopy, match="manifest_damaged"):
        open_manifest(b"[" * 100_000 + b"\n\nx\n", [])


def test_a_manifest_signed_anew_by_another_key_is_not_vouched_for() -> None:
    other = SigningKey("headjudge/test", Ed25519PrivateKey.from_private_bytes(b"o" * 32))
    forged = replace(made(), position=6, keys=(other.verifier.as_text(),)).as_note(other)
    assert not open_manifest(forged.encode(), [KEY.verifier]).vouched
    with pytest.raises(BadCopy, match="manifest_damaged"):
        open_manifest(made().as_note(other).encode(), [KEY.verifier])
