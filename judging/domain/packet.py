"""The packet of a disqualification: what it holds, what is missing, when it is due."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent
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

PLAYER, JUDGE, HEAD_JUDGE = "player", "judge", "head_judge"
ROLES = (PLAYER, JUDGE, "witness", "other")
"""What somebody can be added as."""
REFUSED = "refused"
HOWS = ("written", "dictated", "paper", REFUSED)
NO_EVIDENCE = "none"
KINDS = ("log_line", "photo", "paper", "other", NO_EVIDENCE)
OPEN, DUE_SOON, OVERDUE, SIGNED, SENT = "open", "due_soon", "overdue", "signed", "sent"
UNDONE = "undone"
"""State words; the last one: the disqualification was taken back."""
SOON = timedelta(days=2)
ALL_INVOLVED, BOTH_PLAYERS = "all_involved", "both_players"


@dataclass(frozen=True, slots=True)
class Packet:
    """What was put into a packet. `added` {person: role}; `left_out` persons of whom no statement
    is asked; `statements` {person: their events}, and so on. `signed` and `sent` by whom."""

    added: Mapping[str, PacketPersonAdded] = field(default_factory=dict)
    left_out: Mapping[str, PacketPersonLeftOut] = field(default_factory=dict)
    statements: Mapping[str, tuple[PacketStatementKept, ...]] = field(default_factory=dict)
    reports: tuple[PacketReportKept, ...] = ()
    evidence: tuple[PacketEvidenceKept, ...] = ()
    signed: PacketSigned | None = None
    sent: PacketSent | None = None


NEW = Packet()


def evolve(state: Packet, event: DomainEvent) -> Packet:
    """Return the packet after one event; anything added takes the signature away."""
    match event:
        case PacketSigned():
            return replace(state, signed=event)
        case PacketSent():
            return replace(state, sent=event)
        case PacketUndone():
            return replace(state, signed=None)
        case PacketPersonAdded():
            added = {**state.added, event.person: event}
            gone = {key: one for key, one in state.left_out.items() if key != event.person}
            return replace(state, added=added, left_out=gone, signed=None)
        case PacketPersonLeftOut():
            return replace(state, left_out={**state.left_out, event.person: event}, signed=None)
        case PacketStatementKept():
            held = (*state.statements.get(event.person, ()), event)
            return replace(state, statements={**state.statements, event.person: held}, signed=None)
        case PacketReportKept():
            return replace(state, reports=(*state.reports, event), signed=None)
        case PacketEvidenceKept():
            return replace(state, evidence=(*state.evidence, event), signed=None)
        case _:
            return state


def involved(named: Mapping[str, str], packet: Packet) -> dict[str, str]:
    """Return {person: role} of everybody involved: those the rulings name, then those added."""
    return {**named, **{person: one.role for person, one in packet.added.items()}}


def asked_of(people: Mapping[str, str], packet: Packet, whose: str) -> list[str]:
    """Return the persons whose statements the packet must hold by the pack (`whose`: all_involved,
    both_players, none). The head judge reports instead; who is left out is not asked."""
    return [
        person
        for person, role in people.items()
        if person not in packet.left_out
        and role != HEAD_JUDGE
        and (whose == ALL_INVOLVED or (whose == BOTH_PLAYERS and role == PLAYER))
    ]


@dataclass(frozen=True, slots=True)
class Missing:
    """What a packet still needs: a `statement` of `person`, the `report`, or `evidence`."""

    what: str
    person: str = ""


def missing(people: Mapping[str, str], packet: Packet, whose: str) -> list[Missing]:
    """Return what is still missing, statements first."""
    found = [
        Missing("statement", person)
        for person in asked_of(people, packet, whose)
        if person not in packet.statements
    ]
    if not packet.reports:
        found.append(Missing("report"))
    if not packet.evidence:
        found.append(Missing("evidence"))
    return found


def due_at(opened_at: datetime, days: int) -> datetime:
    """Return when a packet has to be sent."""
    return opened_at + timedelta(days=days)


def state_of(packet: Packet, *, due: datetime, now: datetime) -> str:
    """Return the state word: sent, overdue, signed, due_soon (two days and less), open. One that
    is signed and not sent in time is overdue as well."""
    if packet.sent is not None:
        return SENT
    if now > due:
        return OVERDUE
    if packet.signed is not None:
        return SIGNED
    return DUE_SOON if due - now <= SOON else OPEN


def changeable(packet: Packet) -> Refusal | None:
    """Refuse to add to a packet that is sent (`judging.packet_sent`)."""
    return Refusal("judging.packet_sent", {"at": packet.sent.at}) if packet.sent else None


def word_of(found: str, allowed: Iterable[str], what: str) -> Refusal | None:
    """Refuse a word that is none of those allowed (`judging.packet_word`)."""
    words = list(allowed)
    if found in words:
        return None
    return Refusal("judging.packet_word", {"found": found[:40], "allowed": words, "what": what})


def signable(people: Mapping[str, str], packet: Packet, whose: str) -> Refusal | None:
    """Refuse to sign what is sent, signed or incomplete (`judging.packet_incomplete{missing}`)."""
    if packet.sent is not None:
        return changeable(packet)
    if packet.signed is not None:
        return Refusal("judging.packet_signed", {"by": packet.signed.by})
    left = missing(people, packet, whose)
    if left:
        return Refusal(
            "judging.packet_incomplete",
            {
                "found": len(left),
                "missing": [one.what for one in left],
                "persons": [one.person for one in left if one.person],
            },
        )
    return None


def sendable(packet: Packet) -> Refusal | None:
    """Refuse to send what the head judge has not signed, or what is sent."""
    if packet.sent is not None:
        return changeable(packet)
    return None if packet.signed is not None else Refusal("judging.packet_unsigned", {})
