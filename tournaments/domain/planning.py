"""The plan of an event: switches of the standings, wishes of the pairing, tables, companion."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from eventstore.domain.refusal import Refusal
from tournaments import events as ev
from tournaments.domain import event as state_of
from tournaments.domain import seating
from tournaments.domain.drafting import plan_of
from tournaments.domain.event import CLOSED, CUT, DRAFT, OPEN, RUNNING, Decision, Tournament
from tournaments.domain.pairing.field import CLUB, RANDOM, STANDING, TWICE_DOWN
from tournaments.domain.standings import chosen

ORDERS = (RANDOM, STANDING)
WISHES = (CLUB, TWICE_DOWN)
COMPANIONS = ("", "kts")
LONGEST_CLUB = 30
MOST_FREE = 3
MOST_WISHED_ROUNDS = 30
BEFORE_START = (DRAFT, OPEN, CLOSED)


def plan_refused(state: Tournament, plan: ev.Plan) -> Refusal | None:
    """Say what is wrong with a plan: `tournaments.plan_invalid{field, found, allowed}`,
    `tournaments.entrant_unknown`, `tournaments.switch_invalid`, `tournaments.seating_invalid`."""
    switched = chosen(state.chosen.standings, plan.switches)
    if isinstance(switched, Refusal):
        return switched
    if plan.order not in ORDERS:
        return _invalid("order", plan.order, list(ORDERS))
    unknown = [one for one in plan.soft if one not in WISHES]
    if unknown:
        return _invalid("soft", unknown[0], list(WISHES))
    if not 0 <= plan.soft_rounds <= MOST_WISHED_ROUNDS:
        return _invalid("soft_rounds", plan.soft_rounds, [0, MOST_WISHED_ROUNDS])
    if plan.companion not in COMPANIONS:
        return _invalid("companion", plan.companion, list(COMPANIONS))
    for label in plan.clubs.values():
        if not _is_label(label):
            return _invalid("clubs", label[:LONGEST_CLUB], f"1 to {LONGEST_CLUB} signs")
    for rounds in plan.free.values():
        if not 1 <= rounds <= MOST_FREE:
            return _invalid("free", rounds, [1, MOST_FREE])
    for pair in plan.forbidden:
        if pair[0] == pair[1]:
            return _invalid("forbidden", list(pair), "two different players")
    strangers = set(_named(plan)) - state.entrants.keys()
    if strangers:
        return Refusal("tournaments.entrant_unknown", {"found": min(strangers)})
    return seating.plan_refused(plan_of(plan))


def _is_label(text: str) -> bool:
    return 1 <= len(text.strip()) <= LONGEST_CLUB and not any(
        unicodedata.category(sign) in ("Cc", "Cs") for sign in text
    )


def _named(plan: ev.Plan) -> Iterable[str]:
    yield from plan.clubs
    yield from plan.free
    yield from plan.fixed
    yield from plan.featured
    yield from plan.needs
    for pair in plan.forbidden:
        yield from pair


def _invalid(field: str, found: object, allowed: object) -> Refusal:
    return Refusal("tournaments.plan_invalid", {"field": field, "found": found, "allowed": allowed})


def make_plan(state: Tournament, *, plan: ev.Plan) -> Decision:
    """Change the plan. How the standings count and whether the event is a companion are fixed
    once it has started (`tournaments.plan_fixed{fields}`); the rest holds from the next draft.

    Refused with `tournaments.nothing_changed`, `tournaments.wrong_state`, and as plan_refused.
    """
    wrong = state_of.in_status(state, *BEFORE_START, RUNNING, CUT) or plan_refused(state, plan)
    if wrong is not None:
        return wrong
    if plan == state.plan:
        return Refusal("tournaments.nothing_changed")
    if state.status not in BEFORE_START:
        fixed = [
            name
            for name in ("switches", "companion")
            if getattr(plan, name) != getattr(state.plan, name)
        ]
        if fixed:
            return Refusal("tournaments.plan_fixed", {"fields": fixed})
    return [ev.PlanMade(state.event_id, plan)]
