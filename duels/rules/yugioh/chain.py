"""Chain links: they are added, wait for answers, and resolve from the latest one down
(YGO-17.1 to 17.4, YGO-13.3 to 13.21)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from duels.domain.events import CardFacts, seat
from duels.rules.yugioh import effects, pieces, triggers
from duels.rules.yugioh import events as ev
from duels.rules.yugioh.cards import effect_at, events_of, is_monster, speed_of
from duels.rules.yugioh.draft import Draft
from duels.rules.yugioh.match import other
from duels.rules.yugioh.selectors import Op, Use
from duels.rules.yugioh.state import Link, Table, Waiting

SUMMON_EVENTS = ("normal_summon", "flip_summon", "special_summon")
HOWS = {
    "normal": "normal_summon",
    "tribute": "normal_summon",
    "flip": "flip_summon",
    "special": "special_summon",
}
STANDING = ("modify_atk", "modify_def", "attack_directly")
"""Operations of an Equip Spell that work while it lies face-up, and are not carried out once."""


def use_of(table: Table, link: Link) -> Use:
    """Return the use of an effect that a link makes."""
    return Use(
        link.player,
        link.card,
        table.identities[link.card],
        link.targets,
        link.named,
        link.position,
        link.pieces,
    )


def place_waiting(draft: Draft) -> bool:
    """Put waiting effects on the chain that need no choice, in their order: the turn player's
    first (S-17). Stop at one that its player must or may still answer for. Return whether
    something was done."""
    table = draft.table
    if not may_place(table):
        return False
    one = first_waiting(table)
    if one is None or not triggers.by_itself(table, one):
        return False
    effect = effect_at(table.facts_of(one.card), one.effect)
    use = Use(one.player, one.card, table.identities[one.card])
    cost = effect.get("cost", [])
    if cost and next(effects.check(table, cost, _priced(use)), None) is not None:
        draft.add(ev.EffectDeclined(seat(one.player), one.card, one.effect))
        return True
    add_link(draft, use, one.effect)
    return True


def _priced(use: Use) -> Use:
    return Use(use.player, use.by, use.key, (), use.named, as_cost=True)


def may_place(table: Table) -> bool:
    """Say whether waiting effects may become links now: no chain is open, or only effects of
    the same moment are on it and nobody has answered yet."""
    if table.resolving or not table.waiting:
        return False
    if not table.chain:
        return True
    return all(_triggered(table, link) for link in table.chain) and table.passed == 0


def _triggered(table: Table, link: Link) -> bool:
    effect = effect_at(table.facts_of(link.card), link.effect)
    return effect.get("kind") in triggers.TRIGGERED


def first_waiting(table: Table) -> Waiting | None:
    """Return the waiting effect whose turn it is."""
    if not table.waiting:
        return None
    return min(table.waiting, key=lambda one: one.player != table.active)


def add_link(
    draft: Draft,
    use: Use,
    effect: int,
    *,
    zone: str | None = None,
    place: int | None = None,
) -> None:
    """Add a link and pay its costs (YGO-17.1). `zone` and `place` for a card from the hand."""
    table = draft.table
    facts = table.facts_of(use.by)
    script = effect_at(facts, effect)
    _, source = table.where(use.by)
    lying = table.placed.get(use.by)
    draft.add(
        ev.CardActivated(
            seat(use.player),
            use.by,
            zone if zone is not None else source,
            place if place is not None else (lying.place if lying is not None else 0),
            source,
            list(use.chosen),
            effect,
            speed_of(facts, script) if facts is not None else 1,
            list(use.named),
            list(use.pieces),
            use.position,
        )
    )
    cost = script.get("cost", [])
    if cost:
        effects.pay(draft, cost, _priced(use))


def resolve_next(draft: Draft) -> bool:
    """Carry the latest link out. Return False while it waits for a decision."""
    table = draft.table
    link = table.chain[-1]
    facts = table.facts_of(link.card)
    script = effect_at(facts, link.effect)
    able = not link.negated and facts is not None and _can_work(table, link, facts)
    if able and facts is not None and not _carry(draft, link, facts, script):
        return False
    _leave(draft, link, facts)
    draft.add(ev.ActivationResolved(seat(link.player), link.card))
    return True


def _can_work(table: Table, link: Link, facts: CardFacts) -> bool:
    """A card that must stay face-up to work and has left the field does nothing."""
    if not link.fresh or facts.kind not in effects.STAYS:
        return True
    placed = table.placed.get(link.card)
    return placed is not None and placed.position != "set"


def ops_of(facts: CardFacts, script: Mapping[str, Any]) -> list[Op]:
    """Return what an effect carries out once on resolution."""
    ops: list[Op] = list(script.get("effect", []))
    if facts.kind == "equip" and script.get("kind") == "spell":
        return [op for op in ops if op.get("op") not in STANDING or op.get("target") == "chosen"]
    return ops


def _carry(draft: Draft, link: Link, facts: CardFacts, script: Mapping[str, Any]) -> bool:
    """Return False when the effect waits for its player to say whether a price is paid."""
    if facts.kind == "field" and link.fresh:
        _clear_other_field(draft, link.player, link.card)
    ops = ops_of(facts, script)
    use = use_of(draft.table, link)
    price = next((place for place, op in enumerate(ops) if op.get("op") == "unless_paid"), None)
    if price is None:
        if not link.begun:
            _do(draft, ops, use)
        return True
    if link.paid is None:
        if not link.begun:
            _do(draft, ops[:price], use)
        return draft.table.result is not None
    if not link.paid:
        _do(draft, ops[price].get("else", []), use)
    _do(draft, ops[price + 1 :], use)
    return True


def _do(draft: Draft, ops: Sequence[Op], use: Use) -> None:
    for op in ops:
        if op.get("op") in ("fusion_summon", "ritual_summon"):
            pieces.summon(draft, str(op["op"]), use)
            return
    effects.carry(draft, ops, use)


def _clear_other_field(draft: Draft, player: str, card: int) -> None:
    """YGO-13.10: the other side's active Field Spell is destroyed."""
    rival = draft.table.side(other(player)).field
    if rival and card in draft.table.placed and draft.table.placed[rival].position == "up":
        draft.move([rival], "graveyard", "rule", by=card)


def _leave(draft: Draft, link: Link, facts: CardFacts | None) -> None:
    """A used Spell or Trap goes to the Graveyard (YGO-13.4, 13.19); an Equip Spell whose monster
    is gone by now is destroyed (YGO-13.8)."""
    if facts is None or is_monster(facts) or not link.fresh:
        return
    placed = draft.table.placed.get(link.card)
    if placed is None:
        return
    if facts.kind not in effects.STAYS:
        draft.move([link.card], "graveyard", "used", by=link.card)
    elif facts.kind == "equip":
        carrier = draft.table.placed.get(placed.equipped_to)
        lost = carrier is None or carrier.position == "set"
        if lost and draft.table.options["equip.lost_with_link"]:
            draft.move([link.card], "graveyard", "rule")


def pending_price(table: Table) -> tuple[Link, Op] | None:
    """Return the link whose effect waits for a decision, with the operation that asks."""
    if not table.resolving or not table.chain:
        return None
    return _asks(table, table.chain[-1])


def price_of(table: Table, card: int) -> tuple[Link, Op] | None:
    """Return the link of a card whose price may be decided while the chain resolves: also
    before its turn has come."""
    if not table.resolving:
        return None
    asking = (_asks(table, link) for link in reversed(table.chain) if link.card == card)
    return next((one for one in asking if one is not None), None)


def _asks(table: Table, link: Link) -> tuple[Link, Op] | None:
    if link.negated or link.paid is not None:
        return None
    script = effect_at(table.facts_of(link.card), link.effect)
    for op in script.get("effect", []):
        if op.get("op") == "unless_paid":
            return link, op
    return None


def answered(table: Table, player: str, word: str, *, directly: bool) -> tuple[int, ...] | None:
    """Return the cards concerned when an event that a Trap (or quick effect) of `player` answers
    is there to be answered now, None when it is not. `directly`: nothing may lie between, as
    for a Counter Trap (YGO-13.20)."""
    rival = other(player)
    top = table.windows[-1] if table.windows else None
    clear = all(_triggered(table, link) for link in table.chain)
    if word in SUMMON_EVENTS:
        if top is None or (directly and not clear):
            return None
        cards = tuple(
            one.card for one in top.summons if one.player == rival and HOWS.get(one.how) == word
        )
        return cards or None
    if word == "attack_declared":
        attack = table.attack
        if attack is None or top is None or top.kind != "attack" or (directly and not clear):
            return None
        return (attack.attacker,) if attack.player == rival else None
    if word in ("spell_activated", "trap_activated"):
        if not table.chain or table.resolving or table.chain[-1].player != rival:
            return None
        facts = table.facts_of(table.chain[-1].card)
        kind = word.partition("_")[0]
        known = facts is not None and facts.type == kind
        return (table.chain[-1].card,) if known and table.chain[-1].fresh else None
    if word == "standby":
        return (0,) if table.phase == "standby" and table.active == player else None
    cards = tuple(one.card for one in table.happened if one.word == word and one.player == rival)
    return cards or None


def occurs(
    table: Table, player: str, facts: CardFacts, effect: Mapping[str, Any]
) -> tuple[int, ...] | None:
    """Return the cards of the event that an effect answers, () without a condition, None when
    the event is not there."""
    words = events_of(effect)
    if not words:
        return ()
    directly = facts.kind == "counter"
    for word in words:
        found = answered(table, player, word, directly=directly)
        if found is not None:
            return found
    return None
