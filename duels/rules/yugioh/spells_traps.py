"""Set and activate Spells and Traps, and use simple monster effects (YGO-13, 7.1, 7.6, 8.8).

An activation with no answer works at once. Effects that answer an event (a `when`), Flip and
Trigger effects, Fusion and Ritual need the chain and its windows: those scripts are refused
with `duels.effect_not_played`, and the card's text is declared instead (resolve_effect).
"""

from __future__ import annotations

from collections.abc import Iterator

from duels.domain.events import CardFacts, seat
from duels.rules.yugioh import acts as a
from duels.rules.yugioh import effects, refs
from duels.rules.yugioh import events as ev
from duels.rules.yugioh.cards import TRAP, effects_of, is_field_spell, is_monster
from duels.rules.yugioh.common import MAIN_PHASES, phase_of
from duels.rules.yugioh.draft import Draft
from duels.rules.yugioh.effects import Use
from duels.rules.yugioh.match import other
from duels.rules.yugioh.state import SPACES, Placed, Table, free_space, occupied
from eventstore.domain.refusal import Refusal

STAYS = ("continuous", "equip", "field")


def _own_main(table: Table, player: str) -> bool:
    return table.active == player and table.phase in MAIN_PHASES


def _zone(facts: CardFacts | None) -> str:
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
    yield from _space(table, act.player, facts, act.zone)


def _space(
    table: Table, player: str, facts: CardFacts | None, asked: str | None
) -> Iterator[Refusal]:
    own = _zone(facts)
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
    zone = act.zone or _zone(draft.table.facts_of(card))
    _clear_own_field(draft, act.player, zone, card)
    _, source = draft.table.where(card)
    place = 0 if zone == "field" else free_space(draft.table.side(act.player).spells_traps)
    draft.add(ev.SpellTrapSet(seat(act.player), card, zone, place, source))  # type: ignore[arg-type]


def _clear_own_field(draft: Draft, player: str, zone: str, card: int) -> None:
    """With the option of YGO-13.11 (or at a table where it happened) the old card goes."""
    old = draft.table.side(player).field
    if zone == "field" and old and old != card:
        draft.move([old], "graveyard", "rule", by=card)


def check_activate(table: Table, act: a.Activate) -> Iterator[Refusal]:
    """Timing of the kind, then costs, targets and space."""
    card = refs.cards(table, [act.card])[0]
    facts = table.facts_of(card)
    if facts is None:
        yield Refusal("duels.card_unknown", {"card": card, "key": table.identities[card]})
        return
    player, zone = table.where(card)
    if is_monster(facts):
        yield from _check_monster_effect(table, act, card, facts)
        return
    placed = table.placed.get(card)
    if player != act.player or zone not in ("hand", "spells_traps", "field"):
        yield Refusal("YGO-9.3", {"card": card, "found": zone, "allowed": "hand or Set"})
        return
    if placed is not None and placed.position == "up":
        yield Refusal("YGO-9.3", {"card": card, "found": "up", "allowed": "set"})
        return
    yield from _timing(table, act.player, facts, placed)
    yield from _pieces(table, act, card, facts)
    if placed is None:
        yield from _space(table, act.player, facts, act.zone)


def _timing(
    table: Table, player: str, facts: CardFacts, placed: Placed | None
) -> Iterator[Refusal]:
    """The card's own timing rule: step 3 of the order of precedence."""
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
    elif not _own_main(table, player):
        rule = "YGO-13.12" if placed is not None and facts.kind == "field" else "YGO-13.1"
        yield Refusal(rule, now | {"allowed": list(MAIN_PHASES)})
    elif set_now and table.options["spell.set_turn_lock"]:
        yield Refusal("YGO-13.3", now | {"set_turn": table.turn, "turn": table.turn})


def _script(facts: CardFacts) -> dict[str, object]:
    """The one effect carried out on resolution; a card without a script does nothing."""
    found = effects_of(facts, "spell", "trap")
    return found[0] if found else {}


def _use(table: Table, act: a.Activate, card: int) -> Use:
    return Use(
        act.player,
        card,
        table.identities[card],
        tuple(refs.cards(table, act.targets)),
        tuple(refs.cards(table, act.cost)),
    )


def _pieces(table: Table, act: a.Activate, card: int, facts: CardFacts) -> Iterator[Refusal]:
    """Costs, conditions and targets: step 7 of the order of precedence."""
    script = _script(facts)
    if script.get("when"):
        yield Refusal("duels.effect_not_played", {"card": card, "found": str(script["when"])})
        return
    use = _use(table, act, card)
    cost = script.get("cost", [])
    yield from effects.check(table, cost, use)  # type: ignore[arg-type]
    if facts.kind == "equip":
        yield from _equip_target(table, use, card)
    else:
        yield from effects.check(table, script.get("effect", []), use)  # type: ignore[arg-type]


def _equip_target(table: Table, use: Use, card: int) -> Iterator[Refusal]:
    if len(use.chosen) != 1:
        yield Refusal("YGO-13.6", {"card": card, "found": len(use.chosen), "allowed": 1})
        return
    placed = table.placed.get(use.chosen[0])
    if placed is None or placed.zone != "monsters" or placed.position == "set":
        found = placed.position if placed is not None else table.where(use.chosen[0])[1]
        yield Refusal("YGO-13.6", {"card": card, "found": found, "allowed": "face-up monster"})


def _check_monster_effect(
    table: Table, act: a.Activate, card: int, facts: CardFacts
) -> Iterator[Refusal]:
    """YGO-8.8 for Ignition effects; Multi-Trigger effects in either turn (YGO-8.10)."""
    placed = table.placed.get(card)
    found = effects_of(facts, "ignition", "multi_trigger")
    if not found:
        yield Refusal("duels.effect_not_played", {"card": card, "found": facts.kind})
        return
    script = found[0]
    if script["kind"] == "ignition" and not _own_main(table, act.player):
        yield Refusal(
            "YGO-8.8",
            {"card": card, "found": phase_of(table), "player": act.player},
        )
    if (
        placed is None
        or placed.zone != "monsters"
        or placed.controller != act.player
        or placed.position == "set"
    ):
        rule = "YGO-8.8" if script["kind"] == "ignition" else "YGO-8.10"
        yield Refusal(rule, {"card": card, "found": table.where(card)[1], "player": act.player})
    if script.get("when"):
        yield Refusal("duels.effect_not_played", {"card": card, "found": str(script["when"])})
        return
    use = _use(table, act, card)
    yield from effects.check(table, script.get("cost", []), use)
    yield from effects.check(table, script.get("effect", []), use)


def carry_activate(draft: Draft, act: a.Activate) -> None:
    """Activate, pay, resolve, and send a used card to the Graveyard (YGO-13.4, 13.19)."""
    table = draft.table
    card = refs.cards(table, [act.card])[0]
    facts = table.facts_of(card)
    if facts is None:
        return
    use = _use(table, act, card)
    monster = is_monster(facts)
    script = effects_of(facts, "ignition", "multi_trigger")[0] if monster else _script(facts)
    _, source = table.where(card)
    zone = source
    place = table.placed[card].place if card in table.placed else 0
    if source not in ("monsters", "spells_traps", "field"):
        zone = act.zone or _zone(facts)
        place = 0 if zone == "field" else free_space(table.side(act.player).spells_traps)
        _clear_own_field(draft, act.player, zone, card)
    draft.add(ev.CardActivated(seat(act.player), card, zone, place, source, list(use.chosen)))
    effects.carry(draft, script.get("cost", []), use)  # type: ignore[arg-type]
    _resolve(draft, use)


def resume(draft: Draft) -> None:
    """Carry out the effect of the card that is activated and not resolved. An effect that had
    begun when play was taken back to it is not done twice: what was left of it is declared."""
    open_ = draft.table.activation
    if open_ is None:
        return
    key = draft.table.identities[open_.card]
    _resolve(draft, Use(open_.player, open_.card, key, open_.targets), begun=open_.begun)


def _resolve(draft: Draft, use: Use, *, begun: bool = False) -> None:
    """The effect, then the Graveyard for a used card. A card that must stay face-up to work
    (YGO-13.5 to 13.10) and has left the field does nothing."""
    card = use.by
    facts = draft.table.facts_of(card)
    if facts is None:
        return
    monster = is_monster(facts)
    if not monster and facts.kind == "field" and card in draft.table.placed:
        _clear_other_field(draft, use.player, card)
    if not begun and facts.kind != "equip":
        script = effects_of(facts, "ignition", "multi_trigger")[0] if monster else _script(facts)
        effects.carry(draft, script.get("effect", []), use)  # type: ignore[arg-type]
    if not monster and facts.kind not in STAYS and card in draft.table.placed:
        draft.move([card], "graveyard", "used", by=card)
    draft.add(ev.ActivationResolved(seat(use.player), card))


def _clear_other_field(draft: Draft, player: str, card: int) -> None:
    """YGO-13.10: the other side's active Field Spell is destroyed."""
    rival = draft.table.side(other(player)).field
    if rival and draft.table.placed[rival].position == "up":
        draft.move([rival], "graveyard", "rule", by=card)
