"""Whether a duel of an event may be played on, told by rooms that know more than this one.

What is over for an event stays as it is: nobody acts, writes down or says anything in its duels,
on whatever way. Who knows of events registers who can say so.
"""

from __future__ import annotations

from collections.abc import Callable

from eventstore.domain.refusal import Refusal, Refused

Ask = Callable[[str], Refusal | None]
_asked: list[Ask] = []


def register(ask: Ask) -> None:
    """Name who knows: a function from the id of an event to why its duels do not go on (None:
    they do)."""
    if ask not in _asked:
        _asked.append(ask)


def refuse_stopped(event_id: str | None) -> None:
    """Raise Refused, as who knows says, for a duel of an event that does not go on."""
    answers = (ask(event_id) for ask in _asked) if event_id else ()
    found = next((one for one in answers if one is not None), None)
    if found is not None:
        raise Refused(found)
