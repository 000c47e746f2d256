"""Set Spells and Traps, and where they lie (YGO-13.1, 13.2, 13.17, 7.1, 7.6, 13.11)."""

from __future__ import annotations

from collections.abc import Iterator

from duels.domain.events import CardFacts, seat
from duels.rules.yugioh import acts as a
from duels.rules.yugioh import events as ev
from duels.rules.yugioh import refs
from duels.rules.yugioh.cards import TRAP, is_field_spell, is_monster
from duels.rules.yugioh.common import MAIN_PHASES, phase_of
from duels.rules.yugioh.draft import Draft
from duels.rules.yugioh.state import SPACES, Table, occupied, space_taken
from eventstore.domain.refusal import Refusal


def zone_of(facts: CardFacts | None) -> str:
    """Return the zone a Spell or Trap lies in: A for a Field Spell, else E."""
    return "field" if facts is not None and is_field_spell(facts) else "spells_traps"


def check_set(table: Table, act: a.SetSpellTrap) -> Iterator[Refusal]:
    """YGO-13.1 / 13.17 (moment, hand), 8.4 (a monster), 7.1, 13.11, 7.6 (space).

    What an unknown card is (a Set on paper) cannot be judged.
    """
    card = refs.cards(table, [act.card])[0]
    facts = table.facts_of(card)
    rule = "YGO-13.17" if facts is not None and facts.type == TRAP else "YGO-13.1"
    if table.phase not in MAIN_PHASES:
        yield Refusal(rule, {"found": phase_of(table), "allowed": list(MAIN_PHASES)})
    player, zone = table.where(card)
    if (player, zone) != (act.player, "hand"):
        yield Refusal(rule, {"card": card, "found": zone, "allowed": "hand"})
    if is_monster(facts):
        yield Refusal("YGO-8.4", {"card": card, "found": "monster", "allowed": "spell or trap"})
        return
    yield from space(table, act.player, facts, act.zone)


def space(
    table: Table, player: str, facts: CardFacts | None, asked: str | None
) -> Iterator[Refusal]:
    """Yield what is wrong with the place of a card from the hand: YGO-7.1, 13.11, 7.6."""
    own = zone_of(facts)
    if asked is not None and asked != own and facts is not None:
        yield Refusal("YGO-7.1", {"found": asked, "allowed": own})
    side = table.side(player)
    if (asked or own) == "field":
        if side.field and table.options["field_spell.replace_own"] == "forbidden":
            yield Refusal("YGO-13.11", {"found": 1, "allowed": 0})
    else:
        filled = occupied(side.spells_traps)
        if filled >= SPACES:
            yield Refusal("YGO-7.6", {"found": filled, "allowed": SPACES})


def carry_set(draft: Draft, act: a.SetSpellTrap) -> None:
    """Set the card."""
    card = refs.cards(draft.table, [act.card])[0]
    zone = act.zone or zone_of(draft.table.facts_of(card))
    clear_own_field(draft, act.player, zone, card)
    _, source = draft.table.where(card)
    place = (
        0 if zone == "field" else space_taken(draft.table.side(act.player).spells_traps, act.space)
    )
    draft.add(ev.SpellTrapSet(seat(act.player), card, zone, place, source))  # type: ignore[arg-type]


def clear_own_field(draft: Draft, player: str, zone: str, card: int) -> None:
    """With the option of YGO-13.11 (or at a table where it happened) the old card goes."""
    old = draft.table.side(player).field
    if zone == "field" and old and old != card:
        draft.move([old], "graveyard", "rule", by=card)
