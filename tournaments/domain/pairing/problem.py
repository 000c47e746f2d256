"""Read a round to pair from JSON and write the pairing back: the form of `manage.py pair`.

Ids are texts or whole numbers and come back as they were given. Everything is checked before
work begins; what is wrong is a refusal that names the place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from eventstore.domain.refusal import Refusal
from tournaments.domain import seating
from tournaments.domain.pairing.field import (
    CLUB,
    RANDOM,
    STANDING,
    TWICE_DOWN,
    Options,
    Pairing,
    Player,
)

MAX_BYTES = 64 * 1024 * 1024
MOST_PLAYERS = 50_000
WISHES = (CLUB, TWICE_DOWN)
Id = str | int


class PlayerIn(msgspec.Struct, frozen=True):
    """A player of the input; `byes` is a number, or the rounds in which it had them."""

    id: Id
    points: int | float = 0
    opponents: list[Id] | None = None
    byes: int | list[int] | bool | None = 0
    active: bool = True
    club: str | None = None
    seat: int | None = None
    downs: int = 0


class Tables(msgspec.Struct, frozen=True):
    """A kind of table and the players it is for."""

    tables: list[int] = []
    players: list[Id] = []


class SeatsIn(msgspec.Struct, frozen=True):
    """Where the event sits."""

    offset: int = 0
    ranges: list[tuple[int, int]] = []
    feature: Tables = Tables()
    accessible: Tables = Tables()


class OptionsIn(msgspec.Struct, frozen=True):
    """Options of the input. `soft`: names of wishes, or true for all; `seats`: true or a plan."""

    order: str | None = None
    soft: bool | list[str] | dict[str, Any] | None = None
    seats: bool | SeatsIn | None = None


class ProblemIn(msgspec.Struct, frozen=True):
    """The whole input."""

    players: list[PlayerIn]
    forbidden: list[tuple[Id, Id]] | None = None
    locked: list[tuple[Id, Id]] | None = None
    seed: int | str | None = None
    options: OptionsIn | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """A round to pair; players by text keys, `ids` gives the id of each as it was written."""

    players: tuple[Player, ...]
    forbidden: tuple[tuple[str, str], ...]
    locked: tuple[tuple[str, str], ...]
    seed: int | str
    options: Options
    plan: seating.Plan | None
    ids: Mapping[str, Id]


def _key(one: Id) -> str:
    return f"n{one}" if isinstance(one, int) else f"t{one}"


def _wrong(field: str, found: object, allowed: object) -> Refusal:
    return Refusal(
        "tournaments.pair_input_invalid", {"field": field, "found": found, "allowed": allowed}
    )


def read(data: bytes) -> Problem | Refusal:
    """Read the JSON of a round.

    Refused with `tournaments.pair_input_invalid{field, found, allowed}`,
    `tournaments.player_twice{player}`, `tournaments.player_unknown{field, player}`,
    `tournaments.lock_invalid{pair}`, `tournaments.too_few_active`,
    `tournaments.seating_invalid`.
    """
    if len(data) > MAX_BYTES:
        return _wrong("size", len(data), MAX_BYTES)
    try:
        given = msgspec.json.decode(data, type=ProblemIn)
    except (msgspec.ValidationError, msgspec.DecodeError, UnicodeDecodeError) as fault:
        return _wrong("json", str(fault)[:200], "the form of docs/pairing.md")
    except RecursionError:
        return _wrong("json", "nested too deep", "the form of docs/pairing.md")
    if len(given.players) > MOST_PLAYERS:
        return _wrong("players", len(given.players), MOST_PLAYERS)
    known: dict[str, Id] = {}
    for one in given.players:
        if _key(one.id) in known:
            return Refusal("tournaments.player_twice", {"player": one.id})
        known[_key(one.id)] = one.id
    active = {_key(one.id) for one in given.players if one.active}
    wrong = _unknown(given, known) or _locks_wrong(given, active)
    if wrong is not None:
        return wrong
    if len(active) < 2:
        return Refusal("tournaments.too_few_active", {"found": len(active), "allowed": 2})
    options = _options(given.options or OptionsIn())
    if isinstance(options, Refusal):
        return options
    players = _players(given)
    if isinstance(players, Refusal):
        return players
    plan = _plan(given)
    if plan is not None:
        wrong = seating.plan_refused(plan)
        if wrong is not None:
            return wrong
    return Problem(
        players,
        tuple((_key(one), _key(two)) for one, two in given.forbidden or ()),
        tuple((_key(one), _key(two)) for one, two in given.locked or ()),
        0 if given.seed is None else given.seed,
        options,
        plan,
        known,
    )


def _unknown(given: ProblemIn, known: Mapping[str, Id]) -> Refusal | None:
    for field, pairs in (("forbidden", given.forbidden or ()), ("locked", given.locked or ())):
        for pair in pairs:
            for one in pair:
                if _key(one) not in known:
                    return Refusal("tournaments.player_unknown", {"field": field, "player": one})
    return None


def _locks_wrong(given: ProblemIn, active: set[str]) -> Refusal | None:
    taken: set[str] = set()
    for one, two in given.locked or ():
        both = {_key(one), _key(two)}
        if len(both) != 2 or both - active or both & taken:
            return Refusal("tournaments.lock_invalid", {"pair": [one, two]})
        taken |= both
    return None


def _options(given: OptionsIn) -> Options | Refusal:
    order = RANDOM if given.order is None else given.order
    if order not in (RANDOM, STANDING):
        return _wrong("options.order", order, [RANDOM, STANDING])
    soft: list[str]
    if given.soft is None or isinstance(given.soft, bool):
        soft = list(WISHES) if given.soft else []
    elif isinstance(given.soft, dict):
        soft = [name for name, wanted in given.soft.items() if wanted]
    else:
        soft = given.soft
    unknown = [one for one in soft if one not in WISHES]
    if unknown:
        return _wrong("options.soft", unknown[0], list(WISHES))
    return Options(order, frozenset(soft))


def _players(given: ProblemIn) -> tuple[Player, ...] | Refusal:
    made: list[Player] = []
    for place, one in enumerate(given.players):
        if not one.active:
            continue
        byes = len(one.byes) if isinstance(one.byes, list) else int(one.byes or 0)
        if byes < 0 or byes > 1000:
            return _wrong("byes", byes, [0, 1000])
        if isinstance(one.points, int) and abs(one.points) > 10**9:
            return _wrong("points", str(one.points)[:20], [-(10**9), 10**9])
        made.append(
            Player(
                _key(one.id),
                one.points,
                frozenset(_key(other) for other in one.opponents or ()),
                byes,
                one.club or "",
                max(one.downs, 0),
                place,
            )
        )
    return tuple(made)


def _plan(given: ProblemIn) -> seating.Plan | None:
    seats = given.options.seats if given.options else False
    if seats is None or seats is False:
        return None
    asked = seats if isinstance(seats, SeatsIn) else SeatsIn()
    return seating.Plan(
        asked.offset,
        tuple(asked.ranges),
        {_key(one.id): one.seat for one in given.players if one.seat is not None and one.active},
        tuple(asked.feature.tables),
        frozenset(_key(one) for one in asked.feature.players),
        tuple(asked.accessible.tables),
        frozenset(_key(one) for one in asked.accessible.players),
    )


def answer(problem: Problem, made: Pairing, ms: float) -> dict[str, Any] | Refusal:
    """Return the answer as plain values; with a seating plan also `tables`, one per pair as
    printed, and the players whose need is `unmet`. Refused with `tournaments.tables_short`."""
    ids = problem.ids
    found: dict[str, Any] = {
        "pairs": [[ids[one], ids[two]] for one, two in made.pairs],
        "bye": None if made.bye is None else ids[made.bye],
        "rematches": made.value.rematches,
        "cost": made.value.cost,
        "lower_bound": made.lower_bound,
        "proven": made.proven,
        "method": made.method,
        "ms": round(ms, 3),
    }
    if problem.plan is not None:
        seated = seating.seat(made.pairs, problem.plan)
        if isinstance(seated, Refusal):
            return seated
        found["tables"] = [table + problem.plan.offset for table in seated.tables]
        found["empty_tables"] = [table + problem.plan.offset for table in seated.empty]
        found["unmet"] = [ids[one] for one in seated.unmet]
    if problem.options.soft:
        found["wishes_not_met"] = made.wishes
    return found
