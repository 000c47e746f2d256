"""How a duel ends: Life Points, an empty Deck, the five pieces (YGO-2.3 to 2.8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from duels.domain.events import DuelConceded, DuelEnded, seat
from duels.rules.yugioh.cards import EXODIA
from duels.rules.yugioh.match import PLAYERS, other
from duels.rules.yugioh.state import Table
from eventstore.domain.registry import DomainEvent

CONCEDED = "duels.conceded"
"""A concession rests on no rule of the game: the tournament knows it (S-13 of the rules)."""


def by_life_points(table: Table) -> DuelEnded | None:
    """Return the ending when a player is at 0 (YGO-2.3), both in one moment (YGO-2.4)."""
    empty = [player for player in PLAYERS if table.side(player).life_points == 0]
    found = {player: table.side(player).life_points for player in PLAYERS}
    if len(empty) == 2:
        return DuelEnded("draw", "YGO-2.4", "life_points", found)
    if empty:
        return DuelEnded(seat(other(empty[0])), "YGO-2.3", "life_points", found)
    return None


def by_deck(table: Table, failed: Sequence[str], wanted: Mapping[str, int]) -> DuelEnded:
    """Return the ending when players cannot draw what they must (YGO-2.5, both YGO-2.8)."""
    found = {
        player: {"required": wanted[player], "left": len(table.side(player).deck)}
        for player in failed
    }
    if len(failed) == 2:
        return _both(table, "deck_out", found)
    return DuelEnded(seat(other(failed[0])), "YGO-2.5", "deck_out", found)


def by_hand(table: Table) -> DuelEnded | None:
    """Return the ending when a hand holds all five pieces (YGO-2.6, both YGO-2.8)."""
    complete = [player for player in PLAYERS if has_exodia(table, player)]
    if len(complete) == 2:
        return _both(table, "exodia", {})
    if complete:
        return DuelEnded(seat(complete[0]), "YGO-2.6", "exodia", {})
    return None


def has_exodia(table: Table, player: str) -> bool:
    """Say whether the hand holds one of each of the five pieces."""
    hand = table.side(player).hand
    others = len(hand) - len(EXODIA)
    names = set()
    for card in hand:
        if others < 0:  # so many other cards that five pieces cannot be among them
            return False
        facts = table.facts_of(card)
        if facts is None or facts.name not in EXODIA or facts.name in names:
            others -= 1
        else:
            names.add(facts.name)
    return others >= 0 and len(names) == len(EXODIA)


def concession(player: str) -> list[DomainEvent]:
    """Return the events of a concession."""
    return [
        DuelConceded(seat(player)),
        DuelEnded(seat(other(player)), CONCEDED, "concession", {}),
    ]


def _both(table: Table, how: str, found: Mapping[str, object]) -> DuelEnded:
    if table.options["duel.simultaneous_endings"] == "turn_player_loses":
        return DuelEnded(seat(other(table.active)), "YGO-2.8", how, dict(found))
    return DuelEnded("draw", "YGO-2.8", how, dict(found))
