"""What the API of the hall answers, as types: the schema and mypy read them."""

from __future__ import annotations

from typing import TypedDict

from tournaments.answers import EntrantSide


class MessageLine(TypedDict):
    """A message that is for the caller: audience all, players, staff or tables."""

    message_id: str
    audience: str
    first: int | None
    last: int | None
    round: int
    text: str | None
    posted_at: str
    until: str


class WallPairing(TypedDict):
    """A line of the pairings by name: without table and opponent for a bye."""

    name: str
    table: int | None
    opponent: str | None


class WallPlace(TypedDict):
    """A line of the standings, or of the final places (without record and points)."""

    place: int
    name: str
    points: int | None


class WallSlide(TypedDict):
    """One page of the wall: pairings, standings or places, in columns."""

    kind: str
    number: int
    of: int
    pairings: list[list[WallPairing]]
    places: list[list[WallPlace]]


class WallClock(TypedDict):
    """The clock of the round: seconds left, below zero when it is over."""

    round: int
    running: bool
    left_s: int


class WallFull(TypedDict):
    """The wall screen."""

    event_id: str
    name: str
    status: str
    round: int
    clock: WallClock | None
    messages: list[MessageLine]
    tables: int
    open_tables: int
    slides: list[WallSlide]


class PaperFull(TypedDict):
    """How an event prints: a4, letter or roll; an empty language: that of whoever prints."""

    paper: str
    language: str
    per_page: int
    ids: str
    large: bool


class SlipFull(TypedDict):
    """A match slip, with the code of its table for a scanner."""

    match_id: str
    table: int
    code: str
    p1: EntrantSide
    p2: EntrantSide
    ids: list[str]


class SlipsFull(TypedDict):
    """The slips of a round page by page, null where a place stays blank; `wins` and `draws` are
    the boxes that the match rules need."""

    number: int
    match_rules: str
    ruleset: str
    wins: list[int]
    draws: list[int]
    pages: list[list[SlipFull | None]]


class SeatFull(TypedDict):
    """A seat, A or B of a table."""

    entrant: EntrantSide
    table: int
    seat: str


class NextPlayer(TypedDict):
    """A player of the next round: points before the round that is on, numbers already met."""

    entrant: EntrantSide
    points: int
    met: list[int]
    byes: int


class NextFull(TypedDict):
    """What it takes to run the next round on paper."""

    number: int
    tables: list[int]
    players: list[NextPlayer]
