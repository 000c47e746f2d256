"""What the API answers about rounds, undoing and the policy, as types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from tournaments.selectors import Preview, Rules, Side, TardyView


class RefusalLine(TypedDict):
    """Why something cannot be done: its code."""

    code: str


class RankMove(TypedDict):
    """A rank that moves, and why: own_result, opponents or others_moved."""

    entrant_id: str
    name: str
    before: int
    after: int
    why: str


class PlaceMove(TypedDict):
    """A final place that changes; null: none."""

    entrant_id: str
    name: str
    before: int | None
    after: int | None


class StandingRound(TypedDict):
    """A published round that stays as it is: how many of its tables would be others if it were
    drawn from the new results, and who would have the bye."""

    number: int
    tables: int
    others: int
    byes_before: list[str]
    byes_after: list[str]


class UndoPreview(TypedDict):
    """What an act would change; nothing is written. With `refusal` it would be refused. Entrants
    by id. `next_round_waits` is why the next round cannot be paired after the act."""

    act: str
    refusal: RefusalLine | None
    moves: list[RankMove]
    cut_in: list[str]
    cut_out: list[str]
    stands: list[StandingRound]
    draft_stale: bool
    new_pairs: int
    byes_before: list[str]
    byes_after: list[str]
    next_round_waits: RefusalLine | None
    places: list[PlaceMove]
    results_gone: int


class EventPolicyRow(TypedDict):
    """One line of a policy; `most` 0: no limit."""

    most: int
    rounds: int
    cut: int


class Grown(TypedDict):
    """A late entry that crossed a line of the policy."""

    players: int
    advised_rounds: int
    advised_cut: int
    cut_before: int
    cut: int
    at: str


class EventPolicyFull(TypedDict):
    """The policy an event goes by. `confirm` are parts that no document at hand confirms."""

    policy: str
    title: str
    source: str
    fixed: bool
    confirm: list[str]
    least_players: int
    round_min: int
    game_loss_min: int
    match_loss_min: int
    rows: list[EventPolicyRow]
    grown: list[Grown]
    declined: list[str]
    shortened: bool


class TardySeat(TypedDict):
    """A seat of an open table. `due` is the loss that staff may confirm now."""

    seat: str
    entrant: str
    name: str
    missing_at: str
    game_loss: bool
    due: str
    due_in_min: int | None


class TardyLine(TypedDict):
    """An open table."""

    match_id: str
    table: int
    seats: list[TardySeat]


class TardyFull(TypedDict):
    """The timers of the newest round; `round` null before the first."""

    round: int | None
    started_at: str
    minutes: int
    tables: list[TardyLine]


class ElsewhereLine(TypedDict):
    """An entrant who also plays in another event that is going on."""

    entrant_id: str
    person_id: str
    event_id: str
    event_name: str


def _ids(sides: Sequence[Side]) -> list[str]:
    return [one.entrant_id for one in sides]


def _refusal(code: str | None) -> RefusalLine | None:
    return None if code is None else {"code": code}


def preview(one: Preview) -> UndoPreview:
    """A preview."""
    return {
        "act": one.act,
        "refusal": _refusal(one.refusal.code if one.refusal else None),
        "moves": [
            {
                "entrant_id": made.side.entrant_id,
                "name": made.side.name,
                "before": made.move.before,
                "after": made.move.after,
                "why": made.move.why,
            }
            for made in one.moves
        ],
        "cut_in": _ids(one.cut_in),
        "cut_out": _ids(one.cut_out),
        "stands": [
            {
                "number": made.number,
                "tables": made.tables,
                "others": made.others,
                "byes_before": _ids(made.byes_before),
                "byes_after": _ids(made.byes_after),
            }
            for made in one.stands
        ],
        "draft_stale": one.draft_stale,
        "new_pairs": one.new_pairs,
        "byes_before": _ids(one.byes_before),
        "byes_after": _ids(one.byes_after),
        "next_round_waits": _refusal(one.next_after.code if one.next_after else None),
        "places": [
            {"entrant_id": side.entrant_id, "name": side.name, "before": was, "after": now}
            for side, was, now in one.places
        ],
        "results_gone": one.results_gone,
    }


def policy(one: Rules) -> EventPolicyFull:
    """A policy."""
    held = one.policy
    return {
        "policy": held.policy,
        "title": one.title,
        "source": one.source,
        "fixed": one.fixed,
        "confirm": list(held.confirm),
        "least_players": held.least_players,
        "round_min": held.round_min,
        "game_loss_min": held.game_loss_min,
        "match_loss_min": held.match_loss_min,
        "rows": [{"most": most, "rounds": rounds, "cut": cut} for most, rounds, cut in held.rows],
        "grown": [
            {
                "players": made["players"],
                "advised_rounds": made["advised"][0],
                "advised_cut": made["advised"][1],
                "cut_before": made["cut_before"],
                "cut": made["cut"],
                "at": made["at"],
            }
            for made in one.grown
        ],
        "declined": sorted(one.declined),
        "shortened": one.shortened,
    }


def tardy(one: TardyView | None) -> TardyFull:
    """The timers."""
    if one is None:
        return {"round": None, "started_at": "", "minutes": 0, "tables": []}
    return {
        "round": one.number,
        "started_at": one.started_at,
        "minutes": one.minutes,
        "tables": [
            {
                "match_id": table.match_id,
                "table": table.table,
                "seats": [
                    {
                        "seat": seat.seat,
                        "entrant": seat.side.entrant_id,
                        "name": seat.side.name,
                        "missing_at": seat.missing_at,
                        "game_loss": seat.game_loss,
                        "due": seat.due,
                        "due_in_min": seat.due_in,
                    }
                    for seat in table.seats
                ],
            }
            for table in one.tables
        ],
    }
