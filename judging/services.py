"""Commands of judging. Every one asks the permission table about the table of the call.

A ruling that rewinds a duel or changes a result does so in the same transaction: either all of
it stands, or nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import msgspec

from eventstore import clock
from eventstore.commands import Unit, command
from eventstore.domain.refusal import Refusal, Refused
from eventstore.ids import is_id, new_id
from judging import rulebook
from judging.conflicts import conflicts_of
from judging.domain import acts
from judging.domain.call import NEW, Call, evolve
from judging.domain.ruling import RulingAsk, Table
from judging.domain.sheet_events import ConflictOverridden
from judging.domain.words import Outcome, Remedy
from judging.handling import MAX_TEXT as MAX_TEXT
from judging.handling import append as _append
from judging.handling import by_of as _by
from judging.handling import decided as _decided
from judging.handling import load as _load
from judging.handling import match_in as _match
from judging.handling import pack_in as _pack
from judging.handling import sealed as _sealed
from judging.handling import subject as _subject
from judging.matches import game_of, match_now, pack_of, table_left
from judging.models import CallRow, RulingRow
from judging.packs import UnknownPack
from people.access import NotAllowed, require
from people.domain.permissions import Verdict
from people.selectors import languages
from tournaments.services.loading import refuse_cancelled

MAX_TIME_LEFT_S = 6 * 3600
MAX_CITES = 20


class Raised(msgspec.Struct, frozen=True):
    """The call that is open at the table now; `merged` when it was open before."""

    call_id: str
    merged: bool


class CallState(msgspec.Struct, frozen=True):
    """Where a call stands after a command."""

    call_id: str
    state: str
    extension_s: int = 0


class Ruled(msgspec.Struct, frozen=True):
    """A ruling as recorded: `approval` is pending while the head judge has not spoken."""

    call_id: str
    ruling_id: str
    state: str
    penalty: str | None
    approval: str
    in_force: bool


def _state(call: Call) -> CallState:
    return CallState(call.call_id, call.status.value, call.extension_s)


@command("judging.call_raise")
def call_raise(
    unit: Unit,
    *,
    call_id: str,
    match_id: str,
    kind: str = "ruling",
    category: str = "rules",
    head_judge_wanted: bool = False,
) -> Raised:
    """Call a judge to a match: by one of its players, or by staff for the table.

    One call is open per match: a second one joins it, and the open call is returned. Raises
    Refused (judging.call_id, call_exists, unknown_call_kind, unknown_category, unknown_pack,
    tournaments.wrong_state), NotAllowed.
    """
    match = match_now(match_id) if is_id(match_id) else None
    if match is None:
        raise NotAllowed("judging.call_raise", Verdict.HIDDEN)
    facts = match.facts
    require(unit.actor, "judging.call_raise", _subject(facts.event_id, facts.seats))
    refuse_cancelled(facts.event_id)
    if not is_id(call_id):
        raise Refused(Refusal("judging.call_id", {"found": call_id[:40]}))
    new = unit.load(f"call-{call_id}", NEW, evolve)
    by = _by(unit, facts.event_id)
    open_call = (
        CallRow.objects.filter(match_id=match_id, open=True)
        .values_list("call_id", flat=True)
        .first()
    )
    try:
        chosen = pack_of(facts.event_id)
    except UnknownPack as fault:
        raise Refused(Refusal("judging.unknown_pack", {"found": str(fault)})) from fault
    persons = [person for seat in facts.seats for person in seat]
    act = acts.RaiseCall(
        by=by,
        call_id=call_id,
        match=facts,
        kind=kind,
        category=category,
        languages=tuple(sorted(set(languages(persons).values()))),
        pack=chosen,
        head_judge_wanted=head_judge_wanted,
        open_call=open_call,
    )
    _append(unit, new, _decided(new, act))
    if open_call is None:
        return Raised(call_id, False)
    first = unit.load(f"call-{open_call}", NEW, evolve)
    _append(unit, first, _decided(first, acts.JoinCall(by, call_id, kind, category)))
    return Raised(open_call, True)


@command("judging.call_claim")
def call_claim(unit: Unit, *, call_id: str) -> CallState:
    """Take a call. Of two judges one gets it, the other is told who did. A conflict of interest
    that the page has warned of is noted.

    Raises Refused (judging.already_claimed, own_match, head_judge_only, own_ruling,
    wrong_state), NotAllowed.
    """
    loaded = _load(unit, call_id, "judging.call_take")
    by = _by(unit, loaded.state.tournament)
    made = _decided(loaded, acts.ClaimCall(by))
    kinds = conflicts_of(by.person, _match(loaded.state).facts)
    if kinds:
        made.append(ConflictOverridden(call_id, kinds, by.person, by.at))
    return _state(_append(unit, loaded, made))


@command("judging.call_arrive")
def call_arrive(unit: Unit, *, call_id: str, time_left_s: int | None = None) -> CallState:
    """Say that the judge stands at the table. `time_left_s`: what the table's clock shows, in
    seconds (None: as the clock of the round and earlier extensions have it). Raises Refused
    (judging.wrong_state, not_your_call, time_left_range), NotAllowed.
    """
    loaded = _load(unit, call_id, "judging.call_take")
    table_end: str | None = None
    if time_left_s is None:
        facts = _match(loaded.state).facts
        known = table_left(facts.match_id, facts.event_id, facts.round)
        time_left_s = None if known is None else max(0, known)
    if time_left_s is not None:
        if not 0 <= time_left_s <= MAX_TIME_LEFT_S:
            raise Refused(
                Refusal(
                    "judging.time_left_range", {"found": time_left_s, "allowed": MAX_TIME_LEFT_S}
                )
            )
        table_end = clock.as_text(unit.now + timedelta(seconds=time_left_s))
    act = acts.Arrive(_by(unit, loaded.state.tournament), table_end)
    return _state(_append(unit, loaded, _decided(loaded, act)))


@command("judging.call_give_back")
def call_give_back(unit: Unit, *, call_id: str) -> CallState:
    """Give a claimed call back to its queue. Raises Refused (judging.wrong_state,
    not_your_call), NotAllowed.
    """
    loaded = _load(unit, call_id, "judging.call_take")
    act = acts.GiveBack(_by(unit, loaded.state.tournament))
    return _state(_append(unit, loaded, _decided(loaded, act)))


@command("judging.call_escalate")
def call_escalate(unit: Unit, *, call_id: str, note: str = "") -> CallState:
    """Hand a call to the head judge, whose ruling is then final. Raises Refused
    (judging.wrong_state, not_your_call, own_match, ruling_final, text_too_long), NotAllowed.
    """
    loaded = _load(unit, call_id, "judging.call_take")
    act = acts.Escalate(_by(unit, loaded.state.tournament), _sealed(unit, note))
    return _state(_append(unit, loaded, _decided(loaded, act)))


@command("judging.call_withdraw")
def call_withdraw(unit: Unit, *, call_id: str) -> CallState:
    """Take one's own call back before a ruling. Raises Refused (judging.wrong_state,
    not_your_call, call_shared, already_ruled), NotAllowed.
    """
    loaded = _load(unit, call_id, "judging.call_raise")
    act = acts.Withdraw(_by(unit, loaded.state.tournament))
    return _state(_append(unit, loaded, _decided(loaded, act)))


def _cited(cites: Sequence[str]) -> tuple[str, ...]:
    """Return the rulings that are cited, each once; raises Refused (judging.unknown_cite)."""
    wanted = tuple(dict.fromkeys(cites))
    ids = [one for one in wanted[:MAX_CITES] if is_id(one)]
    known = set(RulingRow.objects.filter(pk__in=ids).values_list("pk", flat=True))
    strange = [one for one in wanted if one not in known]
    if strange:
        raise Refused(Refusal("judging.unknown_cite", {"found": strange[0][:40]}))
    return wanted


def _ruling_act(
    unit: Unit,
    call: Call,
    ask: RulingAsk,
    *,
    ruling_id: str | None,
    cites: Sequence[str],
    texts: acts.Texts,
) -> acts.MakeRuling:
    """Put a ruling act together; raises Refused (judging.duel_not_of_match, duel_scored,
    unknown_cite, ruling_exists)."""
    match = _match(call)
    if ask.remedy == Remedy.REWIND.value:
        require(unit.actor, "judging.rewind_order", _subject(call.tournament, call.seats))
        if ask.duel_id is None and ask.checklist is None and match.duels:
            ask = replace(ask, duel_id=match.duels[-1])
        if ask.duel_id in match.scored:
            # the score of the match stands on its result; correcting that is the way
            raise Refused(Refusal("judging.duel_scored", {"found": ask.duel_id}))
    if ask.duel_id is not None and ask.duel_id not in match.duels:
        raise Refused(
            Refusal(
                "judging.duel_not_of_match", {"found": ask.duel_id, "allowed": list(match.duels)}
            )
        )
    wanted = _cited(cites)
    if ruling_id is not None and (
        not is_id(ruling_id) or RulingRow.objects.filter(pk=ruling_id).exists()
    ):
        raise Refused(Refusal("judging.ruling_exists", {"found": ruling_id[:40]}))
    return acts.MakeRuling(
        by=_by(unit, call.tournament),
        ruling_id=ruling_id or new_id(),
        ask=ask,
        pack=_pack(call),
        table=Table(call.entrants, match.moment),
        rules=rulebook.rule_ids(game_of(call.tournament)),
        cites=wanted,
        texts=texts,
    )


def _ruled(call: Call) -> Ruled:
    ruling = call.ruling
    if ruling is None:
        raise Refused(Refusal("judging.no_ruling", {"found": call.status.value}))
    return Ruled(
        call_id=call.call_id,
        ruling_id=ruling.ruling_id,
        state=call.status.value,
        penalty=ruling.penalty.value if ruling.penalty else None,
        approval=ruling.approval.value,
        in_force=ruling.in_force,
    )


@command("judging.ruling_make")
def ruling_make(
    unit: Unit,
    *,
    call_id: str,
    ruling_id: str | None = None,
    rule_id: str | None = None,
    infraction: str | None = None,
    infraction_kind: str | None = None,
    penalty: str | None = None,
    target: str | None = None,
    target_entrant: str | None = None,
    remedy: str = "play_on",
    duel_id: str | None = None,
    rewind_to: int | None = None,
    checklist: dict[str, bool] | None = None,
    self_reported: bool = False,
    cites: Sequence[str] = (),
    note: str = "",
    facts_agreed: str = "",
    facts_disputed: str = "",
) -> Ruled:
    """Rule on a call one stands at. Without an infraction it is an answer, without penalty.

    The base penalty of the infraction is taken unless the head judge names another. A penalty
    in the pack's approval list waits for the head judge and changes nothing until then. A
    rewind is the head judge's alone and goes back to event `rewind_to` of the duel's log, or rests
    on the four questions of `checklist` where there is no full log.
    Raises Refused (the codes of domain.ruling.settle, judging.wrong_state, not_your_call,
    own_match, not_at_table, appeal_open, duel_not_of_match, duel_scored, unknown_cite,
    ruling_exists, text_too_long, text_signs, and what duels and tournaments refuse), NotAllowed.
    """
    loaded = _load(unit, call_id, "judging.ruling_make")
    ask = RulingAsk(
        rule_id=rule_id,
        infraction=infraction,
        infraction_kind=infraction_kind,
        penalty=penalty,
        target=target,
        target_entrant=target_entrant,
        remedy=remedy,
        duel_id=duel_id,
        rewind_to=rewind_to,
        checklist=checklist,
        self_reported=self_reported,
        reasoned=bool(note.strip()),
    )
    texts = acts.Texts(
        _sealed(unit, note),
        _sealed(unit, facts_agreed),
        _sealed(unit, facts_disputed),
    )
    act = _ruling_act(unit, loaded.state, ask, ruling_id=ruling_id, cites=cites, texts=texts)
    return _ruled(_append(unit, loaded, _decided(loaded, act)))


@command("judging.penalty_approve")
def penalty_approve(unit: Unit, *, call_id: str, ruling_id: str) -> Ruled:
    """Approve a pending penalty: it comes into force at once, and the result changes.

    Raises Refused (judging.nothing_pending, under_appeal, own_match, own_ruling), NotAllowed.
    """
    loaded = _load(unit, call_id, "judging.penalty_approve")
    act = acts.Approve(_by(unit, loaded.state.tournament), ruling_id, _pack(loaded.state))
    return _ruled(_append(unit, loaded, _decided(loaded, act)))


@command("judging.penalty_decline")
def penalty_decline(unit: Unit, *, call_id: str, ruling_id: str, reason: str = "") -> Ruled:
    """Decline a pending penalty: it never comes into force. Raises Refused
    (judging.nothing_pending, under_appeal, own_match, own_ruling, text_too_long), NotAllowed.
    """
    loaded = _load(unit, call_id, "judging.penalty_approve")
    act = acts.Decline(_by(unit, loaded.state.tournament), ruling_id, _sealed(unit, reason))
    return _ruled(_append(unit, loaded, _decided(loaded, act)))


@command("judging.ruling_accept")
def ruling_accept(unit: Unit, *, call_id: str, seat: str | None = None) -> CallState:
    """Accept the ruling for one's own seat (staff names it); with both the call closes.

    Raises Refused (judging.wrong_state, unknown_seat, not_your_seat, already_accepted),
    NotAllowed.
    """
    loaded = _load(unit, call_id, "judging.call_raise")
    act = acts.Accept(_by(unit, loaded.state.tournament), _pack(loaded.state), seat)
    return _state(_append(unit, loaded, _decided(loaded, act)))


@command("judging.call_appeal")
def call_appeal(
    unit: Unit, *, call_id: str, seat: str | None = None, reason: str = ""
) -> CallState:
    """Appeal to the head judge for one's own seat (staff names it), until it is accepted.

    Raises Refused (judging.wrong_state, ruling_final, already_accepted, unknown_seat,
    not_your_seat, text_too_long), NotAllowed.
    """
    loaded = _load(unit, call_id, "judging.call_raise")
    act = acts.Appeal(_by(unit, loaded.state.tournament), seat, _sealed(unit, reason))
    return _state(_append(unit, loaded, _decided(loaded, act)))


@command("judging.appeal_rule")
def appeal_rule(
    unit: Unit,
    *,
    call_id: str,
    outcome: str,
    ruling_id: str | None = None,
    rule_id: str | None = None,
    infraction: str | None = None,
    infraction_kind: str | None = None,
    penalty: str | None = None,
    target: str | None = None,
    target_entrant: str | None = None,
    remedy: str = "play_on",
    duel_id: str | None = None,
    rewind_to: int | None = None,
    checklist: dict[str, bool] | None = None,
    self_reported: bool = False,
    cites: Sequence[str] = (),
    note: str = "",
    facts_agreed: str = "",
    facts_disputed: str = "",
) -> Ruled:
    """Decide an appeal that the head judge has claimed: upheld, modified or overturned.

    Upheld lets the first ruling stand, a pending penalty with it. Modified and overturned take
    the ruling given here in its place. Final. Raises Refused (judging.head_judge_only,
    no_appeal, unknown_outcome, and those of ruling_make), NotAllowed.
    """
    loaded = _load(unit, call_id, "judging.ruling_make")
    call = loaded.state
    sealed = _sealed(unit, note)
    ask = RulingAsk(
        rule_id=rule_id,
        infraction=infraction,
        infraction_kind=infraction_kind,
        penalty=penalty,
        target=target,
        target_entrant=target_entrant,
        remedy=remedy,
        duel_id=duel_id,
        rewind_to=rewind_to,
        checklist=checklist,
        self_reported=self_reported,
    )
    instead: acts.MakeRuling | None = None
    if outcome != Outcome.UPHELD.value or ask != RulingAsk():
        texts = acts.Texts(sealed, _sealed(unit, facts_agreed), _sealed(unit, facts_disputed))
        ask = replace(ask, reasoned=bool(sealed))
        instead = _ruling_act(unit, call, ask, ruling_id=ruling_id, cites=cites, texts=texts)
    upheld_on = _cited(cites) if instead is None else ()
    act = acts.RuleAppeal(_by(unit, call.tournament), outcome, instead, sealed, upheld_on)
    return _ruled(_append(unit, loaded, _decided(loaded, act)))


@command("judging.call_close")
def call_close(
    unit: Unit,
    *,
    call_id: str,
    extension_s: int | None = None,
    reason: str = "",
    real_s: int | None = None,
) -> CallState:
    """Close a call after its ruling because play goes on; no appeal after that.

    The time extension is computed by the pack; `extension_s` overrides it with a reason, and
    the computed value stays visible. A call that was left open is closed only with its real
    length `real_s` in seconds. Raises Refused (judging.wrong_state, not_your_call, own_match,
    extension_range, reason_missing, real_length_missing, real_length_range, text_too_long),
    NotAllowed.
    """
    loaded = _load(unit, call_id, "judging.ruling_make")
    act = acts.Close(
        _by(unit, loaded.state.tournament),
        _pack(loaded.state),
        extension_s,
        _sealed(unit, reason),
        real_s=real_s,
    )
    return _state(_append(unit, loaded, _decided(loaded, act)))
