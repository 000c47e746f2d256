"""The games that an engine plays, and what the package of a game gives to everybody else.

Nothing outside of this package asks which game a duel is of: it takes the duel's `Rules`. A game
is a package beside this module with the modules `game` (Rules), `recorder` (Recorder), `matches`
(MatchRules by id) and `case_runner`, and its rules.toml.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any, Protocol, TypeAlias, cast

from cards.domain.facts import CardFacts as Printed
from duels.domain.duel import Duel
from duels.domain.events import DuelOpened, Rewound
from duels.domain.flags import Flag
from duels.domain.instruments.ledgers import DrawRow, LifePoints, Tally
from duels.domain.lines import Line
from duels.domain.matches import MatchRules
from duels.domain.offers import Recorder
from duels.domain.opening import Opening
from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent

AnyDuel: TypeAlias = Duel[Any]
PACKAGES: Mapping[str, str] = {"yugioh": "yugioh", "duel-masters": "duelmasters"}
"""The name of a game in events, cards and decks -> its package beside this module."""
PLAYED = tuple(PACKAGES)
"""Games with an engine. Cards and decks of other games are known (cards.domain.games,
decks.domain.presets); their duels are played on the table alone."""


class Policy(Protocol):
    """A seeded policy that plays whole duels: for rehearsals and tests."""

    def to_act(self, duel: Any) -> str | None:
        """Return whose act the table waits for, None after the end."""

    def choose(self, duel: Any, player: str, rng: Any) -> Any:
        """Return the next act of a player."""

    def play(self, duel: Any, rng: Any, most: int = ...) -> tuple[AnyDuel, list[DomainEvent]]:
        """Play a duel on; return it and the events that were added."""


class Rules(Protocol):
    """What the package of a game supplies in its module `game`. An act is a value of the game;
    its plain form is JSON. `held_up` and `guessed` are asked before `decide` where a player, not
    a judge, acts: what would go past others, or name cards that the player may not know."""

    NEW: AnyDuel
    FACTS: type[Any]
    """The struct of the facts of a card, as a duel freezes them."""
    ACTS: Any
    """The tagged union of all acts, for the schema of the API."""
    NOT_FOR_PLAYERS: tuple[type[Any], ...]
    """Acts that only a judge may write."""
    FIRST_PHASE: str
    """Where a turn begins."""
    PHASES: Sequence[str]
    """The phases or steps of a turn, in order."""
    POINTS: bool
    """Whether players have Life Points, which pads can count."""
    BOT: Policy
    SKIPPED: str
    """The rule that says that a player may answer: cited where that chance was skipped."""
    MOST_CARDS: int
    """Most cards that a deck may hold."""
    evolve: Callable[[Any, DomainEvent], AnyDuel]
    read: Callable[[object], Any]
    plain: Callable[[Any], dict[str, Any]]
    decide: Callable[[Any, Any], list[DomainEvent] | Refusal]
    explain: Callable[[Any, Any], list[Refusal]]
    legal_acts: Callable[[Any, str], list[Any]]
    held_up: Callable[[Any, Any], Refusal | None]
    guessed: Callable[[Any, Any], Refusal | None]
    view: Callable[[Any, str], dict[str, Any]]
    lines: Callable[[Sequence[DomainEvent], str], list[Line]]
    status: Callable[[Any], list[Flag]]
    states: Callable[[Sequence[DomainEvent]], list[Any] | Refusal]
    decide_rewind: Callable[..., Rewound | Refusal]
    open_duel: Callable[[Opening, str], list[DomainEvent] | Refusal]
    scatter: Callable[[Sequence[str | None], str], list[str | None]]
    walk: Callable[[Sequence[DomainEvent]], list[Any]]
    """The steps of a log (duels.domain.walk.Step), for the instruments."""
    draws: Callable[[Sequence[Any]], list[DrawRow]]
    life_points: Callable[[Sequence[Any]], LifePoints]
    tallies: Callable[[Sequence[Any]], list[Tally]]

    def concede(self, player: str) -> Any:
        """Return the act by which a seat gives the duel up."""

    def points(self, table: Any) -> dict[str, int]:
        """Return the Life Points by seat, 0 in a game without any."""

    def measure(self, table: Any) -> dict[str, int]:
        """Return by seat what tells who is ahead: Life Points, or shields."""

    def frozen(self, card: Printed) -> Any | None:
        """Return the facts of a card of the catalogue as a duel keeps them; None for a kind of
        card that the game has not."""

    def further(self, keys: Iterable[str]) -> set[str]:
        """Return the keys of cards that these cards can bring into being."""


def is_played(game: str) -> bool:
    """Say whether there is an engine for a game."""
    return game in PACKAGES


@cache
def _module(game: str, name: str) -> Any:
    if game not in PACKAGES:
        raise KeyError(game)
    return import_module(f"duels.rules.{PACKAGES[game]}.{name}")


def rules_of(game: str) -> Rules:
    """Return the rules of a game. Raises KeyError for a game without an engine."""
    return cast(Rules, _module(game, "game"))


def recorder_of(game: str) -> Recorder:
    """Return what the package of a game offers to a recorder. Raises KeyError for a game without
    an engine."""
    return cast(Recorder, _module(game, "recorder"))


@cache
def match_rules() -> Mapping[str, Mapping[str, MatchRules]]:
    """Return the match rules of every game by their ids, the usual ones of a game first."""
    return {game: dict(_module(game, "matches").MATCHES) for game in PACKAGES}


def rules_for(duel: AnyDuel) -> Rules:
    """Return the rules that a duel is played by; those of the first game before it is opened."""
    return rules_of(duel.opening.game if duel.opening is not None else PLAYED[0])


def rules_in(raw: Sequence[DomainEvent]) -> Rules:
    """Return the rules that a log is played by: its first event names the game."""
    first = raw[0] if raw else None
    game = first.game if isinstance(first, DuelOpened) and is_played(first.game) else PLAYED[0]
    return rules_of(game)


NEW: AnyDuel = rules_of(PLAYED[0]).NEW
"""A duel before its first event; the first event makes it a duel of its game."""


def evolve(duel: AnyDuel, event: DomainEvent) -> AnyDuel:
    """Return a duel of any game after one event."""
    if isinstance(event, DuelOpened) and duel.seq == 0:
        rules = rules_of(event.game)
        return rules.evolve(rules.NEW, event)
    return rules_for(duel).evolve(duel, event)


def fold(events: Iterable[DomainEvent], duel: AnyDuel = NEW) -> AnyDuel:
    """Return a duel of any game after a log."""
    for event in events:
        duel = evolve(duel, event)
    return duel
