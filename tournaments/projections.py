"""The projector of the tournaments: one projection, because standings need the matches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
from django.db import connection
from django.db.models import Max

from eventstore.ahead import ahead
from eventstore.domain.envelope import Recorded
from eventstore.ids import is_id
from eventstore.prepared import Bound, PreparedUpdate, prepared
from eventstore.projections import Projection
from tournaments import events as ev
from tournaments import floor_projections as floor_projections
from tournaments import projections_hall as projections_hall
from tournaments import reckoning, round_projections
from tournaments.domain import floor_events as floor
from tournaments.domain import round_clock
from tournaments.domain import round_events as more
from tournaments.domain.enrolment import taken_back
from tournaments.domain.event import (
    CANCELLED,
    CHECKED_IN,
    CLOSED,
    CUT,
    CUT_STAGE,
    DISQUALIFIED,
    DRAFT,
    DROPPED,
    ENROLLED,
    FINISHED,
    OPEN,
    RUNNING,
    SWISS_STAGE,
)
from tournaments.domain.round_clock import RoundClock
from tournaments.domain.standings import explain
from tournaments.models import (
    EntrantPerson,
    EntrantRow,
    EventRow,
    MatchRow,
    RoundRow,
    StandingRow,
)

__all__ = ["board", "round_projections"]

board = Projection(
    "tournaments.board",
    [EventRow, EntrantRow, EntrantPerson, RoundRow, MatchRow, StandingRow],
)


def round_key(event_id: str, number: int) -> str:
    """Key of a row of rounds."""
    return f"{event_id}:{number}"


def _settings(settings: ev.Settings) -> dict[str, Any]:
    values = msgspec.to_builtins(settings)
    for name in (
        "deck_deadline",
        "banlist_id",
        "banlist_hash",
        "catalogue_hash",
        "decklists_at",
        "preset_hash",
    ):
        values[name] = values[name] or ""
    return dict(values)


def _event(event_id: str, **values: Any) -> None:
    EventRow.objects.filter(pk=event_id).update(**values)


def _drop_draft(event_id: str) -> None:
    MatchRow.objects.filter(event_id=event_id, state=reckoning.DRAFT).delete()
    RoundRow.objects.filter(event_id=event_id, published=False).delete()
    _event(event_id, draft_round=0)


@board.on(ev.EventCreated)
def event_created(event: ev.EventCreated, recorded: Recorded) -> None:
    EventRow.objects.bulk_create(
        [
            EventRow(
                id=event.event_id,
                status=DRAFT,
                created_at=recorded.recorded_at,
                created_by=recorded.meta.actor,
                **_settings(event.settings),
            )
        ]
    )


@board.on(ev.EventConfigured)
def event_configured(event: ev.EventConfigured, recorded: Recorded) -> None:
    _event(event.event_id, **_settings(event.settings))


@board.on(ev.PlanMade)
def plan_made(event: ev.PlanMade, recorded: Recorded) -> None:
    _event(event.event_id, plan=msgspec.to_builtins(event.plan))


@board.on(ev.RegistrationOpened)
def registration_opened(event: ev.RegistrationOpened, recorded: Recorded) -> None:
    _event(event.event_id, status=OPEN)


@board.on(ev.RegistrationClosed)
def registration_closed(event: ev.RegistrationClosed, recorded: Recorded) -> None:
    _event(event.event_id, status=CLOSED)


@board.on(ev.EventStarted)
def event_started(event: ev.EventStarted, recorded: Recorded) -> None:
    _event(
        event.event_id,
        status=RUNNING,
        rounds=event.rounds,
        cut=event.cut,
        started_at=recorded.recorded_at,
    )


@board.on(ev.EntrantEnrolled)
def entrant_enrolled(event: ev.EntrantEnrolled, recorded: Recorded) -> None:
    EntrantRow.objects.bulk_create(
        [
            EntrantRow(
                id=event.entrant_id,
                event_id=event.event_id,
                number=event.number,
                persons=list(event.persons),
                status=ENROLLED,
                by_staff=event.by_staff,
            )
        ]
    )
    EntrantPerson.objects.bulk_create(
        [
            EntrantPerson(
                key=f"{event.entrant_id}:{person}",
                event_id=event.event_id,
                entrant_id=event.entrant_id,
                person_id=person,
            )
            for person in event.persons
        ]
    )
    _event(event.event_id, players=event.number)


def _entrant(entrant_id: str, **values: Any) -> None:
    EntrantRow.objects.filter(pk=entrant_id).update(**values)


@board.on(ev.DeckAttached)
def deck_attached(event: ev.DeckAttached, recorded: Recorded) -> None:
    _entrant(event.entrant_id, deck_id=event.deck_id)


@board.on(ev.DeckDetached)
def deck_detached(event: ev.DeckDetached, recorded: Recorded) -> None:
    _entrant(event.entrant_id, deck_id="")


@board.on(ev.EntrantCheckedIn)
def entrant_checked_in(event: ev.EntrantCheckedIn, recorded: Recorded) -> None:
    late = {"late": True} if event.late else {}
    _entrant(event.entrant_id, status=CHECKED_IN, **late)


@board.on(ev.EntrantDropped)
def entrant_dropped(event: ev.EntrantDropped, recorded: Recorded) -> None:
    _entrant(event.entrant_id, status=DROPPED, dropped_after=event.after_round, reason=event.reason)


@board.on(ev.EntrantReinstated)
def entrant_reinstated(event: ev.EntrantReinstated, recorded: Recorded) -> None:
    status = CHECKED_IN if event.ready else ENROLLED
    _entrant(event.entrant_id, status=status, late=event.late, dropped_after=None, reason="")


@board.on(ev.DisqualificationUndone)
def disqualification_undone(event: ev.DisqualificationUndone, recorded: Recorded) -> None:
    status, reason = CHECKED_IN if event.ready else ENROLLED, taken_back(event.round)
    _entrant(event.entrant_id, status=status, late=event.late, dropped_after=None, reason=reason)


@board.on(ev.EntrantDisqualified)
def entrant_disqualified(event: ev.EntrantDisqualified, recorded: Recorded) -> None:
    _entrant(
        event.entrant_id,
        status=DISQUALIFIED,
        dropped_after=event.after_round,
        reason=DISQUALIFIED,
    )


@board.on(ev.RoundPaired)
def round_paired(event: ev.RoundPaired, recorded: Recorded) -> None:
    _drop_draft(event.event_id)
    proof = event.proof
    costs: dict[str, Any] = {}
    if proof is not None:
        costs = msgspec.to_builtins(proof.objective) | {
            "lower_bound": proof.lower_bound,
            "excess": proof.excess,
            "margin": proof.margin,
            "method": proof.method,
            "proven": proof.proven,
        }
    RoundRow.objects.bulk_create(
        [
            RoundRow(
                key=round_key(event.event_id, event.round),
                event_id=event.event_id,
                number=event.round,
                stage=event.stage,
                paired_at=recorded.recorded_at,
                byes=list(event.byes),
                late=list(event.late),
                slots=list(event.slots),
                reasons=event.reasons,
                points=event.points,
                seed=event.seed,
                lost=list(event.lost),
                locked=[list(pair) for pair in event.locked],
                order=event.order,
                wishes=event.wishes,
                by_hand=event.by_hand,
                note=event.note or "",
                **costs,
            )
        ]
    )
    MatchRow.objects.bulk_create(
        [
            MatchRow(
                id=pair.match_id,
                event_id=event.event_id,
                round=event.round,
                stage=event.stage,
                table=pair.table,
                p1=pair.p1,
                p2=pair.p2,
                persons=[[], []],
                state=reckoning.DRAFT,
                duels=[],
                claims={},
            )
            for pair in event.pairs
        ]
    )
    _event(event.event_id, draft_round=event.round)


@board.on(ev.RoundPublished)
def round_published(event: ev.RoundPublished, recorded: Recorded) -> None:
    key = round_key(event.event_id, event.round)
    RoundRow.objects.filter(pk=key).update(published=True, published_at=recorded.recorded_at)
    stage = RoundRow.objects.values_list("stage", flat=True).get(pk=key)
    _event(event.event_id, round=event.round, draft_round=0, stage=stage)


def _clock(event: Any, recorded: Recorded) -> None:
    row = RoundRow.objects.get(pk=round_key(event.event_id, event.round))
    known = None
    if row.clock_seconds is not None:
        known = RoundClock(row.clock_seconds, row.clock_ends_at, row.clock_left_s)
    now = round_clock.evolve(known, event)
    if now is not None:
        row.clock_seconds, row.clock_ends_at, row.clock_left_s = (
            now.seconds,
            now.ends_at,
            now.left_s,
        )
        row.save(update_fields=["clock_seconds", "clock_ends_at", "clock_left_s"])


for _one in (ev.ClockStarted, ev.ClockPaused, ev.ClockResumed, ev.ClockAdjusted):
    board.on(_one)(_clock)


@board.on(ev.CutMade)
def cut_made(event: ev.CutMade, recorded: Recorded) -> None:
    _drop_draft(event.event_id)
    _event(event.event_id, status=CUT, stage=CUT_STAGE, cut=len(event.seeds))
    EntrantRow.objects.filter(event_id=event.event_id).update(seed=None)
    for seed, entrant_id in enumerate(event.seeds, 1):
        _entrant(entrant_id, seed=seed)


@board.on(ev.CutUndone)
def cut_undone(event: ev.CutUndone, recorded: Recorded) -> None:
    _drop_draft(event.event_id)
    _event(event.event_id, status=RUNNING, stage=SWISS_STAGE)
    EntrantRow.objects.filter(event_id=event.event_id).update(seed=None)


@board.on(ev.RoundMissed)
def round_missed(event: ev.RoundMissed, recorded: Recorded) -> None:
    row = RoundRow.objects.get(pk=round_key(event.event_id, event.round))
    row.lost.append(event.entrant_id)
    row.save()
    _freeze_from(event.event_id, event.round)


@board.on(ev.RoundWithdrawn)
def round_withdrawn(event: ev.RoundWithdrawn, recorded: Recorded) -> None:
    _drop_draft(event.event_id)
    MatchRow.objects.filter(event_id=event.event_id, round=event.round).delete()
    RoundRow.objects.filter(pk=round_key(event.event_id, event.round)).delete()
    before = RoundRow.objects.filter(event_id=event.event_id, published=True)
    newest = before.order_by("-number").first()
    running = EventRow.objects.values_list("status", flat=True).get(pk=event.event_id)
    _event(
        event.event_id,
        round=newest.number if newest is not None else 0,
        stage=CUT_STAGE if running == CUT else SWISS_STAGE,
    )


@board.on(ev.EventFinished)
def event_finished(event: ev.EventFinished, recorded: Recorded) -> None:
    _drop_draft(event.event_id)
    _event(event.event_id, status=FINISHED, ended_at=recorded.recorded_at)
    places = {one.entrant_id: one.place for one in event.placings}
    known = EntrantRow.objects.filter(event_id=event.event_id).values_list("pk", "place")
    changed = [(places.get(pk), pk) for pk, place in known if places.get(pk) != place]
    with connection.cursor() as cursor:
        cursor.executemany("UPDATE tournaments_entrant SET place = %s WHERE id = %s", changed)


@board.on(more.EventReopened)
def event_reopened(event: more.EventReopened, recorded: Recorded) -> None:
    seeded = EntrantRow.objects.filter(event_id=event.event_id, seed__isnull=False).exists()
    _event(event.event_id, status=CUT if seeded else RUNNING, ended_at="")
    EntrantRow.objects.filter(event_id=event.event_id).update(place=None)


@board.on(more.FieldGrown)
def field_grown(event: more.FieldGrown, recorded: Recorded) -> None:
    _event(event.event_id, cut=event.cut)


@board.on(ev.EventCancelled)
def event_cancelled(event: ev.EventCancelled, recorded: Recorded) -> None:
    _drop_draft(event.event_id)
    _event(event.event_id, status=CANCELLED, ended_at=recorded.recorded_at)


@board.on(ev.MatchOpened)
def match_opened(event: ev.MatchOpened, recorded: Recorded) -> None:
    MatchRow.objects.filter(pk=event.match_id).update(
        state="waiting",
        persons=[list(side) for side in event.persons],
        rules=event.rules,
        play_on=event.play_on,
    )


def _word(row: MatchRow) -> str:
    if row.winner:
        return reckoning.DECIDED
    if row.claims:
        return "disputed" if len(row.claims) == 2 else "claimed"
    if row.duels:
        return "between" if row.duels[-1]["winner"] else "playing"
    return "waiting"


def _save(row: MatchRow) -> None:
    """Write a row with the word of its state."""
    row.state = _word(row)
    row.save()


@board.on(ev.CoinTossed)
def coin_tossed(event: ev.CoinTossed, recorded: Recorded) -> None:
    MatchRow.objects.filter(pk=event.match_id).update(toss=event.winner)


@board.on(ev.StarterChosen)
def starter_chosen(event: ev.StarterChosen, recorded: Recorded) -> None:
    MatchRow.objects.filter(pk=event.match_id).update(starter=event.first)


@board.on(ev.DuelOpened)
def duel_opened(event: ev.DuelOpened, recorded: Recorded) -> None:
    row = MatchRow.objects.get(pk=event.match_id)
    row.duels.append(
        {
            "number": event.number,
            "duel_id": event.duel_id,
            "starter": event.starter,
            "winner": None,
            "reason": None,
            "rule": None,
        }
    )
    _save(row)


@board.on(ev.DuelScored)
def duel_scored(event: ev.DuelScored, recorded: Recorded) -> None:
    row = MatchRow.objects.get(pk=event.match_id)
    known = next((one for one in row.duels if one["number"] == event.number), None)
    row.duels = [one for one in row.duels if one["number"] != event.number]
    row.duels.append(
        {
            "number": event.number,
            "duel_id": event.duel_id,
            "starter": known["starter"] if known else None,
            "winner": event.winner,
            "reason": event.reason,
            "rule": event.rule,
        }
    )
    row.toss = row.starter = ""
    _save(row)


@prepared
def _rows(match_id: Any) -> Any:
    return MatchRow.objects.filter(pk=match_id).order_by()


@ahead("tournaments.result_claim")
@ahead("tournaments.result_enter")
def _of_match(*, match_id: str, **_: Any) -> list[Bound]:
    return [_rows.bind(match_id)] if is_id(match_id) else []


def _row(match_id: str) -> MatchRow:
    """Read a match; raises DoesNotExist."""
    found: list[MatchRow] = _rows(match_id)
    if not found:
        raise MatchRow.DoesNotExist(match_id)
    return found[0]


_write_claims = PreparedUpdate(MatchRow, "state", "claims")


@board.on(ev.ResultClaimed)
def result_claimed(event: ev.ResultClaimed, recorded: Recorded) -> None:
    row = _row(event.match_id)
    row.claims[event.seat] = {
        "score": list(event.score),
        "winner": event.winner,
        "reason": event.reason,
        "at": recorded.recorded_at,
    }
    _write_claims(row.pk, _word(row), row.claims)


RESULT = (
    "winner", "reason", "decided_at", "entered_by", "contests", "p1_wins", "p2_wins", "draws",
    "decided_by", "corrections", "state",
)  # fmt: skip
_write_result = PreparedUpdate(MatchRow, *RESULT)


def _result(row: MatchRow, event: ev.MatchDecided | ev.MatchCorrected, recorded: Recorded) -> None:
    row.winner, row.reason, row.decided_at = event.winner, event.reason, recorded.recorded_at
    row.entered_by, row.contests = recorded.meta.actor, []
    row.p1_wins, row.p2_wins, row.draws = event.score
    row.decided_by = event.by if isinstance(event, ev.MatchDecided) else "staff"
    row.state = _word(row)
    _write_result(row.pk, *(getattr(row, name) for name in RESULT))


@board.on(ev.MatchDecided)
def match_decided(event: ev.MatchDecided, recorded: Recorded) -> None:
    row = _row(event.match_id)
    _result(row, event, recorded)
    if row.stage == SWISS_STAGE and not reckoning.open_matches(row.event_id, [row.round]):
        _freeze(row.event_id, row.round)


@board.on(ev.MatchCorrected)
def match_corrected(event: ev.MatchCorrected, recorded: Recorded) -> None:
    row = MatchRow.objects.get(pk=event.match_id)
    row.corrections += 1
    _result(row, event, recorded)
    if row.stage == SWISS_STAGE:
        _freeze_from(row.event_id, row.round)


@board.on(floor.ResultTakenBack)
def result_taken_back(event: floor.ResultTakenBack, recorded: Recorded) -> None:
    row = MatchRow.objects.get(pk=event.match_id)
    row.winner = row.reason = row.decided_at = row.decided_by = row.entered_by = ""
    row.p1_wins = row.p2_wins = row.draws = 0
    row.contests = []
    _save(row)
    if row.stage == SWISS_STAGE:
        _freeze_from(row.event_id, row.round)


@board.on(floor.ResultContested)
def result_contested(event: floor.ResultContested, recorded: Recorded) -> None:
    row = MatchRow.objects.get(pk=event.match_id)
    # a report made before the result was contested by it: it keeps its own moment
    said = row.claims.get(event.seat, {}).get("at") or recorded.recorded_at
    row.contests.append(
        {
            "seat": event.seat,
            "by": "" if event.seat else recorded.meta.actor,
            "winner": event.winner,
            "score": list(event.score),
            "reason": event.reason,
            "drops": list(event.drops),
            "at": said,
        }
    )
    _save(row)


@board.on(floor.ConflictSettled)
def conflict_settled(event: floor.ConflictSettled, recorded: Recorded) -> None:
    MatchRow.objects.filter(pk=event.match_id).update(contests=[])


@board.on(floor.TimeExtended)
def time_extended(event: floor.TimeExtended, recorded: Recorded) -> None:
    row = MatchRow.objects.get(pk=event.match_id)
    row.extensions[event.source] = event.seconds
    row.extension_s = sum(row.extensions.values())
    row.save(update_fields=["extensions", "extension_s"])


@board.on(floor.EndStarted)
def end_started(event: floor.EndStarted, recorded: Recorded) -> None:
    MatchRow.objects.filter(pk=event.match_id).update(
        end={
            "ruleset": event.ruleset,
            "version": event.version,
            "cut": event.cut,
            "played": list(event.played),
            "at": event.at,
            "answers": [],
            "done_at": "",
            "why": [],
        }
    )


def _end(match_id: str, change: Callable[[dict[str, Any]], None]) -> None:
    row = MatchRow.objects.get(pk=match_id)
    if row.end:
        change(row.end)
        row.save(update_fields=["end"])


@board.on(floor.EndAnswered)
def end_answered(event: floor.EndAnswered, recorded: Recorded) -> None:
    _end(event.match_id, lambda end: end["answers"].append([event.question, event.answer]))


@board.on(floor.EndAnswerWithdrawn)
def end_answer_withdrawn(event: floor.EndAnswerWithdrawn, recorded: Recorded) -> None:
    def change(end: dict[str, Any]) -> None:
        end["answers"] = end["answers"][:-1]
        end["done_at"], end["why"] = "", []

    _end(event.match_id, change)


@board.on(floor.EndDecided)
def end_decided(event: floor.EndDecided, recorded: Recorded) -> None:
    def change(end: dict[str, Any]) -> None:
        end["done_at"], end["why"] = event.at, list(event.why)

    _end(event.match_id, change)


@board.on(floor.RulesetChosen)
def ruleset_chosen(event: floor.RulesetChosen, recorded: Recorded) -> None:
    _event(event.event_id, ruleset=f"{event.ruleset}@{event.version}")


def _freeze_from(event_id: str, number: int) -> None:
    """Keep one more revision of the standings frozen after a round and those that follow."""
    frozen = RoundRow.objects.filter(
        event_id=event_id, stage=SWISS_STAGE, number__gte=number, revision__gt=0
    )
    for one in list(frozen.order_by("number").values_list("number", flat=True)):
        _freeze(event_id, one)


def _freeze(event_id: str, number: int) -> None:
    """Keep the standings after a round, as one more revision. Those of a round that was taken
    back stay readable, so that its numbers go on."""
    round_row = RoundRow.objects.get(pk=round_key(event_id, number))
    kept = StandingRow.objects.filter(event_id=event_id, round=number)
    round_row.revision = (kept.aggregate(newest=Max("revision"))["newest"] or 0) + 1
    round_row.save(update_fields=["revision"])
    StandingRow.objects.bulk_create(
        [
            StandingRow(
                key=f"{event_id}:{number}:{round_row.revision}:{row.entrant_id}",
                event_id=event_id,
                round=number,
                revision=round_row.revision,
                position=position,
                entrant_id=row.entrant_id,
                rank=row.rank,
                points=row.points,
                tiebreaks=[[name, value] for name, value in row.tiebreaks],
                code=row.code,
                wins=row.wins,
                losses=row.losses,
                draws=row.draws,
                byes=row.byes,
                detail=explain(row),
            )
            for position, row in enumerate(reckoning.swiss_standings(event_id, number), 1)
        ],
        batch_size=200,
    )
