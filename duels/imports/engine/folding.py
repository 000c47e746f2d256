"""Fold a recording batch by batch and say where the folded table leaves the recorded one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from duels.imports.engine import compare, messages, moves
from duels.imports.engine.compare import Difference
from duels.imports.engine.recording import Batch, Recording, State
from duels.imports.engine.table import Impossible, Table, start, step
from duels.imports.engine.takeover import taken_over

MARKS = (moves.Equipped, moves.Unequipped, moves.CountersChanged)
"""Moves that move no card."""


@dataclass(frozen=True, slots=True)
class Step:
    """A batch with the table after it: its differences from the recording (empty: equal), the
    kinds of messages unknown here, and how many raw messages say something else."""

    batch: Batch
    table: Table
    moves: tuple[moves.Move, ...]
    differences: tuple[Difference, ...]
    unknown: tuple[str, ...]
    raw_unequal: int

    @property
    def mismatch(self) -> bool:
        """Whether the tables differ in more than marks (owners, bearers, counters)."""
        return any(not one.mark for one in self.differences)


def fold(recording: Recording, *, from_raw: bool = False) -> Iterator[Step]:
    """Yield a step for each batch. With `from_raw` the raw messages are folded instead of the
    readable ones. After a difference the fold goes on from the recorded table, so that each
    fault is told once, in the batch in which it happened."""
    table = start(recording.decks)
    state: State | None = None
    for batch in recording.batches:
        state = batch.state if batch.state is not None else state
        before = table
        found: list[Difference] = []
        done: list[moves.Move] = []
        unknown: list[str] = []
        said, raw_unequal = _said(batch, from_raw, found)
        for message in said:
            mark = False
            try:
                made = moves.moves_of(message)
                if made is None:
                    unknown.append(_named(message))
                    continue
                for move in made:
                    done.append(move)
                    mark = isinstance(move, MARKS)
                    table = step(table, move)
                    mark = False
            except (moves.Unreadable, Impossible) as fault:
                found.append(Difference("message", _named(message), str(fault), mark=mark))
        if state is not None:
            table = _settled(table, state, found)
            if table is not before or batch.state is not None:
                found += compare.differences(table, state)
        elif table.halves != before.halves:
            found.append(Difference("state", None, "moves before the first recorded table"))
        found += compare.clock(table, batch)
        yield Step(batch, table, tuple(done), tuple(found), tuple(unknown), raw_unequal)
        if found:
            table = taken_over(table, state, batch)


def _named(message: Mapping[str, Any]) -> str:
    name = message.get("msg") or message.get("number")
    return str(name)[:40]


def _said(
    batch: Batch, from_raw: bool, found: list[Difference]
) -> tuple[list[Mapping[str, Any]], int]:
    """Return the messages to fold, and how many raw forms contradict the readable ones. A
    kind of which no recording was seen is folded from its raw form: its field names are ours."""
    readable = batch.messages
    if not batch.raw:
        if from_raw:
            found.append(Difference("raw", 0, len(readable)))
        return list(readable), 0
    if len(batch.raw) != len(readable):
        found.append(Difference("raw", len(batch.raw), len(readable)))
    said: list[Mapping[str, Any]] = []
    unequal = 0
    for index, raw in enumerate(batch.raw):
        message = readable[index] if index < len(readable) else {}
        try:
            decoded = messages.decode_text(raw)
        except messages.Damaged as fault:
            if from_raw:
                found.append(Difference("raw", fault.number, fault.why))
            else:
                said.append(message)
            unequal += 1
            continue
        unequal += not messages.agrees(message, decoded)
        take = from_raw or decoded["msg"] in messages.UNSEEN_NAMES
        said.append(decoded if take else message)
    said += readable[len(batch.raw) :]
    return said, unequal


def _settled(table: Table, state: State, found: list[Difference]) -> Table:
    if not table.untold:
        return table
    try:
        return compare.settle(table, state)
    except Impossible as fault:
        found.append(Difference("order", None, str(fault)))
        return replace(table, untold=frozenset())
