"""Were the shuffles those that the duel committed itself to? Anybody can ask this."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from duels.domain import chance
from duels.domain import play as ev
from duels.domain.chance import shuffled
from duels.domain.events import SeedCommitted, SeedRevealed
from duels.domain.seats import PLAYERS
from duels.domain.walk import Step

NOT_COMMITTED, SEALED, KEPT, BROKEN = "not_committed", "sealed", "kept", "broken"
FAULTS = ("secret_differs", "committed_late", "seed_differs", "order_differs", "committed_twice")


@dataclass(frozen=True, slots=True)
class ChanceFault:
    """What is wrong with one event of chance: its number, and a code of FAULTS."""

    seq: int
    code: str


@dataclass(frozen=True, slots=True)
class Fairness:
    """`state`: not_committed (no refereed duel, or an old one), sealed (its secret is not
    disclosed yet), kept, or broken with `faults`. `commitment`
    and, once disclosed, `secret` are what everybody may check."""

    state: str
    commitment: str | None
    secret: str | None
    shuffles: tuple[int, ...]
    faults: tuple[ChanceFault, ...]


def fairness(steps: Sequence[Step]) -> Fairness:
    """Check the chance of a walked log against its commitment."""
    committed: SeedCommitted | None = None
    revealed: str | None = None
    faults: list[ChanceFault] = []
    shuffles: list[int] = []
    made = dict.fromkeys(PLAYERS, 0)
    for step in steps:
        match step.event:
            case SeedCommitted() as event:
                if committed is not None:
                    faults.append(ChanceFault(step.seq, "committed_twice"))
                elif shuffles:
                    faults.append(ChanceFault(step.seq, "committed_late"))
                committed = committed or event
                if chance.commitment(event.secret) != event.commitment:
                    faults.append(ChanceFault(step.seq, "secret_differs"))
            case SeedRevealed(secret):
                revealed = secret
                if committed is None or chance.commitment(secret) != committed.commitment:
                    faults.append(ChanceFault(step.seq, "secret_differs"))
            case ev.DeckShuffled() as event:
                shuffles.append(step.seq)
                made[event.player] += 1
                deck = step.before.table.side(event.player).deck
                if event.order != shuffled(deck, event.seed):
                    faults.append(ChanceFault(step.seq, "order_differs"))
                if committed is not None and event.seed != chance.shuffle_seed(
                    committed.secret, event.player, made[event.player]
                ):
                    faults.append(ChanceFault(step.seq, "seed_differs"))
    if committed is None:
        return Fairness(NOT_COMMITTED, None, revealed, tuple(shuffles), ())
    state = BROKEN if faults else KEPT if revealed is not None else SEALED
    return Fairness(state, committed.commitment, revealed, tuple(shuffles), tuple(faults))
