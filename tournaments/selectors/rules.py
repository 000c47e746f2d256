"""Reads of the policy an event goes by, of its seats in the cut, of those live elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from people.access import require
from people.domain.actor import Actor
from people.domain.permissions import Subject
from tournaments import policies
from tournaments.domain.event import CHECKED_IN, CUT, RUNNING
from tournaments.domain.recommended import advice
from tournaments.domain.round_events import Policy
from tournaments.models import EntrantPerson, EntrantRow, EventRow, RuleRow
from tournaments.selectors.sides import readable, sides


@dataclass(frozen=True, slots=True)
class Rules:
    """The policy of an event: `fixed` once it is frozen, else the usual one. `title` and
    `source` are of the shipped file, empty where it has no such version any more; `same` says
    whether the file still holds what was frozen. `grown` as in RuleRow."""

    policy: Policy
    fixed: bool
    title: str
    source: str
    same: bool
    grown: tuple[Mapping[str, Any], ...]
    declined: frozenset[str]
    shortened: bool

    def advised(self, players: int) -> tuple[int, int]:
        """Return (Swiss rounds, places in the cut) for a number of players."""
        return advice(self.policy, players)


def rules_of(event_id: str) -> Rules:
    """Return the policy of an event that the viewer may see: one query."""
    row = RuleRow.objects.filter(pk=event_id).first()
    fixed = row is not None and bool(row.rows)
    held = policies.usual()
    policy = held.policy
    if row is not None and fixed:
        policy = Policy(
            row.policy,
            tuple((most, rounds, cut) for most, rounds, cut in row.rows),
            row.least_players,
            row.game_loss_min,
            row.match_loss_min,
            row.round_min,
            tuple(row.confirm),
        )
    shipped = policies.shipped().get(policy.policy)
    return Rules(
        policy,
        fixed,
        shipped.title if shipped else "",
        shipped.source if shipped else "",
        shipped is not None and shipped.policy == policy,
        tuple(row.grown) if row is not None else (),
        frozenset(row.declined) if row is not None else frozenset(),
        row is not None and row.shortened,
    )


def event_rules(viewer: Actor, event_id: str) -> Rules:
    """Return the policy an event goes by: two queries. Raises NotAllowed."""
    readable(viewer, event_id, "tournaments.event_read")
    return rules_of(event_id)


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """An entrant, with its name, one of whose persons also plays in another event that is going
    on."""

    entrant_id: str
    name: str
    person_id: str
    event_id: str
    event_name: str


def live_elsewhere(viewer: Actor, event_id: str) -> list[Elsewhere]:
    """Return who of an event's active entrants is live in another event as well: two queries
    where nobody is, else six, for the desk. Raises NotAllowed."""
    readable(viewer, event_id, "tournaments.event_read")
    require(viewer, "tournaments.desk_use", Subject(event_id))
    here = EntrantPerson.objects.filter(
        event_id=event_id,
        entrant_id__in=EntrantRow.objects.filter(
            event_id=event_id, status__in=["enrolled", CHECKED_IN]
        ).values("pk"),
    )
    going_on = EventRow.objects.filter(status__in=[RUNNING, CUT])
    there = (
        EntrantPerson.objects.filter(
            person_id__in=here.values("person_id"),
            event_id__in=going_on.values("pk"),
            entrant_id__in=EntrantRow.objects.filter(status=CHECKED_IN).values("pk"),
        )
        .exclude(event_id=event_id)
        .order_by("event_id", "key")
    )
    found = list(there.values_list("person_id", "event_id"))
    if not found:
        return []
    both = here.filter(person_id__in={one for one, _ in found})
    mine = dict(both.values_list("person_id", "entrant_id"))
    named = sides(EntrantRow.objects.filter(pk__in=mine.values()))
    events = dict(going_on.filter(pk__in={one for _, one in found}).values_list("pk", "name"))
    return [
        Elsewhere(mine[person], named[mine[person]].name, person, other, events[other])
        for person, other in found
    ]
