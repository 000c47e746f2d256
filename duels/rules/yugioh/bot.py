"""A seeded policy that plays whole duels to a real end: for rehearsals, demos and tests.

It knows what its player may know: a Set card of the opponent is an unknown card to it. Cards
without usable facts stay in the hand. It is no good player, and does not try to be one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from random import Random

from duels.domain.events import CardFacts, Seat, seat
from duels.rules.yugioh import acts as a
from duels.rules.yugioh import chain, engine, flow, legal, values
from duels.rules.yugioh.cards import MONSTER, is_spell_trap, tributes_for
from duels.rules.yugioh.common import MAIN_PHASES
from duels.rules.yugioh.draft import Draft
from duels.rules.yugioh.duel import Duel, evolve
from duels.rules.yugioh.match import PLAYERS, other
from duels.rules.yugioh.sight import by_sight
from duels.rules.yugioh.state import HAND_LIMIT, Table
from duels.rules.yugioh.turn import draw_owed
from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent

PLAYABLE = ("normal", "effect")
GUESS = 1400
"""What the policy expects behind a Set monster."""
STALLED = 24
"""From this turn on a player who is behind thinks of conceding."""
MOST_SET = 3
ANSWERS = 0.7
"""How often an answer is given that could be given."""


def to_act(duel: Duel) -> str | None:
    """Return whose act the table waits for, None after the end.

    In an open window that is a player who has the chance and something to answer with; where
    nobody has, play goes on, and the next act implies the passes of both.
    """
    draft = Draft(duel.table)
    flow.go_on(draft)
    table = draft.table
    if table.result is not None:
        return duel.table.active if duel.table.result is None else None
    asked = _asked(table)
    if asked is not None:
        return asked
    table = _ahead(duel)
    if table.result is not None:
        return duel.table.active
    asked = _asked(table)
    if asked is not None:
        return asked
    if table.turn == 0:
        return next(player for player in PLAYERS if not table.side(player).opened)
    return table.active


def _asked(table: Table) -> str | None:
    """Return who has an answer to give now: for an effect that waits, a price, or a window."""
    price = chain.pending_price(table)
    if price is not None:
        return price[0].player
    waiting = flow.choosing(table)
    if waiting is not None:
        return waiting.player
    if not (table.windows or table.chain):
        return None
    for player in PLAYERS:
        if table.chance == player and _replies(table, seat(player)):
            return player
    return None


def _replies(table: Table, player: Seat) -> list[a.AnyAct]:
    """Lawful answers of a player in the open window, without the pass."""
    side = table.side(player)
    if (
        not any(side.spells_traps)
        and table.active != player
        and not any(
            (facts := table.facts_of(card)) is not None and facts.effects
            for card in side.monsters
            if card
        )
    ):
        return []
    return [
        act
        for act in islice(legal.answers(table, player), 40)
        if not isinstance(act, a.Pass) and engine.lawful(table, act)
    ]


def _ahead(duel: Duel) -> Table:
    """The table once both players have passed in every open window."""
    draft = Draft(duel.table)
    flow.close(draft)
    return draft.table


def choose(duel: Duel, player: str, rng: Random) -> a.AnyAct:
    """Return a lawful act of the player whom the table waits for."""
    who = seat(player)
    draft = Draft(duel.table)
    flow.go_on(draft)
    if _asked(draft.table) == player:
        return by_sight(duel, _answer(draft.table, who, rng))
    if legal.telling(draft.table):
        return a.Resume(who)
    table = _ahead(duel)
    if table.result is not None or _asked(table) is not None:
        return a.Resume(who)
    for act in _wishes(table, who, rng):
        if engine.lawful(table, act):
            return by_sight(duel, act)
    return a.Concede(who)


def _answer(table: Table, player: Seat, rng: Random) -> a.AnyAct:
    """Use the effect or card that can be used, more often than not; otherwise pass."""
    found = _replies_of(table, player)
    must = [act for act in found if isinstance(act, a.Activate | a.Decide)]
    waiting = flow.choosing(table)
    if must and (waiting is None or not waiting.optional or rng.random() < ANSWERS):
        return rng.choice(must)
    replies = [act for act in found if isinstance(act, a.Respond)]
    if replies and rng.random() < ANSWERS:
        return rng.choice(replies)
    return a.Pass(player)


def _replies_of(table: Table, player: Seat) -> list[a.AnyAct]:
    return [act for act in islice(legal.answers(table, player), 60) if engine.lawful(table, act)]


def play(duel: Duel, rng: Random, most: int = 2000) -> tuple[Duel, list[DomainEvent]]:
    """Play a duel on to its end (or for `most` acts); return it and the events added."""
    events: list[DomainEvent] = []
    for _ in range(most):
        player = to_act(duel)
        if player is None:
            break
        decided = engine.decide(duel, choose(duel, player, rng))
        if isinstance(decided, Refusal):
            raise AssertionError(f"the policy chose an unlawful act: {decided}")
        for event in decided:
            duel = evolve(duel, event)
        events += decided
    return duel, events


def _wishes(table: Table, player: Seat, rng: Random) -> Iterator[a.AnyAct]:
    """Yield acts in the order in which the policy would like them."""
    if table.turn == 0:
        yield a.DrawOpeningHand(player, 5)
        return
    if table.end_announced:
        hand = sorted(table.side(player).hand, key=lambda card: _worth(table, card))
        yield a.Discard(player, list(hand[: max(0, len(hand) - HAND_LIMIT)]))
        return
    if draw_owed(table):
        yield a.Draw(player)
    if table.phase == "draw":
        yield a.EnterPhase(player, "standby")
    if table.phase == "standby":
        yield a.EnterPhase(player, "main1")
    if table.phase in MAIN_PHASES:
        if table.phase == "main1" and _hopeless(table, player, rng):
            yield a.Concede(player)
        yield from _main_phase(table, player, rng)
    if table.phase == "main1" and table.turn > 1 and _attacks(table, player, rng):
        yield a.EnterPhase(player, "battle")
    if table.phase == "battle":
        yield from _attacks(table, player, rng)
        yield a.EnterStep(player, "end")
    yield a.EndTurn(player)


def _usable(facts: CardFacts | None) -> bool:
    return (
        facts is not None
        and facts.type == MONSTER
        and facts.kind in PLAYABLE
        and facts.level is not None
        and facts.atk is not None
        and facts.defence is not None
    )


def _worth(table: Table, card: int) -> int:
    """What a card in hand is worth keeping: unplayable first to go, then by ATK."""
    facts = table.facts_of(card)
    if facts is None or not _usable(facts):
        return 1000 if is_spell_trap(facts) else 0
    return max(facts.atk or 0, facts.defence or 0) - 600 * tributes_for(facts.level or 0)


def _strongest(table: Table, player: str) -> int:
    """The highest ATK that a player's opponent can see there."""
    return max(
        (
            values.attack(table, card)
            for card in table.controlled(player)
            if table.placed[card].position == "attack"
        ),
        default=0,
    )


def _hopeless(table: Table, player: Seat, rng: Random) -> bool:
    side, rival = table.side(player), table.side(other(player))
    if table.turn > STALLED and side.life_points <= rival.life_points:
        return rng.random() < 0.25
    beaten = (
        side.life_points <= 2500
        and not table.controlled(player)
        and _strongest(table, other(player)) >= side.life_points
    )
    return beaten and rng.random() < 0.4


def _main_phase(table: Table, player: Seat, rng: Random) -> Iterator[a.AnyAct]:
    yield from _arrivals(table, player, rng)
    threat = _strongest(table, other(player))
    for card in table.controlled(player):
        placed, attack = table.placed[card], values.attack(table, card)
        if placed.position == "set" and attack >= max(threat, 1000):
            yield a.FlipSummon(player, card)
        elif placed.position == "defence" and attack > threat and table.phase == "main1":
            yield a.ChangePosition(player, card, "attack")
        elif placed.position == "attack" and attack < threat and table.phase == "main2":
            yield a.ChangePosition(player, card, "defence")
    side = table.side(player)
    for card in (*side.hand, *side.spells_traps):
        facts = table.facts_of(card) if card else None
        if facts is not None and is_spell_trap(facts) and facts.effects and rng.random() < 0.7:
            yield a.Activate(player, card)
    lying = sum(1 for card in side.spells_traps if card)
    for card in side.hand:
        if is_spell_trap(table.facts_of(card)) and lying < MOST_SET and rng.random() < 0.25:
            yield a.SetSpellTrap(player, card)


def _arrivals(table: Table, player: Seat, rng: Random) -> Iterator[a.AnyAct]:
    """The Normal Summon or Set of the turn: the best fighter that gains something."""
    if table.side(player).summoned:
        return
    threat = _strongest(table, other(player))
    own = sorted(table.controlled(player), key=lambda card: values.attack(table, card))
    hand = [card for card in table.side(player).hand if _usable(table.facts_of(card))]
    for card in sorted(hand, key=lambda one: -_fighting(table, one)):
        facts = table.facts_of(card)
        if facts is None:
            continue
        attack, defence = facts.atk or 0, facts.defence or 0
        needed = tributes_for(facts.level or 0)
        tributes: Sequence[int] = own[:needed]
        if needed and attack <= sum(values.attack(table, one) for one in tributes) // needed:
            continue
        fighter = attack >= defence or attack > threat
        if fighter and (attack >= threat or rng.random() < 0.3):
            yield a.NormalSummon(player, card, list(tributes))
        if not needed:
            yield a.SetMonster(player, card)


def _fighting(table: Table, card: int) -> int:
    facts = table.facts_of(card)
    return (facts.atk or 0) if facts is not None else 0


def _attacks(table: Table, player: Seat, rng: Random) -> list[a.AnyAct]:
    """Attacks worth making now, strongest attacker first."""
    targets = table.controlled(other(player))
    found: list[a.AnyAct] = []
    for card in sorted(table.controlled(player), key=lambda one: -values.attack(table, one)):
        placed = table.placed[card]
        if placed.position != "attack" or placed.attacked_turn == table.turn:
            continue
        attack = values.attack(table, card)
        if not targets:
            if attack:
                found.append(a.DeclareAttack(player, card, None, True))
            continue
        good = [target for target in targets if _beats(table, attack, target, rng)]
        if good:
            found.append(a.DeclareAttack(player, card, max(good, key=lambda t: _prize(table, t))))
    return found


def _beats(table: Table, attack: int, target: int, rng: Random) -> bool:
    match table.placed[target].position:
        case "set":
            return attack >= GUESS or rng.random() < 0.2
        case "defence":
            return attack > values.defence(table, target)
        case _:
            against = values.attack(table, target)
            return attack > against or (attack == against > 0 and rng.random() < 0.4)


def _prize(table: Table, target: int) -> int:
    return 0 if table.placed[target].position == "set" else values.attack(table, target)
