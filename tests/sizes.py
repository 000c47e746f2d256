"""Every size of a long test, in one place: a sample by default, the full size with SOAK=1.

`make test` must end within minutes on two cores; `make soak` is where the numbers of the
specification are reached. A test names its size here and nowhere else.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

SOAK = os.environ.get("SOAK") == "1"


@dataclass(frozen=True, slots=True)
class Sizes:
    """Counts, without unit unless the name says so."""

    writers: int
    """Processes that append at the same time."""
    appends_each: int
    """Commands each of those processes sends."""
    long_stream: int
    """Events in the one long stream of the event store tests."""
    examples: int
    """Examples of an ordinary property test."""
    examples_slow: int
    """Examples of a property test that plays whole duels or events."""
    duels: int
    """Whole duels played at random, each held to every invariant."""
    creature_duels: int
    """Whole duels of the game of creatures, played at random, each held to every invariant."""
    recordings: int
    """Recorded duels of each set (vanilla, classic) that are folded and compared."""
    players: int
    """Players of the large rehearsed event."""
    rebuild_each_up_to: int
    """Events up to which projections are compared after every command."""
    tamperings: int
    """Changes behind the triggers' back, each of which must be found."""
    kills: int
    """Processes killed at a random moment while they append."""
    power_cuts: int
    """Losses of power at a random moment while a hall reports; in the soak only."""
    crowd: int
    """Processes that append to shared streams while a follower catches up."""
    crowd_appends: int
    """Appends of each process of the crowd."""
    replayed_events: int
    """Events of the log whose replay must not grow memory."""
    api_examples: int
    """Requests that schemathesis makes up for each operation of the API, fitting and not."""
    damaged: int
    """Damaged inputs for each reader of decks, cards and lists of limits."""
    damaged_replays: int
    """Damaged replay files that are read, imported and audited."""
    damaged_replay_reads: int
    """Damaged replay files that are only read."""
    log_ins: int
    """Log-ins from one address within five minutes."""
    rounds: int
    """Random rounds paired and compared with exact matching on the complete graph."""
    organisers: int
    """Events run by an organiser whose commands hypothesis makes up."""
    organiser_steps: int
    """Steps of each of those organisers; a step is a command or a few."""

    storm_kills: int
    """Times that each program is killed during a simulated round, and each way a line fails."""
    storm_tables: int
    """Tables of that round."""
    slip_tables: int
    """Tables whose slips two scorekeepers enter at the same moment."""
    seconds_away: int
    """Seconds without the server while a phone has something to send."""


SAMPLE = Sizes(
    writers=8,
    appends_each=12,
    long_stream=500,
    examples=60,
    examples_slow=15,
    duels=160,
    creature_duels=12,
    recordings=5,
    players=32,
    rebuild_each_up_to=200,
    tamperings=100,
    kills=20,
    power_cuts=2,
    crowd=4,
    crowd_appends=25,
    replayed_events=40_000,
    api_examples=2,
    damaged=1_000,
    damaged_replays=500,
    damaged_replay_reads=500,
    log_ins=40,
    rounds=500,
    storm_kills=1,
    storm_tables=12,
    slip_tables=32,
    organisers=4,
    organiser_steps=50,
    seconds_away=8,
)
FULL = Sizes(
    writers=8,
    appends_each=250,
    long_stream=20_000,
    examples=2_000,
    examples_slow=300,
    duels=10_000,
    creature_duels=10_000,
    recordings=100,
    players=512,
    rebuild_each_up_to=2_000,
    tamperings=1_000,
    kills=200,
    power_cuts=20,
    crowd=16,
    crowd_appends=500,
    replayed_events=1_000_000,
    api_examples=200,
    damaged=8_500,
    damaged_replays=10_000,
    damaged_replay_reads=90_000,
    log_ins=500,
    rounds=5_000,
    storm_kills=20,
    storm_tables=180,
    slip_tables=200,
    organisers=60,
    organiser_steps=400,
    seconds_away=60,
)
SIZES = FULL if SOAK else SAMPLE
