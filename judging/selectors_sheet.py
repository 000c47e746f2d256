"""Reads of the table sheet: what stands at a table now, and the last acts there.

Nothing of it is public. A judge who plays at the table is a player there and reads no sheet.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from django.db.models import Count, Q

from eventstore import clock
from eventstore.domain.envelope import Recorded
from eventstore.ids import is_id
from eventstore.store import read_stream
from judging.conflicts import conflicts_of
from judging.domain.acts import MatchFacts
from judging.domain.policy import Pack
from judging.domain.sheet import first_difference
from judging.domain.sheet_events import EntryStruck, LpCopied, MomentClaimed, SheetNoted
from judging.domain.words import RESULT_CHANGING, SEATS, Approval, Status
from judging.events import CallClosed, RulingMade
from judging.matches import extension_of_match, match_now, pack_of, ran_s
from judging.models import CallRow, RulingRow
from judging.packs import UnknownPack
from judging.sheet import sheet_stream
from people.access import NotAllowed, may, require
from people.domain.actor import Actor
from people.domain.names import joined
from people.domain.permissions import Subject, Verdict
from people.models import RoleRow
from people.selectors import languages, names
from people.vault import open_text
from tournaments import selectors as tournaments
from tournaments.domain.away import Span
from tournaments.events import MatchCorrected, MatchDecided, ResultClaimed
from tournaments.models import EntrantPerson, EntrantRow, EventRow, MatchRow
from tournaments.selectors import MatchDetail
from tournaments.services.loading import match_stream

OFFERED_S = 10
"""Seconds in which the page offers to take an act back."""
SHOWN = 5
MOST_OPEN = 50
"""Calls of one judge that are looked through."""
TOLD = (
    "call_closed", "call_reopened", "call_escalated", "escalation_undone", "appeal_ruled",
    "call_appealed", "ruling_made", "ruling_undone", "penalty_approved", "penalty_declined",
    "start_undone", "judge_arrived", "call_given_back", "call_claimed", "call_withdrawn",
    "call_raised", "sheet_noted", "lp_copied", "entry_struck", "match_corrected",
    "match_decided", "result_claimed",
)  # fmt: skip
"""The acts worth a line, those first that tell most of a command that did several."""


@dataclass(frozen=True, slots=True)
class ActHere:
    """One act at a table: its code (word list call_step), who, when, and what goes with it:
    `seconds` of extension or set back, a penalty, an opened text, or where two pads part."""

    what: str
    by: str
    by_name: str
    at: str
    command: str
    seconds: int = 0
    penalty: str = ""
    text: str = ""
    struck: bool = False
    differs: tuple[int, int, int] | None = None


@dataclass(frozen=True, slots=True)
class Player:
    """One side of the table: seat, entrant, name, language and duels won."""

    seat: str
    entrant_id: str
    name: str
    languages: tuple[str, ...]
    wins: int


@dataclass(frozen=True, slots=True)
class Watch:
    """The stopwatch of a call, all in whole seconds: how long it has run, and the values of the
    pack by which the page tells what it will give. `cap` None: the table has no clock."""

    gone: int
    grace: int
    step: int
    cap: int | None
    least: int
    bonus: int
    nothing: bool


@dataclass(frozen=True, slots=True)
class SheetView:
    """A table as its judge sees it. `call` is the open call, `mine` whether the viewer has it;
    `slip` the seat that holds the slip, `lists` how many lists are in force; `undo` the command
    that can be taken back still and for how many seconds; `forgotten` other open calls of the
    viewer with their minutes."""

    detail: MatchDetail
    players: tuple[Player, ...]
    left_s: int | None
    extension_s: int
    ends_at: str
    call: CallRow | None
    call_name: str
    mine: bool
    watch: Watch | None
    pack: Pack
    lists: int
    slip: str
    acts: tuple[ActHere, ...]
    undo: tuple[str, int] | None
    conflicts: tuple[str, ...]
    pending: tuple[RulingRow, ...]
    forgotten: tuple[tuple[CallRow, int], ...]
    last_tables: tuple[tuple[int, str], ...]


def find_table(viewer: Actor, event_id: str, number: int) -> str | None:
    """Return the match at a table of the newest round, None for a table that is not played:
    two queries. Raises NotAllowed."""
    require(viewer, "judging.call_take", Subject(event_id=event_id, public=False))
    return _match_at(event_id, number)


def match_at(viewer: Actor, event_id: str, number: int) -> str | None:
    """Return the match at a table of the newest round for staff who call a judge there: two
    queries. Raises NotAllowed."""
    require(viewer, "judging.call_raise", Subject(event_id=event_id, public=False))
    return _match_at(event_id, number)


def table_numbers(event_id: str) -> list[int]:
    """Return the tables of the newest round, which is public: two queries."""
    current = EventRow.objects.filter(pk=event_id).values_list("round", flat=True).first() or 0
    rows = MatchRow.objects.filter(event_id=event_id, round=current).exclude(state="draft")
    return sorted(rows.values_list("table", flat=True))


def _match_at(event_id: str, number: int) -> str | None:
    current = EventRow.objects.filter(pk=event_id).values_list("round", flat=True).first() or 0
    rows = MatchRow.objects.filter(event_id=event_id, round=current, table=number)
    return rows.exclude(state="draft").values_list("pk", flat=True).first()


def tables(viewer: Actor, event_id: str) -> list[tuple[int, str, str]]:
    """Return (table, names, state) of the newest round, for the echo of the number pad: four
    queries. Raises NotAllowed."""
    require(viewer, "judging.call_take", Subject(event_id=event_id, public=False))
    current = EventRow.objects.filter(pk=event_id).values_list("round", flat=True).first() or 0
    rows = list(
        MatchRow.objects.filter(event_id=event_id, round=current)
        .exclude(state="draft")
        .order_by("table")
    )
    known = names({person for row in rows for side in row.persons for person in side})
    return [
        (
            row.table,
            " – ".join(joined(side, known) for side in row.persons),
            row.state,
        )
        for row in rows
    ]


def last_tables(viewer: Actor, event_id: str) -> tuple[tuple[int, str], ...]:
    """Return (table, match) of the last five tables of the newest round at which the viewer
    took a call: one query."""
    rows = CallRow.objects.filter(event_id=event_id, claimed_by=viewer.person_id or "-")
    found: dict[int, str] = {}
    for table, match_id in rows.order_by("-claimed_at").values_list("table", "match_id")[:40]:
        if table is not None:
            found.setdefault(table, match_id)
    return tuple(list(found.items())[:SHOWN])


def forgotten_calls(viewer: Actor, event_id: str) -> tuple[tuple[CallRow, int], ...]:
    """Return the viewer's calls that have been open for longer than the pack believes, and their
    minutes: four queries. A display only; their real length is asked for when they close."""
    try:
        longest = pack_of(event_id).time.forgotten_after_s
    except UnknownPack:
        return ()  # no call was ever raised
    limit = clock.as_text(clock.now() - timedelta(seconds=longest))
    rows = CallRow.objects.filter(
        event_id=event_id, open=True, claimed_by=viewer.person_id or "-", claimed_at__lt=limit
    ).order_by("claimed_at")
    away = tournaments.spans_of(event_id)
    ran = [(row, _gone(row.claimed_at, away)) for row in rows[:MOST_OPEN]]
    return tuple((row, gone // 60) for row, gone in ran if gone > longest)[:SHOWN]


def _gone(since: str, away: Sequence[Span] = ()) -> int:
    return ran_s(since, clock.as_text(clock.now()), away)


def may_judge(viewer: Actor, match_id: str) -> MatchFacts:
    """Return the facts of a match whose table the viewer may judge: one query. Raises
    NotAllowed; a judge who plays there is refused like every player."""
    match = match_now(match_id) if is_id(match_id) else None
    if match is None:
        raise NotAllowed("judging.call_take", Verdict.HIDDEN)
    persons = frozenset(person for seat in match.facts.seats for person in seat)
    subject = Subject(match.facts.event_id, persons, public=False)
    require(viewer, "judging.call_take", subject)
    if viewer.person_id in persons:
        raise NotAllowed("judging.call_take", Verdict.FORBIDDEN)
    return match.facts


def sheet(viewer: Actor, match_id: str) -> SheetView:
    """Return the sheet of a table. Raises NotAllowed."""
    facts = may_judge(viewer, match_id)
    detail = tournaments.match_detail(viewer, match_id)
    row = detail.row
    held = tournaments.clock_of(row.event_id, row.round)
    given = extension_of_match(match_id)
    left = None if held is None else held.left_s + given
    running = held is not None and held.running
    ends = clock.as_text(clock.now() + timedelta(seconds=left or 0)) if running else ""
    call = CallRow.objects.filter(match_id=match_id, open=True).first()
    used = pack_of(row.event_id)
    spoken = languages(person for side in row.persons for person in side)
    acts = acts_here(match_id, row.round)
    known = names({one.by for one in acts} | ({call.claimed_by} if call else set()))
    acts = [_named(one, known) for one in acts]
    rulings = RulingRow.objects.filter(match_id=match_id, approval=Approval.PENDING.value)
    return SheetView(
        detail=detail,
        players=tuple(
            Player(
                seat,
                side.entrant_id,
                side.name,
                tuple(sorted({spoken.get(person, "en") for person in side.persons})),
                detail.score[at],
            )
            for at, (seat, side) in enumerate(zip(SEATS, (detail.p1, detail.p2), strict=True))
        ),
        left_s=left,
        extension_s=given,
        ends_at=ends,
        call=call,
        call_name=known.get(call.claimed_by, "") if call else "",
        mine=call is not None and call.claimed_by == viewer.person_id,
        watch=_watch(call, used) if call is not None and call.arrived_at else None,
        pack=used,
        lists=EntrantRow.objects.filter(pk__in=[row.p1, row.p2]).exclude(deck_id="").count(),
        slip=_slip(row),
        acts=tuple(acts[:SHOWN]),
        undo=_undo(viewer, acts),
        conflicts=conflicts_of(viewer.person_id or "", facts),
        pending=tuple(rulings),
        forgotten=tuple(
            (one, minutes)
            for one, minutes in forgotten_calls(viewer, row.event_id)
            if one.match_id != match_id
        ),
        last_tables=last_tables(viewer, row.event_id),
    )


def _slip(row: MatchRow) -> str:
    """The seat that holds the slip: A, who is named first on it, until somebody has won; then
    the winner, who brings it to the desk."""
    if row.winner in SEATS:
        return row.winner
    told = {claim["winner"] for claim in row.claims.values()}
    return next(iter(told)) if len(told) == 1 and told <= set(SEATS) else SEATS[0]


def _watch(call: CallRow, used: Pack) -> Watch:
    time = used.time
    start = call.arrived_at if time.from_event == "at_table" else call.claimed_at
    begun = clock.from_text(start)
    away = tournaments.spans_of(call.event_id)
    cap = None
    if call.table_end and not time.in_eom:
        cap = max(0, int((clock.from_text(call.table_end) - begun).total_seconds()))
    lost = RulingRow.objects.filter(
        call_id=call.call_id,
        penalty__in=[one.value for one in RESULT_CHANGING],
        approval__in=(Approval.NOT_NEEDED.value, Approval.APPROVED.value),
    ).exists()
    check = call.kind == "deck_check"
    return Watch(
        gone=_gone(start, away),
        grace=-1 if check else time.grace_s,
        step=time.round_up_s,
        cap=None if check else cap,
        least=time.slow_play_min_s if call.kind == "slow_play" else 0,
        bonus=time.deck_check_bonus_s if check else 0,
        nothing=(lost and not time.with_game_loss) or cap == 0,
    )


def _undo(viewer: Actor, acts: Iterable[ActHere]) -> tuple[str, int] | None:
    """The newest act here, when it is the viewer's own and seconds old."""
    newest = next(iter(acts), None)
    if newest is None or newest.by != viewer.person_id or newest.struck:
        return None
    if newest.what not in (
        "judge_arrived", "ruling_made", "call_closed", "call_escalated", "sheet_noted", "lp_copied",
    ):  # fmt: skip
        return None
    left = OFFERED_S - _gone(newest.at)
    return (newest.command, left) if left > 0 else None


def _named(act: ActHere, known: Mapping[str, str]) -> ActHere:
    return replace(act, by_name=known.get(act.by, ""))


def acts_here(match_id: str, number: int) -> list[ActHere]:
    """Return the acts at a table, the newest first: one line for each command."""
    ids = CallRow.objects.filter(match_id=match_id).order_by("-raised_at")
    recorded: list[Recorded] = list(read_stream(sheet_stream(match_id)))
    recorded += read_stream(match_stream(match_id))
    for call_id in ids.values_list("pk", flat=True)[:SHOWN]:
        recorded += read_stream(f"call-{call_id}")
    struck = {one.data.entry for one in recorded if isinstance(one.data, EntryStruck)}
    by_command: dict[str, list[Recorded]] = {}
    for one in recorded:
        by_command.setdefault(one.meta.command, []).append(one)
    told = [_told(several, struck) for several in by_command.values()]
    return sorted((one for one in told if one is not None), key=lambda one: one.at, reverse=True)


def _told(several: list[Recorded], struck: set[str]) -> ActHere | None:
    """One line for what a command did."""
    rank = {name: at for at, name in enumerate(TOLD)}
    known = [one for one in several if one.type.partition(".")[2] in rank]
    if not known:
        return None
    chief = min(known, key=lambda one: rank[one.type.partition(".")[2]])
    values: dict[str, Any] = {}
    for one in several:
        values |= _values(one)
    return ActHere(
        what=chief.type.partition(".")[2],
        by=chief.meta.actor,
        by_name="",
        at=chief.recorded_at,
        command=chief.meta.command,
        struck=getattr(chief.data, "entry", None) in struck,
        **values,
    )


def _values(one: Recorded) -> dict[str, Any]:
    """What goes with an act."""
    match one.data:
        case CallClosed():
            return {"seconds": one.data.extension_s}
        case MomentClaimed() if one.data.what == "start":
            real = clock.from_text(one.data.at) - clock.from_text(one.data.claimed)
            return {"seconds": int(real.total_seconds())}
        case RulingMade():
            return {"penalty": one.data.penalty or "", "text": _opened(one.meta.actor, one)}
        case SheetNoted():
            return {"text": _opened(one.data.by, one)}
        case LpCopied():
            at = first_difference(one.data.first, one.data.second)
            if at is None:
                return {}
            return {"differs": (at + 1, one.data.first[at], one.data.second[at])}
        case MatchDecided() | MatchCorrected() | ResultClaimed():
            return {"text": "-".join(str(part) for part in one.data.score)}
        case _:
            return {}


def _opened(author: str, one: Recorded) -> str:
    sealed = getattr(one.data, "note", "")
    return (open_text(author, sealed) or "") if sealed else ""


@dataclass(frozen=True, slots=True)
class Counted:
    """How often somebody had this before: in this event, and in earlier ones (None: not for this
    viewer), what the pack then suggests, and who must approve. `by_kind`: the same kind counts,
    else the same infraction whatever its kind; `with_others`: the head judge hears other judges
    before a step up."""

    here: int
    earlier: int | None
    suggests: str | None
    pending: bool
    by_kind: bool
    with_others: bool


def approves(viewer: Actor, event_id: str) -> bool:
    """Whether the viewer's own penalties are in force at once: those of the head judge."""
    return may(viewer, "judging.penalty_approve", Subject(event_id, public=False))


def counted(
    viewer: Actor, match_id: str, *, seat: str, infraction: str, infraction_kind: str
) -> Counted:
    """Count what stands against a player in one kind. To be asked for once the infraction is
    chosen, and never before. Raises NotAllowed, LookupError for what the pack does not have.

    The count of earlier events is for the head judge and the organiser; an upgrade rests on
    this event alone.
    """
    facts = may_judge(viewer, match_id)
    used = pack_of(facts.event_id)
    known = used.infractions[infraction]
    if infraction_kind not in known.kinds or seat not in SEATS:
        raise LookupError(infraction_kind)
    at = SEATS.index(seat)
    same = Q(infraction=infraction, in_force=True)
    if used.repeats_by_kind:
        same &= Q(infraction_kind=infraction_kind)
    here = RulingRow.objects.filter(
        same, event_id=facts.event_id, target_entrant=facts.entrants[at]
    ).count()
    return Counted(
        here=here,
        earlier=_earlier(viewer, facts.event_id, facts.seats[at], same),
        suggests=used.suggested(infraction, here),
        pending=not approves(viewer, facts.event_id)
        and used.needs_approval(known.base, infraction),
        by_kind=used.repeats_by_kind,
        with_others=used.upgrade.with_others,
    )


def _earlier(viewer: Actor, event_id: str, persons: Iterable[str], same: Q) -> int | None:
    """Count in other events: only for who may read a person's record of these."""
    if not may(viewer, "judging.record_read_all", Subject(event_id, public=False)):
        return None
    own = EntrantPerson.objects.filter(person_id__in=list(persons)).values("entrant_id")
    rows = RulingRow.objects.filter(same, target_entrant__in=own)
    return rows.exclude(event_id=event_id).count()


def at_table(call: CallRow | None) -> bool:
    """Whether a judge stands at the table of a call."""
    return call is not None and call.state in (
        Status.AT_TABLE, Status.RULED, Status.HJ_CLAIMED, Status.HJ_RULED,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Load:
    """How busy a judge of an event is: calls open now, calls of the last day; `head`: whether
    it is the head judge."""

    person_id: str
    name: str
    open: int
    today: int
    head: bool


def loads(viewer: Actor, event_id: str) -> list[Load]:
    """Return who judges an event now, with the open calls and those of the last day, the least
    busy first: three queries. Raises NotAllowed."""
    require(viewer, "judging.queue_read", Subject(event_id=event_id, public=False))
    roles: dict[str, set[str]] = {}
    held = RoleRow.objects.filter(
        Q(until="") | Q(until__gt=clock.as_text(clock.now())),
        event_id=event_id,
        role__in=("judge", "head_judge"),
    )
    for person, role in held.values_list("person_id", "role"):
        roles.setdefault(person, set()).add(role)
    since = clock.as_text(clock.now() - timedelta(days=1))
    counts = CallRow.objects.filter(event_id=event_id, claimed_by__in=list(roles))
    busy = {
        row["claimed_by"]: (row["now"], row["today"])
        for row in counts.values("claimed_by").annotate(
            now=Count("pk", filter=Q(open=True)), today=Count("pk", filter=Q(claimed_at__gte=since))
        )
    }
    known = names(roles)
    made = [
        Load(one, known.get(one, "–"), *busy.get(one, (0, 0)), "head_judge" in roles[one])
        for one in roles
    ]
    return sorted(made, key=lambda one: (one.open, one.today, one.name))


@dataclass(frozen=True, slots=True)
class Waiting:
    """The queue as the desk sees it: how many wait, the oldest in minutes, the tables."""

    number: int
    oldest: int
    tables: tuple[tuple[int | None, int], ...]


def waiting(viewer: Actor, event_id: str) -> Waiting:
    """Return which tables of an event wait for a judge, and since how many minutes: two queries.
    For all its staff: what a call is about is for the judges. Raises NotAllowed."""
    require(viewer, "judging.floor_watch", Subject(event_id=event_id, public=False))
    rows = CallRow.objects.filter(
        event_id=event_id, open=True, state__in=("raised", "escalated", "appealed")
    ).order_by("raised_at")
    away = tournaments.spans_of(event_id)
    tables = tuple((row.table, _gone(row.raised_at, away) // 60) for row in rows)
    return Waiting(len(tables), tables[0][1] if tables else 0, tables)
