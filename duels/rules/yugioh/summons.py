"""Summons, Sets of monsters and positions (YGO-11, YGO-12.9, YGO-7.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from duels.domain.events import CardFacts, seat
from duels.rules.yugioh import acts as a
from duels.rules.yugioh import events as ev
from duels.rules.yugioh import refs
from duels.rules.yugioh.cards import is_monster, tributes_for
from duels.rules.yugioh.common import MAIN_PHASES, phase_of
from duels.rules.yugioh.draft import Draft
from duels.rules.yugioh.state import SPACES, Table, occupied, space_taken
from eventstore.domain.refusal import Refusal


def _tribute_rule(facts: CardFacts, *, setting: bool) -> str:
    needed = tributes_for(facts.level or 0)
    if not needed:
        return "YGO-11.3" if setting else "YGO-11.2"
    if setting:
        return "YGO-11.7"
    return "YGO-11.5" if needed == 1 else "YGO-11.6"


def _arrival(
    table: Table, act: a.NormalSummon | a.SetMonster, rule: str, *, uses: bool
) -> Iterator[Refusal]:
    """What a Normal Summon and a Set have in common, in the order of precedence."""
    setting = isinstance(act, a.SetMonster)
    card = refs.cards(table, [act.card])[0]
    player, zone = table.where(card)
    facts = table.facts_of(card)
    if table.phase not in MAIN_PHASES:
        yield Refusal(rule, {"found": phase_of(table), "allowed": list(MAIN_PHASES)})
    source = "hand" if setting else act.source  # type: ignore[union-attr]
    if (player, zone) != (act.player, "hand") or source != "hand":
        yield Refusal(rule, {"found": zone if zone != "hand" else source, "allowed": "hand"})
    if facts is not None and not is_monster(facts):
        yield Refusal("YGO-8.4", {"card": card, "found": facts.type, "allowed": "monster"})
        return
    if facts is not None and facts.kind == "ritual":
        yield Refusal("YGO-12.9", {"card": card, "found": facts.kind})
    if facts is not None and facts.kind == "fusion":
        yield Refusal(rule, {"card": card, "found": facts.kind, "allowed": "normal or effect"})
    if act.position == "defence":
        yield Refusal("YGO-11.4", {"card": card, "found": act.position})
    elif act.position != ("set" if setting else "attack"):
        yield Refusal(rule, {"card": card, "found": act.position})
    if uses and table.side(act.player).summoned:
        yield Refusal("YGO-11.1", {"found": 2, "allowed": 1, "turn": table.turn})
    yield from _tributes(table, act, facts, setting=setting)
    leaving = refs.cards(table, act.tributes) if table.options["zone_check.after_costs"] else []
    filled = occupied(table.side(act.player).monsters, leaving)
    if filled >= SPACES:
        yield Refusal("YGO-7.2", {"found": filled, "allowed": SPACES})


def _tributes(
    table: Table,
    act: a.NormalSummon | a.SetMonster,
    facts: CardFacts | None,
    *,
    setting: bool,
) -> Iterator[Refusal]:
    """YGO-11.5, 11.6, 11.7: the number of tributes, and all from the own side of the field.
    The Level of an unknown card (a Set on paper) cannot be judged."""
    offered = refs.cards(table, act.tributes)
    own = table.controlled(act.player)
    lawful = [card for card in dict.fromkeys(offered) if card in own]
    for card in offered:
        if table.where(card)[1] == "banished":
            yield Refusal("YGO-9.5", {"card": card, "found": "banished", "allowed": "monsters"})
    if facts is not None:
        needed = tributes_for(facts.level or 0)
        if len(offered) != needed or len(lawful) != needed:
            yield Refusal(
                _tribute_rule(facts, setting=setting),
                {"found": len(lawful), "allowed": needed, "level": facts.level or 0},
            )
    elif len(lawful) != len(offered):
        yield Refusal("YGO-11.7", {"found": len(lawful), "allowed": len(offered), "level": 0})


def unknown(table: Table, card: int) -> Refusal | None:
    """Return `duels.card_unknown` when nothing is known of a card that must be shown."""
    if table.facts_of(card) is None:
        return Refusal("duels.card_unknown", {"card": card, "key": table.identities[card]})
    return None


def check_summon(table: Table, act: a.NormalSummon) -> Iterator[Refusal]:
    """A Normal or Tribute Summon."""
    missing = unknown(table, refs.cards(table, [act.card])[0])
    if missing is not None:
        yield missing
        return
    yield from _arrival(table, act, "YGO-11.2", uses=True)


def carry_summon(draft: Draft, act: a.NormalSummon) -> None:
    """Tribute, then summon."""
    card = refs.cards(draft.table, [act.card])[0]
    tributed = _pay_tributes(draft, act.tributes, card)
    _, zone = draft.table.where(card)
    draft.add(
        ev.MonsterSummoned(
            seat(act.player),
            card,
            "tribute" if tributed else "normal",
            "defence" if act.position == "defence" else "attack",
            space_taken(draft.table.side(act.player).monsters, act.space),
            zone,
        )
    )


def check_set(table: Table, act: a.SetMonster) -> Iterator[Refusal]:
    """A Set of a monster."""
    uses = table.options["normal_summon.set_uses_allowance"] is True
    yield from _arrival(table, act, "YGO-11.3", uses=uses)


def carry_set(draft: Draft, act: a.SetMonster) -> None:
    """Tribute, then Set."""
    card = refs.cards(draft.table, [act.card])[0]
    _pay_tributes(draft, act.tributes, card)
    _, zone = draft.table.where(card)
    place = space_taken(draft.table.side(act.player).monsters, act.space)
    draft.add(ev.MonsterSet(seat(act.player), card, place, zone))


def _pay_tributes(draft: Draft, offered: Sequence[a.Ref], card: int) -> bool:
    tributes = [one for one in dict.fromkeys(refs.cards(draft.table, offered)) if one != card]
    draft.move(tributes, "graveyard", "tribute", by=card)
    return bool(tributes)


def check_flip(table: Table, act: a.FlipSummon) -> Iterator[Refusal]:
    """YGO-11.9, 11.10, 11.13."""
    card = refs.cards(table, [act.card])[0]
    if table.phase not in MAIN_PHASES:
        yield Refusal("YGO-11.9", {"found": phase_of(table), "allowed": list(MAIN_PHASES)})
    placed = table.placed.get(card)
    if placed is None or placed.zone != "monsters" or placed.controller != act.player:
        yield Refusal("YGO-11.9", {"card": card, "found": table.where(card)[1]})
        return
    if placed.position != "set":
        yield Refusal("YGO-11.9", {"card": card, "found": placed.position, "allowed": "set"})
        return
    same_phase = table.options["flip_summon.lock"] == "same_main_phase"
    if placed.arrived_turn == table.turn and (
        not same_phase or placed.arrived_phase == table.phase
    ):
        yield Refusal("YGO-11.10", {"card": card, "found": placed.arrived_turn})
    if placed.changed_turn == table.turn:
        yield Refusal("YGO-11.13", {"card": card, "found": 2, "allowed": 1})
    missing = unknown(table, card)
    if missing is not None:
        yield missing


def carry_flip(draft: Draft, act: a.FlipSummon) -> None:
    """Turn a Set monster to face-up Attack."""
    card = refs.cards(draft.table, [act.card])[0]
    placed = draft.table.placed.get(card)
    if placed is not None and placed.zone == "monsters":
        draft.add(
            ev.MonsterSummoned(seat(act.player), card, "flip", "attack", placed.place, "monsters")
        )


def check_position(table: Table, act: a.ChangePosition) -> Iterator[Refusal]:
    """YGO-11.13 (moment), 11.9 (a Set monster), 11.14, 11.15, 11.13 (allowance), 11.16."""
    card = refs.cards(table, [act.card])[0]
    if table.phase not in MAIN_PHASES:
        yield Refusal("YGO-11.13", {"found": phase_of(table), "allowed": list(MAIN_PHASES)})
    placed = table.placed.get(card)
    if placed is None or placed.zone != "monsters" or placed.controller != act.player:
        yield Refusal("YGO-11.13", {"card": card, "found": table.where(card)[1]})
        return
    if placed.position == "set" and act.to != "set":
        yield Refusal("YGO-11.9", {"card": card, "found": "set", "allowed": "flip_summon"})
        return
    if placed.arrived_turn == table.turn:
        yield Refusal("YGO-11.14", {"card": card, "found": placed.arrived_turn})
    if placed.attacked_turn == table.turn:
        yield Refusal("YGO-11.15", {"card": card, "found": placed.attacked_turn})
    if placed.position == act.to:
        yield Refusal("YGO-11.13", {"card": card, "found": act.to})
    elif placed.changed_turn == table.turn or not _change_open(table, act.player, card):
        yield Refusal("YGO-11.13", {"card": card, "found": 2, "allowed": 1})
    if act.to == "set":
        yield Refusal("YGO-11.16", {"card": card, "found": placed.position})


def _change_open(table: Table, player: str, card: int) -> bool:
    """The two options of YGO-11.13: how many monsters, and which."""
    if table.options["position_change.limit"] == "one_monster" and any(
        table.placed[one].changed_turn == table.turn for one in table.controlled(player)
    ):
        return False
    if table.options["position_change.eligible"] == "previous_turn_only":
        return table.placed[card].arrived_turn == table.turn - 2
    return True


def carry_position(draft: Draft, act: a.ChangePosition) -> None:
    """Change the position."""
    card = refs.cards(draft.table, [act.card])[0]
    placed = draft.table.placed.get(card)
    if placed is not None and placed.zone == "monsters":
        draft.add(ev.PositionChanged(card, act.to, "choice"))
        if act.to == "set":
            draft.drop_equips([card], destroyed=False)
