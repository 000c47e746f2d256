"""Recorded duels of the field's own engine: decoded, folded, and every fault found."""

from __future__ import annotations

import base64
import gzip
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from django.core.management import call_command

from duels.imports.engine import messages
from duels.imports.engine.folding import fold
from duels.imports.engine.layouts import NAMES, UNSEEN
from duels.imports.engine.recording import Recording, read
from duels.imports.engine.report import Report, compare_file
from eventstore.domain.refusal import Refusal
from tests.sizes import SIZES

SETS = ("vanilla", "classic")
MUTATIONS = 40 if SIZES.recordings < 100 else 400


def files(shared: Path, name: str) -> list[Path]:
    """The recordings of a set that this run looks at: spread over the whole set."""
    found = sorted((shared / "data" / "duels" / name).glob("*.json.gz"))
    step = max(1, len(found) // SIZES.recordings)
    return found[::step][: SIZES.recordings]


def plain(path: Path) -> dict[str, Any]:
    value: dict[str, Any] = msgspec.json.decode(gzip.decompress(path.read_bytes()))
    return value


def recording(value: dict[str, Any]) -> Recording:
    made = read(json.dumps(value).encode())
    assert not isinstance(made, Refusal), made
    return made


def faults(value: dict[str, Any]) -> list[int]:
    """The batches whose folded table differs."""
    return [one.batch.i for one in fold(recording(value)) if one.differences]


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("from_raw", [False, True], ids=["messages", "raw"])
def test_the_folded_table_is_the_recorded_one(shared: Path, name: str, from_raw: bool) -> None:
    batches = 0
    for path in files(shared, name):
        made = read(path.read_bytes())
        assert not isinstance(made, Refusal)
        for one in fold(made, from_raw=from_raw):
            assert one.differences == (), (path.name, one.batch.i, one.differences)
            assert not one.unknown
            batches += 1
    assert batches > 500 * SIZES.recordings


@pytest.mark.parametrize("name", SETS)
def test_raw_messages_decode_to_the_readable_ones(shared: Path, name: str) -> None:
    for path in files(shared, name):
        for batch in plain(path)["batches"]:
            for message, raw in zip(batch["messages"], batch["raw"], strict=True):
                assert messages.decode_text(raw) == message


CHANGES: dict[str, Callable[[dict[str, Any]], None]] = {
    "DRAW": lambda message: message["cards"][0].update(code=message["cards"][0]["code"] + 1),
    "MOVE": lambda message: (
        message["to"].update(controller=1 - message["to"]["controller"])
        if message["to"]["location"]
        else message.update(code=message["code"] + 1)  # nowhere has no side
    ),
    "POS_CHANGE": lambda message: message.update(position=15 - message["position"]),
    "FLIPSUMMONING": lambda message: message.update(sequence=message["sequence"] ^ 1),
    "DAMAGE": lambda message: message.update(amount=message["amount"] + 50),
    "RECOVER": lambda message: message.update(player=1 - message["player"]),
    "PAY_LPCOST": lambda message: message.update(amount=message["amount"] - 1),
    "SHUFFLE_HAND": lambda message: message.update(codes=[*message["codes"][1:], 4]),
    "NEW_TURN": lambda message: message.update(player=1 - message["player"]),
    "NEW_PHASE": lambda message: message.update(phase=2 if message["phase"] != 2 else 512),
    "EQUIP": lambda message: message["card"].update(sequence=(message["card"]["sequence"] + 1) % 5),
    "ADD_COUNTER": lambda message: message.update(count=message["count"] + 1),
}


@pytest.mark.parametrize("name", SETS)
def test_a_changed_message_is_found_in_its_batch(shared: Path, name: str) -> None:
    """One message altered, dropped or told twice: the batch is named, and no batch before it."""
    rng = random.Random(name)
    path = files(shared, name)[0]
    value = plain(path)
    spots = [
        (number, index)
        for number, batch in enumerate(value["batches"])
        for index, message in enumerate(batch["messages"])
        if message["msg"] in CHANGES and not without_trace(batch, message)
    ]
    for number, index in rng.sample(spots, min(len(spots), MUTATIONS)):
        batch = value["batches"][number]
        kept = json.loads(json.dumps(batch["messages"]))
        how = rng.choice(["alter", "drop", "twice"])
        message = batch["messages"][index]
        if how == "alter":
            CHANGES[message["msg"]](message)
        elif how == "drop":
            del batch["messages"][index]
            del batch["raw"][index]
        else:
            batch["messages"].insert(index, message)
            batch["raw"].insert(index, batch["raw"][index])
        found = faults(value)
        harmless = how != "alter" and message["msg"] in ("NEW_PHASE", "SHUFFLE_HAND", "EQUIP")
        if not (harmless and how == "twice"):
            assert _first_batch(value, found) == number, (number, how, message)
        value["batches"][number] = plain(path)["batches"][number]
        assert value["batches"][number]["messages"] == kept


def without_trace(batch: dict[str, Any], message: dict[str, Any]) -> bool:
    """Whether a change of Life Points leaves none: of nothing, or of a player who is at 0 or
    below, since Life Points are compared as max(0, LP)."""
    if "amount" not in message:
        return False
    halves = batch["state"]["players"] if batch["state"] else []
    return not message["amount"] or any(half["lp"] <= 0 for half in halves)


def _first_batch(value: dict[str, Any], found: list[int]) -> int | None:
    places = [number for number, batch in enumerate(value["batches"]) if batch["i"] in found]
    return places[0] if places else None


def test_a_readable_message_that_contradicts_its_raw_form_is_counted(shared: Path) -> None:
    value = plain(files(shared, "vanilla")[0])
    said = next(
        message
        for batch in value["batches"]
        for message in batch["messages"]
        if message["msg"] == "BATTLE"
    )
    said["card"]["atk"] += 1
    report = Report()
    compare_file(report, "x", json.dumps(value).encode())
    assert (report.mismatches, report.raw_unequal) == (0, 1)
    assert not report.clean


@pytest.mark.parametrize(
    ("wanted", "change"),
    [
        ("EQUIP", {"target": {"controller": 0, "location": 4, "sequence": 9, "position": 1}}),
        ("ADD_COUNTER", {"count": 77}),
    ],
)
def test_a_wrong_mark_is_counted_apart(shared: Path, wanted: str, change: dict[str, Any]) -> None:
    """Where the cards lie is right: no mismatch, but not passed over either."""
    for path in sorted((shared / "data" / "duels" / "classic").glob("*.json.gz")):
        value = plain(path)
        messages_ = [one for batch in value["batches"] for one in batch["messages"]]
        said = next((one for one in messages_ if one["msg"] == wanted), None)
        if said is not None:
            break
    assert said is not None
    said.update(change)
    for batch in value["batches"]:
        batch["raw"] = []
    report = Report()
    compare_file(report, "x", json.dumps(value).encode())
    assert (report.mismatches, report.marks_unequal) == (0, 1)
    assert not report.clean


def small(*extra: dict[str, Any], **half: Any) -> dict[str, Any]:
    """A recording of two opening hands, and one batch of `extra` messages."""
    decks = [[10 + n for n in range(8)], [30 + n for n in range(8)]]
    hands = [deck[:2:-1] for deck in decks]

    def side(player: int, **changes: Any) -> dict[str, Any]:
        return {
            "lp": 8000,
            "counts": {"deck": 3, "hand": 5, "grave": 0, "banished": 0, "extra": 2},
            "mzone": [None] * 5,
            "szone": [None] * 6,
            "hand": hands[player],
            "grave": [],
            "banished": [],
            "extra": [50, 51],
            "deck": decks[player][:3],
            **changes,
        }

    draws = [
        {"msg": "DRAW", "player": player, "cards": [{"code": c, "position": 10} for c in hand]}
        for player, hand in enumerate(hands)
    ]
    moment = {"status": "CONTINUE", "turn": 0, "turn_player": None, "phase": 0}
    return {
        "schema": "engine-duel/1",
        "decks": [{"main": deck, "extra": [50, 51]} for deck in decks],
        "batches": [
            {"i": 0, **moment, "messages": draws, "state": {"players": [side(0), side(1)]}},
            {
                "i": 1,
                **moment,
                "messages": list(extra),
                "raw": [],
                "state": {"players": [side(0, **half), side(1)]},
            },
        ],
    }


def raw(number: int, *parts: tuple[int, int]) -> str:
    """A raw message of (value, bytes) parts."""
    body = b"".join(value.to_bytes(size, "little") for value, size in parts)
    return base64.b64encode(bytes([number]) + body).decode()


def with_raw(value: dict[str, Any], *raws: str) -> dict[str, Any]:
    value["batches"][1]["raw"] = list(raws)
    return value


def test_messages_that_no_recording_at_hand_holds() -> None:
    """SHUFFLE_EXTRA and REMOVE_CARDS change the table, from the raw form whatever the field
    names; the others are known and change nothing."""
    shuffled = small({"msg": "SHUFFLE_EXTRA"}, extra=[51, 50])
    code = raw(39, (0, 1), (2, 4), (51, 4), (50, 4))
    assert faults(with_raw(shuffled, code)) == []
    removed = small(
        {"msg": "REMOVE_CARDS"},
        hand=[16, 15, 14, 13],
        counts={"deck": 3, "hand": 4, "grave": 0, "banished": 0, "extra": 2},
    )
    code = raw(190, (1, 4), (0, 1), (2, 1), (0, 4), (10, 4))
    assert faults(with_raw(removed, code)) == []
    for name in ("ROCK_PAPER_SCISSORS", "RETRY", "SORT_CHAIN", "SELECT_COUNTER", "MATCH_KILL"):
        steps = list(fold(recording(small({"msg": name, "player": 0}))))
        assert [one.differences for one in steps] == [(), ()]
        assert not steps[1].unknown


def test_an_unknown_message_is_told_and_stops_nothing() -> None:
    value = with_raw(small({"msg": "NEW_THING", "x": 1}, {"msg": "TAG_SWAP"}), raw(201), raw(202))
    report = Report()
    compare_file(report, "x", json.dumps(value).encode())
    assert report.mismatches == 0
    assert dict(report.unknown) == {"NEW_THING": 1, "TAG_SWAP": 1}


@pytest.mark.parametrize("number", sorted(NAMES))
def test_any_bytes_decode_or_are_told_as_damaged(number: int) -> None:
    rng = random.Random(number)
    for _ in range(SIZES.examples):
        data = bytes([number, *(rng.choice((0, 1, 2, 255)) for _ in range(rng.randint(0, 60)))])
        try:
            decoded = messages.decode(data)
        except messages.Damaged:
            continue
        assert decoded["msg"] == NAMES[number]


def test_names_and_numbers_are_unique() -> None:
    assert len(set(NAMES.values())) == len(NAMES)
    assert not set(UNSEEN) & set(messages.MESSAGES)


def test_damaged_files_are_refused_with_a_code(shared: Path, tmp_path: Path) -> None:
    data = files(shared, "vanilla")[0].read_bytes()
    text = gzip.decompress(data)
    damaged = {
        "cut": data[: len(data) // 2],
        "flipped": data[:2000] + bytes([data[2000] ^ 255]) + data[2001:],
        "empty": b"",
        "text": b"hello",
        "json": text[:-5],
        "list": b"[]",
        "schema": text.replace(b"engine-duel/1", b"engine-duel/9", 1),
        "deep": b"[" * 100_000,
        "no batches": text[: text.index(b'"batches"')] + b'"batches":[],"result":{}}',
        "state": text.replace(b'"lp":', b'"pl":', 1),
    }
    for name, body in damaged.items():
        report = Report()
        compare_file(report, name, body)
        assert [one["code"].split("_")[0] for one in report.errors] == ["duels.recording"], name
        assert not report.clean


def test_no_change_of_a_recording_crashes_the_comparison(shared: Path) -> None:
    """Any value anywhere in messages and states, replaced by something else."""
    rng = random.Random(7)
    value = plain(files(shared, "classic")[0])
    value["batches"] = value["batches"][:250]
    odd: list[Any] = [None, -1, 2**40, "x", [], {}, True, 9, [1, 2], {"a": 1}, 2.5]
    outcomes = set()
    for _ in range(MUTATIONS * 5):
        batch = rng.choice(value["batches"])
        kept = json.dumps(batch)
        part: Any = (
            batch["messages"] if rng.random() < 0.7 or not batch["state"] else batch["state"]
        )
        while True:
            keys = list(part) if isinstance(part, dict) else list(range(len(part)))
            if not keys:
                break
            key = rng.choice(keys)
            if isinstance(part[key], list | dict) and part[key] and rng.random() < 0.8:
                part = part[key]
                continue
            part[key] = rng.choice(odd)
            break
        report = Report()
        compare_file(report, "x", json.dumps(value).encode())
        outcomes.add((bool(report.errors), bool(report.mismatches)))
        batch.clear()
        batch.update(json.loads(kept))
    assert {(True, False), (False, True)} <= outcomes


def test_the_command_needs_no_database(
    shared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = files(shared, "vanilla")[0]
    call_command("compare_duel", str(good), "--json")
    said = capsys.readouterr()
    told = json.loads(said.out)
    assert (told["files"], told["mismatches"], told["errors"]) == (1, 0, [])
    assert told["batches"] == len(plain(good)["batches"])
    assert good.name in said.err
    bad = tmp_path / "bad.json.gz"
    bad.write_bytes(b"\x1f\x8bnonsense")
    with pytest.raises(SystemExit) as left:
        call_command("compare_duel", str(good), str(bad), str(tmp_path / "none.json"))
    assert left.value.code == 1
    said = capsys.readouterr()
    assert "files 3 " in said.out
    assert said.err.count("duels.recording_unreadable") == 2
