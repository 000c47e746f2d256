"""How a duel ends: an unblocked attack without shields, an empty deck (DM-2.1, 2.2, 2.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from duels.domain.events import DuelConceded, DuelEnded
from duels.rules.duelmasters import events as ev
from duels.rules.duelmasters.seats import DRAW, player, seat
from duels.rules.duelmasters.state import Table
from eventstore.domain.registry import DomainEvent

CONCEDED = "duels.conceded"
"""A concession rests on no rule of the game: the tournament knows it."""


def lost(
    table: Table,
    losers: Sequence[str],
    rule: str,
    how: str,
    by: str = "",
    found: Mapping[str, Any] | None = None,
) -> list[DomainEvent]:
    """Return what follows when players lose by one event. `by`: who defeated them, if anybody.

    In a duel of two it ends: both together make a draw, or by option game.simultaneous_loss the
    turn player loses (DM-2.4). Of more than two the losers are out, who defeated one gets the
    top card of the own deck as a shield, and the last one left wins (DM-10.17).
    """
    left = [one for one in table.alive if one not in losers]
    events: list[DomainEvent] = []
    if len(table.seats) > 2:
        events += [ev.PlayerDefeated(player(one), by, rule) for one in losers]
        tops = table.side(by).deck[: len(losers)] if by in left else ()
        if tops:
            events.append(ev.ShieldsLaid(player(by), list(tops)))
        if len(left) > 1:
            return events
    winner = left[0] if left else DRAW
    ending = rule
    if not left:
        ending = "DM-2.4"
        if table.options["game.simultaneous_loss"] == "turn_player_loses":
            winner = next((one for one in losers if one != table.active), DRAW)
    word: Any = winner
    return [*events, DuelEnded(word, ending, how, dict(found or {}))]


def concession(table: Table, who: str) -> list[DomainEvent]:
    """Return the events of a concession."""
    return [DuelConceded(seat(who)), *lost(table, [who], CONCEDED, "concession")]
