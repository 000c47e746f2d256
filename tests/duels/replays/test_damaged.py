"""Hostile and damaged replay files: bounded before anything is made of them, a code with a
place or a partial import every time, no hang, no growth of memory."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from duels.imports.replay import container, packets
from duels.imports.replay.reading import Replay, read
from duels.imports.replay.summary import examine, summary
from eventstore.domain.refusal import Refusal
from tests.conftest import ROOT
from tests.duels.replays import made
from tests.sizes import FULL, SIZES

GROWTH_KIB = 256 << 10
SEED = 2026
MINUTES = 40
PLAYED = [*made.opening(), made.damage(1, 800), made.win(0, 1)]


def refused(data: bytes) -> tuple[str, int]:
    """The code without its prefix, and the byte."""
    found = read(data)
    assert isinstance(found, Refusal), found
    return found.code.removeprefix("duels.replay_"), found.params["at"]


def opened(data: bytes) -> Replay:
    found = read(data)
    assert not isinstance(found, Refusal), found
    return found


def told(data: bytes) -> dict[str, Any]:
    found = examine(data, "d")
    assert not isinstance(found, Refusal), found
    return summary(found, "x")


def codes(data: bytes) -> list[str]:
    return [one["code"] for one in told(data)["findings"]]


@pytest.mark.parametrize("packed", [False, True])
def test_a_whole_file(packed: bool) -> None:
    shown = told(made.replay(PLAYED, packed=packed))
    assert (shown["players"], shown["lp"]) == (["Alice", "Bob"], [8000, 7200])
    assert (shown["turns"], shown["winner"], shown["reason"]) == (1, 0, "lp")
    assert [one["code"] for one in shown["findings"]] == ["END_WITHOUT_CAUSE"]


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b"", ("short", 0)),
        (b"PK\3\4" + bytes(40), ("not_a_replay", 0)),
        (made.replay(PLAYED)[:20], ("short", 20)),
        (made.replay(PLAYED, packed=True, size=0xFFFFFFFF), ("too_large", 16)),
        (made.file(made.YRPX, b"abc", packed=True, size=15 << 20), ("ratio", 16)),
        (made.replay(PLAYED, packed=True, props=b"\xff" + made.PROPS[1:]), ("packing", 24)),
        (made.file(made.YRPX, bytes(20), 0x200 | made.FLAGS), ("short", 40)),
        (
            made.file(made.YRPX, struct.pack("<Q", 2) + bytes(99), 0x200 | made.FLAGS),
            ("version", 32),
        ),
        (made.file(made.YRPX, struct.pack("<I", 9000) + bytes(99)), ("count", 0)),
        (made.file(made.YRPX, made.names()[:50]), ("short", 48)),
        (made.script()[: 32 + 88 + 20 + 8], ("count", 108)),
    ],
)
def test_what_is_refused_and_where(data: bytes, fault: tuple[str, int]) -> None:
    assert refused(data) == fault


def test_a_deck_of_two_thousand_million_cards_is_a_count_not_a_crash() -> None:
    body = made.names() + struct.pack("<3IQI", 8000, 5, 1, 0, 0x7FFFFFFF)
    assert refused(made.file(made.YRP, body)) == ("count", 88 + 20)


def test_a_file_beyond_every_size_is_not_looked_at() -> None:
    assert refused(bytes(container.MOST_FILE + 1))[0] == "too_large"


def test_a_claimed_dictionary_reserves_no_memory() -> None:
    """Four GiB of dictionary and a body of a few hundred bytes."""
    props = made.PROPS[:1] + b"\xff\xff\xff\xff" + bytes(3)
    before = time.process_time()
    assert told(made.replay(PLAYED, packed=True, props=props))["turns"] == 1
    assert time.process_time() - before < 1


def test_a_bomb_within_the_file_is_not_inflated() -> None:
    bomb = made.file(made.YRP, bytes(4), packed=True, size=0xFFFFFFF0)
    found = opened(made.replay(PLAYED, embedded=bomb))
    assert [(one.code, one.part) for one in found.damage] == [("too_large", "embedded")]
    assert found.script is None
    assert told(made.replay(PLAYED, embedded=bomb))["turns"] == 1


def test_replays_within_replays_are_opened_once() -> None:
    inner = made.replay(PLAYED)
    found = opened(made.replay([*PLAYED, (231, inner), (231, made.script())]))
    assert [one.code for one in found.damage] == ["not_a_replay"]


def test_more_messages_than_any_duel_has() -> None:
    data = made.replay([*made.opening(), *[made.damage(0, 0)] * packets.MOST_MESSAGES])
    found = opened(data)
    assert [one.code for one in found.damage] == ["too_many"]
    assert len(found.packets) == packets.MOST_MESSAGES


def test_the_path_of_a_script_is_never_opened(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Single mode: what the path names is there and is a pipe nobody writes to; opening it
    would hang."""
    pipe = tmp_path / "x.lua"
    os.mkfifo(pipe)
    path = str(pipe).encode()
    names = made.name("Alice") + made.name("Bob")
    body = names + struct.pack("<3IQH", 8000, 5, 1, 0, len(path)) + path + struct.pack("<I", 0)

    def never(*_: object, **__: object) -> None:
        raise AssertionError("a file was opened")

    data = made.file(made.YRP, body, made.FLAGS | 0x8)
    monkeypatch.setattr("builtins.open", never)
    monkeypatch.setattr("os.open", never)
    assert opened(data).decks == ()


def test_junk_after_a_name_is_cut_off_and_never_kept() -> None:
    data = made.replay(PLAYED, junk="formername".encode("utf-16-le"))
    assert opened(data).players == (("Alice",), ("Bob",))
    assert "formername" not in json.dumps(told(data))


def test_names_of_no_text_are_shown_as_far_as_they_can() -> None:
    body = made.stream(PLAYED)
    broken = body[:4] + b"\x00\xd8A\x00\x07\x00" + body[10:]
    name = opened(made.file(made.YRPX, broken)).players[0][0]
    assert "A" in name
    assert name.isprintable()


def test_an_unfinished_file_with_garbage_in_its_header_is_whole() -> None:
    """The client died: not packed, size and properties are garbage, no end."""
    data = made.file(made.YRPX, made.stream(PLAYED[:-1]), size=0xFFFFFFFF, props=b"\xff" * 8)
    assert codes(data) == ["UNFINISHED"]


def test_a_file_cut_off_gives_what_came_before_and_the_place() -> None:
    body = made.stream(PLAYED)
    cut = body.index(made.packet(*made.damage(1, 800))) + 3
    shown = told(made.file(made.YRPX, body[:cut]))
    damage = shown["findings"][0]
    assert damage["code"] == "DAMAGED"
    assert damage["params"]["code"] == "duels.replay_short"
    assert (damage["params"]["at"], damage["params"]["part"]) == (cut - 3, "body")
    assert shown["turns"] == 1
    assert shown["lp"] == [8000, 8000]


def test_a_packed_file_cut_off_gives_what_was_packed_before() -> None:
    data = made.replay(
        [*made.opening(), *[made.damage(0, 1), made.damage(1, 2)] * 500], packed=True
    )
    shown = told(data[: len(data) * 3 // 4])
    damage = shown["findings"][0]["params"]
    assert damage["code"] == "duels.replay_inflated_short"
    assert damage["part"] == "file"
    assert damage["at"] == len(data) * 3 // 4
    assert shown["turns"] == 1


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ((50, b"\1\2\3"), "message"),
        (made.move(1, made.loc(0, 4, 0, 1), made.loc(0, 16, 0)), "impossible"),
        (made.move(1, made.loc(0, 4, 0xFFFFFFFF), made.loc(0, 16, 0)), "impossible"),
        (made.move(made.MAIN[-1], made.loc(0, 2, 0), made.loc(0, 4, 0x7FFFFFFF, 1)), "impossible"),
        (made.move(made.MAIN[-1], made.loc(0, 2, 0), made.loc(0, 0x84, 0, 0)), "impossible"),
        (made.move(made.MAIN[-1], made.loc(3, 2, 0), made.loc(0, 4, 0, 1)), "message"),
        (made.draw(0, [999]), "impossible"),
        (made.draw(1, range(99)), "impossible"),
        (made.phase(3), "message"),
        ((110, made.loc(0, 2, 0, 10) + made.loc(0, 0, 0)), "impossible"),
        ((90, struct.pack("<BI", 0, 0xFFFFFFFF)), "message"),
    ],
)
def test_a_message_that_cannot_be_ends_the_log_there(wrong: tuple[int, bytes], code: str) -> None:
    body = made.stream([*made.opening(), made.damage(1, 100), wrong, made.damage(1, 5000)])
    shown = told(made.file(made.YRPX, body))
    damage = shown["findings"][0]["params"]
    assert damage["code"] == f"duels.replay_{code}"
    assert damage["at"] == body.index(made.packet(*wrong))
    assert shown["lp"] == [8000, 7900]


def test_a_card_under_another_name_is_the_card_that_lies_there() -> None:
    """A text may make a card be another one; clients then name that one."""
    top = made.MAIN[-1]
    packets = [
        *made.opening(),
        made.move(top, made.loc(0, 2, 0, 10), made.loc(0, 4, 2, 1)),
        made.move(777, made.loc(0, 4, 2, 1), made.loc(0, 16, 0, 5), 64),
        made.damage(1, 8000),
        made.win(0, 1),
    ]
    found = examine(made.replay(packets), "d")
    assert not isinstance(found, Refusal)
    assert found.imported is not None
    assert [(one.code, dict(one.params)) for one in found.findings] == [
        ("CARD_DIFFERS", {"found": 777, "held": top})
    ]
    table = found.imported.table
    assert [table.cards[card].code for card in table.halves[0].graveyard] == [top]


def test_a_duel_of_teams_gives_decks_and_players() -> None:
    two = struct.pack("<I", 2)
    names = two + made.name("A") + made.name("B") + two + made.name("C") + made.name("D")
    script = names + struct.pack("<3IQ", 8000, 5, 1, made.DUEL_FLAGS)
    script += (made.deck(made.MAIN) + made.deck(())) * 4 + struct.pack("<I", 0)
    flags = made.FLAGS | 0x2
    body = names + struct.pack("<Q", made.DUEL_FLAGS)
    body += b"".join(made.packet(number, data) for number, data in PLAYED)
    body += made.packet(231, made.file(made.YRP, script, flags))
    shown = told(made.file(made.YRPX, body, flags))
    assert (shown["players"], len(shown["decks"])) == (["A", "B", "C", "D"], 4)
    assert (shown["events"], [one["code"] for one in shown["findings"]]) == (0, ["TEAMS"])


def test_unknown_messages_are_kept_and_listed() -> None:
    body = made.stream([*made.opening(), (222, b"abc"), made.damage(0, 1), (222, b"")])
    shown = told(made.file(made.YRPX, body))
    at = body.index(made.packet(222, b"abc"))
    assert shown["unknown_messages"] == [{"number": 222, "times": 2, "at": at}]
    assert shown["lp"] == [7999, 8000]


def _child(mode: str, count: int, folder: Path) -> dict[str, Any]:
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "tests.duels.replays.fuzzing",
            mode,
            str(count),
            str(SEED),
            str(folder),
        ],
        cwd=ROOT,
        text=True,
        capture_output=True,
        timeout=60 * MINUTES,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("mode", ["whole", "read"])
def test_damaged_files_are_answered(shared: Path, mode: str) -> None:
    count = SIZES.damaged_replays if mode == "whole" else SIZES.damaged_replay_reads
    folder = shared / "data" / "replays"
    idle, found = _child(mode, 0, folder), _child(mode, count, folder)
    assert found["wrong"] == []
    assert found["read"] == count
    assert len(found["codes"]) > 6, "hardly anything was damaged"
    assert found["longest_s"] < 2
    assert found["peak_kib"] - idle["peak_kib"] < GROWTH_KIB


def test_the_full_sizes() -> None:
    assert (FULL.damaged_replays, FULL.damaged_replay_reads) == (10_000, 90_000)
