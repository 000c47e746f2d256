"""Is this the registered deck? Cards seen in the duel beside the list of their player."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from duels.domain.knowledge import PUBLIC
from duels.domain.play import CardIdentified
from duels.domain.seats import PLAYERS
from duels.domain.walk import Step

NO_CARD = "token"
"""What is made of nothing is no card of a deck."""


@dataclass(frozen=True, slots=True)
class Unlisted:
    """A card of a seat of which more copies were seen than its list has (`listed` 0: it is not
    on the list at all), with the event at which the first surplus copy was seen."""

    player: str
    key: str
    name: str | None
    seen: int
    listed: int
    since: int


def seen_cards(
    steps: Sequence[Step],
    player: str,
    identity: Callable[[str], str] = str,
    *,
    public: bool = False,
) -> dict[str, list[int]]:
    """Return, per card key (folded by `identity`, as other art of the same card), the events at
    which each copy of a seat was seen by everybody or (not with `public`) identified, oldest
    first. Tokens are no cards of a deck."""
    if not steps:
        return {}
    duel = steps[-1].after
    named = {
        step.event.card: step.seq
        for step in steps
        if isinstance(step.event, CardIdentified) and not public
    }
    found: dict[str, list[int]] = {}
    for instance in range(1, len(duel.table.owners)):
        key, facts = duel.table.identities[instance], duel.table.facts_of(instance)
        if duel.table.owners[instance] != player or key is None:
            continue
        if facts is not None and facts.type == NO_CARD:
            continue
        open_ = duel.knowledge.get(instance, {}).get(PUBLIC)
        since = [one for one in (named.get(instance), open_ and open_.since) if one]
        if since:
            found.setdefault(identity(key), []).append(min(since))
    return {key: sorted(listed) for key, listed in sorted(found.items())}


def unlisted(
    steps: Sequence[Step],
    lists: Mapping[str, Sequence[str]],
    identity: Callable[[str], str] = str,
    *,
    public: bool = False,
) -> list[Unlisted]:
    """Return every card seen more often than its player's list has it. `lists`: seat -> one
    key per copy of all sections, since cards may have been exchanged between duels; a seat
    without a list is passed over. `identity` folds keys of the same card; `public`: only cards
    that everybody saw count."""
    found: list[Unlisted] = []
    for player in PLAYERS:
        if player not in lists:
            continue
        copies = Counter(identity(key) for key in lists[player])
        facts = steps[-1].after.table.facts if steps else {}
        for key, since in seen_cards(steps, player, identity, public=public).items():
            if len(since) > copies[key]:
                name = facts[key].name if key in facts else None
                found.append(
                    Unlisted(player, key, name, len(since), copies[key], since[copies[key]])
                )
    return found
