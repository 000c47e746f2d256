"""Rewinding by appending: which events of a log are in force.

A `Rewound{to: s}` makes the effective log the one that was effective just after raw event s.
Nothing is deleted, and rewinding to the event before a `Rewound` undoes that rewind. Event
numbers are versions in the stream, from 1; 0 is the empty log.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

import msgspec

from duels.domain.events import BESIDE, Rewound
from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent

S = TypeVar("S")


# Links stay with the garbage collector (gc=True): only then is a long chain taken down link by
# link, and not by a recursion that runs out of stack.


class Line(msgspec.Struct, frozen=True, eq=False):
    """A link of the effective log: the number of an event, and the one before it."""

    seq: int
    before: Line | None


class Trail(msgspec.Struct, Generic[S], frozen=True, eq=False):
    """A link of the raw log: the state and the effective log just after event `seq`.

    Links share what they have in common, so that keeping a state for every event is cheap.
    """

    seq: int
    state: S
    line: Line | None
    before: Trail[S] | None

    def at(self, seq: int) -> Trail[S]:
        """Return the link just after event `seq`; raises LookupError when there is none."""
        link: Trail[S] | None = self
        while link is not None and link.seq > seq:
            link = link.before
        if link is None or link.seq != seq:
            raise LookupError(f"no event {seq} in this log")
        return link

    def then(self, state: S) -> Trail[S]:
        """Return the trail with one ordinary event more, after which the state is `state`."""
        return Trail(self.seq + 1, state, Line(self.seq + 1, self.line), self)

    def rewound(self, to: int) -> Trail[S]:
        """Return the trail with a `Rewound{to}` more; raises LookupError."""
        link = self.at(to)
        return Trail(self.seq + 1, link.state, link.line, self)

    def effective(self) -> list[int]:
        """Return the numbers of the events in force, oldest first."""
        numbers: list[int] = []
        line = self.line
        while line is not None:
            numbers.append(line.seq)
            line = line.before
        return numbers[::-1]


def trail(raw: Sequence[DomainEvent]) -> Trail[None]:
    """Return the trail of a log without any state; raises LookupError for a bad rewind."""
    link: Trail[None] = Trail(0, None, None, None)
    for event in raw:
        link = link.rewound(event.to) if isinstance(event, Rewound) else link.then(None)
    return link


def effective(raw: Sequence[DomainEvent]) -> list[int]:
    """Return the numbers of the events in force, oldest first; rewinds are not among them."""
    return trail(raw).effective()


def struck(raw: Sequence[DomainEvent]) -> list[bool]:
    """Say of each event whether a rewind took it back. Struck events stay readable.

    Statements, infractions and rewinds stand beside the play and are not struck, but for a
    rewind that a later one undid.
    """
    in_force = set(effective(raw))
    marks = [
        not isinstance(event, BESIDE) and seq not in in_force for seq, event in enumerate(raw, 1)
    ]
    for seq, event in enumerate(raw, 1):
        if isinstance(event, Rewound) and not marks[seq - 1]:
            for earlier in range(event.to + 1, seq):
                if isinstance(raw[earlier - 1], Rewound):
                    marks[earlier - 1] = True
    return marks


def reversed_by(head: Trail[S], to: int) -> list[int] | Refusal:
    """Return which events in force a rewind to `to` takes back, oldest first.

    Refused with `duels.rewind_out_of_range` when `to` is no event before the newest.
    """
    if not 1 <= to < head.seq:
        return Refusal("duels.rewind_out_of_range", {"found": to, "allowed": [1, head.seq - 1]})
    kept = set(head.at(to).effective())
    return [seq for seq in head.effective() if seq not in kept]
