"""Precedents, the record of a person, the audit of staff acts: what the log of an event, and of
earlier ones, tells those who have to judge alike.

A precedent is shown without names and without notes. What somebody did in other events is for
the head judge and the organiser: an upgrade never rests on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Count

from cards.domain.catalogue import fold as folded
from eventstore import checkpoints, clock
from eventstore.bundles import NoSuchEvent, streams_of
from eventstore.commands import Unit, command
from eventstore.domain.envelope import Recorded, unseal
from eventstore.domain.refusal import Refusal, Refused
from eventstore.ids import is_id
from eventstore.models import Event
from eventstore.store import read_stream
from judging import wording
from judging.domain.sheet_events import PrecedentMarked
from judging.domain.words import Approval
from judging.models import CallPersonRow, CallRow, PrecedentRow, RulingRow
from judging.packs import pack
from judging.selectors import RulingView, rulings
from people.access import NotAllowed, may, require
from people.domain.actor import Actor
from people.domain.names import joined
from people.domain.permissions import Subject, Verdict
from people.selectors import names
from tournaments.models import EntrantPerson, EntrantRow, EventRow, MatchRow

LEADING, NOT_TO_FOLLOW = "leading", "do_not_follow"
MARKS = (LEADING, NOT_TO_FOLLOW, "")
MOST_PRECEDENTS = 2000
SHOWN = 50
AUDIT_PAGE, AUDIT_SCAN = 100, 5000
STAFF_SOURCES = ("judge", "scorekeeper", "organiser")


def _private(event_id: str) -> Subject:
    return Subject(event_id=event_id, public=False)


@dataclass(frozen=True, slots=True)
class Precedent:
    """A ruling as others may follow it: codes only. `own`: of the event that is asked from;
    `cited`: how often a later ruling named it; `moment` is its date."""

    ruling_id: str
    rule_id: str
    infraction: str
    infraction_kind: str
    remedy: str
    penalty: str
    outcome: str
    pack: str
    pack_version: str
    game: str
    moment: str
    own: bool
    mark: str
    cited: int


def precedents(viewer: Actor, event_id: str, text: str = "", outcome: str = "") -> list[Precedent]:
    """Return rulings that were made final or came into force, of all events, that hold every
    word of `text` in their rule, infraction, kind, remedy or penalty: those marked leading
    first, then the own event, then the newest. Four queries. Raises NotAllowed."""
    require(viewer, "judging.precedents_read", _private(event_id))
    rows = RulingRow.objects.exclude(
        approval__in=[
            Approval.PENDING.value, Approval.DECLINED.value, Approval.SUPERSEDED.value,
            Approval.WITHDRAWN.value,
        ]
    ).exclude(rule_id="", infraction="")  # fmt: skip
    if outcome:
        rows = rows.filter(outcome=outcome)
    found = list(rows.order_by("-at")[:MOST_PRECEDENTS])
    marks = dict(PrecedentRow.objects.values_list("pk", "mark"))
    games = dict(EventRow.objects.values_list("pk", "game"))
    cited: dict[str, int] = {}
    for cites in RulingRow.objects.exclude(cites=[]).values_list("cites", flat=True):
        for one in cites:
            cited[one] = cited.get(one, 0) + 1
    game = games.get(event_id, "")
    words = folded(text).split()
    made = [
        Precedent(
            ruling_id=row.pk,
            rule_id=row.rule_id,
            infraction=row.infraction,
            infraction_kind=row.infraction_kind,
            remedy=row.remedy,
            penalty=row.penalty,
            outcome=row.outcome,
            pack=row.pack,
            pack_version=row.pack_version,
            game=games.get(row.event_id, ""),
            moment=row.at[:10],
            own=row.event_id == event_id,
            mark=marks.get(row.pk, ""),
            cited=cited.get(row.pk, 0),
        )
        for row in found
        if games.get(row.event_id, "") == game and _holds(row, words)
    ]
    order = {LEADING: 0, "": 1, NOT_TO_FOLLOW: 2}
    return sorted(made, key=lambda one: (order[one.mark], not one.own))[:SHOWN]


def _holds(row: RulingRow, words: list[str]) -> bool:
    used = pack(row.pack, row.pack_version)
    known = used.infractions.get(row.infraction)
    told = " ".join(
        (
            row.rule_id,
            row.infraction,
            row.infraction_kind.replace("_", " "),
            *(known.label.values() if known else ()),
            wording.word(wording.REMEDIES, row.remedy),
            wording.word(wording.PENALTIES, row.penalty),
        )
    )
    held = folded(told)
    return all(word in held for word in words)


@command("judging.precedent_mark")
def precedent_mark(unit: Unit, *, ruling_id: str, mark: str) -> str:
    """Mark a ruling of the own event as leading, as not to be followed, or not at all; return
    the mark. Raises Refused (judging.unknown_mark, nothing_changed), NotAllowed."""
    row = RulingRow.objects.filter(pk=ruling_id).first() if is_id(ruling_id) else None
    if row is None:
        raise NotAllowed("judging.penalty_approve", Verdict.HIDDEN)
    require(unit.actor, "judging.penalty_approve", _private(row.event_id))
    if mark not in MARKS:
        raise Refused(Refusal("judging.unknown_mark", {"found": mark, "allowed": [*MARKS[:2]]}))
    stream = f"precedent-{ruling_id}"
    before = read_stream(stream)
    newest = before[-1].data if before else None
    if (newest.mark if isinstance(newest, PrecedentMarked) else "") == mark:
        raise Refused(Refusal("judging.nothing_changed", {"found": mark}))
    at = clock.as_text(unit.now)
    marked = PrecedentMarked(ruling_id, row.event_id, mark, unit.actor.ref, at)
    unit.append(stream, len(before), [marked])
    return mark


@dataclass(frozen=True, slots=True)
class KindCount:
    """How often one kind stands against somebody in this event."""

    infraction: str
    infraction_kind: str
    number: int


@dataclass(frozen=True, slots=True)
class Record:
    """Everything about and by one entrant: rulings of this event, counts per kind in force,
    calls raised; `elsewhere` counts per kind in other events, None for who may not know."""

    name: str
    entrant_id: str
    rulings: tuple[RulingView, ...]
    counts: tuple[KindCount, ...]
    raised: int
    at_tables: int
    elsewhere: tuple[KindCount, ...] | None


def record(viewer: Actor, event_id: str, entrant_id: str) -> Record:
    """Return the record of an entrant. Raises NotAllowed, hidden for an entrant of another
    event; judges who play do not read their own, which may hold cautions."""
    require(viewer, "judging.record_read", _private(event_id))
    row = EntrantRow.objects.filter(pk=entrant_id, event_id=event_id).first()
    if row is None:
        raise NotAllowed("judging.record_read", Verdict.HIDDEN)
    if viewer.person_id in row.persons:
        raise NotAllowed("judging.record_read", Verdict.FORBIDDEN)
    about = [one for one in rulings(viewer, event_id) if one.target_entrant == entrant_id]
    own = RulingRow.objects.filter(event_id=event_id, target_entrant=entrant_id, in_force=True)
    elsewhere: tuple[KindCount, ...] | None = None
    if may(viewer, "judging.record_read_all", _private(event_id)):
        others = EntrantPerson.objects.filter(person_id__in=row.persons).values("entrant_id")
        rows = RulingRow.objects.filter(target_entrant__in=others, in_force=True)
        elsewhere = _counts(rows.exclude(event_id=event_id))
    return Record(
        name=joined(row.persons, names(row.persons)),
        entrant_id=entrant_id,
        rulings=tuple(about),
        counts=_counts(own),
        raised=CallRow.objects.filter(event_id=event_id, raised_by__in=row.persons).count(),
        at_tables=CallPersonRow.objects.filter(
            event_id=event_id, person_id__in=row.persons
        ).count(),
        elsewhere=elsewhere,
    )


def _counts(rows: Any) -> tuple[KindCount, ...]:
    found = rows.exclude(infraction="").values("infraction", "infraction_kind")
    return tuple(
        KindCount(one["infraction"], one["infraction_kind"], one["number"])
        for one in found.annotate(number=Count("pk")).order_by("infraction", "infraction_kind")
    )


@dataclass(frozen=True, slots=True)
class Line:
    """One act of staff in the log: its place, who, in which role, and at which table. A command
    that caused several events is one line, that of its first; `more` counts the others."""

    position: int
    type: str
    by: str
    by_name: str
    role: str
    at: str
    table: int | None
    round: int | None
    more: int = 0


@dataclass(frozen=True, slots=True)
class Audit:
    """Acts of staff, the newest first; `before` where the next page begins, None at the end."""

    lines: tuple[Line, ...]
    staff: tuple[tuple[str, str], ...]
    kinds: tuple[str, ...]
    before: int | None


def audit(
    viewer: Actor,
    event_id: str,
    *,
    who: str = "",
    table: int | None = None,
    kind: str = "",
    before: int | None = None,
) -> Audit:
    """Return what staff did in an event, filtered by person, table and event type. Raises
    NotAllowed."""
    require(viewer, "judging.audit_read", _private(event_id))
    try:
        streams = streams_of(event_id)
    except NoSuchEvent:
        raise NotAllowed("judging.audit_read", Verdict.HIDDEN) from None
    places = _places(event_id)
    lines: list[Line] = []
    staff: set[str] = set()
    kinds: set[str] = set()
    newest: int | None = None
    for several in _commands(_backwards(streams, before)):
        first = several[-1]
        if first.meta.source not in STAFF_SOURCES:
            continue
        staff.add(first.meta.actor)
        kinds |= {one.type for one in several}
        round_, at_table = _place(several, places)
        if (who and first.meta.actor != who) or (table is not None and at_table != table):
            continue
        told = next((one for one in reversed(several) if not kind or one.type == kind), None)
        if told is None:
            continue
        if len(lines) == AUDIT_PAGE:
            newest = lines[-1].position
            break
        lines.append(_line(told, round_, at_table, len(several) - 1))
    known = names(staff)
    return Audit(
        tuple(_with_name(one, known) for one in lines),
        tuple(sorted(((one, known.get(one, one)) for one in staff), key=lambda two: two[1])),
        tuple(sorted(kinds)),
        newest,
    )


def _commands(recorded: Iterator[Recorded]) -> Iterator[list[Recorded]]:
    """Yield the events of one command after the other, each newest first."""
    held: list[Recorded] = []
    for one in recorded:
        if held and held[-1].meta.command != one.meta.command:
            yield held
            held = []
        held.append(one)
    if held:
        yield held


def _place(
    several: list[Recorded], places: Mapping[str, tuple[int | None, int | None]]
) -> tuple[int | None, int | None]:
    """Round and table of a command, (None, None) for one that concerns several or none."""
    found = {places[key] for one in several if (key := one.stream.partition("-")[2]) in places}
    return found.pop() if len(found) == 1 else (None, None)


def _line(one: Recorded, number: int | None, table: int | None, more: int = 0) -> Line:
    return Line(
        one.position, one.type, one.meta.actor, "", one.meta.role, one.recorded_at, table, number,
        more,
    )  # fmt: skip


def _with_name(line: Line, known: Mapping[str, str]) -> Line:
    return replace(line, by_name=known.get(line.by, line.by))


def _places(event_id: str) -> dict[str, tuple[int | None, int | None]]:
    """Round and table of every match and call of an event, by id."""
    found: dict[str, tuple[int | None, int | None]] = {}
    for model in (MatchRow, CallRow):
        rows = model.objects.filter(event_id=event_id)
        for pk, number, table in rows.values_list("pk", "round", "table"):
            found[pk] = (number, table)
    return found


def _backwards(streams: set[str], before: int | None) -> Iterator[Recorded]:
    """Yield the events of some streams, the newest first, as far as one page may look."""
    rows = Event.objects.order_by("-position")
    if before is not None:
        rows = rows.filter(position__lt=before)
    for body, known, stream in rows.values_list("body", "hash", "stream")[:AUDIT_SCAN].iterator():
        if stream in streams:
            yield unseal(bytes(body), known_hash=known)


@dataclass(frozen=True, slots=True)
class Proof:
    """One event of the log with its hash and the proof that a signed checkpoint holds it (empty
    while none does)."""

    line: Line
    stream: str
    version: int
    hash: str
    command: str
    source: str
    client_time: str
    proof: str


def proof(viewer: Actor, event_id: str, position: int) -> Proof:
    """Return one act of staff with its proof. Raises NotAllowed, hidden for an event of the log
    that does not belong to this tournament."""
    require(viewer, "judging.audit_read", _private(event_id))
    row = Event.objects.filter(pk=position).first()
    try:
        streams = streams_of(event_id)
    except NoSuchEvent:
        streams = set()
    if row is None or row.stream not in streams:
        raise NotAllowed("judging.audit_read", Verdict.HIDDEN)
    one = unseal(bytes(row.body), known_hash=row.hash)
    round_, table = _place([one], _places(event_id))
    try:
        text = checkpoints.inclusion_texts([position])[position]
    except checkpoints.NotCovered:
        text = ""
    known = names([one.meta.actor])
    return Proof(
        line=_with_name(_line(one, round_, table), known),
        stream=one.stream,
        version=one.version,
        hash=one.hash,
        command=one.meta.command,
        source=one.meta.source,
        client_time=one.meta.client_time or "",
        proof=text,
    )
