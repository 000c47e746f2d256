"""Comma-separated tables: results and players in the form of the publisher's program, and plain
tables for a spreadsheet.

A cell that a spreadsheet would take for a formula gets an apostrophe in front, in every table: a
player chooses the own name, and the organiser opens the file.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from tournaments.domain.exchange.kts import NOBODY, plain_id
from tournaments.domain.exchange.sheet import (
    CSV,
    MAX_BYTES,
    MOST_MATCHES,
    MOST_ROUNDS,
    Finding,
    Sheet,
    SheetBye,
    SheetMatch,
    SheetPlayer,
    Unreadable,
)
from tournaments.domain.exchange.xml import clean, whole

SYSTEM = "konami-kts@1"
RESULTS = ("Event ID", "Round", "Player 1", "Result", "Player 2")
PLAYERS = ("ID", "First Name", "Last Name")
WON, DRAWN, BOTH_LOST, OPEN = "1", "3", "4", "0"
FORMULA = ("=", "+", "-", "@", "\t", "\r")


def _rows(data: bytes, head: Sequence[str]) -> list[list[str]]:
    if len(data) > MAX_BYTES:
        raise Unreadable("tournaments.file_too_large", found=len(data), allowed=MAX_BYTES)
    try:
        text = data.decode("utf-8-sig")
        rows = [row for row in csv.reader(io.StringIO(text, newline=""), strict=True) if row]
    except UnicodeDecodeError as fault:
        raise Unreadable(
            "tournaments.file_damaged", line=0, found=f"no UTF-8 at byte {fault.start}"
        ) from None
    except csv.Error as fault:
        raise Unreadable("tournaments.file_damaged", line=0, found=str(fault)) from None
    if not rows or tuple(cell.strip() for cell in rows[0]) != tuple(head):
        found = ", ".join(rows[0])[:80] if rows else ""
        raise Unreadable("tournaments.file_other", found=found, allowed=", ".join(head))
    for number, row in enumerate(rows[1:], 2):
        if len(row) != len(head):
            raise Unreadable(
                "tournaments.file_field", place=f"row {number}", found=len(row), allowed=len(head)
            )
    return rows[1:]


def read_results(data: bytes) -> Sheet:
    """Read a table of results: 1 the first won, 3 draw, 4 double loss, 0 no result yet; player 0
    is nobody. Raises Unreadable."""
    rows = _rows(data, RESULTS)
    if len(rows) > MOST_MATCHES:
        raise Unreadable(
            "tournaments.file_too_many", found=len(rows), allowed=MOST_MATCHES, place="rows"
        )
    matches: list[SheetMatch] = []
    byes: list[SheetBye] = []
    players: dict[str, None] = {}
    findings: list[Finding] = []
    tables: dict[int, int] = {}
    event = ""
    for number, (event_id, made, first, result, second) in enumerate(rows, 2):
        event = event or clean(event_id)
        played_in = whole(made, f"row {number} Round", 1, MOST_ROUNDS)
        p1, p2 = plain_id(first), plain_id(second)
        if p1 == p2:
            findings.append(Finding("match_of_nobody", {"place": f"row {number}"}))
            continue
        players |= {one: None for one in (p1, p2) if one != NOBODY}
        tables[played_in] = table = tables.get(played_in, 0) + 1
        winner = {WON: "P1", DRAWN: "draw", BOTH_LOST: "double_loss", OPEN: None}
        shown = result.strip()
        if shown not in winner:
            raise Unreadable(
                "tournaments.file_field",
                place=f"row {number} Result",
                found=shown[:40],
                allowed=[*winner],
            )
        if NOBODY in (p1, p2):
            player = p1 if p2 == NOBODY else p2
            byes.append(SheetBye(played_in, player, shown == WON and player == p1, table))
        else:
            matches.append(SheetMatch(played_in, table, p1, p2, winner[shown]))
    return Sheet(
        CSV,
        SYSTEM,
        event,
        tuple(SheetPlayer(one, one) for one in players),
        tuple(matches),
        tuple(byes),
        event,
        rounds=max(tables, default=0),
        findings=tuple(findings),
    )


def read_players(data: bytes) -> list[tuple[str, str]]:
    """Read a table of players as (id, name). Raises Unreadable."""
    return [
        (plain_id(player_id), " ".join(f"{clean(first)} {clean(last)}".split()))
        for player_id, first, last in _rows(data, PLAYERS)
    ]


def _write(head: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    out = io.StringIO(newline="")
    writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writerow(head)
    writer.writerows([_cell(one) for one in row] for row in rows)
    return b"\xef\xbb\xbf" + out.getvalue().encode()


def write_results(sheet: Sheet) -> bytes:
    """Write the results of a sheet, the winner first."""
    rows: list[tuple[int, int, Sequence[object]]] = []
    code = {"P1": WON, "P2": WON, "draw": DRAWN, "double_loss": BOTH_LOST, None: OPEN}
    for one in sheet.matches:
        first, second = (one.p2, one.p1) if one.winner == "P2" else (one.p1, one.p2)
        row = (sheet.foreign_id, one.round, first, code[one.winner], second)
        rows.append((one.round, one.table, row))
    for bye in sheet.byes:
        result = WON if bye.won else BOTH_LOST
        row = (sheet.foreign_id, bye.round, bye.player, result, NOBODY)
        rows.append((bye.round, bye.table or 10**6, row))
    rows.sort(key=lambda row: row[:2])
    return _write(RESULTS, [row for _, _, row in rows])


def write_players(sheet: Sheet) -> bytes:
    """Write the players of a sheet."""
    rows: list[Sequence[object]] = []
    for one in sheet.players:
        kept = dict(one.kept)
        first, _, last = one.name.partition(" ")
        rows.append((one.id, kept.get("FirstName", first), kept.get("LastName", last)))
    return _write(PLAYERS, rows)


def write_table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    """Write a plain table for a spreadsheet."""
    return _write(head, rows)


def _cell(one: object) -> object:
    if isinstance(one, str) and one.startswith(FORMULA):
        return f"'{one}"
    return "" if one is None else one
