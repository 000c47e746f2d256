"""The Life Point ledger of a duel, its first divergence, and what could explain it."""

from __future__ import annotations

from collections.abc import Sequence

from duels.domain.divergence import Change, explain
from duels.domain.events import LpAgreed
from duels.domain.instruments.ledgers import LifePoints as LifePoints
from duels.domain.ledger import ledger
from duels.rules.yugioh import battle
from duels.rules.yugioh import events as ev
from duels.rules.yugioh.instruments.walk import Step
from duels.rules.yugioh.match import PLAYERS, other
from duels.rules.yugioh.state import LIFE_POINTS, Table


def life_points(steps: Sequence[Step]) -> LifePoints:
    """Return the ledger of a walked log."""
    raw = [step.event for step in steps]
    opening = steps[-1].after.opening if steps else None
    start = opening.life_points if opening is not None else LIFE_POINTS
    pad = opening is not None and opening.fidelity == "pad"
    derived = [
        {player: step.after.table.side(player).life_points for player in PLAYERS} for step in steps
    ]
    made = ledger(raw, None if pad else derived, start)
    if made.divergence is None:
        return LifePoints(made, ())
    found = explain(made.divergence, () if pad else changes(steps, made.divergence.seq))
    return LifePoints(made, tuple(found))


def changes(steps: Sequence[Step], upto: int) -> list[Change]:
    """Return the changes of Life Points in force since the last agreement before event `upto`.
    Changes after it are left out: nobody could have written them down by then."""
    listed: list[Change] = []
    for step in steps[:upto]:
        event = step.event
        if isinstance(event, LpAgreed) and step.seq < upto:
            listed.clear()
        if isinstance(event, ev.LpChanged) and not step.struck:
            printed = _printed(step.before.table) if event.cause == "battle" else {}
            for one in event.changes:
                had = step.before.table.side(one.player).life_points
                alternatives = tuple(
                    -loss for loss in printed.get(one.player, ()) if -loss != one.delta
                )
                listed.append(
                    Change(step.seq, one.player, one.life_points - had, event.cause, alternatives)
                )
    return listed


def _printed(table: Table) -> dict[str, list[int]]:
    """Return the losses of each seat if printed values had been compared in the open attack:
    the attacker's, the target's, or both."""
    attack = table.attack
    placed = table.placed.get(attack.attacker) if attack is not None else None
    if attack is None or placed is None:
        return {}
    facts = table.facts_of(attack.attacker)
    mine = {attack.value, (facts.atk or 0) if facts is not None else attack.value}
    against: set[int | None] = {attack.against}
    target = table.placed.get(attack.target)
    defending = target is not None and target.position != "attack"
    theirs = table.facts_of(attack.target) if attack.target else None
    if attack.against is not None and theirs is not None:
        against.add((theirs.defence if defending else theirs.atk) or 0)
    lost: dict[str, list[int]] = {player: [] for player in PLAYERS}
    for value in sorted(mine):
        for compared in sorted(against, key=lambda one: -1 if one is None else one):
            outcome = battle.calculate(value, compared, defending=defending)
            lost[placed.controller].append(outcome.attacker_loses)
            lost[other(placed.controller)].append(outcome.defender_loses)
    return lost
