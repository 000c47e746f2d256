"""What a recorder offers in this game: lawful acts in groups with their questions, acts that may
be meant and are not lawful, and effects that can be declared. See duels.domain.offers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Any, get_args

from msgspec.structs import replace

from duels.domain.events import Seat, seat
from duels.domain.offers import Answer, Effect, Offer, Pick
from duels.rules.yugioh import acts as a
from duels.rules.yugioh import engine, knowledge, refs
from duels.rules.yugioh import spaces as places
from duels.rules.yugioh.cards import is_monster
from duels.rules.yugioh.common import MAIN_PHASES
from duels.rules.yugioh.duel import Duel
from duels.rules.yugioh.events import Phase
from duels.rules.yugioh.legal import held_up, is_open, legal_acts
from duels.rules.yugioh.match import PLAYERS, other
from duels.rules.yugioh.sight import guessed
from duels.rules.yugioh.state import Table
from duels.rules.yugioh.state import free_spaces as row_spaces
from eventstore.domain.refusal import Refusal

GROUPS = (
    "pass",
    "answer",
    "draw",
    "normal_summon",
    "set",
    "flip_summon",
    "activate",
    "special_summon",
    "position",
    "attack",
    "discard",
    "phase",
    "concede",
)
GROUP_OF: dict[type[a.Act], str] = {
    a.Pass: "pass",
    a.Resume: "pass",
    a.Respond: "answer",
    a.Decide: "answer",
    a.DrawOpeningHand: "draw",
    a.Draw: "draw",
    a.NormalSummon: "normal_summon",
    a.SetMonster: "set",
    a.SetSpellTrap: "set",
    a.FlipSummon: "flip_summon",
    a.Activate: "activate",
    a.FusionSummon: "special_summon",
    a.RitualSummon: "special_summon",
    a.ChangePosition: "position",
    a.DeclareAttack: "attack",
    a.Discard: "discard",
    a.EnterPhase: "phase",
    a.EnterStep: "phase",
    a.EndTurn: "phase",
    a.Concede: "concede",
}
ASKED: dict[type[a.Act], tuple[str, ...]] = {
    a.Decide: ("card", "pay", "cost"),
    a.ChangePosition: ("card", "to"),
    a.FusionSummon: ("spell", "card", "materials", "position"),
    a.RitualSummon: ("spell", "card", "tributes", "position"),
    a.DeclareAttack: ("card", "target"),
    a.Discard: ("cards",),
    a.EnterPhase: ("phase",),
}
"""The fields that a player chooses, in the order of the questions; others ask as USUAL."""
USUAL = ("card", "tributes", "cost", "targets", "zone")
WORDS: dict[type[a.Act], tuple[str, str]] = {
    a.Pass: ("what", "pass"),
    a.Resume: ("what", "resume"),
    a.EnterStep: ("phase", "battle_end"),
    a.EndTurn: ("phase", "turn_end"),
    a.DrawOpeningHand: ("what", "opening_hand"),
    a.Draw: ("what", "draw_card"),
    a.SetMonster: ("as", "monster"),
    a.SetSpellTrap: ("as", "spell_trap"),
}
"""A question that only says which of the acts of a group is meant; it comes last."""
EFFECTS = (
    Effect("damage", ("amount", "whose")),
    Effect("gain_lp", ("amount", "whose")),
    Effect("pay_lp", ("amount", "whose")),
    Effect("draw", ("amount", "whose")),
    Effect("destroy", ("card",)),
    Effect("send_to_graveyard", ("card",)),
    Effect("banish", ("card",)),
    Effect("return_to_hand", ("card",)),
    Effect("return_to_deck", ("card",)),
    Effect("special_summon", ("card", "space")),
    Effect("change_position", ("card",)),
    Effect("flip_face_down", ("card",)),
    Effect("take_control", ("card", "space")),
    Effect("modify_atk", ("card", "amount")),
    Effect("modify_def", ("card", "amount")),
)
CHOOSES_SPACE = True
LIFE_POINTS = ("damage", "gain_lp", "pay_lp")
CARD_PAGE = (
    "https://www.db.yugioh-card.com/yugiohdb/card_search.action?ope=1&sess=1&request_locale=en"
    "&keyword={name}"
)


def offers(duel: Duel, player: str, *, spaces: bool = False) -> list[Offer]:
    """Return every lawful act as an offer, cards nobody can tell apart once; and the acts that
    become lawful or not once a card of paper is named. `spaces`: an act that lays a card once for
    each space it may take, where there are several."""
    acts: Iterable[a.AnyAct] = _once(duel.table, legal_acts(duel, player))
    if spaces:
        acts = (each for act in acts for each in _laid(duel.table, act))
    found = [_offer(duel, act) for act in acts]
    if _paper(duel.table) and duel.table.result is None:
        found += _promised(duel, seat(player))
    order = {group: at for at, group in enumerate(GROUPS)}
    return sorted(found, key=lambda one: order[one.group])


def _laid(table: Table, act: a.AnyAct) -> Iterator[a.AnyAct]:
    """The spaces are those of the table in sight, whatever going on may clear."""
    there = places.open_to(table, act) if isinstance(act, places.LAYING) else ()
    if len(there) < 2:
        yield act
    for space in there if len(there) > 1 else ():
        yield replace(act, space=space)


def free_spaces(duel: Duel, player: str) -> tuple[int, ...]:
    """Return the free spaces of a player's monsters, from 1."""
    return row_spaces(duel.table.side(player).monsters)


def _paper(table: Table) -> bool:
    return any(key is None for key in table.identities[1:])


def _unknown(table: Table, ref: object) -> bool:
    """Say whether a reference names a card in a hand that nobody has named: one as good as
    another."""
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
    asked = ASKED.get(kind, () if kind in (a.Pass, a.Resume) else USUAL)
    picks = [
        pick
        for field in asked
        if field in kind.__struct_fields__ and (pick := _pick(duel, act, field)) is not None
    ]
    if kind in WORDS:
        ask, word = WORDS[kind]
        picks.append(Pick(ask, (Answer(word, word=word),)))
    space = getattr(act, "space", None)
    if space is not None:
        picks.append(Pick("space", (Answer(f"z{space}", word=f"space_{space}"),)))
    plain = {key: value for key, value in a.plain(act).items() if key != "player"}
    return Offer(GROUP_OF[kind], plain, tuple(picks), **more)


def _pick(duel: Duel, act: a.AnyAct, field: str) -> Pick | None:
    value = getattr(act, field)
    if field == "target" and getattr(act, "direct", False):
        return Pick(field, (Answer("direct", word="direct"),))
    if field == "pay":
        word = "pay" if value else "refuse"
        return Pick(field, (Answer(word, word=word),))
    if field in ("to", "position", "zone", "phase"):
        return Pick(field, (Answer(value, word=value),)) if value else None
    listed = value if isinstance(value, list) else [value] if value is not None else []
    answers = tuple(named(duel, act.player, ref) for ref in listed)
    return Pick(field, answers) if answers else None


def _promised(duel: Duel, player: Seat) -> Iterator[Offer]:
    """Acts of cards that have to be named first, and Sets of a card whose Level nobody knows."""
    table = duel.table
    side = table.side(player)
    nameless = next((card for card in side.hand if table.identities[card] is None), 0)
    if nameless and table.active == player and table.phase in MAIN_PHASES and not is_open(table):
        if not side.summoned:
            yield _promise(duel, a.NormalSummon(player, nameless), nameless)
        for number in (1, 2):
            for tributes in combinations(table.controlled(player), number):
                act = a.SetMonster(player, nameless, list(tributes))
                if not engine.explain(duel, act):
                    yield _offer(duel, act)
    asked = [card for card in (nameless, *side.spells_traps) if card]
    for card in asked:
        if table.identities[card] is not None:
            continue
        if is_open(table):
            yield _promise(duel, a.Respond(player, card), card)
        elif table.opened and table.turn:
            yield _promise(duel, a.Activate(player, card), card)
    for card in table.controlled(player):
        if table.facts_of(card) is None and table.placed[card].position == "set":
            yield from _only_unknown(duel, a.FlipSummon(player, card), card)
    for card in table.controlled(other(player)):
        if table.facts_of(card) is None:
            for attacker in table.controlled(player):
                yield from _only_unknown(duel, a.DeclareAttack(player, attacker, card), card)


def _promise(duel: Duel, act: a.AnyAct, card: int) -> Offer:
    return _offer(duel, act, unknown=str(card))


def _only_unknown(duel: Duel, act: a.AnyAct, card: int) -> Iterator[Offer]:
    """An act against which nothing speaks but that nobody has said what a card is."""
    if [one.code for one in engine.explain(duel, act)] == ["duels.card_unknown"]:
        yield _promise(duel, act, card)


def beyond(duel: Duel, player: str) -> list[Offer]:
    """Return usual acts that are not lawful now, each with its refusal. In `recorded` mode only
    those that can have happened."""
    who = seat(player)
    lawful = {str(a.plain(act)) for act in legal_acts(duel, player)}
    found: list[Offer] = []
    for act in _once(duel.table, list(_usual(duel.table, who))):
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


def _usual(table: Table, player: Seat) -> Iterator[a.AnyAct]:
    """Yield what a player may come to try, whatever the moment."""
    if table.result is not None or not table.turn:
        return
    side, monsters = table.side(player), table.controlled(player)
    yield a.Draw(player)
    for phase in get_args(Phase):
        if phase != table.phase:
            yield a.EnterPhase(player, phase)
    yield a.EndTurn(player)
    for card in side.hand:
        facts = table.facts_of(card)
        if facts is None or is_monster(facts):
            yield a.NormalSummon(player, card)
            yield a.SetMonster(player, card)
        if facts is None or not is_monster(facts):
            yield a.SetSpellTrap(player, card)
            yield a.Activate(player, card)
    for card in (*side.spells_traps, side.field):
        if card:
            yield a.Activate(player, card)
    for card in monsters:
        lies = table.placed[card].position
        if lies == "set":
            yield a.FlipSummon(player, card)
            continue
        yield a.ChangePosition(player, card, "attack" if lies == "defence" else "defence")
        for target in table.controlled(other(player)):
            yield a.DeclareAttack(player, card, target)
        yield a.DeclareAttack(player, card, None, True)


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
    for owner in (player, other(player)):
        side = table.side(owner)
        rows = (side.monsters, side.spells_traps, (side.field,), side.graveyard, side.banished)
        for card in (card for row in (*rows, side.hand) for card in row if card):
            if knowledge.sees(table, duel.knowledge, player, card):
                yield card


def sources(duel: Duel, player: str) -> list[Answer]:
    """Return named cards that this player sees, one of each key."""
    found: dict[str, Answer] = {}
    for card in _known(duel, player):
        key = duel.table.identities[card]
        if key is not None and player in knowledge.by_place(duel.table, card):
            found.setdefault(key, named(duel, player, card))
    return list(found.values())


def reached(duel: Duel, player: str) -> list[Answer]:
    """Return the cards on the field, those hidden by their place, and the seen ones elsewhere."""
    table = duel.table
    lying = [
        card
        for owner in PLAYERS
        for row in (table.side(owner).monsters, table.side(owner).spells_traps)
        for card in (*row, table.side(owner).field if row is table.side(owner).monsters else 0)
        if card
    ]
    cards = dict.fromkeys((*lying, *_known(duel, player)))
    found = []
    for card in cards:
        seen = knowledge.sees(table, duel.knowledge, player, card)
        ref: a.Ref = card if seen else refs.place_of(table, card)
        found.append(named(duel, player, ref))
    return found


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
    source, about = _ref(by), whose or player
    if effect in LIFE_POINTS:
        sign = 1 if effect == "gain_lp" else -1
        cause = "cost" if effect == "pay_lp" else "effect"
        return {
            "act": "lp_change",
            "about": about,
            "delta": sign * (amount or 0),
            "by": source,
            "cause": cause,
        }
    op: dict[str, Any] = {"op": effect}
    if effect == "draw":
        op |= {"n": amount or 0, "player": "self" if about == player else "opponent"}
    else:
        op["target"] = _ref(card)
    if effect in ("modify_atk", "modify_def"):
        op["amount"] = amount or 0
    if space is not None:
        op["space"] = space
    return {"act": "resolve_effect", "by": source, "ops": [op]}


def identify(card: str, key: str) -> dict[str, Any]:
    """Return the plain act that says what a card is."""
    return {"act": "identify", "card": _ref(card), "key": key}


def _ref(text: str) -> int | str:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else text


def waits_for(duel: Duel) -> str:
    """Return who answers now, else the turn player; before the first turn who has to draw."""
    table = duel.table
    if table.result is not None:
        return ""
    if not table.turn:
        return next((one for one in PLAYERS if not table.side(one).opened), table.starter)
    return table.chance or table.active
