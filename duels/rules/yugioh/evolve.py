"""evolve of the table: one small function per event. It trusts the log and checks no rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from duels.domain.events import DuelConceded, DuelEnded, DuelOpened, SeedCommitted
from duels.rules.yugioh import events as ev
from duels.rules.yugioh.cards import TOKEN, is_monster
from duels.rules.yugioh.match import P1, P2, PLAYERS, other
from duels.rules.yugioh.options import DEFAULTS
from duels.rules.yugioh.state import (
    EMPTY,
    Attack,
    Boost,
    Ended,
    Happening,
    Link,
    Placed,
    Side,
    Summon,
    Table,
    Waiting,
    Window,
    attach,
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
    """Nothing of what was open belongs to the duel any more (YGO-2.7)."""
    return replace(
        table,
        result=Ended(event.winner, event.by, event.how),
        chain=(),
        resolving=False,
        windows=(),
        chance="",
        passed=0,
        waiting=(),
        replay=False,
    )


def _play(table: Table) -> dict[str, Any]:
    """What a new act of the open play ends: windows that nobody used, and memories."""
    ended: dict[str, Any] = {}
    if table.windows:
        ended |= {"windows": (), "chance": "", "passed": 0}
    if table.happened:
        ended["happened"] = ()
    return ended


def _committed(table: Table, event: SeedCommitted) -> Table:
    return replace(table, secret=event.secret)


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
        **(_play(table) if event.cause == "normal" else {}),
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
        windows=(),
        chance="",
        passed=0,
        waiting=(),
        replay=False,
        leaving="",
        happened=(),
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
        windows=(Window("start"),) if battle else (),
        chance=table.active if battle else "",
        passed=0,
        replay=False,
        leaving="",
        waiting=(),
        happened=(),
    )


def _step(table: Table, event: ev.StepEntered) -> Table:
    """A step opens its window: the End Step, and the Damage Step before the calculation."""
    opens = event.step in ("start", "damage", "end")
    if event.step == "end" and not table.options["end_step.responses"]:
        opens = False
    if event.step == "damage" and table.options["damage_step.window"] == "before_step":
        opens = False
    return replace(
        table,
        step=event.step,
        attack=None if event.step == "battle" else table.attack,
        windows=(Window(event.step),) if opens else (),
        chance=table.active if opens else "",
        passed=0,
        replay=False,
    )


def _end_announced(table: Table, event: ev.TurnEndAnnounced) -> Table:
    placed = table.placed
    if any(one.boosts for one in placed.values()):
        placed = {
            card: replace(one, boosts=tuple(kept for kept in one.boosts if kept.source))
            if one.boosts
            else one
            for card, one in placed.items()
        }
    return replace(table, end_announced=True, placed=placed, windows=(), chance="", passed=0)


def _summoned(table: Table, event: ev.MonsterSummoned) -> Table:
    special = event.how == "special"
    ended = {} if special else _play(table)
    if event.how == "flip":
        table = turn_over(
            table, event.card, position=event.position, changed_turn=table.turn, came="flip"
        )
    else:
        table = take(table, event.card)
        if not special:
            side = replace(table.side(event.player), summoned=True)
            table = table.with_side(event.player, side)
        lying = Placed(
            event.player,
            "monsters",
            event.place,
            event.position,
            table.turn,
            table.phase,
            came=event.how,
        )
        table = put(table, event.card, lying)
    if table.turn == 0:
        return table
    if ended:
        table = replace(table, **ended)
    made = Summon(event.player, event.card, event.how)
    windows = table.windows
    if table.resolving and windows and windows[-1].kind == "summon" and windows[-1].summons:
        windows = (*windows[:-1], Window("summon", (*windows[-1].summons, made)))
    else:
        windows = (*windows, Window("summon", (made,)))
    table = replace(table, windows=windows, chance=table.active, passed=0)
    return _begun(table, table.chain[-1].card, "effect") if table.resolving else table


def _monster_set(table: Table, event: ev.MonsterSet) -> Table:
    table = take(table, event.card)
    if table.options["normal_summon.set_uses_allowance"]:
        side = replace(table.side(event.player), summoned=True)
        table = table.with_side(event.player, side)
    lying = Placed(
        event.player, "monsters", event.place, "set", table.turn, table.phase, came="set"
    )
    return replace(put(table, event.card, lying), **_play(table))


def _position(table: Table, event: ev.PositionChanged) -> Table:
    changes: dict[str, Any] = {"position": event.position}
    turned = table.placed[event.card].position == "set" and event.position != "set"
    if event.cause == "choice":
        changes["changed_turn"] = table.turn
    elif turned:
        changes["came"] = event.cause
    if event.position == "set":
        changes["boosts"] = ()
    after = turn_over(table, event.card, **changes)
    if event.cause == "choice":
        return replace(after, **_play(table))
    if event.cause == "attack" and turned and table.attack is not None:
        return replace(after, attack=replace(table.attack, turned=True))
    return _begun(after, after.chain[-1].card, "effect") if after.resolving else after


def _spell_trap_set(table: Table, event: ev.SpellTrapSet) -> Table:
    after = put(
        take(table, event.card),
        event.card,
        Placed(event.player, event.zone, event.place, "set", table.turn, table.phase),
    )
    return replace(after, **_play(table))


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


def _attached(table: Table, event: ev.MaterialAttached) -> Table:
    return attach(table, event.card, event.target, event.place, event.player)


def _activated(table: Table, event: ev.CardActivated) -> Table:
    facts = table.facts_of(event.card)
    before = table.placed.get(event.card)
    monster = is_monster(facts)
    fresh = not monster and (before is None or before.position == "set")
    link = Link(
        event.player,
        event.card,
        tuple(event.targets),
        event.effect,
        event.speed,
        fresh,
        tuple(event.named),
        tuple(event.pieces),
        event.position,
    )
    changes: dict[str, Any] = {
        "chain": (*table.chain, link),
        "chance": other(event.player),
        "passed": 0,
        "waiting": _less(table.waiting, event.player, event.card, event.effect),
    }
    if not table.chain and table.happened and not table.windows:
        changes["happened"] = ()
    table = replace(table, **changes)
    if not fresh:
        return table
    equipped = 0
    if facts is not None and facts.kind == "equip" and event.targets:
        equipped = event.targets[0]
    if before is not None:
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


def _less(waiting: tuple[Waiting, ...], player: str, card: int, effect: int) -> tuple[Waiting, ...]:
    """The waiting effects without the first one of that card and place in the script."""
    for place, one in enumerate(waiting):
        if (one.player, one.card, one.effect) == (player, card, effect):
            return (*waiting[:place], *waiting[place + 1 :])
    return waiting


def _passed(table: Table, event: ev.Passed) -> Table:
    """Two passes running close what is open: a chain resolves, a summon stands. A player may
    pass before having the chance; the other one still has it."""
    if event.player != table.chance:
        return replace(table, passed=1)
    passed = table.passed + 1
    after = replace(table, passed=passed, chance=other(event.player))
    return _closed_top(after) if passed >= 2 else after


def _closed_top(table: Table) -> Table:
    if table.chain:
        return replace(table, resolving=True, chance="", passed=0)
    if table.windows and table.windows[-1].kind == "summon":
        return _reopened(replace(table, windows=table.windows[:-1]))
    return table


def _reopened(table: Table) -> Table:
    """The window beneath, if there is one, is open again; the turn player has the chance."""
    return replace(table, chance=table.active if table.windows else "", passed=0)


def _window_closed(table: Table, event: ev.WindowClosed) -> Table:
    if event.window in ("chain", "summon"):
        return _closed_top(table)
    if event.window == "attack" and not table.windows:
        return replace(table, attack=None)
    return replace(table, windows=table.windows[:-1], chance="", passed=0)


def _triggered(table: Table, event: ev.EffectsTriggered) -> Table:
    waiting = (
        Waiting(one.player, one.card, one.effect, one.when, one.optional, one.about)
        for one in event.effects
    )
    attack = table.attack
    if attack is not None and attack.stage in ("calculated", "damaged") and not table.resolving:
        attack = replace(attack, stage="effects")
    return replace(table, waiting=(*table.waiting, *waiting), attack=attack)


def _declined(table: Table, event: ev.EffectDeclined) -> Table:
    return replace(table, waiting=_less(table.waiting, event.player, event.card, event.effect))


def _resolved(table: Table, event: ev.ActivationResolved) -> Table:
    """The latest link is done; after the first one the window beneath is open again."""
    chain = table.chain[:-1]
    if chain:
        return replace(table, chain=chain, resolving=True)
    return _reopened(replace(table, chain=(), resolving=False))


def _activation_negated(table: Table, event: ev.ActivationNegated) -> Table:
    place = event.link - 1
    if not 0 <= place < len(table.chain):
        return table
    chain = list(table.chain)
    chain[place] = replace(chain[place], negated=True)
    return _begun(replace(table, chain=tuple(chain)), event.by, "effect")


def _summon_negated(table: Table, event: ev.SummonNegated) -> Table:
    windows = []
    for window in table.windows:
        left = tuple(one for one in window.summons if one.card != event.card)
        if window.kind != "summon" or left:
            windows.append(replace(window, summons=left))
    if not event.counted and event.how in ("normal", "tribute"):
        side = replace(table.side(event.player), summoned=False)
        table = table.with_side(event.player, side)
    return _begun(replace(table, windows=tuple(windows)), event.by, "effect")


def _begun(table: Table, by: int, cause: str) -> Table:
    """Note that the effect of the link under resolution has left a mark (costs are none)."""
    if not table.chain:
        return table
    open_ = table.chain[-1]
    if open_.begun or open_.card != by or cause in ("cost", "discard", "used"):
        return table
    if not table.resolving:
        return table
    return replace(table, chain=(*table.chain[:-1], replace(open_, begun=True)))


def _attack(table: Table, event: ev.AttackDeclared) -> Table:
    before = table.placed[event.card].attacked_turn
    monsters = len(table.controlled(other(event.player)))
    attack = Attack(event.card, event.target, monsters=monsters, before=before, player=event.player)
    table = replace(
        table,
        attack=attack,
        windows=(Window("attack"),),
        chance=table.active,
        passed=0,
        replay=False,
        happened=(),
    )
    return turn_over(table, event.card, attacked_turn=table.turn)


def _calculated(table: Table, event: ev.BattleCalculated) -> Table:
    known = table.attack or Attack(event.card, event.target, player=table.active)
    compared = replace(
        known,
        stage="calculated",
        value=event.value,
        against=event.target_value,
        rule=event.rule,
    )
    return replace(table, attack=compared, windows=(), chance="", passed=0)


def _attack_over(table: Table, card: int, *, counted: bool) -> Table:
    attack = table.attack
    windows = tuple(one for one in table.windows if one.kind != "attack")
    after = replace(table, attack=None, windows=windows)
    if not counted and attack is not None and card in table.placed:
        after = turn_over(after, card, attacked_turn=attack.before)
    return after


def _attack_stopped(table: Table, event: ev.AttackStopped) -> Table:
    after = _attack_over(table, event.card, counted=event.counted)
    if after.resolving:
        return _begun(after, after.chain[-1].card, "effect")
    return _reopened(after) if not after.chain else after


def _attack_replayed(table: Table, event: ev.AttackReplayed) -> Table:
    after = _attack_over(table, event.card, counted=event.counted)
    return replace(_reopened(after), replay=True, step="battle")


def _control(table: Table, event: ev.ControlChanged) -> Table:
    placed = table.placed[event.card]
    side = table.side(placed.controller)
    home = {"end_of_turn": placed.home or placed.controller}.get(event.until, "")
    row = tuple(0 if one == event.card else one for one in side.monsters)
    table = table.with_side(placed.controller, replace(side, monsters=row))
    moved = replace(placed, controller=event.player, place=event.place, home=home)
    return _begun(put(table, event.card, moved), event.by, "effect")


def _token(table: Table, event: ev.TokenCreated) -> Table:
    facts = table.facts
    if event.facts is not None:
        facts = {**facts, event.facts.key: event.facts}
    table = replace(
        table,
        facts=facts,
        owners=(*table.owners, event.player),
        identities=(*table.identities, event.key),
    )
    lying = Placed(
        event.player,
        "monsters",
        event.place,
        event.position,
        table.turn,
        table.phase,
        came="token",
    )
    return _begun(put(table, event.card, lying), event.by, "effect")


def _direct(table: Table, event: ev.DirectAttackAllowed) -> Table:
    for card in event.cards:
        table = turn_over(table, card, direct_turn=table.turn)
    return _begun(table, event.by, "effect")


def _decided(table: Table, event: ev.PaymentDecided) -> Table:
    for place in range(len(table.chain) - 1, -1, -1):
        link = table.chain[place]
        if link.card == event.card and link.paid is None:
            decided = replace(link, paid=event.pay)
            chain = (*table.chain[:place], decided, *table.chain[place + 1 :])
            return replace(table, chain=chain)
    return table


def _battle_end(table: Table, event: ev.BattleEndAnnounced) -> Table:
    return replace(table, leaving=event.to)


def _owed(table: Table, event: ev.DamageOwed) -> Table:
    owed = {player: table.owed.get(player, 0) + event.losses.get(player, 0) for player in PLAYERS}
    attack = table.attack
    if attack is not None:
        attack = replace(attack, stage="damaged")
    return replace(table, owed=owed, attack=attack)


def _life_points(table: Table, event: ev.LpChanged) -> Table:
    for change in event.changes:
        side = replace(table.side(change.player), life_points=change.life_points)
        table = table.with_side(change.player, side)
    if event.cause == "battle":
        attack = table.attack
        if attack is None:
            return replace(table, owed={})
        table = replace(table, attack=replace(attack, stage="damaged"))
        if not attack.target:
            dealer = table.placed.get(attack.attacker)
            if dealer is not None:
                seen = Happening("direct_damage", dealer.controller, attack.attacker)
                table = replace(table, happened=(*table.happened, seen))
        return table
    return _begun(table, event.by, event.cause)


DESTROYING = ("battle", "effect", "rule")
"""Causes of a move that are destruction (YGO-9.4)."""


def _moved(table: Table, event: ev.CardsMoved) -> Table:
    causes = dict(table.causes)
    happened = table.happened
    for move in event.moves:
        placed = table.placed.get(move.card)
        table = take(table, move.card)
        facts = table.facts_of(move.card)
        if facts is not None and facts.type == TOKEN and _vanishes(table, event.cause, move.to):
            continue
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
            if placed is not None and placed.zone == "monsters":
                whose = placed.controller
                happened = (*happened, Happening("sent_to_graveyard", whose, move.card))
                if event.cause in DESTROYING:
                    happened = (*happened, Happening("destroyed", whose, move.card))
    changes: dict[str, Any] = {"causes": causes}
    if happened is not table.happened:
        changes["happened"] = happened
    if event.cause == "battle":
        changes["attack"] = None
    return _begun(replace(table, **changes), event.by, event.cause)


def _vanishes(table: Table, cause: str, to: str) -> bool:
    """YGO-12.11: a token that leaves the field is gone; by option only when it is destroyed or
    returned to the hand (or to a deck, where it could be drawn)."""
    if table.options["token.leaves"] == "any_move":
        return True
    return cause in DESTROYING or to not in ("graveyard", "banished")


def _modified(table: Table, event: ev.ValuesModified) -> Table:
    boost = Boost(event.atk, event.defence, event.by if event.while_up else 0)
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
    SeedCommitted: _committed,
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
    ev.MaterialAttached: _attached,
    ev.ActivationResolved: _resolved,
    ev.Passed: _passed,
    ev.WindowClosed: _window_closed,
    ev.EffectsTriggered: _triggered,
    ev.EffectDeclined: _declined,
    ev.ActivationNegated: _activation_negated,
    ev.SummonNegated: _summon_negated,
    ev.AttackStopped: _attack_stopped,
    ev.AttackReplayed: _attack_replayed,
    ev.ControlChanged: _control,
    ev.TokenCreated: _token,
    ev.DirectAttackAllowed: _direct,
    ev.PaymentDecided: _decided,
    ev.BattleEndAnnounced: _battle_end,
    ev.DamageOwed: _owed,
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
