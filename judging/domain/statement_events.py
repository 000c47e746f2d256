"""Events of sealed statements. Stream `statements-<call>`, apart from the call: what is asked of
somebody is no step of it. People by id; `text` is sealed twice (judging.statements)."""

from __future__ import annotations

from eventstore.domain.registry import DomainEvent, event


@event("judging.statements_asked")
class StatementsAsked(DomainEvent, frozen=True):
    """The persons `of` were asked to write down what happened. `why` is required (the infraction
    `infraction` of the pack calls for statements) or demanded (by the head judge)."""

    call: str
    tournament: str
    match: str
    of: tuple[str, ...]
    why: str
    infraction: str
    by: str
    at: str


@event("judging.statement_given")
class StatementGiven(DomainEvent, frozen=True):
    """`person` gave a statement; `by` is who typed it, another one for words that were dictated.
    `language` is the person's own. `addendum`: after the opening, beside the statement."""

    call: str
    person: str
    text: str
    language: str
    addendum: bool
    by: str
    at: str


@event("judging.statement_withdrawn")
class StatementWithdrawn(DomainEvent, frozen=True):
    """`person` took the own statement back while it was sealed, to write another one. Nobody ever
    reads it."""

    call: str
    person: str
    by: str
    at: str


@event("judging.statements_opened")
class StatementsOpened(DomainEvent, frozen=True):
    """The statements can be read from now on. `how`: all_in, or head_judge, who opened them
    although those of `missing` were not in; `reason` is sealed text of `by`."""

    call: str
    how: str
    missing: tuple[str, ...]
    by: str
    at: str
    reason: str
