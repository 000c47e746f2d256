"""TRF, the fixed-column report file of chess federations, with the extension XXR (rounds).

Columns from 1: 1-3 code, 5-8 start number, 15-47 name, 58-68 id, 81-84 points, 86-89 rank, then
ten columns per round from 92: opponent (4), colour, result. A game stands in both players' lines.
Points there are 1, 0.5, 0; the sheet keeps results, and a system of standings gives the points.
"""

from __future__ import annotations

import re

from tournaments.domain.exchange.sheet import (
    MAX_BYTES,
    MOST_PLAYERS,
    MOST_ROUNDS,
    SWISS_STAGE,
    TRF,
    Finding,
    Sheet,
    SheetBye,
    SheetMatch,
    SheetPlayer,
    Unreadable,
)
from tournaments.domain.exchange.xml import clean, whole

SYSTEM = "buchholz@1"
WON, DRAWN, LOST = "1W+", "=D", "0L-"
FREE_WON, FREE_LOST, FREE_HALF = "FU+", "Z-0 ", "H="
FIRST, WIDTH = 91, 10

Cell = tuple[int, str, str]
"""Opponent's start number (0: none), colour, result."""


def read(data: bytes) -> Sheet:
    """Read a TRF file. Raises Unreadable."""
    if len(data) > MAX_BYTES:
        raise Unreadable("tournaments.file_too_large", found=len(data), allowed=MAX_BYTES)
    text = data.decode("utf-8-sig", "replace")
    findings: list[Finding] = []
    title, date = "", ""
    rounds = 0
    players: dict[int, SheetPlayer] = {}
    cells: dict[int, list[Cell]] = {}
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text), 1):
        kind = line[:3]
        if kind == "012":
            title = clean(line[4:])
        elif kind == "042":
            date = clean(line[4:])[:10]
        elif kind == "XXR":
            rounds = whole(line[4:], f"line {number}", 0, MOST_ROUNDS)
        elif kind == "001":
            _player(line, number, players, cells, findings)
        elif kind.strip() and not re.fullmatch(r"[0-9A-Z]{3}", kind):
            raise Unreadable("tournaments.file_other", found=kind[:40], allowed="TRF")
    if not players:
        raise Unreadable("tournaments.file_other", found="no line 001", allowed="TRF")
    matches, byes = _games(players, cells, findings)
    last = max((len(own) for own in cells.values()), default=0)
    return Sheet(
        TRF,
        SYSTEM,
        title,
        tuple(players[one] for one in sorted(players)),
        tuple(matches),
        tuple(byes),
        date=date,
        rounds=max(rounds, last),
        findings=tuple(findings),
    )


def _player(
    line: str,
    number: int,
    players: dict[int, SheetPlayer],
    cells: dict[int, list[Cell]],
    findings: list[Finding],
) -> None:
    place = f"line {number}"
    start = whole(line[4:8], f"{place} columns 5-8", 1, 9999)
    if start in players:
        findings.append(Finding("player_listed_twice", {"place": place, "player": str(start)}))
        return
    if len(players) >= MOST_PLAYERS:
        raise Unreadable(
            "tournaments.file_too_many", found=start, allowed=MOST_PLAYERS, place="players"
        )
    players[start] = SheetPlayer(
        str(start),
        clean(line[14:47]) or str(start),
        given={"points": clean(line[80:84]), "rank": clean(line[85:89])},
        kept=(("id", clean(line[57:68])), ("rating", clean(line[48:52]))),
    )
    own: list[Cell] = []
    for at in range(FIRST, len(line.rstrip()), WIDTH):
        cell = line[at : at + WIDTH].ljust(WIDTH)
        opponent = cell[0:4].strip()
        named = whole(opponent, f"{place} round {len(own) + 1}", 0, 9999) if opponent else 0
        own.append((named, cell[5], cell[7].upper()))
    if len(own) > MOST_ROUNDS:
        raise Unreadable(
            "tournaments.file_too_many", found=len(own), allowed=MOST_ROUNDS, place="rounds"
        )
    cells[start] = own


def _games(
    players: dict[int, SheetPlayer], cells: dict[int, list[Cell]], findings: list[Finding]
) -> tuple[list[SheetMatch], list[SheetBye]]:
    matches: list[SheetMatch] = []
    byes: list[SheetBye] = []
    for at in range(max((len(own) for own in cells.values()), default=0)):
        table = 0
        for one in sorted(cells):
            if at >= len(cells[one]):
                continue
            other, colour, result = cells[one][at]
            place = f"player {one} round {at + 1}"
            if other == 0:
                if result in FREE_HALF:
                    findings.append(Finding("half_point_bye", {"place": place}))
                elif result not in FREE_WON + FREE_LOST:
                    findings.append(Finding("status_unknown", {"place": place, "found": result}))
                if result.strip() or colour.strip():
                    byes.append(SheetBye(at + 1, str(one), result in FREE_WON))
                continue
            mirror = cells.get(other, [])[at : at + 1]
            if not mirror or mirror[0][0] != one or other == one:
                findings.append(Finding("game_without_mirror", {"place": place, "found": other}))
                continue
            if other < one:
                continue
            table += 1
            white = one if colour != "b" else other
            black = other if white == one else one
            winner = _winner(cells[white][at][2], cells[black][at][2])
            if winner is None and result.strip():
                findings.append(Finding("status_unknown", {"place": place, "found": result}))
            matches.append(SheetMatch(at + 1, table, str(white), str(black), winner))
    return matches, byes


def _winner(white: str, black: str) -> str | None:
    if not white.strip() or not black.strip():
        return None
    if white in DRAWN and black in DRAWN:
        return "draw"
    if white in WON and black in LOST:
        return "P1"
    if white in LOST and black in WON:
        return "P2"
    if white in LOST and black in LOST:
        return "double_loss"
    return None


def write(sheet: Sheet) -> bytes:
    """Write the Swiss rounds of a sheet. Points are 1, 0.5, 0; ranks follow them and the start
    numbers. A double loss is two forfeit losses, a lost round without opponent a Z."""
    numbers = {one.id: at for at, one in enumerate(sheet.players, 1)}
    if len(numbers) > 9999:
        raise Unreadable(
            "tournaments.file_too_many", found=len(numbers), allowed=9999, place="players"
        )
    last = sheet.last_swiss
    cells: dict[str, list[str]] = {one.id: [" " * WIDTH] * last for one in sheet.players}
    halves = dict.fromkeys(numbers, 0)
    signs = {"P1": "10", "P2": "01", "draw": "==", "double_loss": "--", None: "  "}
    for one in sheet.matches:
        if one.stage != SWISS_STAGE:
            continue
        shown = signs[one.winner]
        for me, other, colour, sign in (
            (one.p1, one.p2, "w", shown[0]),
            (one.p2, one.p1, "b", shown[1]),
        ):
            cells[me][one.round - 1] = f"{numbers[other]:4} {colour} {sign}  "
            halves[me] += {"1": 2, "=": 1}.get(sign, 0)
    for bye in sheet.byes:
        if bye.round <= last:
            cells[bye.player][bye.round - 1] = f"0000 - {'U' if bye.won else 'Z'}  "
            halves[bye.player] += 2 * bye.won
    order = sorted(numbers, key=lambda one: (-halves[one], numbers[one]))
    rank = {one: at for at, one in enumerate(order, 1)}
    lines = [f"012 {sheet.name}"]
    if sheet.date:
        lines.append(f"042 {sheet.date}")
    for player in sheet.players:
        kept = dict(player.kept)
        own_id = kept.get("id", player.id if player.id != str(numbers[player.id]) else "")
        points = f"{halves[player.id] / 2:.1f}"
        line = (
            f"001 {numbers[player.id]:4}      {player.name[:33]:33} {kept.get('rating', ''):>4}"
            f"     {own_id[:11]:>11} {'':10} {points:>4} {rank[player.id]:4}  "
        )
        lines.append((line + "".join(cells[player.id])).rstrip())
    lines.append(f"XXR {max(sheet.rounds, last)}")
    return ("\n".join(lines) + "\n").encode()
