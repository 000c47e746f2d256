"""How the API writes what the selectors of the hall return."""

from __future__ import annotations

from typing import Any

from tournaments import answers_hall as to
from tournaments.events import PaperChoice
from tournaments.selectors import (
    MessageView,
    NameLine,
    NextSheet,
    SeatLine,
    Slip,
    SlipPages,
    StandingLine,
    Wall,
)
from tournaments.shapes import some


def message(one: MessageView) -> to.MessageLine:
    """A message."""
    return {
        "message_id": one.message_id,
        "audience": one.audience,
        "first": one.first,
        "last": one.last,
        "round": one.round,
        "text": one.text,
        "posted_at": one.posted_at,
        "until": one.until,
    }


def _pairing(one: NameLine) -> to.WallPairing:
    return {
        "name": one.side.name,
        "table": one.line.table if one.line else None,
        "opponent": one.other.name if one.other else None,
    }


def _place(one: Any) -> to.WallPlace:
    if isinstance(one, StandingLine):
        return {"place": one.rank, "name": one.side.name, "points": one.points}
    return {"place": one.place or 0, "name": one.name, "points": None}


def wall(one: Wall) -> to.WallFull:
    """The wall screen."""
    slides: list[to.WallSlide] = []
    for made in one.slides:
        paired = [
            [line for line in column if isinstance(line, NameLine)] for column in made.columns
        ]
        placed = [[x for x in column if not isinstance(x, NameLine)] for column in made.columns]
        slides.append(
            {
                "kind": made.kind if any(paired) or made.kind == "standings" else "places",
                "number": made.number,
                "of": made.of,
                "pairings": [[_pairing(line) for line in column] for column in paired if column],
                "places": [[_place(line) for line in column] for column in placed if column],
            }
        )
    return {
        "event_id": one.event.pk,
        "name": one.event.name,
        "status": one.event.status,
        "round": one.event.round,
        "clock": {
            "round": one.clock.round,
            "running": one.clock.running,
            "left_s": one.clock.left_s,
        }
        if one.clock
        else None,
        "messages": [message(held) for held in one.messages],
        "tables": one.tables,
        "open_tables": one.open_tables,
        "slides": slides,
    }


def paper(one: PaperChoice) -> to.PaperFull:
    """How an event prints."""
    return {
        "paper": one.paper,
        "language": one.language,
        "per_page": one.per_page,
        "ids": one.ids,
        "large": one.large,
    }


def _slip(one: Slip | None) -> to.SlipFull | None:
    if one is None:
        return None
    return {
        "match_id": one.line.match_id,
        "table": one.line.table,
        "code": one.code,
        "p1": some(one.line.p1),
        "p2": some(one.line.p2),
        "ids": list(one.ids),
    }


def slips(one: SlipPages) -> to.SlipsFull:
    """The slips of a round."""
    return {
        "number": one.view.row.number,
        "match_rules": one.match_rules,
        "ruleset": one.ruleset,
        "wins": list(one.boxes.wins),
        "draws": list(one.boxes.draws),
        "pages": [[_slip(slip) for slip in page] for page in one.pages],
    }


def seat(one: SeatLine) -> to.SeatFull:
    """A seat."""
    return {"entrant": some(one.side), "table": one.table, "seat": one.seat}


def next_round(one: NextSheet) -> to.NextFull:
    """What it takes to run the next round on paper."""
    return {
        "number": one.number,
        "tables": list(one.tables),
        "players": [
            {
                "entrant": some(side),
                "points": line.points,
                "met": list(line.met),
                "byes": line.byes,
            }
            for side, line in one.lines
        ],
    }
