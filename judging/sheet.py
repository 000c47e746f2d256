"""Commands of the table sheet. Each names the match, finds its call, and does in one command
what needs several of the desk: a tap of a judge is one act, whatever state the call is in.

A phone that had no server tells how old its act is (`Context.client_time`); the act then counts
from when it was made, and the log keeps both moments.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import msgspec

from eventstore import clock
from eventstore.commands import Loaded, Unit, command
from eventstore.domain.envelope import Recorded
from eventstore.domain.refusal import Refusal, Refused
from eventstore.domain.registry import DomainEvent
from eventstore.ids import is_id, new_id
from eventstore.store import read_stream
from judging import handling, rulebook
from judging.conflicts import conflicts_of
from judging.domain import acts, sheet
from judging.domain.call import NEW, Call, evolve
from judging.domain.decide import UNDO_S
from judging.domain.ruling import RulingAsk, Table
from judging.domain.sheet_events import ConflictOverridden, EntryStruck, LpCopied, SheetNoted
from judging.domain.words import SEATS, Approval, Category, Kind, Remedy, Status
from judging.events import (
    CallClosed,
    CallEscalated,
    CallRaised,
    JudgeArrived,
    PenaltyApproved,
    RulingMade,
)
from judging.matches import (
    MatchNow,
    game_of,
    match_now,
    pack_of,
    table_left,
)
from judging.models import CallRow
from judging.packs import UnknownPack
from people.access import NotAllowed, require
from people.domain.permissions import Verdict
from people.selectors import languages
from tournaments.services.loading import refuse_cancelled


class AtTable(msgspec.Struct, frozen=True):
    """What an act at a table came to: its call, the state of it, the extension given, and the
    penalty with its approval when there is one."""

    call_id: str
    state: str
    extension_s: int = 0
    penalty: str | None = None
    approval: str | None = None


def _match(unit: Unit, match_id: str) -> MatchNow:
    """Return a match whose table the actor may judge; raises NotAllowed."""
    match = match_now(match_id) if is_id(match_id) else None
    if match is None:
        raise NotAllowed("judging.call_take", Verdict.HIDDEN)
    subject = handling.subject(match.facts.event_id, match.facts.seats)
    require(unit.actor, "judging.call_take", subject)
    return match


def made_at(unit: Unit) -> datetime:
    """Return when the act of a command was made, as far as its phone can be believed."""
    told = unit.context.client_time
    try:
        moment = clock.from_text(told) if told else None
    except ValueError:
        moment = None
    return sheet.real_moment(unit.now, moment)


class _Acts:
    """Several acts on one call within one command: decided one on the other, appended once."""

    def __init__(self, unit: Unit, loaded: Loaded[Call]) -> None:
        self.unit, self.loaded, self.state = unit, loaded, loaded.state
        self.events: list[DomainEvent] = []

    def do(self, act: acts.Act) -> None:
        """Decide one act; raises Refused."""
        made = handling.decided(replace(self.loaded, state=self.state), act)
        self.add(made)

    def add(self, made: Sequence[DomainEvent]) -> None:
        """Take in events that were decided."""
        for one in made:
            self.state = evolve(self.state, one)
        self.events.extend(made)

    def append(self) -> Call:
        """Append what was decided, and do to the match what it means."""
        return handling.append(self.unit, self.loaded, self.events)


def _open_call(match_id: str) -> str | None:
    return (
        CallRow.objects.filter(match_id=match_id, open=True)
        .values_list("call_id", flat=True)
        .first()
    )


def _by(unit: Unit, match: MatchNow) -> acts.By:
    return handling.by_of(unit, match.facts.event_id)


def _raise(todo: _Acts, match: MatchNow, call_id: str, category: str) -> None:
    refuse_cancelled(match.facts.event_id)
    try:
        pack = pack_of(match.facts.event_id)
    except UnknownPack as fault:
        raise Refused(Refusal("judging.unknown_pack", {"found": str(fault)})) from fault
    persons = [person for seat in match.facts.seats for person in seat]
    todo.do(
        acts.RaiseCall(
            by=_by(todo.unit, match),
            call_id=call_id,
            match=match.facts,
            kind=Kind.RULING.value,
            category=category,
            languages=tuple(sorted(set(languages(persons).values()))),
            pack=pack,
        )
    )


def _at_table(
    unit: Unit, match: MatchNow, call_id: str, minutes_ago: int = 0, *, anew: bool = True
) -> _Acts:
    """Stand at a table: the open call of it, or a new one, is taken and its clock runs.

    `anew` False: one that is at the table already goes on. Raises Refused.
    """
    if minutes_ago not in sheet.SET_BACK_MINUTES:
        allowed = list(sheet.SET_BACK_MINUTES[1:])
        raise Refused(Refusal("judging.minutes_range", {"found": minutes_ago, "allowed": allowed}))
    held = _open_call(match.facts.match_id)
    chosen = held or call_id
    if not is_id(chosen):
        raise Refused(Refusal("judging.call_id", {"found": chosen[:40]}))
    todo = _Acts(unit, unit.load(f"call-{chosen}", NEW, evolve))
    by = _by(unit, match)
    if held is None:
        _raise(todo, match, chosen, Category.OTHER.value)
    state = todo.state
    if state.claimed_by == by.person and state.arrived_at and not anew:
        return todo
    if state.claimed_by != by.person:
        todo.do(acts.ClaimCall(by))
        kinds = conflicts_of(by.person, match.facts)
        if kinds:
            todo.add([ConflictOverridden(chosen, kinds, by.person, by.at)])
    left = table_left(match.facts.match_id, match.facts.event_id, match.facts.round)
    end = None if left is None else clock.as_text(unit.now + timedelta(seconds=max(0, left)))
    todo.do(acts.Arrive(by, end))
    began = made_at(unit) - timedelta(minutes=minutes_ago)
    if began < unit.now:
        why = "set_back" if minutes_ago else "queued"
        todo.do(acts.SetBack(by, clock.as_text(began), why))
    return todo


def _told(call: Call) -> AtTable:
    ruling = call.ruling
    return AtTable(
        call_id=call.call_id,
        state=call.status.value,
        extension_s=call.extension_s,
        penalty=ruling.penalty.value if ruling and ruling.penalty else None,
        approval=ruling.approval.value if ruling and ruling.penalty else None,
    )


@command("judging.sheet_start")
def sheet_start(unit: Unit, *, match_id: str, call_id: str, minutes_ago: int = 0) -> AtTable:
    """START HERE: the open call of the table is taken, or one is raised, and its clock runs.

    `call_id` is the id a new call gets; `minutes_ago` (0, 1, 2, 3 or 5) sets the start back.
    Raises Refused (judging.minutes_range, already_claimed, own_match, wrong_state,
    head_judge_only, call_id, unknown_pack), NotAllowed.
    """
    match = _match(unit, match_id)
    return _told(_at_table(unit, match, call_id, minutes_ago).append())


def _rule(todo: _Acts, match: MatchNow, ask: RulingAsk, ruling_id: str | None, note: str) -> None:
    sealed = handling.sealed(todo.unit, note)
    todo.do(
        acts.MakeRuling(
            by=_by(todo.unit, match),
            ruling_id=ruling_id if ruling_id and is_id(ruling_id) else new_id(),
            ask=replace(ask, reasoned=bool(sealed)),
            pack=handling.pack_in(todo.state),
            table=Table(todo.state.entrants, match.moment),
            rules=rulebook.rule_ids(game_of(match.facts.event_id)),
            texts=acts.Texts(note=sealed),
        )
    )


def _close(
    todo: _Acts,
    match: MatchNow,
    extension_s: int | None = None,
    reason: str = "",
    real_s: int | None = None,
) -> None:
    unit = todo.unit
    if extension_s is not None and not reason.strip():
        raise Refused(Refusal("judging.reason_missing", {"act": "extension"}))
    ended = made_at(unit)
    todo.do(
        acts.Close(
            _by(unit, match),
            handling.pack_in(todo.state),
            extension_s,
            handling.sealed(unit, reason),
            clock.as_text(ended) if ended < unit.now else None,
            real_s,
        )
    )


def _mine(unit: Unit, match: MatchNow) -> _Acts:
    """Return the open call of the table that the actor has; raises Refused
    (judging.not_started, not_your_call)."""
    held = _open_call(match.facts.match_id)
    if held is None:
        raise Refused(Refusal("judging.not_started"))
    todo = _Acts(unit, unit.load(f"call-{held}", NEW, evolve))
    by = _by(unit, match)
    if todo.state.claimed_by != by.person and by.person not in todo.state.judges:
        raise Refused(Refusal("judging.not_your_call", {"by": todo.state.claimed_by}))
    return todo


@command("judging.sheet_done")
def sheet_done(
    unit: Unit,
    *,
    match_id: str,
    extension_s: int | None = None,
    reason: str = "",
    real_s: int | None = None,
) -> AtTable:
    """DONE: play goes on. Without a ruling so far it is an answer without infraction.

    The extension is computed by the pack; `extension_s` overrides it with a reason. A call that
    was left open is done only with its real length `real_s` in seconds. Raises Refused
    (judging.not_started, not_your_call, wrong_state, extension_range, reason_missing,
    real_length_missing, real_length_range), NotAllowed.
    """
    match = _match(unit, match_id)
    todo = _mine(unit, match)
    if todo.state.status in (Status.AT_TABLE, Status.HJ_CLAIMED):
        _rule(todo, match, RulingAsk(), None, "")
    _close(todo, match, extension_s, reason, real_s)
    return _told(todo.append())


def usual_remedy(pack_remedies: Sequence[Remedy], head_judge: bool) -> Remedy:
    """Return the remedy a penalty gets when none is named: the first of the pack that is no
    rewind, because a rewind needs an event of the log and the head judge."""
    plain = [one for one in pack_remedies if one is not Remedy.REWIND]
    return plain[0] if plain else Remedy.PLAY_ON


@command("judging.sheet_rule")
def sheet_rule(
    unit: Unit,
    *,
    match_id: str,
    call_id: str,
    infraction: str,
    infraction_kind: str | None = None,
    seat: str,
    penalty: str | None = None,
    target: str | None = None,
    remedy: str | None = None,
    note: str = "",
    done: bool = False,
    ruling_id: str | None = None,
) -> AtTable:
    """A penalty at the table; where the judge had not started, that comes first.

    `seat` P1 or P2. `done`: play goes on at once, unless the penalty waits for the head judge:
    then the clock keeps running. Raises Refused (the codes of sheet_start and of
    services.ruling_make, judging.unknown_seat), NotAllowed.
    """
    match = _match(unit, match_id)
    todo = _at_table(unit, match, call_id, anew=False)
    if seat not in SEATS:
        raise Refused(Refusal("judging.unknown_seat", {"found": seat, "allowed": list(SEATS)}))
    pack = handling.pack_in(todo.state)
    known = pack.infractions.get(infraction)
    head_judge = _by(unit, match).head_judge
    chosen = remedy or (usual_remedy(known.remedies, head_judge).value if known else "play_on")
    ask = RulingAsk(
        infraction=infraction,
        infraction_kind=infraction_kind,
        penalty=penalty,
        target=target,
        target_entrant=todo.state.entrants[SEATS.index(seat)],
        remedy=chosen,
    )
    _rule(todo, match, ask, ruling_id, note)
    ruling = todo.state.ruling
    if done and ruling is not None and ruling.approval is not Approval.PENDING:
        _close(todo, match)
    return _told(todo.append())


@command("judging.sheet_call_head_judge")
def sheet_call_head_judge(unit: Unit, *, match_id: str, call_id: str, note: str = "") -> AtTable:
    """Call the head judge to the table: what was found so far goes along, the clock keeps
    running. Raises Refused (the codes of sheet_start, judging.ruling_final), NotAllowed."""
    match = _match(unit, match_id)
    todo = _at_table(unit, match, call_id, anew=False)
    todo.do(acts.Escalate(_by(unit, match), handling.sealed(unit, note)))
    return _told(todo.append())


def sheet_stream(match_id: str) -> str:
    """Name of the stream of a table's notes."""
    return f"sheet-{match_id}"


def _entry(unit: Unit, match: MatchNow, entry: SheetNoted | LpCopied) -> str:
    loaded = unit.load(sheet_stream(match.facts.match_id), sheet.NEW, sheet.evolve)
    if entry.entry in loaded.state.entries:
        raise Refused(Refusal("judging.entry_exists", {"found": entry.entry}))
    unit.append(loaded.stream, loaded.version, [entry])
    return entry.entry


def _not_playing(unit: Unit, match: MatchNow) -> None:
    for seat, persons in zip(SEATS, match.facts.seats, strict=True):
        if unit.actor.ref in persons:
            raise Refused(Refusal("judging.own_match", {"seat": seat}))


@command("judging.sheet_note")
def sheet_note(unit: Unit, *, match_id: str, note: str, entry_id: str | None = None) -> str:
    """Write a note at a table, with or without a call; return its id. Only judges and the
    organiser read it. Raises Refused (judging.note_empty, text_too_long, own_match), NotAllowed.
    """
    match = _match(unit, match_id)
    _not_playing(unit, match)
    sealed = handling.sealed(unit, note)
    if not sealed:
        raise Refused(Refusal("judging.note_empty"))
    made = SheetNoted(
        match=match_id,
        tournament=match.facts.event_id,
        entry=entry_id if entry_id and is_id(entry_id) else new_id(),
        call=_open_call(match_id),
        note=sealed,
        by=unit.actor.ref,
        at=clock.as_text(unit.now),
    )
    return _entry(unit, match, made)


def _column(values: Sequence[int]) -> tuple[int, ...]:
    kept = tuple(values)
    if len(kept) > sheet.MOST_LINES or any(not 0 <= one <= sheet.MOST_LP for one in kept):
        raise Refused(
            Refusal("judging.lp_range", {"allowed": sheet.MOST_LP, "lines": sheet.MOST_LINES})
        )
    return kept


@command("judging.sheet_lp")
def sheet_lp(
    unit: Unit,
    *,
    match_id: str,
    about: str,
    first: Sequence[int],
    second: Sequence[int],
    entry_id: str | None = None,
) -> str:
    """Keep the running totals of one seat's Life Points as both pads have them; return the id.

    Raises Refused (judging.unknown_seat, lp_range, note_empty, own_match), NotAllowed.
    """
    match = _match(unit, match_id)
    _not_playing(unit, match)
    if about not in SEATS:
        raise Refused(Refusal("judging.unknown_seat", {"found": about, "allowed": list(SEATS)}))
    one, two = _column(first), _column(second)
    if not one and not two:
        raise Refused(Refusal("judging.note_empty"))
    made = LpCopied(
        match=match_id,
        tournament=match.facts.event_id,
        entry=entry_id if entry_id and is_id(entry_id) else new_id(),
        call=_open_call(match_id),
        about=about,
        first=one,
        second=two,
        by=unit.actor.ref,
        at=clock.as_text(unit.now),
    )
    return _entry(unit, match, made)


@command("judging.sheet_undo")
def sheet_undo(unit: Unit, *, match_id: str, command_id: str) -> str:
    """Take back one's own last act at a table, within seconds of it; return what it was: start,
    ruling, escalation, close or entry.

    Nothing is deleted: what was taken back stays readable. Raises Refused (judging.undo_unknown,
    undo_late, undo_moved_on, undo_in_force, undo_replaced, call_open_there), NotAllowed.
    """
    match = _match(unit, match_id)
    noted = [one for one in read_stream(sheet_stream(match_id)) if one.meta.command == command_id]
    if noted:
        return _undo_entry(unit, match, noted[-1])
    ids = CallRow.objects.filter(match_id=match_id).order_by("-raised_at").values_list("pk")
    for (call_id,) in ids[:5]:
        recorded = read_stream(f"call-{call_id}")
        mine = [one for one in recorded if one.meta.command == command_id]
        if mine and mine[-1].meta.actor == unit.actor.ref:
            if recorded[-1] is not mine[-1]:
                raise Refused(Refusal("judging.undo_moved_on", {"found": "later"}))
            return _undo_call(unit, match, call_id, mine)
    raise Refused(Refusal("judging.undo_unknown"))


def _age(unit: Unit, recorded: Recorded) -> int:
    return int((unit.now - clock.from_text(recorded.recorded_at)).total_seconds())


def _undo_entry(unit: Unit, match: MatchNow, recorded: Recorded) -> str:
    entry = getattr(recorded.data, "entry", "")
    loaded = unit.load(sheet_stream(match.facts.match_id), sheet.NEW, sheet.evolve)
    known = loaded.state.entries.get(entry)
    if known is None or known.struck or known.by != unit.actor.ref:
        raise Refused(Refusal("judging.undo_unknown"))
    if _age(unit, recorded) > UNDO_S:
        age = _age(unit, recorded)
        raise Refused(Refusal("judging.undo_late", {"found": age, "allowed": UNDO_S}))
    struck = EntryStruck(
        match.facts.match_id,
        match.facts.event_id,
        entry,
        unit.actor.ref,
        clock.as_text(unit.now),
    )
    unit.append(loaded.stream, loaded.version, [struck])
    return "entry"


def _undo_call(unit: Unit, match: MatchNow, call_id: str, done: list[Recorded]) -> str:
    """Undo the events of one command on a call, the newest first."""
    types = {type(one.data) for one in done}
    if PenaltyApproved in types:
        raise Refused(Refusal("judging.undo_in_force"))
    if any(isinstance(one.data, RulingMade) and one.data.rewind_to is not None for one in done):
        raise Refused(Refusal("judging.undo_rewound"))
    open_call = _open_call(match.facts.match_id)
    if CallClosed in types and open_call is not None:
        raise Refused(Refusal("judging.call_open_there"))
    todo = _Acts(unit, unit.load(f"call-{call_id}", NEW, evolve))
    by, age = _by(unit, match), _age(unit, done[-1])
    first = ""
    for kind, what in (
        (CallClosed, "close"),
        (CallEscalated, "escalation"),
        (RulingMade, "ruling"),
        (JudgeArrived, "start"),
    ):
        found = next((one.data for one in done if isinstance(one.data, kind)), None)
        if found is not None:
            todo.do(acts.Undo(by, what, age, getattr(found, "ruling", None)))
            first = first or what
    if not first:
        raise Refused(Refusal("judging.undo_unknown"))
    if CallRaised in types and todo.state.status is Status.RAISED:
        todo.do(acts.Withdraw(by))
    todo.append()
    return first
