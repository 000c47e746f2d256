"""Replay files of a match: the duels they became, and the score they would make."""

from __future__ import annotations

from dataclasses import dataclass

from duels import selectors as duels
from duels.models import DuelRow
from people.domain.actor import Actor
from tournaments.domain.scores import SEATS
from tournaments.models import MatchRow


@dataclass(frozen=True, slots=True)
class HandedIn:
    """A duel from a replay file: its row, and who won by the file, as a seat of the match (P1,
    P2, draw; empty when the file has no end)."""

    row: DuelRow
    winner: str


@dataclass(frozen=True, slots=True)
class Replays:
    """The files of a match, and the score [P1, P2, drawn] that they propose."""

    files: tuple[HandedIn, ...]
    score: tuple[int, int, int]


def match_replays(viewer: Actor, row: MatchRow) -> Replays:
    """Return the replay files of a match that the viewer may see; one query. Raises NotAllowed."""
    files = tuple(HandedIn(one, _winner(row, one)) for one in duels.imported_rows(viewer, row.pk))
    won = [one.winner for one in files]
    return Replays(files, (won.count(SEATS[0]), won.count(SEATS[1]), won.count("draw")))


def _winner(row: MatchRow, duel: DuelRow) -> str:
    """Turn a seat of the duel, in which the first one began, into the seat of the match."""
    if duel.winner not in SEATS:
        return duel.winner
    persons = duel.seats.get(duel.winner, [])
    return next(
        (seat for seat, side in zip(SEATS, row.persons, strict=True) if list(side) == persons), ""
    )
