"""Many whole duels played at random: no invariant breaks, whatever is dealt and chosen.

Each is short on purpose: acts are drawn by group weight, so that a duel ends in some 25 turns.
"""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from duels.domain import text
from duels.domain.events import DuelOpened
from duels.domain.text import Entry
from duels.rules.yugioh import acts as a
from duels.rules.yugioh import bot, engine, knowledge
from duels.rules.yugioh.duel import NEW, Duel, evolve, fold
from duels.rules.yugioh.legal import legal_acts
from duels.rules.yugioh.lines import lines
from duels.rules.yugioh.match import PLAYERS
from duels.rules.yugioh.state import PILES, SPACES, Table
from duels.rules.yugioh.status import misplaced
from duels.rules.yugioh.view import KNOWER, view
from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent, name_of
from tests.duels.made import opening
from tests.duels.rich import rich_opening
from tests.duels.test_properties import SEEDS, rewound
from tests.duels.test_rich import relisted
from tests.sizes import SIZES

MOST = 400
LIKED: dict[str, float] = {
    "draw": 1e9, "discard": 1e9, "standby": 1e9, "main1": 1e9, "normal_summon": 6,
    "set_monster": 3, "set_spell_trap": 2, "activate": 3, "flip_summon": 1.5, "battle": 5,
    "fusion_summon": 4, "ritual_summon": 4,
    "change_position": 1, "declare_attack": 6, "respond": 2, "pass": 2, "decide": 1e9,
    "resume": 0.5, "main2": 0.5, "end_turn": 1.5,
}  # fmt: skip


def liked(acts: list[a.AnyAct], rng: random.Random) -> a.AnyAct:
    """Draw a group of acts by its weight, then one of the group."""
    groups: dict[str, list[a.AnyAct]] = {}
    for act in acts:
        name = act.phase if isinstance(act, a.EnterPhase) else str(act.__struct_config__.tag)
        groups.setdefault(name, []).append(act)
    groups.pop("concede", None)
    names = [name for name in groups if name in LIKED] or list(groups)
    return rng.choice(groups[rng.choices(names, [LIKED.get(name, 1) for name in names])[0]])


def sound(duel: Duel, cards: int) -> None:
    """No card lost, doubled or in two places, no row too long, no Life Points below 0."""
    table = duel.table
    assert misplaced(table) == []
    assert all(table.where(card)[1] for card in range(1, cards + 1))
    for player in PLAYERS:
        side = table.side(player)
        assert side.life_points >= 0
        for row in (side.monsters, side.spells_traps):
            assert len(row) == SPACES
        for zone in PILES:
            assert all(table.is_card(card) for card in getattr(side, zone))


def played_at_random(seed: int) -> tuple[list[DomainEvent], Duel]:
    """A log and the live duel behind it, every state of it sound. Every fifth duel is one of
    rich decks: chains, Fusion, Ritual, control, tokens; every tenth with options drawn too."""
    rng = random.Random(seed)
    log = opening(seed) if seed % 5 else rich_opening(seed, random_options=seed % 10 == 0)
    first = log[0]
    assert isinstance(first, DuelOpened)
    cards = sum(len(keys) for lists in (first.main, first.fusion) for keys in lists.values())
    duel = fold(log)
    for _ in range(MOST):
        player = bot.to_act(duel)
        if player is None:
            break
        acts = legal_acts(duel, player)
        decided = engine.decide(duel, liked(acts, rng))
        assert not isinstance(decided, Refusal)
        for event in decided:
            duel = evolve(duel, event)
            sound(duel, cards)
        log += decided
    return log, duel


def seen_by(log: list[DomainEvent], knower: str) -> set[int]:
    """Cards that a knower has known at any moment of a log."""
    found: set[int] = set()
    duel = NEW
    for event in log:
        duel = evolve(duel, event)
        table = duel.table
        for card in range(1, len(table.owners)):
            if card not in found and knowledge.sees(table, duel.knowledge, knower, card):
                found.add(card)
    return found


def parts(table: Table) -> tuple[list[int], list[int]]:
    """Instances of both Decks, and of both Fusion Decks: cards that could be one another."""
    cards = [card for card in range(1, len(table.owners)) if table.facts_of(card) is not None]
    fusions = [card for card in cards if kind_of(table, card) == "fusion"]
    return [card for card in cards if kind_of(table, card) not in ("fusion", "token")], fusions


def kind_of(table: Table, card: int) -> str:
    """fusion or token where a card is one, else main."""
    facts = table.facts_of(card)
    if facts is None or facts.type == "token":
        return "token"
    return "fusion" if facts.kind == "fusion" else "main"


def masked(log: list[DomainEvent], viewer: str) -> bytes:
    """The text of a log as a viewer may take it away."""
    first = log[0]
    assert isinstance(first, DuelOpened)
    told = lines(log, viewer)
    return text.write_masked(first, [(one.code, 1, "-", "-", one.params) for one in told], viewer)


@settings(max_examples=SIZES.duels)
@given(SEEDS, st.sampled_from(sorted(KNOWER)), st.integers(0, 2**30))
def test_no_invariant_breaks_in_many_duels(seed: int, viewer: str, dice: int) -> None:
    log, live = played_at_random(seed)
    rng = random.Random(dice)
    # the fold of what was stored and read back is the live duel
    written = text.read(text.write([Entry(event) for event in log]))
    assert not isinstance(written, Refusal)
    again = [one.event for one in written]
    assert again == log
    whole = fold(again)
    assert whole.table == live.table
    assert whole.knowledge == live.knowledge
    # a rewind gives the table of the prefix, and rewinding that gives the table back
    to = rng.randint(1, len(log) - 1)
    back = evolve(whole, rewound(to))
    assert back.table == fold(log[:to]).table
    assert evolve(back, rewound(len(log))).table == live.table
    assert back.knowledge == live.knowledge
    # what a viewer has not seen makes no difference to anything that viewer gets
    if viewer == "judge" or live.table.options["graveyard.public_scope"] == "monsters_only":
        return  # with that option a card hidden in a Graveyard is known to be no monster
    at = rng.randint(1, len(log))
    shown = log[:at]
    table = fold(shown).table
    seen = seen_by(shown, KNOWER[viewer])
    identities = list(table.identities)
    for part in parts(table):
        cards = [card for card in part if card not in seen]
        dealt = [identities[card] for card in cards]
        rng.shuffle(dealt)
        for card, key in zip(cards, dealt, strict=True):
            identities[card] = key
    other = [relisted(log[0], identities), *shown[1:]]
    assert view(fold(other), viewer) == view(fold(shown), viewer)
    assert masked(other, viewer) == masked(shown, viewer)


def test_random_duels_are_whole_duels() -> None:
    """They end, in several ways, and what can happen in them does happen."""
    ended: set[str] = set()
    types: set[str] = set()
    for seed in range(12):
        log, duel = played_at_random(seed)
        types |= {name_of(event)[0] for event in log}
        if duel.table.result is not None:
            ended.add(duel.table.result.how)
    assert "life_points" in ended
    assert {
        "duels.card_activated",
        "duels.monster_summoned",
        "duels.monster_set",
        "duels.spell_trap_set",
        "duels.attack_declared",
        "duels.position_changed",
        "duels.passed",
    } <= types
