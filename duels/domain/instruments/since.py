"""What has happened since an event: decisions, turns, chance, and what was learned by whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from duels.domain import play as ev
from duels.domain.duel import Duel
from duels.domain.events import BESIDE, HandShuffled, SeedRevealed
from duels.domain.knowledge import PUBLIC
from duels.domain.seats import PLAYERS
from duels.domain.walk import Card, Step


@dataclass(frozen=True, slots=True)
class Fact:
    """A hidden fact that `viewer` (P1, P2, public) learned: which card, at which event."""

    viewer: str
    card: Card
    seq: int


@dataclass(frozen=True, slots=True)
class Since:
    """What lies after event `at` and is in force: event numbers, oldest first; decisions by
    seat; turns begun; shuffles of decks and of hands; facts learned (struck lines count too:
    a rewind takes nothing out of a head); whether the secret of the shuffles is disclosed."""

    at: int
    events: tuple[int, ...]
    decisions: Mapping[str, tuple[int, ...]]
    turns: int
    shuffles: tuple[int, ...]
    hand_shuffles: Mapping[str, tuple[int, ...]]
    learned: tuple[Fact, ...]
    revealed: bool


def since(steps: Sequence[Step], at: int) -> Since:
    """Return what lies after event `at` (0: everything) of a walked log."""
    later = [step for step in steps[at:] if step.plays and not step.struck]
    play = [step for step in later if not isinstance(step.event, BESIDE)]
    decisions: dict[str, list[int]] = {player: [] for player in PLAYERS}
    for step in play:
        if step.decided():
            decisions[_who(step)].append(step.seq)
    hands: dict[str, list[int]] = {player: [] for player in PLAYERS}
    for step in later:
        if isinstance(step.event, HandShuffled):
            hands[step.event.player].append(step.seq)
    return Since(
        at,
        tuple(step.seq for step in play),
        {player: tuple(listed) for player, listed in decisions.items()},
        sum(1 for step in play if isinstance(step.event, ev.TurnBegun)),
        tuple(step.seq for step in play if isinstance(step.event, ev.DeckShuffled)),
        {player: tuple(listed) for player, listed in hands.items()},
        tuple(learned(steps, at)),
        any(isinstance(step.event, SeedRevealed) for step in steps[at:]),
    )


def _who(step: Step) -> str:
    named = getattr(step.event, "player", "")
    return named if named in PLAYERS else step.before.table.active or PLAYERS[0]


def learned(steps: Sequence[Step], at: int) -> list[Fact]:
    """Return what each player and the public learned after event `at` that going back there
    would hide from them again.

    A card of the own Deck that its player fetched by an effect is left out: where in the Deck
    it lay was not learned, and that it is in there was known.
    """
    if not steps:
        return []
    then = steps[at - 1].after if at else steps[0].before
    now = steps[-1].after
    found: list[Fact] = []
    for instance in range(1, len(then.table.owners)):
        for viewer in (*PLAYERS, PUBLIC):
            seen = now.knowledge.get(instance, {}).get(viewer)
            if seen is None or seen.since <= at:
                continue
            if steps[0].sees(then, viewer, instance):
                continue
            if _fetched(steps[seen.since - 1], then, viewer, instance):
                continue
            found.append(Fact(viewer, steps[0].card(now.table, instance), seen.since))
    return sorted(found, key=lambda one: (one.seq, one.card.card, one.viewer))


def _fetched(step: Step, then: Duel[Any], viewer: str, instance: int) -> bool:
    own = bool(then.table.owners[instance] == viewer)
    return own and not isinstance(step.event, ev.CardsDrawn) and _in_deck(then, instance)


def _in_deck(duel: Duel[Any], instance: int) -> bool:
    zone: str = duel.table.where(instance)[1]
    return zone == "deck"
