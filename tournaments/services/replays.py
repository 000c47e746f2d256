"""Replay files of a match: a player hands one in; it becomes evidence, never the result."""

from __future__ import annotations

from duels import replays as duels
from duels import selectors as reads
from duels.replays import HandedIn
from eventstore.commands import Unit, command
from eventstore.domain.refusal import Refusal, Refused
from eventstore.ids import new_id
from people.domain.actor import SYSTEM
from tournaments.domain import scores
from tournaments.services.loading import load_played


@command("tournaments.replay_hand_in")
def replay_hand_in(
    unit: Unit,
    *,
    match_id: str,
    first: str,
    data: bytes,
    duel_id: str | None = None,
    seed: str | None = None,
) -> HandedIn:
    """Import a .yrpX as a duel of a match, marked as imported. `first`: the seat of the match
    that began in that duel (the file's first player). The result of the match stays as it is.
    `seed` as in `duels.replay_import`.

    Raises Refused (`tournaments.seat_unknown`, `duels.replay_*`), NotAllowed.
    """
    loaded = load_played(unit, match_id, "tournaments.replay_hand_in")
    state = loaded.state
    if first not in scores.SEATS:
        raise Refused(Refusal("tournaments.seat_unknown", {"found": str(first)[:20]}))
    one, other = state.persons if first == scores.SEATS[0] else state.persons[::-1]
    return duels.replay_import(
        unit,
        duel_id=duel_id or new_id(),
        event_id=state.event_id,
        match_id=match_id,
        number=1 + len(reads.imported_rows(SYSTEM, match_id)),
        seats={"P1": list(one), "P2": list(other)},
        data=data,
        seed=seed,
    )
