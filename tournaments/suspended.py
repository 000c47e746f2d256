"""Who may not play: a look-up in the list of suspended Card Game IDs."""

from __future__ import annotations

from datetime import datetime

from eventstore.domain.refusal import Refusal, Refused
from people.models import Person
from tournaments.door_models import Suspension


def suspension_of(persons: tuple[str, ...], now: datetime) -> Suspension | None:
    """Return the suspension in force of one of these persons, the longest: two queries. A person
    without a Card Game ID cannot be found."""
    numbers = Person.objects.filter(pk__in=persons, card_game_id__isnull=False)
    known = [number for number in numbers.values_list("card_game_id", flat=True) if number]
    if not known:
        return None
    held = Suspension.objects.filter(card_game_id__in=known, until__gte=now.date())
    return held.order_by("-until").first()


def refuse_suspended(persons: tuple[str, ...], now: datetime, *, by_staff: bool) -> None:
    """Raise Refused for a suspended person: `tournaments.suspended{allowed}` with the last day to
    staff; to the player `tournaments.see_desk`, which says nothing but where to go."""
    held = suspension_of(persons, now)
    if held is None:
        return
    if by_staff:
        allowed = held.until.isoformat()
        raise Refused(
            Refusal("tournaments.suspended", {"found": held.card_game_id, "allowed": allowed})
        )
    raise Refused(Refusal("tournaments.see_desk"))
