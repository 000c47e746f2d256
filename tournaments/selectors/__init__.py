"""Reads of the tournaments: each takes the viewer first, asks the permission table, and costs
a fixed number of queries whatever the size of the event."""

from tournaments.selectors.bracket import Bracket, BracketRound, bracket
from tournaments.selectors.clocks import ClockView, clock_in, clock_of, round_clock
from tournaments.selectors.desk import Desk, OpenTable, desk
from tournaments.selectors.events import (
    EventHome,
    RosterLine,
    entrant_of_person,
    event_home,
    events_list,
    my_events,
    roster,
)
from tournaments.selectors.exchange import FILES, event_file
from tournaments.selectors.lists import ListNow, ListsNow, lists_at_table, lists_of_match
from tournaments.selectors.matches import MatchDetail, match_detail, my_match
from tournaments.selectors.packets import packet_is_open
from tournaments.selectors.rounds import (
    PairingLine,
    RoundView,
    WhyPaired,
    pairings,
    rounds_list,
    why_paired,
)
from tournaments.selectors.sides import Side
from tournaments.selectors.standings import (
    Moved,
    StandingLine,
    StandingsView,
    moved,
    standings_after,
)

__all__ = [
    "FILES",
    "Bracket",
    "BracketRound",
    "ClockView",
    "Desk",
    "EventHome",
    "ListNow",
    "ListsNow",
    "MatchDetail",
    "Moved",
    "OpenTable",
    "PairingLine",
    "RosterLine",
    "RoundView",
    "Side",
    "StandingLine",
    "StandingsView",
    "WhyPaired",
    "bracket",
    "clock_in",
    "clock_of",
    "desk",
    "entrant_of_person",
    "event_file",
    "event_home",
    "events_list",
    "lists_at_table",
    "lists_of_match",
    "match_detail",
    "moved",
    "my_events",
    "my_match",
    "packet_is_open",
    "pairings",
    "roster",
    "round_clock",
    "rounds_list",
    "standings_after",
    "why_paired",
]
