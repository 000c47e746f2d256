"""What rooms that know more than this one show on a player's own match page.

The calls of a table belong to the room of the judges. It registers who writes its part of the page,
so that the page is whole with one request: at the end of a round thousands of phones load it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from django.http import HttpRequest
from django.utils.safestring import SafeString, mark_safe

from eventstore.prepared import Bound, ask
from people.domain.actor import Actor
from people.web import actor_of
from tournaments.selectors import EventHome

Needs = Callable[[Actor, EventHome], Sequence[Bound]]
Rows = Sequence[Sequence[Any]]
Write = Callable[[HttpRequest, EventHome, Rows], SafeString]
_writers: list[tuple[Needs, Write]] = []


def register(needs: Needs, write: Write) -> None:
    """Name who writes a part: what it looks up for a viewer in an event, which the page asks
    together with its own, and a function from the request, the event and the rows found to safe
    HTML of what this viewer may see, empty for nothing."""
    if (needs, write) not in _writers:
        _writers.append((needs, write))


def looked_up(viewer: Actor, held: EventHome) -> list[Bound]:
    """Return what the parts of all rooms look up."""
    return [one for needs, _ in _writers for one in needs(viewer, held)]


def beside(request: HttpRequest, held: EventHome, found: Rows | None = None) -> SafeString:
    """Return what the other rooms show to the viewer, one after the other. `found`: the rows of
    `looked_up`, asked here without them."""
    viewer = actor_of(request)
    wanted = [(list(needs(viewer, held)), write) for needs, write in _writers]
    if found is None:
        found = ask(*(one for some, _ in wanted for one in some))
    parts, at = [], 0
    for some, write in wanted:
        parts.append(write(request, held, found[at : at + len(some)]))
        at += len(some)
    return mark_safe("".join(parts))  # noqa: S308
