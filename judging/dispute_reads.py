"""Reads of replay disputes: the queue of judges, one dispute with its lines, a player's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from duels.models import DuelRow
from duels.selectors import LogLine, duel_log
from eventstore import clock
from eventstore.ids import is_id
from judging.conflicts import conflicts_at
from judging.disputes import (
    CORRECT,
    RAISE,
    READ,
    REVIEW,
    WINDOW,
    appeal_until,
    until_of,
    window_minutes,
)
from judging.domain import dispute as rules
from judging.handling import subject
from judging.models import RulingRow
from judging.models_after import DisputeRow
from people.access import NotAllowed, may, require
from people.domain.actor import Actor
from people.domain.names import joined
from people.domain.permissions import Subject, Verdict
from people.domain.roles import Role
from people.selectors import names
from people.vault import open_texts
from tournaments.models import MatchRow
from tournaments.selectors import Preview, undo_preview

AROUND = 5
"""Lines of the log that stand before and after the disputed one."""


@dataclass(frozen=True, slots=True)
class DisputeView:
    """A dispute as a viewer may see it. `reason` for its author and judges; `note` (why a result
    was left or corrected) for staff; None for who may not read them, or when the author is
    erased. `staff` and `judge`: as what the viewer reads it, never somebody who plays there.
    `may_*` say what the viewer can do now; `conflicts` what speaks against the viewer."""

    dispute_id: str
    event_id: str
    match_id: str
    duel_id: str
    round: int
    table: int | None
    line: int
    state: str
    players: tuple[str, ...]
    by_name: str
    at: str
    until: str
    reason: str | None
    taken_by: str
    taken_by_name: str
    outcome: str
    call_id: str
    ruling_id: str
    ruled_at: str
    proposed: dict[str, Any] | None
    settled_by_name: str
    settled_at: str
    note: str | None
    appealed_by_name: str
    appealed_at: str
    appeal_reason: str | None
    appeal_outcome: str
    ruled_by_names: tuple[str, ...]
    conflicts: tuple[str, ...]
    staff: bool
    judge: bool
    may_take: bool
    may_rule: bool
    may_settle: bool
    may_withdraw: bool
    may_appeal: bool


@dataclass(frozen=True, slots=True)
class Disputes:
    """The disputes of an event: those that need somebody first, then the newest; the window in
    minutes, and whether the viewer may choose it."""

    rows: tuple[DisputeView, ...]
    minutes: int
    may_set: bool

    @property
    def hours(self) -> int:
        """The window in whole hours, 0 where it is none."""
        return 0 if self.minutes % 60 else self.minutes // 60


@dataclass(frozen=True, slots=True)
class Disputable:
    """A duel of the viewer in which a line can be disputed: until when (UTC text, empty while the
    match goes on), `late` when that is over, and the lines as this player may read them."""

    duel: DuelRow
    match: MatchRow
    seat: str
    until: str
    lines: tuple[LogLine, ...]


def disputes(viewer: Actor, event_id: str) -> Disputes:
    """Return the disputes of an event for its staff: six queries at most. Raises NotAllowed."""
    require(viewer, READ, Subject(event_id=event_id, public=False))
    rows = list(DisputeRow.objects.filter(event_id=event_id).order_by("-at"))
    rows.sort(key=lambda one: one.state not in rules.OPEN)
    return Disputes(
        tuple(_views(viewer, rows)),
        window_minutes(event_id),
        may(viewer, WINDOW, Subject(event_id=event_id, public=False)),
    )


def dispute(viewer: Actor, dispute_id: str) -> DisputeView:
    """Return one dispute. Raises NotAllowed."""
    row = DisputeRow.objects.filter(pk=dispute_id).first() if is_id(dispute_id) else None
    if row is None:
        raise NotAllowed(READ, Verdict.HIDDEN)
    require(viewer, READ, subject(row.event_id, row.seats))
    return _views(viewer, [row])[0]


def my_disputes(viewer: Actor, event_id: str) -> list[DisputeView]:
    """Return the disputes at the viewer's own matches of an event, newest first. Raises
    NotAllowed for somebody unknown."""
    mine = Subject(event_id=event_id, owners=frozenset({viewer.person_id or ""}), public=False)
    require(viewer, READ, mine)
    rows = DisputeRow.objects.filter(event_id=event_id).order_by("-at")
    own = [one for one in rows if any(viewer.person_id in seat for seat in one.seats)]
    return _views(viewer, own)


def lines_around(viewer: Actor, view: DisputeView) -> list[LogLine]:
    """Return the lines about the disputed one, as a judge of the event reads them. Raises
    NotAllowed."""
    lines = duel_log(viewer, view.duel_id, "judge")
    return lines[max(0, view.line - 1 - AROUND) : view.line + AROUND]


def seat_names(duel_id: str) -> dict[str, str]:
    """Return who sits on which seat of a duel, by public names: who began in a replay file is P1,
    whoever is named first in the match. Unguarded, two queries."""
    seats = DuelRow.objects.filter(pk=duel_id).values_list("seats", flat=True).first() or {}
    told = names(person for persons in seats.values() for person in persons)
    return {seat: joined(held, told) for seat, held in seats.items()}


def preview_of(viewer: Actor, view: DisputeView, asked: dict[str, Any]) -> Preview:
    """Return what a correction of the match of a dispute would move. Raises NotAllowed."""
    return undo_preview(viewer, view.event_id, "result", match_id=view.match_id, **asked)


def disputable(viewer: Actor, duel_id: str) -> Disputable:
    """Return a duel in which the viewer, who plays its match, may dispute a line. Raises
    NotAllowed, hidden for every other duel."""
    duel = DuelRow.objects.filter(pk=duel_id).first() if is_id(duel_id) else None
    match = MatchRow.objects.filter(pk=duel.match_id).first() if duel and duel.match_id else None
    if duel is None or match is None:
        raise NotAllowed(RAISE, Verdict.HIDDEN)
    require(viewer, RAISE, subject(match.event_id, match.persons))
    seat = next((one for one, held in duel.seats.items() if viewer.person_id in held), "")
    if not seat:
        raise NotAllowed(RAISE, Verdict.FORBIDDEN)
    lines = duel_log(viewer, duel_id, seat.lower())
    return Disputable(duel, match, seat, until_of(match) or "", tuple(lines))


def my_duels(viewer: Actor, event_id: str) -> list[tuple[DuelRow, MatchRow]]:
    """Return the duels of the viewer's matches in an event, newest first: two queries."""
    rows = MatchRow.objects.filter(~Q(state="draft"), event_id=event_id).order_by("-round")
    mine = {one.pk: one for one in rows if any(viewer.person_id in side for side in one.persons)}
    duels = DuelRow.objects.filter(match_id__in=list(mine)).order_by("-opened_at")
    return [(one, mine[one.match_id]) for one in duels]


def _views(viewer: Actor, rows: Sequence[DisputeRow]) -> list[DisputeView]:
    people = {person for row in rows for seat in row.seats for person in seat}
    people |= {
        one for row in rows for one in (row.by, row.taken_by, row.settled_by, row.appealed_by)
    }
    people |= {one for row in rows for one in row.ruled_by}
    known = names(people - {""})
    reasons = open_texts([(row.by, row.reason) for row in rows])
    notes = open_texts([(row.settled_by, row.note) for row in rows])
    appeals = open_texts([(row.appealed_by, row.appeal_reason) for row in rows])
    ruled = [row.ruling_id for row in rows if row.ruling_id]
    minutes = window_minutes(rows[0].event_id) if ruled else 0
    final = set(
        RulingRow.objects.filter(pk__in=ruled, final=True).values_list("pk", flat=True)
        if ruled
        else ()
    )
    against = (
        conflicts_at(
            viewer.person_id or "", rows[0].event_id, {row.pk: row.entrants for row in rows}
        )
        if rows
        else {}
    )
    return [
        _view(
            viewer,
            row,
            known,
            (reason, note, why),
            against.get(row.pk, ()),
            appealable=bool(row.ruled_at)
            and row.ruling_id not in final
            and not row.appealed_at
            and clock.as_text(clock.now()) <= appeal_until(row.ruled_at, minutes),
        )
        for row, reason, note, why in zip(rows, reasons, notes, appeals, strict=True)
    ]


def _view(
    viewer: Actor,
    row: DisputeRow,
    known: dict[str, str],
    texts: tuple[str | None, str | None, str | None],
    conflicts: tuple[str, ...],
    *,
    appealable: bool,
) -> DisputeView:
    reason, note, why = texts
    table = subject(row.event_id, row.seats)
    me = viewer.person_id or ""
    plays = any(me in seat for seat in row.seats)
    judge = not plays and may(viewer, REVIEW, table)
    staff = judge or (not plays and may(viewer, CORRECT, table))
    mine = row.taken_by == me
    return DisputeView(
        dispute_id=row.pk,
        event_id=row.event_id,
        match_id=row.match_id,
        duel_id=row.duel_id,
        round=row.round,
        table=row.table,
        line=row.line,
        state=row.state,
        players=tuple(joined(seat, known) for seat in row.seats),
        by_name=known.get(row.by, "") if staff or row.by == me else "",
        at=row.at,
        until=row.until,
        reason=reason if staff or row.by == me else None,
        taken_by=row.taken_by,
        taken_by_name=known.get(row.taken_by, ""),
        outcome=row.outcome,
        call_id=row.call_id,
        ruling_id=row.ruling_id,
        ruled_at=row.ruled_at,
        proposed=row.proposed if staff else None,
        settled_by_name=known.get(row.settled_by, ""),
        settled_at=row.settled_at,
        note=(note if row.note else "") if staff else None,
        appealed_by_name=known.get(row.appealed_by, "") if staff or row.appealed_by == me else "",
        appealed_at=row.appealed_at,
        appeal_reason=(why if row.appeal_reason else "")
        if staff or row.appealed_by == me
        else None,
        appeal_outcome=row.appeal_outcome,
        ruled_by_names=tuple(known.get(one, "") for one in row.ruled_by) if staff else (),
        conflicts=conflicts if judge else (),
        staff=staff,
        judge=judge,
        may_take=judge
        and me not in row.ruled_by
        and (
            row.state == rules.RAISED
            or (row.state == rules.APPEALED and Role.HEAD_JUDGE in viewer.roles_in(row.event_id))
        ),
        may_rule=judge and row.state == rules.TAKEN and mine,
        may_settle=not plays and row.state == rules.WAITS and may(viewer, CORRECT, table),
        may_withdraw=row.by == me and row.state == rules.RAISED,
        may_appeal=plays and appealable and row.state in rules.REVIEWED,
    )
