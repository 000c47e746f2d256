"""What commands at one table read of the event: cheap, so that an entry costs the same in an
event of ten thousand players."""

from __future__ import annotations

from typing import Any

from django.db.models import Subquery

from eventstore import clock as house
from eventstore.ahead import ahead
from eventstore.commands import Unit
from eventstore.domain.refusal import Refusal, Refused
from eventstore.domain.registry import DomainEvent
from eventstore.ids import is_id, new_id
from eventstore.prepared import Bound, prepared
from people.access import NotAllowed, require
from people.domain.permissions import Subject, Verdict
from tournaments import holds, rulesets
from tournaments.domain import floor_events as floor
from tournaments.domain import losses
from tournaments.domain.away import overlap_s
from tournaments.domain.event import DRAFT
from tournaments.domain.match import Match
from tournaments.domain.results import Result
from tournaments.domain.round_clock import RoundClock, moment
from tournaments.domain.ruleset import Ruleset
from tournaments.domain.table_time import TableTime, table_time
from tournaments.models import EventRow, LossRow, MatchRow, RoundRow
from tournaments.selectors.outages import spans_of
from tournaments.services.loading import load_event


def event_for(unit: Unit, event_id: str, action: str) -> EventRow:
    """Return the row of an event for an action on it: one query. Raises NotAllowed, hidden for
    an event that does not exist."""
    row = EventRow.objects.filter(pk=event_id).first() if is_id(event_id) else None
    if row is None:
        raise NotAllowed(action, Verdict.HIDDEN)
    require(unit.actor, action, Subject(event_id, public=row.status != DRAFT))
    return row


def ruleset_of(row: EventRow) -> Ruleset:
    """Return the ruleset of the event: the one chosen, else the usual one of its game."""
    if row.ruleset:
        return rulesets.ruleset(row.ruleset)
    return rulesets.usual(row.game, row.match_rules)


@prepared
def _clocks(match_id: Any) -> Any:
    match = MatchRow.objects.filter(pk=match_id).order_by()
    event_id, number = (Subquery(match.values(name)) for name in ("event_id", "round"))
    rows = RoundRow.objects.filter(event_id=event_id, number=number).order_by()
    return rows.values_list("clock_seconds", "clock_ends_at", "clock_left_s")


@ahead("tournaments.result_claim")
@ahead("tournaments.result_enter")
def _of_match(*, match_id: str, **_: Any) -> list[Bound]:
    return [_clocks.bind(match_id)] if is_id(match_id) else []


def time_of(match: Match, now: str) -> TableTime | None:
    """Return the time of a table at `now`, None where its round has no clock: one query."""
    row = next(iter(_clocks(match.match_id)), None)
    if row is None or row[0] is None:
        return None
    return table_time(RoundClock(row[0], row[1], row[2]), match.extension_s, now)


def late_loss(unit: Unit, match: Match, result: Result, time: TableTime | None) -> bool:
    """Let the loss for a late slip wait for the next match when this result comes late by `time`,
    the time of the table now (`time_of`); say whether it did. Nobody is late while a judge's call
    is open at the table: queries only for who is late."""
    now = house.as_text(unit.now)
    if time is None or not time.over or not time.ends_at:
        return False
    policy = ruleset_of(EventRow.objects.get(pk=match.event_id)).slip
    spans = spans_of(match.event_id)  # no slip could be handed in while the server was away
    done = None
    if match.end is not None and match.end.done_at:
        done = int((unit.now - moment(match.end.done_at)).total_seconds())
        done -= overlap_s(spans, match.end.done_at, now)
    if not losses.late(
        over_s=-time.left_s - overlap_s(spans, time.ends_at, now),
        end_done_s=done,
        end_running=match.end is not None and not match.end.done_at,
        policy=policy,
    ) or holds.holds([match.match_id]):
        return False
    made = losses.for_late_slip(match, result, policy=policy, ids=[new_id(), new_id()], now=now)
    if made:
        event = load_event(unit, match.event_id, "tournaments.event_read")
        unit.append(event.stream, event.version, made)
    return bool(made)


def losses_follow(unit: Unit, match: Match, result: Result) -> None:
    """Let a loss for a late slip follow the result when staff put another in its place: whoever
    should have brought the slip is the winner that stands now. One query where nothing waits."""
    if not LossRow.objects.filter(match_id=match.match_id, state="pending").exists():
        return
    event = load_event(unit, match.event_id, "tournaments.event_read")
    policy = ruleset_of(EventRow.objects.get(pk=match.event_id)).slip
    now = house.as_text(unit.now)
    ids = [new_id(), new_id()]
    made: list[DomainEvent] = [
        floor.LossTakenBack(match.event_id, one.loss_id, None)
        for one in losses.of_match(event.state, match.match_id)
    ]
    made += losses.for_late_slip(match, result, policy=policy, ids=ids, now=now)
    unit.append(event.stream, event.version, made)


def refuse_held(match: Match) -> None:
    """Refuse while a judge's call holds the table open: raises Refused
    (`tournaments.table_held{table, forgotten}`)."""
    held = holds.holds([match.match_id]).get(match.match_id)
    if held is not None:
        raise Refused(
            Refusal("tournaments.table_held", {"table": match.table, "forgotten": held.forgotten})
        )
