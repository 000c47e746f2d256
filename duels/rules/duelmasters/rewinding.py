"""decide of a rewind: the event that takes play back, or why it cannot be taken back."""

from __future__ import annotations

from duels.domain.events import Rewound
from duels.domain.rewind import reversed_by
from duels.domain.seats import PLAYERS
from duels.rules.duelmasters.duel import Duel
from eventstore.domain.refusal import Refusal


def decide_rewind(
    duel: Duel,
    to: int,
    *,
    authorised_by: str,
    ruling: str | None = None,
    reason: str | None = None,
) -> Rewound | Refusal:
    """Take play back to just after event `to`. `reason` is sealed text. There are no Life Points
    in this game: they stand as 0.

    Refused with `duels.rewind_out_of_range` when `to` is no event before the newest.
    """
    taken_back = reversed_by(duel.trail, to)
    if isinstance(taken_back, Refusal):
        return taken_back
    table = duel.trail.at(to).state
    return Rewound(
        to,
        taken_back,
        authorised_by,
        ruling,
        reason,
        table.turn,
        table.active,
        table.phase,
        "",
        dict.fromkeys(PLAYERS, 0),
        table.result is not None,
    )
