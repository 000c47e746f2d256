"""Why somebody has this opponent, was paired down, or has the bye: one answer per player."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tournaments.domain.pairing.field import Field, Pairing, Player

SAME_GROUP, DOWN, UP, BYE = "same_group", "down", "up", "bye"


@dataclass(frozen=True, slots=True)
class Why:
    """Why a player is paired as it is.

    `kind` same_group, down, up or bye. `reason` as in Pairing.reasons, of whoever was paired
    down; empty inside a group. `group` players have its points, `unmet` of them it had not met.
    `byes` it had before, `fewest` is the least anybody of the field had.
    """

    player_id: str
    kind: str
    reason: str
    opponent: str | None
    points: int | float
    opponent_points: int | float | None
    group: int
    unmet: int
    rematch: bool
    byes: int
    fewest: int
    proven: bool


def explain(
    players: Iterable[Player],
    pairing: Pairing,
    player_id: str,
    forbidden: Iterable[tuple[str, str]] = (),
) -> Why:
    """Return why a player of a pairing has its opponent. Raises KeyError for a player who is
    not in it."""
    field = Field(players, forbidden)
    place = field.by_id[player_id]
    level = field.level[place]
    group = [one for one in range(len(field)) if field.level[one] == level]
    unmet = sum(one != place and not field.have_met(one, place) for one in group)
    opponent: str | None = None
    for one, two in pairing.pairs:
        if player_id in (one, two):
            opponent = two if one == player_id else one
    if opponent is None and pairing.bye != player_id:
        raise KeyError(player_id)
    kind, reason = BYE, pairing.reasons.get(player_id, "")
    facing = None if opponent is None else field.by_id[opponent]
    if facing is not None and opponent is not None:
        away = field.level[facing] - level
        kind = DOWN if away > 0 else UP if away < 0 else SAME_GROUP
        if kind == UP:
            reason = pairing.reasons.get(opponent, "")
    return Why(
        player_id,
        kind,
        reason,
        opponent,
        field.players[place].points,
        None if facing is None else field.players[facing].points,
        len(group),
        unmet,
        facing is not None and field.have_met(place, facing),
        field.byes[place],
        field.fewest,
        pairing.proven,
    )
