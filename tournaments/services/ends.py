"""Commands on the end of a match after time was called: start, answer, take back, confirm."""

from __future__ import annotations

import msgspec

from eventstore import clock as house
from eventstore.commands import Loaded, Unit, accept, command
from eventstore.domain.refusal import Refusal, Refused
from tournaments import rulesets
from tournaments.domain import conflicts, end_of_match, reporting
from tournaments.domain import floor_events as floor
from tournaments.domain.end_of_match import Ended, Question
from tournaments.domain.event import CANCELLED, FINISHED
from tournaments.domain.match import End, Match
from tournaments.domain.play import over
from tournaments.services.loading import (
    load_event,
    load_played,
    refuse_own,
)
from tournaments.services.tables import event_for, refuse_held, ruleset_of, time_of

ACTION = "tournaments.end_of_match"


class EndStep(msgspec.Struct, frozen=True):
    """Where the end of a match stands: the question that is next, empty once there is a result."""

    question: str
    winner: str = ""
    score: list[int] = []
    reason: str = ""


def _open(unit: Unit, match_id: str) -> Loaded[Match]:
    """Load a match whose end the actor may see through: open, and not the actor's own."""
    loaded = load_played(unit, match_id, ACTION)
    state = loaded.state
    closed = over(state)
    if closed is not None:
        raise Refused(closed)
    refuse_own(unit, state)
    return loaded


def step_of(match: Match, end: End) -> Question | Ended | Refusal:
    """Return the next question of a match, or the result its answers lead to."""
    return end_of_match.step(
        rulesets.ruleset(end.ref),
        match.form,
        cut=end.cut,
        played=end.played,
        answers=[answer for _, answer in end.answers],
    )


def _told(found: Question | Ended | Refusal) -> EndStep:
    if isinstance(found, Refusal):
        raise Refused(found)
    if isinstance(found, Question):
        return EndStep(found.id)
    result = found.result
    return EndStep("", result.winner, list(result.score), result.reason)


def _end(loaded: Loaded[Match]) -> End:
    end = loaded.state.end
    if end is None:
        raise Refused(Refusal("tournaments.end_not_started", {"table": loaded.state.table}))
    return end


@command("tournaments.ruleset_choose")
def ruleset_choose(unit: Unit, *, event_id: str, ruleset: str) -> None:
    """Choose by which ruleset (`id@version`) matches end when time is called, from now on.

    Raises Refused (`tournaments.ruleset_unknown{found, allowed}`, `tournaments.nothing_changed`,
    `tournaments.wrong_state`), NotAllowed.
    """
    loaded = load_event(unit, event_id, "tournaments.event_run")
    state = loaded.state
    if state.status in (FINISHED, CANCELLED):
        raise Refused(
            Refusal("tournaments.wrong_state", {"found": state.status, "allowed": ["running"]})
        )
    allowed = {one.ref: one for one in rulesets.choices(state.chosen.game)}
    if ruleset not in allowed:
        raise Refused(
            Refusal(
                "tournaments.ruleset_unknown",
                {"found": ruleset[:60], "allowed": sorted(allowed)},
            )
        )
    if state.ruleset == ruleset:
        raise Refused(Refusal("tournaments.nothing_changed", {"found": ruleset}))
    chosen = allowed[ruleset]
    made = [floor.RulesetChosen(event_id, chosen.id, chosen.version)]
    unit.append(loaded.stream, loaded.version, made)


@command("tournaments.end_start")
def end_start(unit: Unit, *, match_id: str) -> EndStep:
    """Begin the end of a match, at the table's own end and not before.

    Raises Refused (`tournaments.table_time_left{seconds}`, `tournaments.table_held` while a call
    is open there, `tournaments.end_started`, `tournaments.match_decided`,
    `tournaments.own_match`), NotAllowed.
    """
    loaded = _open(unit, match_id)
    match = loaded.state
    if match.end is not None:
        raise Refused(Refusal("tournaments.end_started", {"table": match.table}))
    refuse_held(match)
    event = event_for(unit, match.event_id, "tournaments.event_read")
    now = house.as_text(unit.now)
    time = time_of(match, now)
    if time is not None and not time.over:
        raise Refused(
            Refusal("tournaments.table_time_left", {"table": match.table, "seconds": time.left_s})
        )
    rules = ruleset_of(event)
    begun = floor.EndStarted(
        match_id,
        match.event_id,
        match.round,
        rules.id,
        rules.version,
        match.in_cut,
        match.results,
        now,
    )
    unit.append(loaded.stream, loaded.version, [begun])
    end = End(rules.id, rules.version, match.in_cut, match.results, now)
    return _told(step_of(match, end))


@command("tournaments.end_answer")
def end_answer(unit: Unit, *, match_id: str, question: str, answer: str) -> EndStep:
    """Answer the question that is next.

    `question` is the one the answer was given to. Raises Refused
    (`tournaments.question_moved{found, allowed}` when it is no longer the next one,
    `tournaments.answer_unknown`, `tournaments.end_over`, `tournaments.end_not_started`),
    NotAllowed.
    """
    loaded = _open(unit, match_id)
    end = _end(loaded)
    next_one = step_of(loaded.state, end)
    if isinstance(next_one, Refusal):
        raise Refused(next_one)
    if isinstance(next_one, Ended) or len(end.answers) >= end_of_match.MOST_ANSWERS:
        raise Refused(Refusal("tournaments.end_over", {"table": loaded.state.table}))
    if next_one.id != question:
        raise Refused(
            Refusal("tournaments.question_moved", {"found": question[:40], "allowed": next_one.id})
        )
    longer = End(
        end.ruleset,
        end.version,
        end.cut,
        end.played,
        end.started_at,
        (*end.answers, (question, answer)),
    )
    told = _told(step_of(loaded.state, longer))
    made = [floor.EndAnswered(match_id, loaded.state.event_id, question, answer)]
    unit.append(loaded.stream, loaded.version, made)
    return told


@command("tournaments.end_back")
def end_back(unit: Unit, *, match_id: str) -> EndStep:
    """Take the last answer back. Raises Refused (`tournaments.end_not_started`,
    `tournaments.answer_none`), NotAllowed."""
    loaded = _open(unit, match_id)
    end = _end(loaded)
    if not end.answers:
        raise Refused(Refusal("tournaments.answer_none", {"table": loaded.state.table}))
    last = end.answers[-1][0]
    made = [floor.EndAnswerWithdrawn(match_id, loaded.state.event_id, last)]
    unit.append(loaded.stream, loaded.version, made)
    shorter = End(end.ruleset, end.version, end.cut, end.played, end.started_at, end.answers[:-1])
    return _told(step_of(loaded.state, shorter))


@command("tournaments.end_confirm")
def end_confirm(unit: Unit, *, match_id: str) -> EndStep:
    """Make the result of the answers the result of the match; it names ruleset and answers. A
    player's report that differs stays beside it as a conflict.

    Raises Refused (`tournaments.end_not_over`, the codes of `results.judge`), NotAllowed.
    """
    loaded = _open(unit, match_id)
    match = loaded.state
    end = _end(loaded)
    found = step_of(match, end)
    if isinstance(found, Question):
        raise Refused(Refusal("tournaments.end_not_over", {"found": found.id}))
    if isinstance(found, Refusal):
        raise Refused(found)
    result = found.result
    accept(reporting.enter(match, score=result.score, reason=result.reason, winner=None))
    decided = floor.EndDecided(
        match_id,
        match.event_id,
        end.ruleset,
        end.version,
        result.winner,
        result.score,
        found.why,
        house.as_text(unit.now),
    )
    slip = conflicts.slip(match, result=result, drops=(), line="")
    unit.append(loaded.stream, loaded.version, [decided, *slip])
    return _told(found)
