"""The one way of a command: a service runs once, wholly or not at all, whoever sends it again.

    @command("decks.list_submit")
    def list_submit(unit: Unit, *, event_id: str, ...) -> Submitted: ...

    list_submit(Context(actor=olga, source="organiser"), event_id=..., ...)

The edge makes a Context and calls the service. The service loads streams (`unit.load`),
decides, and appends (`unit.append`). Read tables are brought up to date in the same
transaction. A service that is part of another command is called with that command's Unit
instead of a Context and joins it: nothing is committed until the outer one ends.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import typing
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from time import perf_counter
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar

import msgspec
import structlog
from django.db import (
    DEFAULT_DB_ALIAS,
    InterfaceError,
    OperationalError,
    connection,
    connections,
)

from eventstore import ahead, clock, correlation, measures, outbox, projections, store
from eventstore.domain import canonical
from eventstore.domain.envelope import Meta, Recorded
from eventstore.domain.refusal import Refusal, Refused
from eventstore.domain.registry import DomainEvent
from eventstore.faults import NotDone, OutcomeUnknown, reason_of
from eventstore.ids import new_id
from eventstore.snapshots import Snapshots, load, load_recent
from eventstore.turns import Turn

P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S")


class ActorLike(Protocol):
    """Whoever acts, as far as the log needs to know: an opaque id and the role acted in."""

    @property
    def ref(self) -> str: ...

    @property
    def role(self) -> str: ...


class CommandReused(Exception):
    """A command id came again with other content."""

    measured_as = "reused"

    def __init__(self, command_id: str) -> None:
        super().__init__(f"command {command_id} was used for something else")
        self.command_id = command_id


@dataclass(frozen=True, slots=True)
class Context:
    """Who sends a command, from where, under which id (made here when the edge gave none).

    `source` is one of player, judge, scorekeeper, organiser, import, engine, system.
    """

    actor: ActorLike
    source: str
    command_id: str = field(default_factory=new_id)
    client_time: str | None = None
    correlation: str | None = field(default_factory=correlation.current)


@dataclass(frozen=True, slots=True)
class Loaded(Generic[S]):
    """A stream folded to its state, and the version it was read at (0: no such stream)."""

    stream: str
    version: int
    state: S


class Unit:
    """One running command: its context, its clock reading, and the way to the log."""

    def __init__(self, context: Context, database: Any = None) -> None:
        self.context = context
        self._database = database
        self.now: datetime = clock.now()
        self.recorded: list[Recorded] = []

    @property
    def actor(self) -> Any:
        """The actor of the command."""
        return self.context.actor

    def load(
        self,
        stream: str,
        initial: S,
        evolve: Callable[[S, Any], S],
        *,
        snapshots: Snapshots[S] | None = None,
    ) -> Loaded[S]:
        """Fold a stream as it now stands; with `snapshots` from the last one that counts."""
        version, state = load(stream, initial, evolve, snapshots, write=True)
        return Loaded(stream, version, state)

    def load_recent(self, stream: str, initial: S, evolve: Callable[[S, Any], S]) -> Loaded[S]:
        """Fold a long stream from what this process remembers of it (snapshots.load_recent)."""
        version, state = load_recent(stream, initial, evolve)
        return Loaded(stream, version, state)

    def append(self, stream: str, expected: int, events: Sequence[DomainEvent]) -> list[Recorded]:
        """Append to one stream and bring the read tables up to date.

        Raises store.WrongExpectedVersion.
        """
        return self.append_all([store.StreamWrite(stream, expected, events)])

    def append_all(self, writes: Sequence[store.StreamWrite]) -> list[Recorded]:
        """Append to several streams at once."""
        context = self.context
        meta = Meta(
            actor=context.actor.ref,
            role=context.actor.role,
            source=context.source,
            command=context.command_id,
            correlation=context.correlation,
            client_time=context.client_time,
        )
        recorded = store.append(writes, meta=meta, database=self._database)
        projections.project(recorded)
        self.recorded.extend(recorded)
        return recorded

    def enqueue(self, topic: str, **payload: Any) -> None:
        """Leave work for after the commit (eventstore.outbox)."""
        outbox.enqueue(topic, payload, correlation=self.context.correlation or "")

    def acting_as(self, source: str) -> Unit:
        """The same unit for a part of the command that has another source."""
        part = Unit.__new__(Unit)
        part.context = replace(self.context, source=source)
        part.now, part.recorded = self.now, self.recorded
        part._database = self._database
        return part


def accept(decided: list[DomainEvent] | Refusal) -> list[DomainEvent]:
    """Return the events of a decision; raises Refused for a refusal."""
    if isinstance(decided, Refusal):
        raise Refused(decided)
    return decided


def _fingerprint(content: Any) -> str:
    """Hash what a command asks for. Text is taken as it was typed: its service cleans it."""
    try:
        return hashlib.sha256(msgspec.json.encode(content, order="sorted")).hexdigest()
    except UnicodeEncodeError:
        raise canonical.NotCanonical("$", "text holds a lone surrogate") from None


def _settle(turn: Turn, fault: Exception) -> tuple[str, bytes]:
    """Find out whether a command whose transaction broke was committed: (fingerprint, outcome).

    Taking the turn waits until the broken transaction is over, so the look-up is final. Raises
    NotDone, or OutcomeUnknown when the database does not answer.
    """
    reason = reason_of(fault)
    connection.close()
    if not turn.committing:
        raise NotDone(turn.command_id, reason) from fault
    try:
        with Turn(turn.database, turn.command_id) as again:
            known = again.known
    except (OperationalError, InterfaceError):
        connection.close()
        raise OutcomeUnknown(turn.command_id, reason) from fault
    if known is None:
        raise NotDone(turn.command_id, reason) from fault
    return known


def _note(name: str, outcome: str, began: float, events: int = 0, refusal: str = "") -> None:
    """Leave a note of how a command ended; one that took long is logged at once."""
    seconds = perf_counter() - began
    measures.note((name, outcome, refusal, seconds, events))
    if seconds > measures.slow_seconds:
        structlog.get_logger("slow").warning(
            "slow command", command=name, outcome=outcome, ms=round(seconds * 1000), events=events
        )


def command(
    name: str,
) -> Callable[[Callable[Concatenate[Unit, P], R]], Callable[Concatenate[Context | Unit, P], R]]:
    """Make a service of a function whose first argument is the Unit and the rest keywords.

    Its result must be plain data (str, int, None, msgspec Struct, lists and dicts of those):
    it is kept, and returned again when the command id comes again with the same content.
    Raises CommandReused when the id comes with other content, and whatever the body raises;
    then nothing of the command is kept. When the database fails, raises faults.NotDone or
    faults.OutcomeUnknown (both OperationalError).
    """

    def decorate(
        body: Callable[Concatenate[Unit, P], R],
    ) -> Callable[Concatenate[Context | Unit, P], R]:
        signature = inspect.signature(body)

        @functools.wraps(body)
        def service(context: Context | Unit, *args: P.args, **kwargs: P.kwargs) -> R:
            if isinstance(context, Unit):
                return body(context, *args, **kwargs)
            content: dict[str, Any] = kwargs
            if args:
                content = dict(list(signature.bind(None, *args, **kwargs).arguments.items())[1:])
            fingerprint = _fingerprint((name, context.actor.ref, content))
            database = connections[DEFAULT_DB_ALIAS]
            nested = database.in_atomic_block
            turn = Turn(database, context.command_id, ahead.of(name, content))

            def first_outcome(known: tuple[str, bytes]) -> R:
                if known[0] != fingerprint:
                    raise CommandReused(context.command_id)
                returns = typing.get_type_hints(body).get("return", Any)
                outcome: R = msgspec.json.decode(known[1], type=returns)
                return outcome

            began = perf_counter()
            try:
                try:
                    with turn:
                        if turn.known is not None:
                            known = first_outcome(turn.known)
                            _note(name, measures.REPEATED, began)
                            return known
                        unit = Unit(context, database)
                        result = body(unit, *args, **kwargs)
                        turn.keep(name, fingerprint, msgspec.json.encode(result), unit.now)
                    _note(name, measures.DONE, began, len(unit.recorded))
                    return result
                except (OperationalError, InterfaceError) as fault:
                    if nested:
                        raise  # whoever holds the transaction tells
                    return first_outcome(_settle(turn, fault))
            except Exception as fault:
                code = fault.refusal.code if isinstance(fault, Refused) else ""
                _note(name, measures.outcome_of(fault), began, refusal=code)
                raise

        service.command_name = name  # type: ignore[attr-defined]
        return service

    return decorate
