"""An event as an archive, and an archive as an event: the way out and the way in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent
from tournaments import events as ev
from tournaments.domain import planning, setup
from tournaments.domain.event import (
    CANCELLED,
    CUT_STAGE,
    DISQUALIFIED,
    DROPPED,
    FINISHED,
    Tournament,
    evolve,
)
from tournaments.domain.exchange import archive as form
from tournaments.domain.exchange.sheet import MOST_PLAYERS
from tournaments.domain.round_events import EventReopened
from tournaments.domain.transcript import Group, Outcome, Table, Transcript

BY_ENTRANT = ("clubs", "free", "fixed")
OF_ENTRANTS = ("featured", "needs")
MOST_COST, MOST_LEVEL, LONGEST_METHOD = 2**31 - 1, 9999, 12
"""Bounds of a proof: the read tables hold no more."""


def _plan_by(plan: Mapping[str, Any], name: Mapping[Any, Any]) -> dict[str, Any]:
    """Return a plan with its entrants renamed; keys of JSON are texts."""
    made = dict(plan)
    for field in BY_ENTRANT:
        made[field] = {str(name[one]): value for one, value in plan.get(field, {}).items()}
    for field in OF_ENTRANTS:
        made[field] = [name[one] for one in plan.get(field, ())]
    made["forbidden"] = [[name[one], name[two]] for one, two in plan.get("forbidden", ())]
    return made


def archive_of(
    log: Sequence[DomainEvent],
    results: Mapping[str, Outcome],
    people: Mapping[str, form.Person],
) -> form.Archive:
    """Make the archive of an event from its stream, the standing results of its matches and the
    persons. Drafts are left out."""
    state = Tournament()
    paired: dict[int, ev.RoundPaired] = {}
    missed: dict[int, list[str]] = {}
    started: ev.EventStarted | None = None
    cut: ev.CutMade | None = None
    placings: tuple[ev.Placing, ...] = ()
    reasons: dict[str, str] = {}
    by_staff: dict[str, bool] = {}
    for one in log:
        state = evolve(state, one)
        match one:
            case ev.RoundPaired():
                paired[one.round] = one
                missed[one.round] = []
            case ev.RoundMissed():
                missed[one.round].append(one.entrant_id)
            case ev.EventStarted():
                started = one
            case ev.CutMade():
                cut = one
            case ev.CutUndone():
                cut = None
            case ev.EventFinished():
                placings = one.placings
            case EventReopened():
                placings = ()
            case ev.EntrantDropped():
                reasons[one.entrant_id] = one.reason
            case ev.EntrantReinstated():
                reasons.pop(one.entrant_id, None)
            case ev.EntrantEnrolled():
                by_staff[one.entrant_id] = one.by_staff
            case _:
                pass
    number = {one.entrant_id: one.number for one in state.entrants.values()}
    return form.Archive(
        form.FORMAT,
        form.VERSION,
        msgspec.to_builtins(state.chosen),
        state.status,
        tuple(
            form.Entrant(
                one.number,
                # ids of one human that were merged stand after the others
                tuple(
                    people.get(person, form.Person("?")) for person in one.persons[: len(one.came)]
                ),
                one.status,
                one.late,
                by_staff.get(one.entrant_id, True),
                one.dropped_after,
                reasons.get(one.entrant_id, ""),
            )
            for one in sorted(state.entrants.values(), key=lambda one: one.number)
        ),
        tuple(
            _round(paired[one.number], missed[one.number], number, results)
            for one in state.published
        ),
        _plan_by(msgspec.to_builtins(state.plan), number),
        state.planned,
        started.cut if started else 0,
        started.players if started else 0,
        started.recommended if started else (0, 0),
        started.table if started else "",
        tuple(number[one] for one in state.seeds),
        cut.seed if cut else 0,
        tuple(number[one] for one in cut.drawn) if cut else (),
        tuple((number[one.entrant_id], one.place) for one in placings),
    )


def _round(
    made: ev.RoundPaired,
    missed: Sequence[str],
    number: Mapping[str, int],
    results: Mapping[str, Outcome],
) -> form.Round:
    matches = []
    for pair in made.pairs:
        found = results.get(pair.match_id)
        result = None
        if found is not None:
            result = form.Result(found.winner, found.score, found.reason, found.by)
        matches.append(form.Match(pair.table, number[pair.p1], number[pair.p2], result))
    return form.Round(
        made.round,
        made.stage,
        tuple(matches),
        tuple(number[one] for one in made.byes),
        tuple(number[one] for one in (*made.lost, *missed)),
        made.seed,
        {str(number[one]): points for one, points in made.points.items()},
        tuple(number[one] for one in made.late),
        {str(number[one]): reason for one, reason in made.reasons.items()},
        tuple(None if one is None else number[one] for one in made.slots),
        tuple((number[one], number[two]) for one, two in made.locked),
        made.order,
        made.wishes,
        made.by_hand,
        None if made.proof is None else msgspec.to_builtins(made.proof),
    )


def groups_of(
    made: form.Archive,
    *,
    event_id: str,
    entrant_ids: Sequence[str],
    persons: Sequence[tuple[str, ...]],
    ids: Iterator[str],
) -> list[Group] | Refusal:
    """Return the events that make the event of an archive anew, its entrants and persons under
    the ids given, in the order of their numbers.

    Refused with `tournaments.setting_invalid`, `tournaments.plan_invalid`,
    `tournaments.archive_wrong{found}`.
    """
    try:
        settings = msgspec.convert(made.settings, ev.Settings, strict=True)
        named = {one.number: entrant_ids[at] for at, one in enumerate(made.entrants)}
        told: dict[Any, str] = dict(named)
        told |= {str(number): one for number, one in named.items()}
        plan = msgspec.convert(_plan_by(made.plan, told), ev.Plan, strict=True)
        paired = [_paired(one, event_id, told) for one in made.rounds]
    except (msgspec.ValidationError, LookupError, TypeError, ValueError, AttributeError) as fault:
        return Refusal("tournaments.archive_wrong", {"found": str(fault)[:200]})
    wrong = setup.settings_refused(settings)
    if wrong is not None:
        return wrong
    script = Transcript(Tournament(), ids)
    script.add(ev.EventCreated(event_id, settings))
    if made.status != "draft":
        script.add(ev.RegistrationOpened(event_id))
    script.add(
        *(
            ev.EntrantEnrolled(event_id, named[one.number], one.number, persons[at], one.by_staff)
            for at, one in enumerate(made.entrants)
        )
    )
    if plan != ev.Plan():
        wrong = planning.plan_refused(script.state, plan)
        if wrong is not None:
            return wrong
        script.add(ev.PlanMade(event_id, plan))
    _start(script, made, named)
    _rounds(script, made, paired, named)
    return script.groups


def _paired(one: form.Round, event_id: str, named: Mapping[Any, str]) -> ev.RoundPaired:
    proof = None if one.proof is None else msgspec.convert(one.proof, ev.Proof, strict=True)
    if proof is not None:
        found = [*msgspec.structs.astuple(proof.objective), proof.lower_bound, proof.excess]
        if min(found) < 0 or max(found) > MOST_COST or len(proof.method) > LONGEST_METHOD:
            raise ValueError(f"round {one.number} proof")
        if max(proof.objective.rematches, proof.objective.bye_count) > MOST_PLAYERS:
            raise ValueError(f"round {one.number} proof")
        if not 0 <= proof.margin <= MOST_PLAYERS or proof.objective.bye_level > MOST_LEVEL:
            raise ValueError(f"round {one.number} proof")
    return ev.RoundPaired(
        event_id,
        one.number,
        one.stage,
        (),
        tuple(named[bye] for bye in one.byes),
        one.seed,
        {named[who]: points for who, points in one.points.items()},
        tuple(named[who] for who in one.late),
        {named[who]: reason for who, reason in one.reasons.items()},
        tuple(None if slot is None else named[slot] for slot in one.slots),
        proof,
        tuple(named[who] for who in one.lost),
        tuple((named[first], named[second]) for first, second in one.locked),
        one.order,
        one.wishes,
        one.by_hand,
        None,
    )


def _there(one: form.Entrant) -> bool:
    """Whether an entrant was checked in at some time."""
    return one.status != "enrolled" and not (one.status == DROPPED and one.reason == "absent")


def _leave(event_id: str, one: form.Entrant, entrant_id: str) -> DomainEvent:
    after = one.dropped_after or 0
    if one.status == DISQUALIFIED:
        return ev.EntrantDisqualified(event_id, entrant_id, after, None, None)
    return ev.EntrantDropped(event_id, entrant_id, after, one.reason or "staff")


def _start(script: Transcript, made: form.Archive, named: Mapping[int, str]) -> None:
    event_id = script.state.event_id
    script.add(
        *(
            ev.EntrantCheckedIn(event_id, named[one.number], False)
            for one in made.entrants
            if _there(one) and not one.late
        )
    )
    if made.planned or made.players:
        script.add(
            ev.EventStarted(
                event_id, made.players, made.planned, made.cut, made.recommended, made.table
            )
        )
    elif made.status == "closed":
        script.add(ev.RegistrationClosed(event_id))
    absent = [one for one in made.entrants if one.status == DROPPED and not _there(one)]
    script.add(*(_leave(event_id, one, named[one.number]) for one in absent))


def _rounds(
    script: Transcript,
    made: form.Archive,
    paired: Sequence[ev.RoundPaired],
    named: Mapping[int, str],
) -> None:
    event_id = script.state.event_id
    leaving = [
        one for one in made.entrants if one.status in (DROPPED, DISQUALIFIED) and _there(one)
    ]
    late = [one for one in made.entrants if one.late and _there(one)]
    for one, told in zip(made.rounds, paired, strict=True):
        coming = late if one.number == 1 else []
        late = [] if one.number == 1 else late
        gone = [who for who in leaving if (who.dropped_after or 0) < one.number and not who.late]
        script.add(*(_leave(event_id, who, named[who.number]) for who in gone))
        leaving = [who for who in leaving if who not in gone]
        if one.stage == CUT_STAGE and not script.state.seeds:
            _cut(script, made, one.number - 1, named)
        tables = [
            Table(
                match.table,
                named[match.p1],
                named[match.p2],
                None
                if match.result is None
                else Outcome(
                    match.result.winner,
                    match.result.score,
                    match.result.reason,
                    match.result.by,
                ),
            )
            for match in one.matches
        ]
        script.round(
            one.stage,
            tables,
            paired=told,
            then=[ev.EntrantCheckedIn(event_id, named[who.number], True) for who in coming],
        )
    script.add(*(ev.EntrantCheckedIn(event_id, named[who.number], True) for who in late))
    script.add(*(_leave(event_id, who, named[who.number]) for who in leaving))
    if made.seeds and not script.state.seeds:
        _cut(script, made, len(made.rounds), named)
    if made.status == FINISHED:
        placings = tuple(ev.Placing(named[one], place) for one, place in made.placings)
        script.add(ev.EventFinished(event_id, placings))
    elif made.status == CANCELLED:
        script.add(ev.EventCancelled(event_id, None))


def _cut(script: Transcript, made: form.Archive, after: int, named: Mapping[int, str]) -> None:
    script.add(
        ev.CutMade(
            script.state.event_id,
            after,
            tuple(named[one] for one in made.seeds),
            made.cut_seed,
            tuple(named[one] for one in made.drawn),
        )
    )
