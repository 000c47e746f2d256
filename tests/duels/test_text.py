"""The text format: a log comes back as it was written, and damage is named by its line."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import duels.events  # noqa: F401 - the registry must know every type
from duels.domain import text
from duels.domain.events import DuelOpened, LineDisputed, LpDeclared, Rewound
from duels.domain.text import Entry
from duels.rules.yugioh import events as ev
from duels.rules.yugioh.soundness import states
from eventstore.domain import canonical, registry
from eventstore.domain.refusal import Refusal
from tests.conftest import ROOT
from tests.duels.made import opening, played
from tests.sizes import SIZES

TYPES = sorted(name for name in registry.registered() if name.startswith("duels."))
TIME = "2026-05-02T12:00:00.000000Z"
slow = settings(max_examples=SIZES.examples_slow)


def golden(name: str) -> registry.DomainEvent:
    schema = registry.registered()[name]
    body = (ROOT / "tests" / "golden" / f"{name}.v{schema}.json").read_text(encoding="utf-8")
    return registry.decode(name, schema, canonical.encode(json.loads(body)))


def refused(data: bytes) -> Refusal:
    found = text.read_any(data)
    assert isinstance(found, Refusal), found
    return found


@pytest.mark.parametrize("name", TYPES)
def test_every_event_type_comes_back(name: str) -> None:
    entries = [Entry(golden(name), TIME, "player")]
    assert text.read(text.write(entries)) == entries


@slow
@given(st.integers(0, 10**9))
def test_a_whole_duel_comes_back(seed: int) -> None:
    entries = [Entry(event) for event in played(seed)]
    written = text.write(entries)
    assert text.read(written) == entries
    assert text.write(text.read(written)) == written  # type: ignore[arg-type]
    assert text.read(written.replace(b"\n", b"\r\n")) == entries
    exported = [
        {"type": name, "schema": schema, "data": msgspec.to_builtins(event)}
        for event in (one.event for one in entries)
        for name, schema in [registry.name_of(event)]
    ]
    assert text.read_any(json.dumps(exported).encode()) == entries


WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=40)


@given(
    st.lists(
        st.tuples(WORDS, st.integers(-(2**53) + 1, 2**53 - 1), st.sampled_from([None, TIME])),
        max_size=5,
    )
)
def test_any_text_comes_back(rows: list[tuple[str, int, str | None]]) -> None:
    """Line ends, quotes, brackets, words that look like JSON: text stays text."""
    entries: list[Entry] = []
    for word, number, at in rows:
        word = canonical.text(word)
        entries.append(Entry(LineDisputed("P1", 1, word), at, "player"))
        entries.append(Entry(LpDeclared("P2", "P1", number, None, number, word), None, None))
        entries.append(Entry(ev.CardsMoved([ev.Move(1, "hand")], word), at))
        entries.append(Entry(ev.EffectDeclared("P1", 0, word, [{"op": word, "n": [number]}])))
    assert text.read(text.write(entries)) == entries


@pytest.mark.parametrize("word", ["null", "true", "false", "-", "", "a b", "P1", "x=1", "[", "{}"])
def test_a_word_is_no_literal(word: str) -> None:
    entries = [Entry(LineDisputed("P1", 1, word))]
    assert text.read(text.write(entries)) == entries


@given(st.binary(max_size=300))
def test_bytes_are_read_or_refused(noise: bytes) -> None:
    assert isinstance(text.read_any(noise), list | Refusal)


@slow
@given(st.integers(0, 10**6), st.data())
def test_damage_is_refused_or_read_and_never_raises(seed: int, data: st.DataObject) -> None:
    """One byte changed, a line lost or doubled: an answer, and never a replay that raises."""
    written = bytearray(text.write([Entry(event) for event in played(seed)]))
    at = data.draw(st.integers(0, len(written) - 1))
    written[at] = data.draw(st.integers(0, 255))
    found = text.read(bytes(written))
    if not isinstance(found, Refusal):
        assert isinstance(states([one.event for one in found]), list | Refusal)
    lines = bytes(written).split(b"\n")
    place = data.draw(st.integers(0, len(lines) - 2))
    lost = b"\n".join(lines[:place] + lines[place + 1 :])
    assert isinstance(text.read(lost), Refusal) or lines[place].startswith(b"[")
    assert isinstance(
        text.read(b"\n".join([*lines[:place], lines[place], *lines[place:]])), Refusal
    )


GOOD = text.write([Entry(event) for event in opening(1)])
FIRST = GOOD.split(b"\n").index(b"") + 2
"""The number of the first event line."""


@pytest.mark.parametrize(
    ("old", "new", "code", "line"),
    [
        (b"headjudge-duel 1\n", b"headjudge-duel 2\n", "text_header", 1),
        (b"headjudge-duel 1\n", b"headjudge-duel 1 masked\n", "text_masked", 1),
        (b"headjudge-duel 1\n", b"", "text_header", 1),
        (b'[Game "yugioh"]', b"Game yugioh", "text_tag", 3),
        (b'[Game "yugioh"]', b'[Game "yugioh"]\n[Game "yugioh"]', "text_tag", 4),
        (b"\n\n", b"\n", "text_tag", FIRST - 1),
        (b"\n3 - -", b"\n3 -", "text_line", FIRST + 2),
        (b"\n3 - -", b"\n4 - -", "text_order", FIRST + 2),
        (b"\n3 - -", b"\n\n3 - -", "text_line", FIRST + 2),
        (b"deck_shuffled/1", b"deck_burnt/1", "text_event", FIRST + 2),
        (b"deck_shuffled/1", b"deck_shuffled/7", "text_event", FIRST + 2),
        (b"deck_shuffled/1 player=P1", b"deck_shuffled/1 player=P3", "text_field", FIRST + 2),
        (b"deck_shuffled/1 player=P1", b"deck_shuffled/1", "text_field", FIRST + 2),
        (b" player=P1 order=[", b" player=P1 extra=1 order=[", "text_field", FIRST + 2),
        (b" player=P1 order=[", b" player=P1 player=P1 order=[", "text_field", FIRST + 2),
        (b" player=P1 order=[", b" player=P1 order=[1.5,", "text_field", FIRST + 2),
        (b" player=P1 order=[", b" player=P1 order=[NaN,", "text_field", FIRST + 2),
        (b" player=P1 order=[", b" player=P1 order=[9999999999999999999,", "text_field", FIRST + 2),
        (b" player=P1 order=[", b" player=P1 order=" + b"[" * 5000, "text_field", FIRST + 2),
        (b"deck_shuffled/1 player=P1", b"deck_shuffled/1 player=\xff", "text_not_utf8", FIRST + 2),
    ],
)  # fmt: skip
def test_damage_is_named_by_its_line(old: bytes, new: bytes, code: str, line: int) -> None:
    assert old in GOOD
    found = refused(GOOD.replace(old, new, 1))
    assert (found.code, found.params["line"]) == (f"duels.{code}", line)


def test_a_log_cut_short_is_refused() -> None:
    lines = GOOD.split(b"\n")
    found = refused(b"\n".join(lines[:-2]) + b"\n")
    assert found.code == "duels.text_count"
    assert found.params["found"] + 1 == int(found.params["allowed"])


def test_limits_are_asked_before_anything_is_parsed() -> None:
    assert refused(b"x" * (text.MAX_BYTES + 1)).code == "duels.text_too_large"
    assert refused(b"[" + b" " * text.MAX_BYTES).code == "duels.text_too_large"
    assert refused(b"\n" * (text.MAX_EVENTS + 1000)).code == "duels.text_too_large"
    long = GOOD + b"x" * (text.MAX_LINE + 1)
    assert refused(long).params == {
        "what": "line",
        "found": text.MAX_LINE + 1,
        "allowed": text.MAX_LINE,
        "line": GOOD.count(b"\n") + 1,
    }


@pytest.mark.parametrize(
    ("listed", "code", "line"),
    [
        ([{"type": "duels.deck_burnt", "schema": 1, "data": {}}], "text_event", 1),
        ([{"type": "duels.turn_begun", "schema": 1, "data": {"turn": "x"}}], "text_field", 1),
        ([{"type": "duels.turn_begun", "schema": 1, "data": []}], "text_field", 1),
        ([{"type": "duels.turn_begun"}], "text_header", 1),
        ([{"type": 1, "schema": 1, "data": {}}], "text_header", 1),
    ],
)
def test_a_damaged_export_is_refused(listed: list[Any], code: str, line: int) -> None:
    found = refused(json.dumps(listed).encode())
    assert (found.code, found.params["line"]) == (f"duels.{code}", line)


@pytest.mark.parametrize(
    ("more", "line"),
    [
        ([ev.CardsDrawn("P1", [9999], "effect")], 1),
        ([ev.MonsterSummoned("P1", 1, "normal", "attack", 10**9, "hand")], 1),
        ([ev.PositionChanged(1, "attack", "choice")], 1),
        ([Rewound(10**6, [], "x", None, None, 0, "", "", "", {}, False)], 1),
        ([ev.TurnBegun(2, "P2"), opening(1)[0]], 2),
    ],
)
def test_a_log_that_cannot_be_is_named_by_its_event(more: list[Any], line: int) -> None:
    log = opening(1)
    found = states([*log, *more])
    assert isinstance(found, Refusal)
    assert (found.code, found.params["line"]) == ("duels.text_log", len(log) + line)
    lone = states(log[1:])
    assert isinstance(lone, Refusal)
    assert lone.params == {"line": 1, "found": "no opening"}
    assert isinstance(states([]), Refusal)
    other = msgspec.structs.replace(log[0], game="chess")
    assert isinstance(other, DuelOpened)
    assert isinstance(states([other]), Refusal)
