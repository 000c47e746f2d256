"""Reads of one match: for its players and for staff."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Q, Subquery

from eventstore import clock
from eventstore.ids import is_id
from eventstore.prepared import Bound, ask, prepared
from people import selectors as people
from people.access import NotAllowed, may, require
from people.domain.actor import Actor
from people.domain.permissions import Subject, Verdict
from tournaments.domain import scores
from tournaments.domain.scores import Format, Score
from tournaments.models import EntrantPerson, EntrantRow, EventRow, LossRow, MatchRow
from tournaments.selectors.clocks import ClockView, clock_in, round_rows
from tournaments.selectors.events import EventHome, RosterLine, entrant_of_person, line_of
from tournaments.selectors.hall import MessageView, message_rows, messages_of
from tournaments.selectors.sides import Side, is_staff, readable, sides
from tournaments.selectors.slips import losses_pending, require_losses


@dataclass(frozen=True, slots=True)
class MatchDetail:
    """One match as one viewer may see it.

    `seat` is the viewer's own. `claims` {seat: {score, winner, reason, at}}: both for staff,
    the own one for a player; `opponent_claimed` says that there is another. `duels` as in
    MatchRow. `chooser` is the seat that chooses who starts the next duel, None while a coin is
    due (`toss_due`) or nothing is to choose. `own` is the viewer's own line of the list.
    `next_duel` None: no further duel. `possible` are the scores a report can show.
    """

    row: MatchRow
    event: EventRow
    p1: Side
    p2: Side
    seat: str | None
    state: str
    claims: Mapping[str, Mapping[str, Any]]
    opponent_claimed: bool
    duels: tuple[Mapping[str, Any], ...]
    toss_due: bool
    chooser: str | None
    next_duel: int | None
    possible: tuple[Score, ...]
    may_play: bool
    may_claim: bool
    may_enter: bool
    own: RosterLine | None = None

    @property
    def score(self) -> Score:
        """The result, or the duels won so far."""
        if self.row.winner:
            return (self.row.p1_wins, self.row.p2_wins, self.row.draws)
        return scores.score(_results(self.row))

    @property
    def running(self) -> Mapping[str, Any] | None:
        """The duel that is going on."""
        last = self.duels[-1] if self.duels else None
        return last if last is not None and last["winner"] is None else None


def next_duel_of(row: MatchRow) -> int | None:
    """Return the number of the duel that can begin, None while one goes on and for no further."""
    is_open = not row.winner and (not row.duels or bool(row.duels[-1]["winner"]))
    number = scores.next_duel(Format(row.rules, row.play_on), _results(row)) if is_open else None
    return number if isinstance(number, int) else None


def _results(row: MatchRow) -> tuple[str, ...]:
    return tuple(one["winner"] for one in row.duels if one["winner"])


@dataclass(frozen=True, slots=True)
class MyTable:
    """The viewer's own match with what its page shows beside it: the losses that wait for the
    next one, the clock of the table while it plays, the messages for the viewer; `more`: the rows
    of each look-up that was asked along."""

    detail: MatchDetail
    losses: list[LossRow]
    clock: ClockView | None
    messages: list[MessageView]
    more: list[list[Any]]


@prepared
def match_rows(match_id: Any) -> Any:
    """The row of a match, unguarded."""
    return MatchRow.objects.filter(pk=match_id).order_by()


@prepared
def _own_rows(event_id: Any, number: Any, own: Any) -> Any:
    rows = MatchRow.objects.filter(Q(p1=own) | Q(p2=own), event_id=event_id, round=number)
    return rows.exclude(state="draft").order_by("table")[:1]


@prepared
def own_matches(person_id: Any, event_id: Any) -> Any:
    """The row of a person's match of the newest published round of an event, unguarded."""
    own = EntrantPerson.objects.filter(person_id=person_id, event_id=event_id).order_by("pk")
    entrant = Subquery(own.values("entrant_id")[:1])
    newest = Subquery(EventRow.objects.filter(pk=event_id).order_by().values("round")[:1])
    rows = MatchRow.objects.filter(Q(p1=entrant) | Q(p2=entrant), event_id=event_id, round=newest)
    return rows.exclude(state="draft").order_by("table")[:1]


@prepared
def _entrant_rows(p1: Any, p2: Any) -> Any:
    return EntrantRow.objects.filter(pk__in=[p1, p2]).order_by()


def match_detail(viewer: Actor, match_id: str) -> MatchDetail:
    """Return a match: three queries on PostgreSQL, four elsewhere. Raises NotAllowed, hidden from
    everybody but its players and the staff, as is a draft from everybody."""
    found = match_rows(match_id) if is_id(match_id) else []
    row: MatchRow | None = found[0] if found else None
    if row is None or row.state == "draft":
        raise NotAllowed("tournaments.match_read", Verdict.HIDDEN)
    return _detail(viewer, row, EventRow.objects.get(pk=row.event_id))


def match_of(
    viewer: Actor, event_id: str, match_id: str, found: Sequence[MatchRow] | None = None
) -> MatchRow:
    """Return the row of a match of this event: one query, where what the players see of each other
    is not asked for, none with the rows of `match_rows`. Raises NotAllowed as `match_detail`, and
    hidden for another event."""
    if found is None:
        found = match_rows(match_id) if is_id(match_id) else []
    row: MatchRow | None = found[0] if found else None
    if row is None or row.state == "draft" or row.event_id != event_id:
        raise NotAllowed("tournaments.match_read", Verdict.HIDDEN)
    require(viewer, "tournaments.match_read", _subject(row))
    return row


def seat_in(viewer: Actor, row: MatchRow) -> str | None:
    """Return the viewer's own seat in a match."""
    held = zip(scores.SEATS, row.persons, strict=True)
    known = viewer.person_id is not None
    return next((one for one, side in held if known and viewer.person_id in side), None)


def my_match(viewer: Actor, event_id: str, home: EventHome | None = None) -> MatchDetail | None:
    """Return the viewer's match of the newest published round, None without one: four queries on
    PostgreSQL, two less with the event as it was read already. Raises NotAllowed."""
    event = home.row if home else readable(viewer, event_id, "tournaments.event_read")
    own = home.entrant_id if home else entrant_of_person(viewer, event_id)
    if own is None or not event.round:
        return None
    found = _own_rows(event_id, event.round, own)
    return _detail(viewer, found[0], event) if found else None


def my_table(
    viewer: Actor,
    home: EventHome,
    more: Sequence[Bound] = (),
    found: Sequence[MatchRow] | None = None,
) -> MyTable | None:
    """Return the viewer's match of the newest published round with all that its page shows, and
    what the look-ups `more` find; None without a match: two queries on PostgreSQL, one for each
    kind of row elsewhere, one less with the rows of `own_matches`. Raises NotAllowed."""
    event, own = home.row, home.entrant_id
    if own is None or not event.round:
        return None
    if found is None:
        found = _own_rows(event.pk, event.round, own)
    if not found:
        return None
    row: MatchRow = found[0]
    require(viewer, "tournaments.match_read", _subject(row))
    require_losses(viewer, event.pk)
    now = clock.as_text(clock.now())
    called = people.names_bound(person for side in row.persons for person in side)
    entrants, losses, messages, rounds, *rest = ask(
        _entrant_rows.bind(row.p1, row.p2),
        losses_pending.bind(event.pk, own),
        message_rows.bind(event.pk, now),
        round_rows.bind(event.pk, row.round),
        *more,
        *([] if called is None else [called]),
    )
    return MyTable(
        _made(viewer, row, event, entrants, rest[len(more)] if called is not None else ()),
        losses,
        clock_in(rounds[0], row.extension_s) if rounds and not row.winner else None,
        messages_of(messages, now, viewer, event.pk),
        rest[: len(more)],
    )


def _subject(row: MatchRow) -> Subject:
    persons = frozenset(person for side in row.persons for person in side)
    return Subject(row.event_id, persons, public=False)


def _detail(viewer: Actor, row: MatchRow, event: EventRow) -> MatchDetail:
    require(viewer, "tournaments.match_read", _subject(row))
    called = people.names_bound(person for side in row.persons for person in side)
    entrants, *names = ask(
        _entrant_rows.bind(row.p1, row.p2), *([] if called is None else [called])
    )
    return _made(viewer, row, event, entrants, names[0] if names else ())


def _made(
    viewer: Actor,
    row: MatchRow,
    event: EventRow,
    found: Iterable[EntrantRow],
    called: Iterable[people.Called],
) -> MatchDetail:
    subject = _subject(row)
    entrants = {one.pk: one for one in found}
    named = sides(entrants.values(), called=called)
    staff = is_staff(viewer, row.event_id)
    seat = seat_in(viewer, row)
    own = entrants[row.p1 if seat == "P1" else row.p2] if seat is not None else None
    claims = row.claims if staff else {key: row.claims[key] for key in row.claims if key == seat}
    form = Format(row.rules, row.play_on)
    played = _results(row)
    next_duel = next_duel_of(row)
    toss = row.toss or None
    toss_due = next_duel is not None and toss is None and scores.needs_toss(form, played)
    chooser = None
    if next_duel is not None and not row.starter:
        chooser = scores.chooser(form, played, toss)
    open_claim = not row.winner and seat is not None
    return MatchDetail(
        row,
        event,
        named[row.p1],
        named[row.p2],
        seat,
        row.state,
        claims,
        any(key != seat for key in row.claims),
        tuple(row.duels),
        toss_due,
        chooser,
        next_duel,
        () if row.winner else tuple(scores.possible(form, played)),
        may(viewer, "tournaments.match_play", subject),
        open_claim and may(viewer, "tournaments.result_claim", subject),
        may(viewer, "tournaments.result_enter", subject),
        None if own is None else line_of(own, named[own.pk]),
    )
