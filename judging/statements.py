"""Sealed statements: commands and reads.

A text is sealed twice: under its author's key, as all free text is, and around that under a key
of its own call. Nothing that opens the texts of a person (an export, an erasure report, a page)
opens a statement; only `texts_of` here takes the outer seal off, and only once the statements were
opened by an event.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from eventstore import clock
from eventstore.commands import Loaded, Unit, accept, command
from eventstore.domain.envelope import Recorded
from eventstore.domain.refusal import Refusal, Refused
from eventstore.ids import is_id, new_id
from eventstore.prepared import prepared
from eventstore.store import read_stream
from judging import handling
from judging.domain import statements as rules
from judging.domain.statement_events import StatementGiven, StatementsOpened
from judging.domain.statements import NEW, Statements, Where, evolve
from judging.models import CallRow, StatementRow
from judging.packs import pack
from people.access import NotAllowed, may, require
from people.domain.actor import SYSTEM, Actor
from people.domain.permissions import Subject, Verdict
from people.erasure import on_export
from people.models import Account, RoleRow
from people.selectors import languages, names
from people.services import person_register
from people.vault import open_text, seal
from tournaments.models import EntrantPerson

MOST_ASKED = 12


class StatementsState(msgspec.Struct, frozen=True):
    """Where the statements of a call stand: how many were asked for, how many are in, whether
    they can be read."""

    call_id: str
    asked: int
    given: int
    opened: bool


def statements_stream(call_id: str) -> str:
    """Return the stream of the statements of a call."""
    return f"statements-{call_id}"


def _call(call_id: str, action: str) -> CallRow:
    row = CallRow.objects.filter(pk=call_id).first() if is_id(call_id) else None
    if row is None:
        raise NotAllowed(action, Verdict.HIDDEN)
    return row


def _table(row: CallRow) -> Subject:
    return handling.subject(row.event_id, row.seats)


def _load(unit: Unit, row: CallRow) -> tuple[Loaded[Statements], Where]:
    loaded = unit.load(statements_stream(row.call_id), NEW, evolve)
    at = clock.as_text(unit.now)
    return loaded, Where(row.call_id, row.event_id, row.match_id, unit.actor.ref, at)


def _append(unit: Unit, row: CallRow, loaded: Loaded[Statements], events: Any) -> StatementsState:
    made = accept(events)
    unit.append(loaded.stream, loaded.version, made)
    state = loaded.state
    for one in made:
        state = evolve(state, one)
    return StatementsState(row.call_id, len(state.asked), len(state.given), state.opened)


def _known(row: CallRow, persons: Sequence[str]) -> frozenset[str]:
    """Those of some persons who can be asked: players and staff of the event."""
    ids = [one for one in persons if is_id(one)]
    playing = EntrantPerson.objects.filter(event_id=row.event_id, person_id__in=ids)
    staff = RoleRow.objects.filter(event_id=row.event_id, person_id__in=ids)
    seated = {one for seat in row.seats for one in seat}
    return frozenset(
        seated
        | set(playing.values_list("person_id", flat=True))
        | set(staff.values_list("person_id", flat=True))
    )


@command("judging.statements_ask")
def statements_ask(
    unit: Unit,
    *,
    call_id: str,
    persons: Sequence[str] = (),
    infraction: str = "",
    witnesses: Sequence[str] = (),
) -> StatementsState:
    """Ask persons (none named: all who play at the table) to write down what happened: where the
    infraction calls for statements by the pack, or on demand of the head judge. `witnesses` are
    names of others, who neither play nor are staff: they are made known and get a link (`witness`).

    Raises Refused (judging.unknown_infraction, statements_not_required, statements_open,
    statement_person, people.name_*), NotAllowed.
    """
    row = _call(call_id, "judging.statements_ask")
    require(unit.actor, "judging.statements_ask", _table(row))
    loaded, where = _load(unit, row)
    # judges keep no persons otherwise: the house makes these known
    house = Unit(replace(unit.context, actor=SYSTEM, source="system"))
    others = [
        person_register(house, person_id=new_id(), display_name=name, event_id=row.event_id)
        for name in list(witnesses)[:MOST_ASKED]
    ]
    of = [*persons, *others] or [
        one for seat in row.seats for one in seat if one not in loaded.state.asked
    ]
    made = rules.ask(
        loaded.state,
        where,
        of[:MOST_ASKED],
        known=_known(row, of[:MOST_ASKED]) | frozenset(others),
        infraction=infraction,
        pack=pack(row.pack, row.pack_version),
        head_judge=may(unit.actor, "judging.statements_open", _table(row)),
    )
    return _append(unit, row, loaded, made)


@command("judging.statement_give")
def statement_give(
    unit: Unit, *, call_id: str, text: str, person: str | None = None
) -> StatementsState:
    """Write the own statement, or (a judge who does not play there) type the words of `person`,
    who has no phone at hand. It is sealed until all are in or the head judge opens them.

    Raises Refused (judging.note_empty, text_too_long, text_signs, statement_not_asked,
    statement_stands), NotAllowed.
    """
    row, author = _author(unit, call_id, person)
    words = handling.checked_text(text)
    if not words:
        raise Refused(Refusal("judging.note_empty"))
    loaded, where = _load(unit, row)
    sealed = seal(call_id, seal(author, words))
    spoken = languages([author]).get(author, "en")
    return _append(unit, row, loaded, rules.give(loaded.state, where, author, sealed, spoken))


@command("judging.statement_withdraw")
def statement_withdraw(unit: Unit, *, call_id: str) -> StatementsState:
    """Take the own statement back while it is sealed, to write another one. Raises Refused
    (judging.statements_open, statement_not_given), NotAllowed."""
    row, author = _author(unit, call_id, None)
    loaded, where = _load(unit, row)
    return _append(unit, row, loaded, rules.withdraw(loaded.state, where, author))


@command("judging.statements_open")
def statements_open(unit: Unit, *, call_id: str, reason: str) -> StatementsState:
    """Open the statements that are in although not all are: the head judge, with a reason.

    Raises Refused (judging.statements_open, statement_not_given, reason_missing, text_too_long,
    text_signs), NotAllowed.
    """
    row = _call(call_id, "judging.statements_open")
    require(unit.actor, "judging.statements_open", _table(row))
    loaded, where = _load(unit, row)
    made = rules.open_early(
        loaded.state, where, head_judge=True, reason=handling.sealed(unit, reason)
    )
    return _append(unit, row, loaded, made)


def _author(unit: Unit, call_id: str, person: str | None) -> tuple[CallRow, str]:
    """Return the call and whose statement is meant; raises NotAllowed. Nobody but who was asked
    and the judges of the table may know of it."""
    row = _call(call_id, "judging.statement_give")
    me = unit.actor.person_id
    if person is not None and person != me:
        require(unit.actor, "judging.statements_ask", _table(row))
        return row, person
    asked = StatementRow.objects.filter(call_id=call_id).values_list("person_id", flat=True)
    subject = Subject(row.event_id, frozenset(asked), public=False)
    require(unit.actor, "judging.statement_give", subject)
    if me is None or me not in set(asked):
        raise Refused(Refusal("judging.statement_not_asked"))
    return row, me


@dataclass(frozen=True, slots=True)
class Statement:
    """One of the asked: since when, whether the statement is in (UTC text, empty: not), whether
    a judge typed it; `witness`: one who neither plays nor is staff, with a link. `texts`: the
    statement and its addenda once opened, empty before; a text is None when it was erased."""

    person_id: str
    name: str
    asked_at: str
    given_at: str
    dictated: bool
    witness: bool
    texts: tuple[str | None, ...] = ()


@dataclass(frozen=True, slots=True)
class StatementsView:
    """The statements of a call. `how` they were opened (all_in, head_judge; empty: sealed), when,
    and why (the head judge's reason)."""

    call_id: str
    statements: tuple[Statement, ...]
    opened_at: str
    how: str
    reason: str | None


def texts_of(recorded: Sequence[Recorded]) -> dict[str, list[str | None]]:
    """Return the statements and addenda of a stream by person, the newest statement alone where
    one was withdrawn; nothing while they are sealed. Unguarded."""
    events = [one.data for one in recorded]
    if not any(isinstance(one, StatementsOpened) for one in events):
        return {}
    found: dict[str, list[str | None]] = {}
    state = NEW
    for event in events:
        if isinstance(event, StatementGiven):
            inner = open_text(event.call, event.text)
            text = None if inner is None else open_text(event.person, inner)
            if not event.addendum:
                found[event.person] = []
            found.setdefault(event.person, []).append(text)
        state = evolve(state, event)
    return {person: texts for person, texts in found.items() if person in state.given}


def statements_of(viewer: Actor, call_id: str) -> StatementsView:
    """Return the statements of a call for its judges: who was asked, whose is in, and the texts
    once they were opened. Six queries, and one for each text. Raises NotAllowed."""
    row = _call(call_id, "judging.case_read")
    require(viewer, "judging.case_read", _table(row))
    rows = list(StatementRow.objects.filter(call_id=call_id))
    recorded = read_stream(statements_stream(call_id)) if rows else []
    opened = next((one.data for one in recorded if isinstance(one.data, StatementsOpened)), None)
    texts = texts_of(recorded)
    known = names([one.person_id for one in rows])
    apart = _witnesses([one.person_id for one in rows])
    return StatementsView(
        call_id,
        tuple(
            Statement(
                one.person_id,
                known.get(one.person_id, ""),
                one.asked_at,
                one.given_at,
                one.dictated,
                one.person_id in apart,
                tuple(texts.get(one.person_id, ())),
            )
            for one in rows
        ),
        opened.at if opened else "",
        opened.how if opened else "",
        open_text(opened.by, opened.reason) if opened and opened.reason else "",
    )


@dataclass(frozen=True, slots=True)
class Asked:
    """A statement that was asked of the viewer: at which table, whether it is in, whether it can
    be read by the judges, and what the viewer wrote once it can."""

    call_id: str
    round: int
    table: int | None
    asked_at: str
    given_at: str
    opened: bool
    texts: tuple[str | None, ...]


def asked_of(viewer: Actor, event_id: str) -> list[Asked]:
    """Return the statements asked of the viewer in an event, newest first; the words of others
    never. Two queries, one more for each that was opened. Raises NotAllowed."""
    me = viewer.person_id or ""
    subject = Subject(event_id=event_id, owners=frozenset({me}), public=False)
    require(viewer, "judging.statement_give", subject)
    rows = list(StatementRow.objects.filter(event_id=event_id, person_id=me).order_by("-asked_at"))
    calls = {one.pk: one for one in CallRow.objects.filter(pk__in=[row.call_id for row in rows])}
    found: list[Asked] = []
    for row in rows:
        call = calls[row.call_id]
        recorded = read_stream(statements_stream(row.call_id)) if row.opened_at else []
        found.append(
            Asked(
                row.call_id,
                call.round,
                call.table,
                row.asked_at,
                row.given_at,
                bool(row.opened_at),
                tuple(texts_of(recorded).get(me, ())),
            )
        )
    return found


def _witnesses(persons: Sequence[str]) -> frozenset[str]:
    """Those of some persons who play in no event, have no role and no log-in: a link of theirs
    opens nothing but what they are asked. Three queries, none for nobody."""
    if not persons:
        return frozenset()
    held: set[str] = set()
    for model in (EntrantPerson, RoleRow, Account):
        rows = model.objects.filter(person_id__in=list(persons))
        held |= set(rows.values_list("person_id", flat=True))
    return frozenset(persons) - held


@dataclass(frozen=True, slots=True)
class Witness:
    """A witness who is asked for a statement at a call."""

    person_id: str
    name: str
    call_id: str
    event_id: str


def witness(viewer: Actor, call_id: str, person_id: str) -> Witness | None:
    """Return a witness of a call who can be given a link; None for everybody else: who plays, is
    staff or was not asked here. Raises NotAllowed."""
    row = _call(call_id, "judging.statements_ask")
    require(viewer, "judging.statements_ask", _table(row))
    asked = StatementRow.objects.filter(call_id=call_id, person_id=person_id).exists()
    if not asked or person_id not in _witnesses([person_id]):
        return None
    return Witness(person_id, names([person_id]).get(person_id, ""), call_id, row.event_id)


@prepared
def waiting(event_id: Any, person_id: Any) -> Any:
    """A statement that is asked of a person in an event and not in yet, if there is one."""
    rows = StatementRow.objects.filter(event_id=event_id, person_id=person_id, given_at="")
    return rows.order_by().values_list("pk", flat=True)[:1]


def is_asked(viewer: Actor, event_id: str) -> bool:
    """Say whether a statement of the viewer is asked for and not in yet: one query."""
    return bool(waiting(event_id, viewer.person_id or "-"))


@on_export("judging.statements")
def _own_statements(person_id: str) -> list[dict[str, Any]]:
    """What the house keeps of a person's own words: those that can be read."""
    rows = StatementRow.objects.filter(person_id=person_id).exclude(opened_at="")
    return [
        {
            "call": row.call_id,
            "given_at": row.given_at,
            "texts": texts_of(read_stream(statements_stream(row.call_id))).get(person_id, []),
        }
        for row in rows
    ]
