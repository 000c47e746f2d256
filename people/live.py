"""Which pages follow what happens: a mark on the view, read by the portal.

A topic names what moved, never how: `board` is what everybody may see of an event, `round` the
part of it that is for all tables at once (not how far each table is), `desk` what its staff see,
`calls` the queue of its judges, `mine` what concerns one player there. The view
takes the event's id as `event_id`. Rights are asked when the browser subscribes, not here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])
KINDS = ("board", "round", "desk", "calls", "mine")
OF_EVERYBODY = frozenset({"board", "round"})
"""Topics that say nothing but what everybody may see; a hall full of phones follows them."""


def live(*kinds: str) -> Callable[[F], F]:
    """Mark a view whose page shows these topics; raises ValueError for another word."""
    unknown = set(kinds) - set(KINDS)
    if unknown or not kinds:
        raise ValueError(f"no such topic: {', '.join(sorted(unknown)) or 'none'}")

    def mark(view: F) -> F:
        view.live_kinds = kinds  # type: ignore[attr-defined]
        return view

    return mark


def kinds_of(view: Any) -> tuple[str, ...]:
    """Return the topics that a view's page shows; none for a page that stands still."""
    kinds: tuple[str, ...] = getattr(view, "live_kinds", ())
    return kinds
