"""What the policy pack of an event says of its rounds and its players, told by the room of the
judges, which keeps the packs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from django.db.models import Q
from msgspec.structs import replace

from eventstore import clock
from eventstore.domain.refusal import Refusal, Refused
from people.models import RoleRow
from tournaments.domain.round_events import Policy


@dataclass(frozen=True, slots=True)
class Terms:
    """Whether staff of the event may play in it; after how many seconds lateness costs a game and
    the match, None where the organiser chose no pack: then the policy of the rounds decides."""

    staff_may_play: bool = True
    lateness: tuple[int, int] | None = None


Ask = Callable[[str], Terms]
_asked: list[Ask] = []


def register(ask: Ask) -> None:
    """Name who knows of packs: a function from the id of an event to what its pack says."""
    if ask not in _asked:
        _asked.append(ask)


def terms_of(event_id: str) -> Terms:
    """Return what the pack of an event says."""
    return next((ask(event_id) for ask in _asked), Terms())


def by_pack(policy: Policy, event_id: str) -> Policy:
    """Return the policy of the rounds with the lateness of the pack that was chosen for the event,
    in whole minutes, begun ones counted; as it is without a choice."""
    late = terms_of(event_id).lateness
    if late is None:
        return policy
    game, match = (-(-seconds // 60) for seconds in late)
    return replace(policy, game_loss_min=game, match_loss_min=match)


def refuse_staff(event_id: str, persons: Iterable[str]) -> None:
    """Raise Refused (`tournaments.staff_plays`) for somebody with a role in an event whose pack
    lets no staff play: one query, those of the pack where there is one."""
    now = clock.as_text(clock.now())
    rows = RoleRow.objects.filter(
        Q(until="") | Q(until__gt=now), event_id=event_id, person_id__in=list(persons)
    )
    role = rows.order_by("role").values_list("role", flat=True).first()
    if role is not None and not terms_of(event_id).staff_may_play:
        raise Refused(Refusal("tournaments.staff_plays", {"found": role}))
