"""What a recorder offers in this game: lawful acts in groups with their questions, acts that may
be meant and are not lawful, and effects that can be declared. See duels.domain.offers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from duels.domain.offers import Answer, Effect, Offer, Pick
from duels.rules.duelmasters import acts as a
from duels.rules.duelmasters import engine, flow, knowledge, refs
from duels.rules.duelmasters.cards import SPELL
from duels.rules.duelmasters.duel import Duel
from duels.rules.duelmasters.legal import held_up, legal_acts
from duels.rules.duelmasters.seats import Player
from duels.rules.duelmasters.seats import player as seat_of
from duels.rules.duelmasters.selectors import opponent
from duels.rules.duelmasters.sight import guessed
from duels.rules.duelmasters.state import STEPS, Table
from duels.rules.duelmasters.view import settle
from eventstore.domain.refusal import Refusal

GROUPS = (
    "pass",
    "answer",
    "block",
    "shields",
    "shield_trigger",
    "untap",
    "draw",
    "charge",
    "summon",
    "cast",
    "attack",
    "tap_ability",
    "phase",
    "concede",
)
CARD_PAGE = ""
GROUP_OF: dict[type[a.Act], str] = {
    a.Pass: "pass",
    a.Resume: "pass",
    a.Activate: "answer",
    a.Block: "block",
    a.ChooseShields: "shields",
    a.UseShieldTrigger: "shield_trigger",
    a.Untap: "untap",
    a.Draw: "draw",
    a.Charge: "charge",
    a.Summon: "summon",
    a.Evolve: "summon",
    a.Cast: "cast",
    a.Attack: "attack",
    a.TapAbility: "tap_ability",
    a.EnterStep: "phase",
    a.EndTurn: "phase",
    a.Concede: "concede",
}
ASKED = ("card", "onto", "target", "targets", "shields", "step")
"""The fields that a player chooses, in the order of the questions."""
WORDS: dict[type[a.Act], tuple[str, str]] = {
    a.Pass: ("what", "pass"),
    a.Resume: ("what", "resume"),
    a.EndTurn: ("phase", "turn_end"),
    a.Untap: ("what", "untap"),
    a.Draw: ("what", "draw"),
}
"""A question that only says which of the acts of a group is meant; it comes last."""
EFFECTS = (
    Effect("draw", ("amount", "whose")),
    Effect("discard", ("amount", "whose")),
    Effect("put_top_into_mana", ("amount", "whose")),
    Effect("destroy", ("card",)),
    Effect("send_to_graveyard", ("card",)),
    Effect("return_to_hand", ("card",)),
    Effect("return_to_deck", ("card",)),
    Effect("put_into_mana", ("card",)),
    Effect("put_into_battle", ("card",)),
    Effect("tap", ("card",)),
    Effect("untap", ("card",)),
    Effect("modify_power", ("card", "amount")),
)
OPEN = ("battle", "mana", "graveyard")
CHOOSES_SPACE = False


def offers(duel: Duel, player: str, *, spaces: bool = False) -> list[Offer]:
    """Return every lawful act as an offer, cards nobody can tell apart once; and the acts that
    become lawful or not once a card of paper is named. No zone has spaces to choose from."""
    found = [_offer(duel, act) for act in _once(duel.table, legal_acts(duel, player))]
    if duel.table.result is None and any(key is None for key in duel.table.identities[1:]):
        found += _promised(duel, seat_of(player))
    order = {group: at for at, group in enumerate(GROUPS)}
    return sorted(found, key=lambda one: order[one.group])


def _unknown(table: Table, ref: object) -> bool:
    card = refs.find(table, ref) if isinstance(ref, int | str) else None
    if not card or table.identities[card] is not None:
        return False
    return table.where(card)[1] == "hand"


def _once(table: Table, acts: list[a.AnyAct]) -> Iterator[a.AnyAct]:
    seen: set[tuple[object, ...]] = set()
    for act in acts:
        key: list[object] = [type(act)]
        for field in act.__struct_fields__:
            value = getattr(act, field)
            many = value if isinstance(value, list) else [value]
            kept = ["?" if _unknown(table, one) else str(one) for one in many]
            key.append(tuple(sorted(kept)) if isinstance(value, list) else kept[0])
        if tuple(key) not in seen:
            seen.add(tuple(key))
            yield act


def named(duel: Duel, player: str, ref: a.Ref) -> Answer:
    """Return a card as its player may know it."""
    table = duel.table
    card = refs.find(table, ref)
    if card is None:
        return Answer(str(ref))
    facts = table.facts_of(card)
    seen = knowledge.sees(table, duel.knowledge, player, card)
    name = (facts.name if facts is not None else table.identities[card]) if seen else None
    return Answer(str(ref), name, refs.place_of(table, card))


def _offer(duel: Duel, act: a.AnyAct, **more: Any) -> Offer:
    kind = type(act)
    picks = [
        pick
        for field in ASKED
        if field in kind.__struct_fields__ and (pick := _pick(duel, act, field)) is not None
    ]
    if kind in WORDS:
        ask, word = WORDS[kind]
        picks.append(Pick(ask, (Answer(word, word=word),)))
    plain = {key: value for key, value in a.plain(act).items() if key != "player"}
    return Offer(GROUP_OF[kind], plain, tuple(picks), **more)


def _pick(duel: Duel, act: a.AnyAct, field: str) -> Pick | None:
    value = getattr(act, field)
    if field == "step":
        return Pick("phase", (Answer(value, word=f"step_{value}"),))
    if field == "target" and isinstance(value, str) and "." not in value:
        return Pick(field, (Answer(value, word="player"),))
    if field == "shields":
        attack = settle(duel.table).attack
        whose = attack.defender if attack is not None else opponent(duel.table, act.player)
        answers = tuple(Answer(str(one), place=f"{whose}.shields.{one}") for one in value)
        return Pick(field, answers) if answers else None
    listed = value if isinstance(value, list) else [value] if value is not None else []
    answers = tuple(named(duel, act.player, ref) for ref in listed)
    return Pick(field, answers) if answers else None


def _promised(duel: Duel, player: Player) -> Iterator[Offer]:
    """Acts of cards that have to be named first."""
    table = settle(duel.table)
    attack = table.attack
    if attack is not None and attack.stage == "broken" and flow.asked(table) == player:
        for card in attack.broken:
            if table.identities[card] is None:
                yield _promise(duel, a.UseShieldTrigger(player, card), card)
    side = table.side(player)
    nameless = next((card for card in side.hand if table.identities[card] is None), 0)
    if nameless and table.active == player and table.step == "main" and attack is None:
        yield _promise(duel, a.Summon(player, nameless), nameless)
        yield _promise(duel, a.Cast(player, nameless), nameless)


def _promise(duel: Duel, act: a.AnyAct, card: int) -> Offer:
    return _offer(duel, act, unknown=str(card))


def beyond(duel: Duel, player: str) -> list[Offer]:
    """Return usual acts that are not lawful now, each with its refusal. In `recorded` mode only
    those that can have happened."""
    lawful = {str(a.plain(act)) for act in legal_acts(duel, player)}
    found: list[Offer] = []
    for act in _once(duel.table, list(_usual(duel.table, seat_of(player)))):
        if str(a.plain(act)) in lawful:
            continue
        refusal = guessed(duel, act) or held_up(duel, act)
        if refusal is None:
            decided = engine.decide(duel, act)
            if isinstance(decided, Refusal) and duel.table.mode != "refereed":
                continue
            refusal = next(iter(engine.explain(duel, act)), None)
        if refusal is not None and refusal.code != "duels.card_unknown":
            found.append(_offer(duel, act, refusal=refusal))
    return found


def _usual(table: Table, player: Player) -> Iterator[a.AnyAct]:
    """Yield what a player may come to try, whatever the moment."""
    if table.result is not None or not table.turn:
        return
    side, rival = table.side(player), opponent(table, player)
    yield a.Untap(player)
    yield a.Draw(player)
    for step in STEPS[1:]:
        if step != table.step:
            yield a.EnterStep(player, step)  # type: ignore[arg-type]
    yield a.EndTurn(player)
    for card in side.hand:
        facts = table.facts_of(card)
        yield a.Charge(player, card)
        if facts is None or facts.type == SPELL:
            yield a.Cast(player, card)
        elif facts.evolves is not None:
            yield a.Evolve(player, card)
        else:
            yield a.Summon(player, card)
    for card in side.battle:
        yield a.Attack(player, card, rival)
        for target in table.side(rival).battle:
            yield a.Attack(player, card, target)
        yield a.Block(player, card)


def unnamed(duel: Duel) -> list[Answer]:
    """Return the cards that lie open and that nobody has named."""
    table = duel.table
    return [
        named(duel, "judge", card)
        for card, key in enumerate(table.identities)
        if card and key is None and knowledge.PUBLIC in knowledge.by_place(table, card)
    ]


def _known(duel: Duel, player: str) -> Iterator[int]:
    table = duel.table
    for owner in (player, opponent(table, player)):
        side = table.side(owner)
        for card in (*side.battle, *side.mana, *side.graveyard, *side.hand):
            if knowledge.sees(table, duel.knowledge, player, card):
                yield card


def sources(duel: Duel, player: str) -> list[Answer]:
    """Return named cards that this player sees, one of each key; those in the mana zone do
    nothing (DM-3.6)."""
    found: dict[str, Answer] = {}
    for card in _known(duel, player):
        key = duel.table.identities[card]
        if key is not None and duel.table.where(card)[1] != "mana":
            found.setdefault(key, named(duel, player, card))
    return list(found.values())


def reached(duel: Duel, player: str) -> list[Answer]:
    """Return the cards that lie open and the seen ones elsewhere."""
    table = duel.table
    lying = [
        card for owner in table.alive for zone in OPEN for card in getattr(table.side(owner), zone)
    ]
    return [named(duel, player, card) for card in dict.fromkeys((*lying, *_known(duel, player)))]


def free_spaces(duel: Duel, player: str) -> tuple[int, ...]:
    """Return no space: creatures stand in no order."""
    return ()


def declare(
    effect: str,
    *,
    player: str,
    by: str,
    amount: int | None,
    card: str,
    whose: str,
    space: int | None = None,
) -> dict[str, Any]:
    """Return the plain act of a declared effect. Raises KeyError for another effect."""
    if effect not in {one.code for one in EFFECTS}:
        raise KeyError(effect)
    about = "self" if (whose or player) == player else "opponent"
    match effect:
        case "draw" | "discard":
            op: dict[str, Any] = {"op": effect, "n": amount or 0, "player": about}
        case "put_top_into_mana":
            op = {"op": "put_into_mana", "from": "deck", "n": amount or 0, "player": about}
        case "put_into_battle":
            op = {"op": "special_summon", "target": _ref(card)}
        case "modify_power":
            op = {"op": effect, "target": _ref(card), "amount": amount or 0}
        case _:
            op = {"op": effect, "target": _ref(card)}
    return {"act": "resolve_effect", "by": _ref(by), "ops": [op]}


def identify(card: str, key: str) -> dict[str, Any]:
    """Return the plain act that says what a card is."""
    return {"act": "identify", "card": _ref(card), "key": key}


def _ref(text: str) -> int | str:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else text


def waits_for(duel: Duel) -> str:
    """Return who is asked something now, else the turn player."""
    table = settle(duel.table)
    if table.result is not None:
        return ""
    return flow.asked(table) or table.active
