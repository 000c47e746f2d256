"""The publisher's tournament program: `.Tournament` files, read and written.

UTF-8 with byte order mark, CRLF, tabs, XML without attributes. Ids are ten digits with leading
zeros in the list of players and plain in the matches; player 0 is nobody. A match against 0 won
by 0 is a lost round (a late entrant, a missed round), any other match against 0 a bye.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from xml.etree.ElementTree import Element
from xml.sax.saxutils import escape

from tournaments.domain.exchange.sheet import (
    CUT_STAGE,
    DROP,
    KTS,
    MOST_MATCHES,
    MOST_PLAYERS,
    MOST_ROUNDS,
    SINGLE,
    SWISS_STAGE,
    TAG,
    TEAM,
    Finding,
    Sheet,
    SheetBye,
    SheetMatch,
    SheetPlayer,
    Unreadable,
)
from tournaments.domain.exchange.xml import clean, parse, whole
from tournaments.domain.standings import Standing, standings

SYSTEM = "konami-kts@1"
KINDS: Mapping[str, str] = {"01": SINGLE, "02": TAG, "03": TEAM, "04": TEAM, "05": TEAM}
WINNERS: Mapping[str, str | None] = {
    "Winner": None,
    "Draw": "draw",
    "DoubleLoss": "double_loss",
    "Incomplete": None,
}
HEAD = (
    "TournamentStyleCode",
    "StructureCode",
    "EventTypeCode",
    "PlayerStructure",
    "ReferenceDateTime",
    "Date",
    "Time",
)
USUAL_HEAD: Mapping[str, str] = {
    "TournamentStyleCode": "01",
    "StructureCode": "01",
    "EventTypeCode": "01",
    "PlayerStructure": "01",
    "ReferenceDateTime": "2003-01-02",
    "Date": "",
    "Time": "00:00",
    "SoftwareVersion": "3.0.0.0",
    "Finalized": "False",
    "Staff": "<XmlStaffArray />",
    "PenaltyList": "",
    "Location": "",
}
NOBODY = "0"


def plain_id(text: str | None) -> str:
    """Return an id without leading zeros, `0` for nobody; other signs are kept.

    >>> plain_id("0900000001"), plain_id("0000000000"), plain_id(" X12 ")
    ('900000001', '0', 'X12')
    """
    found = clean(text)
    return found.lstrip("0") or NOBODY


def _text(parent: Element, tag: str) -> str:
    return clean(parent.findtext(tag))


def _inner(parent: Element, tag: str) -> str:
    """Return what stands inside an element as canonical XML, so that it can be written back."""
    found = parent.find(tag)
    if found is None:
        return ""
    return "".join(_canonical(child) for child in found)


def _canonical(one: Element) -> str:
    children = "".join(_canonical(child) for child in one)
    text = escape(clean(one.text))
    if not children and not text:
        return f"<{one.tag} />"
    return f"<{one.tag}>{children or text}</{one.tag}>"


def read(data: bytes) -> Sheet:
    """Read a `.Tournament` file. Raises Unreadable."""
    root = parse(data, "Tournament")
    findings: list[Finding] = []
    players = _players(root, findings)
    matches, byes = _matches(root, players, findings)
    kind = KINDS.get(_text(root, "PlayerStructure") or "01", TEAM)
    if kind != SINGLE:
        findings.append(Finding("team_read_only", {"found": kind}))
    cut_from = whole(root.findtext("PlayoffRound") or "0", "PlayoffRound", 0, MOST_ROUNDS)
    kept = [(name, _text(root, name)) for name in HEAD]
    kept += [(name, _text(root, name)) for name in ("SoftwareVersion", "Finalized")]
    kept += [(name, _inner(root, name)) for name in ("Staff", "PenaltyList", "Location")]
    return Sheet(
        KTS,
        SYSTEM,
        _text(root, "Name"),
        tuple(players.values()),
        tuple(matches),
        tuple(byes),
        _text(root, "ID"),
        _date(_text(root, "ReferenceDateTime"), _text(root, "Date")),
        whole(root.findtext("CurrentRound") or "0", "CurrentRound", 0, MOST_ROUNDS),
        cut_from,
        whole(root.findtext("TableOffset") or "0", "TableOffset", -100_000, 100_000),
        kind,
        tuple(kept),
        tuple(findings),
    )


def _date(reference: str, date: str) -> str:
    """Return a date as year-month-day; the reference is 2 January 2003 in the same order. Empty
    when it cannot be told."""
    pattern = "".join(sign if sign.isdigit() else " " for sign in reference).split()[:3]
    given = "".join(sign if sign.isdigit() else " " for sign in date).split()[:3]
    order = {"2003": "y", "1": "m", "01": "m", "2": "d", "02": "d"}
    named = dict(zip((order.get(one, "") for one in pattern), given, strict=False))
    if set(named) != {"y", "m", "d"}:
        return ""
    year, month, day = int(named["y"]), int(named["m"]), int(named["d"])
    return f"{year:04}-{month:02}-{day:02}" if 1 <= month <= 12 and 1 <= day <= 31 else ""


def _players(root: Element, findings: list[Finding]) -> dict[str, SheetPlayer]:
    listed = root.findall("TournamentPlayers/TournPlayer")
    if len(listed) > MOST_PLAYERS:
        raise Unreadable(
            "tournaments.file_too_many", found=len(listed), allowed=MOST_PLAYERS, place="players"
        )
    found: dict[str, SheetPlayer] = {}
    for number, one in enumerate(listed, 1):
        place = f"player {number}"
        person = one.find("Player")
        own = one if person is None else person
        player_id = plain_id(own.findtext("ID"))
        if player_id == NOBODY:
            findings.append(Finding("player_without_id", {"place": place}))
            continue
        if player_id in found:
            findings.append(Finding("player_listed_twice", {"place": place, "player": player_id}))
            continue
        reason = _text(one, "DropReason") or "Active"
        after = whole(one.findtext("DropRound") or "0", f"{place} DropRound", 0, MOST_ROUNDS)
        seat = whole(one.findtext("AssignedSeat") or "-1", f"{place} AssignedSeat", -1, 100_000)
        first, last = _text(own, "FirstName"), _text(own, "LastName")
        found[player_id] = SheetPlayer(
            player_id,
            f"{first} {last}".strip() or player_id,
            dropped_after=after if reason == "Drop" else None,
            reason=DROP if reason == "Drop" else "",
            seat=seat if seat > 0 else None,
            given={
                name: _text(one, name)
                for name in ("Rank", "PlayoffPoints", "Wins", "Points", "DropRound", "DropReason")
            },
            kept=(
                ("FirstName", first),
                ("LastName", last),
                ("TeamPosition", _text(own, "TeamPosition") or "0"),
                ("OpenDueling", _text(one, "OpenDueling") or "0"),
                ("Notes", _text(one, "Notes")),
            ),
        )
    return found


def _two(one: Element, place: str) -> tuple[str, str]:
    ids = [
        plain_id(player.findtext("ID") if player.find("ID") is not None else player.text)
        for player in one.findall("Player")
    ]
    if len(ids) != 2:
        raise Unreadable(
            "tournaments.file_field", place=place, found=len(ids), allowed="two players"
        )
    return ids[0], ids[1]


def _matches(
    root: Element, players: dict[str, SheetPlayer], findings: list[Finding]
) -> tuple[list[SheetMatch], list[SheetBye]]:
    listed = root.findall("Matches/TournMatch")
    if len(listed) > MOST_MATCHES:
        raise Unreadable(
            "tournaments.file_too_many", found=len(listed), allowed=MOST_MATCHES, place="matches"
        )
    matches: list[SheetMatch] = []
    byes: list[SheetBye] = []
    seated: set[tuple[int, str]] = set()
    for number, one in enumerate(listed, 1):
        place = f"match {number}"
        p1, p2 = _two(one, place)
        played_in = whole(one.findtext("Round"), f"{place} Round", 0, MOST_ROUNDS)
        table = whole(one.findtext("Table") or "0", f"{place} Table", 0, 100_000)
        if played_in == 0:
            # The seating before round 1.
            continue
        if p1 == p2:
            findings.append(Finding("match_of_nobody", {"place": place}))
            continue
        twice = [player for player in (p1, p2) if (played_in, player) in seated]
        if twice:
            findings.append(Finding("player_twice_in_round", {"place": place, "player": twice[0]}))
            continue
        for player in (p1, p2):
            if player == NOBODY:
                continue
            seated.add((played_in, player))
            if player not in players:
                findings.append(Finding("player_not_listed", {"place": place, "player": player}))
                players[player] = SheetPlayer(player, player)
        winner = plain_id(one.findtext("Winner") or NOBODY)
        status = _text(one, "Status") or "Incomplete"
        if NOBODY in (p1, p2):
            player = p1 if p2 == NOBODY else p2
            if status == "Winner":
                byes.append(SheetBye(played_in, player, winner == player, table))
            else:
                byes.append(SheetBye(played_in, player, status != "DoubleLoss", table))
            continue
        result = WINNERS.get(status)
        if status == "Winner":
            result = "P1" if winner == p1 else "P2" if winner == p2 else None
            if result is None:
                findings.append(Finding("winner_not_in_match", {"place": place, "found": winner}))
        elif status not in WINNERS:
            findings.append(Finding("status_unknown", {"place": place, "found": status}))
        cut = _text(one, "PlayoffMatch").lower() == "true"
        matches.append(
            SheetMatch(played_in, table, p1, p2, result, stage=CUT_STAGE if cut else SWISS_STAGE)
        )
    return matches, byes


def padded(player_id: str) -> str:
    """Return an id as the list of players holds it: ten digits where it is a number."""
    return player_id.zfill(10) if player_id.isascii() and player_id.isdigit() else player_id


def _rows(sheet: Sheet) -> dict[str, Standing]:
    played, byes = sheet.results(sheet.last_swiss)
    rows = standings(
        [one.id for one in sheet.players],
        played,
        byes,
        above=sheet.cut_wins(sheet.last_round),
        system=SYSTEM,
    )
    return {row.entrant_id: row for row in rows}


def _leaving(sheet: Sheet) -> dict[str, tuple[int, str]]:
    """Return (DropRound, DropReason) of each player: who dropped, who missed the cut, who lost in
    it, who is active."""
    left: dict[str, tuple[int, str]] = {}
    in_cut = {
        player for one in sheet.matches if one.stage == CUT_STAGE for player in (one.p1, one.p2)
    }
    for player in sheet.players:
        if player.dropped_after is not None:
            left[player.id] = (player.dropped_after, "Drop")
        elif in_cut and player.id not in in_cut:
            left[player.id] = (sheet.last_swiss, "PlayoffCut")
        else:
            left[player.id] = (0, "Active")
    for one in sheet.matches:
        if one.stage == CUT_STAGE and one.winner in ("P1", "P2"):
            loser = one.p2 if one.winner == "P1" else one.p1
            left[loser] = (one.round, "PlayoffCut")
    return left


def write(sheet: Sheet) -> bytes:
    """Write a sheet as a `.Tournament` file, with Wins, Points, PlayoffPoints and Rank computed
    anew. Raises Unreadable `export_id_missing{players}` when an id is no number: the program
    knows people by theirs."""
    wrong = [one.id for one in sheet.players if not (one.id.isascii() and one.id.isdigit())]
    if wrong:
        raise Unreadable("tournaments.export_id_missing", players=wrong[:10], found=len(wrong))
    kept = {**USUAL_HEAD, **{name: text for name, text in sheet.kept if text or name in HEAD}}
    if not kept["Date"] and sheet.date:
        kept["Date"] = sheet.date
    lines: list[str] = ['<?xml version="1.0" encoding="utf-8"?>', "<Tournament>"]

    def put(depth: int, tag: str, text: object) -> None:
        shown = escape(str(text))
        body = f"<{tag}>{shown}</{tag}>" if shown else f"<{tag} />"
        lines.append("\t" * depth + body)

    put(1, "Name", sheet.name)
    put(1, "ID", sheet.foreign_id)
    for name in HEAD:
        put(1, name, kept[name])
    put(1, "CurrentRound", sheet.rounds)
    put(1, "TableOffset", sheet.offset)
    put(1, "PlayoffRound", sheet.cut_from)
    put(1, "SoftwareVersion", kept["SoftwareVersion"])
    put(1, "Finalized", kept["Finalized"])
    for name in ("Staff", "PenaltyList", "Location"):
        _block(lines, name, kept[name])
    rows, leaving = _rows(sheet), _leaving(sheet)
    lines.append("\t<TournamentPlayers>")
    for player in sheet.players:
        row, (round_left, reason) = rows[player.id], leaving[player.id]
        own = dict(player.kept)
        lines += ["\t\t<TournPlayer>", "\t\t\t<Player>"]
        put(4, "ID", padded(player.id))
        put(4, "FirstName", own.get("FirstName", player.name.partition(" ")[0]))
        put(4, "LastName", own.get("LastName", player.name.partition(" ")[2]))
        put(4, "TeamPosition", own.get("TeamPosition", "0"))
        lines.append("\t\t\t</Player>")
        put(3, "DropRound", round_left)
        put(3, "Rank", row.rank)
        put(3, "PlayoffPoints", row.above)
        put(3, "Wins", row.points)
        put(3, "Points", row.code)
        put(3, "OpenDueling", own.get("OpenDueling", "0"))
        put(3, "DropReason", reason)
        put(3, "AssignedSeat", player.seat if player.seat is not None else -1)
        put(3, "Notes", own.get("Notes", ""))
        lines.append("\t\t</TournPlayer>")
    lines.append("\t</TournamentPlayers>")
    _write_matches(lines, put, sheet)
    lines.append("</Tournament>")
    return b"\xef\xbb\xbf" + "\r\n".join(lines).encode()


def _block(lines: list[str], name: str, inner: str) -> None:
    """Write a block that is kept as it came, one element per line."""
    if not inner:
        lines.append(f"\t<{name} />")
        return
    lines.append(f"\t<{name}>")
    depth = 2
    for piece in inner.replace("><", ">\n<").split("\n"):
        closing = piece.startswith("</")
        depth -= closing
        lines.append("\t" * depth + piece)
        whole_element = piece.endswith("/>") or "</" in piece
        depth += not closing and not whole_element
    lines.append(f"\t</{name}>")


def _write_matches(lines: list[str], put: Callable[[int, str, object], None], sheet: Sheet) -> None:
    entries: list[tuple[int, int, int, tuple[str, str, str, str, str]]] = []
    for at, one in enumerate(sheet.matches):
        status = {None: "Incomplete", "draw": "Draw", "double_loss": "DoubleLoss"}.get(
            one.winner, "Winner"
        )
        won = {"P1": one.p1, "P2": one.p2}.get(one.winner or "", NOBODY)
        first, second = sorted((one.p1, one.p2), key=int)
        cut = str(one.stage == CUT_STAGE)
        entries.append((one.round, one.table, at, (first, second, status, won, cut)))
    for at, bye in enumerate(sheet.byes, len(entries)):
        won = bye.player if bye.won else NOBODY
        entries.append((bye.round, bye.table, at, (bye.player, NOBODY, "Winner", won, "False")))
    lines.append("\t<Matches>" if entries else "\t<Matches />")
    for number, table, _, (first, second, status, won, cut) in sorted(
        entries, key=lambda entry: (entry[0], entry[1], entry[2])
    ):
        lines.append("\t\t<TournMatch>")
        put(3, "Player", first)
        put(3, "Player", second)
        put(3, "Round", number)
        put(3, "Status", status)
        put(3, "Table", table)
        put(3, "Winner", won)
        put(3, "PlayoffMatch", cut)
        lines.append("\t\t</TournMatch>")
    if entries:
        lines.append("\t</Matches>")
