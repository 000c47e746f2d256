"""What a restored database may lack, in words for the organiser: one screen of a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from eventstore import clock
from eventstore.backups.restoring import Restored
from judging.models import CallRow
from people.vault import unreadable_keys
from tournaments.domain.event import CUT, RUNNING
from tournaments.models import EventRow, MatchRow

SHOWN = 60


def _at(text: str, zone: str) -> str:
    """Write a moment in the zone of an event, with the day when it is not today."""
    try:
        place = ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError):
        place = ZoneInfo("UTC")
    moment = clock.from_text(text).astimezone(place)
    today: datetime = clock.now().astimezone(place)
    return moment.strftime("%H:%M:%S" if moment.date() == today.date() else "%Y-%m-%d %H:%M:%S")


def numbers(found: Sequence[int]) -> str:
    """Write numbers of tables in order, runs put together: 1-4, 7."""
    runs: list[list[int]] = []
    for one in sorted(set(found)):
        if runs and one == runs[-1][-1] + 1:
            runs[-1].append(one)
        else:
            runs.append([one])
    said = [str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs]
    return ", ".join(said[:SHOWN]) + (" ..." if len(said) > SHOWN else "")


def lines(restored: Restored) -> list[str]:
    """Return the report of a restore, read from the restored database."""
    manifest = restored.manifest
    said = [
        f"Restored {restored.events} events from {manifest.file} in {restored.seconds:.0f} s.",
        "The log verifies; erased persons stay erased.",
    ]
    said += [f"Not used: {name} ({fault})" for name, fault in restored.skipped]
    if restored.other_logs:
        said.append("The folder also holds copies of another log; name a file to take one of them.")
    if restored.rebuilt:
        said.append(f"Made anew from the log: {', '.join(restored.rebuilt)}.")
    if restored.kept:
        said.append(f"The old state lies in {restored.kept}")
    said += _keys(restored)
    running = EventRow.objects.filter(status__in=(RUNNING, CUT)).order_by("created_at")
    for event in running:
        said += ["", *_event(event, manifest.last_at or manifest.made_at)]
    if not running and manifest.last_at:
        said.append(f"No event is running. Nothing after {_at(manifest.last_at, 'UTC')} UTC.")
    return said


def _keys(restored: Restored) -> list[str]:
    said: list[str] = []
    if not restored.vouched:
        said.append(
            "No key of this machine vouches for the copy. Compare with the one you wrote down: "
            + restored.manifest.keys[0]
        )
    if restored.new_key:
        said.append("Checkpoints are signed by this machine's own key from here on.")
    closed = unreadable_keys()
    if closed:
        said.append(
            f"Free texts of {closed} persons cannot be read here, nor second factors be checked:"
            " manage.py keys_import FILE brings the keys. What is written from now on is readable."
        )
    said.append("Everybody signs in again; phones scan their code again.")
    return said


def _event(event: EventRow, last_at: str) -> list[str]:
    at = _at(last_at, event.zone)
    tables = MatchRow.objects.filter(event_id=event.pk, round=event.round, winner="").exclude(
        state="draft"
    )
    calls = CallRow.objects.filter(event_id=event.pk, open=True).order_by("raised_at")
    said = [f"{event.name}: nothing after {at} ({event.zone}), check slips."]
    waiting = list(tables.values_list("table", flat=True))
    if waiting:
        said.append(f"  Round {event.round}, tables without a result: {numbers(waiting)}")
    elif event.round:
        said.append(f"  Round {event.round}: every table has a result.")
    if calls:
        raised = ", ".join(
            f"{'table ' + str(one.table) if one.table else 'no table'}"
            f" since {_at(one.raised_at, event.zone)}"
            for one in calls[:SHOWN]
        )
        said.append(f"  Open calls: {raised}")
    else:
        said.append("  No open call.")
    return said
