"""Can it be repaired? And what a rewind would undo. Neither orders anything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from duels.domain import play as ev
from duels.domain.events import BESIDE, Rewound
from duels.domain.instruments.since import Since, since
from duels.domain.seats import PLAYERS, other
from duels.domain.walk import Card, Step
from eventstore.domain.refusal import Refusal

SIMPLE, POSSIBLE = "simple", "possible"
LEAKED, NOT_RESTORABLE = "information_leaked", "not_restorable"
ANSWERS = (SIMPLE, POSSIBLE, LEAKED, NOT_RESTORABLE)
REASONS = (
    "not_identifiable",
    "deck_shuffled",
    "order_on_record",
    "learned",
    "seed_revealed",
    "decisions",
    "turns",
    "duel_over",
    "nothing_since",
)


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason of REASONS with what it rests on."""

    code: str
    params: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Repairable:
    """The answer (of ANSWERS) for an error at event `at`: undoing it means going back to just
    before it. `possible` asks for the head judge."""

    at: int
    answer: str
    reasons: tuple[Reason, ...]
    since: Since


def repairable(steps: Sequence[Step], at: int) -> Repairable | Refusal:
    """Say whether what happened at event `at` can be undone, and why (not).

    `not_restorable`: a card of that event can no longer be told apart, or a Deck was shuffled
    since and its order before is not on record; `information_leaked`: somebody learned what
    going back would hide; `simple`: nothing but that act since; else `possible`. Refused with
    `duels.no_such_line`.
    """
    if not 1 <= at <= len(steps):
        return Refusal("duels.no_such_line", {"found": at, "allowed": [1, len(steps)]})
    step = steps[at - 1]
    after, undone = since(steps, at), since(steps, at - 1)
    reasons: list[Reason] = []
    lost = [one for one in _moved(step) if not identifiable(steps, at, one)]
    if lost:
        cards = [step.place_of(step.after.table, one) for one in lost]
        reasons.append(Reason("not_identifiable", {"n": len(lost), "places": cards}))
    kept = _on_record(step)
    if undone.shuffles:
        code = "order_on_record" if kept else "deck_shuffled"
        reasons.append(Reason(code, {"lines": list(undone.shuffles)}))
    for viewer in (*PLAYERS, "public"):
        facts = [one for one in undone.learned if one.viewer == viewer and one.seq > at]
        if facts:
            lines = sorted({one.seq for one in facts})
            reasons.append(Reason("learned", {"viewer": viewer, "n": len(facts), "lines": lines}))
    if undone.revealed:
        reasons.append(Reason("seed_revealed"))
    codes = {one.code for one in reasons}
    acts = sum(len(listed) for listed in after.decisions.values())
    for player in PLAYERS:
        if after.decisions[player]:
            n = len(after.decisions[player])
            reasons.append(Reason("decisions", {"player": player, "n": n}))
    if after.turns:
        reasons.append(Reason("turns", {"n": after.turns}))
    if steps[-1].after.table.result is not None:
        reasons.append(Reason("duel_over"))
    if lost or "deck_shuffled" in codes:
        answer = NOT_RESTORABLE
    elif codes & {"learned", "seed_revealed"}:
        answer = LEAKED
    elif acts or after.turns or undone.shuffles or steps[-1].after.table.result is not None:
        answer = POSSIBLE
    else:
        answer = SIMPLE
        reasons.append(Reason("nothing_since"))
    return Repairable(at, answer, tuple(reasons), after)


def _on_record(step: Step) -> bool:
    """Say whether the order of a Deck before a shuffle is in the log: online, not on paper."""
    table = step.after.table
    return bool(table.mode == "refereed" and table.fidelity == "full")


def _moved(step: Step) -> list[int]:
    """Cards that the event brought into a hand: those that may have become one of many."""
    return [one for player in PLAYERS for one in step.came(player)]


def identifiable(steps: Sequence[Step], at: int, instance: int) -> bool:
    """Say whether the card that came to a hand at event `at` can still be told apart: it is
    there and its hand was not shuffled since, or the opponent knows it; or it has left for
    where all can see it, or for a place on the field. Online the log tells every card apart."""
    table = steps[-1].after.table
    if _on_record(steps[at - 1]):
        return True
    owner = table.owners[instance]
    player, zone = table.where(instance)
    shuffled = since(steps, at).hand_shuffles[owner]
    if zone == "hand":
        return not shuffled or other(owner) in steps[-1].knowers(steps[-1].after, instance)
    left = next(
        (step.seq for step in steps[at:] if step.plays and instance in step.went(owner)), None
    )
    if left is not None and shuffled and shuffled[0] < left and zone in steps[0].HIDDEN:
        return False
    if zone not in steps[0].HIDDEN:
        return bool(player)
    return not any(
        isinstance(step.event, ev.DeckShuffled) and step.event.player == owner
        for step in steps[at:]
        if not step.struck
    )


@dataclass(frozen=True, slots=True)
class Return:
    """A card that a rewind puts back: from where it lies to where it lay. `random_of`: how
    many cards it would be drawn from at random, because nobody can tell it apart; cards that are
    known are set aside first (None: it can be told apart)."""

    card: Card
    back_to: str
    random_of: int | None = None


def _alike(step: Step, player: str) -> frozenset[int]:
    """The cards of a hand that nobody but its player can tell apart: known ones are set aside
    before a lot is drawn."""
    return frozenset(
        one
        for one in step.after.table.side(player).hand
        if step.after.table.identities[one] is None
        and other(player) not in step.knowers(step.after, one)
    )


@dataclass(frozen=True, slots=True)
class Undone:
    """An event that a rewind would strike: its number and type."""

    seq: int
    code: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What a rewind to just after event `to` would undo: events newest first, none of which
    can be left out; cards that go back; what lies since."""

    to: int
    events: tuple[Undone, ...]
    returns: tuple[Return, ...]
    since: Since


def plan(steps: Sequence[Step], to: int) -> Plan | Refusal:
    """Plan a rewind. Refused with `duels.rewind_out_of_range`."""
    if not 1 <= to < len(steps):
        return Refusal("duels.rewind_out_of_range", {"found": to, "allowed": [1, len(steps) - 1]})
    now, then = steps[-1].after, steps[to - 1].after
    kept = set(then.trail.effective())
    undone = [
        Undone(seq, steps[seq - 1].code)
        for seq in now.trail.effective()
        if seq not in kept and not isinstance(steps[seq - 1].event, (*BESIDE, Rewound))
    ]
    after = since(steps, to)
    alike = {player: _alike(steps[-1], player) for player in PLAYERS}
    returns: list[Return] = []
    for instance in range(1, len(then.table.owners)):
        where, was = now.table.where(instance), then.table.where(instance)
        if where == was:
            continue
        owner = then.table.owners[instance]
        mixed = (
            where[1] == "hand"
            and bool(after.hand_shuffles[owner])
            and not _on_record(steps[to - 1])
            and instance in alike[owner]
        )
        returns.append(
            Return(
                steps[-1].card(now.table, instance),
                steps[-1].place_of(then.table, instance),
                len(alike[owner]) if mixed else None,
            )
        )
    return Plan(to, tuple(reversed(undone)), tuple(returns), after)
