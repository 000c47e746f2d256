"""A small log of two events with matches and duels, and a folder for the keys of its own."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction

from eventstore import store
from tests.eventstore.sample import META, ValueKept

EVENT = "0190a0b0-0000-7000-8000-00000000000a"
OTHER = "0190a0b0-0000-7000-8000-00000000000b"


@pytest.fixture(autouse=True)
def own_keys(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep the signing key of each test in a folder of its own."""
    settings.DATA_DIR = tmp_path
    monkeypatch.delenv("LOG_SIGNING_KEY", raising=False)
    monkeypatch.delenv("LOG_ORIGIN", raising=False)
    return tmp_path


@dataclass(frozen=True, slots=True)
class Scene:
    """The log: which streams belong to EVENT, and how many events there are."""

    streams: frozenset[str]
    events: int


def write(stream: str, value: object) -> None:
    """Append one event, its text in NFC as every edge makes it."""
    with transaction.atomic():
        store.writing_turn()
        store.append([store.StreamWrite(stream, store.ANY, [ValueKept(value)])], meta=META)


def make_scene(length: int = 60) -> Scene:
    """Write two events, three matches each, a duel per match, and `length` more at random."""
    draw = random.Random(7)
    mine: set[str] = set()
    every: list[str] = []
    for event in (EVENT, OTHER):
        streams = [(f"tournament-{event}", "begun")]
        for number in range(3):
            match, duel = f"{event[:-2]}{number}{event[-1]}", f"{event[:-3]}{number}0{event[-1]}"
            streams += [(f"match-{match}", event), (f"duel-{duel}", match)]
        for stream, first in streams:
            write(stream, first)
            every.append(stream)
        if event == EVENT:
            mine.update(stream for stream, _ in streams)
    write("person-0190a0b0-0000-7000-8000-0000000000ff", "registered")
    while store.head_position() < length:
        write(draw.choice(every), draw.choice(["é", 'a "quoted" one', {"n": draw.random() < 0.5}]))
    return Scene(frozenset(mine), store.head_position())


@pytest.fixture
def scene(db: None) -> Scene:
    """The log of two events."""
    return make_scene()
