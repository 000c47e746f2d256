"""Reads of the tournaments: each takes the viewer first, asks the permission table, and costs
a fixed number of queries whatever the size of the event."""

from tournaments.selectors.bracket import Bracket, BracketRound, bracket
from tournaments.selectors.clocks import ClockView, clock_in, clock_of, round_clock, table_clock
from tournaments.selectors.desk import Desk, OpenTable, desk
from tournaments.selectors.draws import DrawChange, DrawnPair, draft_fault, draw_change
from tournaments.selectors.ends import EndView, end_of
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
from tournaments.selectors.lists import (
    HandIn,
    ListNow,
    ListsNow,
    hand_ins,
    lists_at_table,
    lists_of_match,
)
from tournaments.selectors.matches import MatchDetail, match_detail, my_match
from tournaments.selectors.openlists import (
    OpenList,
    lists_are_open,
    open_list,
    open_lists,
    opponent_list,
)
from tournaments.selectors.packets import packet_is_open
from tournaments.selectors.replays import Replays, match_replays
from tournaments.selectors.rounds import (
    PairingLine,
    RoundView,
    WhyPaired,
    pairings,
    rounds_list,
    why_paired,
)
from tournaments.selectors.rules import (
    Elsewhere,
    Rules,
    event_rules,
    live_elsewhere,
    rules_of,
)
from tournaments.selectors.sides import Side
from tournaments.selectors.slips import (
    Conflict,
    Entry,
    LossLine,
    Reading,
    Said,
    conflicts,
    entries,
    losses,
    reading,
)
from tournaments.selectors.standings import (
    Moved,
    StandingLine,
    StandingsView,
    moved,
    standings_after,
)
from tournaments.selectors.tardiness import TardyTable, TardyView, tardy_tables
from tournaments.selectors.undoing import ACTS, Preview, Undone, undo_preview, undone

__all__ = [
    "ACTS",
    "FILES",
    "Bracket",
    "BracketRound",
    "ClockView",
    "Conflict",
    "Desk",
    "DrawChange",
    "DrawnPair",
    "Elsewhere",
    "EndView",
    "Entry",
    "EventHome",
    "HandIn",
    "ListNow",
    "ListsNow",
    "LossLine",
    "MatchDetail",
    "Moved",
    "OpenList",
    "OpenTable",
    "PairingLine",
    "Preview",
    "Reading",
    "Replays",
    "RosterLine",
    "RoundView",
    "Rules",
    "Said",
    "Side",
    "StandingLine",
    "StandingsView",
    "TardyTable",
    "TardyView",
    "Undone",
    "WhyPaired",
    "bracket",
    "clock_in",
    "clock_of",
    "conflicts",
    "desk",
    "draft_fault",
    "draw_change",
    "end_of",
    "entrant_of_person",
    "entries",
    "event_file",
    "event_home",
    "event_rules",
    "events_list",
    "hand_ins",
    "lists_are_open",
    "lists_at_table",
    "lists_of_match",
    "live_elsewhere",
    "losses",
    "match_detail",
    "match_replays",
    "moved",
    "my_events",
    "my_match",
    "open_list",
    "open_lists",
    "opponent_list",
    "packet_is_open",
    "pairings",
    "reading",
    "roster",
    "round_clock",
    "rounds_list",
    "rules_of",
    "standings_after",
    "table_clock",
    "tardy_tables",
    "undo_preview",
    "undone",
    "why_paired",
]
