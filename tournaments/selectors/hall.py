"""Reads of the hall: messages, what is printed, the wall screen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from eventstore import clock
from eventstore.prepared import prepared
from people import selectors as people
from people import vault
from people.access import may, require
from people.domain.actor import ANONYMOUS, Actor
from people.domain.permissions import Subject
from tournaments import rulesets
from tournaments.domain.door_events import Prize
from tournaments.domain.door_policy import prizes_for
from tournaments.domain.event import CHECKED_IN, ENROLLED, FINISHED, SWISS_STAGE
from tournaments.domain.hall import choice as print_choice
from tournaments.domain.hall import messages as meant
from tournaments.domain.hall import sheets, slips, wall
from tournaments.domain.scores import Format
from tournaments.events import PaperChoice
from tournaments.models import (
    DoorRow,
    EntrantRow,
    EventRow,
    MatchRow,
    MessageRow,
    PaperRow,
    RoundRow,
)
from tournaments.selectors.clocks import ClockView, clock_in
from tournaments.selectors.events import entrant_of_person
from tournaments.selectors.rounds import PairingLine, RoundView, pairings
from tournaments.selectors.sides import Side, event_sides, is_staff, readable
from tournaments.selectors.standings import StandingLine, StandingsView, standings_after

MOST_MESSAGES = 50


@dataclass(frozen=True, slots=True)
class MessageView:
    """A message as its reader sees it; `text` is None when its author was erased. Times are UTC
    text, `gone_at` milliseconds since 1970."""

    message_id: str
    audience: str
    first: int | None
    last: int | None
    round: int
    text: str | None
    author: str
    posted_at: str
    until: str
    withdrawn_at: str
    in_force: bool

    @property
    def gone_at(self) -> int:
        """When it ends by itself, in milliseconds since 1970."""
        return int(clock.from_text(self.until).timestamp() * 1000)


def _read(rows: Sequence[MessageRow], now: str) -> list[MessageView]:
    texts = vault.open_texts([(row.author, row.text) for row in rows])
    return [
        MessageView(
            row.pk,
            row.audience,
            row.first,
            row.last,
            row.round,
            text,
            row.author,
            row.posted_at,
            row.until,
            row.withdrawn_at,
            not row.withdrawn_at and row.until > now,
        )
        for row, text in zip(rows, texts, strict=True)
    ]


@prepared
def message_rows(event_id: Any, now: Any) -> Any:
    """The messages of an event that are in force, the newest first, unguarded."""
    return MessageRow.objects.filter(event_id=event_id, withdrawn_at="", until__gt=now)


def messages_shown(viewer: Actor, event_id: str, plays: bool | None = None) -> list[MessageView]:
    """Return the messages in force that are for the viewer, the newest first: for pages that
    have asked for the right to the event already.

    `plays`: whether the viewer is an entrant, None: ask. The number of queries tells nothing of
    messages for others: one, one more to ask, and one while the viewer is shown a text.
    """
    now = clock.as_text(clock.now())
    staff = is_staff(viewer, event_id)
    if plays is None:
        plays = not staff and entrant_of_person(viewer, event_id) is not None
    return _shown(message_rows(event_id, now), now, viewer, staff, plays)


def messages_of(
    rows: Sequence[MessageRow], now: str, viewer: Actor, event_id: str, plays: bool = True
) -> list[MessageView]:
    """Return the same of the rows of `message_rows`: no query but for the texts that are shown."""
    return _shown(rows, now, viewer, is_staff(viewer, event_id), plays)


def _shown(
    rows: Sequence[MessageRow], now: str, viewer: Actor, staff: bool, plays: bool
) -> list[MessageView]:
    shown = [row for row in rows if _is_for(row, viewer, staff, plays)]
    return [one for one in _read(shown, now) if one.text is not None] if shown else []


def _is_for(row: MessageRow, viewer: Actor, staff: bool, plays: bool) -> bool:
    if staff or row.audience == meant.ALL:
        return True
    if row.audience == meant.PLAYERS:
        return plays
    return row.audience == meant.TABLES and plays and viewer.person_id in row.persons


def messages(viewer: Actor, event_id: str) -> list[MessageView]:
    """Return the messages in force that are for the viewer. Raises NotAllowed."""
    readable(viewer, event_id, "tournaments.event_read")
    return messages_shown(viewer, event_id)


def messages_kept(viewer: Actor, event_id: str) -> list[MessageView]:
    """Return the newest messages for the desk, those that ended as well: three queries. Raises
    NotAllowed."""
    readable(viewer, event_id, "tournaments.event_read")
    require(viewer, "tournaments.message_post", Subject(event_id))
    now = clock.as_text(clock.now())
    return _read(list(MessageRow.objects.filter(event_id=event_id)[:MOST_MESSAGES]), now)


def paper_choice(viewer: Actor, event_id: str) -> PaperChoice:
    """Return how an event prints, the usual choice where none was made. Raises NotAllowed."""
    readable(viewer, event_id, "tournaments.event_read")
    require(viewer, "tournaments.desk_use", Subject(event_id))
    row = PaperRow.objects.filter(pk=event_id).first()
    if row is None:
        return PaperChoice()
    return PaperChoice(row.paper, row.language, row.per_page, row.ids, row.large)


@dataclass(frozen=True, slots=True)
class NameLine:
    """One player of a round; without opponent and table for a bye."""

    side: Side
    other: Side | None
    line: PairingLine | None


def by_name(view: RoundView) -> list[NameLine]:
    """Return a round with one line per player, sorted by name: one query."""
    lines: list[NameLine] = []
    for one in view.tables:
        lines += [NameLine(one.p1, one.p2, one), NameLine(one.p2, one.p1, one)]
    lines += [NameLine(side, None, None) for side in view.byes]
    order = people.sort_names(one.side.persons[0] for one in lines)
    return sorted(lines, key=lambda one: order.get(one.side.persons[0], ""))


@dataclass(frozen=True, slots=True)
class Slip:
    """One match slip: its table, the code for a scanner, what stands beside the names."""

    line: PairingLine
    code: str
    ids: tuple[str, str]


@dataclass(frozen=True, slots=True)
class SlipPages:
    """The slips of a round in cut-stack order, the boxes that its match rules need, and by which
    ruleset (`id@version`) a match ends when time is called."""

    view: RoundView
    boxes: slips.Boxes
    match_rules: str
    ruleset: str
    pages: tuple[tuple[Slip | None, ...], ...]


def slip_pages(
    viewer: Actor,
    event_id: str,
    view: RoundView,
    *,
    per_page: int,
    ids: str = print_choice.NUMBER,
) -> SlipPages:
    """Return the slips of a round that was read (`pairings`): two queries.

    The Card Game ID stands on them for whoever may read the data of people; for others it is the
    number in the event. Raises NotAllowed.
    """
    event = readable(viewer, event_id, "tournaments.event_read")
    require(viewer, "tournaments.desk_use", Subject(event_id))
    number = view.row.number
    known: dict[str, str] = {}
    if ids == print_choice.CARD_GAME_ID and may(viewer, "people.person_read", Subject(event_id)):
        persons = [person for one in view.tables for side in one.sides for person in side.persons]
        known = people.card_game_ids(viewer, persons, event_id=event_id)
    elif ids == print_choice.CARD_GAME_ID:
        ids = print_choice.NUMBER

    def beside(side: Side) -> str:
        if ids == print_choice.NUMBER:
            return f"#{side.number}"
        return " / ".join(known[person] for person in side.persons if known.get(person))

    made = [
        Slip(one, slips.table_code(event_id, number, one.table), (beside(one.p1), beside(one.p2)))
        for one in view.tables
    ]
    play_on = event.play_on and view.row.stage != SWISS_STAGE
    return SlipPages(
        view,
        slips.boxes(Format(event.match_rules, play_on)),
        event.match_rules,
        event.ruleset or rulesets.usual(event.game, event.match_rules).ref,
        tuple(slips.cut_stack(made, per_page)),
    )


@dataclass(frozen=True, slots=True)
class SeatLine:
    """Who sits where when all are seated; `deck_id` as in the roster."""

    side: Side
    table: int
    seat: str
    deck_id: str


def seats(viewer: Actor, event_id: str) -> list[SeatLine]:
    """Return everybody who is in, sorted by name, two to a table: five queries. Raises
    NotAllowed."""
    event = readable(viewer, event_id, "tournaments.event_read")
    require(viewer, "tournaments.desk_use", Subject(event_id))
    decks = dict(EntrantRow.objects.filter(event_id=event_id).values_list("pk", "deck_id"))
    named = [one for one in event_sides(event_id).values() if one.status in (CHECKED_IN, ENROLLED)]
    order = people.sort_names(one.persons[0] for one in named)
    named.sort(key=lambda one: order.get(one.persons[0], ""))
    offset = int(event.plan.get("offset", 0) or 0)
    given = sheets.seat_all([one.entrant_id for one in named], offset)
    return [
        SeatLine(side, one.table, one.seat, decks.get(side.entrant_id, ""))
        for side, one in zip(named, given, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class NextSheet:
    """What it takes to run the next round on paper: its number, its players with their points
    *before* the round that is on, and the tables that will be needed."""

    number: int
    lines: tuple[tuple[Side, sheets.NextLine], ...]
    tables: tuple[int, ...]


def next_sheet(viewer: Actor, event_id: str) -> NextSheet:
    """Return the sheet of the next round: six queries. Raises NotAllowed."""
    event = readable(viewer, event_id, "tournaments.event_read")
    require(viewer, "tournaments.desk_use", Subject(event_id))
    named = event_sides(event_id)
    rounds = list(
        RoundRow.objects.filter(event_id=event_id, published=True, stage=SWISS_STAGE).order_by(
            "number"
        )
    )
    matches = MatchRow.objects.filter(event_id=event_id, stage=SWISS_STAGE).exclude(state="draft")
    pairs = list(matches.values_list("p1", "p2"))
    points = dict(rounds[-1].points) if rounds else {}
    playing = {one.entrant_id: one.number for one in named.values() if one.status == CHECKED_IN}
    lines = sheets.next_round(playing, points, pairs, [bye for one in rounds for bye in one.byes])
    offset = int(event.plan.get("offset", 0) or 0)
    return NextSheet(
        event.round + 1,
        tuple((named[one.entrant_id], one) for one in lines),
        tuple(range(offset + 1, offset + 1 + len(lines) // 2)),
    )


def prizes_of(viewer: Actor, event_id: str) -> dict[int, str]:
    """Return what each place gets with those who play, late ones among them, before the start
    with those enrolled: three queries; empty without a prize table. Raises NotAllowed."""
    event = readable(viewer, event_id, "tournaments.event_read")
    require(viewer, "tournaments.desk_use", Subject(event_id))
    row = DoorRow.objects.filter(pk=event_id).first()
    kept = msgspec.convert((row.policy if row else {}).get("prizes", ()), tuple[Prize, ...])
    late = EntrantRow.objects.filter(event_id=event_id, late=True).count()
    started = row.started_with if row else 0
    return prizes_for(kept, started + late if started else event.players)


@dataclass(frozen=True, slots=True)
class RoundSum:
    """One line of the final report: how a round went."""

    number: int
    stage: str
    tables: int
    byes: int
    decided: int
    corrected: int
    published_at: str
    reasons: tuple[tuple[str, int], ...]


def round_sums(viewer: Actor, event_id: str) -> list[RoundSum]:
    """Return every published round with its counts: three queries. Raises NotAllowed."""
    readable(viewer, event_id, "tournaments.event_read")
    require(viewer, "tournaments.desk_use", Subject(event_id))
    held: dict[int, list[tuple[str, str, int]]] = {}
    rows = MatchRow.objects.filter(event_id=event_id).exclude(state="draft")
    for number, state, reason, corrections in rows.values_list(
        "round", "state", "reason", "corrections"
    ):
        held.setdefault(number, []).append((state, reason, corrections))
    made: list[RoundSum] = []
    for row in RoundRow.objects.filter(event_id=event_id, published=True).order_by("number"):
        found = held.get(row.number, [])
        unusual = Counter(reason for _, reason, _ in found if reason and reason != "played")
        made.append(
            RoundSum(
                row.number,
                row.stage,
                len(found),
                len(row.byes),
                sum(state == "decided" for state, _, _ in found),
                sum(corrections > 0 for _, _, corrections in found),
                row.published_at,
                tuple(sorted(unusual.items())),
            )
        )
    return made


@dataclass(frozen=True, slots=True)
class Wall:
    """The wall screen of an event: only what everybody may know, whoever opens it."""

    event: EventRow
    clock: ClockView | None
    messages: tuple[MessageView, ...]
    tables: int
    open_tables: int
    players: int
    slides: tuple[wall.Slide, ...]
    places: tuple[Side, ...]
    standings: StandingsView | None


def wall_screen(
    event_id: str, *, lines: int = wall.USUAL_LINES, part: int = 1, of: int = 1
) -> Wall:
    """Return the wall screen, or its part for one of several screens: at most 19 queries.

    It is read as nobody known: a draft, a report or a message for staff never stands on it,
    whoever is signed in at the machine behind the screen. Raises NotAllowed for an event that
    is not public.
    """
    event = readable(ANONYMOUS, event_id, "tournaments.pairings_read")
    view = pairings(ANONYMOUS, event_id, event.round) if event.round else None
    over = event.status == FINISHED
    named: list[NameLine] = by_name(view) if view is not None and not over else []
    open_tables = sum(not one.winner for one in view.tables) if view is not None else 0
    held: StandingsView | None = None
    if event.round:
        # While a Swiss round is on, the frozen standings before it stand still for everybody.
        before = event.stage == SWISS_STAGE and open_tables > 0
        if not before:
            held = standings_after(ANONYMOUS, event_id)
        elif event.round > 1:
            held = standings_after(ANONYMOUS, event_id, event.round - 1)
    rows: tuple[StandingLine, ...] = held.lines if held is not None and not over else ()
    entrants = event_sides(event_id).values() if over or not event.round else ()
    places = sorted((one for one in entrants if one.place), key=lambda one: one.place or 0)
    return Wall(
        event,
        clock_in(view.row) if view is not None else None,
        tuple(messages_shown(ANONYMOUS, event_id)),
        len(view.tables) if view is not None else 0,
        open_tables,
        sum(one.status in (CHECKED_IN, ENROLLED) for one in entrants),
        tuple(
            wall.rotation(
                wall.share(places if over else named, part, of),
                wall.share(rows, part, of),
                lines,
            )
        ),
        tuple(places),
        held,
    )
