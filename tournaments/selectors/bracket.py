"""Reads of the single elimination."""

from __future__ import annotations

from dataclasses import dataclass

from people.domain.actor import Actor
from tournaments.domain.event import CUT_STAGE
from tournaments.models import MatchRow, RoundRow
from tournaments.selectors.rounds import PairingLine, line
from tournaments.selectors.sides import Side, event_sides, is_staff, readable


@dataclass(frozen=True, slots=True)
class BracketRound:
    """One round of the cut. `slots` are its places from top to bottom, two by two; None: nobody.
    `lines` are the matches by pair of places, None for a bye."""

    number: int
    slots: tuple[Side | None, ...]
    lines: tuple[PairingLine | None, ...]


@dataclass(frozen=True, slots=True)
class Bracket:
    """The cut: seeds in order, its published rounds, the champion once there is one."""

    event_id: str
    seeds: tuple[Side, ...]
    rounds: tuple[BracketRound, ...]
    champion: Side | None


def bracket(viewer: Actor, event_id: str) -> Bracket:
    """Return the cut with its published rounds: five queries. Raises NotAllowed."""
    readable(viewer, event_id, "tournaments.pairings_read")
    staff = is_staff(viewer, event_id)
    named = event_sides(event_id)
    seeds = sorted((one for one in named.values() if one.seed), key=lambda one: one.seed or 0)
    found: dict[tuple[int, str], PairingLine] = {}
    for match in MatchRow.objects.filter(event_id=event_id, stage=CUT_STAGE).exclude(state="draft"):
        made = line(match, named, staff)
        found[match.round, match.p1] = found[match.round, match.p2] = made
    rows = RoundRow.objects.filter(event_id=event_id, stage=CUT_STAGE, published=True)
    made_rounds: list[BracketRound] = []
    for row in rows.order_by("number"):
        slots = tuple(named[one] if one else None for one in row.slots)
        lines = tuple(
            found.get((row.number, top.entrant_id)) if top is not None else None
            for top in slots[::2]
        )
        made_rounds.append(BracketRound(row.number, slots, lines))
    return Bracket(event_id, tuple(seeds), tuple(made_rounds), _champion(made_rounds))


def _champion(rounds: list[BracketRound]) -> Side | None:
    last = rounds[-1] if rounds else None
    if last is None or len(last.slots) != 2:
        return None
    final = last.lines[0]
    if final is None or final.winner not in ("P1", "P2"):
        return None
    return final.p1 if final.winner == "P1" else final.p2
