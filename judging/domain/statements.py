"""Sealed statements (J12): asked for only when the matter requires it, written alone, read by
nobody before all are in or the head judge opens them; afterwards addenda only."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent
from judging.domain.policy import Pack
from judging.domain.statement_events import (
    StatementGiven,
    StatementsAsked,
    StatementsOpened,
    StatementWithdrawn,
)

REQUIRED, DEMANDED = "required", "demanded"
ALL_IN, HEAD_JUDGE = "all_in", "head_judge"


@dataclass(frozen=True, slots=True)
class Statements:
    """Who was asked, in order; whose statement is in; whether they can be read."""

    asked: tuple[str, ...] = ()
    given: frozenset[str] = frozenset()
    opened: bool = False

    @property
    def missing(self) -> tuple[str, ...]:
        """Those who were asked and have not written."""
        return tuple(one for one in self.asked if one not in self.given)


NEW = Statements()


def evolve(state: Statements, event: DomainEvent) -> Statements:
    """Apply one event; others leave the state as it is."""
    match event:
        case StatementsAsked():
            return replace(state, asked=(*state.asked, *event.of))
        case StatementGiven():
            return replace(state, given=state.given | {event.person})
        case StatementWithdrawn():
            return replace(state, given=state.given - {event.person})
        case StatementsOpened():
            return replace(state, opened=True)
        case _:
            return state


@dataclass(frozen=True, slots=True)
class Where:
    """The call that statements belong to, who acts, and when (UTC text)."""

    call: str
    tournament: str
    match: str
    by: str
    at: str


def ask(
    state: Statements,
    where: Where,
    of: Iterable[str],
    *,
    known: frozenset[str],
    infraction: str,
    pack: Pack,
    head_judge: bool,
) -> list[DomainEvent] | Refusal:
    """Ask persons for statements. `known`: who can be asked.

    Refused with `judging.statements_not_required` (the infraction does not call for them, and it
    is not the head judge who asks), `unknown_infraction`, `statements_open`, `statement_person`.
    """
    if infraction and infraction not in pack.infractions:
        allowed = list(pack.infractions)
        return Refusal("judging.unknown_infraction", {"found": infraction, "allowed": allowed})
    if not pack.needs_statements(infraction) and not head_judge:
        return Refusal(
            "judging.statements_not_required",
            {"found": infraction, "allowed": sorted(pack.statements_required)},
        )
    if state.opened:
        return Refusal("judging.statements_open")
    persons = tuple(dict.fromkeys(of))
    strange = [one for one in persons if one not in known or one in state.asked]
    if strange or not persons:
        return Refusal("judging.statement_person", {"found": (strange or ["-"])[0]})
    why = REQUIRED if pack.needs_statements(infraction) else DEMANDED
    return [
        StatementsAsked(
            where.call, where.tournament, where.match, persons, why, infraction, where.by, where.at
        )
    ]


def give(
    state: Statements, where: Where, person: str, text: str, language: str
) -> list[DomainEvent] | Refusal:
    """Give a statement, or an addendum to one that can be read; the last one opens them all.
    `text` is sealed already.

    Refused with `judging.statement_not_asked`, `statement_stands`.
    """
    if person not in state.asked:
        return Refusal("judging.statement_not_asked")
    if not state.opened and person in state.given:
        return Refusal("judging.statement_stands")
    # who writes only after the opening has read nothing either, but may have heard of it
    addendum = state.opened and person in state.given
    given = StatementGiven(where.call, person, text, language, addendum, where.by, where.at)
    if state.opened or set(state.asked) - state.given - {person}:
        return [given]
    return [given, StatementsOpened(where.call, ALL_IN, (), where.by, where.at, "")]


def withdraw(state: Statements, where: Where, person: str) -> list[DomainEvent] | Refusal:
    """Take the own sealed statement back. Refused with `judging.statements_open`,
    `statement_not_given`."""
    if state.opened:
        return Refusal("judging.statements_open")
    if person not in state.given:
        return Refusal("judging.statement_not_given")
    return [StatementWithdrawn(where.call, person, where.by, where.at)]


def open_early(
    state: Statements, where: Where, *, head_judge: bool, reason: str
) -> list[DomainEvent] | Refusal:
    """Open the statements that are in: the head judge, with a reason (sealed already).

    Refused with `judging.head_judge_only`, `statements_open`, `statement_not_given`,
    `reason_missing`.
    """
    if not head_judge:
        return Refusal("judging.head_judge_only")
    if state.opened:
        return Refusal("judging.statements_open")
    if not state.given:
        return Refusal("judging.statement_not_given")
    if not reason:
        return Refusal("judging.reason_missing")
    return [StatementsOpened(where.call, HEAD_JUDGE, state.missing, where.by, where.at, reason)]
