"""What rooms that know more than this one show on a player's own match page.

The calls of a table belong to the room of the judges. It registers who writes its part of the page,
so that the page is whole with one request: at the end of a round thousands of phones load it.
"""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest
from django.utils.safestring import SafeString, mark_safe

from tournaments.selectors import EventHome

Write = Callable[[HttpRequest, EventHome], SafeString]
_writers: list[Write] = []


def register(write: Write) -> None:
    """Name who writes a part: a function from the request and the viewer's event to safe HTML of
    what this viewer may see, empty for nothing."""
    if write not in _writers:
        _writers.append(write)


def beside(request: HttpRequest, held: EventHome) -> SafeString:
    """Return what the other rooms show to the viewer, one after the other."""
    return mark_safe("".join(write(request, held) for write in _writers))  # noqa: S308
