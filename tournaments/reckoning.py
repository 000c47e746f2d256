"""From the read tables to the values of the domain: results, byes, standings.

Read by the projector (its own tables), by services and by selectors.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from eventstore.domain.refusal import Refusal
from eventstore.prepared import prepared
from tournaments.domain.event import DISQUALIFIED, DROPPED, FINISHED, SWISS_STAGE
from tournaments.domain.records import Bye, Played
from tournaments.domain.rounds import Facts
from tournaments.domain.standings import Standing, chosen, standings
from tournaments.models import EntrantRow, EventRow, MatchRow, RoundRow

DRAFT, WAITING, DECIDED = "draft", "waiting", "decided"
OPEN = (WAITING, "playing", "between", "claimed", "disputed")
"""States of a published match without a result."""
SCORE = ("p1_wins", "p2_wins", "draws")


def facts(event_id: str) -> Facts:
    """Return the results of all published rounds and the tables without one: one query."""
    played: list[Played] = []
    open_tables: list[int] = []
    started: list[int] = []
    conflicts: list[int] = []
    rows = MatchRow.objects.filter(event_id=event_id).exclude(state=DRAFT)
    for number, table, p1, p2, state, contests, winner, *score in rows.order_by(
        "round", "table"
    ).values_list("round", "table", "p1", "p2", "state", "contests", "winner", *SCORE):
        if contests:
            conflicts.append(table)
        if state == DECIDED:
            played.append(Played(number, p1, p2, winner, (score[0], score[1], score[2])))
        else:
            open_tables.append(table)
            if state != WAITING:
                started.append(table)
    return Facts(played, open_tables, started, conflicts)


def swiss_standings(event_id: str, upto: int) -> list[Standing]:
    """Return the standings of the Swiss rounds up to one, as the tables now stand: five
    queries at most, whatever the size of the event. Matches without a result do not count."""
    system, plan = EventRow.objects.values_list("standings", "plan").get(pk=event_id)
    switched = chosen(system, plan.get("switches") or {})
    rounds = list(
        RoundRow.objects.filter(
            event_id=event_id, published=True, stage=SWISS_STAGE, number__lte=upto
        ).order_by("number")
    )
    byes = [
        Bye(one.number, entrant, won)
        for one in rounds
        for entrants, won in ((one.byes, True), (one.lost, False))
        for entrant in entrants
    ]
    matches = MatchRow.objects.filter(
        event_id=event_id, stage=SWISS_STAGE, round__lte=upto
    ).exclude(state=DRAFT)
    played: list[Played] = []
    took_part: set[str] = {bye.entrant_id for bye in byes}
    for number, p1, p2, state, winner, *score in matches.order_by("round", "table").values_list(
        "round", "p1", "p2", "state", "winner", *SCORE
    ):
        took_part |= {p1, p2}
        if state == DECIDED:
            played.append(Played(number, p1, p2, winner, (score[0], score[1], score[2])))
    entrants = list(
        EntrantRow.objects.filter(event_id=event_id)
        .order_by("number")
        .values_list("pk", "late", "status")
    )
    return standings(
        [pk for pk, late, _ in entrants if late or pk in took_part],
        played,
        byes,
        [pk for pk, late, _ in entrants if late],
        last=[pk for pk, _, status in entrants if status == DISQUALIFIED],
        dropped=[pk for pk, _, status in entrants if status == DROPPED],
        system=system,
        switches=None if isinstance(switched, Refusal) else switched,
    )


@prepared
def _open(event_id: Any, *rounds: Any) -> Any:
    # Asked after every result: by the index on the state, whatever is decided already.
    rows = MatchRow.objects.filter(event_id=event_id, round__in=rounds, state__in=OPEN)
    return rows.order_by().values_list("pk", flat=True)[:1]


def open_matches(event_id: str, rounds: Iterable[int]) -> bool:
    """Say whether a published match of these rounds has no result."""
    numbers = set(rounds)
    return bool(numbers) and bool(_open(event_id, *numbers))


def is_over(event_id: str) -> bool:
    """Say whether an event has its final places."""
    return EventRow.objects.filter(pk=event_id, status=FINISHED).exists()
