"""Lists of card limits, `*.lflist.conf`: read as EDOPro reads them, every trap reported.

A list may put points on cards: `$genesys 100` gives the budget of a deck, `id $genesys 20` what
a copy costs. In a list with a budget the third column does too: `id 3 20 --Name`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

from cards.domain.facts import MAX_ID
from cards.domain.findings import Finding, Unreadable, error, warning
from cards.domain.sources import decode_text, limited
from eventstore.domain import canonical

MAX_BYTES = 4 << 20
MAX_LINES = 100_000
MAX_LISTS = 200
MAX_FINDINGS = 500
MAX_POINTS = 100_000
"""The largest budget, and the most that a copy may cost."""
COUNTED_DECKS = ("main", "extra", "side")
HASH_START = 0x7DFCEE6A
_MASK = 0xFFFFFFFF
_COUNT = re.compile(r"[-0-9]*")
DATE = re.compile(r"(?<!\d)(\d{4})[.\-/](\d{1,2})(?:[.\-/](\d{1,2}))?(?!\d)")
_DATA = re.compile(r"(\d{1,20})( +)(.*)", re.DOTALL)
_BUDGET = re.compile(r"\$([^\s$]{1,40})[ \t]+(\d{1,9})((?:[ \t]+(?:main|extra|side))*)[ \t]*")
_COST = re.compile(r"\$([^\s$]{1,40})[ \t]+(\d{1,9})(?!\d)(.*)", re.DOTALL)
_THIRD = re.compile(r"[ \t]+(\d{1,9})[ \t]*(?:--(.*))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Limit:
    """How many copies of one id a list allows. `count` is -1 to 3 as written (below 0 means
    never legal); `remark` is what follows, usually the name, and helps with unknown ids. An id
    of 0 says that the card is named by its remark alone (decks.domain.preset_data)."""

    passcode: int
    count: int
    remark: str = ""

    @property
    def allowed(self) -> int:
        """Copies allowed, from 0."""
        return max(0, self.count)


@dataclass(frozen=True, slots=True)
class Cost:
    """What one copy of an id costs, in points; `remark` as in Limit."""

    passcode: int
    points: int
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Points:
    """The points of a list: their name, what a deck may cost in all, which of its decks are
    counted (`main`, `extra`, `side`), and the costs in order of the ids. A card without a cost
    is free."""

    name: str
    budget: int
    costs: tuple[Cost, ...]
    decks: tuple[str, ...] = COUNTED_DECKS


@dataclass(frozen=True, eq=False)
class Banlist:
    """One list: its title, whether only the cards on it are legal, the limits by id in order
    of the ids, the hash by which hosts and replays of the field name it, and the points where
    it has them."""

    title: str
    whitelist: bool
    limits: tuple[Limit, ...]
    client_hash: int = HASH_START
    findings: tuple[Finding, ...] = field(default=())
    points: Points | None = None

    @cached_property
    def content_hash(self) -> str:
        """Hex SHA-256 of title, kind, limits and points: what an event freezes."""
        body: list[object] = [
            self.title,
            self.whitelist,
            [[one.passcode, one.count] for one in self.limits],
        ]
        if self.points is not None:
            held = self.points
            costs = [[one.passcode, one.points] for one in held.costs]
            body += [held.name, held.budget, list(held.decks), costs]
        return hashlib.sha256(canonical.encode(body)).hexdigest()

    @property
    def date(self) -> str:
        """The date in the title as YYYY-MM-DD (first of the month when no day), or empty."""
        found = DATE.search(self.title)
        if found is None:
            return ""
        year, month, day = int(found[1]), int(found[2]), int(found[3] or 1)
        return f"{year:04}-{month:02}-{day:02}" if 1 <= month <= 12 and 1 <= day <= 31 else ""

    def counts(self) -> dict[int, int]:
        """Return how many ids have each count."""
        held: dict[int, int] = {}
        for one in self.limits:
            held[one.count] = held.get(one.count, 0) + 1
        return held


@dataclass(frozen=True, slots=True)
class BanlistsRead:
    """The lists of one file, and what was found outside of any list."""

    lists: tuple[Banlist, ...]
    findings: tuple[Finding, ...]


def hash_step(value: int, passcode: int, count: int) -> int:
    """Take one data line into the list hash of the field: 32-bit rotations by 18 and 27 + count."""
    turn = (27 + count) % 32
    mixed = (passcode << turn | passcode >> (32 - turn)) & _MASK
    return value ^ (passcode << 18 | passcode >> 14) & _MASK ^ mixed


@dataclass(slots=True)
class _Building:
    """A list while its lines are read."""

    title: str
    whitelist: bool = False
    limits: dict[int, Limit] = field(default_factory=dict)
    lines: dict[int, int] = field(default_factory=dict)
    client_hash: int = HASH_START
    findings: list[Finding] = field(default_factory=list)
    budget: tuple[str, int, tuple[str, ...]] | None = None
    costs: dict[int, Cost] = field(default_factory=dict)
    third: dict[int, Cost] = field(default_factory=dict)
    first_cost: tuple[int, str] | None = None

    def note(self, finding: Finding) -> None:
        if len(self.findings) < MAX_FINDINGS:
            self.findings.append(finding)

    def take(self, number: int, line: str) -> None:
        found = _DATA.fullmatch(line)
        if found is None:
            self.note(warning("no_entry", number, found=line[:60]))
            return
        passcode = int(found[1])
        if found[3].startswith("$"):
            self.take_cost(number, passcode, found[3])
            return
        digits = _COUNT.match(found[3])
        count = _as_count(digits[0] if digits else "")
        if not 0 < passcode <= MAX_ID:
            self.note(error("id_out_of_range", number, found=found[1]))
            return
        if count is None:
            self.note(error("count_missing", number, found=line[:60]))
            return
        if not -1 <= count <= 3:
            self.note(error("count_out_of_range", number, found=count, allowed=[-1, 3]))
            return
        if count < 0:
            self.note(warning("negative_count", number, id=passcode, found=count))
        if len(found[2]) > 1:
            # The field's client drops such a line without a word, older readers take it.
            self.note(warning("two_blanks", number, id=passcode, found=len(found[2]), allowed=1))
        else:
            self.client_hash = hash_step(self.client_hash, passcode, count)
        earlier = self.limits.get(passcode)
        if earlier is not None:
            self.note(
                warning(
                    "repeated_id",
                    number,
                    id=passcode,
                    first_line=self.lines[passcode],
                    found=earlier.count,
                    counts=count,
                )
            )
        rest = found[3][len(digits[0]) if digits else 0 :]
        remark = _remark(rest)
        third = _THIRD.fullmatch(rest)
        if third is not None:
            self.first_cost = self.first_cost or (number, third[1])
            self.third[passcode] = Cost(passcode, int(third[1]), _remark(third[2] or ""))
        self.limits[passcode] = Limit(passcode, count, remark)
        self.lines[passcode] = number

    def set_budget(self, number: int, name: str, budget: int, decks: str) -> None:
        if budget > MAX_POINTS:
            self.note(error("points_out_of_range", number, found=budget, allowed=[0, MAX_POINTS]))
            return
        if self.budget is not None:
            self.note(warning("second_budget", number, found=name[:40], allowed=self.budget[0]))
            return
        named = decks.split()
        counted = tuple(one for one in COUNTED_DECKS if one in named) or COUNTED_DECKS
        self.budget = (name, budget, counted)

    def take_cost(self, number: int, passcode: int, text: str) -> None:
        found = _COST.fullmatch(text)
        if found is None:
            self.note(error("points_missing", number, found=text[:60]))
        elif not 0 < passcode <= MAX_ID:
            self.note(error("id_out_of_range", number, found=str(passcode)))
        elif int(found[2]) > MAX_POINTS:
            allowed = [0, MAX_POINTS]
            self.note(error("points_out_of_range", number, found=int(found[2]), allowed=allowed))
        elif self.budget is not None and found[1] != self.budget[0]:
            allowed_name = self.budget[0]
            self.note(warning("second_budget", number, found=found[1], allowed=allowed_name))
        else:
            self.first_cost = self.first_cost or (number, f"${found[1]}")
            earlier = self.costs.get(passcode)
            if earlier is not None and earlier.points != int(found[2]):
                was, now = earlier.points, int(found[2])
                self.note(warning("repeated_id", number, id=passcode, found=was, counts=now))
            self.costs[passcode] = Cost(passcode, int(found[2]), _remark(found[3]))

    def points(self) -> Points | None:
        """Put the costs together; without a budget they say nothing, which is told."""
        if self.budget is None:
            if self.first_cost is not None:
                line, found = self.first_cost
                self.note(warning("points_without_budget", line, found=found))
            return None
        name, budget, decks = self.budget
        for passcode, third in self.third.items():
            self.limits[passcode] = replace(self.limits[passcode], remark=third.remark)
        costs = {**self.third, **self.costs}
        for one in [one for one in costs.values() if one.points > MAX_POINTS]:
            allowed = [0, MAX_POINTS]
            at = self.lines.get(one.passcode)
            self.note(error("points_out_of_range", at, found=one.points, allowed=allowed))
            del costs[one.passcode]
        return Points(name, budget, tuple(costs[one] for one in sorted(costs)), decks)

    def done(self) -> Banlist:
        points = self.points()
        return Banlist(
            title=self.title,
            whitelist=self.whitelist,
            limits=tuple(self.limits[one] for one in sorted(self.limits)),
            client_hash=self.client_hash,
            findings=tuple(self.findings),
            points=points,
        )


def _remark(rest: str) -> str:
    """Return the remark of a line: what follows its numbers, up to a tab, without dashes."""
    return " ".join(rest.strip().removeprefix("--").split("\t")[0].split())[:200]


def _as_count(digits: str) -> int | None:
    """Read the count as the field's readers do: a sign and digits, the rest ignored."""
    found = re.match(r"-?\d{1,9}", digits)
    return int(found[0]) if found else None


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.split("\n"), 1):
        if number > MAX_LINES:
            raise Unreadable("too_many_lines", found=number, allowed=MAX_LINES)
        yield number, line.split("\r", 1)[0]


def read_banlists(data: bytes) -> BanlistsRead:
    """Read every list of a file.

    Findings of a list: `two_blanks` (kept), `repeated_id` (the last line counts),
    `negative_count` (never legal), `no_entry`, `count_missing`, `count_out_of_range`,
    `id_out_of_range`, `unknown_directive`; of its points `points_missing`,
    `points_out_of_range`, `points_without_budget` (they count for nothing), `second_budget`
    (points of one name only are kept). Findings outside of one: `data_before_title`,
    `no_list`, and those of the encoding. Raises Unreadable: `too_large`, `too_many_lines`,
    `too_many_lists`.
    """
    text, findings = decode_text(limited(data, MAX_BYTES))
    lists: list[_Building] = []
    for number, line in _lines(text):
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("!"):
            if len(lists) >= MAX_LISTS:
                raise Unreadable("too_many_lists", found=len(lists) + 1, allowed=MAX_LISTS)
            title = canonical.text(" ".join(line[1:].split()))[:200]
            lists.append(_Building(title))
        elif not lists:
            if len(findings) < MAX_FINDINGS:
                findings.append(warning("data_before_title", number, found=line[:60]))
        elif line.startswith("$whitelist"):
            lists[-1].whitelist = True
        elif (budget := _BUDGET.fullmatch(line)) is not None:
            lists[-1].set_budget(number, budget[1], int(budget[2]), budget[3])
        elif line.startswith("$"):
            lists[-1].note(warning("unknown_directive", number, found=line[:60]))
        else:
            lists[-1].take(number, line)
    if not lists:
        findings.append(error("no_list"))
    return BanlistsRead(tuple(one.done() for one in lists), tuple(findings))
