"""How an event prints: its paper, its language, what stands on a slip."""

from __future__ import annotations

from collections.abc import Collection

from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent
from tournaments import events as ev
from tournaments.domain.hall.slips import PER_PAGE

A4, LETTER, ROLL = "a4", "letter", "roll"
PAPERS = (A4, LETTER, ROLL)
"""ISO A4, US Letter, and rolls of 80 mm, which print 72."""
NONE, NUMBER, CARD_GAME_ID = "none", "number", "card_game_id"
IDS = (NONE, NUMBER, CARD_GAME_ID)
"""What stands beside a name on a slip: nothing, the number in the event, the Card Game ID."""


def evolve(state: ev.PaperChoice, event: DomainEvent) -> ev.PaperChoice:
    """Apply one event of the stream."""
    return event.choice if isinstance(event, ev.PaperChosen) else state


def choose(
    event_id: str, before: ev.PaperChoice, wanted: ev.PaperChoice, languages: Collection[str]
) -> list[DomainEvent] | Refusal:
    """Choose how an event prints; the same choice again appends nothing.

    An empty language: that of whoever prints. Refused with
    `tournaments.paper_invalid{field, found, allowed}`.
    """
    for field, found, allowed in (
        ("paper", wanted.paper, PAPERS),
        ("language", wanted.language, ("", *languages)),
        ("per_page", wanted.per_page, PER_PAGE),
        ("ids", wanted.ids, IDS),
    ):
        if found not in allowed:
            return Refusal(
                "tournaments.paper_invalid",
                {"field": field, "found": found, "allowed": list(allowed)},
            )
    return [] if wanted == before else [ev.PaperChosen(event_id, wanted)]
