"""Events of rewinds: the sheet that a head judge signed, the four questions, a rewind undone.

The sheet stands in the stream `rewind-<ruling>`; the four questions stand beside their ruling in
`call-<id>`. What was struck and drawn is in the log of the duel itself.
"""

from __future__ import annotations

from typing import Any

from eventstore.domain.registry import DomainEvent, event


@event("judging.rewind_signed")
class RewindSigned(DomainEvent, frozen=True):
    """The head judge took a duel back to just after event `to` of its log, by a ruling. The rest
    is what the planner said at that moment: `answer` with `reasons` ({code, params}), how many
    events were struck, decisions by seat, turns begun, decks shuffled, hidden facts learned by
    viewer, and the lines of the lots that were drawn. `rewound` is the line of the rewind."""

    ruling: str
    call: str
    tournament: str
    match: str
    duel: str
    to: int
    rewound: int
    answer: str
    reasons: list[dict[str, Any]]
    events: int
    decisions: dict[str, int]
    turns: int
    shuffles: int
    learned: dict[str, int]
    lots: list[dict[str, Any]]
    by: str
    at: str


@event("judging.rewind_undone")
class RewindUndone(DomainEvent, frozen=True):
    """The rewind of a ruling was taken back: play stands where it stood before it. `rewound` is
    the line of the duel's log that did it; `reason` is sealed text of `by`."""

    ruling: str
    tournament: str
    match: str
    duel: str
    rewound: int
    by: str
    at: str
    reason: str


@event("judging.rewind_checked")
class RewindChecked(DomainEvent, frozen=True):
    """Play went back at a table without a full log. `checklist` holds the four questions of
    domain.rewinding with their answers (true: yes), `answer` what they come to."""

    call: str
    ruling: str
    checklist: dict[str, bool]
    answer: str
    by: str
    at: str
