"""Deck checks: commands and reads. The clock of a check is that of its call (kind deck_check),
so that its extension is computed like every other one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from decks.domain.decklist import DeckList
from eventstore import clock, store
from eventstore.commands import Unit, command
from eventstore.domain.envelope import fold
from eventstore.domain.refusal import Refusal, Refused
from eventstore.ids import is_id, new_id
from judging.domain.deckcheck import (
    MOST,
    NEW,
    SECTIONS,
    DeckChecks,
    compare,
    conflicts,
    draw,
    evolve,
    section_of,
)
from judging.domain.words import Category, Kind
from judging.events import DeckCounted, TablesPicked
from judging.models import CallRow
from judging.services import call_arrive, call_claim, call_raise
from people.access import NotAllowed, require
from people.domain.actor import SYSTEM, Actor
from people.domain.permissions import Subject, Verdict
from people.models import RoleRow
from tournaments.domain.event import CHECKED_IN, CUT, CUT_STAGE
from tournaments.models import EntrantPerson, EntrantRow, EventRow, MatchRow
from tournaments.selectors import ListNow, lists_of_match
from tournaments.services.loading import refuse_cancelled

MOST_PICKED = 200


def _subject(event_id: str) -> Subject:
    return Subject(event_id=event_id, public=False)


def at_table(row: CallRow) -> Subject:
    """Return a check as the permission table sees it: who plays there checks nothing there."""
    persons = frozenset(person for seat in row.seats for person in seat)
    return Subject(event_id=row.event_id, owners=persons, public=False)


def stream_of(event_id: str) -> str:
    """Return the stream of an event's deck checks; raises NotAllowed for what is no id."""
    if not is_id(event_id):
        raise NotAllowed("judging.deck_check", Verdict.HIDDEN)
    return f"deckchecks-{event_id}"


def conflicts_of(actor: Actor, event_id: str) -> frozenset[str]:
    """Return the entrants whom the actor should not check: of its own club or kept apart from it
    by the plan of the event, and its own. At most two queries."""
    mine = EntrantPerson.objects.filter(person_id=actor.ref, event_id=event_id)
    own = list(mine.values_list("entrant_id", flat=True))
    if not own:
        return frozenset()
    plan = EventRow.objects.values_list("plan", flat=True).get(pk=event_id)
    return conflicts(own, plan.get("clubs", {}), plan.get("forbidden", []))


def _tables(event_id: str, number: int) -> list[MatchRow]:
    """The open tables of a published round, none at which somebody of the staff plays."""
    staff = set(RoleRow.objects.filter(event_id=event_id).values_list("person_id", flat=True))
    rows = MatchRow.objects.filter(event_id=event_id, round=number, winner="").exclude(
        state="draft"
    )
    return [
        row
        for row in rows.order_by("table", "pk")
        if not staff & {person for side in row.persons for person in side}
    ]


@command("judging.tables_pick")
def tables_pick(
    unit: Unit,
    *,
    event_id: str,
    count: int,
    targeted: Sequence[int] = (),
    seed: str | None = None,
) -> list[str]:
    """Pick tables of the round that is played: `count` at random and those named by number;
    return their match ids. A table where somebody of the staff plays is never picked.

    Raises Refused (judging.nothing_to_pick, judging.table_not_open, tournaments.wrong_state),
    NotAllowed.
    """
    require(unit.actor, "judging.deck_check", _subject(event_id))
    refuse_cancelled(event_id)
    loaded = unit.load(stream_of(event_id), NEW, evolve)
    number = EventRow.objects.filter(pk=event_id).values_list("round", flat=True).first() or 0
    rows = _tables(event_id, number)
    by_table = {row.table: row.pk for row in rows}
    strange = [one for one in targeted if one not in by_table]
    if strange:
        raise Refused(Refusal("judging.table_not_open", {"found": strange[0]}))
    avoided = conflicts_of(unit.actor, event_id)
    rows = [row for row in rows if not avoided & {row.p1, row.p2}]
    free = {row.table for row in rows}
    near = [one for one in targeted if one not in free]
    if near:
        raise Refused(Refusal("judging.table_conflict", {"found": near[0]}))
    before = {
        match for one in loaded.state.picks.get(number, ()) for match in (*one.drawn, *one.targeted)
    }
    named = tuple(by_table[one] for one in dict.fromkeys(targeted) if by_table[one] not in before)
    eligible = {row.pk: (row.p1, row.p2) for row in rows if row.pk not in {*before, *named}}
    chosen = seed if seed is not None else new_id()
    drawn = draw(eligible, loaded.state.checked, min(count, MOST_PICKED), chosen)
    if not drawn and not named:
        raise Refused(Refusal("judging.nothing_to_pick", {"found": len(eligible)}))
    unit.append(
        loaded.stream,
        loaded.version,
        [
            TablesPicked(
                event_id, number, chosen, tuple(eligible), drawn, named,
                unit.actor.ref, clock.as_text(unit.now),
            )
        ],
    )  # fmt: skip
    return [*named, *drawn]


@command("judging.cut_pick")
def cut_pick(unit: Unit, *, event_id: str) -> list[str]:
    """Pick every table of the round of the cut that is played, so that every deck of the cut is
    checked; return their match ids. Tables that cannot be picked (tables_pick) are left out.

    Raises Refused (judging.no_cut, judging.nothing_to_pick), NotAllowed.
    """
    require(unit.actor, "judging.deck_check", _subject(event_id))
    refuse_cancelled(event_id)
    event = EventRow.objects.filter(pk=event_id).first()
    if event is None or event.status != CUT:
        raise Refused(Refusal("judging.no_cut"))
    loaded = unit.load(stream_of(event_id), NEW, evolve)
    avoided = conflicts_of(unit.actor, event_id)
    before = {
        match
        for one in loaded.state.picks.get(event.round, ())
        for match in (*one.drawn, *one.targeted)
    }
    rows = [
        row
        for row in _tables(event_id, event.round)
        if row.stage == CUT_STAGE and row.pk not in before and not avoided & {row.p1, row.p2}
    ]
    if not rows:
        raise Refused(Refusal("judging.nothing_to_pick", {"found": 0}))
    named = tuple(row.pk for row in rows)
    unit.append(
        loaded.stream,
        loaded.version,
        [
            TablesPicked(
                event_id, event.round, "", named, (), named,
                unit.actor.ref, clock.as_text(unit.now),
            )
        ],
    )  # fmt: skip
    return list(named)


@command("judging.deck_check_begin")
def deck_check_begin(unit: Unit, *, match_id: str, call_id: str | None = None) -> str:
    """Stand at a table and begin its check: a call of kind deck_check, taken and arrived at;
    return its id. Raises Refused (judging.call_open_there, judging.table_conflict and those of
    the calls), NotAllowed."""
    table = MatchRow.objects.filter(pk=match_id).first()
    if table is not None and conflicts_of(unit.actor, table.event_id) & {table.p1, table.p2}:
        require(unit.actor, "judging.call_take", _subject(table.event_id))
        raise Refused(Refusal("judging.table_conflict", {"found": table.table}))
    if CallRow.objects.filter(match_id=match_id, open=True).exists():
        row = MatchRow.objects.filter(pk=match_id).first()
        require(unit.actor, "judging.call_take", _subject(row.event_id if row else ""))
        if row is not None:
            refuse_cancelled(row.event_id)
        raise Refused(Refusal("judging.call_open_there"))
    raised = call_raise(
        unit,
        call_id=call_id or new_id(),
        match_id=match_id,
        kind=Kind.DECK_CHECK.value,
        category=Category.DECK.value,
    )
    call_claim(unit, call_id=raised.call_id)
    call_arrive(unit, call_id=raised.call_id)
    return raised.call_id


@command("judging.deck_count")
def deck_count(
    unit: Unit,
    *,
    call_id: str,
    seat: str,
    section: str,
    counted: Mapping[str, int],
    others: int = 0,
    wrong_language: int = 0,
    marked: int = 0,
) -> None:
    """Note what was counted of one section of one deck; a later count takes the place of an
    earlier one, so two people can split a check by section or by player.

    `counted` {key: copies found}; a card that is not named is there as listed. Raises Refused
    (judging.not_a_deck_check, judging.no_list_there, judging.count_range), NotAllowed.
    """
    row = CallRow.objects.filter(pk=call_id).first() if is_id(call_id) else None
    if row is None:
        raise NotAllowed("judging.deck_check", Verdict.HIDDEN)
    require(unit.actor, "judging.deck_check", at_table(row))
    if row.kind != Kind.DECK_CHECK.value or not row.open:
        raise Refused(Refusal("judging.not_a_deck_check", {"found": row.kind}))
    held = lists_of_match(SYSTEM, row.match_id).lists.get(seat)
    if held is None or section not in SECTIONS:
        raise Refused(Refusal("judging.no_list_there"))
    for number in (*counted.values(), others, wrong_language, marked):
        if not 0 <= number <= MOST:
            raise Refused(Refusal("judging.count_range", {"found": number, "allowed": MOST}))
    missing, surplus = compare(section_of(held.current, section), counted)
    loaded = unit.load(stream_of(row.event_id), NEW, evolve)
    entrant = row.entrants[0 if seat == "P1" else 1]
    unit.append(
        loaded.stream,
        loaded.version,
        [
            DeckCounted(
                row.event_id, row.match_id, entrant, section, held.number, missing, surplus,
                others, wrong_language, marked, unit.actor.ref, clock.as_text(unit.now),
            )
        ],
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Picked:
    """A picked table of the round: its match, whether it was named, its open check, and whether
    a deck of it is still in the hands of staff."""

    match_id: str
    table: int | None
    targeted: bool
    counted: int
    call_id: str | None
    out: bool = False


@dataclass(frozen=True, slots=True)
class Picks:
    """The picks of the round that is played. `percent` of the entrants were checked so far;
    `never` are the ids of those who were not, of all that play."""

    round: int
    seeds: tuple[str, ...]
    tables: tuple[Picked, ...]
    eligible: int
    checked: int
    entrants: int
    never: tuple[str, ...] = ()

    @property
    def percent(self) -> int:
        """Entrants checked so far, in percent."""
        return 100 * self.checked // self.entrants if self.entrants else 0


def _state(event_id: str) -> DeckChecks:
    recorded = store.read_stream(stream_of(event_id))
    return fold(NEW, evolve, (one.data for one in recorded))


def picks(viewer: Actor, event_id: str) -> Picks:
    """Return the picks of the round and who was checked: staff only. Raises NotAllowed."""
    require(viewer, "judging.deck_check", _subject(event_id))
    state = _state(event_id)
    number = EventRow.objects.filter(pk=event_id).values_list("round", flat=True).first() or 0
    made = state.picks.get(number, ())
    wanted = {match: one for one in made for match in (*one.targeted, *one.drawn)}
    rows = {row.pk: row for row in MatchRow.objects.filter(pk__in=wanted)}
    calls = dict(
        CallRow.objects.filter(match_id__in=wanted, kind=Kind.DECK_CHECK.value)
        .order_by("raised_at")
        .values_list("match_id", "call_id")
    )
    order = list(
        EntrantRow.objects.filter(event_id=event_id, status=CHECKED_IN)
        .order_by("number")
        .values_list("pk", flat=True)
    )
    playing = frozenset(order)
    tables = tuple(
        Picked(
            match,
            rows[match].table,
            match in one.targeted,
            sum(key[0] == match for key in state.counts),
            calls.get(match),
            any(state.out(match, one) for one in (rows[match].p1, rows[match].p2)),
        )
        for match, one in wanted.items()
        if match in rows
    )
    return Picks(
        number,
        tuple(one.seed for one in made if one.seed),
        tuple(sorted(tables, key=lambda one: one.table or 0)),
        len(_tables(event_id, number)),
        len(state.checked & playing),
        len(playing),
        tuple(one for one in order if one not in state.checked),
    )


@dataclass(frozen=True, slots=True)
class Check:
    """One check: its call, the lists by seat, all that was counted in the event."""

    call: CallRow
    lists: Mapping[str, ListNow]
    state: DeckChecks

    def deck(self, seat: str) -> DeckList:
        """The list a seat now plays."""
        return self.lists[seat].current


def check(viewer: Actor, call_id: str) -> Check:
    """Return a check for those who may count. Raises NotAllowed."""
    row = (
        CallRow.objects.filter(pk=call_id, kind=Kind.DECK_CHECK.value).first()
        if is_id(call_id)
        else None
    )
    if row is None:
        raise NotAllowed("judging.deck_check", Verdict.HIDDEN)
    require(viewer, "judging.deck_check", at_table(row))
    return Check(row, lists_of_match(viewer, row.match_id).lists, _state(row.event_id))
