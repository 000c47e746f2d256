"""What this package gives to everybody else (duels.rules.games.Rules)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cards.domain.facts import CardFacts as Printed
from duels.domain.instruments.ledgers import LifePoints
from duels.domain.ledger import ledger
from duels.domain.seats import PLAYERS
from duels.rules.duelmasters import acts as a
from duels.rules.duelmasters import bot as BOT
from duels.rules.duelmasters.acts import plain as plain
from duels.rules.duelmasters.acts import read as read
from duels.rules.duelmasters.cards import CIVILIZATIONS, CREATURE, SPELL, Card
from duels.rules.duelmasters.duel import NEW as NEW
from duels.rules.duelmasters.duel import evolve as evolve
from duels.rules.duelmasters.engine import decide as decide
from duels.rules.duelmasters.engine import explain as explain
from duels.rules.duelmasters.instruments.draws import draws as draws
from duels.rules.duelmasters.instruments.tallies import tallies as tallies
from duels.rules.duelmasters.instruments.walk import Step
from duels.rules.duelmasters.instruments.walk import walk as walk
from duels.rules.duelmasters.legal import held_up as held_up
from duels.rules.duelmasters.legal import legal_acts as legal_acts
from duels.rules.duelmasters.lines import lines as lines
from duels.rules.duelmasters.rewinding import decide_rewind as decide_rewind
from duels.rules.duelmasters.scripts import Script, script_of
from duels.rules.duelmasters.seats import player as seat_of
from duels.rules.duelmasters.setup import MAX_CARDS
from duels.rules.duelmasters.setup import open_duel as open_duel
from duels.rules.duelmasters.setup import scatter as scatter
from duels.rules.duelmasters.sight import guessed as guessed
from duels.rules.duelmasters.soundness import states as states
from duels.rules.duelmasters.state import STEPS, Table
from duels.rules.duelmasters.status import status as status
from duels.rules.duelmasters.view import view as view

__all__ = ["BOT"]
FACTS = Card
ACTS = a.AnyAct
NOT_FOR_PLAYERS = (a.Observe,)
PHASES = STEPS
FIRST_PHASE = STEPS[0]
POINTS = False
SKIPPED = "DM-8.10"
MOST_CARDS = MAX_CARDS
KINDS = {"creature": CREATURE, "dm_spell": SPELL}
"""The catalogue's kinds of card -> those of the rules (DM-10.13)."""
CIVILIZATION = {word.lower(): word for word in CIVILIZATIONS}


def concede(player: str) -> a.Concede:
    """Return the act by which a seat gives the duel up."""
    return a.Concede(seat_of(player))


def points(table: Table) -> dict[str, int]:
    """There are no Life Points in this game."""
    return dict.fromkeys(PLAYERS, 0)


def measure(table: Table) -> dict[str, int]:
    """Shields tell who is ahead; their number is public (DM-10.14)."""
    return {seat: len(table.side(seat).shields) for seat in PLAYERS}


def frozen(card: Printed) -> Card | None:
    """Return the facts of a card of the catalogue as a duel keeps them; None for a kind of card,
    or more civilizations than one, that these rules have not (DM-10.3, 10.13)."""
    kind, civilization = KINDS.get(card.kind), CIVILIZATION.get(card.attribute.lower())
    if kind is None or civilization is None or card.level is None:
        return None
    script = script_of(card.key)
    if script is None:
        # no text at hand: most evolution creatures need their own race
        own = card.race.partition(" / ")[0] if "evolution" in card.traits else None
        script = Script(card.name, evolves=own or None)
    return Card(
        key=card.key,
        name=card.name,
        type=kind,
        civilization=civilization,
        cost=card.level,
        power=card.atk if kind == CREATURE else None,
        plus="plus" in card.traits,
        race=card.race or None,
        evolves=script.evolves,
        abilities=list(script.abilities),
        power_attacker=script.power_attacker,
        effects=list(script.effects),
        silent=script_of(card.key) is None,
    )


def further(keys: Iterable[str]) -> set[str]:
    """No card of this game brings another one into being."""
    return set()


def life_points(steps: Sequence[Step]) -> LifePoints:
    """There are no Life Points in this game: the ledger has nothing but zeros."""
    raw = [step.event for step in steps]
    return LifePoints(ledger(raw, [dict.fromkeys(PLAYERS, 0) for _ in steps], 0), ())
