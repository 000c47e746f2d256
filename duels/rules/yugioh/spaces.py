"""Which of the five spaces of a row a card takes: the one its player named, else the first free.

No rule of the game prefers one space to another (YGO-7.2, 7.6), so an act need not name any.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from duels.rules.yugioh import acts as a
from duels.rules.yugioh import refs
from duels.rules.yugioh.cards import is_monster
from duels.rules.yugioh.spells_traps import zone_of
from duels.rules.yugioh.state import Table, free_spaces
from eventstore.domain.refusal import Refusal

Laying: TypeAlias = a.NormalSummon | a.SetMonster | a.SetSpellTrap | a.Activate | a.Respond
LAYING = (a.NormalSummon, a.SetMonster, a.SetSpellTrap, a.Activate, a.Respond)
"""Acts that lay a card on the field and may name its space."""


def open_to(table: Table, act: Laying) -> tuple[int, ...]:
    """Return the spaces, from 1, of which this act may name one; empty where there is nothing to
    choose: a Field Spell, a card that lies on the field already, an effect of a monster."""
    side = table.side(act.player)
    if isinstance(act, a.NormalSummon | a.SetMonster):
        tributes = (refs.find(table, ref) for ref in act.tributes)
        return free_spaces(side.monsters, [card for card in tributes if card])
    card = refs.find(table, act.card) or 0
    facts = table.facts_of(card)
    if not card or card in table.placed or is_monster(facts):
        return ()
    return free_spaces(side.spells_traps) if (act.zone or zone_of(facts)) == "spells_traps" else ()


def fault(space: int | None, allowed: tuple[int, ...]) -> Iterator[Refusal]:
    """Yield `duels.space_not_free` for a named space that is not open: in no mode can a card
    have been laid there."""
    if space is not None and space not in allowed:
        yield Refusal("duels.space_not_free", {"found": space, "allowed": list(allowed)})


def faults(table: Table, act: a.AnyAct) -> Iterator[Refusal]:
    """Yield why the space that an act names cannot be taken."""
    if isinstance(act, LAYING) and act.space is not None:
        yield from fault(act.space, open_to(table, act))
