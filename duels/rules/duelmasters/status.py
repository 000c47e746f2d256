"""Flags of all that is wrong or unsettled on a table: the judge's red marks."""

from __future__ import annotations

from duels.domain.flags import Flag as Flag
from duels.domain.flags import flag
from duels.rules.duelmasters.duel import Duel
from duels.rules.duelmasters.state import ZONES, Table


def status(duel: Duel) -> list[Flag]:
    """Return every flag of a duel.

    HAND_COUNT_MISMATCH, COUNT_MISMATCH (a declared count that the table did not have),
    CARD_MISPLACED (an instance in no zone or in two: a fault of the log itself).
    """
    table = duel.table
    flags: list[Flag] = []
    for (by, about, zone), count in duel.counts.items():
        if count.declared != count.held and table.fidelity != "pad":
            flags.append(
                flag(
                    "HAND_COUNT_MISMATCH" if zone == "hand" else "COUNT_MISMATCH",
                    by=by,
                    player=about,
                    zone=zone,
                    found=count.declared,
                    held=count.held,
                    line=count.seq,
                )
            )
    flags += [flag("CARD_MISPLACED", card=card, found=n) for card, n in misplaced(table)]
    return flags


def misplaced(table: Table) -> list[tuple[int, int]]:
    """Return (instance, number of places) of every card that is not in exactly one place. Cards
    of a player who is out are in none, and right so."""
    seen: dict[int, int] = dict.fromkeys(range(1, len(table.owners)), 0)
    for side in table.sides.values():
        for zone in ZONES:
            for card in getattr(side, zone):
                for one in table.stack(card) if zone == "battle" else (card,):
                    seen[one] = seen.get(one, 0) + 1
    return [
        (card, n)
        for card, n in seen.items()
        if n != 1 and not (n == 0 and table.side(table.owners[card]).out)
    ]
