"""Where the reader of a log can jump: to the draws, the changes of Life Points, what does not add
up, what is disputed; and the marks of the lines under the scrubber."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from duels.domain.ledger import Ledger
from duels.selectors import LogLine

DRAW, POINTS = ("duels.cards_drawn",), ("duels.lp_changed", "duels.shields_broken")
"""Codes of draws, and of what changes who is ahead."""
DISPUTE = "duels.line_disputed"
BESIDE_PLAY = (
    "duels.rewound",
    "duels.infraction_recorded",
    "duels.lot_drawn",
    DISPUTE,
    "duels.count_declared",
)
QUIET = frozenset(
    (
        *(
            "duels.duel_opened",
            "duels.deck_shuffled",
            "duels.seed_committed",
            "duels.seed_revealed",
        ),
        *("duels.passed", "duels.window_closed", "duels.phase_entered", "duels.step_entered"),
        *("duels.step_begun", "duels.turn_begun", "duels.turn_marked", "duels.hand_shuffled"),
    )
)
"""Lines without a mark of their own: the bands of the turns, and what only lets play go on."""
WIDTH = 1000
REACH = {"draw": (15, 22), "act": (11, 22), "points": (3, 22), "beside": (0, 8)}
"""From where to where the mark of a kind goes in a box of 1000 by 22."""


@dataclass(frozen=True, slots=True)
class Jump:
    """The lines of a kind nearest to the one looked at; None where there is none. `keys` are
    those that lead there."""

    kind: str
    icon: str
    before: int | None
    after: int | None
    keys: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Marks:
    """Marks by kind as SVG paths, and (start, width) of runs of struck lines, in the box."""

    paths: dict[str, str]
    struck: tuple[tuple[float, float], ...]


def jumps(lines: Sequence[LogLine], ledger: Ledger, at: int, wrong: Collection[int]) -> list[Jump]:
    """Return the jumps from line `at`, those of kinds that the log has. `wrong`: lines whose
    count is not what lay there; a difference of the pads counts where it begins."""
    diverging = [row.seq for row in ledger.rows if row.diverges]
    begun = [
        row.seq
        for row, before in zip(ledger.rows, [None, *ledger.rows], strict=False)
        if row.diverges and not (before is not None and before.diverges)
    ]
    disputed = {one.params.get("line") for one in lines if one.code == DISPUTE}
    kinds: tuple[tuple[str, str, Iterable[int], tuple[str, str]], ...] = (
        ("draw", "draw", _of(lines, DRAW), ("D", "d")),
        ("points", "lp", _of(lines, POINTS), ("[", "]")),
        ("mismatch", "warn", {*wrong, *(begun or diverging)}, ("H", "h")),
        ("disputed", "mark", {one for one in disputed if isinstance(one, int)}, ("X", "x")),
    )
    found = []
    for kind, icon, seqs, keys in kinds:
        there = sorted(seqs)
        if there:
            before = max((one for one in there if one < at), default=None)
            after = min((one for one in there if one > at), default=None)
            found.append(Jump(kind, icon, before, after, keys))
    return found


def _of(lines: Sequence[LogLine], codes: Sequence[str]) -> list[int]:
    return [one.seq for one in lines if one.code in codes and not one.struck]


def _kind(line: LogLine) -> str:
    if line.code in DRAW:
        return "draw"
    if line.code in POINTS:
        return "points"
    return "beside" if line.code in BESIDE_PLAY else "act"


def marks(lines: Sequence[LogLine]) -> Marks:
    """Draw the marks of a log; what would fall together is drawn once."""
    head = len(lines)

    def place(seq: int) -> float:
        return round(WIDTH * (seq - 1) / max(1, head - 1), 1)

    places: dict[str, set[float]] = {}
    for line in lines:
        if line.code not in QUIET and not line.struck:
            places.setdefault(_kind(line), set()).add(place(line.seq))
    paths = {
        kind: "".join(f"M{x:g} {REACH[kind][0]}V{REACH[kind][1]}" for x in sorted(found))
        for kind, found in places.items()
    }
    runs: list[list[int]] = []
    for line in lines:
        if line.struck:
            if runs and runs[-1][1] == line.seq - 1:
                runs[-1][1] = line.seq
            else:
                runs.append([line.seq, line.seq])
    struck = tuple((place(one), max(3.0, round(place(two) - place(one), 1))) for one, two in runs)
    return Marks(paths, struck)
