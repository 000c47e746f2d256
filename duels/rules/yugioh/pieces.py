"""Fusion and Ritual: the pieces, tested when the Spell is activated and again when it resolves
(YGO-12.1 to 12.9)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from duels.domain.events import CardFacts, seat
from duels.rules.yugioh import events as ev
from duels.rules.yugioh.cards import is_monster
from duels.rules.yugioh.draft import Draft
from duels.rules.yugioh.selectors import Use
from duels.rules.yugioh.state import SPACES, Table, free_space, occupied
from eventstore.domain.refusal import Refusal


def summons(facts: CardFacts | None, op: str) -> bool:
    """Say whether a card's text makes a Fusion (`fusion_summon`) or Ritual (`ritual_summon`)."""
    if facts is None:
        return False
    return any(one.get("op") == op for effect in facts.effects for one in effect.get("effect", []))


def faults(table: Table, op: str, use: Use) -> Iterator[Refusal]:
    """Yield what is wrong with the pieces: YGO-9.5 for a removed one, 12.1 for a Fusion, 12.6
    for a Ritual, then 7.2 for want of a space once they have left."""
    rule = "YGO-12.1" if op == "fusion_summon" else "YGO-12.6"
    monster, given = (use.pieces[0] if use.pieces else 0), use.pieces[1:]
    if not monster:
        yield Refusal(rule, {"found": None, "allowed": "the pieces"})
        return
    for card in use.pieces:
        if table.where(card)[1] == "banished":
            yield Refusal("YGO-9.5", {"card": card, "found": "banished"})
    if op == "fusion_summon":
        yield from _fusion(table, use, monster, given)
    else:
        yield from _ritual(table, use, monster, given)
    leaving = given if table.options["zone_check.after_costs"] else ()
    filled = occupied(table.side(use.player).monsters, leaving)
    if filled >= SPACES:
        yield Refusal("YGO-7.2", {"found": filled, "allowed": SPACES})


def _at_hand(table: Table, player: str, card: int) -> bool:
    """Say whether a piece is in hand or on the player's own side of the field."""
    return table.where(card) in ((player, "hand"), (player, "monsters"))


def _fusion(table: Table, use: Use, monster: int, given: Sequence[int]) -> Iterator[Refusal]:
    facts = table.facts_of(monster)
    where = table.where(monster)
    if where != (use.player, "fusion_deck") or facts is None or facts.kind != "fusion":
        yield Refusal(
            "YGO-12.1",
            {"card": monster, "found": where[1], "allowed": "fusion_deck"},
            ("YGO-12.2",),
        )
        return
    missing = [card for card in given if not _at_hand(table, use.player, card)]
    if missing or len(set(given)) != len(given) or not fits(table, facts, given):
        yield Refusal(
            "YGO-12.1",
            {
                "card": monster,
                "found": len(given) - len(missing),
                "allowed": len(facts.materials) or 2,
            },
        )


def fits(table: Table, facts: CardFacts, given: Sequence[int]) -> bool:
    """Say whether the cards are the materials printed on a Fusion Monster. A record without
    materials cannot be judged: two monsters or more will do."""
    if not facts.materials:
        return len(given) >= 2 and all(
            table.facts_of(card) is None or is_monster(table.facts_of(card)) for card in given
        )
    left = Counter(facts.materials)
    for card in given:
        one = table.facts_of(card)
        if one is None:
            return False
        name = one.name if left[one.name] else one.key
        if not left[name]:
            return False
        left[name] -= 1
    return not any(left.values())


def _ritual(table: Table, use: Use, monster: int, given: Sequence[int]) -> Iterator[Refusal]:
    spell, facts = table.facts_of(use.by), table.facts_of(monster)
    where = table.where(monster)
    wanted = spell.ritual if spell is not None else {}
    names = (facts.name, facts.key) if facts is not None else ()
    if where != (use.player, "hand") or facts is None or facts.kind != "ritual":
        yield Refusal("YGO-12.6", {"card": monster, "found": where[1], "allowed": "hand"})
        return
    if wanted and wanted.get("monster") not in names:
        yield Refusal(
            "YGO-12.6", {"card": monster, "found": facts.name, "allowed": wanted.get("monster")}
        )
        return
    levels = int(wanted.get("levels", facts.level or 0))
    offered = [
        one
        for card in dict.fromkeys(given)
        if card != monster and _at_hand(table, use.player, card)
        for one in [table.facts_of(card)]
        if one is not None and is_monster(one)
    ]
    total = sum(one.level or 0 for one in offered)
    if len(offered) != len(given) or total < levels:
        yield Refusal("YGO-12.6", {"card": monster, "found": total, "allowed": levels})


def summon(draft: Draft, op: str, use: Use) -> None:
    """Carry the summon out if all pieces are still there; otherwise nothing is summoned and the
    Spell is used up (YGO-12.2)."""
    if next(faults(draft.table, op, use), None) is not None:
        return
    monster, given = use.pieces[0], use.pieces[1:]
    destroyed = bool(draft.table.options["fusion.materials_destroyed"])
    cause = "material" if op == "fusion_summon" else "tribute"
    draft.move(given, "graveyard", cause, by=use.by, destroyed=destroyed)
    _, source = draft.table.where(monster)
    draft.add(
        ev.MonsterSummoned(
            seat(use.player),
            monster,
            "special",
            "defence" if use.position == "defence" else "attack",
            free_space(draft.table.side(use.player).monsters),
            source,
        )
    )
