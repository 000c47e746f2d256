"""What speaks against a judge at a table, as far as the house knows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from judging.domain.acts import MatchFacts
from tournaments.models import EntrantPerson, EventRow

CLUB, KEPT_APART = "club", "kept_apart"
"""The judge plays in the event too: in the same club as one of the two, or as one of a pair that
the plan of the event keeps apart, such as a family."""


def conflicts_of(person_id: str, facts: MatchFacts) -> tuple[str, ...]:
    """Return the kinds of conflict between a judge and the players of a match: two queries.

    A judge who plays in the match itself is refused there and not named here.
    """
    return conflicts_at(person_id, facts.event_id, {"": facts.entrants}).get("", ())


def conflicts_at(
    person_id: str, event_id: str, tables: Mapping[str, Sequence[str]]
) -> dict[str, tuple[str, ...]]:
    """Return the kinds of conflict between a judge and the entrants of several tables, by the
    keys of `tables`: two queries, one where the plan names neither clubs nor pairs."""
    plan = EventRow.objects.filter(pk=event_id).values_list("plan", flat=True).first() or {}
    clubs, apart = plan.get("clubs") or {}, plan.get("forbidden") or []
    if not clubs and not apart:
        return {}
    rows = EntrantPerson.objects.filter(event_id=event_id, person_id=person_id)
    own = set(rows.values_list("entrant_id", flat=True))
    mine = {clubs[one] for one in own if one in clubs}
    found: dict[str, tuple[str, ...]] = {}
    for key, entrants in tables.items():
        kinds = [CLUB] if mine & {clubs.get(one) for one in entrants} else []
        if any(own & set(pair) and set(pair) & set(entrants) for pair in apart):
            kinds.append(KEPT_APART)
        if kinds:
            found[key] = tuple(kinds)
    return found
