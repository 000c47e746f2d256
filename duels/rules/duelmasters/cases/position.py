"""Build a duel from the position that a case gives (FORMAT.md, section 5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from duels.domain.cases import Case, CaseFault, Names, so_many
from duels.domain.rewind import Trail
from duels.rules.duelmasters import cards as kinds
from duels.rules.duelmasters import options as opts
from duels.rules.duelmasters.cards import CIVILIZATIONS, Card
from duels.rules.duelmasters.duel import Duel
from duels.rules.duelmasters.seats import P1
from duels.rules.duelmasters.setup import seats_of
from duels.rules.duelmasters.state import EMPTY, STEPS, Lying, Side, Table
from eventstore.domain.refusal import Refusal

DECK_SIZE, SHIELDS = 20, 5


def facts_of(*sources: Mapping[str, Any]) -> dict[str, Card]:
    """Return the facts of the cards that a file and a case name; later sources go before."""
    known: dict[str, Card] = {}
    for source in sources:
        for name, record in source.items():
            loaded = kinds.facts({**record, "name": name, "key": name})
            if isinstance(loaded, Refusal):
                raise CaseFault(f"card {name!r}: {loaded.code} {loaded.params}")
            known[name] = loaded
    return known


def options_of(case: Case) -> dict[str, opts.Value]:
    """Return the complete options of a case; raises CaseFault for one that there is not."""
    values = opts.complete(case.get("options", {}))
    if isinstance(values, Refusal):
        raise CaseFault(f"{values.code} {values.params}")
    return values


def filler(civilization: str) -> Card:
    """Return a card that a case knows by its civilization alone."""
    if civilization not in CIVILIZATIONS:
        raise CaseFault(f"{civilization!r} is no civilization")
    return Card(f"~{civilization}", f"a {civilization} card", kinds.CREATURE, civilization, 1)


class _Builder:
    def __init__(self, facts: Mapping[str, Card]) -> None:
        self.names = Names()
        self.owners: list[str] = [""]
        self.identities: list[str | None] = [None]
        self.lying: dict[int, Lying] = {}
        self.facts = dict(facts)

    def new(self, name: str | None, owner: str) -> int:
        self.owners.append(owner)
        card = len(self.owners) - 1
        if name is not None and not name.startswith("~"):
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

    def battle(self, entries: Any, owner: str) -> tuple[int, ...]:
        row: list[int] = []
        for entry in entries or []:
            entry = entry if isinstance(entry, dict) else {"card": entry}
            card = self.new(entry["card"], entry.get("owner", owner))
            under = tuple(self.new(one, owner) for one in entry.get("under", []))
            tapped, entered = bool(entry.get("tapped", False)), entry.get("entered_turn", 0)
            self.lying[card] = Lying(tapped, entered, "summoned", under)
            row.append(card)
        return tuple(row)

    def mana(self, value: Any, owner: str, tapped: bool) -> tuple[int, ...]:
        entries: list[Any] = value or []
        if isinstance(value, dict):
            entries = []
            for civilization, n in value.items():
                facts = filler(civilization)
                self.facts[facts.key] = facts
                entries += [facts.key] * so_many(n)
        row: list[int] = []
        for entry in entries:
            entry = entry if isinstance(entry, dict) else {"card": entry}
            card = self.new(entry["card"], owner)
            self.lying[card] = Lying(bool(entry.get("tapped", tapped)))
            row.append(card)
        return tuple(row)

    def side(self, player: str, given: Mapping[str, Any]) -> Side:
        hand = self.pile(given.get("hand"), player)
        deck = self.pile(given.get("deck"), player, DECK_SIZE)
        battle = self.battle(given.get("battle"), player)
        graveyard = self.pile(given.get("graveyard"), player)
        shields = self.pile(given.get("shields"), player, SHIELDS)
        mana = self.mana(given.get("mana"), player, False)
        mana += self.mana(given.get("mana_tapped"), player, True)
        flags = given.get("flags", {})
        return Side(
            deck=deck,
            hand=hand,
            shields=shields,
            mana=mana,
            battle=battle,
            graveyard=graveyard,
            charged=bool(flags.get("charged", False)),
        )


def build(given: Mapping[str, Any], facts: Mapping[str, Card], case: Case) -> tuple[Duel, Names]:
    """Return the duel and the names of its cards."""
    builder = _Builder(facts)
    options = options_of(case)
    seats = seats_of(options)
    sides = {one: builder.side(one, given.get(one) or {}) for one in seats}
    turn, step = given.get("turn", 3), given.get("step", "main")
    if step not in STEPS:
        raise CaseFault(f"there is no step {step!r}")
    active = given.get("active", seats[(turn - 1) % 2])
    done = STEPS.index(step)
    sides[active] = replace(sides[active], untapped=done > 0, drawn=done > 1)
    table: Table = replace(
        EMPTY,
        opened=True,
        starter=P1 if turn != 1 else active,
        options=options,
        facts=builder.facts,
        owners=tuple(builder.owners),
        identities=tuple(builder.identities),
        sides=sides,
        lying=builder.lying,
        turn=turn,
        active=active,
        step=step,
    )
    return Duel(Trail(0, table, None, None)), builder.names


def seen(table: Table, card: int) -> str:
    """Return the name by which a case knows an instance."""
    return table.identities[card] or "?"
