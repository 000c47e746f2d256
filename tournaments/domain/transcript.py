"""Events that write down what was played elsewhere: whole rounds with their results, in order.

The companion and the archive make them. Nothing is paired here; what the file says is taken as
it is, once it hangs together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import msgspec

from eventstore.domain.registry import DomainEvent
from tournaments import events as ev
from tournaments.domain.event import CUT_STAGE, Round, Tournament, evolve
from tournaments.domain.rounds import matches_opened

FILE = "file"


@dataclass(frozen=True, slots=True)
class Outcome:
    """A result from outside: winner P1, P2, draw or double_loss, and what came with it."""

    winner: str
    score: tuple[int, int, int] = (0, 0, 0)
    reason: str = "played"
    by: str = FILE


@dataclass(frozen=True, slots=True)
class Table:
    """A table of a round from outside."""

    table: int
    p1: str
    p2: str
    outcome: Outcome | None = None


@dataclass(slots=True)
class Group:
    """Events that are appended together, those of the event before those of its matches."""

    event: list[DomainEvent] = field(default_factory=list)
    matches: list[tuple[str, list[DomainEvent]]] = field(default_factory=list)


class Transcript:
    """Groups of events in the order in which they count, and the state they lead to."""

    def __init__(self, state: Tournament, ids: Iterator[str]) -> None:
        self.state = state
        self.groups: list[Group] = []
        self._ids = ids

    def add(self, *events: DomainEvent) -> None:
        """Add events of the tournament, if any."""
        if not events:
            return
        for one in events:
            self.state = evolve(self.state, one)
        self.groups.append(Group(list(events)))

    def match(self, match_id: str, *events: DomainEvent) -> None:
        """Add events of a match that is open already."""
        self.groups.append(Group([], [(match_id, list(events))]))

    def round(
        self,
        stage: str,
        tables: Sequence[Table],
        *,
        byes: Iterable[str] = (),
        lost: Iterable[str] = (),
        slots: Sequence[str | None] = (),
        points: dict[str, int] | None = None,
        paired: ev.RoundPaired | None = None,
        then: Sequence[DomainEvent] = (),
    ) -> None:
        """Add the next round, published, with the results it has. `paired` gives what is known
        of its pairing beyond the tables; its pairs are replaced. `then` are events of the
        tournament between the publication and the first result."""
        state = self.state
        number = state.current + 1
        pairs = tuple(
            ev.Pair(next(self._ids), one.table, one.p1, one.p2)
            for one in sorted(tables, key=lambda one: one.table)
        )
        made = paired or ev.RoundPaired(
            state.event_id,
            number,
            stage,
            (),
            tuple(byes),
            0,
            points or {},
            (),
            dict.fromkeys(byes, "from_file" if stage != CUT_STAGE else "higher_seed"),
            tuple(slots),
            None,
            tuple(lost),
            (),
            "random",
            0,
            False,
            None,
        )
        made = msgspec.structs.replace(made, pairs=pairs)
        published = ev.RoundPublished(state.event_id, number)
        for one in (made, published):
            self.state = evolve(self.state, one)
        draft: Round = self.state.rounds[-1]
        outcomes = {frozenset((one.p1, one.p2)): one.outcome for one in tables}
        # All matches are open before the first has a result: standings are frozen once.
        opening, deciding = Group([made, published]), Group()
        for match_id, opened in matches_opened(self.state, draft):
            opening.matches.append((match_id, [opened]))
            outcome = outcomes[frozenset((opened.p1, opened.p2))]
            if outcome is not None:
                deciding.matches.append((match_id, [decided(opened, outcome)]))
        self.groups.append(opening)
        self.add(*then)
        if deciding.matches:
            self.groups.append(deciding)


def decided(opened: ev.MatchOpened, outcome: Outcome) -> ev.MatchDecided:
    """Return the result of a match that was just opened."""
    return ev.MatchDecided(
        opened.match_id,
        opened.event_id,
        opened.round,
        outcome.winner,
        outcome.score,
        outcome.reason,
        outcome.by,
    )
