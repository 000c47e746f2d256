"""The projector of the tables of round_models."""

from __future__ import annotations

from typing import Any

import msgspec

from eventstore.domain.envelope import Recorded
from eventstore.projections import Projection
from tournaments import events as ev
from tournaments.domain import round_events as more
from tournaments.domain.results import GAME_LOSS
from tournaments.round_models import AbsenceRow, DrawRow, RuleRow, UndoneRow

day = Projection("tournaments.day", [RuleRow, DrawRow, AbsenceRow, UndoneRow])


def _rule(event_id: str) -> RuleRow:
    return RuleRow.objects.filter(pk=event_id).first() or RuleRow(event_id=event_id)


@day.on(more.PolicyFixed)
def policy_fixed(event: more.PolicyFixed, recorded: Recorded) -> None:
    row = _rule(event.event_id)
    for name, value in msgspec.to_builtins(event.policy).items():
        setattr(row, name, value)
    row.hash = event.hash
    row.save()


@day.on(ev.EventStarted)
def event_started(event: ev.EventStarted, recorded: Recorded) -> None:
    row = _rule(event.event_id)
    row.policy, row.players = event.table, event.players
    row.advised_rounds, row.advised_cut = event.recommended
    row.save()


@day.on(more.FieldGrown)
def field_grown(event: more.FieldGrown, recorded: Recorded) -> None:
    row = _rule(event.event_id)
    row.players = event.players
    row.advised_rounds, row.advised_cut = event.advised
    values = msgspec.to_builtins(event)
    row.grown.append({"at": recorded.recorded_at} | {
        name: values[name]
        for name in ("players", "advised_before", "advised", "cut_before", "cut")
    })  # fmt: skip
    row.save()


@day.on(more.SeatDeclined)
def seat_declined(event: more.SeatDeclined, recorded: Recorded) -> None:
    row = _rule(event.event_id)
    row.declined.append(event.entrant_id)
    row.save()


@day.on(more.SeatTaken)
def seat_taken(event: more.SeatTaken, recorded: Recorded) -> None:
    row = _rule(event.event_id)
    row.declined = [one for one in row.declined if one != event.entrant_id]
    row.save()


@day.on(ev.RoundPaired)
def round_paired(event: ev.RoundPaired, recorded: Recorded) -> None:
    key = f"{event.event_id}:{event.round}"
    row = DrawRow.objects.filter(pk=key).first() or DrawRow(
        key=key, event_id=event.event_id, number=event.round
    )
    row.was_pairs, row.was_byes, row.was_published = row.pairs, row.byes, bool(row.published_at)
    row.pairs = [[pair.table, pair.p1, pair.p2] for pair in event.pairs]
    row.byes = list(event.byes)
    row.draws += 1
    row.published_at = row.clock_at = ""
    row.save()


def _draw(event: Any, **values: Any) -> None:
    DrawRow.objects.filter(pk=f"{event.event_id}:{event.round}").update(**values)


@day.on(ev.RoundPublished)
def round_published(event: ev.RoundPublished, recorded: Recorded) -> None:
    _draw(event, published_at=recorded.recorded_at)


@day.on(ev.ClockStarted)
def clock_started(event: ev.ClockStarted, recorded: Recorded) -> None:
    _draw(event, clock_at=event.at)


@day.on(ev.RoundWithdrawn)
def round_withdrawn(event: ev.RoundWithdrawn, recorded: Recorded) -> None:
    AbsenceRow.objects.filter(event_id=event.event_id, round=event.round).delete()


def _seat(event: Any) -> str:
    return f"{event.match_id}:{event.seat}"


@day.on(more.PlayerMissed)
def player_missed(event: more.PlayerMissed, recorded: Recorded) -> None:
    row = AbsenceRow(
        key=_seat(event),
        event_id=event.event_id,
        match_id=event.match_id,
        round=event.round,
        seat=event.seat,
        at=event.at,
    )
    AbsenceRow.objects.bulk_create([row])


@day.on(more.PlayerArrived)
def player_arrived(event: more.PlayerArrived, recorded: Recorded) -> None:
    AbsenceRow.objects.filter(pk=_seat(event)).delete()


@day.on(more.TardinessConfirmed)
def tardiness_confirmed(event: more.TardinessConfirmed, recorded: Recorded) -> None:
    name = "game_loss" if event.kind == GAME_LOSS else "match_loss"
    AbsenceRow.objects.filter(pk=_seat(event)).update(**{name: True})


def _undone(event_id: str, kind: str, recorded: Recorded, **values: Any) -> None:
    row = UndoneRow(
        position=recorded.position,
        event_id=event_id,
        kind=kind,
        by=recorded.meta.actor,
        at=recorded.recorded_at,
        **values,
    )
    UndoneRow.objects.bulk_create([row])


@day.on(ev.MatchCorrected)
def match_corrected(event: ev.MatchCorrected, recorded: Recorded) -> None:
    _undone(
        event.event_id,
        "result",
        recorded,
        round=event.round,
        match_id=event.match_id,
        was=event.was,
        now=event.winner,
        note=event.note or "",
    )


@day.on(more.UndoingExplained)
def undoing_explained(event: more.UndoingExplained, recorded: Recorded) -> None:
    _undone(event.event_id, event.subject, recorded, round=event.round, note=event.note)


@day.on(more.EventReopened)
def event_reopened(event: more.EventReopened, recorded: Recorded) -> None:
    RuleRow.objects.filter(pk=event.event_id).update(shortened=False)
    _undone(event.event_id, "reopened", recorded, note=event.note)


@day.on(more.EventShortened)
def event_shortened(event: more.EventShortened, recorded: Recorded) -> None:
    RuleRow.objects.filter(pk=event.event_id).update(shortened=True)
    _undone(event.event_id, "shortened", recorded, round=event.after_round, note=event.note)
