"""Reads of disqualification packets: all of an event, one with everything it holds."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from eventstore import clock
from eventstore.domain.envelope import fold
from eventstore.ids import is_id
from eventstore.store import read_stream
from judging.domain import packet as rules
from judging.domain.packet import Packet
from judging.domain.packet_events import PacketPersonLeftOut
from judging.matches import pack_or_usual
from judging.models_after import PacketRow
from judging.packets import KEEP, SEND, SIGN, UNDO, named, row_of, rulings_of, stream_of
from people.access import may, require
from people.domain.actor import Actor
from people.domain.names import joined
from people.domain.permissions import Subject
from people.selectors import registered_names
from people.vault import open_text
from tournaments.models import EntrantRow


@dataclass(frozen=True, slots=True)
class Said:
    """A text of a packet: who put it in, when, and what it is (how a statement was given, the kind
    of a reference). `text` None when its author is erased."""

    by_name: str
    at: str
    what: str
    text: str | None


@dataclass(frozen=True, slots=True)
class PersonView:
    """Somebody involved: role, whether a statement is asked, what was stated; `left_out` why no
    statement is asked."""

    person_id: str
    name: str
    role: str
    asked: bool
    statements: tuple[Said, ...]
    left_out: Said | None


@dataclass(frozen=True, slots=True)
class PacketView:
    """A packet: its state word (domain.packet.state_of), what is missing, and all it holds."""

    entrant_id: str
    event_id: str
    name: str
    rule: str
    opened_at: str
    opened_by_name: str
    due_at: str
    days_left: int
    state: str
    whose: str
    people: tuple[PersonView, ...]
    reports: tuple[Said, ...]
    evidence: tuple[Said, ...]
    missing: int
    parts: int
    signed: Said | None
    sent: Said | None
    rulings: tuple[str, ...]
    may_sign: bool
    may_send: bool
    may_undo: bool
    undone_at: str
    closed: bool


@dataclass(frozen=True, slots=True)
class PacketDue:
    """A packet that is not sent: whose, and in how many days it is due (below zero: overdue)."""

    entrant_id: str
    days_left: int


def packets(viewer: Actor, event_id: str) -> list[PacketView]:
    """Return the packets of an event, those that are due first. Raises NotAllowed."""
    require(viewer, KEEP, Subject(event_id, public=False))
    rows = PacketRow.objects.filter(event_id=event_id).order_by("sent_at", "opened_at")
    seen = []
    for row in rows:
        persons = EntrantRow.objects.values_list("persons", flat=True).get(pk=row.entrant_id)
        if viewer.person_id not in persons:
            seen.append(_view(viewer, row, persons))
    return seen


def packets_due(viewer: Actor, event_id: str) -> list[PacketDue]:
    """Return the packets of an event that are not sent, for those who keep them, oldest first: one
    query and those of the pack where there is one, none for others."""
    if not may(viewer, KEEP, Subject(event_id, public=False)):
        return []
    rows = list(
        PacketRow.objects.filter(event_id=event_id, sent_at="", undone_at="").order_by("opened_at")
    )
    if not rows:
        return []
    days, now = pack_or_usual(event_id).packet.deadline_days, clock.now()
    left = [rules.due_at(clock.from_text(row.opened_at), days) - now for row in rows]
    return [PacketDue(row.pk, one.days) for row, one in zip(rows, left, strict=True)]


def packet(viewer: Actor, event_id: str, entrant_id: str) -> PacketView:
    """Return one packet with all it holds. Raises NotAllowed."""
    row, persons = row_of(viewer, event_id, entrant_id if is_id(entrant_id) else "", KEEP)
    return _view(viewer, row, persons)


def _view(viewer: Actor, row: PacketRow, persons: list[str]) -> PacketView:
    state: Packet = fold(
        rules.NEW, rules.evolve, [one.data for one in read_stream(stream_of(row.entrant_id))]
    )
    policy = pack_or_usual(row.event_id).packet
    people = rules.involved(named(row, persons), state)
    asked = set(rules.asked_of(people, state, policy.statements))
    known = registered_names({*people, *persons, row.opened_by, *_authors(state)})
    begun: datetime = clock.from_text(row.opened_at)
    due, now = rules.due_at(begun, policy.deadline_days), clock.now()
    left = rules.missing(people, state, policy.statements)
    subject = Subject(row.event_id, frozenset(persons), public=False)

    def said(event: Any, what: str, author: str, text: str) -> Said:
        return Said(
            known.get(event.by, ""), event.at, what, open_text(author, text) if text else ""
        )

    def left_out(event: PacketPersonLeftOut | None) -> Said | None:
        return said(event, "", event.by, event.reason) if event is not None else None

    return PacketView(
        entrant_id=row.entrant_id,
        event_id=row.event_id,
        name=joined(persons, known),
        rule=row.rule,
        opened_at=row.opened_at,
        opened_by_name=known.get(row.opened_by, ""),
        due_at=clock.as_text(due),
        days_left=(due - now).days,
        state=rules.UNDONE if row.undone_at else rules.state_of(state, due=due, now=now),
        whose=policy.statements,
        people=tuple(
            PersonView(
                person,
                known.get(person, ""),
                role,
                person in asked,
                tuple(
                    said(one, one.how, person, one.text) for one in state.statements.get(person, ())
                ),
                left_out(state.left_out.get(person)),
            )
            for person, role in people.items()
        ),
        reports=tuple(said(one, "", one.by, one.text) for one in state.reports),
        evidence=tuple(said(one, one.kind, one.by, one.text) for one in state.evidence),
        missing=len(left),
        parts=len(asked) + 2,
        signed=said(state.signed, "", "", "") if state.signed else None,
        sent=said(state.sent, "", state.sent.by, state.sent.note) if state.sent else None,
        rulings=tuple(one.call_id for one in rulings_of(row)),
        may_sign=may(viewer, SIGN, subject),
        may_send=may(viewer, SEND, subject),
        may_undo=may(viewer, UNDO, subject),
        undone_at=row.undone_at,
        closed=bool(state.sent or row.undone_at),
    )


def _authors(state: Packet) -> set[str]:
    kept: list[Any] = [*state.reports, *state.evidence, *state.left_out.values()]
    kept += [one for said in state.statements.values() for one in said]
    kept += [one for one in (state.signed, state.sent) if one is not None]
    return {one.by for one in kept}
