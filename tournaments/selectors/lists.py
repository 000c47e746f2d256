"""The lists of a match as they are now played: registered, exchanged, and how they differ."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from decks import selectors as decks
from decks.domain.decklist import DeckList
from decks.domain.presets import PRESETS
from decks.domain.siding import Moment, Swap
from eventstore import store
from eventstore.domain.envelope import fold
from people.access import may, require
from people.domain.actor import Actor
from people.domain.permissions import Subject
from tournaments.domain import match as match_of
from tournaments.domain import scores, sides
from tournaments.domain.match import Match
from tournaments.models import EntrantRow
from tournaments.selectors.matches import match_detail
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
    """The lists of a match that a viewer may see, by seat, and whether an exchange is in order
    now (`moment`)."""

    moment: Moment
    lists: dict[str, ListNow]


def lists_of_match(viewer: Actor, match_id: str) -> ListsNow:
    """Return the lists of a match: for staff both, for a player its own. A seat without a list
    is left out. Raises NotAllowed, hidden as the match itself."""
    detail = match_detail(viewer, match_id)
    state = fold(
        Match(), match_of.evolve, (one.data for one in store.read_stream(match_stream(match_id)))
    )
    deck_ids = dict(EntrantRow.objects.filter(pk__in=state.entrants).values_list("pk", "deck_id"))
    preset = PRESETS[detail.event.preset]
    held: dict[str, ListNow] = {}
    for seat, entrant, persons in zip(scores.SEATS, state.entrants, state.persons, strict=True):
        subject = Subject(state.event_id, frozenset(persons), public=False)
        if not deck_ids.get(entrant) or not may(viewer, "decks.list_read", subject):
            continue
        registration = decks.deck_in_force(viewer, deck_ids[entrant])
        held[seat] = ListNow(
            seat,
            registration.number,
            registration.submitted.deck_hash if registration.submitted else "",
            registration.deck,
            sides.current(registration.deck, state, seat, preset),
            tuple(Exchange(one.number, one.swap) for one in state.exchanges if one.seat == seat),
        )
    return ListsNow(sides.moment(state), held)


def lists_at_table(viewer: Actor, match_id: str) -> ListsNow:
    """Return both lists of a match for its staff. Raises NotAllowed."""
    detail = match_detail(viewer, match_id)
    require(viewer, "decks.list_read", Subject(detail.row.event_id, public=False))
    return lists_of_match(viewer, match_id)
