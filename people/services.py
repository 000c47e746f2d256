"""Commands on people: the only code that changes names, log-ins and roles."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.contrib.auth.hashers import make_password

from eventstore import clock
from eventstore.commands import Unit, command
from eventstore.domain.refusal import Refusal, Refused
from eventstore.store import ANY
from people.access import require
from people.domain.names import clean_card_game_id, clean_name, fold
from people.domain.permissions import Subject
from people.domain.roles import Role
from people.events import (
    AccountOpened,
    DeviceJoined,
    PersonEdited,
    PersonRegistered,
    RoleEnded,
    RoleGranted,
)
from people.models import Account, Person


def _stream(person_id: str) -> str:
    return f"person-{person_id}"


def _known(person_id: str) -> Person:
    person = Person.objects.filter(pk=person_id).first()
    if person is None:
        raise Refused(Refusal("people.unknown_person", {"found": person_id}))
    return person


def _name(text: str) -> str:
    name = clean_name(text)
    if isinstance(name, Refusal):
        raise Refused(name)
    return name


def _card_game_id(text: str, person_id: str) -> str | None:
    number = clean_card_game_id(text)
    if isinstance(number, Refusal):
        raise Refused(number)
    if number and Person.objects.filter(card_game_id=number).exclude(pk=person_id).exists():
        raise Refused(Refusal("people.card_game_id_taken", {"found": number}))
    return number


@command("people.person_register")
def person_register(
    unit: Unit,
    *,
    person_id: str,
    display_name: str,
    sort_name: str = "",
    card_game_id: str = "",
    language: str = "en",
    event_id: str | None = None,
) -> str:
    """Make a person known and return the id. `event_id` is the event whose desk asks.

    Raises Refused (people.name_missing, name_too_long, name_signs, card_game_id,
    card_game_id_taken, person_exists), NotAllowed.
    """
    require(unit.actor, "people.person_register", Subject(event_id=event_id))
    if Person.objects.filter(pk=person_id).exists():
        raise Refused(Refusal("people.person_exists", {"found": person_id}))
    name = _name(display_name)
    Person.objects.create(
        id=person_id,
        display_name=name,
        sort_name=_name(sort_name) if sort_name.strip() else name,
        folded=fold(f"{name} {sort_name}"),
        card_game_id=_card_game_id(card_game_id, person_id),
        language=language,
        created_at=unit.now,
    )
    unit.append(_stream(person_id), 0, [PersonRegistered(person_id)])
    return person_id


@command("people.person_edit")
def person_edit(
    unit: Unit,
    *,
    person_id: str,
    display_name: str,
    sort_name: str = "",
    card_game_id: str = "",
    language: str = "en",
) -> None:
    """Change the reference facts of a person. A person belongs to no event, so no role of an
    event is enough. Raises Refused, NotAllowed."""
    require(unit.actor, "people.person_edit", Subject(owners=frozenset({person_id}), public=False))
    person = _known(person_id)
    name = _name(display_name)
    values = {
        "display_name": name,
        "sort_name": _name(sort_name) if sort_name.strip() else name,
        "card_game_id": _card_game_id(card_game_id, person_id),
        "language": language,
    }
    changed = tuple(sorted(key for key, value in values.items() if getattr(person, key) != value))
    if not changed:
        return
    for key, value in values.items():
        setattr(person, key, value)
    person.folded = fold(f"{person.display_name} {person.sort_name}")
    person.save()
    unit.append(_stream(person_id), ANY, [PersonEdited(person_id, changed)])


@command("people.account_open")
def account_open(unit: Unit, *, person_id: str, username: str, password_hash: str) -> None:
    """Give a person a log-in. The edge hashes the password (`hash_password`), so that no
    command ever carries one. Raises Refused (people.username_taken, unknown_person)."""
    require(unit.actor, "people.person_register")
    _known(person_id)
    if Account.objects.filter(username=username).exists():
        raise Refused(Refusal("people.username_taken", {"found": username}))
    Account.objects.create(username=username, person_id=person_id, password=password_hash)
    unit.append(_stream(person_id), ANY, [AccountOpened(person_id)])


def hash_password(password: str) -> str:
    """Hash a password for `account_open`."""
    return make_password(password)


def _until(text: str | None, now: datetime) -> str | None:
    """Check the end of a role: a stored time to come, or none."""
    if text is None:
        return None
    try:
        ends = clock.from_text(text)
    except ValueError:
        ends = now
    if ends <= now:
        allowed = clock.as_text(now + timedelta(hours=12))
        raise Refused(Refusal("people.until_invalid", {"found": text, "allowed": allowed}))
    return text


@command("people.role_grant")
def role_grant(
    unit: Unit, *, person_id: str, role: str, event_id: str | None = None, until: str | None = None
) -> None:
    """Give a role in one event, or for the site, `until` a stored time (None: until ended).

    Nothing has to happen at that time: whoever asks for the roles of a person compares.
    Raises Refused (people.unknown_person, unknown_role, until_invalid), NotAllowed.
    """
    require(unit.actor, "people.role_grant", Subject(event_id=event_id))
    _known(person_id)
    if role not in {item.value for item in Role}:
        raise Refused(
            Refusal("people.unknown_role", {"found": role, "allowed": [r.value for r in Role]})
        )
    unit.append(
        _stream(person_id), ANY, [RoleGranted(person_id, role, event_id, _until(until, unit.now))]
    )


@command("people.role_end")
def role_end(unit: Unit, *, person_id: str, role: str, event_id: str | None = None) -> None:
    """End a role. Raises Refused (people.role_not_held), NotAllowed."""
    from people.models import RoleRow

    require(unit.actor, "people.role_grant", Subject(event_id=event_id))
    held = RoleRow.objects.filter(person_id=person_id, event_id=event_id or "", role=role)
    if not held.exists():
        raise Refused(Refusal("people.role_not_held", {"found": role}))
    unit.append(_stream(person_id), ANY, [RoleEnded(person_id, role, event_id)])


@command("people.device_join")
def device_join(unit: Unit, *, person_id: str, event_id: str) -> None:
    """Record that a device was bound to a person by a join link that the edge has verified."""
    require(unit.actor, "people.join_link_use")
    _known(person_id)
    unit.append(_stream(person_id), ANY, [DeviceJoined(person_id, event_id)])
