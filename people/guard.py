"""Every view says which row of the permission table it stands under.

The services and selectors ask the table about the subject itself; the mark on the view is what
the guard middleware demands before it lets a request through, and what the route test reads.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from people.domain.permissions import TABLE, UnknownAction

F = TypeVar("F", bound=Callable[..., Any])


def guarded(action: str) -> Callable[[F], F]:
    """Mark a view with its action; raises UnknownAction when the table has no such row."""
    if action not in TABLE:
        raise UnknownAction(action)

    def mark(view: F) -> F:
        view.guard_action = action  # type: ignore[attr-defined]
        return view

    return mark


def action_of(view: Any) -> str | None:
    """Return the action a view (function or class-based) is marked with."""
    for holder in (view, getattr(view, "cls", None), getattr(view, "view_class", None)):
        action = getattr(holder, "guard_action", None)
        if action is not None:
            return str(action)
    return None
