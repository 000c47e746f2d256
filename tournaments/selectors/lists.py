"""The lists of a match as they are now played: registered, exchanged, and how they differ."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from decks import library
from decks import selectors as decks
from decks.domain.decklist import DeckList
from decks.domain.registration import ListState
from decks.domain.siding import Moment, Swap
from decks.models import DeckInForce
from eventstore import store
from eventstore.domain.envelope import fold
from people.access import may, require
from people.domain.actor import Actor
from people.domain.permissions import Subject
from tournaments.domain import match as match_of
from tournaments.domain import scores, sides
from tournaments.domain.event import DISQUALIFIED, DROPPED
from tournaments.domain.match import Match
from tournaments.models import EntrantRow
from tournaments.selectors.matches import match_detail
from tournaments.selectors.sides import Side, event_sides, readable
from tournaments.services.loading import match_stream


@dataclass(frozen=True, slots=True)
class Exchange:
    """One exchange with the Side Deck, before duel number `duel`."""

    duel: int
    swap: Swap


@dataclass(frozen=True, slots=True)
class ListNow:
    """The list of one seat: version and hash in force, the list as registered and as it is now
    played, and the exchanges between them, oldest first."""

    seat: str
    number: int
    deck_hash: str
    registered: DeckList
    current: DeckList
    exchanges: tuple[Exchange, ...]

    @property
    def back(self) -> Swap:
        """The exchange that restores the registered list."""
        return Swap(
            _less(self.registered.main, self.current.main),
            _less(self.current.main, self.registered.main),
            _less(self.registered.extra, self.current.extra),
            _less(self.current.extra, self.registered.extra),
        )


def _less(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    return tuple((Counter(one) - Counter(other)).elements())


@dataclass(frozen=True, slots=True)
class ListsNow:
    """The lists of a match that a viewer may see, by seat, whether an exchange is in order now
    (`moment`), and the seats whose list was received on paper and not typed in (`paper`)."""

    moment: Moment
    lists: dict[str, ListNow]
    paper: frozenset[str] = frozenset()


def lists_of_match(viewer: Actor, match_id: str) -> ListsNow:
    """Return the lists of a match: for staff both, for a player its own. A seat without a list
    is left out. Raises NotAllowed, hidden as the match itself."""
    detail = match_detail(viewer, match_id)
    state = fold(
        Match(), match_of.evolve, (one.data for one in store.read_stream(match_stream(match_id)))
    )
    deck_ids = dict(EntrantRow.objects.filter(pk__in=state.entrants).values_list("pk", "deck_id"))
    preset = library.named(detail.event.preset)
    held: dict[str, ListNow] = {}
    paper: set[str] = set()
    for seat, entrant, persons in zip(scores.SEATS, state.entrants, state.persons, strict=True):
        subject = Subject(state.event_id, frozenset(persons), public=False)
        if not deck_ids.get(entrant) or not may(viewer, "decks.list_read", subject):
            continue
        registration = decks.deck_in_force(viewer, deck_ids[entrant])
        if registration.submitted is None:
            paper.add(seat)
            continue
        held[seat] = ListNow(
            seat,
            registration.number,
            registration.submitted.deck_hash,
            registration.deck,
            sides.current(registration.deck, state, seat, preset),
            tuple(Exchange(one.number, one.swap) for one in state.exchanges if one.seat == seat),
        )
    return ListsNow(sides.moment(state), held, frozenset(paper))


@dataclass(frozen=True, slots=True)
class HandIn:
    """An entrant and its list at the desk. `deck` None: nothing was handed in; `late`: handed in
    after the deadline of the event."""

    side: Side
    deck: DeckInForce | None
    late: bool

    @property
    def state(self) -> str:
        """How far the list is (decks.domain.registration.ListState)."""
        return self.deck.state if self.deck else ListState.NONE.value

    @property
    def illegal(self) -> bool:
        """Whether an illegal paper list waits for its repair."""
        return bool(self.deck and self.deck.errors)


def hand_ins(viewer: Actor, event_id: str) -> list[HandIn]:
    """Return every entrant who is not out, with its list: for staff. Raises NotAllowed."""
    event = readable(viewer, event_id, "tournaments.event_read")
    rows = {one.entrant_id: one for one in decks.decks_of_event(viewer, event_id)}
    deadline = event.deck_deadline
    return [
        HandIn(
            side,
            rows.get(side.entrant_id),
            bool(
                deadline
                and side.entrant_id in rows
                and rows[side.entrant_id].handed_in_at > deadline
            ),
        )
        for side in event_sides(event_id).values()
        if side.status not in (DROPPED, DISQUALIFIED)
    ]


def lists_at_table(viewer: Actor, match_id: str) -> ListsNow:
    """Return both lists of a match for its staff. Raises NotAllowed."""
    detail = match_detail(viewer, match_id)
    require(viewer, "decks.list_read", Subject(detail.row.event_id, public=False))
    return lists_of_match(viewer, match_id)
