"""What this package gives to everybody else (duels.rules.games.Rules)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cards.domain.facts import CardFacts as Printed
from duels.domain.events import CardFacts, seat
from duels.domain.instruments.ledgers import Tally
from duels.domain.seats import PLAYERS
from duels.rules.yugioh import acts as a
from duels.rules.yugioh import bot as BOT
from duels.rules.yugioh.acts import plain as plain
from duels.rules.yugioh.acts import read as read
from duels.rules.yugioh.cards import RACES, TYPES
from duels.rules.yugioh.duel import NEW as NEW
from duels.rules.yugioh.duel import evolve as evolve
from duels.rules.yugioh.engine import decide as decide
from duels.rules.yugioh.engine import explain as explain
from duels.rules.yugioh.instruments.draws import draws as draws
from duels.rules.yugioh.instruments.life_points import life_points as life_points
from duels.rules.yugioh.instruments.walk import Step
from duels.rules.yugioh.instruments.walk import walk as walk
from duels.rules.yugioh.legal import held_up as held_up
from duels.rules.yugioh.legal import legal_acts as legal_acts
from duels.rules.yugioh.lines import lines as lines
from duels.rules.yugioh.rewinding import decide_rewind as decide_rewind
from duels.rules.yugioh.scripts import script_of, tokens_of
from duels.rules.yugioh.setup import MAX_CARDS
from duels.rules.yugioh.setup import open_duel as open_duel
from duels.rules.yugioh.setup import scatter as scatter
from duels.rules.yugioh.sight import guessed as guessed
from duels.rules.yugioh.soundness import states as states
from duels.rules.yugioh.state import Table
from duels.rules.yugioh.status import status as status
from duels.rules.yugioh.view import view as view

__all__ = ["BOT"]
FACTS = CardFacts
ACTS = a.AnyAct
NOT_FOR_PLAYERS = (a.Observe,)
PHASES = ("draw", "standby", "main1", "battle", "main2", "end")
FIRST_PHASE = "draw"
POINTS = True
SKIPPED = "YGO-17.9"
MOST_CARDS = MAX_CARDS
RULE_WORDS = {word.lower().replace(" ", "_").replace("-", "_"): word for word in RACES}
"""The catalogue's words of monster Types -> those of the rules (YGO-8.2), which scripts use."""


def concede(player: str) -> a.Concede:
    """Return the act by which a seat gives the duel up."""
    return a.Concede(seat(player))


def points(table: Table) -> dict[str, int]:
    """Return the Life Points by seat."""
    return {player: table.side(player).life_points for player in PLAYERS}


def measure(table: Table) -> dict[str, int]:
    """Life Points tell who is ahead."""
    return points(table)


def frozen(card: Printed) -> CardFacts | None:
    """Return the facts of a card of the catalogue as a duel keeps them; None for a kind of
    card that the game has not (a skill)."""
    if card.kind not in TYPES:
        return None
    script = script_of(card.key)
    return CardFacts(
        key=card.key,
        name=card.name,
        type=card.kind,
        kind=card.subkind,
        level=card.level,
        atk=card.atk,
        defence=card.defence,
        attribute=card.attribute.upper() or None,
        race=RULE_WORDS.get(card.race, card.race) or None,
        effects=list(script.effects) if script is not None else [],
        materials=list(script.materials) if script is not None else [],
        ritual=dict(script.ritual) if script is not None else {},
    )


def further(keys: Iterable[str]) -> set[str]:
    """Return the keys of the tokens that these cards can create."""
    found: set[str] = set()
    for key in keys:
        script = script_of(key)
        if script is not None:
            found |= tokens_of(script.effects)
    return found


def tallies(steps: Sequence[Step]) -> list[Tally]:
    """There is no zone to tally in this game: draws and Life Points say it all."""
    return []
