"""Commands that take event files: the companion's, and archives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from eventstore.commands import Unit, command
from eventstore.domain.refusal import Refusal, Refused
from eventstore.ids import new_id
from eventstore.store import StreamWrite
from people import services as people
from people.access import require
from people.domain.names import clean_card_game_id
from people.domain.roles import Role
from people.models import Person
from tournaments import frozen, policies
from tournaments.domain import archiving, companion
from tournaments.domain.companion import Known
from tournaments.domain.event import Tournament, evolve
from tournaments.domain.exchange import archive, kts
from tournaments.domain.exchange.sheet import Sheet, SheetPlayer, Unreadable
from tournaments.domain.transcript import Group
from tournaments.events import EntrantEnrolled
from tournaments.models import MatchRow
from tournaments.services.events import check_zone
from tournaments.services.loading import checked_id, event_stream, load_event, match_stream


class Imported(msgspec.Struct, frozen=True):
    """What an import changed: players enrolled, rounds published, events appended in all."""

    enrolled: int
    rounds: int
    events: int


def _ids() -> Iterator[str]:
    while True:
        yield new_id()


def _write(unit: Unit, stream: str, version: int, groups: Sequence[Group]) -> int:
    """Append groups one after the other; return how many events."""
    matches: dict[str, int] = {}
    written = 0
    for group in groups:
        writes = []
        if group.event:
            writes.append(StreamWrite(stream, version, group.event))
            version += len(group.event)
        for match_id, events in group.matches:
            name = match_stream(match_id)
            if match_id not in matches:
                matches[match_id] = unit.load(name, 0, lambda count, _one: count + 1).version
            writes.append(StreamWrite(name, matches[match_id], events))
            matches[match_id] += len(events)
        unit.append_all(writes)
        written += sum(len(write.events) for write in writes)
    return written


def _entrants(state: Tournament) -> dict[str, str]:
    """Return entrants by the plain Card Game ID of their persons."""
    owner = {person: one.entrant_id for one in state.entrants.values() for person in one.persons}
    rows = Person.objects.filter(pk__in=owner, card_game_id__isnull=False)
    return {
        kts.plain_id(number): owner[pk] for pk, number in rows.values_list("pk", "card_game_id")
    }


def _person(unit: Unit, one: SheetPlayer, event_id: str) -> str:
    number = clean_card_game_id(one.id)
    if isinstance(number, Refusal):
        raise Refused(number)
    known = Person.objects.filter(card_game_id=number).values_list("pk", flat=True).first()
    return known or people.person_register(
        unit,
        person_id=new_id(),
        display_name=one.name[:80],
        card_game_id=number or "",
        event_id=event_id,
    )


@command("tournaments.companion_import")
def companion_import(unit: Unit, *, event_id: str, content: bytes) -> Imported:
    """Import the file of the program in which the event runs; the same file twice changes
    nothing.

    Raises Refused (`tournaments.file_*`, `tournaments.companion_off`, `tournaments.team_file`,
    `tournaments.companion_id`, `tournaments.companion_differs`, `tournaments.too_few_players`,
    `tournaments.wrong_state`), NotAllowed.
    """
    loaded = load_event(unit, event_id, "tournaments.event_run", stands=True)
    sheet = _sheet(content)
    wrong = companion.refused(loaded.state, sheet)
    if wrong is not None:
        raise Refused(wrong)
    entrant_of = _entrants(loaded.state)
    groups = [Group()]
    state = loaded.state
    for one in sheet.players:
        if one.id in entrant_of:
            continue
        person = _person(unit, one, event_id)
        before = state.entrant_of(person)
        if before is not None:
            entrant_of[one.id] = before.entrant_id
            continue
        made = EntrantEnrolled(event_id, new_id(), len(state.entrants) + 1, (person,), True)
        state = evolve(state, made)
        entrant_of[one.id] = made.entrant_id
        groups[0].event.append(made)
    enrolled = len(groups[0].event)
    known = [
        Known(row.pk, row.round, row.p1, row.p2, row.winner or None)
        for row in MatchRow.objects.filter(event_id=event_id).exclude(state="draft")
    ]
    usual = policies.usual()
    found = companion.difference(state, known, sheet, entrant_of, _ids(), usual.policy, usual.hash)
    if isinstance(found, Refusal):
        raise Refused(found)
    groups = [one for one in (*groups, *found) if one.event or one.matches]
    written = _write(unit, loaded.stream, loaded.version, groups)
    return Imported(enrolled, max(0, sheet.last_round - loaded.state.current), written)


def _sheet(content: bytes) -> Sheet:
    try:
        return kts.read(content)
    except Unreadable as fault:
        raise Refused(fault.refusal) from None


@command("tournaments.archive_import")
def archive_import(unit: Unit, *, event_id: str, content: bytes) -> str:
    """Make a new event of an archive; return its id. Who imports becomes its organiser.

    People are found by their Card Game ID, others are registered by name. Raises Refused
    (`tournaments.file_*`, `tournaments.archive_wrong`, `tournaments.event_exists`,
    `tournaments.setting_invalid`, `tournaments.plan_invalid`, `tournaments.bad_id`), NotAllowed.
    """
    require(unit.actor, "tournaments.event_create")
    loaded = unit.load(event_stream(checked_id(event_id)), Tournament(), evolve)
    if loaded.version:
        raise Refused(Refusal("tournaments.event_exists", {"event_id": event_id}))
    try:
        made = archive.read(content)
    except Unreadable as fault:
        raise Refused(fault.refusal) from None
    check_zone(str(made.settings.get("zone", "UTC")))
    _check_preset(made.settings)
    taken: set[str] = set()
    persons: list[tuple[str, ...]] = []
    for entrant in made.entrants:
        own = []
        for person in entrant.persons:
            found = _archived(unit, person, taken)
            taken.add(found)
            own.append(found)
        persons.append(tuple(own))
    groups = accept_groups(
        archiving.groups_of(
            made,
            event_id=event_id,
            entrant_ids=[new_id() for _ in made.entrants],
            persons=persons,
            ids=_ids(),
        )
    )
    _write(unit, loaded.stream, loaded.version, groups)
    if unit.actor.person_id:
        people.role_grant(
            unit, person_id=unit.actor.person_id, role=Role.ORGANISER.value, event_id=event_id
        )
    return event_id


def _check_preset(settings: Mapping[str, Any]) -> None:
    """Refuse an archive under a preset that an organiser made elsewhere: it must be here under
    this name, and be the same. Raises Refused (`tournaments.setting_invalid`)."""
    name = str(settings.get("preset", ""))
    if "@" not in name:
        return
    _, digest = frozen.preset_of(name, None, None)
    found = str(settings.get("preset_hash"))[:64]
    if digest != found:
        params = {"field": "preset_hash", "found": found, "allowed": digest}
        raise Refused(Refusal("tournaments.setting_invalid", params))


def accept_groups(found: list[Group] | Refusal) -> list[Group]:
    """Return the groups; raises Refused for a refusal."""
    if isinstance(found, Refusal):
        raise Refused(found)
    return found


def _archived(unit: Unit, person: archive.Person, taken: set[str]) -> str:
    number = clean_card_game_id(person.card_game_id or "")
    if isinstance(number, Refusal):
        raise Refused(number)
    if number:
        known = Person.objects.filter(card_game_id=number).values_list("pk", flat=True).first()
        if known is not None and known not in taken:
            return known
        if known is not None:
            number = None
    return people.person_register(
        unit,
        person_id=new_id(),
        display_name=person.name[:80] or "?",
        card_game_id=number or "",
    )
