"""Drafts of Swiss rounds: by the pairing with its proof, or by the hand of staff."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from eventstore.domain.refusal import Refusal
from tournaments import events as ev
from tournaments.domain import seating
from tournaments.domain.event import (
    CUT_STAGE,
    DISQUALIFIED,
    DROPPED,
    SWISS_STAGE,
    Decision,
    Round,
    Tournament,
)
from tournaments.domain.pairing import swiss
from tournaments.domain.pairing.field import STANDING, Options, Pairing, Player
from tournaments.domain.records import Bye, Played, Record, records
from tournaments.domain.standings import Standing, Switches, chosen, standings

Pairs = Sequence[tuple[str, str]]
BY_HAND = "by_hand"
MOST_TABLE = 99_999


def byes_of(rounds: Sequence[Round]) -> list[Bye]:
    """Return the byes of published Swiss rounds, and the rounds lost without an opponent."""
    return [
        Bye(one.number, entrant, won)
        for one in rounds
        if one.published and one.stage == SWISS_STAGE
        for entrants, won in ((one.byes, True), (one.lost, False))
        for entrant in entrants
    ]


def late_of(state: Tournament) -> list[str]:
    """Return the entrants whose round 1 counts as lost."""
    return [one.entrant_id for one in state.entrants.values() if one.late]


def record_of(state: Tournament, played: Sequence[Played]) -> Mapping[str, Record]:
    """Return the record of every entrant."""
    return records(state.entrants, played, byes_of(state.rounds), late_of(state))


def switches_of(system: str, plan: ev.Plan) -> Switches | None:
    """Return the switches of a plan, None for the defaults of the system."""
    if not plan.switches:
        return None
    found = chosen(system, plan.switches)
    # A plan is checked when it is made, and again when the system changes.
    return None if isinstance(found, Refusal) else found


def swiss_standings(state: Tournament, played: Sequence[Played]) -> list[Standing]:
    """Return the standings of the Swiss rounds, in order of enrolment where equal."""
    swiss_rounds = {one.number for one in state.published if one.stage == SWISS_STAGE}
    entrants = sorted(state.entrants.values(), key=lambda one: one.number)
    took_part = {one for made in state.published for one in made.entrants}
    return standings(
        [one.entrant_id for one in entrants if one.late or one.entrant_id in took_part],
        [one for one in played if one.round in swiss_rounds],
        byes_of(state.rounds),
        late_of(state),
        last=[one.entrant_id for one in entrants if one.status == DISQUALIFIED],
        dropped=[one.entrant_id for one in entrants if one.status == DROPPED],
        system=state.chosen.standings,
        switches=switches_of(state.chosen.standings, state.plan),
    )


def _downs(state: Tournament) -> dict[str, int]:
    """How often each entrant was paired with somebody of fewer points."""
    found: dict[str, int] = {}
    for made in state.published:
        if made.stage != SWISS_STAGE:
            continue
        for pair in made.pairs:
            one, two = made.points.get(pair.p1, 0), made.points.get(pair.p2, 0)
            if one != two:
                upper = pair.p1 if one > two else pair.p2
                found[upper] = found.get(upper, 0) + 1
    return found


def free_of(state: Tournament, number: int) -> list[str]:
    """Return the active entrants who have this round free by the plan."""
    free = state.plan.free
    return [one.entrant_id for one in state.active if free.get(one.entrant_id, 0) >= number]


def field_of(state: Tournament, played: Sequence[Played], free: Collection[str]) -> list[Player]:
    """Return the players to pair in a round: the active ones who do not have it free."""
    made, downs = record_of(state, played), _downs(state)
    place: dict[str, int] = {}
    if state.plan.order == STANDING:
        place = {row.entrant_id: row.rank for row in swiss_standings(state, played)}
    return [
        Player(
            one.entrant_id,
            made[one.entrant_id].points,
            frozenset(made[one.entrant_id].opponents),
            made[one.entrant_id].count("bye"),
            state.plan.clubs.get(one.entrant_id, ""),
            downs.get(one.entrant_id, 0),
            place.get(one.entrant_id, one.number),
        )
        for one in state.active
        if one.entrant_id not in free
    ]


def options_of(plan: ev.Plan, number: int) -> Options:
    """Return the options of a round: soft wishes hold in the first rounds only, if so planned."""
    wished = not plan.soft_rounds or number <= plan.soft_rounds
    return Options(plan.order, frozenset(plan.soft) if wished else frozenset())


def plan_of(plan: ev.Plan) -> seating.Plan:
    """Return how an event sits."""
    return seating.Plan(
        plan.offset,
        plan.ranges,
        plan.fixed,
        plan.feature,
        frozenset(plan.featured),
        plan.accessible,
        frozenset(plan.needs),
    )


def seated(
    state: Tournament, pairs: Pairs, points: Mapping[str, int], seed: int, match_ids: Sequence[str]
) -> tuple[ev.Pair, ...] | Refusal:
    """Give pairs their tables, as printed (with the offset): better ones first, equal ones in a
    drawn order. Refused with `tournaments.tables_short`."""
    rng = random.Random(seed)
    order = list(range(len(pairs)))
    rng.shuffle(order)
    order.sort(
        key=lambda at: sorted((points[one] for one in pairs[at]), reverse=True), reverse=True
    )
    best_first = [pairs[at] for at in order]
    given = seating.seat(best_first, plan_of(state.plan))
    if isinstance(given, Refusal):
        return given
    at_table = sorted(zip(given.tables, best_first, strict=True))
    return tuple(
        ev.Pair(match_id, table + state.plan.offset, *pair)
        for match_id, (table, pair) in zip(match_ids, at_table, strict=False)
    )


def locks(
    state: Tournament, number: int, given: Pairs | None
) -> tuple[tuple[str, str], ...] | Refusal:
    """Return the pairs to keep: those given, else those of the draft that are still possible.
    Refused with `tournaments.lock_invalid{pair}`."""
    active = {one.entrant_id for one in state.active} - set(free_of(state, number))
    if given is None:
        draft = state.draft
        kept = draft.locked if draft is not None else ()
        return tuple(pair for pair in kept if set(pair) <= active)
    taken: set[str] = set()
    for pair in given:
        if len(pair) != 2 or len(set(pair)) != 2 or not set(pair) <= active or taken & set(pair):
            return Refusal("tournaments.lock_invalid", {"pair": list(pair)[:2]})
        taken |= set(pair)
    return tuple((pair[0], pair[1]) for pair in given)


def draft(
    state: Tournament,
    played: Sequence[Played],
    *,
    seed: int,
    match_ids: Sequence[str],
    locked: Pairs | None = None,
) -> Decision:
    """Draft the next Swiss round. Refused with `tournaments.lock_invalid`,
    `tournaments.tables_short`, `tournaments.too_few_active`."""
    number = state.current + 1
    kept = locks(state, number, locked)
    if isinstance(kept, Refusal):
        return kept
    free = free_of(state, number)
    field = field_of(state, played, free)
    if len(field) + len(free) < 2:
        return Refusal("tournaments.too_few_active", {"found": len(field), "allowed": 2})
    points = {one: record.points for one, record in record_of(state, played).items()}
    made: Pairing | None = None
    if len(field) > 1:
        made = swiss.pair(
            field,
            seed=seed,
            forbidden=state.plan.forbidden,
            locked=kept,
            options=options_of(state.plan, number),
        )
    alone = [one.player_id for one in field] if made is None else []
    byes = (made.bye,) if made is not None and made.bye is not None else tuple(alone)
    pairs = seated(state, made.pairs if made else (), points, seed, match_ids)
    if isinstance(pairs, Refusal):
        return pairs
    reasons = dict(made.reasons) if made else dict.fromkeys(byes, "fewest_byes_lowest_group")
    proof = None
    if made is not None:
        value = made.value
        proof = ev.Proof(
            ev.Objective(value.rematches, value.bye_count, value.bye_level, value.cost),
            made.lower_bound,
            made.excess,
            made.margin,
            made.method,
            made.proven,
        )
    return [
        ev.RoundPaired(
            state.event_id,
            number,
            SWISS_STAGE,
            pairs,
            (*byes, *free),
            seed,
            {one.entrant_id: points[one.entrant_id] for one in state.active},
            tuple(one for one in late_of(state) if one in {a.entrant_id for a in state.active}),
            reasons | dict.fromkeys(free, "free_by_plan"),
            (),
            proof,
            (),
            kept,
            state.plan.order,
            made.wishes if made else 0,
            False,
            None,
        )
    ]


def _placed(
    pairs: Pairs, tables: Sequence[int], match_ids: Sequence[str]
) -> tuple[ev.Pair, ...] | Refusal:
    """Give pairs the tables they sat at; one table each, from 1 to MOST_TABLE."""
    fit = all(1 <= one <= MOST_TABLE for one in tables)
    if len(tables) != len(pairs) or len(set(tables)) != len(tables) or not fit:
        return Refusal("tournaments.draft_tables", {"found": list(tables)[:40]})
    rows = sorted(zip(tables, pairs, strict=True))
    return tuple(
        ev.Pair(match_id, table, *pair)
        for match_id, (table, pair) in zip(match_ids, rows, strict=False)
    )


def by_hand(
    state: Tournament,
    played: Sequence[Played],
    pairs: Pairs,
    byes: Sequence[str],
    *,
    note: str | None,
    match_ids: Sequence[str],
    tables: Sequence[int] | None = None,
) -> Decision:
    """Make the draft of the next Swiss round what staff say.

    Everybody active has one place. The draft keeps what it costs; `proven` only where no
    better round exists. `tables` are where the pairs sit, as printed; None: as a pairing would
    seat them. Refused with `tournaments.draft_incomplete{missing, twice, unknown}`,
    `tournaments.byes_many{found, allowed}`, `tournaments.draft_tables{found}`.
    """
    number = state.current + 1
    active = {one.entrant_id for one in state.active}
    places = Counter([*(one for pair in pairs for one in pair), *byes])
    twice = sorted(one for one, times in places.items() if times > 1)
    missing, unknown = sorted(active - places.keys()), sorted(places.keys() - active)
    if missing or twice or unknown:
        return Refusal(
            "tournaments.draft_incomplete",
            {"missing": missing, "twice": twice, "unknown": unknown},
        )
    free = set(free_of(state, number)) & set(byes)
    drawn = [one for one in byes if one not in free]
    if len(drawn) > 1:
        return Refusal("tournaments.byes_many", {"found": len(drawn), "allowed": 1})
    field = field_of(state, played, free)
    points = {one: record.points for one, record in record_of(state, played).items()}
    seed = state.draft.seed if state.draft is not None else 0
    given = (
        seated(state, [(one, two) for one, two in pairs], points, seed, match_ids)
        if tables is None
        else _placed(pairs, tables, match_ids)
    )
    if isinstance(given, Refusal):
        return given
    assessed = swiss.assess(
        field,
        [(one, two) for one, two in pairs],
        drawn[0] if drawn else None,
        forbidden=state.plan.forbidden,
    )
    value = assessed.value
    proof = ev.Proof(
        ev.Objective(value.rematches, value.bye_count, value.bye_level, value.cost),
        assessed.lower_bound,
        value.cost - assessed.lower_bound,
        0,
        BY_HAND,
        value == assessed.best,
    )
    kept = state.draft.locked if state.draft is not None else ()
    standing_pairs = {frozenset(pair) for pair in pairs}
    return [
        ev.RoundPaired(
            state.event_id,
            number,
            SWISS_STAGE,
            given,
            (*drawn, *(one for one in byes if one in free)),
            seed,
            {one: points[one] for one in active},
            tuple(one for one in late_of(state) if one in active),
            dict.fromkeys(drawn, BY_HAND) | dict.fromkeys(free, "free_by_plan"),
            (),
            proof,
            (),
            tuple(pair for pair in kept if frozenset(pair) in standing_pairs),
            state.plan.order,
            0,
            True,
            note,
        )
    ]


def swap(
    state: Tournament,
    played: Sequence[Played],
    one: str,
    two: str,
    *,
    note: str | None,
    match_ids: Sequence[str],
) -> Decision:
    """Exchange two players of the draft of a Swiss round, or one with the bye.

    Refused with `tournaments.no_draft`, `tournaments.not_in_draft{found}`,
    `tournaments.nothing_changed`, and as by_hand.
    """
    made = state.draft
    if made is None or made.stage == CUT_STAGE:
        return Refusal("tournaments.no_draft", {"found": state.current + 1, "allowed": None})
    outside = sorted({one, two} - made.entrants)
    if outside:
        return Refusal("tournaments.not_in_draft", {"found": outside})
    pairs = [(pair.p1, pair.p2) for pair in made.pairs]
    if one == two or {one, two} in map(set, pairs) or {one, two} <= set(made.byes):
        return Refusal("tournaments.nothing_changed")
    other = {one: two, two: one}
    moved = [(other.get(first, first), other.get(second, second)) for first, second in pairs]
    return by_hand(
        state,
        played,
        moved,
        [other.get(bye, bye) for bye in made.byes],
        note=note,
        match_ids=match_ids,
    )
