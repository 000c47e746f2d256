"""The Life Point ledger: what the log derives, beside what each player's pad says.

Pads lag behind the table and behind each other, so values are compared change by change: the
k-th change of a player's Life Points since the last anchor, in the log and on either pad.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from duels.domain import events as ev
from duels.domain.rewind import struck
from eventstore.domain.registry import DomainEvent, name_of

SEATS = ("P1", "P2")
Points = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Row:
    """One line: event number and type; derived Life Points after it; each pad's values (None:
    that pad has said nothing yet); marks. `diverges`: here two accounts first differ on a
    change, or an agreement differs from what was derived."""

    seq: int
    code: str
    derived: Points
    pads: Mapping[str, Mapping[str, int | None]]
    agreed: bool = False
    disputed: bool = False
    struck: bool = False
    diverges: bool = False


@dataclass(frozen=True, slots=True)
class Divergence:
    """The first difference: at event `seq` the account `whose` (table, or a pad) has `about`
    at `value`, where the account `other` has `expected` for the same change; both before it;
    the changes that `whose` had made before since the last anchor, and those that `other` has
    made to the opponent's Life Points since then."""

    seq: int
    about: str
    whose: str
    other: str
    value: int
    expected: int
    before: int
    expected_before: int
    changes: tuple[int, ...] = ()
    opposite: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Ledger:
    """All rows, the event number of the first divergence (None: none), Life Points now, and
    the first divergence itself."""

    rows: tuple[Row, ...]
    first_divergence: int | None
    life_points: Points
    divergence: Divergence | None = None


def ledger(
    raw: Sequence[DomainEvent], derived: Sequence[Points] | None, start: int = 8000
) -> Ledger:
    """Make the ledger of a raw log.

    `derived`: Life Points of the table after each raw event, None for a duel that has pads
    only: then Life Points are the last agreed anchor plus undisputed deltas, of a player's own
    pad, or of the opponent's pad while the own one has no line since the anchor.
    """
    disputed = {event.line for event in raw if isinstance(event, ev.LineDisputed)}
    marks = struck(raw)
    accounts = _Accounts(start)
    rows: list[Row] = []
    first: int | None = None
    found: Divergence | None = None
    before: Points = dict.fromkeys(SEATS, start)
    for seq, event in enumerate(raw, 1):
        if derived is not None:
            accounts.derived = dict(derived[seq - 1])
        diverges = accounts.take(event, seq in disputed, before if derived is not None else None)
        told = isinstance(event, ev.LpDeclared | ev.LpAgreed | ev.Rewound)
        if told or accounts.derived != before:
            rows.append(
                Row(
                    seq,
                    name_of(event)[0],
                    dict(accounts.derived),
                    {by: dict(values) for by, values in accounts.pads.items()},
                    agreed=isinstance(event, ev.LpAgreed),
                    disputed=seq in disputed,
                    struck=marks[seq - 1],
                    diverges=diverges,
                )
            )
            if diverges and first is None:
                first = seq
                found = accounts.found
        before = dict(accounts.derived)
    if found is not None and first is not None:
        found = replace(found, seq=first)
    return Ledger(tuple(rows), first, before, found)


class _Accounts:
    """The running accounts of one pass over the log."""

    def __init__(self, start: int) -> None:
        self.anchor: dict[str, int] = dict.fromkeys(SEATS, start)
        self.derived: dict[str, int] = dict(self.anchor)
        self.pads: dict[str, dict[str, int | None]] = {
            by: dict.fromkeys(SEATS, None) for by in SEATS
        }
        self.found: Divergence | None = None
        self._reset()

    def _reset(self) -> None:
        """Begin anew after an anchor: no changes yet in any account."""
        self.changes: dict[tuple[str, str], list[int]] = {
            (by, about): [] for by in ("table", *SEATS) for about in SEATS
        }
        self.deltas: dict[tuple[str, str], int] = {}

    def take(self, event: DomainEvent, disputed: bool, before: Points | None) -> bool:
        """Take one event in; say whether two accounts differ on it. `before`: derived Life
        Points just before, None for a pad duel."""
        if isinstance(event, ev.Rewound):
            self.anchor = dict(self.derived)
            self._reset()
            return False
        if isinstance(event, ev.LpAgreed):
            differs = before is not None and dict(event.life_points) != dict(before)
            if differs and before is not None:
                self._agreed_otherwise(event.life_points, before)
            self.anchor = dict(event.life_points)
            for by in SEATS:
                self.pads[by] = dict(event.life_points)
            if before is None:
                self.derived = dict(self.anchor)
            self._reset()
            return differs
        if isinstance(event, ev.LpDeclared):
            return self._declared(event, disputed, before)
        if before is None:
            return False
        differs = False
        for about in SEATS:
            if self.derived[about] != before[about]:
                differs |= self._changed("table", about, self.derived[about])
        return differs

    def _declared(self, event: ev.LpDeclared, disputed: bool, before: Points | None) -> bool:
        by, about = event.player, event.about
        last = self.pads[by][about]
        delta = event.delta
        if delta is None:
            delta = event.value - (self.anchor[about] if last is None else last)
        self.pads[by][about] = event.value
        if before is None and not disputed:
            self.deltas[by, about] = self.deltas.get((by, about), 0) + delta
            own = (about, about)
            account = own if own in self.deltas else (by, about)
            self.derived[about] = max(0, self.anchor[about] + self.deltas[account])
        return self._changed(by, about, event.value)

    def _agreed_otherwise(self, agreed: Points, derived: Points) -> None:
        about = next((seat for seat in SEATS if agreed.get(seat) != derived[seat]), None)
        if about is not None and about in agreed:
            last = self.anchor[about]
            self.found = Divergence(
                0, about, "agreement", "table", agreed[about], derived[about], last, last
            )

    def _changed(self, by: str, about: str, value: int) -> bool:
        mine = self.changes[by, about]
        mine.append(value)
        rank = len(mine) - 1
        for (whose, whom), others in self.changes.items():
            if whom == about and whose != by and len(others) > rank and others[rank] != value:
                self.found = self._divergence(by, whose, about, rank)
                return True
        return False

    def _divergence(self, by: str, other: str, about: str, rank: int) -> Divergence:
        """Say what differs on the change of this rank. The table's own account stands on the
        right-hand side, whichever of the two came later."""
        if by == "table":
            by, other = other, by
        mine, others = self.changes[by, about], self.changes[other, about]
        start = self.anchor[about]
        return Divergence(
            0,
            about,
            by,
            other,
            mine[rank],
            others[rank],
            mine[rank - 1] if rank else start,
            others[rank - 1] if rank else start,
            _deltas(start, mine[:rank]),
            _deltas(self.anchor[_opponent(about)], self.changes[other, _opponent(about)]),
        )


def _opponent(seat: str) -> str:
    return SEATS[1] if seat == SEATS[0] else SEATS[0]


def _deltas(start: int, values: Sequence[int]) -> tuple[int, ...]:
    return tuple(after - before for before, after in pairwise((start, *values)))
