"""Build a duel from the position that a case gives (FORMAT.md, section 5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from duels.domain.events import CardFacts
from duels.domain.rewind import Trail
from duels.rules.yugioh import flow, triggers
from duels.rules.yugioh import options as opts
from duels.rules.yugioh.cards import load_card
from duels.rules.yugioh.cases.base import Case, CaseFault, Names, so_many
from duels.rules.yugioh.draft import Draft
from duels.rules.yugioh.duel import Duel
from duels.rules.yugioh.match import P1, P2, PLAYERS
from duels.rules.yugioh.state import EMPTY, EMPTY_ROW, Placed, Side, Table, Window, put
from eventstore.domain.refusal import Refusal

DECK_SIZE = 20


def facts_of(*sources: Mapping[str, Any]) -> dict[str, CardFacts]:
    """Return the facts of the cards that a file and a case name; later sources go before."""
    known: dict[str, CardFacts] = {}
    for source in sources:
        for name, record in source.items():
            loaded = load_card({**record, "name": name, "key": name})
            if isinstance(loaded, Refusal):
                raise CaseFault(f"card {name!r}: {loaded.code} {loaded.params}")
            known[name] = loaded
    return known


def options_of(case: Case) -> dict[str, opts.Value]:
    """Return the complete options of a case; raises CaseFault for one that is not played."""
    values = opts.complete(case.get("options", {}))
    if isinstance(values, Refusal):
        raise CaseFault(f"{values.code} {values.params}")
    return values


class _Builder:
    def __init__(self, facts: Mapping[str, CardFacts], options: Mapping[str, opts.Value]) -> None:
        self.names = Names()
        self.owners: list[str] = [""]
        self.identities: list[str | None] = [None]
        self.placed: list[tuple[int, Placed, str | None]] = []
        self.facts = facts
        self.options = options

    def new(self, name: str | None, owner: str) -> int:
        self.owners.append(owner)
        card = len(self.owners) - 1
        if name is not None:
            if name not in self.facts:
                raise CaseFault(f"card {name!r} is not described")
            self.names.add(name, card)
        self.identities.append(name)
        return card

    def pile(self, value: Any, owner: str, default: int = 0) -> tuple[int, ...]:
        if value is None:
            value = default
        if isinstance(value, int):
            return tuple(self.new(None, owner) for _ in range(so_many(value)))
        if isinstance(value, list):
            return tuple(self.new(name, owner) for name in value)
        known = [self.new(name, owner) for name in value.get("known", [])]
        return (*known, *(self.new(None, owner) for _ in range(so_many(value.get("unknown", 0)))))


def build(
    given: Mapping[str, Any], facts: Mapping[str, CardFacts], case: Case
) -> tuple[Duel, Names]:
    """Return the duel and the names of its cards."""
    builder = _Builder(facts, options_of(case))
    sides = {player: _side(builder, player, given.get(player) or {}) for player in PLAYERS}
    turn = given.get("turn", 3)
    phase = given.get("phase", "main1")
    active = given.get("active", P1 if turn % 2 else P2)
    drawn = replace(sides[active], drawn=phase != "draw")
    sides[active] = drawn
    table = replace(
        EMPTY,
        opened=True,
        starter=P1,
        options=builder.options,
        facts=builder.facts,
        owners=tuple(builder.owners),
        identities=tuple(builder.identities),
        p1=sides[P1],
        p2=sides[P2],
        turn=turn,
        active=active,
        phase=phase,
        step=given.get("step", "battle") if phase == "battle" else "",
        fought=phase in ("battle", "main2"),
    )
    for card, placed, equipped_to in builder.placed:
        link = builder.names.find(equipped_to) if equipped_to is not None else 0
        table = put(table, card, replace(placed, equipped_to=link))
    return Duel(Trail(0, _opened(table), None, None)), builder.names


def _opened(table: Table) -> Table:
    """What is open in a position: the window of the Start or End Step, and the effects that
    name the Standby Phase."""
    if table.step == "start" or (table.step == "end" and table.options["end_step.responses"]):
        return replace(table, windows=(Window(table.step),), chance=table.active)
    if table.phase == "standby":
        draft = Draft(table)
        draft.trigger(triggers.at_standby(table))
        flow.go_on(draft)
        return draft.table
    return table


def _side(builder: _Builder, player: str, given: Mapping[str, Any]) -> Side:
    hand = builder.pile(given.get("hand"), player)
    deck = builder.pile(given.get("deck"), player, DECK_SIZE)
    for place, entry in enumerate(given.get("monsters", [])):
        _monster(builder, player, place, entry)
    for place, entry in enumerate(given.get("spells_traps", [])):
        _spell(builder, player, "spells_traps", place, entry, "set")
    if given.get("field"):
        _spell(builder, player, "field", 0, given["field"], "up")
    flags = given.get("flags", {})
    return Side(
        life_points=given.get("lp", 8000),
        hand=hand,
        deck=deck,
        graveyard=builder.pile(given.get("graveyard"), player),
        banished=builder.pile(given.get("banished"), player),
        fusion_deck=builder.pile(given.get("fusion_deck"), player),
        monsters=EMPTY_ROW,
        spells_traps=EMPTY_ROW,
        summoned=bool(flags.get("normal_summon_used", False)),
        opened=True,
    )


def _monster(builder: _Builder, player: str, place: int, entry: Any) -> None:
    entry = entry if isinstance(entry, dict) else {"card": entry}
    card = builder.new(entry["card"], entry.get("owner", player))
    placed = Placed(
        player,
        "monsters",
        place,
        entry.get("position", "attack"),
        entry.get("arrived_turn", 0),
        "",
        entry.get("position_changed_turn", 0),
        entry.get("attacked_turn", 0),
    )
    builder.placed.append((card, placed, None))


def _spell(builder: _Builder, player: str, zone: str, place: int, entry: Any, face: str) -> None:
    entry = entry if isinstance(entry, dict) else {"card": entry}
    card = builder.new(entry["card"], player)
    placed = Placed(player, zone, place, entry.get("face", face), entry.get("set_turn", 0))
    builder.placed.append((card, placed, entry.get("equipped_to")))


def seen(table: Table, card: int) -> str:
    """Return the name by which a case knows an instance."""
    return table.identities[card] or "?"
