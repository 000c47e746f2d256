"""Disputes about lines of duels that are over: raised by a player of the match within the window of
the event, reviewed by another judge than those who ruled there, closed by a ruling. A change of the
result waits for who may correct results, who sees first what it moves.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import msgspec

from duels.models import DuelRow
from duels.services import statement_make
from eventstore import clock
from eventstore.commands import Loaded, Unit, accept, command
from eventstore.domain.refusal import Refusal, Refused
from eventstore.domain.registry import DomainEvent
from eventstore.ids import is_id, new_id
from eventstore.store import read_stream
from judging.conflicts import conflicts_at
from judging.domain import dispute as rules
from judging.domain.dispute import Dispute
from judging.domain.dispute_events import (
    DisputeAppealRuled,
    DisputeRaised,
    DisputeRuled,
    DisputeSettled,
    DisputeWindowSet,
)
from judging.domain.words import Category, Kind
from judging.handling import sealed, subject
from judging.matches import pack_or_usual
from judging.models import CallRow, RulingRow
from judging.models_after import DisputeRow, DisputeWindowRow
from judging.services import call_arrive, call_claim, call_close, call_raise, ruling_make
from people.access import NotAllowed, require
from people.domain.actor import Actor
from people.domain.permissions import Subject, Verdict
from people.domain.roles import Role
from people.selectors import names
from tournaments.domain import match as match_of
from tournaments.domain import reporting
from tournaments.domain.results import DOUBLE_LOSS, PLAYED
from tournaments.events import MatchCorrected
from tournaments.models import MatchRow
from tournaments.services import result_correct
from tournaments.services.loading import match_stream, refuse_cancelled

RAISE, READ = "judging.dispute_raise", "judging.dispute_read"
REVIEW, WINDOW = "judging.dispute_review", "judging.dispute_window_set"
CORRECT = "tournaments.result_enter"
SAME = "tournaments.nothing_changed"


class DisputeState(msgspec.Struct, frozen=True):
    """Where a dispute stands after a command; `ruling_id` once it is ruled."""

    dispute_id: str
    state: str
    ruling_id: str = ""


def window_minutes(event_id: str) -> int:
    """Return for how many minutes after a match its duels can be disputed: as the organiser chose,
    else as the pack says. At most three queries."""
    chosen = DisputeWindowRow.objects.filter(pk=event_id).values_list("minutes", flat=True).first()
    return pack_or_usual(event_id).dispute_window_h * 60 if chosen is None else chosen


def until_of(match: MatchRow) -> str | None:
    """Return when the window of a match closes (UTC text), None while it is not decided."""
    if not match.winner or not match.decided_at:
        return None
    end = clock.from_text(match.decided_at) + timedelta(minutes=window_minutes(match.event_id))
    return clock.as_text(end)


def _stream(dispute_id: str) -> str:
    return f"dispute-{dispute_id}"


def _duel(actor: Actor, duel_id: str) -> tuple[DuelRow, MatchRow, str]:
    """Return a duel of a match that the actor plays, the match, and the seat in the duel. Raises
    NotAllowed, hidden for every other duel."""
    duel = DuelRow.objects.filter(pk=duel_id).first() if is_id(duel_id) else None
    match = MatchRow.objects.filter(pk=duel.match_id).first() if duel and duel.match_id else None
    if duel is None or match is None:
        raise NotAllowed(RAISE, Verdict.HIDDEN)
    require(actor, RAISE, subject(match.event_id, match.persons))
    seat = next((one for one, held in duel.seats.items() if actor.person_id in held), "")
    if not seat:
        raise NotAllowed(RAISE, Verdict.FORBIDDEN)
    return duel, match, seat


@command("judging.dispute_raise")
def dispute_raise(
    unit: Unit, *, dispute_id: str, duel_id: str, line: int, reason: str
) -> DisputeState:
    """Dispute a line of a duel that is over, as a player of its match. The line is marked in the
    log of the duel.

    Raises Refused (judging.dispute_id, dispute_exists, dispute_open, dispute_too_early,
    dispute_window, reason_missing, text_too_long, duels.no_such_line), NotAllowed.
    """
    duel, match, seat = _duel(unit.actor, duel_id)
    refuse_cancelled(match.event_id)
    if not is_id(dispute_id):
        raise Refused(Refusal("judging.dispute_id", {"found": dispute_id[:40]}))
    loaded = unit.load(_stream(dispute_id), rules.NEW, rules.evolve)
    if loaded.version:
        raise Refused(Refusal("judging.dispute_exists", {"found": dispute_id}))
    if not (duel.winner or duel.fidelity == "imported" or match.winner or _scored(match, duel_id)):
        raise Refused(Refusal("judging.dispute_too_early", {"duel": duel.number}))
    at, until = clock.as_text(unit.now), until_of(match)
    late = rules.in_window(until, at)
    if late is not None:
        raise Refused(late)
    mine = DisputeRow.objects.filter(match_id=match.pk, by=unit.actor.ref, state__in=rules.OPEN)
    if mine.exists():
        raise Refused(Refusal("judging.dispute_open", {}))
    text = sealed(unit, reason)
    if not text:
        raise Refused(Refusal("judging.reason_missing", {"act": "dispute"}))
    marked = statement_make(
        unit,
        duel_id=duel_id,
        player=seat,
        statement={"statement": "line_disputed", "line": line},
        reason=reason.strip(),
    )
    raised = DisputeRaised(
        dispute=dispute_id,
        tournament=match.event_id,
        match=match.pk,
        round=match.round,
        table=match.table,
        duel=duel_id,
        line=line,
        mark=marked.version,
        seats=(tuple(match.persons[0]), tuple(match.persons[1])),
        entrants=(match.p1, match.p2),
        ruled_by=ruled_by(match.pk),
        until=until,
        by=unit.actor.ref,
        at=at,
        reason=text,
    )
    unit.append(loaded.stream, 0, [raised])
    return DisputeState(dispute_id, rules.RAISED)


def _scored(match: MatchRow, duel_id: str) -> bool:
    return any(one["duel_id"] == duel_id and one["winner"] for one in match.duels)


def ruled_by(match_id: str) -> tuple[str, ...]:
    """The judges who ruled at a match, and those who approved or heard an appeal there."""
    rows = RulingRow.objects.filter(match_id=match_id).values_list("by", "decided_by")
    return tuple(sorted({one for row in rows for one in row if one}))


def _load(unit: Unit, dispute_id: str, action: str) -> Loaded[Dispute]:
    """Load a dispute the actor may do the action to; unknown ones answer like hidden ones."""
    if not is_id(dispute_id):
        raise NotAllowed(action, Verdict.HIDDEN)
    loaded = unit.load(_stream(dispute_id), rules.NEW, rules.evolve)
    if not loaded.version:
        raise NotAllowed(action, Verdict.HIDDEN)
    require(unit.actor, action, subject(loaded.state.tournament, loaded.state.seats))
    return loaded


def _named(made: Refusal | None) -> Refusal | None:
    """A refusal that names a judge by id also says the name."""
    by = made.params.get("by") if made is not None else None
    if made is None or not by:
        return made
    return Refusal(made.code, {**made.params, "name": names([by]).get(by)})


def _append(unit: Unit, loaded: Loaded[Dispute], made: rules.Decision) -> str:
    if isinstance(made, Refusal):
        raise Refused(_named(made) or made)
    unit.append(loaded.stream, loaded.version, made)
    state = loaded.state
    for one in made:
        state = rules.evolve(state, one)
    return state.state


def _now(unit: Unit, dispute_id: str) -> dict[str, str]:
    return {"by": unit.actor.ref, "at": clock.as_text(unit.now), "dispute": dispute_id}


@command("judging.dispute_withdraw")
def dispute_withdraw(unit: Unit, *, dispute_id: str) -> DisputeState:
    """Take the own dispute back before a judge has it. Raises Refused (judging.dispute_state,
    dispute_not_yours), NotAllowed."""
    loaded = _load(unit, dispute_id, RAISE)
    made = rules.withdraw(loaded.state, **_now(unit, dispute_id))
    return DisputeState(dispute_id, _append(unit, loaded, made))


@command("judging.dispute_take")
def dispute_take(unit: Unit, *, dispute_id: str) -> DisputeState:
    """Take the review of a dispute, as the head judge that of an appeal. A conflict of interest
    that the page has warned of is noted.

    Raises Refused (judging.dispute_state, dispute_taken, own_match, dispute_own_ruling,
    head_judge_only), NotAllowed.
    """
    loaded = _load(unit, dispute_id, REVIEW)
    refuse_cancelled(loaded.state.tournament)
    row = DisputeRow.objects.get(pk=dispute_id)
    against = conflicts_at(unit.actor.ref, row.event_id, {"": row.entrants}).get("", ())
    # who ruled at this match after the dispute was raised is no other judge either
    judges = {*loaded.state.ruled_by, *ruled_by(row.match_id)}
    state = replace(loaded.state, ruled_by=tuple(sorted(judges)))
    head = Role.HEAD_JUDGE in unit.actor.roles_in(row.event_id)
    made = rules.take(state, conflicts=against, head_judge=head, **_now(unit, dispute_id))
    return DisputeState(dispute_id, _append(unit, loaded, made))


@command("judging.dispute_give_back")
def dispute_give_back(unit: Unit, *, dispute_id: str) -> DisputeState:
    """Give the review back to the queue. Raises Refused (judging.dispute_state, dispute_taken),
    NotAllowed."""
    loaded = _load(unit, dispute_id, REVIEW)
    made = rules.give_back(loaded.state, **_now(unit, dispute_id))
    return DisputeState(dispute_id, _append(unit, loaded, made))


@command("judging.dispute_rule")
def dispute_rule(
    unit: Unit,
    *,
    dispute_id: str,
    outcome: str,
    rule_id: str | None = None,
    note: str = "",
    score: list[int] | None = None,
    reason: str = PLAYED,
    winner: str | None = None,
) -> DisputeState:
    """Close the review by a ruling: the line stands, is wrong without effect on the result, or the
    result has to change to `score` (`reason` and `winner` as in tournaments.result_correct). An
    appeal by which no result has to change proposes the one that a correction replaced.

    The ruling is one like any other, of a call that is raised and closed with it. Raises Refused
    (judging.dispute_state, dispute_taken, dispute_outcome, dispute_proposal, reason_missing,
    call_open_there, unknown_rule, text_too_long), NotAllowed.
    """
    loaded = _load(unit, dispute_id, REVIEW)
    refuse_cancelled(loaded.state.tournament)
    state, by = loaded.state, unit.actor.ref
    changes = outcome == rules.RESULT
    proposed = {"score": score, "reason": reason, "winner": winner}
    given = score is not None or winner is not None or reason == DOUBLE_LOSS
    wrong = rules.ruleable(state, by=by, outcome=outcome, proposed=changes and given)
    if wrong is not None:
        raise Refused(_named(wrong) or wrong)
    if not note.strip():
        raise Refused(Refusal("judging.reason_missing", {"act": "dispute"}))
    if CallRow.objects.filter(match_id=state.match, open=True).exists():
        raise Refused(Refusal("judging.call_open_there", {}))
    call_id, ruling_id = new_id(), new_id()
    again = _replaced(dispute_id, state.match) if state.appealed and not changes else None
    call_raise(
        unit,
        call_id=call_id,
        match_id=state.match,
        kind=Kind.REPLAY_DISPUTE.value,
        category=Category.REPLAY.value,
    )
    call_claim(unit, call_id=call_id)
    call_arrive(unit, call_id=call_id, time_left_s=0)
    ruling_make(unit, call_id=call_id, ruling_id=ruling_id, rule_id=rule_id, note=note)
    call_close(unit, call_id=call_id)
    ruled = DisputeRuled(
        dispute_id,
        outcome,
        call_id,
        ruling_id,
        proposed if changes else again,
        by,
        clock.as_text(unit.now),
    )
    made: list[DomainEvent] = [ruled]
    if state.appealed:
        word = rules.upheld(state, outcome=outcome, proposed=ruled.proposed)
        told = DisputeAppealRuled(dispute_id, state.ruling, ruling_id, word, by, ruled.at)
        made.append(told)
    return DisputeState(dispute_id, _append(unit, loaded, made), ruling_id)


def _replaced(dispute_id: str, match_id: str) -> dict[str, Any] | None:
    """Return the result that was replaced because of the review, as a proposal; None where none
    was, or where the match has another since."""
    settled = [
        one for one in read_stream(_stream(dispute_id)) if isinstance(one.data, DisputeSettled)
    ]
    recorded = read_stream(match_stream(match_id))
    corrections = [one for one in recorded if isinstance(one.data, MatchCorrected)]
    if not settled or not corrections or corrections[-1].meta.command != settled[-1].meta.command:
        return None
    before, now = match_of.Match(), match_of.Match()
    for one in recorded:
        if one is corrections[-1]:
            before = now
        now = match_of.evolve(now, one.data)
    was = before.result
    if was is None:
        return None
    for winner in (None, was.winner):  # named only where the score does not say it
        asked: dict[str, Any] = {"score": list(was.score), "reason": was.reason, "winner": winner}
        if not isinstance(reporting.correct(now, **asked, note=None), Refusal):
            return asked
    return None


def appeal_until(ruled_at: str, minutes: int) -> str:
    """Return until when a review may be appealed (UTC text): as long after it as a line may be
    disputed after its match, `minutes`."""
    end = clock.from_text(ruled_at) + timedelta(minutes=minutes)
    return clock.as_text(end)


@command("judging.dispute_appeal")
def dispute_appeal(unit: Unit, *, dispute_id: str, reason: str) -> DisputeState:
    """Appeal the ruling of a review to the head judge, as a player of the match, within the window
    of disputes after it. What the review proposes waits until the head judge has ruled, whose word
    is final.

    Raises Refused (judging.dispute_state, ruling_final, appeal_window, reason_missing,
    text_too_long, tournaments.wrong_state), NotAllowed.
    """
    loaded = _load(unit, dispute_id, RAISE)
    state = loaded.state
    refuse_cancelled(state.tournament)
    ruling = RulingRow.objects.filter(pk=state.ruling).first()
    now = _now(unit, dispute_id)
    made = rules.appeal(
        state,
        reason=sealed(unit, reason),
        final=ruling is not None and ruling.final,
        until=appeal_until(state.ruled_at or now["at"], window_minutes(state.tournament)),
        **now,
    )
    return DisputeState(dispute_id, _append(unit, loaded, made))


@command("judging.dispute_correct")
def dispute_correct(unit: Unit, *, dispute_id: str, note: str) -> DisputeState:
    """Correct the result as the review proposes, after a look at what it moves
    (tournaments.selectors.undo_preview). One that is so already (corrected before an appeal that
    was in vain, or by the desk) stays, and the dispute is settled.

    Raises Refused (judging.dispute_state, own_match, reason_missing, and those of
    tournaments.result_correct), NotAllowed."""
    loaded = _load(unit, dispute_id, CORRECT)
    refuse_cancelled(loaded.state.tournament)
    made = _settled(unit, loaded, dispute_id, corrected=True, note=note)
    proposed = proposal(loaded.state.proposed)
    try:
        result_correct(unit, match_id=loaded.state.match, note=note, **proposed)
    except Refused as fault:
        if fault.refusal.code != SAME:
            raise
    return DisputeState(dispute_id, _append(unit, loaded, made))


@command("judging.dispute_leave")
def dispute_leave(unit: Unit, *, dispute_id: str, note: str) -> DisputeState:
    """Leave the result as it is although the review says otherwise, with a reason (who went on
    stays, say). Raises Refused (judging.dispute_state, own_match, reason_missing), NotAllowed."""
    loaded = _load(unit, dispute_id, CORRECT)
    made = _settled(unit, loaded, dispute_id, corrected=False, note=note)
    return DisputeState(dispute_id, _append(unit, loaded, made))


def _settled(
    unit: Unit, loaded: Loaded[Dispute], dispute_id: str, *, corrected: bool, note: str
) -> list[DomainEvent]:
    text = sealed(unit, note)
    return accept(
        rules.settle(loaded.state, corrected=corrected, note=text, **_now(unit, dispute_id))
    )


def proposal(held: Any) -> dict[str, Any]:
    """Return a proposed result as result_correct and its preview take it."""
    return {"score": held["score"], "reason": held["reason"], "winner": held["winner"]}


@command("judging.dispute_window_set")
def dispute_window_set(unit: Unit, *, event_id: str, minutes: int) -> int:
    """Choose for how many minutes after a match its duels can be disputed (0: not at all); return
    them. Raises Refused (judging.dispute_minutes), NotAllowed."""
    require(unit.actor, WINDOW, Subject(event_id=event_id, public=False))
    refuse_cancelled(event_id)
    if not 0 <= minutes <= rules.MOST_MINUTES:
        raise Refused(
            Refusal("judging.dispute_minutes", {"found": minutes, "allowed": rules.MOST_MINUTES})
        )
    stream = f"disputes-{event_id}"
    chosen = DisputeWindowSet(event_id, minutes, unit.actor.ref, clock.as_text(unit.now))
    unit.append(stream, len(read_stream(stream)), [chosen])
    return minutes
