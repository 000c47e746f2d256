"""Reads about people. Names leave the house by id only where the caller may show them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db.models import Q, QuerySet

from eventstore import clock
from eventstore.prepared import Bound, listed, prepared
from people.access import require
from people.domain.actor import Actor
from people.domain.names import clean_card_game_id, fold
from people.domain.permissions import Subject
from people.domain.roles import Role
from people.domain.scopes import roles_left, site_left
from people.models import Account, Person, RoleRow

MOST_WORDS = 6


def actor_for(
    person_id: str,
    *,
    signed_in: bool,
    device_events: frozenset[str] | None = None,
    scopes: frozenset[str] | None = None,
) -> Actor:
    """Build the actor of a person with the roles now in force: one query.

    `device_events`: the events that a device is bound to by join links, or a token to one
    event. `scopes`: those of a token, which carries only the roles that they reach.
    """
    now = clock.as_text(clock.now())
    roles: dict[str, set[Role]] = {}
    site = False
    for event_id, role, until in RoleRow.objects.filter(person_id=person_id).values_list(
        "event_id", "role", "until"
    ):
        if until and until <= now:
            continue
        if event_id:
            roles.setdefault(event_id, set()).add(Role(role))
        elif role == Role.ORGANISER:
            site = True
    if scopes is not None:
        site = site and device_events is None and site_left(scopes)
        roles = {
            key: set(left)
            for key, held in roles.items()
            if (device_events is None or key in device_events)
            and (left := roles_left(frozenset(held), scopes))
        }
    return Actor(
        person_id=person_id,
        signed_in=signed_in,
        # Powers of staff need a log-in: a join link on a phone binds a player, no more.
        site_organiser=site and signed_in,
        event_roles={key: frozenset(held) for key, held in roles.items()} if signed_in else {},
        device_events=device_events,
        scopes=scopes,
    )


def names(ids: Iterable[str], known: Iterable[Called] = ()) -> dict[str, str]:
    """Return the names that others see by person id: the one a player chose, else the display
    name. An id that was merged has the name of the kept one. One query, a second one where
    somebody was merged into an id that is not asked for; none for those in `known`, the rows of
    `names_bound`. Ids that are unknown are left out."""
    return _names(ids, public=True, known=known)


def registered_names(ids: Iterable[str]) -> dict[str, str]:
    """Return the names that the desk knows people by, as `names`."""
    return _names(ids, public=False)


Called = tuple[str, str, str, str]
"""Id of a person, display name, chosen name, and into whom the id was merged."""
_CALLED = ("pk", "display_name", "public_name", "merged_into")
FEW = 6
"""Persons of one table."""


@prepared
def _called_few(*ids: Any) -> Any:
    return Person.objects.filter(pk__in=ids).order_by().values_list(*_CALLED)


@prepared
def _called(ids: Any) -> Any:
    return Person.objects.filter(pk__listed=ids).order_by().values_list(*_CALLED)


def names_bound(ids: Iterable[str]) -> Bound | None:
    """Return the look-up of the names of a few persons for `prepared.ask`; its rows are for
    `names`. None for nobody, and for more than a few."""
    asked = set(ids)
    return _called_few.bind(*asked) if 1 <= len(asked) <= FEW else None


def _names(ids: Iterable[str], *, public: bool, known: Iterable[Called] = ()) -> dict[str, str]:
    found: dict[str, str] = {}
    into: dict[str, str] = {}
    asked, tried, rows = set(ids), set[str](), known
    while True:
        for pk, name, chosen, merged in rows:
            found[pk] = (public and chosen) or name
            if merged:
                into[pk] = merged
        wanted = (asked | set(into.values())) - found.keys() - tried
        if not wanted:
            break
        tried |= wanted
        rows = _called_few(*wanted) if len(wanted) <= FEW else _called(listed(wanted))
    return {pk: found.get(into.get(pk, pk), found[pk]) for pk in asked & found.keys()}


def sort_names(ids: Iterable[str]) -> dict[str, str]:
    """Return the folded sort names by person id: one query. Who chose a name for what others see
    stands where that name is looked for, and the place in a list does not tell the other."""
    return {
        pk: fold(public or sort_name or name)
        for pk, public, sort_name, name in Person.objects.filter(pk__in=set(ids)).values_list(
            "pk", "public_name", "sort_name", "display_name"
        )
    }


def languages(ids: Iterable[str]) -> dict[str, str]:
    """Return the language of each person by id: one query."""
    return dict(Person.objects.filter(pk__in=set(ids)).values_list("pk", "language"))


def card_game_ids(viewer: Actor, ids: Iterable[str], *, event_id: str) -> dict[str, str]:
    """Return the Card Game IDs by person id, for the desk of an event: one query. Raises
    NotAllowed."""
    require(viewer, "people.person_read", Subject(event_id=event_id))
    rows = Person.objects.filter(pk__in=set(ids)).exclude(card_game_id="")
    return {pk: str(number) for pk, number in rows.values_list("pk", "card_game_id") if number}


def people_search(viewer: Actor, text: str, *, event_id: str | None = None) -> list[Person]:
    """Find people by a part of the name or by id, at most 20: for the desk. Raises NotAllowed."""
    require(viewer, "people.person_register", Subject(event_id=event_id))
    match = Q(folded__contains=fold(text))
    number = clean_card_game_id(text)
    if isinstance(number, str):
        match |= Q(card_game_id=number)
    found = Person.objects.filter(match, merged_into="")
    return list(found[:20]) if text.strip() else []


def ids_named(text: str, among: QuerySet[Any]) -> QuerySet[Person, Any]:
    """Return a query of the ids of people in whose name each word of a text stands, marks and case
    left aside: the name that others see and, of who chose none, the one for sorting too. `among`:
    a query of the ids that matter; others may be in the answer as well. Two queries for chosen
    names and merged ids, besides the one that is returned."""
    words = fold(text).split()[:MOST_WORDS]
    plain = Q(public_name="", merged_into="")
    other = Person.objects.filter(pk__in=among).exclude(plain)
    told = names(other.values_list("pk", flat=True))
    meant = [pk for pk, name in told.items() if all(word in fold(name) for word in words)]
    for word in words:
        plain &= Q(folded__contains=word)
    return Person.objects.filter(plain | Q(pk__in=meant)).values("pk")


def without_log_in(viewer: Actor, persons: Iterable[str], *, event_id: str) -> set[str]:
    """Return those of the persons who have no log-in, or one that is closed: a role of theirs
    gives nothing yet. One query. Raises NotAllowed."""
    require(viewer, "people.role_grant", Subject(event_id=event_id))
    asked = set(persons)
    held = Account.objects.filter(person_id__in=asked, is_active=True)
    return asked - set(held.values_list("person_id", flat=True))


def roles_in_event(viewer: Actor, event_id: str) -> list[tuple[str, str, str]]:
    """Return (person id, role, until) of the staff of an event, `until` empty for a role without
    an end; those that have ended are left out. Raises NotAllowed."""
    now = clock.as_text(clock.now())
    require(viewer, "people.role_grant", Subject(event_id=event_id))
    return list(
        RoleRow.objects.filter(Q(until="") | Q(until__gt=now), event_id=event_id)
        .order_by("role", "person_id")
        .values_list("person_id", "role", "until")
    )
