"""What instruments say to somebody to whom the hidden cards are closed: where, when, who and how
many, and which card only where everybody knows it. Numbers and flags stay: they are the evidence
on which a judge asks for more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from duels.domain.instruments.knowing import JUDGE, Known
from duels.domain.instruments.ledgers import DrawRow, Tally
from duels.domain.instruments.repair import Plan, Repairable, Return
from duels.domain.instruments.since import Since
from duels.domain.knowledge import PUBLIC
from duels.domain.walk import Card, Step

HIDDEN_ZONES = ("hand", "deck", "shields")


def _place(place: str) -> str:
    """A place without its number in a hand or a Deck: which of the cards there it is, is hidden."""
    player, _, rest = place.partition(".")
    zone = rest.partition(".")[0]
    return f"{player}.{zone}" if zone in HIDDEN_ZONES else place


def veiled(step: Step, one: Card) -> Card:
    """Return a card as everybody knows it after a step: instance 0 without key and name where it is
    hidden."""
    if one.card and step.sees(step.after, PUBLIC, one.card):
        return one
    return Card(0, None, None, one.owner, _place(one.place))


def veil_draws(steps: Sequence[Step], rows: Sequence[DrawRow]) -> list[DrawRow]:
    """Return the draw ledger without hidden cards."""
    found: list[DrawRow] = []
    for row in rows:
        then = steps[row.seq - 1]
        found.append(
            replace(
                row,
                card=veiled(then, row.card),
                by=None if row.by is None else veiled(then, row.by),
                source=_place(row.source),
            )
        )
    return found


def veil_knowledge(step: Step, rows: Sequence[Known]) -> list[Known]:
    """Return who knows how many cards where: which card only where everybody knows it. A judge
    knows nothing more."""
    found: list[Known] = []
    for row in rows:
        knowers = {who: seen for who, seen in row.knowers.items() if who != JUDGE}
        if not knowers:
            continue
        found.append(Known(veiled(step, row.card), knowers))
    return sorted(found, key=lambda one: (one.card.place, one.card.card, _since(one)))


def _since(one: Known) -> list[tuple[str, int]]:
    return sorted((who, seen.since) for who, seen in one.knowers.items())


def veil_since(now: Step, since: Since) -> Since:
    """Return what lies since an event, with what was learned as a number of cards."""
    learned = [replace(one, card=veiled(now, one.card)) for one in since.learned]
    return replace(
        since,
        learned=tuple(sorted(learned, key=lambda one: (one.seq, one.card.card, one.viewer))),
    )


def veil_repairable(now: Step, found: Repairable) -> Repairable:
    """Return whether it can be repaired, without the places of cards."""
    reasons = tuple(
        replace(one, params={key: one.params[key] for key in one.params if key != "places"})
        for one in found.reasons
    )
    return replace(found, reasons=reasons, since=veil_since(now, found.since))


def veil_plan(now: Step, plan: Plan) -> Plan:
    """Return the plan of a rewind with the cards that go back as places."""
    returns = [
        Return(card, one.back_to if card.card else _place(one.back_to), one.random_of)
        for one in plan.returns
        for card in (veiled(now, one.card),)
    ]
    return replace(
        plan,
        returns=tuple(
            sorted(returns, key=lambda one: (one.card.place, one.back_to, one.card.card))
        ),
        since=veil_since(now, plan.since),
    )


def veil_tallies(steps: Sequence[Step], found: Sequence[Tally]) -> list[Tally]:
    """Return the audits of zones without hidden cards."""
    return [
        replace(
            tally,
            rows=tuple(
                replace(row, cards=tuple(veiled(steps[row.seq - 1], card) for card in row.cards))
                for row in tally.rows
            ),
        )
        for tally in found
    ]
