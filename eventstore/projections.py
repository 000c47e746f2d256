"""Projections: read tables derived from events, each written by its one projector.

They run in the transaction of the command, or follow the log (asynchronous). A rebuild clears
the tables of one projection and hands it every event again; side effects (outbox rows) are off
meanwhile. `eventstore.rebuilding` does the same beside the tables and then switches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from django.db import models, transaction

from eventstore import outbox, store
from eventstore.domain.envelope import Recorded
from eventstore.domain.registry import DomainEvent, name_of
from eventstore.models import SubscriptionRow, projector_writes

E = TypeVar("E", bound=DomainEvent)
Handler = Callable[[Any, Recorded], None]
Progress = Callable[[int, int], None]

_registry: dict[str, Projection] = {}


class Projection:
    """One projection: its name `<room>.<subject>`, its tables, a handler per event class.

    Handlers may read only tables of the same projection (declared in `tables`): a rebuild of
    one projection must not depend on another. An asynchronous one is not part of the command's
    transaction: it follows the log (eventstore.subscriptions) and is right a little later.
    """

    def __init__(
        self, name: str, tables: Sequence[type[models.Model]], *, asynchronous: bool = False
    ) -> None:
        if name in _registry:
            raise ValueError(f"projection {name} exists")
        self.name = name
        self.asynchronous = asynchronous
        self.tables = tuple(tables)
        self.handlers: dict[str, Handler] = {}
        _registry[name] = self

    def on(self, cls: type[E]) -> Callable[[Callable[[E, Recorded], None]], Handler]:
        """Register the handler of one event class: `handler(event, recorded)`."""

        def register(handler: Callable[[E, Recorded], None]) -> Handler:
            name, _ = name_of(cls)
            if name in self.handlers:
                raise ValueError(f"{self.name} already handles {name}")
            self.handlers[name] = handler
            global _changes
            _changes += 1
            return handler

        return register

    def clear(self) -> None:
        """Empty the tables, last declared first. Call under projector_writes()."""
        for table in reversed(self.tables):
            table._default_manager.all().delete()


def registered() -> dict[str, Projection]:
    """Return all projections by name."""
    return dict(sorted(_registry.items()))


def follower_name(name: str) -> str:
    """Return the name under which an asynchronous projection follows the log."""
    return f"projection:{name}"


def set_position(projection: Projection, position: int) -> None:
    """Keep how far an asynchronous projection has come, in the running transaction."""
    if projection.asynchronous:
        SubscriptionRow.objects.update_or_create(
            pk=follower_name(projection.name),
            defaults={"position": position, "failed_position": None, "error": "", "attempts": 0},
        )


_changes = 0
_routes: tuple[tuple[int, int, int], dict[str, list[Handler]]] | None = None


def _handlers() -> dict[str, list[Handler]]:
    """Return the handlers of each event type, all projections of a command together."""
    global _routes
    mark = (id(_registry), len(_registry), _changes)
    if _routes is None or _routes[0] != mark:
        routes: dict[str, list[Handler]] = {}
        for projection in _registry.values():
            if not projection.asynchronous:
                for name, handler in projection.handlers.items():
                    routes.setdefault(name, []).append(handler)
        _routes = (mark, routes)
    return _routes[1]


def project(recorded: Iterable[Recorded]) -> None:
    """Hand events to every projection, inside the caller's transaction."""
    routes = _handlers()
    work = [(handler, one) for one in recorded for handler in routes.get(one.type, ())]
    if work:
        with projector_writes():
            for handler, one in work:
                handler(one.data, one)


def rebuild(name: str, progress: Progress | None = None) -> int:
    """Rebuild one projection from the log; return how many events it took.

    `progress(done, total)` is called every few thousand events. All happens in one
    transaction under the write lock, so that readers see the old rows or the new ones.
    Raises KeyError when there is no such projection.
    """
    projection = _registry[name]
    with transaction.atomic(), projector_writes(), outbox.held_back():
        store.writing_turn()
        total = store.head_position()
        projection.clear()
        taken = 0
        for done, one in enumerate(store.read_all(), 1):
            handler = projection.handlers.get(one.type)
            if handler is not None:
                handler(one.data, one)
                taken += 1
            if progress and done % 2000 == 0:
                progress(done, total)
        set_position(projection, total)
        if progress:
            progress(total, total)
    return taken
