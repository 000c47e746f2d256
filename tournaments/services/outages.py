"""Commands about a server that was away: noticing it, and what the desk gives for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import structlog

from eventstore import clock as house
from eventstore.commands import Context, Unit, accept, command
from eventstore.domain.absence import Absence
from eventstore.domain.refusal import Refusal, Refused
from eventstore.ids import is_id, new_id
from people.domain.actor import SYSTEM
from tournaments import holds
from tournaments.domain import outage
from tournaments.domain.event import UNDER_WAY
from tournaments.models import EventRow, MatchRow, WaitingRow
from tournaments.services.loading import load_event
from tournaments.services.slips import time_extend

ACTION = "tournaments.clock_run"


@command("tournaments.outage_notice")
def outage_notice(
    unit: Unit, *, event_id: str, since: str, until: str, seconds: int | None, copy: bool
) -> str:
    """Note that the server was away; return the id of the outage, empty where that is known or of
    no matter to the event. By the house itself. Raises NotAllowed, Refused."""
    loaded = load_event(unit, event_id, ACTION)
    tables = MatchRow.objects.filter(event_id=event_id, round=loaded.state.current).exclude(
        state="draft"
    )
    winners = dict(tables.values_list("pk", "winner"))
    decided = [key for key, winner in winners.items() if winner]
    # a table with a result where a judge's call is open is not done either
    still_open = len(winners) - len(decided) + len(holds.holds(decided))
    made = accept(
        outage.notice(
            loaded.state,
            outage.Away(since, until, seconds, copy),
            outage_id=new_id(),
            open_tables=still_open,
        )
    )
    if not made:
        return ""
    unit.append(loaded.stream, loaded.version, made)
    return str(getattr(made[0], "outage", ""))


def notice_all(away: Absence) -> None:
    """Note an absence of the server in every event that it may matter to: those under way, and
    those that keep a seat for somebody."""
    offered = WaitingRow.objects.filter(state="offered").values_list("event_id", flat=True)
    running = EventRow.objects.filter(status__in=UNDER_WAY).values_list("pk", flat=True)
    for event_id in sorted({*running, *offered}):
        try:
            outage_notice(
                Context(SYSTEM, "system"),
                event_id=event_id,
                since=away.since,
                until=away.until,
                seconds=away.seconds,
                copy=away.copy,
            )
        except Refused as fault:  # one event must not keep the others, nor the next sign of life
            structlog.get_logger("heartbeat").warning("not noted", event=event_id, why=str(fault))


def _house(unit: Unit) -> Unit:
    """The same command, carried out by the house: a desk that plays has its own table counted in
    with all the others, as with time for all."""
    return Unit(replace(unit.context, actor=SYSTEM, source="system"))


def _open_there(event_id: str, number: int, tables: Sequence[str]) -> list[str]:
    """Return the matches named, once each; raises Refused (`tournaments.outage_tables`) for one
    that is not an open table of the round."""
    wanted = list(dict.fromkeys(tables))
    rows = MatchRow.objects.filter(
        pk__in=[one for one in wanted if is_id(one)], event_id=event_id, round=number, winner=""
    ).exclude(state="draft")
    found = set(rows.values_list("pk", flat=True))
    strange = [one for one in wanted if one not in found]
    if strange:
        raise Refused(Refusal("tournaments.outage_tables", {"found": strange[0][:40]}))
    return wanted


@command("tournaments.outage_settle")
def outage_settle(
    unit: Unit,
    *,
    event_id: str,
    outage_id: str,
    given_s: int,
    length_s: int | None = None,
    tables: Sequence[str] = (),
) -> int:
    """Give `given_s` seconds for an outage to all tables of the round, or to the matches `tables`;
    0: nothing. `length_s` states the length where the server's clock cannot say. Return the
    seconds by which the clock of the round moved.

    Raises Refused (`tournaments.outage_unknown`, `outage_past`, `outage_settled`, `outage_length`,
    `outage_time`, `outage_tables`, `clock_not_started`, `extension_range`), NotAllowed.
    """
    loaded = load_event(unit, event_id, ACTION, stands=True)
    made = accept(
        outage.settle(
            loaded.state,
            outage_id=outage_id,
            given_s=given_s,
            length_s=length_s,
            tables=list(tables),
            now=house.as_text(unit.now),
        )
    )
    if given_s:
        for match_id in _open_there(event_id, loaded.state.current, tables):
            time_extend(
                _house(unit), match_id=match_id, seconds=given_s, source=f"outage:{outage_id}"
            )
    unit.append(loaded.stream, loaded.version, made)
    return int(getattr(made[0], "by_s", 0))


@command("tournaments.outage_reopen")
def outage_reopen(unit: Unit, *, event_id: str, outage_id: str) -> int:
    """Take back what was given for an outage; return the seconds by which the clock of the round
    moved. Raises Refused (`tournaments.outage_unknown`, `outage_past`, `outage_waits`),
    NotAllowed."""
    loaded = load_event(unit, event_id, ACTION, stands=True)
    made = accept(outage.reopen(loaded.state, outage_id=outage_id, now=house.as_text(unit.now)))
    held = next(one for one in loaded.state.outages if one.outage_id == outage_id)
    settled = held.settled
    for match_id in settled.tables if settled is not None else ():
        time_extend(_house(unit), match_id=match_id, seconds=0, source=f"outage:{outage_id}")
    unit.append(loaded.stream, loaded.version, made)
    return -settled.by_s if settled is not None else 0
