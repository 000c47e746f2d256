"""Reads for judges: the instruments over the log of a duel, and its text to take away.

Everything here but `fairness` and a masked text is for the judges of the event
(`duels.instruments_read`). While a duel goes on, its hidden cards stand in none of it unless they
were revealed to the judge who reads (duels.reveals). A duel that does not exist answers like a
hidden one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.util import find_spec
from statistics import median
from typing import TypeVar

from cards import selectors as cards
from decks import selectors as decks
from duels.domain import text
from duels.domain.duel import Infraction
from duels.domain.events import DuelOpened
from duels.domain.flags import Flag
from duels.domain.instruments import counts, deck, fairness, knowing, pace, repair, veil
from duels.domain.instruments.ledgers import DrawRow, LifePoints, Tally
from duels.domain.lines import Line
from duels.domain.seats import PLAYERS
from duels.domain.walk import Step
from duels.models import DuelRow
from duels.reveals import sight
from duels.rules.games import NEW, PACKAGES, Rules, evolve, fold, rules_in, rules_of
from duels.selectors import guard_perspective, lines_seen, opening_of, read_duel, read_for
from duels.services import subject_of
from eventstore.domain import registry
from eventstore.domain.envelope import Recorded
from eventstore.domain.refusal import Refusal, Refused
from people.access import require
from people.domain.actor import Actor

ACTION = "duels.instruments_read"
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Judged:
    """A duel as read for a judge: its lines as recorded, its opening, its walked log. `opened`:
    its hidden cards, all of them, are open to this judge."""

    recorded: list[Recorded]
    opening: DuelOpened
    steps: list[Step]
    opened: bool

    @property
    def now(self) -> Step:
        """The newest step."""
        return self.steps[-1]

    @property
    def rules(self) -> Rules:
        """The rules of its game."""
        return rules_of(self.opening.game)


@dataclass(frozen=True, slots=True)
class PaceShown:
    """The pace of a duel, and the median seconds per turn of the ended duels of its event
    (None: there is none)."""

    pace: pace.Pace
    room_median: float | None


@dataclass(frozen=True, slots=True)
class DeckShown:
    """Cards seen more often than a list has them; `lists`: seats whose list is known."""

    lists: tuple[str, ...]
    unlisted: tuple[deck.Unlisted, ...]


@dataclass(frozen=True, slots=True)
class Inspection:
    """All instruments over one duel. `at`: the event looked at; `times` and `lines`: of each
    event, UTC text and what a judge reads; `repairable` for an error at
    it; `plan` of a rewind to just before it (None for the first event); `knowledge` just after
    it; `opened`: hidden cards stand in it."""

    duel_id: str
    event_id: str | None
    match_id: str | None
    number: int
    seats: dict[str, list[str]]
    at: int
    head: int
    times: tuple[str, ...]
    lines: tuple[Line, ...]
    marks: tuple[Flag, ...]
    infractions: tuple[Infraction, ...]
    draws: tuple[DrawRow, ...]
    audit: counts.Audit
    life_points: LifePoints
    repairable: repair.Repairable
    plan: repair.Plan | None
    pace: PaceShown
    knowledge: tuple[knowing.Known, ...]
    fairness: fairness.Fairness
    deck: DeckShown
    opened: bool
    tallies: tuple[Tally, ...]


def inspects(game: str) -> bool:
    """Say whether the package of a game has instruments."""
    package = PACKAGES.get(game, "")
    return bool(package) and find_spec(f"duels.rules.{package}.instruments") is not None


def _judged(viewer: Actor, duel_id: str) -> Judged:
    """Read a duel for its judges. Raises NotAllowed; Refused `duels.not_open`."""
    recorded = read_duel(duel_id)
    opening = opening_of(recorded)
    require(viewer, ACTION, subject_of(evolve(NEW, opening) if opening is not None else NEW))
    if opening is None:
        raise Refused(Refusal("duels.not_open", {}))
    raw = [one.data for one in recorded]
    opened = sight(viewer, opening, raw, "judge") == len(raw)
    return Judged(recorded, opening, rules_of(opening.game).walk(raw), opened)


def _accepted(found: T | Refusal) -> T:
    if isinstance(found, Refusal):
        raise Refused(found)
    return found


def _at(judged: Judged, at: int | None) -> int:
    head = len(judged.steps)
    if at is not None and not 1 <= at <= head:
        raise Refused(Refusal("duels.no_such_line", {"found": at, "allowed": [1, head]}))
    return head if at is None else at


def inspection(viewer: Actor, duel_id: str, at: int | None = None) -> Inspection:
    """Return all instruments at event `at` (None: the newest).

    Raises NotAllowed; Refused `duels.no_such_line`, `duels.not_open`.
    """
    judged = _judged(viewer, duel_id)
    here, opening, steps = _at(judged, at), judged.opening, judged.steps
    rules = judged.rules
    return Inspection(
        duel_id,
        opening.event_id,
        opening.match_id,
        opening.number,
        {seat: list(persons) for seat, persons in opening.seats.items()},
        here,
        len(steps),
        tuple(one.recorded_at for one in judged.recorded),
        tuple(lines_seen(viewer, opening, [step.event for step in steps], "judge")),
        tuple(rules.status(judged.now.after)),
        judged.now.after.infractions,
        tuple(_draws(judged)),
        counts.audit(steps),
        rules.life_points(steps),
        _repairable(judged, here),
        _plan(judged, here - 1) if here > 1 else None,
        _pace(judged),
        tuple(_known(judged, here)),
        fairness.fairness(steps),
        _deck(viewer, judged),
        judged.opened,
        tuple(_tallies(judged)),
    )


def _draws(judged: Judged) -> list[DrawRow]:
    rows = judged.rules.draws(judged.steps)
    return rows if judged.opened else veil.veil_draws(judged.steps, rows)


def _tallies(judged: Judged) -> list[Tally]:
    found = judged.rules.tallies(judged.steps)
    return found if judged.opened else veil.veil_tallies(judged.steps, found)


def _repairable(judged: Judged, at: int) -> repair.Repairable:
    found = _accepted(repair.repairable(judged.steps, at))
    return found if judged.opened else veil.veil_repairable(judged.now, found)


def _plan(judged: Judged, to: int) -> repair.Plan:
    plan = _accepted(repair.plan(judged.steps, to))
    return plan if judged.opened else veil.veil_plan(judged.now, plan)


def _known(judged: Judged, at: int) -> list[knowing.Known]:
    then = judged.steps[at - 1]
    rows = knowing.who_knew(then)
    return rows if judged.opened else veil.veil_knowledge(then, rows)


def draw_ledger(viewer: Actor, duel_id: str) -> list[DrawRow]:
    """Return a row for each card that came into a hand. Raises NotAllowed."""
    return _draws(_judged(viewer, duel_id))


def hand_audit(viewer: Actor, duel_id: str) -> counts.Audit:
    """Return the audit of the hand counts. Raises NotAllowed."""
    return counts.audit(_judged(viewer, duel_id).steps)


def lp_explained(viewer: Actor, duel_id: str) -> LifePoints:
    """Return the Life Point ledger with explanations of its first divergence. Raises
    NotAllowed."""
    judged = _judged(viewer, duel_id)
    return judged.rules.life_points(judged.steps)


def repairable(viewer: Actor, duel_id: str, at: int | None) -> repair.Repairable:
    """Say whether an error at event `at` can be undone. Raises NotAllowed; Refused
    `duels.no_such_line`."""
    judged = _judged(viewer, duel_id)
    return _repairable(judged, _at(judged, at))


def rewind_plan(viewer: Actor, duel_id: str, to: int | None) -> repair.Plan:
    """Plan a rewind to just after event `to` (None: to before the newest). Raises NotAllowed;
    Refused `duels.rewind_out_of_range`."""
    judged = _judged(viewer, duel_id)
    return _plan(judged, len(judged.steps) - 1 if to is None else to)


def duel_pace(viewer: Actor, duel_id: str) -> PaceShown:
    """Return seconds per turn and player. Raises NotAllowed. Two queries."""
    return _pace(_judged(viewer, duel_id))


def who_knew(viewer: Actor, duel_id: str, at: int | None) -> list[knowing.Known]:
    """Return who knew which card just after event `at`. Raises NotAllowed; Refused
    `duels.no_such_line`."""
    judged = _judged(viewer, duel_id)
    return _known(judged, _at(judged, at))


def duel_fairness(viewer: Actor, duel_id: str) -> fairness.Fairness:
    """Return whether the shuffles keep their commitment, for everybody who may see the duel.
    Raises NotAllowed."""
    recorded = read_for(viewer, duel_id)
    guard_perspective(viewer, recorded, "public")
    raw = [one.data for one in recorded]
    return fairness.fairness(rules_in(raw).walk(raw))


def deck_check(viewer: Actor, duel_id: str) -> DeckShown:
    """Return the cards seen that the registered lists do not hold. Raises NotAllowed."""
    return _deck(viewer, _judged(viewer, duel_id))


def duel_text(viewer: Actor, duel_id: str, perspective: str) -> tuple[bool, bytes]:
    """Return whether the text is masked, and the duel in the text format (docs/duel-text.md).

    A judge gets the whole log, which can be replayed, of a duel that is over or was taken down
    on paper. While a refereed duel goes on nobody is told the order of the Decks, and the text
    is masked for judges too; what was not revealed to a judge, is written as everybody reads it.
    Raises NotAllowed; Refused `duels.perspective_unknown`.
    """
    recorded = read_for(viewer, duel_id)
    opening = guard_perspective(viewer, recorded, perspective)
    raw = [one.data for one in recorded]
    opened = sight(viewer, opening, raw, perspective) == len(raw)
    over = opened and (opening.mode == "recorded" or fold(raw).table.result)
    if perspective == "judge" and over:
        entries = [text.Entry(one.data, one.recorded_at, one.meta.source) for one in recorded]
        return False, text.write(entries)
    rows = [
        (line.code, registry.registered()[line.code], one.recorded_at, one.meta.source, line.params)
        for line, one in zip(lines_seen(viewer, opening, raw, perspective), recorded, strict=True)
    ]
    return True, text.write_masked(opening, rows, perspective)


def _pace(judged: Judged) -> PaceShown:
    rows = [(one.data, one.recorded_at) for one in judged.recorded]
    return PaceShown(pace.pace(rows), _room_median(judged.opening.event_id))


def _room_median(event_id: str | None) -> float | None:
    """Return the median over the ended duels of an event of their seconds per turn."""
    if event_id is None:
        return None
    ended = DuelRow.objects.filter(event_id=event_id, turn__gt=0).exclude(winner="")
    found = [
        (datetime.fromisoformat(last) - datetime.fromisoformat(first)).total_seconds() / turns
        for first, last, turns in ended.values_list("opened_at", "last_at", "turn")
    ]
    return round(median(found), 3) if found else None


def _deck(viewer: Actor, judged: Judged) -> DeckShown:
    lists = registered_lists(viewer, judged.opening.event_id, judged.opening.seats)
    # a simulator deals other art of a card under another number
    folds = lists and judged.opening.fidelity == "imported"
    identity = cards.catalogue(viewer).identity if folds else str
    unlisted = deck.unlisted(judged.steps, lists, identity, public=not judged.opened)
    return DeckShown(tuple(lists), tuple(unlisted))


def registered_lists(
    viewer: Actor, event_id: str | None, seats: Mapping[str, Sequence[str]]
) -> dict[str, list[str]]:
    """Return, per seat, every copy of the list in force of its first person who has one. Raises
    NotAllowed for who may not read the lists of an event."""
    if event_id is None:
        return {}
    # number 0: on paper alone, its cards are not known yet
    rows = {
        row.person_id: row.deck_id for row in decks.decks_of_event(viewer, event_id) if row.number
    }
    found: dict[str, list[str]] = {}
    for player in PLAYERS:
        deck_id = next((rows[one] for one in seats.get(player, ()) if one in rows), None)
        if deck_id is not None:
            held = decks.deck_in_force(viewer, deck_id).deck
            found[player] = [*held.main, *held.extra, *held.side]
    return found
