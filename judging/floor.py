"""The floor: every open table by its own end, with the judge who looks after it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from django.db.models import Q

from eventstore import clock
from eventstore.commands import Unit, accept, command
from eventstore.domain.refusal import Refusal, Refused
from eventstore.ids import is_id
from judging.domain import floor
from judging.domain.acts import By
from judging.matches import left_open, match_now
from judging.models import CallRow, TableJudgeRow
from people.access import NotAllowed, may, require
from people.domain.actor import Actor
from people.domain.permissions import JUDGES, Subject, Verdict
from people.models import RoleRow
from people.selectors import names
from tournaments import rulesets
from tournaments.domain.prediction import Estimate, predict
from tournaments.domain.round_clock import RoundClock, moment
from tournaments.domain.table_time import TableTime, table_time
from tournaments.models import EntrantRow, EventRow, MatchRow, RoundRow
from tournaments.selectors import ClockView, PairingLine, clock_in, spans_of
from tournaments.selectors.rounds import line
from tournaments.selectors.sides import readable, sides
from tournaments.services.loading import refuse_cancelled

READ = "judging.floor_read"
CALL, DUE, ENDING, OVER, PLAYING, MISSING = (
    "call", "due", "ending", "over", "playing", "missing",
)  # fmt: skip
"""State words of an open table: a call is open there; its time is over and its end has not begun;
its end is being played; its end is done and the slip comes; time is left; the slip is late."""


def _subject(event_id: str) -> Subject:
    return Subject(event_id, public=False)


def judges_of(event_id: str) -> dict[str, str]:
    """Return the judges of an event who hold the role now, id to name: two queries."""
    now = clock.as_text(clock.now())
    rows = RoleRow.objects.filter(
        Q(until="") | Q(until__gt=now),
        event_id=event_id,
        role__in=[one.value for one in JUDGES],
    )
    return names(rows.values_list("person_id", flat=True))


@command("judging.table_assign")
def table_assign(unit: Unit, *, match_id: str, judge: str | None = None) -> str:
    """Give a table to a judge: a judge the own person (`judge` None) or back (empty), desk and
    head judge to anybody who judges. Return the judge who has it now, empty for nobody.

    Raises Refused (judging.not_a_judge, table_over, table_taken, table_not_yours, own_match),
    NotAllowed.
    """
    match = match_now(match_id) if is_id(match_id) else None
    if match is None:
        raise NotAllowed("judging.table_take", Verdict.HIDDEN)
    event_id = match.facts.event_id
    subject = _subject(event_id)
    leads = may(unit.actor, "judging.table_assign", subject)
    if not leads:
        require(unit.actor, "judging.table_take", subject)
    refuse_cancelled(event_id)
    wanted = unit.actor.person_id or "" if judge is None else judge
    if wanted and wanted not in judges_of(event_id):
        raise Refused(Refusal("judging.not_a_judge", {"found": wanted[:40]}))
    loaded = unit.load(f"floor-{event_id}", floor.NEW, floor.evolve)
    by = By(unit.actor.ref, clock.as_text(unit.now))
    made = floor.assign(
        loaded.state, match.facts, judge=wanted, by=by, leads=leads, decided=match.decided
    )
    if isinstance(made, Refusal) and made.params.get("by"):
        known = names([made.params["by"]])
        made = replace(made, params={**made.params, "name": known.get(made.params["by"])})
    events = accept(made)
    if events:
        unit.append(loaded.stream, loaded.version, events)
    return wanted


@dataclass(frozen=True, slots=True)
class OpenTable:
    """An open table. `time` None: the round has no clock. `state` is one of the words above;
    `call_since` and `forgotten` of the call that is open there. `ruleset` of an end that began.
    `own`: the viewer plays there."""

    line: PairingLine
    time: TableTime | None
    state: str
    judge: str
    judge_name: str
    call_id: str
    call_since: str
    forgotten: bool
    ruleset: str
    own: bool

    @property
    def end(self) -> str:
        """The table's own end (UTC text), empty while it is not known."""
        return self.time.ends_at if self.time is not None else ""


@dataclass(frozen=True, slots=True)
class FloorView:
    """The open tables of the newest round in the order of their ends; `missing` of them bring no
    slip. `estimate`: when the next round can be paired, None when nobody can say. `judges` id to
    name. `free`: open tables per judge name are what the floor reads off `tables`."""

    event: EventRow
    number: int
    clock: ClockView | None
    tables: tuple[OpenTable, ...]
    missing: tuple[OpenTable, ...]
    estimate: Estimate | None
    judges: dict[str, str]
    late_after_s: int


def floor_of(viewer: Actor, event_id: str) -> FloorView:
    """Return the floor of an event: twelve queries at most, whatever its size. Raises
    NotAllowed."""
    event = readable(viewer, event_id, "tournaments.event_read")
    require(viewer, READ, _subject(event_id))
    rows = list(
        MatchRow.objects.filter(event_id=event_id, round=event.round, winner="").exclude(
            state="draft"
        )
    )
    held = RoundRow.objects.filter(event_id=event_id, number=event.round, published=True).first()
    now = clock.as_text(clock.now())
    away = spans_of(event_id)
    known = held is not None and held.clock_seconds is not None
    running = (
        RoundClock(held.clock_seconds or 0, held.clock_ends_at, held.clock_left_s)
        if known and held is not None
        else None
    )
    ids = [row.pk for row in rows]
    calls = {one.match_id: one for one in CallRow.objects.filter(match_id__in=ids, open=True)}
    judges = judges_of(event_id)
    assigned = dict(TableJudgeRow.objects.filter(match_id__in=ids).values_list("match_id", "judge"))
    gone = {one for one in assigned.values() if one not in judges}
    judge_names = judges | (names(gone) if gone else {})
    named = sides(EntrantRow.objects.filter(pk__in={e for row in rows for e in (row.p1, row.p2)}))
    rules = (
        rulesets.ruleset(event.ruleset)
        if event.ruleset
        else rulesets.usual(event.game, event.match_rules)
    )
    tables = []
    for row in rows:
        time = None if running is None else table_time(running, row.extension_s, now)
        call = calls.get(row.pk)
        judge = assigned.get(row.pk, "")
        tables.append(
            OpenTable(
                line(row, named, True),
                time,
                _state(row, time, call is not None, rules.slip.late_after_s),
                judge,
                judge_names.get(judge, ""),
                call.call_id if call is not None else "",
                (call.claimed_at or call.raised_at) if call is not None else "",
                call is not None and left_open(call, now, away),
                f"{row.end['ruleset']}@{row.end['version']}" if row.end else "",
                any(viewer.person_id in side for side in row.persons),
            )
        )
    # a paused clock has no ends, but the order of what is left is the same
    tables.sort(key=lambda one: (one.time.left_s if one.time else 0, one.line.table))
    ends = [one.end for one in tables]
    return FloorView(
        event,
        event.round,
        clock_in(held) if held is not None else None,
        tuple(tables),
        tuple(one for one in tables if one.state in (MISSING, DUE, OVER)),
        predict(now, ends, _delays(event_id)) if running is not None else None,
        judges,
        rules.slip.late_after_s,
    )


def ends_of(viewer: Actor, event_id: str) -> dict[str, TableTime]:
    """Return the time of each open table of the newest round by match id, empty without a clock:
    three queries. Raises NotAllowed."""
    event = readable(viewer, event_id, "tournaments.event_read")
    require(viewer, READ, _subject(event_id))
    held = RoundRow.objects.filter(event_id=event_id, number=event.round, published=True).first()
    if held is None or held.clock_seconds is None:
        return {}
    running = RoundClock(held.clock_seconds, held.clock_ends_at, held.clock_left_s)
    now = clock.as_text(clock.now())
    rows = MatchRow.objects.filter(event_id=event_id, round=event.round, winner="")
    return {
        key: table_time(running, extension_s, now)
        for key, extension_s in rows.values_list("pk", "extension_s")
    }


def _state(row: MatchRow, time: TableTime | None, call_open: bool, late_after_s: int) -> str:
    if call_open:
        return CALL
    if row.end:
        return OVER if row.end["done_at"] else ENDING
    if time is None or not time.over:
        return PLAYING
    return MISSING if -time.left_s >= late_after_s else DUE


def _delays(event_id: str) -> list[int]:
    """Seconds from the own end of a table to its result, of all tables whose end came first: two
    queries."""
    clocks = RoundRow.objects.filter(event_id=event_id, published=True).exclude(clock_ends_at="")
    ends = dict(clocks.values_list("number", "clock_ends_at"))
    rows = MatchRow.objects.filter(
        event_id=event_id, round__in=list(ends), reason__in=["played", "time"]
    ).values_list("round", "extension_s", "decided_at")
    found = (
        (moment(at) - moment(ends[number])).total_seconds() - extension
        for number, extension, at in rows
        if at
    )
    return [int(one) for one in found if one > 0]
