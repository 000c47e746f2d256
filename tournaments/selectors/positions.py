"""From the log to the states that the decisions are made from, for reads."""

from __future__ import annotations

from eventstore.ids import is_id
from eventstore.snapshots import load, load_recent
from tournaments import reckoning
from tournaments.domain import event as tournament
from tournaments.domain import match as match_of
from tournaments.domain.event import Tournament
from tournaments.domain.match import Match
from tournaments.domain.preview import Position


def state_of(event_id: str) -> Tournament:
    """Fold an event: one query where this process remembers it."""
    return load_recent(f"tournament-{event_id}", Tournament(), tournament.evolve)[1]


def position_of(event_id: str) -> Position:
    """Return an event with its results: two queries."""
    return Position(state_of(event_id), reckoning.facts(event_id))


def match_state(match_id: str) -> Match:
    """Fold a match; an id that names none gives an empty one."""
    if not is_id(match_id):
        return Match()
    return load(f"match-{match_id}", Match(), match_of.evolve, None, write=False)[1]
