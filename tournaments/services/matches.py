"""Commands on a match: coin, starter, claims, results, penalties."""

from __future__ import annotations

import random

from eventstore.clock import as_text
from eventstore.commands import Loaded, Unit, accept, command
from eventstore.domain.envelope import fold
from eventstore.domain.refusal import Refusal, Refused
from eventstore.domain.registry import DomainEvent
from tournaments.domain import conflicts, enrolment, play, reporting, results, scores
from tournaments.domain.event import CUT, RUNNING
from tournaments.domain.match import Match, evolve
from tournaments.models import EventRow, MatchRow
from tournaments.services.loading import (
    checked_seed,
    load_event,
    load_match,
    load_own,
    load_played,
    refuse_own,
    sealed,
)
from tournaments.services.packets import packet_open
from tournaments.services.tables import late_loss, losses_follow, time_of
from tournaments.services.undoing import corrected_result, placed_anew

KINDS = (results.GAME_LOSS, results.MATCH_LOSS, results.DISQUALIFICATION)


def append(unit: Unit, loaded: Loaded[Match], made: list[DomainEvent]) -> str:
    """Append to a match and return the word of its state."""
    unit.append(loaded.stream, loaded.version, made)
    return fold(loaded.state, evolve, made).word


@command("tournaments.coin_toss")
def coin_toss(
    unit: Unit, *, match_id: str, winner: str | None = None, seed: int | None = None
) -> str:
    """Toss the coin of the next duel; return who won it, P1 or P2.

    `winner` given: a coin on the table, entered by players or staff; else the seed decides.
    Raises Refused (YGO-1.7, `tournaments.coin_tossed`, `tournaments.duel_running`).
    """
    loaded = load_played(unit, match_id, "tournaments.match_play")
    drawn: int | None = None
    if winner is None:
        drawn = checked_seed(seed)
        winner = random.Random(drawn).choice(scores.SEATS)
    append(unit, loaded, accept(play.toss_coin(loaded.state, winner=winner, seed=drawn)))
    return winner


@command("tournaments.starter_choose")
def starter_choose(unit: Unit, *, match_id: str, first: str, by: str | None = None) -> None:
    """Choose who starts the next duel. A player chooses for the own seat; staff enter the
    choice of the seat `by` (None: the one that has it).

    Raises Refused (YGO-1.6, YGO-1.7, YGO-1.8, `tournaments.starter_chosen`).
    """
    loaded = load_played(unit, match_id, "tournaments.match_play")
    state = loaded.state
    seat = state.seat_of_person(unit.actor.person_id) or by
    if seat is None:
        seat = scores.chooser(state.form, state.results, state.toss) or ""
    append(unit, loaded, accept(play.choose_starter(state, by=seat, first=first)))


def _is_on(state: Match) -> bool:
    """Whether the round of a match is the newest that is out, in an event that goes on."""
    newest = EventRow.objects.values_list("round", "status").get(pk=state.event_id)
    return newest[0] == state.round and newest[1] in (RUNNING, CUT)


@command("tournaments.result_claim")
def result_claim(
    unit: Unit,
    *,
    match_id: str,
    score: list[int] | None = None,
    reason: str = results.PLAYED,
    winner: str | None = None,
) -> str:
    """A player reports the score [P1 wins, P2 wins, draws]; return claimed, disputed or
    decided. `winner` is needed for a concession only. A report that comes after staff have
    entered another result, while the round is on, stands beside it: contested.

    Raises Refused (`tournaments.score_impossible`, `tournaments.match_decided`,
    `tournaments.cut_needs_winner`, ...), NotAllowed.
    """
    loaded, seat = load_own(unit, match_id, "tournaments.result_claim")
    if loaded.state.result is not None and _is_on(loaded.state):
        said = reporting.said(loaded.state, score=score, reason=reason, winner=winner)
        if isinstance(said, Refusal):
            raise Refused(said)
        against = accept(conflicts.claim_against(loaded.state, seat=seat, result=said))
        unit.append(loaded.stream, loaded.version, against)
        return "contested" if against else "decided"
    made = accept(
        reporting.claim(loaded.state, seat=seat, score=score, reason=reason, winner=winner)
    )
    after = fold(loaded.state, evolve, made).result
    time = time_of(loaded.state, as_text(unit.now)) if after is not None else None
    word = append(unit, loaded, made)
    if after is not None:
        late_loss(unit, loaded.state, after, time)
    return word


@command("tournaments.result_enter")
def result_enter(
    unit: Unit,
    *,
    match_id: str,
    score: list[int] | None = None,
    reason: str = results.PLAYED,
    winner: str | None = None,
) -> None:
    """Staff enter the result. `winner` P1, P2 or double_loss for reasons that name one
    (match_loss, no_show, concession, disqualification); double_loss needs neither.

    Raises Refused (the codes of `result_claim`, `tournaments.winner_missing`), NotAllowed.
    """
    loaded = load_played(unit, match_id, "tournaments.result_enter")
    made = accept(reporting.enter(loaded.state, score=score, reason=reason, winner=winner))
    result = fold(loaded.state, evolve, made).result
    time = time_of(loaded.state, as_text(unit.now))
    append(unit, loaded, made)
    if result is not None:
        late_loss(unit, loaded.state, result, time)


@command("tournaments.results_accept")
def results_accept(unit: Unit, *, event_id: str) -> int:
    """Staff accept every result that one player alone has reported; return how many.

    Two reports that differ stay as they are. A report that the duels scored since do not allow
    stays too. Raises Refused (`tournaments.wrong_state`), NotAllowed.
    """
    load_event(unit, event_id, "tournaments.desk_use", stands=True)
    accepted = 0
    rows = MatchRow.objects.filter(event_id=event_id, state="claimed").order_by("table")
    for match_id in list(rows.values_list("pk", flat=True)):
        loaded = load_match(unit, match_id, "tournaments.result_enter")
        claim = next(iter(loaded.state.claims.values()), None)
        if claim is None or len(loaded.state.claims) != 1:
            continue
        named = claim.reason in results.BY_WINNER
        made = reporting.enter(
            loaded.state,
            score=claim.score,
            reason=claim.reason,
            winner=claim.winner if named else None,
        )
        if not isinstance(made, Refusal):
            append(unit, loaded, made)
            accepted += 1
    return accepted


@command("tournaments.result_correct")
def result_correct(
    unit: Unit,
    *,
    match_id: str,
    score: list[int] | None = None,
    reason: str = results.PLAYED,
    winner: str | None = None,
    note: str = "",
) -> None:
    """Staff replace a result by appending; standings get a new revision, an event that is over
    its final places anew. Published rounds stand.

    Who won a match of the cut stays once its next round is published
    (`tournaments.cut_moved_on`). Raises Refused (`tournaments.result_missing`,
    `tournaments.nothing_changed`, `tournaments.wrong_state` in a cancelled event, ...),
    NotAllowed.
    """
    loaded = load_played(unit, match_id, "tournaments.result_enter")
    state = loaded.state
    made = accept(
        reporting.correct(state, score=score, reason=reason, winner=winner, note=sealed(unit, note))
    )
    corrected_result(unit, state, made)
    append(unit, loaded, made)
    after = fold(state, evolve, made).result
    if after is not None:
        losses_follow(unit, state, after)
    placed_anew(unit, state.event_id)


@command("tournaments.penalty_apply")
def penalty_apply(
    unit: Unit,
    *,
    event_id: str,
    entrant_id: str,
    kind: str,
    match_id: str | None = None,
    both: bool = False,
    rule: str | None = None,
    note: str = "",
) -> str:
    """Apply a game_loss, match_loss or disqualification to an entrant; `both`: to its opponent
    too (not for a disqualification). Return the state of the match, empty without one.

    `match_id` None: the open match of the entrant. A disqualified entrant loses it and is out,
    and its persons cannot be erased until the packet is closed (`packet_close`).
    Raises Refused (`tournaments.penalty_unknown`, `tournaments.no_open_match`,
    `tournaments.match_decided`, `tournaments.own_match`, ...), NotAllowed.
    """
    event = load_event(unit, event_id, "tournaments.penalty_apply")
    if kind not in KINDS or (both and kind == results.DISQUALIFICATION):
        raise Refused(Refusal("tournaments.penalty_unknown", {"found": kind, "allowed": [*KINDS]}))
    found = enrolment.find(event.state, entrant_id)
    if isinstance(found, Refusal):
        raise Refused(found)
    text = sealed(unit, note)
    if match_id is None:
        match_id = _open_match(event_id, entrant_id)
    if match_id is None and kind != results.DISQUALIFICATION:
        raise Refused(Refusal("tournaments.no_open_match", {"entrant": entrant_id}))
    word = ""
    if match_id is not None:
        word = _lose(unit, match_id, event_id, entrant_id, kind, both, rule, text)
    if kind == results.DISQUALIFICATION:
        out = enrolment.disqualify(event.state, entrant_id=entrant_id, rule=rule, note=text)
        unit.append(event.stream, event.version, accept(out))
        packet_open(unit, event_id=event_id, entrant_id=entrant_id, persons=found.persons)
    return word


def _open_match(event_id: str, entrant_id: str) -> str | None:
    rows = MatchRow.objects.filter(event_id=event_id).exclude(state__in=["draft", "decided"])
    for pk, p1, p2 in rows.values_list("pk", "p1", "p2"):
        if entrant_id in (p1, p2):
            return str(pk)
    return None


def _lose(
    unit: Unit,
    match_id: str,
    event_id: str,
    entrant_id: str,
    kind: str,
    both: bool,
    rule: str | None,
    note: str | None,
) -> str:
    loaded = load_played(unit, match_id, "tournaments.penalty_apply")
    seat = loaded.state.seat_of(entrant_id)
    if loaded.state.event_id != event_id or seat is None:
        raise Refused(Refusal("tournaments.not_in_match", {"entrant": entrant_id}))
    refuse_own(unit, loaded.state)
    seats = scores.SEATS if both else (seat,)
    if kind == results.GAME_LOSS:
        made = play.apply_game_loss(loaded.state, seats=seats, rule=rule, note=note)
    else:
        made = play.apply_match_loss(loaded.state, seats=seats, reason=kind, rule=rule, note=note)
    return append(unit, loaded, accept(made))
