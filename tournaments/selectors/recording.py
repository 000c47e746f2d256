"""Which tables can be recorded: those of the newest round whose match is still open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from people import selectors as people
from people.access import require
from people.domain.actor import Actor
from people.domain.names import joined
from people.domain.permissions import Subject
from tournaments.models import EventRow, MatchRow


@dataclass(frozen=True, slots=True)
class RecordTable:
    """An open table: the names at seats P1 and P2, whether it is a feature table, the running
    duel (number and id, empty for a duel without a log), who begins the next one (empty: not
    said), and whether the viewer plays there."""

    match_id: str
    table: int
    names: tuple[str, str]
    feature: bool
    running: dict[str, Any] | None
    starter: str
    own: bool


def record_tables(viewer: Actor, event_id: str) -> list[RecordTable]:
    """Return the open tables of the newest round, feature tables first. Raises NotAllowed."""
    require(viewer, "duels.duel_record", Subject(event_id))
    event = EventRow.objects.get(pk=event_id)
    rows = list(
        MatchRow.objects.filter(event_id=event_id, round=event.round)
        .exclude(state__in=("draft", "decided"))
        .exclude(p2="")
    )
    names = people.names(one for row in rows for side in row.persons for one in side)
    special = set(event.plan.get("feature", ()))
    stars = set(event.plan.get("featured", ()))
    found = [
        RecordTable(
            row.pk,
            row.table,
            _names(row, names),
            row.table in special or bool({row.p1, row.p2} & stars),
            next((one for one in row.duels if not one["winner"]), None),
            row.starter,
            any(viewer.person_id in side for side in row.persons),
        )
        for row in rows
    ]
    return sorted(found, key=lambda one: (not one.feature, one.table))


def _names(row: MatchRow, names: Any) -> tuple[str, str]:
    first, second = (joined(side, names) for side in row.persons)
    return first, second
