"""What the API of the tournaments answers, as types: the schema and mypy read them.

Scores are [P1 wins, P2 wins, draws]. Times are UTC text with Z. Ratios are per mille.
"""

from __future__ import annotations

from typing import Any, TypedDict

from decks.api import DeckCards


class EntrantSide(TypedDict):
    """An entrant as it stands in a pairing or a place. `points` only where points are shown."""

    entrant_id: str
    number: int
    name: str
    status: str
    late: bool
    seed: int | None
    place: int | None
    points: int | None


class EntrantLine(EntrantSide):
    """An entrant of the list. `deck_id` is null for those who may not know of lists, empty where
    none was handed in; `reason` of leaving is for staff and the entrant itself."""

    dropped_after: int | None
    reason: str
    deck_id: str | None


class EventLine(TypedDict):
    """An event: its settings and its state (draft, open, closed, running, cut, finished,
    cancelled)."""

    id: str
    name: str
    zone: str
    game: str
    preset: str
    match_rules: str
    standings: str
    pack: str
    decks_required: bool
    deck_deadline: str
    rounds: int | None
    cut: int
    play_on: bool
    banlist_id: str
    banlist_hash: str
    catalogue_hash: str
    preset_hash: str
    devices: str
    decklists: str
    decklists_at: str
    status: str
    round: int
    stage: str
    players: int
    created_at: str
    started_at: str
    ended_at: str


class EventFull(EventLine):
    """An event with its counts, the caller's own entrant, and what the caller may do."""

    enrolled: int
    checked_in: int
    decks: int
    open_tables: int
    entrant_id: str | None
    may_run: bool
    may_desk: bool


class HandInLine(EntrantSide):
    """An entrant and its list at the desk: `state` none, paper, photographed, entered or checked;
    `version` 0 while no cards are known; `illegal`: a paper list that waits for its repair."""

    deck_id: str | None
    state: str
    version: int
    source: str | None
    illegal: bool
    late: bool
    locked: bool
    photos: int
    handed_in_at: str | None


class OpenListFull(EntrantSide):
    """A registered list that the caller may see: cards by key per section."""

    version: int
    hash: str
    deck: DeckCards


class OpponentList(TypedDict):
    """The list of the caller's opponent; null while it is on paper alone."""

    list: OpenListFull | None


class TableLine(TypedDict):
    """A table of a round: draft, waiting, playing, claimed, disputed or decided. `extension_s`:
    seconds it has beyond the clock of the round; `ends_at`: its own end (UTC text), empty while no
    clock runs and once it is decided."""

    match_id: str
    table: int
    p1: EntrantSide
    p2: EntrantSide
    state: str
    winner: str | None
    score: list[int]
    reason: str | None
    corrected: bool
    extension_s: int
    ends_at: str


class Report(TypedDict):
    """A report of one player."""

    score: list[int] | None
    winner: str | None
    reason: str | None
    at: str


class OpenTableLine(TableLine):
    """A table without result, with the reports by seat."""

    claims: dict[str, Report]


class RoundLine(TypedDict):
    """A round of the list. `revision` counts its frozen standings, `proven` says whether the
    pairing is proved to be the best there is."""

    number: int
    stage: str
    published: bool
    revision: int
    proven: bool | None


class PairingProof(TypedDict):
    """How good the pairing is: what it costs, and the least that any pairing could cost."""

    rematches: int | None
    bye_count: int | None
    bye_level: int | None
    cost: int | None
    lower_bound: int | None
    excess: int | None
    method: str
    proven: bool | None


class RoundFull(TypedDict):
    """A round with its tables and the proof of its pairing."""

    event_id: str
    number: int
    stage: str
    published: bool
    published_at: str | None
    seed: int
    proof: PairingProof | None
    reasons: dict[str, str]
    tables: list[TableLine]
    byes: list[EntrantSide]
    late: list[EntrantSide]


class MatchDuel(TypedDict):
    """A duel of a match."""

    number: int
    duel_id: str | None
    starter: str | None
    winner: str | None
    reason: str | None
    rule: str | None


class MatchEnd(TypedDict):
    """How a match ended after time was called: ruleset `id@version`, [question, answer] in order,
    codes of the steps that decided it; `done_at` is empty while questions are open."""

    ruleset: str
    started_at: str
    done_at: str
    answers: list[list[str]]
    why: list[str]


class MatchFull(TypedDict):
    """A match as the caller may see it: `claims` holds one's own report, staff see both.
    `extension_s`: seconds the table has beyond the clock of the round; `end` null before time was
    called."""

    match_id: str
    event_id: str
    round: int
    stage: str
    table: int
    p1: EntrantSide
    p2: EntrantSide
    seat: str | None
    state: str
    score: list[int]
    winner: str | None
    reason: str | None
    decided_by: str | None
    corrections: int
    claims: dict[str, Report]
    opponent_claimed: bool
    duels: list[MatchDuel]
    toss: str | None
    starter: str | None
    toss_due: bool
    chooser: str | None
    next_duel: int | None
    possible: list[list[int]]
    extension_s: int
    end: MatchEnd | None


class MyMatch(TypedDict):
    """The caller's match of the newest round, null without one."""

    match: MatchFull | None


class StandingsHead(TypedDict):
    """What standings these are."""

    event_id: str
    system: str
    round: int
    frozen: bool
    revision: int
    revisions: int


class StandingLineFull(TypedDict):
    """A line of the standings; `detail` says what each number is made of."""

    rank: int
    entrant: EntrantSide
    points: int
    code: str
    opponents_permille: int
    opponents_opponents_permille: int
    lost_squares: int
    tiebreaks: dict[str, int]
    wins: int
    losses: int
    draws: int
    byes: int
    detail: dict[str, Any]


class BracketRoundFull(TypedDict):
    """A round of the cut: null slots are not filled yet."""

    number: int
    slots: list[EntrantSide | None]
    matches: list[TableLine | None]


class BracketFull(TypedDict):
    """The cut."""

    event_id: str
    seeds: list[EntrantSide]
    rounds: list[BracketRoundFull]
    champion: EntrantSide | None


class Recommended(TypedDict):
    """Rounds and cut that the named table of sizes recommends."""

    rounds: int
    cut: int
    table: str


class DeskFull(TypedDict):
    """The desk of an event: what is open, and what to do next."""

    event: EventLine
    next_action: str
    open_tables: list[OpenTableLine]
    not_checked_in: list[EntrantSide]
    checked_in: int
    draft: int | None
    recommended: Recommended
