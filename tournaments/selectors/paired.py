"""The pairings of a round as a page of tables shows them, and nothing else of them: thousands look
at it at once when a round is out, so its statements are written once and no rows of models made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache
from typing import Any, NamedTuple, overload

from django.db.models import Count

from eventstore import clock
from eventstore.prepared import Prepared, ask, listed, prepared
from people import selectors as people
from people.domain.actor import Actor
from tournaments.domain.round_clock import moment, text_of
from tournaments.models import EntrantRow, MatchRow, RoundRow
from tournaments.selectors.events import EventHome
from tournaments.selectors.hall import MessageView, message_rows, messages_of
from tournaments.selectors.rounds import shown_round, shown_state
from tournaments.selectors.sides import is_staff, readable_row

PREPARED_PAGES = 256


class PairedSide(NamedTuple):
    """An entrant at a table; `points` are those before the round, None where none were counted."""

    entrant_id: str
    name: str
    points: int | None


class PairedRow(NamedTuple):
    """One table, as `PairingLine` says it; `ends_at` of a table with an extension only."""

    table: int
    p1: PairedSide
    p2: PairedSide
    state: str
    winner: str
    score: tuple[int, int, int]
    reason: str
    corrected: bool
    duels: Sequence[Mapping[str, Any]]
    extension_s: int
    ends_at: str
    contested: bool


class RoundTab(NamedTuple):
    """A round that can be looked at."""

    number: int
    stage: str
    published: bool


class Tables(Sequence[PairedRow]):
    """The tables of a round, read where a page looks: three queries for each slice."""

    def __init__(self, row: RoundRow, number: int, staff: bool) -> None:
        self._row, self._number, self._staff = row, number, staff

    def __len__(self) -> int:
        """Return how many there are."""
        return self._number

    @overload
    def __getitem__(self, at: int) -> PairedRow: ...
    @overload
    def __getitem__(self, at: slice) -> list[PairedRow]: ...
    def __getitem__(self, at: int | slice) -> PairedRow | list[PairedRow]:
        """Read the tables of a slice without a step, or one table; raises IndexError."""
        if isinstance(at, slice):
            first, last, _ = at.indices(self._number)
            return self._read(first, last) if first < last else []
        if not 0 <= at < self._number:
            raise IndexError(at)
        return self._read(at, at + 1)[0]

    def _read(self, first: int, last: int) -> list[PairedRow]:
        row, staff = self._row, self._staff
        found = _tables(first, last)(row.event_id, row.number)
        called = _called(entrant for one in found for entrant in one[1:3])
        ends = moment(row.clock_ends_at) if row.clock_ends_at else None
        lines: list[PairedRow] = []
        for (
            table, p1, p2, state, winner, wins, losses, draws, reason, corrections, duels,
            extension_s, contests,
        ) in found:  # fmt: skip
            runs = ends is not None and extension_s and not winner
            lines.append(
                PairedRow(
                    table,
                    PairedSide(p1, called[p1], row.points.get(p1)),
                    PairedSide(p2, called[p2], row.points.get(p2)),
                    shown_state(state, staff),
                    winner,
                    (wins, losses, draws),
                    reason,
                    corrections > 0,
                    [one for one in duels if one["duel_id"]],
                    extension_s,
                    text_of(ends + timedelta(seconds=extension_s)) if ends and runs else "",
                    staff and bool(contests),
                )
            )
        return lines


@dataclass(frozen=True, slots=True)
class Paired:
    """A round as a page shows it: its row (without what only its making needs), its tables, who has
    a bye. `reasons` (entrant id to code) explain the pairing."""

    row: RoundRow
    tables: Sequence[PairedRow]
    byes: tuple[PairedSide, ...]
    reasons: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class PairingsShown:
    """What the page of pairings shows: a round, if one is there, which rounds there are, and the
    messages that are for the viewer."""

    view: Paired | None
    rounds: tuple[RoundTab, ...]
    messages: list[MessageView]


@prepared
def _tabs(event_id: Any) -> Any:
    rows = RoundRow.objects.filter(event_id=event_id).order_by("number")
    return rows.values_list("number", "stage", "published")


_SHOWN = (
    "event_id", "number", "stage", "published", "published_at", "byes", "reasons", "points",
    "rematches", "method", "proven", "by_hand", "clock_seconds", "clock_ends_at", "clock_left_s",
)  # fmt: skip


@prepared
def _rounds(event_id: Any, number: Any) -> Any:
    return RoundRow.objects.filter(event_id=event_id, number=number).order_by().only(*_SHOWN)


@prepared
def _counts(event_id: Any, number: Any) -> Any:
    rows = MatchRow.objects.filter(event_id=event_id, round=number).order_by().values("event_id")
    return rows.annotate(tables=Count("pk")).values_list("tables", flat=True)


@lru_cache(maxsize=PREPARED_PAGES)
def _tables(first: int, last: int) -> Prepared:
    """The look-up of some tables of a round, by their places in it."""

    def rows(event_id: Any, number: Any) -> Any:
        tables = MatchRow.objects.filter(event_id=event_id, round=number).order_by("table")
        return tables.values_list(
            "table", "p1", "p2", "state", "winner", "p1_wins", "p2_wins", "draws", "reason",
            "corrections", "duels", "extension_s", "contests",
        )[first:last]  # fmt: skip

    return prepared(rows)


@prepared
def _entrants(ids: Any) -> Any:
    return EntrantRow.objects.filter(pk__listed=ids).order_by().values_list("pk", "persons")


def _called(entrants: Iterable[str]) -> dict[str, str]:
    """Return the names of entrants by id: two queries; ids of one human that were merged have one
    name."""
    held = dict(_entrants(listed(entrants)))
    names = people.names(person for persons in held.values() for person in persons)
    return {
        entrant: " / ".join(dict.fromkeys(names.get(person, "?") for person in persons))
        for entrant, persons in held.items()
    }


def pairings_shown(viewer: Actor, home: EventHome, number: int | None) -> PairingsShown:
    """Return a round of an event that was read already for a page of its tables: one query on
    PostgreSQL, four elsewhere, two more where somebody has a bye, and three for the tables that are
    looked at, however many there are. Raises NotAllowed, hidden for a draft and for none."""
    event_id, now = home.row.pk, clock.as_text(clock.now())
    readable_row(viewer, event_id, "tournaments.pairings_read", [home.row])
    staff = is_staff(viewer, event_id)
    tabs, found, counts, told = ask(
        _tabs.bind(event_id),
        _rounds.bind(event_id, number or 0),
        _counts.bind(event_id, number or 0),
        message_rows.bind(event_id, now),
    )
    rounds = tuple(one for one in map(RoundTab._make, tabs) if staff or one.published)
    messages = messages_of(told, now, viewer, event_id, home.entrant_id is not None)
    view = None
    if number:
        row = shown_round(viewer, event_id, found)
        tables = Tables(row, next(iter(counts), 0), staff)
        view = Paired(row, tables, _byes(row), row.reasons)
    return PairingsShown(view, rounds, messages)


def _byes(row: RoundRow) -> tuple[PairedSide, ...]:
    if not row.byes:
        return ()
    called = _called(row.byes)
    return tuple(PairedSide(one, called[one], row.points.get(one)) for one in row.byes)
