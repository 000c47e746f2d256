"""Flags of all that is wrong or unsettled on a table: the judge's red marks."""

from __future__ import annotations

from duels.domain.flags import Flag as Flag
from duels.domain.flags import flag
from duels.rules.yugioh.duel import Duel
from duels.rules.yugioh.match import PLAYERS
from duels.rules.yugioh.state import FIELD_ZONES, HAND_LIMIT, MATERIALS, PILES, SPACES, Table


def status(duel: Duel) -> list[Flag]:
    """Return every flag of a duel.

    ZONE_OVERFLOW (more cards than spaces; an imported duel may have zones beyond),
    HAND_LIMIT_OWED (a discard is owed), HAND_COUNT_MISMATCH (a declared count that the table did
    not have), LP_MISMATCH (a pad's last LP differs from
    the table's; not for pad duels, which have none), PADS_DIFFER, CARD_MISPLACED (an instance
    in no zone or in two: a fault of the log itself).
    """
    table = duel.table
    flags: list[Flag] = []
    for player in PLAYERS:
        side = table.side(player)
        for zone in ("monsters", "spells_traps"):
            filled = sum(1 for card in getattr(side, zone) if card)
            if filled > SPACES and table.fidelity != "imported":
                flags.append(flag("ZONE_OVERFLOW", player=player, zone=zone, found=filled))
        if table.end_announced and player == table.active and len(side.hand) > HAND_LIMIT:
            flags.append(flag("HAND_LIMIT_OWED", player=player, found=len(side.hand)))
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
    for (by, about), value in duel.pads.items():
        derived = table.side(about).life_points
        if table.fidelity != "pad" and value != derived:
            flags.append(flag("LP_MISMATCH", by=by, player=about, found=value, derived=derived))
    for about in PLAYERS:
        told = {duel.pads[by, about] for by in PLAYERS if (by, about) in duel.pads}
        if len(told) > 1:
            flags.append(flag("PADS_DIFFER", player=about, found=sorted(told)))
    flags += [flag("CARD_MISPLACED", card=card, found=n) for card, n in misplaced(table)]
    return flags


def misplaced(table: Table) -> list[tuple[int, int]]:
    """Return (instance, number of places) of every card that is not in exactly one place.
    Tokens that left the field are in none, and right so."""
    seen: dict[int, int] = dict.fromkeys(range(1, len(table.owners)), 0)
    for player in PLAYERS:
        side = table.side(player)
        for zone in (*PILES, *FIELD_ZONES):
            row = getattr(side, zone)
            for card in row if isinstance(row, tuple) else (row,):
                if card:
                    seen[card] = seen.get(card, 0) + 1
    for card, placed in table.placed.items():
        if placed.zone == MATERIALS:
            seen[card] = seen.get(card, 0) + 1
    return [
        (card, n) for card, n in seen.items() if n != 1 and not (n == 0 and _is_token(table, card))
    ]


def _is_token(table: Table, card: int) -> bool:
    facts = table.facts_of(card)
    return facts is not None and facts.type == "token"
