"""The packet of a disqualification: statements of everybody involved, the head judge's report,
references to evidence; signed by the head judge, sent by the organiser, in the days of the pack.

While it is open nobody involved can be erased: the legal hold that the disqualification sets on its
players (tournaments.services.packets) is set on everybody else in the packet, and all end with it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import msgspec

from eventstore import clock
from eventstore.commands import Loaded, Unit, command
from eventstore.domain.refusal import Refusal, Refused
from eventstore.domain.registry import DomainEvent
from eventstore.ids import is_id, new_id
from judging.domain import packet as rules
from judging.domain.packet import Packet
from judging.domain.packet_events import (
    PacketEvidenceKept,
    PacketPersonAdded,
    PacketPersonLeftOut,
    PacketReportKept,
    PacketSent,
    PacketSigned,
    PacketStatementKept,
    PacketUndone,
)
from judging.domain.words import DISQUALIFICATIONS, Approval
from judging.handling import MAX_TEXT, sealed
from judging.matches import pack_or_usual
from judging.models import CallRow, RulingRow
from judging.models_after import PacketRow
from people import erasure
from people.access import NotAllowed, require
from people.domain.actor import SYSTEM, Actor
from people.domain.permissions import Subject, Verdict
from people.models import Person, RoleRow
from people.services import person_register
from people.vault import seal
from tournaments import services as tournaments
from tournaments.models import EntrantPerson, EntrantRow
from tournaments.services import packet_close
from tournaments.services.packets import REASON, hold_of

KEEP, SIGN, SEND = "judging.packet_keep", "judging.packet_sign", "judging.packet_send"
UNDO = "tournaments.disqualification_undo"
VOID = (Approval.DECLINED.value, Approval.WITHDRAWN.value, Approval.SUPERSEDED.value)


class PacketState(msgspec.Struct, frozen=True):
    """A packet after a command: how many things are missing, whether it is signed and sent."""

    entrant_id: str
    missing: int
    signed: bool
    sent: bool


def stream_of(entrant_id: str) -> str:
    """Return the stream of the packet of an entrant."""
    return f"packet-{entrant_id}"


def row_of(
    actor: Actor, event_id: str, entrant_id: str, action: str
) -> tuple[PacketRow, list[str]]:
    """Return the packet of an entrant and its persons. Raises NotAllowed, hidden for an entrant
    that was not disqualified in this event."""
    row = PacketRow.objects.filter(pk=entrant_id, event_id=event_id).first()
    held = EntrantRow.objects.filter(pk=entrant_id).values_list("persons", flat=True).first()
    persons = list(held or [])
    known = event_id if row is not None else None
    require(actor, action, Subject(known, frozenset(persons), public=False))
    if row is None:
        raise NotAllowed(action, Verdict.HIDDEN)
    return row, persons


def named(row: PacketRow, persons: Iterable[str]) -> dict[str, str]:
    """{person: role} of those whom the disqualification itself names: its players, the table of its
    ruling, who called, who ruled, who approved."""
    found: dict[str, str] = {}
    rulings = rulings_of(row)
    calls = CallRow.objects.filter(pk__in=[one.call_id for one in rulings])
    for one in rulings:
        if one.decided_by and one.decided_by != one.by:
            found[one.decided_by] = rules.HEAD_JUDGE
        found[one.by] = rules.HEAD_JUDGE if one.final and not one.decided_by else rules.JUDGE
    if not rulings:
        found[row.opened_by] = rules.HEAD_JUDGE
    for call in calls:
        found.setdefault(call.raised_by, "witness")
        for seat in call.seats:
            found.update(dict.fromkeys(seat, rules.PLAYER))
    found.update(dict.fromkeys(persons, rules.PLAYER))
    known = set(Person.objects.filter(pk__in=list(found)).values_list("pk", flat=True))
    order = [rules.PLAYER, "witness", rules.JUDGE, rules.HEAD_JUDGE]
    kept = [(person, role) for person, role in found.items() if person in known]
    return dict(sorted(kept, key=lambda one: (order.index(one[1]), one[0])))


def rulings_of(row: PacketRow) -> list[RulingRow]:
    """Return the rulings that disqualified, those taken back left out."""
    found = RulingRow.objects.filter(
        event_id=row.event_id,
        target_entrant=row.entrant_id,
        penalty__in=[one.value for one in DISQUALIFICATIONS],
    )
    return list(found.exclude(approval__in=VOID).order_by("at", "ruling_id"))


@dataclass(frozen=True, slots=True)
class _Held:
    row: PacketRow
    persons: list[str]
    loaded: Loaded[Packet]
    people: dict[str, str]
    whose: str


def _load(unit: Unit, event_id: str, entrant_id: str, action: str = KEEP) -> _Held:
    row, persons = row_of(unit.actor, event_id, entrant_id, action)
    if row.undone_at:
        raise Refused(Refusal("judging.packet_undone", {"at": row.undone_at}))
    loaded = unit.load(stream_of(entrant_id), rules.NEW, rules.evolve)
    people = rules.involved(named(row, persons), loaded.state)
    return _Held(row, persons, loaded, people, pack_or_usual(event_id).packet.statements)


def _refuse(*wrong: Refusal | None) -> None:
    found = next((one for one in wrong if one is not None), None)
    if found is not None:
        raise Refused(found)


def _append(unit: Unit, held: _Held, event: DomainEvent) -> PacketState:
    unit.append(held.loaded.stream, held.loaded.version, [event])
    state = rules.evolve(held.loaded.state, event)
    people = rules.involved(held.people, state)
    left = rules.missing(people, state, held.whose)
    return PacketState(
        held.row.entrant_id, len(left), state.signed is not None, state.sent is not None
    )


def _at(unit: Unit) -> dict[str, str]:
    return {"by": unit.actor.ref, "at": clock.as_text(unit.now)}


def _hold(unit: Unit, held: _Held, person_id: str) -> None:
    """Whoever stands in an open packet is not erased."""
    erasure.legal_hold_set(
        unit,
        person_id=person_id,
        hold_id=hold_of(held.row.event_id, held.row.entrant_id),
        reason=REASON,
        event_id=held.row.event_id,
    )


def _release(unit: Unit, held: _Held) -> None:
    """End the holds of everybody else in the packet; those of its players end with it."""
    event_id, entrant_id = held.row.event_id, held.row.entrant_id
    hold_id, state = hold_of(event_id, entrant_id), held.loaded.state
    for person_id in sorted({*state.added, *state.statements} - set(held.persons)):
        if hold_id in erasure.holds_of(person_id):
            erasure.legal_hold_lift(unit, person_id=person_id, hold_id=hold_id, event_id=event_id)


def _about(held: _Held) -> dict[str, str]:
    return {"tournament": held.row.event_id, "entrant": held.row.entrant_id}


@command("judging.packet_person_add")
def packet_person_add(
    unit: Unit,
    *,
    event_id: str,
    entrant_id: str,
    person_id: str | None = None,
    display_name: str = "",
    role: str = "witness",
) -> str:
    """Add somebody involved: a player or staff of the event, or another by name (whoever keeps a
    packet learns nothing of people of other events, nor holds them); return the person
    id. Asked again for a statement when left out before.

    Raises Refused (judging.packet_sent, packet_word, packet_person, people.name_*), NotAllowed.
    """
    held = _load(unit, event_id, entrant_id)
    _refuse(rules.changeable(held.loaded.state), rules.word_of(role, rules.ROLES, "role"))
    registered = not person_id
    if person_id:
        if person_id not in held.people and not _of_event(event_id, person_id):
            raise Refused(Refusal("judging.packet_person", {"found": person_id[:40]}))
    else:
        # the head judge keeps no persons otherwise: the house makes this one known
        house = Unit(replace(unit.context, actor=SYSTEM, source="system"))
        person_id = person_register(
            house, person_id=new_id(), display_name=display_name, event_id=event_id
        )
    _hold(unit, held, person_id)
    added = PacketPersonAdded(
        **_about(held), person=person_id, role=role, registered=registered, **_at(unit)
    )
    _append(unit, held, added)
    return person_id


def _of_event(event_id: str, person_id: str) -> bool:
    """Say whether somebody is enrolled or has a role in an event."""
    if not is_id(person_id):
        return False
    about = {"event_id": event_id, "person_id": person_id}
    return (
        EntrantPerson.objects.filter(**about).exists() or RoleRow.objects.filter(**about).exists()
    )


def _involved(held: _Held, person_id: str) -> Refusal | None:
    if person_id in held.people:
        return None
    return Refusal("judging.packet_person", {"found": person_id[:40]})


def _reason(text: str) -> Refusal | None:
    return None if text.strip() else Refusal("judging.reason_missing", {"act": "packet"})


@command("judging.packet_person_leave_out")
def packet_person_leave_out(
    unit: Unit, *, event_id: str, entrant_id: str, person_id: str, reason: str
) -> PacketState:
    """Ask no statement of somebody, with a reason (not there when it happened, say).

    Raises Refused (judging.packet_sent, packet_person, reason_missing, text_too_long), NotAllowed.
    """
    held = _load(unit, event_id, entrant_id)
    wrong = _involved(held, person_id), _reason(reason)
    _refuse(rules.changeable(held.loaded.state), *wrong)
    left = PacketPersonLeftOut(
        **_about(held), person=person_id, **_at(unit), reason=sealed(unit, reason)
    )
    return _append(unit, held, left)


@command("judging.packet_statement_keep")
def packet_statement_keep(
    unit: Unit, *, event_id: str, entrant_id: str, person_id: str, how: str, text: str = ""
) -> PacketState:
    """Keep what somebody involved states; `refused` needs no text. It is sealed under the key of
    the one who states it.

    Raises Refused (judging.packet_sent, packet_person, packet_word, note_empty, text_too_long,
    text_signs), NotAllowed.
    """
    held = _load(unit, event_id, entrant_id)
    words = text.strip()
    empty = Refusal("judging.note_empty") if not words and how != rules.REFUSED else None
    _refuse(
        rules.changeable(held.loaded.state),
        _involved(held, person_id),
        rules.word_of(how, rules.HOWS, "how"),
        empty,
    )
    if len(words) > MAX_TEXT:
        raise Refused(Refusal("judging.text_too_long", {"found": len(words), "allowed": MAX_TEXT}))
    if "\x00" in words:
        raise Refused(Refusal("judging.text_signs"))
    _hold(unit, held, person_id)
    kept = PacketStatementKept(
        **_about(held),
        person=person_id,
        how=how,
        **_at(unit),
        text=seal(person_id, words) if words else "",
    )
    return _append(unit, held, kept)


@command("judging.packet_report_keep")
def packet_report_keep(unit: Unit, *, event_id: str, entrant_id: str, text: str) -> PacketState:
    """Keep the head judge's report, or an addendum to it. Raises Refused (judging.packet_sent,
    note_empty, text_too_long), NotAllowed."""
    held = _load(unit, event_id, entrant_id, SIGN)
    empty = None if text.strip() else Refusal("judging.note_empty")
    _refuse(rules.changeable(held.loaded.state), empty)
    kept = PacketReportKept(**_about(held), **_at(unit), text=sealed(unit, text))
    return _append(unit, held, kept)


@command("judging.packet_evidence_keep")
def packet_evidence_keep(
    unit: Unit, *, event_id: str, entrant_id: str, kind: str, text: str = ""
) -> PacketState:
    """Keep a reference to evidence, or the word that there is none. Raises Refused
    (judging.packet_sent, packet_word, note_empty, text_too_long), NotAllowed."""
    held = _load(unit, event_id, entrant_id)
    needs = kind != rules.NO_EVIDENCE and not text.strip()
    empty = Refusal("judging.note_empty") if needs else None
    wrong = rules.word_of(kind, rules.KINDS, "kind")
    _refuse(rules.changeable(held.loaded.state), wrong, empty)
    kept = PacketEvidenceKept(**_about(held), kind=kind, **_at(unit), text=sealed(unit, text))
    return _append(unit, held, kept)


@command("judging.packet_sign")
def packet_sign(unit: Unit, *, event_id: str, entrant_id: str) -> PacketState:
    """Sign that the packet is complete. Raises Refused (judging.packet_incomplete, packet_signed,
    packet_sent), NotAllowed."""
    held = _load(unit, event_id, entrant_id, SIGN)
    _refuse(rules.signable(held.people, held.loaded.state, held.whose))
    return _append(unit, held, PacketSigned(**_about(held), **_at(unit)))


@command("judging.packet_send")
def packet_send(unit: Unit, *, event_id: str, entrant_id: str, note: str) -> PacketState:
    """Say that the packet is sent, and where to: it is closed, and every legal hold for it ends.

    Raises Refused (judging.packet_unsigned, packet_sent, reason_missing, tournaments.no_packet),
    NotAllowed.
    """
    held = _load(unit, event_id, entrant_id, SEND)
    _refuse(rules.sendable(held.loaded.state), _reason(note))
    packet_close(unit, event_id=event_id, entrant_id=entrant_id)
    _release(unit, held)
    return _append(unit, held, PacketSent(**_about(held), **_at(unit), note=sealed(unit, note)))


@command("judging.disqualification_undo")
def disqualification_undo(
    unit: Unit, *, event_id: str, entrant_id: str, reason: str
) -> PacketState:
    """Take a disqualification back, with a reason: the entrant plays from the next pairing, the
    rulings that disqualified it are marked, its packet is not owed any more. What the packet holds
    stays, and results stay until they are corrected.

    Raises Refused (judging.packet_sent: it is too late here, judging.packet_undone, and those of
    tournaments.disqualification_undo), NotAllowed.
    """
    held = _load(unit, event_id, entrant_id, UNDO)
    _refuse(rules.changeable(held.loaded.state))
    tournaments.disqualification_undo(unit, event_id=event_id, entrant_id=entrant_id, note=reason)
    house = Unit(replace(unit.context, actor=SYSTEM, source="system"))
    _release(house, held)
    return _append(unit, held, PacketUndone(**_about(held), **_at(unit)))
