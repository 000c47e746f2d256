"""evolve of the table: one small function per event. It trusts the log and checks no rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from duels.domain.events import DuelConceded, DuelEnded, DuelOpened
from duels.rules.yugioh import events as ev
from duels.rules.yugioh.cards import TOKEN, is_monster
from duels.rules.yugioh.match import P1, P2
from duels.rules.yugioh.options import DEFAULTS
from duels.rules.yugioh.state import (
    EMPTY,
    Activation,
    Attack,
    Boost,
    Ended,
    Placed,
    Side,
    Table,
    put,
    take,
    turn_over,
)
from eventstore.domain.registry import DomainEvent


def _opened(table: Table, event: DuelOpened) -> Table:
    owners: list[str] = [""]
    identities: list[str | None] = [None]
    sides: dict[str, Side] = {}
    for player in (P1, P2):
        piles: dict[str, tuple[int, ...]] = {}
        for zone, keys in (
            ("deck", event.main.get(player, [])),
            ("fusion_deck", event.fusion.get(player, [])),
        ):
            first = len(owners)
            owners += [player] * len(keys)
            identities += keys
            piles[zone] = tuple(range(first, first + len(keys)))
        sides[player] = Side(
            life_points=event.life_points,
            deck=piles["deck"],
            fusion_deck=piles["fusion_deck"],
        )
    return replace(
        EMPTY,
        opened=True,
        number=event.number,
        mode=event.mode,
        fidelity=event.fidelity,
        starter=event.starter,
        options={**DEFAULTS, **event.options},
        facts={one.key: one for one in event.facts},
        owners=tuple(owners),
        identities=tuple(identities),
        p1=sides[P1],
        p2=sides[P2],
    )


def _conceded(table: Table, event: DuelConceded) -> Table:
    return table


def _ended(table: Table, event: DuelEnded) -> Table:
    return replace(table, result=Ended(event.winner, event.by, event.how))


def _shuffled(table: Table, event: ev.DeckShuffled) -> Table:
    side = table.side(event.player)
    return table.with_side(event.player, replace(side, deck=tuple(event.order)))


def _drawn(table: Table, event: ev.CardsDrawn) -> Table:
    side = table.side(event.player)
    drawn = set(event.cards)
    table = _begun(table, event.by, event.cause)
    return table.with_side(
        event.player,
        replace(
            side,
            hand=(*side.hand, *event.cards),
            deck=tuple(card for card in side.deck if card not in drawn),
            drawn=side.drawn or event.cause == "normal",
            opened=side.opened or event.cause == "opening",
        ),
    )


def _turn_begun(table: Table, event: ev.TurnBegun) -> Table:
    return replace(
        table,
        turn=event.turn,
        active=event.player,
        phase="draw",
        step="",
        fought=False,
        end_announced=False,
        p1=replace(table.p1, summoned=False, drawn=False),
        p2=replace(table.p2, summoned=False, drawn=False),
    )


def _phase(table: Table, event: ev.PhaseEntered) -> Table:
    battle = event.phase == "battle"
    return replace(
        table,
        phase=event.phase,
        step="start" if battle else "",
        fought=table.fought or battle,
    )


def _step(table: Table, event: ev.StepEntered) -> Table:
    return replace(table, step=event.step, attack=None if event.step == "battle" else table.attack)


def _end_announced(table: Table, event: ev.TurnEndAnnounced) -> Table:
    placed = table.placed
    if any(one.boosts for one in placed.values()):
        placed = {
            card: replace(one, boosts=()) if one.boosts else one for card, one in placed.items()
        }
    return replace(table, end_announced=True, placed=placed)


def _summoned(table: Table, event: ev.MonsterSummoned) -> Table:
    if event.how == "flip":
        return turn_over(table, event.card, position=event.position, changed_turn=table.turn)
    table = take(table, event.card)
    if event.how in ("normal", "tribute"):
        side = replace(table.side(event.player), summoned=True)
        table = table.with_side(event.player, side)
    return put(
        table,
        event.card,
        Placed(event.player, "monsters", event.place, event.position, table.turn, table.phase),
    )


def _monster_set(table: Table, event: ev.MonsterSet) -> Table:
    table = take(table, event.card)
    if table.options["normal_summon.set_uses_allowance"]:
        side = replace(table.side(event.player), summoned=True)
        table = table.with_side(event.player, side)
    return put(
        table,
        event.card,
        Placed(event.player, "monsters", event.place, "set", table.turn, table.phase),
    )


def _position(table: Table, event: ev.PositionChanged) -> Table:
    changes: dict[str, Any] = {"position": event.position}
    if event.cause == "choice":
        changes["changed_turn"] = table.turn
    if event.position == "set":
        changes["boosts"] = ()
    return turn_over(table, event.card, **changes)


def _spell_trap_set(table: Table, event: ev.SpellTrapSet) -> Table:
    return put(
        take(table, event.card),
        event.card,
        Placed(event.player, event.zone, event.place, "set", table.turn, table.phase),
    )


def _card_placed(table: Table, event: ev.CardPlaced) -> Table:
    """A card that only turns, changes sides or is attached keeps what it did in this turn."""
    if event.cause == "token":
        owners, identities = (*table.owners, event.player), (*table.identities, event.key)
        table = replace(table, owners=owners, identities=identities)
    old = table.placed.get(event.card)
    if event.zone == "hand":
        table = take(table, event.card)
        side = table.side(event.player)
        return table.with_side(event.player, replace(side, hand=(*side.hand, event.card)))
    if event.zone == "banished":
        table = take(table, event.card)
        owner = table.owners[event.card]
        side = table.side(owner)
        table = table.with_side(owner, replace(side, banished=(*side.banished, event.card)))
        lying = Placed(owner, "banished", 0, "set", table.turn, table.phase)
        return replace(table, placed={**table.placed, event.card: lying})
    if old is not None and old.zone == event.zone:
        new = replace(
            old,
            controller=event.player,
            place=event.place,
            position=event.position,
            equipped_to=event.target if event.cause == "attached" else old.equipped_to,
        )
    else:
        new = Placed(
            event.player,
            event.zone,
            event.place,
            event.position,
            table.turn,
            table.phase,
            equipped_to=event.target,
        )
    return put(take(table, event.card), event.card, new)


def _activated(table: Table, event: ev.CardActivated) -> Table:
    facts = table.facts_of(event.card)
    opened = Activation(event.player, event.card, tuple(event.targets))
    table = replace(table, activation=opened)
    if is_monster(facts):
        return table
    equipped = 0
    if facts is not None and facts.kind == "equip" and event.targets:
        equipped = event.targets[0]
    if event.card in table.placed:
        return turn_over(table, event.card, position="up", equipped_to=equipped)
    return put(
        take(table, event.card),
        event.card,
        Placed(
            event.player,
            event.zone,
            event.place,
            "up",
            table.turn,
            table.phase,
            equipped_to=equipped,
        ),
    )


def _resolved(table: Table, event: ev.ActivationResolved) -> Table:
    return replace(table, activation=None)


def _begun(table: Table, by: int, cause: str) -> Table:
    """Note that the effect of the open activation has left a mark (costs are none)."""
    open_ = table.activation
    if open_ is None or open_.begun or open_.card != by or cause in ("cost", "discard", "used"):
        return table
    return replace(table, activation=replace(open_, begun=True))


def _attack(table: Table, event: ev.AttackDeclared) -> Table:
    table = replace(table, attack=Attack(event.card, event.target))
    return turn_over(table, event.card, attacked_turn=table.turn)


def _calculated(table: Table, event: ev.BattleCalculated) -> Table:
    compared = Attack(event.card, event.target, "calculated", event.value, event.target_value)
    return replace(table, attack=compared)


def _life_points(table: Table, event: ev.LpChanged) -> Table:
    for change in event.changes:
        side = replace(table.side(change.player), life_points=change.life_points)
        table = table.with_side(change.player, side)
    if event.cause == "battle" and table.attack is not None:
        table = replace(table, attack=replace(table.attack, stage="damaged"))
    return _begun(table, event.by, event.cause)


def _moved(table: Table, event: ev.CardsMoved) -> Table:
    causes = dict(table.causes)
    for move in event.moves:
        table = take(table, move.card)
        facts = table.facts_of(move.card)
        if facts is not None and facts.type == TOKEN:
            continue  # YGO-12.11: a token that leaves the field is gone
        owner = table.owners[move.card]
        side = table.side(owner)
        match move.to:
            case "deck_top":
                side = replace(side, deck=(move.card, *side.deck))
            case "deck_bottom":
                side = replace(side, deck=(*side.deck, move.card))
            case zone:
                pile: dict[str, Any] = {zone: (*getattr(side, zone), move.card)}
                side = replace(side, **pile)
        table = table.with_side(owner, side)
        if move.to == "graveyard":
            causes[move.card] = event.cause
    if event.cause == "battle":
        table = replace(table, attack=None)
    return _begun(replace(table, causes=causes), event.by, event.cause)


def _modified(table: Table, event: ev.ValuesModified) -> Table:
    boost = Boost(event.atk, event.defence)
    for card in event.cards:
        table = turn_over(table, card, boosts=(*table.placed[card].boosts, boost))
    return _begun(table, event.by, "effect")


def _declared(table: Table, event: ev.EffectDeclared) -> Table:
    return table


def _identified(table: Table, event: ev.CardIdentified) -> Table:
    facts = table.facts
    if event.facts is not None:
        facts = {**facts, event.facts.key: event.facts}
    identities = list(table.identities)
    identities[event.card] = event.key
    return replace(table, facts=facts, identities=tuple(identities))


STEPS: dict[type[DomainEvent], Callable[[Table, Any], Table]] = {
    DuelOpened: _opened,
    DuelConceded: _conceded,
    DuelEnded: _ended,
    ev.DeckShuffled: _shuffled,
    ev.CardsDrawn: _drawn,
    ev.TurnBegun: _turn_begun,
    ev.PhaseEntered: _phase,
    ev.StepEntered: _step,
    ev.TurnEndAnnounced: _end_announced,
    ev.MonsterSummoned: _summoned,
    ev.MonsterSet: _monster_set,
    ev.PositionChanged: _position,
    ev.SpellTrapSet: _spell_trap_set,
    ev.CardActivated: _activated,
    ev.CardPlaced: _card_placed,
    ev.ActivationResolved: _resolved,
    ev.AttackDeclared: _attack,
    ev.BattleCalculated: _calculated,
    ev.LpChanged: _life_points,
    ev.CardsMoved: _moved,
    ev.ValuesModified: _modified,
    ev.EffectDeclared: _declared,
    ev.CardIdentified: _identified,
}
"""Every event that concerns the table, with its step. Other events leave the table as it is."""


def step(table: Table, event: DomainEvent) -> Table:
    """Return the table after one event; an event beside the play leaves it as it is."""
    change = STEPS.get(type(event))
    return change(table, event) if change is not None else table
