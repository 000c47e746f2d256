"""The chart of who is ahead (Life Points, shields): a line per player over the numbers of the log,
as SVG attributes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from duels.domain.ledger import Ledger
from duels.selectors import LogLine

WIDTH, HEIGHT, TOP = 1000, 100, 6


@dataclass(frozen=True, slots=True)
class Chart:
    """Paths in a box of 1000 by 100; places along the axis are per cent of its width."""

    paths: dict[str, str]
    bands: tuple[tuple[str, str, int], ...]
    rings: tuple[tuple[str, str], ...]
    gaps: tuple[str, ...]
    play: str
    most: int


def _share(seq: int, head: int) -> str:
    return f"{100 * (seq - 1) / max(1, head - 1):.2f}%"


def chart(
    measured: Sequence[tuple[int, Mapping[str, int]]],
    ledger: Ledger,
    lines: Sequence[LogLine],
    at: int,
) -> Chart:
    """Draw what a log of `len(lines)` events tells (duels.selectors.measured), with the rings and
    gaps of the pads, looked at after event `at`."""
    head = len(lines)
    most = max((max(held.values()) for _seq, held in measured), default=0)

    def height(points: int) -> float:
        return round(TOP + (HEIGHT - TOP) * (1 - points / max(1, most)), 1)

    paths: dict[str, str] = {}
    for seat in ("P1", "P2"):
        drawn = f"M0 {height(measured[0][1][seat] if measured else 0)}"
        for seq, held in measured[1:]:
            x = round(WIDTH * (seq - 1) / max(1, head - 1), 1)
            drawn += f"H{x}V{height(held[seat])}"
        paths[seat] = f"{drawn}H{WIDTH}"
    rings = tuple(
        (_share(row.seq, head), f"{height(row.derived[seat])}%")
        for row in ledger.rows
        if row.agreed
        for seat in ("P1", "P2")
    )
    gaps = tuple(_share(row.seq, head) for row in ledger.rows if row.diverges)
    return Chart(paths, _bands(lines, head), rings, gaps, _share(at, head), most)


def _bands(lines: Sequence[LogLine], head: int) -> tuple[tuple[str, str, int], ...]:
    """Return (start, width, turn) of every turn, struck lines left out."""
    starts: dict[int, int] = {}
    for line in lines:
        if not line.struck and line.turn:
            starts.setdefault(line.turn, line.seq)
    turns = sorted(starts)
    bands: list[tuple[str, str, int]] = []
    for place, turn in enumerate(turns):
        begin = starts[turn]
        end = starts[turns[place + 1]] if place + 1 < len(turns) else head
        width = 100 * max(0, end - begin) / max(1, head - 1)
        bands.append((_share(begin, head), f"{width:.2f}%", turn))
    return tuple(bands)
