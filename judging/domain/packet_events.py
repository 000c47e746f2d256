"""Events of the packet of a disqualification: stream `packet-<entrant>`. People by id; what a
person stated is sealed under the key of that person, everything else under its author's."""

from __future__ import annotations

from eventstore.domain.registry import DomainEvent, event


@event("judging.packet_person_added")
class PacketPersonAdded(DomainEvent, frozen=True):
    """Somebody was involved whom the rulings do not name. `role` player, judge, witness or other;
    `registered`: the person was made known for this packet."""

    tournament: str
    entrant: str
    person: str
    role: str
    registered: bool
    by: str
    at: str


@event("judging.packet_person_left_out")
class PacketPersonLeftOut(DomainEvent, frozen=True):
    """No statement is asked of a person, for the reason in `reason` (sealed text of `by`)."""

    tournament: str
    entrant: str
    person: str
    by: str
    at: str
    reason: str


@event("judging.packet_statement_kept")
class PacketStatementKept(DomainEvent, frozen=True):
    """A statement of a person. `how` written, dictated, paper, or refused (then there need be no
    text); `text` is sealed under the key of `person`. A later one is an addendum."""

    tournament: str
    entrant: str
    person: str
    how: str
    by: str
    at: str
    text: str


@event("judging.packet_report_kept")
class PacketReportKept(DomainEvent, frozen=True):
    """The head judge's report; a later one stands beside the earlier (sealed text of `by`)."""

    tournament: str
    entrant: str
    by: str
    at: str
    text: str


@event("judging.packet_evidence_kept")
class PacketEvidenceKept(DomainEvent, frozen=True):
    """A reference to evidence: `kind` log_line, photo, paper, other, or none (there is none);
    `text` says which (sealed text of `by`)."""

    tournament: str
    entrant: str
    kind: str
    by: str
    at: str
    text: str


@event("judging.packet_signed")
class PacketSigned(DomainEvent, frozen=True):
    """The head judge signs that the packet is complete. Whatever is added later takes that away."""

    tournament: str
    entrant: str
    by: str
    at: str


@event("judging.packet_undone")
class PacketUndone(DomainEvent, frozen=True):
    """The disqualification was taken back: the packet is not owed any more, legal holds end, a
    signature is gone. What it holds stays."""

    tournament: str
    entrant: str
    by: str
    at: str


@event("judging.packet_sent")
class PacketSent(DomainEvent, frozen=True):
    """The organiser has sent the packet, which closes it: legal holds end. `note` says where to
    (sealed text of `by`)."""

    tournament: str
    entrant: str
    by: str
    at: str
    note: str
