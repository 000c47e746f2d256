"""Conduct that a person at the table must see, claims, and concession (DM-1.1, 1.2, 10.14)."""

from __future__ import annotations

from collections.abc import Iterator

from duels.domain.events import InfractionRecorded
from duels.rules.duelmasters import acts as a
from duels.rules.duelmasters import victory
from duels.rules.duelmasters.draft import Draft
from duels.rules.duelmasters.duel import Duel
from duels.rules.duelmasters.seats import seat
from duels.rules.duelmasters.state import Table
from eventstore.domain.refusal import Refusal

CONDUCT: dict[str, str] = {
    "looked_at_deck": "DM-1.1",
    "looked_at_shield": "DM-1.2",
    "hid_public_card": "DM-10.14",
}


def check_claim(table: Table, act: a.Claim) -> Iterator[Refusal]:
    """DM-2.1: the engine sees every win itself; a claim asks for one that is none."""
    left = {one: len(table.side(one).shields) for one in table.alive if one != act.player}
    yield Refusal("DM-2.1", {"found": act.about, "shields": left})


def carry_observe(draft: Draft, act: a.Observe) -> None:
    """Record the breach; play goes on. It may be noted after the duel's end as well."""
    rule = CONDUCT[act.conduct]
    draft.events.append(
        InfractionRecorded(seat(act.player), rule, [], {"found": act.conduct}, a.plain(act))
    )


def carry_concede(draft: Draft, act: a.Concede) -> None:
    """Give the duel up."""
    for event in victory.concession(draft.table, act.player):
        draft.add(event)


def false_count(duel: Duel, player: str) -> bool:
    """Say whether the player's last word on the own hand was false when given (DM-10.14)."""
    count = duel.counts.get((player, player, "hand"))
    return count is not None and count.declared != count.held
