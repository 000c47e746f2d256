"""Reads of judging. Nothing here is public: who neither plays at the table nor is staff of the
event is answered as if there were nothing.

A judge who plays in a match is a player there: of that table such a judge sees what a player
sees, never the notes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from eventstore import clock
from eventstore.domain.envelope import fold
from eventstore.domain.refusal import Refusal, Refused
from eventstore.ids import is_id
from eventstore.prepared import prepared
from eventstore.store import read_stream
from judging import rulebook
from judging.domain.call import NEW, evolve
from judging.domain.decide import extension_of
from judging.domain.extension import Extension
from judging.domain.policy import Pack
from judging.domain.words import SEATS, Approval, Status
from judging.matches import game_of, left_open, match_now, pack_of, ran_s, table_left
from judging.models import CallPersonRow, CallRow, RulingRow
from judging.packbook import unconfirmed
from judging.packs import UnknownPack, pack
from people.access import NotAllowed, may, require
from people.domain.actor import Actor
from people.domain.names import distinct, joined
from people.domain.permissions import Subject, Verdict, owners
from people.selectors import names
from people.vault import open_text
from tournaments.models import MatchRow
from tournaments.selectors import spans_of

MOST_CALLS = 50


@dataclass(frozen=True, slots=True)
class QueueItem:
    """A line of the queue: a call that needs somebody, or a penalty that waits. `forgotten`: open
    longer than anybody believes, so closing it asks for its real length; `waited_s`: seconds since
    it was raised, without those in which the server was away."""

    call_id: str
    match_id: str
    round: int
    table: int | None
    state: str
    kind: str
    category: str
    languages: tuple[str, ...]
    players: tuple[str, ...]
    entrants: tuple[str, ...]
    raised_at: str
    claimed_by: str
    claimed_by_name: str
    claimed_at: str
    arrived_at: str
    head_judge_wanted: bool
    joined: int
    pending: int
    own_match: bool
    forgotten: bool = False
    waited_s: int = 0


@dataclass(frozen=True, slots=True)
class RulingView:
    """A ruling as a viewer may see it; texts are None for who may not read them."""

    ruling_id: str
    call_id: str
    match_id: str
    round: int
    table: int | None
    by: str
    by_name: str
    at: str
    final: bool
    rule_id: str
    infraction: str
    infraction_kind: str
    remedy: str
    penalty: str
    target: str
    target_entrant: str
    target_name: str
    duel_id: str
    rewind_to: int | None
    approval: str
    in_force: bool
    outcome: str
    pack: str
    pack_version: str
    pack_confirmed: bool
    cites: tuple[str, ...]
    self_reported: bool
    note: str | None = None
    facts_agreed: str | None = None
    facts_disputed: str | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One transition of a call: what happened, who did it, when (UTC text)."""

    what: str
    by: str
    by_name: str
    at: str
    text: str | None = None


@dataclass(frozen=True, slots=True)
class CallView:
    """A call as a viewer may see it. `steps` and the judge's texts are for staff only."""

    call_id: str
    event_id: str
    match_id: str
    round: int
    table: int | None
    state: str
    kind: str
    category: str
    languages: tuple[str, ...]
    entrants: tuple[str, ...]
    players: tuple[tuple[str, ...], ...]
    raised_by: str
    raised_by_name: str
    raised_at: str
    claimed_by: str
    claimed_by_name: str
    claimed_at: str
    arrived_at: str
    ruled_at: str
    appealed_at: str
    closed_at: str
    table_end: str
    accepted: tuple[str, ...]
    merged_into: str
    took_s: int
    computed_s: int
    extension_s: int
    extension_why: str
    seat: str | None
    pack: str
    pack_version: str
    rulings: tuple[RulingView, ...]
    staff: bool
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Repeat:
    """How often an entrant had this infraction and kind in this event, in force, and the
    penalty one rung up that the pack lets the head judge give; None: none to suggest."""

    count: int
    suggests: str | None


def _subject(row: CallRow) -> Subject:
    persons = [person for seat in row.seats for person in seat]
    return Subject(event_id=row.event_id, owners=owners(persons), public=False)


def _event(event_id: str) -> Subject:
    return Subject(event_id=event_id, public=False)


def _seat(row: CallRow, viewer: Actor) -> str | None:
    for seat, persons in zip(SEATS, row.seats, strict=True):
        if viewer.person_id and viewer.person_id in persons:
            return seat
    return None


def _entrant_names(row: CallRow, known: dict[str, str]) -> dict[str, str]:
    return {
        entrant: joined(persons, known)
        for entrant, persons in zip(row.entrants, row.seats, strict=True)
    }


def _unsure(rows: Iterable[RulingRow]) -> frozenset[tuple[str, str]]:
    """Return (event, pack) of those rulings whose pack has values that nobody confirmed."""
    return unconfirmed({(row.event_id, f"{row.pack}@{row.pack_version}") for row in rows})


def _ruling(
    row: RulingRow,
    entrants: dict[str, str],
    known: dict[str, str],
    unsure: frozenset[tuple[str, str]],
    *,
    judge: bool,
) -> RulingView:
    used = pack(row.pack, row.pack_version)
    # A caution is between judges: at the table it was said, on the player's page it is not kept.
    hidden = not judge and row.penalty in used.staff_only
    return RulingView(
        ruling_id=row.ruling_id,
        call_id=row.call_id,
        match_id=row.match_id,
        round=row.round,
        table=row.table,
        by=row.by,
        by_name=known.get(row.by, ""),
        at=row.at,
        final=row.final,
        rule_id="" if hidden and row.rule_id == row.infraction else row.rule_id,
        infraction="" if hidden else row.infraction,
        infraction_kind="" if hidden else row.infraction_kind,
        remedy=row.remedy,
        penalty="" if hidden else row.penalty,
        target="" if hidden else row.target,
        target_entrant="" if hidden else row.target_entrant,
        target_name="" if hidden else entrants.get(row.target_entrant, ""),
        duel_id=row.duel_id,
        rewind_to=row.rewind_to,
        approval=row.approval,
        in_force=row.in_force and not hidden,
        outcome=row.outcome,
        pack=row.pack,
        pack_version=row.pack_version,
        pack_confirmed=(row.event_id, used.ref) not in unsure,
        cites=tuple(row.cites),
        self_reported=row.self_reported and not hidden,
        note=_opened(row.by, row.note) if judge else None,
        facts_agreed=_opened(row.by, row.facts_agreed) if judge else None,
        facts_disputed=_opened(row.by, row.facts_disputed) if judge else None,
    )


def _opened(author: str, sealed: str) -> str | None:
    return open_text(author, sealed) if sealed else ""


def _call(
    row: CallRow,
    rulings: Iterable[RulingRow],
    known: dict[str, str],
    viewer: Actor,
    *,
    judge: bool,
    unsure: frozenset[tuple[str, str]] = frozenset(),
    steps: tuple[Step, ...] = (),
) -> CallView:
    entrants = _entrant_names(row, known)
    seat = _seat(row, viewer)
    # What a player called about is told by the judge, not by the page, to the other player.
    told = seat is None or row.raised_by == viewer.person_id
    return CallView(
        call_id=row.call_id,
        event_id=row.event_id,
        match_id=row.match_id,
        round=row.round,
        table=row.table,
        state=row.state,
        kind=row.kind if told else "",
        category=row.category if told else "",
        languages=tuple(row.languages),
        entrants=tuple(row.entrants),
        players=tuple(distinct(persons, known) for persons in row.seats),
        raised_by=row.raised_by if told else "",
        raised_by_name=known.get(row.raised_by, "") if told else "",
        raised_at=row.raised_at,
        claimed_by=row.claimed_by,
        claimed_by_name=known.get(row.claimed_by, ""),
        claimed_at=row.claimed_at,
        arrived_at=row.arrived_at,
        ruled_at=row.ruled_at,
        appealed_at=row.appealed_at,
        closed_at=row.closed_at,
        table_end=row.table_end,
        accepted=tuple(row.accepted),
        merged_into=row.merged_into,
        took_s=row.took_s,
        computed_s=row.computed_s,
        extension_s=row.extension_s,
        extension_why=row.extension_why,
        seat=seat,
        pack=row.pack,
        pack_version=row.pack_version,
        rulings=tuple(_ruling(one, entrants, known, unsure, judge=judge) for one in rulings),
        staff=judge,
        steps=steps,
    )


def _people_of(row: CallRow) -> set[str]:
    persons = {person for seat in row.seats for person in seat}
    return persons | {row.raised_by, row.claimed_by}


def queue(viewer: Actor, event_id: str) -> list[QueueItem]:
    """Return the calls of an event that need somebody, oldest first: three queries.

    Calls that are over stay while a penalty of theirs waits for the head judge. Raises
    NotAllowed.
    """
    require(viewer, "judging.queue_read", _event(event_id))
    rows = list(
        CallRow.objects.filter(Q(open=True) | Q(pending__gt=0), event_id=event_id).order_by(
            "raised_at", "call_id"
        )
    )
    known = names({person for row in rows for person in _people_of(row)})
    now, away = clock.as_text(clock.now()), spans_of(event_id)
    return [
        QueueItem(
            call_id=row.call_id,
            match_id=row.match_id,
            round=row.round,
            table=row.table,
            state=row.state,
            kind=row.kind,
            category=row.category,
            languages=tuple(row.languages),
            players=tuple(_entrant_names(row, known).values()),
            entrants=tuple(row.entrants),
            raised_at=row.raised_at,
            claimed_by=row.claimed_by,
            claimed_by_name=known.get(row.claimed_by, ""),
            claimed_at=row.claimed_at,
            arrived_at=row.arrived_at,
            head_judge_wanted=row.head_judge_wanted,
            joined=row.joined,
            pending=row.pending,
            own_match=_seat(row, viewer) is not None,
            forgotten=left_open(row, now, away),
            waited_s=ran_s(row.raised_at, now, away),
        )
        for row in rows
    ]


def _known_call(viewer: Actor, call_id: str, action: str) -> CallRow:
    row = CallRow.objects.filter(pk=call_id).first() if is_id(call_id) else None
    if row is None:
        raise NotAllowed(action, Verdict.HIDDEN)
    require(viewer, action, _subject(row))
    return row


def _reads_notes(viewer: Actor, row: CallRow) -> bool:
    return may(viewer, "judging.queue_read", _event(row.event_id)) and _seat(row, viewer) is None


def call_place(viewer: Actor, call_id: str) -> tuple[str, bool]:
    """Return the match of a call and whether it was appealed: one query. Raises NotAllowed."""
    row = _known_call(viewer, call_id, "judging.call_read")
    return row.match_id, bool(row.appealed_at)


def call_detail(viewer: Actor, call_id: str) -> CallView:
    """Return one call with its rulings: for judges with all steps and notes, for the players
    of the table its state and ruling only. Raises NotAllowed.
    """
    row = _known_call(viewer, call_id, "judging.call_read")
    judge = _reads_notes(viewer, row)
    found = RulingRow.objects.filter(call_id=call_id).order_by("at", "ruling_id")
    rulings = list(found if judge else found.exclude(approval=Approval.WITHDRAWN.value))
    people = _people_of(row) | {one.by for one in rulings}
    recorded = read_stream(f"call-{call_id}") if judge else []
    known = names(people | {one.meta.actor for one in recorded})
    steps = tuple(
        Step(
            what=one.type.partition(".")[2],
            by=one.meta.actor,
            by_name=known.get(one.meta.actor, ""),
            at=one.recorded_at,
            text=_step_text(one.meta.actor, one.data),
        )
        for one in recorded
    )
    return _call(row, rulings, known, viewer, judge=judge, unsure=_unsure(rulings), steps=steps)


def _step_text(author: str, data: object) -> str | None:
    for name in ("reason", "override_reason", "note"):
        sealed = getattr(data, name, "")
        if sealed:
            return open_text(author, sealed)
    return None


def _calls(viewer: Actor, rows: Sequence[CallRow]) -> list[CallView]:
    """Views of calls as a player sees them: two queries, none without calls."""
    if not rows:
        return []
    rulings: dict[str, list[RulingRow]] = {row.call_id: [] for row in rows}
    made = RulingRow.objects.filter(call_id__in=list(rulings)).order_by("at", "ruling_id")
    for one in made.exclude(approval=Approval.WITHDRAWN.value):
        rulings[one.call_id].append(one)
    people = {person for row in rows for person in _people_of(row)}
    known = names(people | {one.by for few in rulings.values() for one in few})
    unsure = _unsure(one for few in rulings.values() for one in few)
    return [
        _call(row, rulings[row.call_id], known, viewer, judge=False, unsure=unsure) for row in rows
    ]


@prepared
def own_calls(person_id: Any, event_id: Any) -> Any:
    """The ids of the newest calls of a person's own tables in an event, unguarded."""
    mine = CallPersonRow.objects.filter(person_id=person_id, event_id=event_id)
    return mine.order_by("-call_id").values_list("call_id", flat=True)[:MOST_CALLS]


def my_calls(
    viewer: Actor, event_id: str | None = None, known: Sequence[str] | None = None
) -> list[CallView]:
    """Return the calls of the viewer's own tables, newest first, at most 50: four queries, one
    less with the rows of `own_calls`.

    Calls that joined an open one are left out; the open one stands for them. `event_id`
    narrows to one event. Raises NotAllowed for somebody unknown.
    """
    asked = event_id
    if asked is None and viewer.device_events is not None:
        # A device shows the calls of the events it was bound at, and is asked about one of them.
        asked = next(iter(viewer.device_events), None)
    subject = Subject(event_id=asked, owners=owners([viewer.person_id]), public=False)
    require(viewer, "judging.call_read", subject)
    ids = known
    if ids is None and event_id is not None:
        ids = own_calls(viewer.person_id or "", event_id)
    elif ids is None:
        mine = CallPersonRow.objects.filter(person_id=viewer.person_id or "")
        if viewer.device_events is not None:
            mine = mine.filter(event_id__in=viewer.device_events)
        ids = list(mine.order_by("-call_id").values_list("call_id", flat=True)[:MOST_CALLS])
    if not ids:
        return []
    rows = CallRow.objects.filter(pk__in=ids).exclude(state=Status.MERGED.value)
    return _calls(viewer, list(rows.order_by("-raised_at", "-call_id")))


def match_calls(viewer: Actor, match_id: str) -> list[CallView]:
    """Return the calls of one match as its players see them, newest first. Raises NotAllowed."""
    match = match_now(match_id) if is_id(match_id) else None
    if match is None:
        raise NotAllowed("judging.call_read", Verdict.HIDDEN)
    persons = [person for seat in match.facts.seats for person in seat]
    require(
        viewer,
        "judging.call_read",
        Subject(event_id=match.facts.event_id, owners=owners(persons), public=False),
    )
    rows = CallRow.objects.filter(match_id=match_id).exclude(state=Status.MERGED.value)
    return _calls(viewer, list(rows.order_by("-raised_at", "-call_id")))


def rulings(viewer: Actor, event_id: str) -> list[RulingView]:
    """Return the rulings of an event, newest first, without notes: three queries.

    Raises NotAllowed.
    """
    require(viewer, "judging.queue_read", _event(event_id))
    found = list(RulingRow.objects.filter(event_id=event_id).order_by("-at", "-ruling_id"))
    rows = {row.call_id: row for row in CallRow.objects.filter(event_id=event_id)}
    people = {person for row in rows.values() for person in _people_of(row)}
    known = names(people | {one.by for one in found})
    unsure = _unsure(found)
    views: list[RulingView] = []
    for one in found:
        row = rows[one.call_id]
        own = _seat(row, viewer) is not None
        one.note = one.facts_agreed = one.facts_disputed = ""
        views.append(_ruling(one, _entrant_names(row, known), known, unsure, judge=not own))
    return views


def extension_preview(viewer: Actor, call_id: str) -> Extension:
    """Return the extension the call would give if it closed now. Raises NotAllowed."""
    row = _known_call(viewer, call_id, "judging.call_take")
    state = fold(NEW, evolve, (one.data for one in read_stream(f"call-{call_id}")))
    used, now = pack(row.pack, row.pack_version), clock.as_text(clock.now())
    return extension_of(state, used, now, spans_of(row.event_id))


def is_left_open(viewer: Actor, call_id: str) -> bool:
    """Say whether a call is open longer than anybody believes, so that closing it asks for its
    real length. Raises NotAllowed."""
    row = _known_call(viewer, call_id, "judging.call_take")
    return left_open(row, clock.as_text(clock.now()), spans_of(row.event_id))


def extensions(viewer: Actor, event_id: str) -> dict[str, int]:
    """Return the seconds of extension per match of an event: several calls add up, one query.

    Raises NotAllowed.
    """
    require(viewer, "judging.queue_read", _event(event_id))
    found = MatchRow.objects.filter(event_id=event_id, extension_s__gt=0)
    return dict(found.values_list("pk", "extension_s"))


def table_clock(viewer: Actor, call_id: str) -> int | None:
    """Return the seconds left on the clock of a call's table, extensions counted; None where
    the round has no clock. Raises NotAllowed."""
    row = _known_call(viewer, call_id, "judging.call_read")
    return table_left(row.match_id, row.event_id, row.round)


def policy(viewer: Actor, event_id: str) -> Pack:
    """Return the policy pack of an event, for the ruling form. Raises NotAllowed, Refused
    (judging.unknown_pack)."""
    require(viewer, "judging.queue_read", _event(event_id))
    try:
        return pack_of(event_id)
    except UnknownPack as fault:
        raise Refused(Refusal("judging.unknown_pack", {"found": str(fault)})) from fault


def citable_rules(viewer: Actor, event_id: str) -> list[str]:
    """Return the rule ids that a ruling in this event may cite. Raises NotAllowed."""
    require(viewer, "judging.queue_read", _event(event_id))
    return sorted(rulebook.rule_ids(game_of(event_id)), key=_rule_order)


def _rule_order(rule: str) -> tuple[str, tuple[int, ...]]:
    prefix, _, number = rule.partition("-")
    return prefix, tuple(int(part) for part in number.split(".") if part.isdigit())


def repeat(
    viewer: Actor, event_id: str, *, entrant_id: str, infraction: str, infraction_kind: str
) -> Repeat:
    """Say how often this infraction of this kind already stands in this event, and what the
    pack then suggests. A count of another event is never used. Raises NotAllowed, Refused
    (judging.unknown_pack).
    """
    used = policy(viewer, event_id)
    rows = RulingRow.objects.filter(
        event_id=event_id, target_entrant=entrant_id, infraction=infraction, in_force=True
    )
    if used.repeats_by_kind:
        rows = rows.filter(infraction_kind=infraction_kind)
    count = rows.count()
    return Repeat(count, used.suggested(infraction, count))


def pending(viewer: Actor, event_id: str) -> list[RulingView]:
    """Return the penalties that wait for the head judge, newest first. Raises NotAllowed."""
    return [one for one in rulings(viewer, event_id) if one.approval == Approval.PENDING.value]
