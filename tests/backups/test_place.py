"""The second path on real file systems: full, read-only, pulled out, absent, and back again."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from eventstore.backups import making, place, reading
from eventstore.backups.place import MARKER, Place, PlaceFault
from eventstore.domain.copies import PART, CopyName
from eventstore.domain.manifest import BadCopy, Opened
from tests.backups.conftest import pull_out, read_only
from tests.backups.test_copies import made

Mount = Callable[..., Path]
KIB = b"k" * 1024


def name(number: int, kind: str = "minute", log: str = "0a1b2c3d") -> CopyName:
    at = datetime(2026, 11, 28, 12, tzinfo=UTC) + timedelta(minutes=number)
    return CopyName(log, at, number, kind, "sqlite3")


def put(there: Place, one: CopyName, kib: int = 1) -> None:
    there.write(one.text, iter([KIB] * kib))
    there.write(one.manifest, iter([b"manifest"]))


def code_of(act: Callable[[], object]) -> str:
    with pytest.raises(PlaceFault) as fault:
        act()
    return fault.value.code


def test_nothing_is_written_where_no_marker_lies(tmp_path: Path) -> None:
    empty = tmp_path / "mnt"
    empty.mkdir()
    assert code_of(Place(empty).__enter__) == "no_marker"
    assert list(empty.iterdir()) == []
    assert code_of(Place(tmp_path / "nowhere").__enter__) == "absent"
    assert code_of(lambda: place.prepare(tmp_path / "nowhere")) == "absent"
    place.prepare(empty)
    before = (empty / MARKER).read_bytes()
    place.prepare(empty)
    assert (empty / MARKER).read_bytes() == before


def test_a_file_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    place.prepare(tmp_path)

    def torn() -> Iterator[bytes]:
        yield KIB
        raise KeyboardInterrupt

    with Place(tmp_path) as there:
        with pytest.raises(KeyboardInterrupt):
            there.write(name(1).text, torn())
        assert there.copies() == []
        kept = tmp_path / "kept.txt"
        kept.write_bytes(b"stays")
        (tmp_path / (name(2).text + PART)).symlink_to(kept)  # leads to a file elsewhere
        os.mkfifo(tmp_path / (name(2).manifest + PART))
        put(there, name(2))
        assert kept.read_bytes() == b"stays"
        kept.unlink()
        there.write(name(3).text, iter([KIB]))  # no manifest yet
        there.write(name(4, log="ffffffff").text, iter([KIB]))
        assert there.copies() == [name(2)]
        there.sweep("0a1b2c3d")
        assert there.files() == sorted(
            [MARKER, name(2).text, name(2).manifest, name(4, log="ffffffff").text]
        ), "what another log left unfinished is not ours to remove"


def test_a_copy_without_end_and_a_pipe_are_not_waited_for(tmp_path: Path) -> None:
    told = made(b"x" * 1000)
    file = tmp_path / told.file
    os.mkfifo(file.with_name(f"{file.name}.manifest"))
    with pytest.raises(BadCopy, match="no_copy"):
        reading.open_one(file)
    with file.open("wb") as out:
        out.truncate(1 << 40)  # a hole: nothing of it is on the disk yet
    with pytest.raises(BadCopy, match="manifest_damaged"):
        reading.open_one(file)
    target = tmp_path / "target"
    with pytest.raises(BadCopy, match="too_long"):
        reading.fetch(reading.Found(file, Opened(told, "", True)), target)
    assert target.stat().st_size <= place.PIECE
    place.prepare(tmp_path)
    with Place(tmp_path) as there:
        assert there.read(f"{told.file}.manifest") == b""


def test_a_full_stick_gives_up_old_minutes_and_then_says_so(mount: Mount) -> None:
    folder = mount(64)
    place.prepare(folder)
    with Place(folder) as there:
        put(there, name(0, "publish"), 8)
        for number in range(1, 4):
            put(there, name(number), 8)
        assert code_of(lambda: there.write(name(9).text, iter([KIB] * 80))) == "full"
        there.sweep("0a1b2c3d")
        making._make_room(there, name(9), 24 * 1024)
        assert there.copies() == [name(0, "publish"), name(2), name(3)]
        assert code_of(lambda: making._make_room(there, name(9), 60 * 1024)) == "full"
        assert there.copies() == [name(3)], "the newest stays, whatever is asked for"


def test_a_read_only_stick_is_told_and_keeps_what_it_has(mount: Mount) -> None:
    folder = mount(64)
    place.prepare(folder)
    with Place(folder) as there:
        put(there, name(1))
    read_only(folder)
    with Place(folder) as there:
        assert code_of(lambda: put(there, name(2))) == "read_only"
        assert there.copies() == [name(1)]


def test_a_stick_pulled_out_while_it_is_written_leaves_the_empty_folder_empty(
    mount: Mount,
) -> None:
    folder = mount(64)
    place.prepare(folder)

    def pulled() -> Iterator[bytes]:
        yield KIB
        pull_out(folder)
        yield KIB

    with Place(folder) as there:
        there.write(name(1).text, pulled())
    assert list(folder.iterdir()) == []
    assert code_of(Place(folder).__enter__) == "no_marker"
