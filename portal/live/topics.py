"""Topics: their names, who may follow which, how often they moved."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest

from eventstore.ids import is_id
from eventstore.prepared import prepared
from people.access import NotAllowed, require
from people.domain.actor import Actor
from people.domain.permissions import Subject, Verdict
from people.live import KINDS
from portal.models import LiveTopic
from tournaments.selectors.sides import readable

MOST = 4
"""Topics of one page at most."""
SINCE = re.compile(r"\d{1,15}(\.\d{1,15}){0,3}")


class Unreadable(Exception):
    """A request that names no topics, too many, or something that is none."""


@dataclass(frozen=True, slots=True)
class Topic:
    """What a page asks to follow: one kind of one event."""

    kind: str
    event_id: str

    @property
    def text(self) -> str:
        """The form it has in an address."""
        return f"{self.kind}.{self.event_id}"


def board(event_id: str) -> str:
    """Key of what everybody may see of an event."""
    return f"board:{event_id}"


def of_round(event_id: str) -> str:
    """Key of what is for all tables of an event at once: its rounds, their clock, its state."""
    return f"round:{event_id}"


def desk(event_id: str) -> str:
    """Key of what the staff of an event see."""
    return f"desk:{event_id}"


def calls(event_id: str) -> str:
    """Key of the queue of calls of an event."""
    return f"calls:{event_id}"


def mine(event_id: str, person_id: str) -> str:
    """Key of what concerns one player of an event."""
    return f"mine:{event_id}:{person_id}"


def rights(person_id: str) -> str:
    """Key of the roles of a person. Nobody can follow it: the house itself does."""
    return f"rights:{person_id}"


def wanted(request: HttpRequest) -> list[Topic]:
    """Read the topics of a request, `t=kind.EVENT` each; raises Unreadable."""
    found: list[Topic] = []
    for text in request.GET.getlist("t"):
        kind, _, event_id = text.partition(".")
        if kind not in KINDS or not is_id(event_id):
            raise Unreadable
        found.append(Topic(kind, event_id))
    if not 1 <= len(found) <= MOST or len(set(found)) < len(found):
        raise Unreadable
    return found


def key(topic: Topic, viewer: Actor) -> str:
    """Return the key of a topic for a viewer, whether or not it may be followed."""
    if topic.kind == "mine":
        return mine(topic.event_id, viewer.person_id or "")
    return f"{topic.kind}:{topic.event_id}"


def granted_all(viewer: Actor, wanted: Sequence[Topic]) -> tuple[str, ...]:
    """Return the keys of topics that the viewer may follow: one query for each event. Raises
    NotAllowed, hidden for an event that does not exist and for one the viewer may not know of."""
    for event_id in dict.fromkeys(one.event_id for one in wanted):
        readable(viewer, event_id, "tournaments.pairings_read")
    return tuple(_granted(viewer, one) for one in wanted)


def _granted(viewer: Actor, topic: Topic) -> str:
    private = Subject(topic.event_id, public=False)
    if topic.kind == "desk":
        require(viewer, "tournaments.event_read_draft", private)
    elif topic.kind == "calls":
        require(viewer, "judging.queue_read", private)
    elif topic.kind == "mine" and not viewer.acts_in(topic.event_id):
        raise NotAllowed("tournaments.match_read", Verdict.HIDDEN)
    return key(topic, viewer)


@prepared
def _moves(*keys: Any) -> Any:
    return LiveTopic.objects.filter(pk__in=keys).values_list("topic", "moves")


def moves(keys: Sequence[str]) -> list[int]:
    """Return how often each of these keys moved: one query."""
    known = dict(_moves(*keys))
    return [known.get(one, 0) for one in keys]


def since(text: str, number: int) -> list[int] | None:
    """Read the counters a page was drawn with; None when they are not `number` counters."""
    if not SINCE.fullmatch(text):
        return None
    counters = [int(one) for one in text.split(".")]
    return counters if len(counters) == number else None
