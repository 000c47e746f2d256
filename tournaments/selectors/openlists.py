"""Deck lists that others than staff may see: published ones, and that of the opponent."""

from __future__ import annotations

from dataclasses import dataclass

from decks import selectors as decks
from decks.domain.decklist import DeckList
from eventstore import clock
from eventstore.ids import is_id
from people.access import NotAllowed, require
from people.domain.actor import SYSTEM, Actor
from people.domain.permissions import Subject, Verdict
from tournaments.domain.event import CUT_STAGE
from tournaments.domain.openlists import Moment, Viewer, is_public, opens, sees
from tournaments.models import EntrantRow, EventRow
from tournaments.selectors.matches import my_match
from tournaments.selectors.sides import Side, readable, sides

ACTION = "tournaments.open_list_read"


@dataclass(frozen=True, slots=True)
class OpenList:
    """A list that the viewer may see: whose it is, its version, hash and cards."""

    side: Side
    number: int
    deck_hash: str
    deck: DeckList


def moment_of(event: EventRow) -> Moment:
    """Return where an event stands now, as far as it matters to lists: no query."""
    return Moment(
        event.decklists,
        event.decklists_at,
        event.status,
        event.stage == CUT_STAGE,
        clock.as_text(clock.now()),
    )


def lists_are_open(event: EventRow) -> bool:
    """Say whether lists of the event are everybody's now: no query."""
    return opens(moment_of(event))


def _hidden() -> NotAllowed:
    return NotAllowed(ACTION, Verdict.HIDDEN)


def _public_rows(event: EventRow) -> list[EntrantRow]:
    moment = moment_of(event)
    rows = EntrantRow.objects.filter(event_id=event.pk).exclude(deck_id="")
    return [one for one in rows if is_public(moment, in_cut=one.seed is not None)]


def open_lists(viewer: Actor, event_id: str) -> list[Side]:
    """Return whose lists are everybody's now, the best places first, then the seeds. Before
    that moment the page is not there. Raises NotAllowed."""
    event = readable(viewer, event_id, "tournaments.event_read")
    require(viewer, ACTION, Subject(event_id))
    if not lists_are_open(event):
        raise _hidden()
    rows = _public_rows(event)
    there = {one.deck_id for one in decks.decks_of_event(SYSTEM, event_id) if one.number}
    shown = sides([one for one in rows if one.deck_id in there])
    last = len(rows) + 1
    return sorted(shown.values(), key=lambda one: (one.place or last, one.seed or last, one.number))


def open_list(viewer: Actor, event_id: str, entrant_id: str) -> OpenList:
    """Return a list that is everybody's now. Any other one is hidden, as is one that does not
    exist. Raises NotAllowed."""
    event = readable(viewer, event_id, "tournaments.event_read")
    require(viewer, ACTION, Subject(event_id))
    if not is_id(entrant_id) or not lists_are_open(event):
        raise _hidden()
    row = next((one for one in _public_rows(event) if one.pk == entrant_id), None)
    held = None if row is None else _shown(row)
    if held is None:
        raise _hidden()
    return held


def opponent_list(viewer: Actor, event_id: str) -> OpenList | None:
    """Return the registered list of the viewer's opponent, where the event shows it and while
    their match is open; None while it is on paper alone. Raises NotAllowed, hidden."""
    event = readable(viewer, event_id, "tournaments.event_read")
    detail = my_match(viewer, event_id)
    if detail is None or detail.seat is None:
        raise _hidden()
    other = detail.p2 if detail.seat == "P1" else detail.p1
    if not sees(
        Viewer.OPPONENT,
        moment_of(event),
        in_cut=other.seed is not None,
        match_open=not detail.row.winner,
    ):
        raise _hidden()
    return _shown(EntrantRow.objects.get(pk=other.entrant_id))


def _shown(row: EntrantRow) -> OpenList | None:
    """Read a list for somebody who may see it; None for one whose cards are not typed in."""
    held = decks.deck_in_force(SYSTEM, row.deck_id) if row.deck_id else None
    if held is None or held.submitted is None:
        return None
    (side,) = sides([row]).values()
    return OpenList(side, held.number, held.submitted.deck_hash, held.deck)
