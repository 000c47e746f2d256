"""Which judge looks after which open table: a pure fold of the stream `floor-<event>`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent
from judging.domain.acts import By, MatchFacts
from judging.events import TableAssigned


@dataclass(frozen=True, slots=True)
class Floor:
    """Judges (person ids) by match."""

    judges: Mapping[str, str] = field(default_factory=dict)


NEW = Floor()


def evolve(state: Floor, event: DomainEvent) -> Floor:
    """Apply one event of the stream."""
    if not isinstance(event, TableAssigned):
        return state
    held = {key: one for key, one in state.judges.items() if key != event.match}
    if event.judge:
        held[event.match] = event.judge
    return replace(state, judges=held)


def assign(
    state: Floor, match: MatchFacts, *, judge: str, by: By, leads: bool, decided: bool
) -> list[DomainEvent] | Refusal:
    """Give a table to a judge (empty: to nobody).

    A judge takes a free table and gives back the own one; who `leads` (desk, head judge) decides
    for all. Refused with `judging.table_over`, `judging.own_match`, `judging.table_taken{by}`,
    `judging.table_not_yours`; no event when nothing changes.
    """
    held = state.judges.get(match.match_id, "")
    if decided and judge:
        return Refusal("judging.table_over", {"table": match.table})
    if any(judge in persons for persons in match.seats):
        return Refusal("judging.own_match", {"seat": ""})
    if not leads:
        if judge not in ("", by.person):
            return Refusal("judging.table_not_yours", {"table": match.table})
        if held not in ("", by.person):
            return Refusal("judging.table_taken", {"table": match.table, "by": held})
    if held == judge:
        return []
    return [TableAssigned(match.event_id, match.match_id, judge, by.person, by.at)]
