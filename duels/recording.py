"""What a recorder's page reads: a duel as it now stands for a seat that the viewer may act for.

A player acts for the own seat and sees what that seat knows. Who records a duel on paper acts
for both seats, and sees of each what it knows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cards import selectors as cards
from duels import selectors
from duels.domain.events import DuelOpened
from duels.domain.offers import Offer, Recorder
from duels.domain.seats import PLAYERS
from duels.facts import facts_for
from duels.inspection import registered_lists
from duels.rules.games import recorder_of, rules_of
from duels.services import before_last, records, source_of, subject_of
from eventstore.domain.envelope import Recorded
from people.access import NotAllowed, may, require
from people.domain.actor import Actor
from people.domain.permissions import Subject, Verdict
from people.domain.roles import Role

MOST_FOUND = 12


@dataclass(frozen=True, slots=True)
class Recording:
    """A duel for who acts in it. `seats`: those the viewer may act for, `seat` the one looked
    at; `both`: the viewer writes down what happens at a table of paper; `back`: what was written
    last can be taken back; `spaces`: an act that lays a card asks for the zone it takes."""

    viewer: Actor
    duel_id: str
    opening: DuelOpened
    recorded: list[Recorded]
    seats: tuple[str, ...]
    seat: str
    both: bool
    back: bool
    duel: Any
    recorder: Recorder
    spaces: bool = False

    @property
    def source(self) -> str:
        """The source of what the viewer writes here."""
        own = source_of(self.viewer, self.opening.event_id)
        return own if self.both else "player"

    @property
    def version(self) -> int:
        """The number of the newest line."""
        return len(self.recorded)

    @property
    def table(self) -> dict[str, Any]:
        """The table as the seat sees it."""
        return rules_of(self.opening.game).view(self.duel, self.seat.lower())

    def offers(self) -> list[Offer]:
        """The acts that are open to the seat."""
        return self.recorder.offers(self.duel, self.seat, spaces=self.spaces)


def recording(viewer: Actor, duel_id: str, seat: str = "", *, spaces: bool = False) -> Recording:
    """Return a duel for who acts in it, for a seat that the viewer may act for: the one asked
    for, else the one that has to act now, for who acts for both the turn player. `spaces`: ask
    for zones, where the game has any to choose.

    Raises NotAllowed, hidden for a duel that does not exist.
    """
    recorded = selectors.read_duel(duel_id)
    opening = selectors.opening_of(recorded)
    if opening is None:
        raise NotAllowed("duels.duel_act", Verdict.HIDDEN)
    duel = selectors.folded(recorded)
    both = records(viewer, duel)
    seats = tuple(
        one for one in PLAYERS if both or may(viewer, "duels.duel_act", subject_of(duel, one))
    )
    if not seats:
        require(viewer, "duels.duel_act", subject_of(duel))
    if not seats or opening.fidelity in ("pad", "imported"):
        raise NotAllowed("duels.duel_act", Verdict.FORBIDDEN)
    recorder = recorder_of(opening.game)
    if seat not in seats:
        # at a table of paper answers are rare: the turn player's page has the act that passes over
        waits = (
            rules_of(opening.game).view(duel, "public")["active"]
            if both
            else recorder.waits_for(duel)
        )
        seat = waits if waits in seats else seats[0]
    back = both and before_last(recorded) is not None
    asks = spaces and recorder.CHOOSES_SPACE
    return Recording(
        viewer, duel_id, opening, recorded, seats, seat, both, back, duel, recorder, asks
    )


def source_in(viewer: Actor, duel_id: str) -> str | None:
    """Return the source of what somebody writes down for both seats of a duel, None for who does
    not record it. No query for who records nowhere. Raises Refused `duels.bad_id`."""
    if not any(Role.RECORDER in roles for roles in viewer.event_roles.values()):
        return None
    recorded = selectors.read_duel(duel_id)
    opening = selectors.opening_of(recorded)
    if opening is None or not records(viewer, selectors.folded(recorded)):
        return None
    return source_of(viewer, opening.event_id)


@dataclass(frozen=True, slots=True)
class Found:
    """A card that an unknown one may be: its key and name."""

    key: str
    name: str


def cards_listed(viewer: Actor, held: Recording) -> list[Found]:
    """Return the cards of the list that the seat handed in, each once by name, for those who may
    read it; empty for others, and without a list."""
    persons = frozenset(held.opening.seats.get(held.seat, ()))
    if not held.both or not may(
        viewer, "decks.list_read", Subject(held.opening.event_id, persons, public=False)
    ):
        return []
    lists = registered_lists(viewer, held.opening.event_id, held.opening.seats)
    keys = lists.get(held.seat, ())
    return [
        Found(one.key, one.name)
        for one in sorted(facts_for(viewer, keys, held.opening.game), key=_name)
    ]


def _name(card: Any) -> str:
    return str(card.name)


def cards_found(viewer: Actor, held: Recording, text: str) -> list[Found]:
    """Return the cards of the catalogue that a text finds and the game of the duel has, those
    first that fit best."""
    if not text:
        return []
    rules = rules_of(held.opening.game)
    found = cards.card_search(viewer, text, limit=MOST_FOUND)
    return [Found(one.key, one.name) for one in found if rules.frozen(one) is not None]
