"""Compare option lists where refereed play has stopped, on the table of the imported log.

The text of a card was used, and most texts have no script here. The recording still says what
lay on the table at each decision, so our lawful acts are worked out on that table. Such a
comparison measures and proves nothing: a text may forbid what the rules allow, or allow more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from duels.domain.rewind import Trail
from duels.imports.engine.folding import Step
from duels.imports.engine.importing import Imported
from duels.imports.engine.refereed import SEATS, our_offer
from duels.imports.engine.requests import DECISIONS, Beyond, Offer, offer_of, request_of
from duels.rules.yugioh import evolve as evolving
from duels.rules.yugioh.duel import Duel
from duels.rules.yugioh.legal import legal_acts
from duels.rules.yugioh.state import EMPTY, Table

TEXT, ARRIVAL = "YGO-0.1", "YGO-11.14"


@dataclass(slots=True)
class Measured:
    """Decisions looked at, how many have equal lists, and how often which list differs, with
    the rule: `YGO-0.1 summons +` where ours offers more (a text forbids it), `summons -` where
    the recording does (a text allows it)."""

    decisions: int = 0
    equal: int = 0
    differing: Counter[str] = field(default_factory=Counter)


def measure(steps: Sequence[Step], imported: Imported, first: int) -> Measured:
    """Compare the lists of every decision from the batch at index `first` on."""
    measured, table, done = Measured(), EMPTY, 0
    for index, (step, number) in enumerate(zip(steps, imported.after, strict=True)):
        for event in imported.events[done:number]:
            table = evolving.step(table, event)
        done = number
        request = request_of(step.batch)
        if index < first or request is None or request["msg"] not in DECISIONS:
            continue
        try:
            offer = offer_of(step.table, request)
        except Beyond:
            continue
        found = _differing(table, offer, imported.ours)
        measured.decisions += 1
        measured.equal += not found
        measured.differing.update(found)
    return measured


def _differing(table: Table, offer: Offer, ours: Mapping[int, int]) -> list[str]:
    duel = Duel(Trail(0, table, None, None))
    lawful = our_offer(legal_acts(duel, SEATS[offer.player]), offer)
    found: list[str] = []
    for name in Offer.__dataclass_fields__:
        told, mine = getattr(offer, name), getattr(lawful, name)
        if isinstance(told, frozenset):
            told = frozenset(ours[card] for card in told)
            if mine - told:
                found.append(f"{TEXT} {name} +")
            if told - mine:
                new = name == "pos_changes" and _arrived(table, told - mine)
                found.append(f"{ARRIVAL if new else TEXT} {name} -")
        elif told != mine:
            found.append(f"{TEXT} {name} {'+' if mine else '-'}")
    return found


def _arrived(table: Table, cards: Iterable[int]) -> bool:
    """Whether all of them came to the field in this turn. The engine lets a player change the
    position of a monster that the opponent's effect put there in the player's own turn."""
    lying = [table.placed.get(card) for card in cards]
    return all(one is not None and one.arrived_turn == table.turn for one in lying)
