"""Event types, a job and services that exist for the tests of the event store only."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import msgspec

from eventstore import outbox, periodic
from eventstore.commands import Context, Unit, command
from eventstore.domain.envelope import Meta
from eventstore.domain.refusal import Refusal, Refused
from eventstore.domain.registry import DomainEvent, event, upcaster
from eventstore.runs import Run
from eventstore.store import ANY
from people.domain.actor import SYSTEM


@event("sample.number_added")
class NumberAdded(DomainEvent, frozen=True):
    """A number was added to a stream that folds to their sum."""

    number: int


@event("sample.thing_noted", schema=2)
class ThingNoted(DomainEvent, frozen=True):
    """Version 2: `words` replaced the one `word` of version 1."""

    words: tuple[str, ...]


@upcaster("sample.thing_noted", 1)
def _words(values: dict[str, Any]) -> dict[str, Any]:
    return {"words": [values["word"]]}


@event("sample.value_kept")
class ValueKept(DomainEvent, frozen=True):
    """Holds whatever a test wants to see refused or kept."""

    value: Any


META = Meta(actor="system", role="system", source="system", command="c")


def add(total: int, one: Any) -> int:
    """Fold: the sum of the numbers."""
    return total + one.number


class Sum(msgspec.Struct, frozen=True):
    """Result of number_add: a struct, so that its way through the kept outcome is tested."""

    stream: str
    total: int


@command("sample.number_add")
def number_add(unit: Unit, *, stream: str, number: int, fail: bool = False) -> Sum:
    """Add a number; zero is refused, `fail` breaks after the append."""
    state = unit.load(stream, 0, add)
    if number == 0:
        raise Refused(Refusal("sample.zero", {"found": 0}))
    unit.append(stream, state.version, [NumberAdded(number)])
    if fail:
        raise RuntimeError("broken after the append")
    return Sum(stream, state.state + number)


@command("sample.pair_add")
def pair_add(unit: Unit, *, first: str, second: str, number: int) -> list[Sum]:
    """A command made of two others, which join it."""
    return [
        number_add(unit, stream=first, number=number),
        number_add(unit, stream=second, number=-number),
    ]


@command("sample.echo_ask")
def echo_ask(unit: Unit, *, word: str, fail: bool = False) -> None:
    """Leave work behind, and perhaps break after it."""
    unit.append("thing-echo", ANY, [ThingNoted((word,))])
    unit.enqueue("sample.echo", word=word)
    if fail:
        raise RuntimeError("broken after the outbox row")


HEARD: list[str] = []


@outbox.job("sample.echo")
def echo(payload: dict[str, Any]) -> None:
    """Keep what was heard; the word `bad` breaks it."""
    if payload["word"] == "bad":
        raise ValueError("a bad word")
    HEARD.append(payload["word"])


@outbox.long_job("sample.add", attempts=3)
def add_all(payload: dict[str, Any], run: Run) -> None:
    """Add numbers to a stream, each by a command of this job. With `mark`: the first try dies
    with its worker when it is half through, or waits there to be killed."""
    numbers = payload["numbers"]
    for at, number in enumerate(numbers, start=1):
        context = Context(actor=SYSTEM, source="system", command_id=run.command_id(str(at)))
        number_add(context, stream="thing-added", number=number)
        run.progress(at, len(numbers))
        if payload.get("mark") and run.attempt == 1 and at == 2:
            mark = Path(payload["mark"])
            mark.with_suffix(".part").write_text(str(os.getpid()))
            mark.with_suffix(".part").rename(mark)
            time.sleep(600)
    run.found("sample.added", count=len(numbers))


@outbox.job("sample.once")
def once(payload: dict[str, Any]) -> None:
    """Append an event under a new command id: run twice, it would count twice."""
    number_add(Context(actor=SYSTEM, source="system"), stream="thing-once", number=1)


@outbox.outside_job("sample.tell")
def tell(payload: dict[str, Any]) -> None:
    """Tell a server elsewhere. With `until`: it hangs until that file is there."""
    while "until" in payload and not Path(payload["until"]).exists():
        time.sleep(0.02)
    HEARD.append(payload["word"])


BEATS: list[str] = []


@periodic.every(2, "sample.beat")
def beat() -> None:
    """Append an event, so that processes can be counted together."""
    BEATS.append("beat")
    context = Context(actor=SYSTEM, source="system")
    number_add(context, stream="thing-beat", number=1)
