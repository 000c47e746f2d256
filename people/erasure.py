"""Erase a person, export a person, and the legal hold that stops an erasure for a time.

Erasing destroys the key under which the person's texts are sealed, and the name, log-in, tokens
and device sessions. The log itself stays as it is, byte for byte: it knows the person by an id
that leads nowhere any more. Rooms with reference data of people register `on_erase` and
`on_export`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
from django.contrib.sessions.models import Session
from django.db import connection

from eventstore import store
from eventstore.commands import Unit, command
from eventstore.domain import registry
from eventstore.domain.refusal import Refusal, Refused
from eventstore.store import ANY
from people import erasure_list, vault
from people.access import require
from people.domain.actor import Actor
from people.domain.permissions import Subject
from people.events import (
    LegalHoldLifted,
    LegalHoldSet,
    PersonErased,
    RoleEnded,
)
from people.models import Account, ApiToken, Person, PersonKey, RoleRow
from people.web import DEVICE_PERSON

NO_NAME = "—"
"""What stands in place of an erased name: a sign, so that it needs no language."""

Eraser = Callable[[str], int]
Exporter = Callable[[str], Any]
_erasers: dict[str, Eraser] = {}
_exporters: dict[str, Exporter] = {}


def on_erase(name: str) -> Callable[[Eraser], Eraser]:
    """Register what a room erases of a person: `erase(person_id)`, returns how many rows."""

    def register(erase: Eraser) -> Eraser:
        _erasers[name] = erase
        return erase

    return register


def on_export(name: str) -> Callable[[Exporter], Exporter]:
    """Register what a room keeps of a person: `read(person_id)`, returns plain data."""

    def register(read: Exporter) -> Exporter:
        _exporters[name] = read
        return read

    return register


def _stream(person_id: str) -> str:
    return f"person-{person_id}"


def _known(person_id: str) -> Person:
    person = Person.objects.filter(pk=person_id).first()
    if person is None:
        raise Refused(Refusal("people.unknown_person", {"found": person_id}))
    return person


def _hold(holds: frozenset[str], event: Any) -> frozenset[str]:
    if isinstance(event, LegalHoldSet):
        return holds | {event.hold_id}
    if isinstance(event, LegalHoldLifted):
        return holds - {event.hold_id}
    return holds


def holds_of(person_id: str) -> list[str]:
    """Return the ids of the holds in force on a person, sorted."""
    held: frozenset[str] = frozenset()
    for one in store.read_stream(_stream(person_id)):
        held = _hold(held, one.data)
    return sorted(held)


@command("people.legal_hold_set")
def legal_hold_set(
    unit: Unit, *, person_id: str, hold_id: str, reason: str, event_id: str | None = None
) -> None:
    """Forbid the erasure of a person until the hold is lifted. `hold_id` is what it is for (the
    id of a disqualification packet), `reason` a short code. Again: no effect.

    Raises Refused (people.unknown_person, people.hold_incomplete), NotAllowed.
    """
    require(unit.actor, "people.legal_hold_set", Subject(event_id=event_id))
    _known(person_id)
    if not hold_id or not reason:
        raise Refused(Refusal("people.hold_incomplete", {"found": hold_id}))
    loaded = unit.load(_stream(person_id), frozenset[str](), _hold)
    if hold_id not in loaded.state:
        unit.append(
            loaded.stream, loaded.version, [LegalHoldSet(person_id, hold_id, reason, event_id)]
        )


@command("people.legal_hold_lift")
def legal_hold_lift(
    unit: Unit, *, person_id: str, hold_id: str, event_id: str | None = None
) -> None:
    """Lift a hold. Raises Refused (people.hold_unknown), NotAllowed."""
    require(unit.actor, "people.legal_hold_set", Subject(event_id=event_id))
    loaded = unit.load(_stream(person_id), frozenset[str](), _hold)
    if hold_id not in loaded.state:
        found = sorted(loaded.state)
        raise Refused(Refusal("people.hold_unknown", {"found": hold_id, "allowed": found}))
    unit.append(loaded.stream, loaded.version, [LegalHoldLifted(person_id, hold_id, event_id)])


def _sessions_of(person_id: str) -> list[str]:
    """Return the keys of browser sessions bound to a person, by device or by log-in."""
    account = Account.objects.filter(person_id=person_id).values_list("pk", flat=True).first()
    found: list[str] = []
    for session in Session.objects.iterator():
        values = session.get_decoded()
        bound = values.get(DEVICE_PERSON) == person_id
        if bound or (account is not None and values.get("_auth_user_id") == str(account)):
            found.append(session.session_key)
    return found


def _destroy(person_id: str) -> dict[str, int]:
    """Take away everything that leads to the human; return how many rows of what."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA secure_delete=ON")  # overwrite, not only unlink
    sessions = _sessions_of(person_id)
    Session.objects.filter(pk__in=sessions).delete()
    counts = {
        "keys": PersonKey.objects.filter(person_id=person_id).delete()[0],
        "tokens": ApiToken.objects.filter(person_id=person_id).delete()[0],
        "accounts": Account.objects.filter(person_id=person_id).delete()[0],
        "sessions": len(sessions),
        "names": Person.objects.filter(pk=person_id)
        .exclude(display_name=NO_NAME)
        .update(display_name=NO_NAME, sort_name="", folded="", card_game_id=None, public_name=""),
    }
    for name, erase in _erasers.items():
        counts[name] = erase(person_id)
    return counts


def erasure_preview(person_id: str) -> dict[str, int]:
    """Return what an erasure would take away, by the names that `person_erase` counts under.

    Raises Refused (people.unknown_person, people.legal_hold).
    """
    _known(person_id)
    _refuse_while_held(person_id)
    return {
        "keys": PersonKey.objects.filter(person_id=person_id).count(),
        "tokens": ApiToken.objects.filter(person_id=person_id).count(),
        "accounts": Account.objects.filter(person_id=person_id).count(),
        "sessions": len(_sessions_of(person_id)),
        "names": Person.objects.filter(pk=person_id).exclude(display_name=NO_NAME).count(),
        "roles": RoleRow.objects.filter(person_id=person_id).count(),
    }


def _refuse_while_held(person_id: str) -> None:
    held = holds_of(person_id)
    if held:
        raise Refused(Refusal("people.legal_hold", {"found": held}))


@command("people.person_erase")
def person_erase(unit: Unit, *, person_id: str) -> dict[str, int]:
    """Erase a person for good; returns how many rows of what went. Again: nothing left to do.

    The id is on the erasure list before the transaction ends: if the commit fails after that,
    the texts are closed already and the erasure is finished by `erasures_apply`.
    Raises Refused (people.unknown_person, people.legal_hold), NotAllowed.
    """
    require(unit.actor, "people.person_erase")
    if _known(person_id).merged_into:
        raise Refused(Refusal("people.merge_chain", {"found": person_id}))
    _refuse_while_held(person_id)
    for other in Person.objects.filter(merged_into=person_id):
        # the same human under another id; its holds count too
        _refuse_while_held(other.pk)
        Person.objects.filter(pk=other.pk).update(merged_into="")
        person_erase(unit, person_id=other.pk)
    roles = RoleRow.objects.filter(person_id=person_id).order_by("key")
    ended = [RoleEnded(person_id, row.role, row.event_id or None) for row in roles]
    counts = {**_destroy(person_id), "roles": len(ended)}
    if any(counts.values()) or person_id not in erasure_list.erased():
        unit.append(_stream(person_id), ANY, [*ended, PersonErased(person_id)])
    erasure_list.add([person_id])
    return counts


def scrub() -> None:
    """Take erased rows out of the database's own files as far as it can: outside a transaction.

    Copies that left the machine (write-ahead archives, replicas, backups) hold wrapped keys
    only; see docs/privacy.md.
    """
    if connection.in_atomic_block:
        return
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        else:
            for table in (PersonKey, Person, Account, ApiToken, Session):
                cursor.execute(f'VACUUM "{table._meta.db_table}"')


def _erased_in_log() -> list[str]:
    name, _ = registry.name_of(PersonErased)
    with connection.cursor() as cursor:
        cursor.execute("SELECT stream FROM eventstore_event WHERE type = %s", [name])
        return [stream.partition("-")[2] for (stream,) in cursor.fetchall()]


def erasures_apply() -> int:
    """Erase again whatever a restored backup brought back; returns how many persons had any.

    The list and the log complete each other. Run after every restore; migrate does so.
    """
    erasure_list.add(_erased_in_log())
    touched = 0
    for person_id in sorted(erasure_list.erased()):
        there = (
            PersonKey.objects.filter(person_id=person_id).exists()
            or Account.objects.filter(person_id=person_id).exists()
            or Person.objects.filter(pk=person_id).exclude(display_name=NO_NAME).exists()
        )
        if there:
            _destroy(person_id)
            touched += 1
    return touched


def person_export(viewer: Actor, person_id: str) -> dict[str, Any]:
    """Return all that is kept of a person as plain data, the own texts opened.

    Raises Refused (people.unknown_person), NotAllowed.
    """
    require(
        viewer, "people.person_edit", Subject(owners=frozenset({person_id}), public=False)
    )  # fmt: skip
    person = _known(person_id)
    account = Account.objects.filter(person_id=person_id).first()
    return {
        "person": {
            "id": person.id,
            "display_name": person.display_name,
            "sort_name": person.sort_name,
            "public_name": person.public_name,
            "card_game_id": person.card_game_id,
            "language": person.language,
            "created_at": person.created_at.isoformat(),
        },
        "account": account and {"username": account.username, "theme": account.theme},
        "tokens": [
            {
                "label": one.label,
                "scopes": one.scopes,
                "created_at": one.created_at.isoformat(),
                "used_at": one.used_at and one.used_at.isoformat(),
            }
            for one in ApiToken.objects.filter(person_id=person_id).order_by("created_at")
        ],
        "roles": list(
            RoleRow.objects.filter(person_id=person_id)
            .order_by("key")
            .values("event_id", "role", "until")
        ),
        "events": _events_about(person_id),
        **{name: read(person_id) for name, read in sorted(_exporters.items())},
    }


def _events_about(person_id: str) -> list[dict[str, Any]]:
    """Return the events that the person caused or that name the person, own texts opened."""
    found: list[dict[str, Any]] = []
    for one in store.read_all():
        data = msgspec.to_builtins(one.data)
        own = one.meta.actor == person_id
        if own or _names(data, person_id):
            found.append(
                {
                    "position": one.position,
                    "stream": one.stream,
                    "type": one.type,
                    "recorded_at": one.recorded_at,
                    "caused": own,
                    "data": _opened(data, person_id),
                }
            )
    return found


def _names(value: Any, person_id: str) -> bool:
    if isinstance(value, dict):
        return any(_names(item, person_id) for item in value.values())
    if isinstance(value, list | tuple):
        return any(_names(item, person_id) for item in value)
    return bool(value == person_id)


def _opened(value: Any, person_id: str) -> Any:
    """Return plain data with every text that opens under the person's key opened."""
    if isinstance(value, dict):
        return {key: _opened(item, person_id) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_opened(item, person_id) for item in value]
    # nonce, tag and base64: nothing shorter can be sealed text
    if isinstance(value, str) and len(value) >= 40 and value.isascii():
        text = vault.open_text(person_id, value)
        return value if text is None else text
    return value
