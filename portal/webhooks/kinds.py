"""What a webhook can tell of, and what a message of each kind says: ids and numbers, no more.

A message goes to a program whose rights the house cannot see, so it holds nothing that the
public pages of a published event do not show. A call says that there is one, and its id;
whoever may know more reads it at the API.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from eventstore.domain.registry import DomainEvent
from judging import events as judging
from tournaments import events as ev

PING = "ping"
"""The kind of a message that is sent by hand, to see whether it arrives."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of message: its name, the event that makes it, and what it says of it."""

    name: str
    event: type[DomainEvent]
    event_id: Callable[[Any], str]
    data: Callable[[Any], dict[str, Any]]


def _of(event: Any) -> str:
    return str(event.event_id)


def _nothing(event: Any) -> dict[str, Any]:
    return {}


def _match(event: Any) -> dict[str, Any]:
    return {"match_id": event.match_id, "round": event.round}


KINDS: tuple[Kind, ...] = (
    Kind("registration.opened", ev.RegistrationOpened, _of, _nothing),
    Kind("registration.closed", ev.RegistrationClosed, _of, _nothing),
    Kind("event.started", ev.EventStarted, _of, lambda event: {"players": event.players}),
    Kind("round.published", ev.RoundPublished, _of, lambda event: {"round": event.round}),
    Kind("result.decided", ev.MatchDecided, _of, _match),
    Kind("result.corrected", ev.MatchCorrected, _of, _match),
    Kind("cut.made", ev.CutMade, _of, lambda event: {"after_round": event.after_round}),
    Kind("event.finished", ev.EventFinished, _of, _nothing),
    Kind("event.cancelled", ev.EventCancelled, _of, _nothing),
    Kind(
        "call.raised",
        judging.CallRaised,
        lambda event: str(event.tournament),
        lambda event: {"call_id": event.call},
    ),
)
NAMES = tuple(kind.name for kind in KINDS)
