"""Activate effects: which effect, at which moment, for what price, on what (YGO-8, 9.3, 13, 15.9,
17.5 to 17.8). One set of checks for an act that starts a chain and for an answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from duels.domain.events import CardFacts, seat
from duels.rules.yugioh import acts as a
from duels.rules.yugioh import chain, effects, flow, pieces, refs, spells_traps, triggers
from duels.rules.yugioh import events as ev
from duels.rules.yugioh.cards import (
    TRAP,
    effect_at,
    events_of,
    is_monster,
    places_of,
    speed_of,
)
from duels.rules.yugioh.common import MAIN_PHASES, phase_of
from duels.rules.yugioh.draft import Draft
from duels.rules.yugioh.selectors import Op, Use, chooses, needed
from duels.rules.yugioh.state import Placed, Table, space_taken
from eventstore.domain.refusal import Refusal

Acting: TypeAlias = a.Activate | a.Respond
CHANGERS = ("modify_atk", "modify_def")


def own_main(table: Table, player: str) -> bool:
    """Say whether it is a Main Phase of this player's turn."""
    return table.active == player and table.phase in MAIN_PHASES


def check(table: Table, act: Acting) -> Iterator[Refusal]:
    """Timing of the kind, then speed, costs, the event it answers, targets and space."""
    card = refs.cards(table, [act.card])[0]
    facts = table.facts_of(card)
    answering = isinstance(act, a.Respond)
    if answering and not (table.windows or table.chain):
        yield Refusal("YGO-17.3", {"card": card, "found": "no window"})
    if facts is None:
        yield Refusal("duels.card_unknown", {"card": card, "key": table.identities[card]})
        return
    waiting = _waiting(table, act.player, card)
    if waiting is not None and not answering:
        yield from _for_waiting(table, act, card, facts, waiting)
        return
    placed = table.placed.get(card)
    if is_monster(facts) or (placed is not None and placed.position == "up"):
        yield from _face_up_effect(table, act, card, facts)
        return
    player, zone = table.where(card)
    if player != act.player or zone not in ("hand", "spells_traps", "field"):
        rule = "YGO-9.5" if zone == "banished" else "YGO-9.3"
        yield Refusal(rule, {"card": card, "found": zone, "allowed": "hand or Set"})
        return
    place = effect_of(table, act.player, card, facts)
    script = effect_at(facts, place)
    yield from timing(table, act.player, facts, placed)
    yield from _damage_step(table, facts, script)
    yield from _speed(table, facts, script, answering=answering)
    use = use_of(table, act, card, script)
    yield from _pieces(table, act.player, facts, script, use)
    if placed is None:
        yield from spells_traps.space(table, act.player, facts, act.zone)


def _waiting(table: Table, player: str, card: int) -> int | None:
    """Return the place of the effect of this card that waits for its player, None for none."""
    if flow.choosing(table) is None:
        return None
    for one in table.waiting:
        if one.card == card and one.player == player:
            return one.effect
    return None


def _for_waiting(
    table: Table, act: Acting, card: int, facts: CardFacts, place: int
) -> Iterator[Refusal]:
    script = effect_at(facts, place)
    use = use_of(table, act, card, script)
    yield from _cost(table, script, use)
    yield from effects.check(table, script.get("effect", []), use)


def timing(table: Table, player: str, facts: CardFacts, placed: Placed | None) -> Iterator[Refusal]:
    """Yield what the card's own timing rule says: step 3 of the order of precedence."""
    now = {"found": phase_of(table), "player": player}
    set_now = placed is not None and placed.arrived_turn == table.turn
    if facts.type == TRAP:
        if placed is None:
            yield Refusal("YGO-13.17", now | {"allowed": "set"})
        elif set_now and table.options["trap.set_turn_lock"]:
            yield Refusal("YGO-13.18", now | {"set_turn": table.turn, "turn": table.turn})
    elif facts.kind == "quick_play":
        if placed is None:
            if table.active != player and not table.options["quickplay.opponent_turn_from_hand"]:
                yield Refusal("YGO-13.14", now | {"allowed": "set"})
        elif set_now and table.options["quickplay.set_turn_lock"]:
            yield Refusal("YGO-13.15", now | {"set_turn": table.turn, "turn": table.turn})
        if (
            table.active == player
            and table.options["quickplay.phases"] == "main_and_battle"
            and table.phase not in (*MAIN_PHASES, "battle")
        ):
            yield Refusal("YGO-13.13", now | {"allowed": ["main1", "battle", "main2"]})
    elif not own_main(table, player):
        rule = "YGO-13.12" if placed is not None and facts.kind == "field" else "YGO-13.1"
        yield Refusal(rule, now | {"allowed": list(MAIN_PHASES)})
    elif set_now and table.options["spell.set_turn_lock"]:
        yield Refusal("YGO-13.3", now | {"set_turn": table.turn, "turn": table.turn})


def _damage_step(table: Table, facts: CardFacts, script: Mapping[str, Any]) -> Iterator[Refusal]:
    """YGO-15.9: what may be used in the Damage Step, and until when."""
    if table.step != "damage":
        return
    now = {"found": phase_of(table), "allowed": "changes ATK or DEF"}
    attack = table.attack
    early = attack is not None and attack.stage == "declared"
    if not early or table.options["damage_step.window"] == "before_step":
        yield Refusal("YGO-15.9", now)
    elif facts.kind == "counter" and facts.type == TRAP and table.chain:
        if not table.options["damage_step.counter_traps"]:
            yield Refusal("YGO-15.9", now)
    elif not _changes_values(table, facts, script):
        yield Refusal("YGO-15.9", now)


def _changes_values(table: Table, facts: CardFacts, script: Mapping[str, Any]) -> bool:
    allowed: tuple[str, ...] = CHANGERS
    if table.options["damage_step.allowed"] == "atk_def_damage":
        allowed = (*CHANGERS, "damage")
    scripts = [script]
    if not is_monster(facts):
        scripts += [one for one in facts.effects if one.get("kind") == "continuous"]
    return any(op.get("op") in allowed for one in scripts for op in one.get("effect", []))


def _speed(
    table: Table, facts: CardFacts, script: Mapping[str, Any], *, answering: bool
) -> Iterator[Refusal]:
    """YGO-17.8: an answer is of speed 2 or 3, and no slower than the latest link."""
    speed = speed_of(facts, script)
    latest = table.chain[-1].speed if table.chain else 0
    if (answering or table.chain) and (speed < 2 or speed < latest):
        yield Refusal("YGO-17.8", {"found": speed, "allowed": max(2, latest), "latest": latest})


def effect_of(table: Table, player: str, card: int, facts: CardFacts) -> int:
    """Return the place of the effect that activating this card uses, -1 for none: of a Spell or
    Trap that is turned up its own, of a face-up card an Ignition or Multi-Trigger effect."""
    placed = table.placed.get(card)
    if not is_monster(facts) and (placed is None or placed.position == "set"):
        found = places_of(facts, "spell", "trap")
        if len(found) > 1:
            fitting = (one for one in found if _occurs(table, player, facts, one))
            return next(fitting, found[0])
        return found[0] if found else -1
    quick, slow = places_of(facts, "multi_trigger"), places_of(facts, "ignition")
    order = [*slow, *quick] if own_main(table, player) and not table.chain else [*quick, *slow]
    return order[0] if order else -1


def _occurs(table: Table, player: str, facts: CardFacts, place: int) -> bool:
    """Say whether the event that an effect answers is there: of several effects of a card the
    first such one is used."""
    return chain.occurs(table, player, facts, effect_at(facts, place)) is not None


def _face_up_effect(table: Table, act: Acting, card: int, facts: CardFacts) -> Iterator[Refusal]:
    """YGO-8.8 for Ignition effects, 8.10 for Multi-Trigger effects; 8.6 and 8.9 for a Flip or
    Trigger effect whose event has not happened, 14.5 for one of a monster under control."""
    placed = table.placed.get(card)
    place = effect_of(table, act.player, card, facts)
    if place < 0:
        yield _no_effect(table, act, card, facts)
        return
    script = effect_at(facts, place)
    ignition = script["kind"] == "ignition"
    rule = "YGO-8.8" if ignition else "YGO-8.10"
    if ignition and not own_main(table, act.player):
        yield Refusal(rule, {"card": card, "found": phase_of(table), "player": act.player})
    yield from _damage_step(table, facts, script)
    if placed is None or placed.controller != act.player or placed.position == "set":
        yield Refusal(rule, {"card": card, "found": table.where(card)[1], "player": act.player})
    yield from _speed(table, facts, script, answering=isinstance(act, a.Respond))
    use = use_of(table, act, card, script)
    yield from _pieces(table, act.player, facts, script, use)


def _no_effect(table: Table, act: Acting, card: int, facts: CardFacts) -> Refusal:
    """Why a card has nothing to activate."""
    placed = table.placed.get(card)
    params = {"card": card, "found": facts.kind, "player": act.player}
    for one in table.waiting:
        if one.card == card and one.player != act.player and table.owners[card] == act.player:
            return Refusal("YGO-14.5", params | {"allowed": one.player})
    if places_of(facts, "flip"):
        return Refusal("YGO-8.6", params)
    if places_of(facts, "trigger"):
        return Refusal("YGO-8.9", params)
    if not is_monster(facts):
        return Refusal("YGO-9.3", params | {"found": "up", "allowed": "set"})
    if placed is not None and placed.position == "set" and places_of(facts, "continuous"):
        return Refusal("YGO-8.7", params)
    if facts.kind == "normal" and not facts.effects:
        return Refusal("YGO-0.3", params)
    return Refusal("duels.effect_not_played", {"card": card, "found": facts.kind})


def use_of(table: Table, act: Acting, card: int, script: Mapping[str, Any]) -> Use:
    """Return the use an act asks for. Cards for the price may stand among the targets, first."""
    targets = tuple(refs.cards(table, act.targets))
    named = tuple(refs.cards(table, act.cost))
    cost: list[Op] = script.get("cost", [])
    asked = sum(needed(op) for op in cost if chooses(op))
    if asked and not named:
        named, targets = targets[:asked], targets[asked:]
    return Use(
        act.player,
        card,
        table.identities[card],
        targets,
        named,
        act.position or "",
    )


def _cost(table: Table, script: Mapping[str, Any], use: Use) -> Iterator[Refusal]:
    cost = script.get("cost", [])
    if cost:
        yield from effects.check(table, cost, replace(use, as_cost=True, chosen=()))


def _pieces(
    table: Table, player: str, facts: CardFacts, script: Mapping[str, Any], use: Use
) -> Iterator[Refusal]:
    """Costs, the event, conditions and targets: step 7 of the order of precedence."""
    yield from _cost(table, script, use)
    happened = chain.occurs(table, player, facts, script)
    if happened is None:
        yield _absent(table, facts, script, use)
        return
    if set(events_of(script)) & set(chain.SUMMON_EVENTS):
        use = replace(use, summoned=happened)
    if table.options["zone_check.after_costs"]:
        use = replace(use, leaving=use.named)
    for op in script.get("effect", []):
        if op.get("op") in ("fusion_summon", "ritual_summon"):
            yield from pieces.faults(table, op["op"], use)
            return
    ops = chain.ops_of(facts, script)
    if facts.kind == "equip" and script.get("kind") == "spell":
        yield from _equip_target(table, facts, use)
        use = replace(use, chosen=use.chosen[1:])
        ops = [op for op in ops if op.get("target") != "equipped"]
    yield from effects.check(table, ops, use)


def _equip_target(table: Table, facts: CardFacts, use: Use) -> Iterator[Refusal]:
    """YGO-13.6: one face-up monster that the card's text allows."""
    card = use.by
    if not use.chosen:
        yield Refusal("YGO-13.6", {"card": card, "found": 0, "allowed": 1})
        return
    target = use.chosen[0]
    placed = table.placed.get(target)
    face_up_only = table.options["equip.targets"] == "face_up_only"
    if placed is None or placed.zone != "monsters" or (face_up_only and placed.position == "set"):
        where = table.where(target)[1]
        found = placed.position if placed is not None else where
        if where == "banished":
            yield Refusal("YGO-9.5", {"card": target, "found": where, "allowed": "monsters"})
        yield Refusal("YGO-13.6", {"card": card, "found": found, "allowed": "face-up monster"})
        return
    if len(use.chosen) > 1 and not any(
        chooses(op) for one in facts.effects for op in one.get("effect", [])
    ):
        yield Refusal("YGO-13.6", {"card": card, "found": len(use.chosen), "allowed": 1})
    for effect in facts.effects:
        for op in effect.get("effect", []):
            race = op.get("filter", {}).get("race") if op.get("target") == "equipped" else None
            monster = table.facts_of(target)
            if race is not None and (monster is None or monster.race != race):
                yield Refusal("YGO-13.6", {"card": card, "found": None, "allowed": race})
                return


def _absent(table: Table, facts: CardFacts, script: Mapping[str, Any], use: Use) -> Refusal:
    """The event is not there: YGO-9.2 (only a Set), 11.11 (turned up, no Flip Summon), 12.4 (a
    Fusion), 13.20 (Counter Trap), 8.10 (monster), 9.3 (Spell), otherwise 13.18."""
    words = events_of(script)
    params = {"card": use.by, "found": None, "allowed": list(words)}
    if is_monster(facts) or script.get("kind") == "multi_trigger":
        return Refusal("YGO-8.10", params)
    if set(words) & set(chain.SUMMON_EVENTS):
        rule = _arrival(table, words, use)
        if rule is not None:
            return Refusal(rule, params)
    if facts.type != TRAP:
        return Refusal("YGO-9.3", params)
    return Refusal("YGO-13.20" if facts.kind == "counter" else "YGO-13.18", params)


def _arrival(table: Table, words: tuple[str, ...], use: Use) -> str | None:
    """Which rule says that what happened to the monster was no such summon."""
    card = use.chosen[0] if use.chosen else _latest(table)
    placed = table.placed.get(card)
    if placed is None or placed.zone != "monsters":
        return None
    if placed.position == "set" and placed.came in ("set", ""):
        return "YGO-9.2"
    if "flip_summon" in words and placed.came in ("attack", "effect"):
        return "YGO-11.11"
    facts = table.facts_of(card)
    if placed.came == "special" and facts is not None and facts.kind == "fusion":
        return "YGO-12.4" if "special_summon" not in words else None
    return None


def _latest(table: Table) -> int:
    """The monster that arrived last in this turn, 0 for none."""
    here = [card for card, one in table.placed.items() if one.zone == "monsters"]
    now = [card for card in here if table.placed[card].arrived_turn == table.turn]
    return now[-1] if now else 0


def carry(draft: Draft, act: Acting) -> None:
    """Add the link; without an answer it works as soon as the chance is over."""
    table = draft.table
    card = refs.cards(table, [act.card])[0]
    facts = table.facts_of(card)
    if facts is None:
        return
    place = _waiting(table, act.player, card) if isinstance(act, a.Activate) else None
    if place is None:
        place = effect_of(table, act.player, card, facts)
        if place < 0 and is_monster(facts):
            return
    use = use_of(table, act, card, effect_at(facts, place))
    turn_up(draft, use, place, act.zone, act.space)


def turn_up(
    draft: Draft, use: Use, place: int, asked: str | None = None, space: int | None = None
) -> None:
    """Add a link; a Spell or Trap from elsewhere than the field is laid in its zone first. By
    option there are no chains: it works at once (D-14)."""
    table = draft.table
    facts = table.facts_of(use.by)
    if use.by in table.placed or is_monster(facts) or facts is None:
        chain.add_link(draft, use, place)
    else:
        _, source = table.where(use.by)
        if source not in ("hand", "deck", "graveyard", "banished", "fusion_deck"):
            return
        zone = asked or spells_traps.zone_of(facts)
        lie = 0 if zone == "field" else space_taken(table.side(use.player).spells_traps, space)
        spells_traps.clear_own_field(draft, use.player, zone, use.by)
        chain.add_link(draft, use, place, zone=zone, place=lie)
    if not table.options["chain.enabled"] and draft.table.chain:
        draft.add(ev.WindowClosed("chain"))


def check_fusion(table: Table, act: a.FusionSummon) -> Iterator[Refusal]:
    """A Fusion by activating its Spell: YGO-13.1, 12.3, 12.1, 7.2, 7.6."""
    fault = "YGO-12.3"
    bad = "set" if act.position == "set" else "random" if act.random else None
    yield from _special(table, act, "fusion_summon", act.materials, fault, bad)


def check_ritual(table: Table, act: a.RitualSummon) -> Iterator[Refusal]:
    """A Ritual by activating its Spell: YGO-13.1, 12.7, 12.6, 7.2, 7.6."""
    bad = "set" if act.position == "set" else None
    yield from _special(table, act, "ritual_summon", act.tributes, "YGO-12.7", bad)


def _special(
    table: Table,
    act: a.FusionSummon | a.RitualSummon,
    op: str,
    listed: list[a.Ref],
    fault: str,
    bad: str | None,
) -> Iterator[Refusal]:
    rule = "YGO-12.1" if op == "fusion_summon" else "YGO-12.6"
    spell = refs.cards(table, [act.spell])[0]
    facts = table.facts_of(spell)
    placed = table.placed.get(spell)
    player, zone = table.where(spell)
    if facts is None:
        yield Refusal("duels.card_unknown", {"card": spell, "key": table.identities[spell]})
        return
    if is_monster(facts) or not pieces.summons(facts, op):
        if op == "ritual_summon" and pieces.summons(facts, "fusion_summon"):
            yield Refusal(rule, {"card": spell, "found": facts.name, "allowed": "ritual"})
        else:
            yield Refusal(rule, {"card": spell, "found": facts.name, "allowed": op})
        return
    yield from timing(table, act.player, facts, placed)
    yield from _speed(table, facts, {}, answering=False)
    if bad is not None:
        yield Refusal(fault, {"found": bad, "allowed": ["attack", "defence"]})
    where = ("hand",) if _hand_only(table) else ("hand", "spells_traps")
    lies_up = placed is not None and placed.position == "up"
    if player != act.player or zone not in where or lies_up:
        first = "YGO-9.5" if zone == "banished" else rule
        yield Refusal(first, {"card": spell, "found": zone, "allowed": list(where)})
    yield from pieces.faults(table, op, _special_use(table, act, listed))
    if placed is None:
        yield from spells_traps.space(table, act.player, facts, None)


def _hand_only(table: Table) -> bool:
    return table.options["fusion.polymerization_source"] == "hand_only"


def _special_use(table: Table, act: a.FusionSummon | a.RitualSummon, listed: list[a.Ref]) -> Use:
    spell = refs.cards(table, [act.spell])[0]
    given = refs.cards(table, [act.card, *listed])
    return Use(
        act.player, spell, table.identities[spell], position=act.position, pieces=tuple(given)
    )


def carry_fusion(draft: Draft, act: a.FusionSummon) -> None:
    """Activate the Fusion Spell."""
    _carry_special(draft, act, act.materials, "fusion_summon")


def carry_ritual(draft: Draft, act: a.RitualSummon) -> None:
    """Activate the Ritual Spell."""
    _carry_special(draft, act, act.tributes, "ritual_summon")


def _carry_special(
    draft: Draft, act: a.FusionSummon | a.RitualSummon, listed: list[a.Ref], op: str
) -> None:
    use = _special_use(draft.table, act, listed)
    facts = draft.table.facts_of(use.by)
    if facts is None or is_monster(facts) or not pieces.summons(facts, op):
        return
    found = [
        place
        for place, one in enumerate(facts.effects)
        if any(each.get("op") == op for each in one.get("effect", []))
    ]
    turn_up(draft, use, found[0])


def check_pass(table: Table, act: a.Pass) -> Iterator[Refusal]:
    """YGO-17.3: there is something open to pass on; a compulsory effect is not passed."""
    waiting = flow.choosing(table)
    if waiting is not None and not waiting.optional:
        yield Refusal(triggers.rule_of(waiting), {"card": waiting.card, "found": "pass"})
    if not (table.windows or table.chain or flow.choosing(table) is not None):
        yield Refusal("YGO-17.3", {"found": "no window", "player": act.player})


def carry_pass(draft: Draft, act: a.Pass) -> None:
    """Give up the own optional effects that wait, and decline to answer."""
    gave_up = False
    while (waiting := flow.choosing(draft.table)) is not None and waiting.player == act.player:
        if not waiting.optional:
            return
        draft.add(ev.EffectDeclined(seat(waiting.player), waiting.card, waiting.effect))
        flow.go_on(draft)
        gave_up = True
    table = draft.table
    if (table.windows or table.chain) and (table.chance == act.player or not gave_up):
        draft.add(ev.Passed(seat(act.player)))


def check_decide(table: Table, act: a.Decide) -> Iterator[Refusal]:
    """A price is asked for, by this card and of this player, and can be paid if it shall be."""
    card = refs.cards(table, [act.card])[0]
    asked = chain.price_of(table, card)
    if asked is None:
        yield Refusal("duels.nothing_open", {"card": card})
        return
    link, op = asked
    if link.player != act.player:
        yield Refusal("YGO-10.10", {"found": act.player, "allowed": link.player})
    if act.pay:
        use = replace(_priced(table, act, card), player=link.player)
        yield from effects.check(table, op.get("cost", []), use)


def _priced(table: Table, act: a.Decide, card: int) -> Use:
    named = tuple(refs.cards(table, act.cost))
    return Use(act.player, card, table.identities[card], (), named, as_cost=True)


def carry_decide(draft: Draft, act: a.Decide) -> None:
    """Record the decision and pay; the effect then goes on."""
    asked = chain.price_of(draft.table, refs.cards(draft.table, [act.card])[0])
    if asked is None:
        return
    link, op = asked
    draft.add(ev.PaymentDecided(seat(link.player), link.card, act.pay))
    if act.pay:
        use = replace(_priced(draft.table, act, link.card), player=link.player)
        effects.pay(draft, op.get("cost", []), use)
