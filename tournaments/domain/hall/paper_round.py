"""A round that was run on paper, as it is typed in: who sat where, and what came out."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from eventstore.domain.refusal import Refusal
from people.domain.names import fold
from tournaments.domain import slip

NUMBER = re.compile(r"#?(\d{1,6})")
MOST_NAMES = 6
"""How many of several people that fit a text are named."""


def read_cell(table: int, text: str) -> str | Refusal | None:
    """Return the line of a slip (`domain.slip`) that the field of a table makes: `2-1`, `1-1-1`,
    `2-0 d2`, `n1`, `dl` and the rest; None for an empty field.

    Refused with `tournaments.line_unreadable{found}`. Whether the match can end like that is
    asked of the match.
    """
    if not text.strip():
        return None
    line = f"{table} {text.strip()}"
    read = slip.read(line)
    return read if isinstance(read, Refusal) else line


@dataclass(frozen=True, slots=True)
class Somebody:
    """An entrant who can have played: its number in the event, its name."""

    entrant_id: str
    number: int
    name: str


def who_is(text: str, people: Sequence[Somebody]) -> Somebody | Refusal:
    """Return who is meant by a number (7, #7) or by a name or a part of it, marks left aside.

    A whole name goes before a part of one. Refused with `tournaments.paper_nobody{found}`,
    `tournaments.paper_several{found, allowed}`.
    """
    number = NUMBER.fullmatch(text.strip())
    if number is not None:
        fitting = [one for one in people if one.number == int(number[1])]
    else:
        wanted = fold(text)
        fitting = [one for one in people if fold(one.name) == wanted] or [
            one for one in people if wanted and wanted in fold(one.name)
        ]
    if len(fitting) == 1:
        return fitting[0]
    if not fitting:
        return Refusal("tournaments.paper_nobody", {"found": text.strip()[:60]})
    named = [f"#{one.number} {one.name}" for one in fitting[:MOST_NAMES]]
    return Refusal("tournaments.paper_several", {"found": text.strip()[:60], "allowed": named})


@dataclass(frozen=True, slots=True)
class Row:
    """One table as it was typed: texts for A, for B, and for what came out."""

    table: int
    one: str
    two: str
    result: str


@dataclass(frozen=True, slots=True)
class PaperRound:
    """A round as it was read. `results` are lines of slips by table. `faults` by field (a12, b12,
    r12 for table 12; bye; all)."""

    tables: tuple[int, ...]
    pairs: tuple[tuple[str, str], ...]
    byes: tuple[str, ...]
    results: Mapping[int, str]
    faults: Mapping[str, Refusal]


def read_round(rows: Sequence[Row], byes: Sequence[str], people: Sequence[Somebody]) -> PaperRound:
    """Read a whole round: who sat at which table, who had no opponent, and the results there are.

    A table without names was not used. `faults` hold besides those of who_is and read_cell
    `tournaments.paper_half{table}` (one of two), `tournaments.paper_twice{found, tables}`,
    `tournaments.paper_missing{found}` (who plays and stands nowhere), `tournaments.paper_empty`.
    """
    faults: dict[str, Refusal] = {}
    places: dict[str, list[str]] = {}
    named = {one.entrant_id: one for one in people}

    def find(field: str, text: str) -> str | None:
        found = who_is(text, people)
        if isinstance(found, Refusal):
            faults[field] = found
            return None
        places.setdefault(found.entrant_id, []).append(field)
        return found.entrant_id

    pairs: list[tuple[int, str, str]] = []
    results: dict[int, str] = {}
    for row in rows:
        sides: list[str | None] = []
        for mark, text in (("a", row.one), ("b", row.two)):
            sides.append(find(f"{mark}{row.table}", text) if text.strip() else None)
        empty = [not row.one.strip(), not row.two.strip()]
        if empty.count(True) == 1:
            field = f"{'a' if empty[0] else 'b'}{row.table}"
            faults[field] = Refusal("tournaments.paper_half", {"table": row.table})
        one, two = sides
        if one is not None and two is not None:
            pairs.append((row.table, one, two))
        cell = read_cell(row.table, row.result)
        if isinstance(cell, Refusal):
            faults[f"r{row.table}"] = cell
        elif cell is not None and all(empty):
            faults[f"a{row.table}"] = Refusal("tournaments.paper_half", {"table": row.table})
        elif cell is not None:
            results[row.table] = cell
    free = [found for text in byes if text.strip() and (found := find("bye", text)) is not None]
    for entrant, fields in places.items():
        for field in fields[1:]:
            at = [one if one == "bye" else int(one[1:]) for one in fields]
            faults[field] = Refusal(
                "tournaments.paper_twice", {"found": named[entrant].name, "tables": at}
            )
    missing = [one for one in people if one.entrant_id not in places]
    if not places and not faults:
        faults["all"] = Refusal("tournaments.paper_empty")
    elif missing and not faults:
        faults["all"] = Refusal(
            "tournaments.paper_missing", {"found": [f"#{one.number} {one.name}" for one in missing]}
        )
    return PaperRound(
        tuple(table for table, _, _ in pairs),
        tuple((one, two) for _, one, two in pairs),
        tuple(free),
        results,
        faults,
    )
