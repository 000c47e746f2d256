"""The projector of what is said about results, and of losses that wait."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eventstore.ahead import ahead
from eventstore.domain.envelope import Recorded
from eventstore.ids import is_id
from eventstore.prepared import Bound, PreparedInsert, prepared
from eventstore.projections import Projection
from tournaments import events as ev
from tournaments.domain import floor_events as floor
from tournaments.models import EntryRow, LossRow

entries = Projection("tournaments.floor", [EntryRow, LossRow])

PENDING, CARRIED_OUT, TAKEN_BACK = "pending", "carried_out", "taken_back"


_add = PreparedInsert(EntryRow)


@prepared
def _slips(match_id: Any) -> Any:
    """The newest slip of a match that no result followed in its command."""
    rows = EntryRow.objects.filter(match_id=match_id, kind="slip")
    return rows.order_by("-position")[:1]


@ahead("tournaments.result_claim")
@ahead("tournaments.result_enter")
def _of_match(*, match_id: str, **_: Any) -> list[Bound]:
    return [_slips.bind(match_id)] if is_id(match_id) else []


def _entry(
    event: Any,
    recorded: Recorded,
    kind: str,
    *,
    winner: str = "",
    score: Sequence[int] = (),
    reason: str = "",
    drops: Sequence[str] = (),
    player: bool = False,
) -> None:
    slip = next(iter(_slips(event.match_id)), None)
    if slip is not None and slip.command != recorded.meta.command:
        slip = None
    values: dict[str, Any] = {
        "position": recorded.position,
        "event_id": event.event_id,
        "round": event.round,
        "match_id": event.match_id,
        "kind": kind,
        # what a phone said is held against a slip by whoever enters it: it stays the player's
        "author": "" if player else recorded.meta.actor,
        "source": "player" if player else recorded.meta.source,
        "at": recorded.recorded_at,
        "winner": winner,
        "score": list(score),
        "reason": reason,
        "drops": list(drops),
        "command": recorded.meta.command,
    }
    if slip is not None:
        # the slip says what was typed, the event after it what it came to: one line of both
        values |= {"line": slip.line, "drops": slip.drops}
        slip.delete()
    _add(EntryRow(**values))


@entries.on(floor.SlipEntered)
def slip_entered(event: floor.SlipEntered, recorded: Recorded) -> None:
    _entry(event, recorded, "slip", drops=event.drops)
    EntryRow.objects.filter(pk=recorded.position).update(line=event.line)


@entries.on(ev.MatchDecided)
def match_decided(event: ev.MatchDecided, recorded: Recorded) -> None:
    _entry(
        event,
        recorded,
        "decided",
        winner=event.winner,
        score=event.score,
        reason=event.reason,
    )


@entries.on(ev.MatchCorrected)
def match_corrected(event: ev.MatchCorrected, recorded: Recorded) -> None:
    _entry(
        event,
        recorded,
        "corrected",
        winner=event.winner,
        score=event.score,
        reason=event.reason,
    )


@entries.on(floor.ResultContested)
def result_contested(event: floor.ResultContested, recorded: Recorded) -> None:
    _entry(
        event,
        recorded,
        "contested",
        winner=event.winner,
        score=event.score,
        reason=event.reason,
        drops=event.drops,
        player=bool(event.seat),
    )


@entries.on(floor.ConflictSettled)
def conflict_settled(event: floor.ConflictSettled, recorded: Recorded) -> None:
    if event.kept:
        _entry(event, recorded, "kept")


@entries.on(floor.ResultTakenBack)
def result_taken_back(event: floor.ResultTakenBack, recorded: Recorded) -> None:
    _entry(event, recorded, "taken_back", drops=event.drops)


@entries.on(floor.LossPending)
def loss_pending(event: floor.LossPending, recorded: Recorded) -> None:
    LossRow.objects.bulk_create(
        [
            LossRow(
                id=event.loss_id,
                event_id=event.event_id,
                entrant_id=event.entrant_id,
                kind=event.kind,
                infraction=event.infraction,
                infraction_kind=event.infraction_kind,
                match_id=event.match_id,
                round=event.round,
                at=event.at,
            )
        ]
    )


@entries.on(floor.LossTakenBack)
def loss_taken_back(event: floor.LossTakenBack, recorded: Recorded) -> None:
    LossRow.objects.filter(pk=event.loss_id).update(
        state=TAKEN_BACK, taken_by=recorded.meta.actor, note=event.note or ""
    )


@entries.on(floor.LossCarriedOut)
def loss_carried_out(event: floor.LossCarriedOut, recorded: Recorded) -> None:
    LossRow.objects.filter(pk=event.loss_id).update(
        state=CARRIED_OUT, carried_match=event.match_id, carried_round=event.round
    )


@entries.on(ev.RoundWithdrawn)
def round_withdrawn(event: ev.RoundWithdrawn, recorded: Recorded) -> None:
    """Its matches are gone: what fell in them waits again, what they brought is gone."""
    here = LossRow.objects.filter(event_id=event.event_id)
    here.filter(carried_round=event.round).update(state=PENDING, carried_match="", carried_round=0)
    here.filter(round=event.round).delete()
