"""Commands of the desk on slips: enter, take back, settle two that differ, give what is missing."""

from __future__ import annotations

import msgspec

from eventstore import clock as house
from eventstore.commands import Unit, accept, command
from eventstore.domain.envelope import fold
from eventstore.domain.refusal import Refusal, Refused
from eventstore.store import StreamWrite
from tournaments.domain import conflicts, losses, reporting, results, scores
from tournaments.domain import floor_events as floor
from tournaments.domain import slip as slips
from tournaments.domain.event import CUT, DISQUALIFIED, DROPPED, RUNNING
from tournaments.domain.hall.slips import plain_line
from tournaments.domain.match import Match, evolve
from tournaments.domain.play import over
from tournaments.domain.table_time import extend
from tournaments.models import EntrantRow, EventRow, MatchRow
from tournaments.services.entrants import entrant_drop, entrant_reinstate
from tournaments.services.loading import (
    load_event,
    load_match,
    load_played,
    refuse_cancelled,
    refuse_own,
    sealed,
)
from tournaments.services.tables import (
    event_for,
    late_loss,
    losses_follow,
    refuse_held,
    ruleset_of,
    time_of,
)
from tournaments.services.undoing import corrected_result

ENTERED, SAME, CONFLICT = "entered", "same", "conflict"
GOES_ON = (RUNNING, CUT)
"""States of an event in which its newest round is on; after it a result is corrected."""


class Entered(msgspec.Struct, frozen=True):
    """What became of a slip: `word` entered, same (nothing new) or conflict (another result
    stands). `drops` are the seats that left the event by it; `late`: a loss waits for it."""

    word: str
    match_id: str
    table: int
    drops: list[str]
    late: bool = False


def _at_table(event_id: str, number: int, table: int) -> str:
    found = (
        MatchRow.objects.filter(event_id=event_id, round=number, table=table)
        .exclude(state="draft")
        .values_list("pk", flat=True)
        .first()
    )
    if found is None:
        raise Refused(Refusal("tournaments.table_unknown", {"found": table, "round": number}))
    return str(found)


def _is_out(entrant_id: str) -> bool:
    return EntrantRow.objects.filter(pk=entrant_id, status__in=[DROPPED, DISQUALIFIED]).exists()


def _drop(unit: Unit, match: Match, drops: tuple[str, ...]) -> list[str]:
    """Take out who the slip says leaves; who is out already stays out."""
    gone = []
    for seat in drops:
        entrant_id = match.entrants[scores.SEATS.index(seat)]
        if _is_out(entrant_id):
            continue
        entrant_drop(unit, event_id=match.event_id, entrant_id=entrant_id)
        gone.append(seat)
    return gone


@command("tournaments.slip_enter")
def slip_enter(unit: Unit, *, event_id: str, number: int, line: str) -> Entered:
    """Enter the line of a slip (domain.slip) for a table of round `number`, drops with it. The
    code that a scanner reads from the slip stands for its table.

    A table that has a result keeps it: the same again changes nothing, another one waits beside
    it for staff, drops too. Nothing is lost because somebody was quicker.

    Raises Refused (`tournaments.line_unreadable`, `tournaments.table_unknown`,
    `tournaments.time_not_over`, `tournaments.match_decided` for a round that is over, the codes
    of `results.judge`), NotAllowed.
    """
    event = event_for(unit, event_id, "tournaments.desk_use")
    read = slips.read(plain_line(event_id, number, line))
    if isinstance(read, Refusal):
        raise Refused(read)
    loaded = load_played(unit, _at_table(event_id, number, read.table), "tournaments.result_enter")
    match = loaded.state
    now = house.as_text(unit.now)
    time = time_of(match, now)
    result = slips.settle(
        read,
        match.form,
        cut=match.in_cut,
        # who contests a result says what the slip says, whatever was scored before
        played=match.results if match.result is None else (),
        time_over=None if time is None else time.over,
    )
    if isinstance(result, Refusal):
        raise Refused(result)
    if match.result is not None and (number != event.round or event.status not in GOES_ON):
        closed = over(match)
        if closed is not None:
            raise Refused(closed)
    first = match.result is None
    made = conflicts.slip(match, result=result, drops=read.drops, line=" ".join(line.split()))
    if match.result is not None and conflicts.same(match.result, result):
        # the slip of a result that is in: who leaves by it leaves
        gone = _drop(unit, match, read.drops)
        return Entered(SAME, match.match_id, match.table, gone)
    if not made:
        return Entered(CONFLICT, match.match_id, match.table, [])
    unit.append(loaded.stream, loaded.version, made)
    if not first:
        return Entered(CONFLICT, match.match_id, match.table, [])
    late = late_loss(unit, match, result, time)
    gone = _drop(unit, match, read.drops)
    against = any(isinstance(one, floor.ResultContested) for one in made)
    return Entered(CONFLICT if against else ENTERED, match.match_id, match.table, gone, late)


@command("tournaments.result_take_back")
def result_take_back(unit: Unit, *, match_id: str) -> None:
    """Take back a result that staff entered in the round that is on: the table is open again, who
    left with the slip is in again, a loss for its being late is gone.

    Raises Refused (the codes of `conflicts.take_back`), NotAllowed.
    """
    loaded = load_played(unit, match_id, "tournaments.result_enter")
    match = loaded.state
    event = load_event(unit, match.event_id, "tournaments.desk_use")
    newest = event.state.current == match.round and event.state.status in GOES_ON
    made = accept(conflicts.take_back(match, newest=newest))
    unit.append(loaded.stream, loaded.version, made)
    waiting = losses.of_match(event.state, match_id)
    if waiting:
        # what a judge ruled at this table stands, whoever takes its result back
        kind = ruleset_of(EventRow.objects.get(pk=match.event_id)).slip.infraction_kind
        waiting = [one for one in waiting if one.infraction_kind == kind]
    if waiting:
        gone = [floor.LossTakenBack(match.event_id, one.loss_id, None) for one in waiting]
        unit.append(event.stream, event.version, gone)
    for seat in match.slip_drops:
        entrant_id = match.entrants[scores.SEATS.index(seat)]
        if event.state.entrants[entrant_id].status == DROPPED:
            entrant_reinstate(unit, event_id=match.event_id, entrant_id=entrant_id)


@command("tournaments.conflict_settle")
def conflict_settle(
    unit: Unit,
    *,
    match_id: str,
    choice: int | None = None,
    drops: list[str] | None = None,
    note: str = "",
) -> None:
    """Choose between the result of a table and what was said against it: None keeps it, a number
    takes that contest in its place, for which a reason is needed. `drops` are the seats that
    leave the event with it (P1, P2).

    Raises Refused (the codes of `conflicts.settle`, `tournaments.cut_moved_on`,
    `tournaments.seat_unknown`), NotAllowed.
    """
    loaded = load_played(unit, match_id, "tournaments.result_enter")
    match = loaded.state
    leaving = tuple(sorted(set(drops or ())))
    if any(seat not in scores.SEATS for seat in leaving):
        raise Refused(
            Refusal("tournaments.seat_unknown", {"found": list(leaving), "allowed": ["P1", "P2"]})
        )
    made = accept(conflicts.settle(match, choice=choice, note=sealed(unit, note)))
    corrected_result(unit, match, made)
    unit.append(loaded.stream, loaded.version, made)
    after = fold(match, evolve, made).result
    if choice is not None and after is not None:
        losses_follow(unit, match, after)
    _drop(unit, match, leaving)


@command("tournaments.slip_missing_apply")
def slip_missing_apply(unit: Unit, *, match_id: str, note: str = "") -> None:
    """Give a table that never brought a result what the ruleset of the event says.

    Raises Refused (`tournaments.time_not_over` before the table's own end and the time the
    ruleset leaves for slips are over, `tournaments.clock_not_started` without a clock,
    `tournaments.table_held`, `tournaments.match_decided`), NotAllowed.
    """
    loaded = load_played(unit, match_id, "tournaments.result_enter")
    match = loaded.state
    event = event_for(unit, match.event_id, "tournaments.desk_use")
    closed = over(match)
    if closed is not None:
        raise Refused(closed)
    refuse_held(match)
    rules = ruleset_of(event)
    time = time_of(match, house.as_text(unit.now))
    if time is None:
        raise Refused(Refusal("tournaments.clock_not_started", {"round": match.round}))
    if -time.left_s < rules.slip.late_after_s:
        wait = rules.slip.late_after_s + time.left_s
        raise Refused(Refusal("tournaments.slip_not_due", {"table": match.table, "seconds": wait}))
    result = results.judge(
        match.form,
        cut=match.in_cut,
        played=match.results,
        score=None if rules.slip.missing == scores.DOUBLE_LOSS else scores.score(match.results),
        reason=results.DOUBLE_LOSS if rules.slip.missing == scores.DOUBLE_LOSS else results.TIME,
        winner=None,
    )
    if isinstance(result, Refusal):
        raise Refused(result)
    missing = floor.SlipMissing(
        match_id, match.event_id, match.round, rules.id, rules.version, sealed(unit, note)
    )
    entered = accept(reporting.enter(match, score=result.score, reason=result.reason, winner=None))
    unit.append_all([StreamWrite(loaded.stream, loaded.version, [missing, *entered])])


@command("tournaments.time_extend")
def time_extend(
    unit: Unit, *, match_id: str, seconds: int, source: str | None = None, note: str = ""
) -> int:
    """Give one table more time; return the seconds it has beyond the round now.

    `source` None: by hand, added to what it has, and not in a cancelled event; else the one source
    whose value this replaces (a call that closed). Raises Refused (`tournaments.extension_range`,
    `tournaments.own_match`, `tournaments.wrong_state`), NotAllowed.
    """
    loaded = load_match(unit, match_id, "tournaments.time_extend")
    if source is None:
        refuse_cancelled(loaded.state.event_id)
    refuse_own(unit, loaded.state)
    named = source or f"hand:{unit.context.command_id}"
    made = accept(extend(loaded.state, source=named, seconds=seconds, note=sealed(unit, note)))
    if made:
        unit.append(loaded.stream, loaded.version, made)
    return sum({**loaded.state.extensions, named: seconds}.values())


@command("tournaments.loss_give")
def loss_give(
    unit: Unit,
    *,
    match_id: str,
    loss_id: str,
    entrant_id: str,
    kind: str,
    infraction: str,
    infraction_kind: str,
) -> None:
    """Let a game_loss or match_loss wait for the next match of an entrant of this one; it falls
    when that is published. Raises Refused (`tournaments.penalty_unknown`,
    `tournaments.not_in_match`, `tournaments.loss_given`), NotAllowed."""
    match = load_match(unit, match_id, "tournaments.penalty_apply").state
    event = load_event(unit, match.event_id, "tournaments.penalty_apply", stands=True)
    if kind not in (results.GAME_LOSS, results.MATCH_LOSS):
        allowed = [results.GAME_LOSS, results.MATCH_LOSS]
        raise Refused(Refusal("tournaments.penalty_unknown", {"found": kind, "allowed": allowed}))
    if match.seat_of(entrant_id) is None:
        raise Refused(Refusal("tournaments.not_in_match", {"entrant": entrant_id}))
    if loss_id in event.state.losses:
        raise Refused(Refusal("tournaments.loss_given", {"found": loss_id}))
    waits = floor.LossPending(
        match.event_id,
        loss_id,
        entrant_id,
        kind,
        infraction,
        infraction_kind,
        match.match_id,
        match.round,
        house.as_text(unit.now),
    )
    unit.append(event.stream, event.version, [waits])


@command("tournaments.loss_take_back")
def loss_take_back(unit: Unit, *, event_id: str, loss_id: str, note: str = "") -> None:
    """Take a loss back that waits for a next match. Raises Refused (`tournaments.loss_unknown`,
    `tournaments.loss_over`, `tournaments.reason_missing`), NotAllowed."""
    loaded = load_event(unit, event_id, "tournaments.penalty_apply", stands=True)
    made = accept(losses.take_back(loaded.state, loss_id=loss_id, note=sealed(unit, note)))
    unit.append(loaded.stream, loaded.version, made)
