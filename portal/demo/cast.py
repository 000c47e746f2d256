"""The people of a rehearsal: invented names, staff with roles, players on their phones."""

from __future__ import annotations

import random
from dataclasses import dataclass

from eventstore.commands import Context
from eventstore.ids import new_id
from people import selectors, services
from people.domain.actor import SYSTEM, Actor
from people.domain.roles import Role

WORDS = """
Amber Brisk Calm Dusty Early Faint Gentle Hazel Ivory Jolly Keen Lofty Mellow Nimble Olive
Plucky Quiet Rapid Silver Tidy Umber Violet Windy Young Zesty
"""
BEASTS = """
Badger Crane Dormouse Egret Ferret Gecko Heron Ibis Jackdaw Kestrel Lynx Marten Newt Otter
Plover Quail Raven Stoat Tern Urchin Vole Wren Yak Zebu
"""
STAFF = {
    "organiser": "Olga the organiser",
    "scorekeeper": "Sam at the desk",
    "judge": "Jude the judge",
    "head_judge": "Hedda the head judge",
}


@dataclass(frozen=True, slots=True)
class Staff:
    """Those who run the event."""

    organiser: Actor
    scorekeeper: Actor
    judge: Actor
    head_judge: Actor


def names(count: int, rng: random.Random) -> list[str]:
    """Return `count` different invented names; numbered when the words run out."""
    both = [f"{first} {last}" for first in WORDS.split() for last in BEASTS.split()]
    rng.shuffle(both)
    rounds = [
        both[at % len(both)] + ("" if at < len(both) else f" {at // len(both) + 1}")
        for at in range(count)
    ]
    return rounds[:count]


def register(name: str) -> str:
    """Make an invented person known and return the id."""
    return services.person_register(
        Context(actor=SYSTEM, source="system"), person_id=new_id(), display_name=name
    )


def hire(event_id: str) -> Staff:
    """Register the staff of a rehearsal and give each its role in the event."""
    actors: dict[str, Actor] = {}
    for role, name in STAFF.items():
        person_id = register(name)
        services.role_grant(
            Context(actor=SYSTEM, source="system"),
            person_id=person_id,
            role=Role(role).value,
            event_id=event_id,
        )
        actors[role] = selectors.actor_for(person_id, signed_in=True)
    return Staff(**actors)
