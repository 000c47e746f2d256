"""Repairs of deck lists: which infractions of a pack are about a list."""

from __future__ import annotations

from judging.domain.policy import Pack

LIST_KINDS = frozenset(
    {
        "told_before_round_1",
        "unreadable",
        "list_illegal",
        "deck_illegal",
        "deck_and_list_differ",
    }
)
"""Kinds of infractions for which a list is put right."""


def list_infractions(pack: Pack) -> dict[str, tuple[str, ...]]:
    """Return {infraction: its kinds that are about a list}, in the order of the pack."""
    found = {
        code: tuple(kind for kind in one.kinds if kind in LIST_KINDS)
        for code, one in pack.infractions.items()
    }
    return {code: kinds for code, kinds in found.items() if kinds}
