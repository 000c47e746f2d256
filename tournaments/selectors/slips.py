"""Reads of the desk about results: what was entered last, what differs, what a line would mean."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from eventstore import clock as house
from eventstore.domain.refusal import Refusal
from eventstore.prepared import prepared
from people import selectors as people
from people.access import may, require
from people.domain.actor import Actor
from people.domain.permissions import Subject
from tournaments.domain import slip as slips
from tournaments.domain.event import CUT, RUNNING
from tournaments.domain.hall.slips import plain_line
from tournaments.domain.results import Result
from tournaments.domain.round_clock import RoundClock
from tournaments.domain.scores import Format
from tournaments.domain.slip import Slip
from tournaments.domain.table_time import table_time
from tournaments.models import EntrantRow, EntryRow, LossRow, MatchRow, RoundRow
from tournaments.selectors.rounds import PairingLine, line
from tournaments.selectors.sides import Side, readable, sides

DESK = "tournaments.desk_use"
SHOWN = 8


@dataclass(frozen=True, slots=True)
class Said:
    """One statement about a result: who, when (UTC text), which. `index` among the contests."""

    author: str
    at: str
    winner: str
    score: tuple[int, int, int]
    reason: str
    drops: tuple[str, ...]
    by_player: bool
    index: int = 0


@dataclass(frozen=True, slots=True)
class Conflict:
    """A table with a result and what was said against it."""

    line: PairingLine
    standing: Said
    against: tuple[Said, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """One of the last entries of staff. `may_undo`: it is the last word on its table and can be
    taken back."""

    line: PairingLine
    kind: str
    author: str
    at: str
    typed: str
    winner: str
    score: tuple[int, int, int]
    reason: str
    drops: tuple[str, ...]
    may_undo: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """What a line being typed means: the table it names (None: no such table), the result, or why
    it is refused."""

    slip: Slip | None
    line: PairingLine | None
    result: Result | None
    refusal: Refusal | None


def _three(score: Sequence[int]) -> tuple[int, int, int]:
    return (score[0], score[1], score[2])


def named_in(rows: Iterable[MatchRow]) -> dict[str, Side]:
    """Return the entrants of these matches by id: two queries."""
    wanted = {one for row in rows for one in (row.p1, row.p2)}
    return sides(EntrantRow.objects.filter(pk__in=wanted))


def _said(row: MatchRow, names: Mapping[str, str], named: Mapping[str, Side]) -> Conflict:
    def player(seat: str) -> str:
        return named[row.p1 if seat == "P1" else row.p2].name

    standing = Said(
        names.get(row.entered_by, ""),
        row.decided_at,
        row.winner,
        (row.p1_wins, row.p2_wins, row.draws),
        row.reason,
        (),
        row.decided_by in ("players", "admitted"),
    )
    against = tuple(
        Said(
            player(one["seat"]) if one["seat"] else names.get(one["by"], ""),
            one["at"],
            one["winner"],
            _three(one["score"]),
            one["reason"],
            tuple(one["drops"]),
            bool(one["seat"]),
            index,
        )
        for index, one in enumerate(row.contests)
    )
    return Conflict(line(row, named, True), standing, against)


def conflicts(viewer: Actor, event_id: str) -> list[Conflict]:
    """Return the tables of an event whose result is contested: at most four queries. Raises
    NotAllowed."""
    readable(viewer, event_id, "tournaments.event_read")
    require(viewer, DESK, Subject(event_id))
    rows = list(
        MatchRow.objects.filter(event_id=event_id)
        .exclude(state="draft")
        .exclude(contests=[])
        .order_by("round", "table")
    )
    return conflicts_of(rows, named_in(rows)) if rows else []


def conflicts_of(rows: Sequence[MatchRow], named: Mapping[str, Side]) -> list[Conflict]:
    """Make the conflicts of contested matches, whose entrants are known: one query."""
    staff = {row.entered_by for row in rows} | {one["by"] for row in rows for one in row.contests}
    names = people.names(one for one in staff if one)
    return [_said(row, names, named) for row in rows]


def entries(viewer: Actor, event_id: str, number: int, most: int = SHOWN) -> list[Entry]:
    """Return what staff entered last in a round, newest first: five queries. Raises NotAllowed."""
    event = readable(viewer, event_id, "tournaments.event_read")
    require(viewer, DESK, Subject(event_id))
    found = list(
        EntryRow.objects.filter(event_id=event_id, round=number)
        .exclude(source="player")
        .order_by("-position")[:most]
    )
    rows = {row.pk: row for row in MatchRow.objects.filter(pk__in={one.match_id for one in found})}
    named = named_in(list(rows.values()))
    names = people.names(one.author for one in found)
    last: set[str] = set()
    told = []
    for one in found:
        row = rows.get(one.match_id)
        if row is None:
            continue
        newest = one.match_id not in last
        last.add(one.match_id)
        told.append(
            Entry(
                line(row, named, True),
                one.kind,
                names.get(one.author, ""),
                one.at,
                one.line,
                one.winner,
                _three(one.score) if one.score else (0, 0, 0),
                one.reason,
                tuple(one.drops),
                newest
                and one.kind == "decided"
                and row.decided_by == "staff"
                and not row.contests
                and number == event.round
                and event.status in (RUNNING, CUT),
            )
        )
    return told


def reading(viewer: Actor, event_id: str, number: int, text: str) -> Reading:
    """Say what a line means while it is typed: five queries. Nothing changes. Raises NotAllowed."""
    readable(viewer, event_id, "tournaments.event_read")
    require(viewer, DESK, Subject(event_id))
    text = plain_line(event_id, number, text)
    read = slips.read(text)
    table = _table_in(text)
    row = None
    if table:
        rows = MatchRow.objects.filter(event_id=event_id, round=number, table=table)
        row = rows.exclude(state="draft").first()
    if row is None:
        known = None if isinstance(read, Refusal) else read
        code = Refusal("tournaments.table_unknown", {"found": table, "round": number})
        return Reading(known, None, None, code if table else None)
    shown = line(row, named_in([row]), True)
    if isinstance(read, Refusal):
        # nothing is wrong with a line that is still being typed
        return Reading(None, shown, None, read if len(text.split()) > 1 else None)
    clock = (
        RoundRow.objects.filter(event_id=event_id, number=number, clock_seconds__isnull=False)
        .values_list("clock_seconds", "clock_ends_at", "clock_left_s")
        .first()
    )
    over = None
    if clock is not None and clock[0] is not None:
        now = house.as_text(house.now())
        over = table_time(RoundClock(clock[0], clock[1], clock[2]), row.extension_s, now).over
    played = [one["winner"] for one in row.duels if one["winner"]]
    result = slips.settle(
        read,
        Format(row.rules, row.play_on),
        cut=row.stage == "cut",
        played=[] if row.winner else played,
        time_over=over,
    )
    if isinstance(result, Refusal):
        return Reading(read, shown, None, result)
    return Reading(read, shown, result, None)


def _table_in(text: str) -> int:
    first = (text.split() or [""])[0]
    return int(first) if first.isascii() and first.isdigit() and len(first) <= 6 else 0


@dataclass(frozen=True, slots=True)
class LossLine:
    """A loss that waits for the next match of an entrant, or fell there, or was taken back."""

    row: LossRow
    side: Side


def losses(viewer: Actor, event_id: str) -> list[LossLine]:
    """Return the losses given for next matches, newest first: those of all for staff, the own
    ones for a player. Four queries. Raises NotAllowed."""
    readable(viewer, event_id, "tournaments.event_read")
    rows = list(LossRow.objects.filter(event_id=event_id).order_by("-at", "id"))
    named = sides(EntrantRow.objects.filter(pk__in={row.entrant_id for row in rows}))
    staff = Subject(event_id, public=False)
    told = []
    for row in rows:
        side = named[row.entrant_id]
        if _may_read(viewer, staff, side):
            told.append(LossLine(row, side))
    return told


@prepared
def losses_pending(event_id: Any, entrant_id: Any) -> Any:
    """The losses that wait for the next match of an entrant, unguarded."""
    return LossRow.objects.filter(event_id=event_id, entrant_id=entrant_id, state="pending")


def require_losses(viewer: Actor, event_id: str) -> None:
    """Return when the viewer may read the losses of the own entrant; raises NotAllowed."""
    owned = Subject(event_id, frozenset([viewer.person_id or ""]), public=False)
    require(viewer, "tournaments.loss_read", owned)


def my_losses(viewer: Actor, event_id: str, entrant_id: str) -> list[LossRow]:
    """Return the losses that wait for the next match of the viewer's own entrant: one query.
    Raises NotAllowed."""
    require_losses(viewer, event_id)
    return losses_pending(event_id, entrant_id)


def _may_read(viewer: Actor, staff: Subject, side: Side) -> bool:
    owned = Subject(staff.event_id, frozenset(side.persons), public=False)
    return may(viewer, "tournaments.loss_read", owned)
