"""evolve of the table: one small function per event. It trusts the log and checks no rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from duels.domain.events import DuelConceded, DuelEnded, DuelOpened, SeedCommitted
from duels.rules.duelmasters import events as ev
from duels.rules.duelmasters.options import DEFAULTS
from duels.rules.duelmasters.state import (
    EMPTY,
    Attack,
    Boost,
    Ended,
    Lying,
    Side,
    Table,
    Waiting,
    put,
    take,
    turned,
)
from eventstore.domain.registry import DomainEvent


def _opened(table: Table, event: DuelOpened) -> Table:
    owners: list[str] = [""]
    identities: list[str | None] = [None]
    sides: dict[str, Side] = {}
    for player, keys in sorted(event.main.items()):
        first = len(owners)
        owners += [player] * len(keys)
        identities += keys
        sides[player] = Side(deck=tuple(range(first, first + len(keys))))
    return replace(
        EMPTY,
        opened=True,
        number=event.number,
        mode=event.mode,
        fidelity=event.fidelity,
        starter=event.starter,
        options={**DEFAULTS, **event.options},
        owners=tuple(owners),
        identities=tuple(identities),
        sides=sides or EMPTY.sides,
    )


def _described(table: Table, event: ev.CardsDescribed) -> Table:
    return replace(table, facts={**table.facts, **{one.key: one for one in event.cards}})


def _identified(table: Table, event: ev.CardIdentified) -> Table:
    known = list(table.identities)
    known[event.card] = event.key
    return replace(table, identities=tuple(known))


def _conceded(table: Table, event: DuelConceded) -> Table:
    return table


def _ended(table: Table, event: DuelEnded) -> Table:
    result = Ended(event.winner, event.by, event.how)
    return replace(table, result=result, attack=None, waiting=())


def _defeated(table: Table, event: ev.PlayerDefeated) -> Table:
    mine = table.side(event.player)
    gone = {below for card in mine.battle for below in table.stack(card)} | set(mine.mana)
    attack = table.attack
    if attack is not None and event.player in (attack.player, attack.defender):
        attack = replace(attack, stage="done", broken=())
    return table.with_side(
        event.player,
        Side(out=True),
        lying={card: how for card, how in table.lying.items() if card not in gone},
        attack=attack,
        waiting=tuple(one for one in table.waiting if one.player != event.player),
    )


def _committed(table: Table, event: SeedCommitted) -> Table:
    return replace(table, secret=event.secret)


def _shuffled(table: Table, event: ev.DeckShuffled) -> Table:
    side = replace(table.side(event.player), deck=tuple(event.order), shuffled=True)
    return table.with_side(event.player, side)


def _drawn(table: Table, event: ev.CardsDrawn) -> Table:
    for card in event.cards:
        table = put(take(table, card), card, event.player, "hand")
    if event.cause == "normal":
        return table.with_side(event.player, replace(table.side(event.player), drawn=True))
    return table


def _laid(table: Table, event: ev.ShieldsLaid) -> Table:
    for card in event.cards:
        table = put(take(table, card), card, event.player, "shields")
    return table


def _turn(table: Table, event: ev.TurnBegun) -> Table:
    sides = {
        player: replace(side, charged=False, drawn=False, untapped=False)
        for player, side in table.sides.items()
    }
    lying = {
        card: replace(how, boosts=tuple(one for one in how.boosts if one.source))
        if how.boosts
        else how
        for card, how in table.lying.items()
    }
    return replace(
        table,
        turn=event.turn,
        active=event.player,
        step="start",
        sides=sides,
        lying=lying,
        attack=None,
        parried=False,
    )


def _untapped(table: Table, event: ev.CardsUntapped) -> Table:
    table = turned(table, dict.fromkeys(event.cards, False))
    return table.with_side(event.player, replace(table.side(event.player), untapped=True))


def _step(table: Table, event: ev.StepBegun) -> Table:
    return replace(table, step=event.step)


def _charged(table: Table, event: ev.ManaCharged) -> Table:
    table = put(take(table, event.card), event.card, event.player, "mana", Lying())
    return table.with_side(event.player, replace(table.side(event.player), charged=True))


def _paid(table: Table, mana: list[int]) -> Table:
    return turned(table, dict.fromkeys(mana, True)) if mana else table


def _triggered_card(table: Table, card: int, how: str) -> Table:
    """A shield trigger that is used is no longer among those that may be."""
    attack = table.attack
    if how != "trigger" or attack is None or card not in attack.broken:
        return table
    left = tuple(one for one in attack.broken if one != card)
    return replace(table, attack=replace(attack, broken=left))


def _summoned(table: Table, event: ev.CreatureSummoned) -> Table:
    table = take(_paid(table, event.mana), event.card)
    came = "effect" if event.how == "effect" else "summoned"
    lying = Lying(entered_turn=table.turn, came=came)
    table = put(table, event.card, event.player, "battle", lying)
    return _triggered_card(table, event.card, event.how)


def _evolved(table: Table, event: ev.CreatureEvolved) -> Table:
    table = take(_paid(table, event.mana), event.card)
    side = table.side(event.player)
    lying = Lying(event.tapped, table.turn, "evolved", table.stack(event.onto))
    row = tuple(event.card if one == event.onto else one for one in side.battle)
    rest = {card: how for card, how in table.lying.items() if card != event.onto}
    rest[event.card] = lying
    table = table.with_side(event.player, replace(side, battle=row), lying=rest)
    return _triggered_card(table, event.card, event.how)


def _cast(table: Table, event: ev.SpellCast) -> Table:
    table = take(_paid(table, event.mana), event.card)
    table = put(table, event.card, event.player, "casting")
    return _triggered_card(table, event.card, event.how)


def _tap_used(table: Table, event: ev.TapAbilityUsed) -> Table:
    return turned(table, {event.card: True})


def _called(table: Table, event: ev.EffectsTriggered) -> Table:
    more = tuple(
        Waiting(one.player, one.card, one.effect, one.when, one.optional, one.about)
        for one in event.effects
    )
    return replace(table, waiting=(*table.waiting, *more))


def _begun(table: Table, event: ev.EffectBegun | ev.EffectDeclined) -> Table:
    left = list(table.waiting)
    for place, one in enumerate(left):
        if (one.card, one.effect) == (event.card, event.effect):
            del left[place]
            break
    return replace(table, waiting=tuple(left))


def _attacks(table: Table, event: ev.AttackBegun) -> Table:
    attack = Attack(event.player, event.card, event.defender, event.target)
    return replace(turned(table, {event.card: True}), attack=attack, parried=False)


def _at(table: Table, **changes: Any) -> Table:
    attack = table.attack
    return replace(table, attack=replace(attack, **changes)) if attack is not None else table


def _blocked(table: Table, event: ev.AttackBlocked) -> Table:
    table = turned(table, {event.card: True})
    return replace(_at(table, stage="blocked", blocker=event.card), parried=True)


def _unblocked(table: Table, event: ev.AttackUnblocked) -> Table:
    return _at(table, stage="unblocked")


def _broken(table: Table, event: ev.ShieldsBroken) -> Table:
    for card in event.cards:
        table = put(take(table, card), card, event.player, "hand")
    return _at(table, stage="broken", broken=tuple(event.cards))


def _passed(table: Table, event: ev.Passed) -> Table:
    return _at(table, stage="done", broken=())


def _fought(table: Table, event: ev.BattleFought) -> Table:
    return _at(table, stage="fought")


def _over(table: Table, event: ev.AttackEnded) -> Table:
    return replace(table, attack=None)


def _turned(table: Table, event: ev.CardsTurned) -> Table:
    return turned(table, dict.fromkeys(event.cards, event.tapped))


def _power(table: Table, event: ev.PowerChanged) -> Table:
    boost = Boost(event.amount, event.by if event.while_there else 0)
    changed = {
        card: replace(table.lying[card], boosts=(*table.lying[card].boosts, boost))
        for card in event.cards
        if card in table.lying
    }
    return replace(table, lying={**table.lying, **changed})


def _sent(table: Table, event: ev.CardsSent) -> Table:
    causes = dict(table.causes)
    for one in event.sendings:
        owner = table.owners[one.card]
        table = take(table, one.card)
        if one.to in ("deck_top", "deck_bottom"):
            table = put(table, one.card, owner, "deck", top=one.to == "deck_top")
        else:
            lying = Lying() if one.to == "mana" else None
            table = put(table, one.card, owner, one.to, lying)
        if one.to == "graveyard":
            causes[one.card] = event.cause
    return replace(table, causes=causes)


def _declared(table: Table, event: ev.EffectDeclared) -> Table:
    return table


STEPS: dict[type[DomainEvent], Callable[[Table, Any], Table]] = {
    DuelOpened: _opened,
    ev.CardsDescribed: _described,
    ev.CardIdentified: _identified,
    DuelConceded: _conceded,
    DuelEnded: _ended,
    ev.PlayerDefeated: _defeated,
    SeedCommitted: _committed,
    ev.DeckShuffled: _shuffled,
    ev.CardsDrawn: _drawn,
    ev.ShieldsLaid: _laid,
    ev.TurnBegun: _turn,
    ev.CardsUntapped: _untapped,
    ev.StepBegun: _step,
    ev.ManaCharged: _charged,
    ev.CreatureSummoned: _summoned,
    ev.CreatureEvolved: _evolved,
    ev.SpellCast: _cast,
    ev.TapAbilityUsed: _tap_used,
    ev.EffectsTriggered: _called,
    ev.EffectBegun: _begun,
    ev.EffectDeclined: _begun,
    ev.EffectDeclared: _declared,
    ev.AttackBegun: _attacks,
    ev.AttackBlocked: _blocked,
    ev.AttackUnblocked: _unblocked,
    ev.ShieldsBroken: _broken,
    ev.Passed: _passed,
    ev.BattleFought: _fought,
    ev.AttackEnded: _over,
    ev.CardsTurned: _turned,
    ev.PowerChanged: _power,
    ev.CardsSent: _sent,
}


def step(table: Table, event: DomainEvent) -> Table:
    """Return the table after one event; events that are none of the table's leave it as it is."""
    change = STEPS.get(type(event))
    return change(table, event) if change is not None else table
