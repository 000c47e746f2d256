"""What a token may do: its scopes bound its person, and never add to it.

A scope lets a token stand in some of the relations of its person (permissions.TABLE), for
reading only or for acting too. A token without the scope `judge` is to the house what its
person would be without the role of a judge: what a judge alone may know of answers 404.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

from people.domain.roles import Relation, Role

STAFF_RELATIONS = frozenset(Relation(role.value) for role in Role)
OPEN = frozenset({Relation.ANYONE, Relation.SIGNED_IN})
"""Everybody is this much, so every token is."""


class Scope(StrEnum):
    """What a token can be given."""

    READ = "read"
    PLAY = "play"
    STAFF_READ = "staff_read"
    DESK = "desk"
    JUDGE = "judge"
    SITE = "site"
    WEBHOOKS = "webhooks"


@dataclass(frozen=True, slots=True)
class Reach:
    """The relations a scope lets a token stand in, whether it may act in them, and whether it
    opens only the actions of one subject (the beginning of their names)."""

    relations: frozenset[Relation]
    acts: bool
    within: str = ""


JUDGING = frozenset({Relation.JUDGE, Relation.HEAD_JUDGE, Relation.DECK_CHECKER})
DESKS = frozenset({Relation.ORGANISER, Relation.SCOREKEEPER, Relation.RECORDER})
MANAGERS = frozenset({Relation.ORGANISER, Relation.SITE_ORGANISER})
REACH: dict[Scope, Reach] = {
    Scope.READ: Reach(OPEN | {Relation.OWN}, acts=False),
    Scope.PLAY: Reach(OPEN | {Relation.OWN}, acts=True),
    Scope.STAFF_READ: Reach(STAFF_RELATIONS | {Relation.SITE_ORGANISER}, acts=False),
    Scope.DESK: Reach(DESKS, acts=True),
    Scope.JUDGE: Reach(JUDGING, acts=True),
    Scope.SITE: Reach(frozenset({Relation.SITE_ORGANISER}), acts=True),
    Scope.WEBHOOKS: Reach(MANAGERS, acts=True, within="portal.webhook"),
}
NOT_FOR_TOKENS = frozenset({"people.token_make", "people.person_erase", "portal.sign_in"})
"""Actions that need the person: a token makes no token and erases nobody."""
READING = ("_read", "_read_draft", "_read_as_player", "_read_as_judge", "list_check", "desk_use")


def is_reading(action: str) -> bool:
    """Say whether a row of the table is about looking only."""
    return action.endswith(READING)


def within(held: frozenset[Relation], scopes: Collection[str], action: str) -> frozenset[Relation]:
    """Return the relations that a token may stand in for an action, of those its person has."""
    if action in NOT_FOR_TOKENS:
        return frozenset()
    reading = is_reading(action)
    open_to: set[Relation] = set(OPEN) if reading else set()
    for name in scopes:
        reach = REACH[Scope(name)]
        if action.startswith(reach.within) and (reading or reach.acts):
            open_to |= reach.relations
    return held & open_to


def roles_left(roles: frozenset[Role], scopes: Collection[str]) -> frozenset[Role]:
    """Return the roles of a person that a token with these scopes carries at all."""
    open_to = {one for name in scopes for one in REACH[Scope(name)].relations}
    return frozenset(role for role in roles if Relation(role.value) in open_to)


def site_left(scopes: Collection[str]) -> bool:
    """Say whether a token with these scopes carries the powers of the site's organiser."""
    return any(Relation.SITE_ORGANISER in REACH[Scope(name)].relations for name in scopes)
