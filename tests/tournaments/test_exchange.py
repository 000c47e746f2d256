"""Event files: the real ones, round trips, damage of every kind."""

from __future__ import annotations

import csv
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sizes import SIZES
from tournaments.domain.exchange import archive, detect, kts, tables, trf, wer
from tournaments.domain.exchange import sheet as sheets
from tournaments.domain.exchange.sheet import Sheet, SheetBye, SheetMatch, SheetPlayer, Unreadable


def files(shared: Path, kind: str) -> list[Path]:
    folder = shared / "data" / "events" / kind
    return sorted(one for one in folder.iterdir() if not one.name.endswith(".expected"))


def test_every_publishers_file_is_written_back_byte_by_byte(shared: Path) -> None:
    for file in files(shared, "kts"):
        data = file.read_bytes()
        sheet = kts.read(data)
        assert not sheet.findings
        assert kts.write(sheet) == data
        assert kts.read(kts.write(sheet)) == sheet


def test_the_finished_file_is_understood(shared: Path) -> None:
    sheet = kts.read((shared / "data/events/kts/finished-21p.Tournament").read_bytes())
    assert (len(sheet.players), len(sheet.matches), sheet.cut_from, sheet.last_swiss) == (
        21, 56, 6, 5
    )  # fmt: skip
    assert sorted(one.won for one in sheet.byes) == [False] * 4 + [True]
    first = [one for one in sheet.matches if one.round == 6]
    rank = {one.id: int(one.given["Rank"]) for one in sheet.players}
    assert len(first) == 4
    assert all(rank[one.p1] and rank[one.p2] for one in first)
    assert sheet.date == "2018-10-28"


def test_wer_files_are_read_without_their_pods(shared: Path) -> None:
    found = [wer.read(file.read_bytes()) for file in files(shared, "wer")]
    assert [len(one.players) for one in found] == [62, 35, 24]
    assert [one.last_swiss for one in found] == [6, 3, 4]
    assert [one.cut_from for one in found] == [7, 0, 0]
    assert found[0].cut_wins(9) == {
        one: won for one, won in found[0].cut_wins(9).items() if 1 <= won <= 3
    }
    assert sum(one.score == (0, 0, 3) for sheet in found for one in sheet.matches) == 4
    dropped = [one.dropped_after for one in found[0].players if one.reason == "drop"]
    assert len(dropped) == 29


def test_trf_files_are_read_and_written(shared: Path) -> None:
    for file in files(shared, "trf"):
        sheet = trf.read(file.read_bytes())
        again = trf.read(trf.write(sheet))
        assert again == sheet
    small = trf.read((shared / "data/events/trf/bbp-dutch_2025_C5.input").read_bytes())
    assert trf.write(small) == (shared / "data/events/trf/bbp-dutch_2025_C5.input").read_bytes()


def test_the_format_is_told_by_what_stands_in_the_file(shared: Path) -> None:
    for kind in ("kts", "wer", "trf"):
        for file in files(shared, kind):
            assert detect.read(file.read_bytes()).format == kind


@st.composite
def events(draw: st.DrawFn) -> Sheet:
    """Sheets as every format can hold them: single players, Swiss rounds, byes, double losses."""
    size = draw(st.integers(2, 9))
    ids = [str(100 + number) for number in range(size)]
    rng = random.Random(draw(st.integers(0, 10**6)))
    matches: list[SheetMatch] = []
    byes: list[SheetBye] = []
    for number in range(1, draw(st.integers(1, 4)) + 1):
        order = rng.sample(ids, size)
        for at in range(0, size - 1, 2):
            winner = rng.choice(("P1", "P2", "draw", "double_loss"))
            matches.append(SheetMatch(number, at // 2 + 1, order[at], order[at + 1], winner))
        if size % 2:
            byes.append(SheetBye(number, order[-1], rng.random() < 0.7, size // 2 + 1))
    players = tuple(SheetPlayer(one, f"Name {one}") for one in ids)
    return Sheet("kts", "konami-kts@1", "Cup <&> \u00e9", players, tuple(matches), tuple(byes))


def facts(sheet: Sheet) -> set[object]:
    """What was played, whatever order and sides a format keeps."""
    found: set[object] = set()
    for one in sheet.matches:
        seats = {one.p1: "P1", one.p2: "P2"}
        won = next((p for p, seat in seats.items() if seat == one.winner), one.winner)
        found.add((one.round, frozenset(seats), won))
    return found | {(one.round, one.player, one.won) for one in sheet.byes}


@given(events())
def test_every_format_gives_back_what_was_played(sheet: Sheet) -> None:
    assert facts(kts.read(kts.write(sheet))) == facts(sheet)
    assert facts(tables.read_results(tables.write_results(sheet))) == facts(sheet)
    numbers = {one.id: str(at) for at, one in enumerate(sheet.players, 1)}
    renamed = replace(
        sheet,
        matches=tuple(
            replace(one, p1=numbers[one.p1], p2=numbers[one.p2]) for one in sheet.matches
        ),
        byes=tuple(replace(one, player=numbers[one.player]) for one in sheet.byes),
    )
    assert facts(trf.read(trf.write(sheet))) == facts(renamed)
    assert kts.read(kts.write(sheet)).name == sheet.name


def test_players_go_out_and_come_in_as_a_table(shared: Path) -> None:
    sheet = kts.read((shared / "data/events/kts/finished-21p.Tournament").read_bytes())
    assert tables.read_players(tables.write_players(sheet)) == [
        (one.id, one.name) for one in sheet.players
    ]


def test_cells_that_a_spreadsheet_would_run_are_made_harmless() -> None:
    made = tables.write_table(["name"], [["=1+1"], ["@x"], ["-2"], [None], [-2]]).decode()
    assert made.split("\r\n")[1:-1] == ['"\'=1+1"', '"\'@x"', '"\'-2"', '""', '"-2"']


def test_a_name_that_a_player_chose_is_no_formula_in_any_table() -> None:
    names = ("=HYPERLINK(1)", "@SUM(1) +2", "-1", "+1 =2")
    players = tuple(SheetPlayer(f"={at}", name) for at, name in enumerate(names))
    sheet = Sheet("kts", "konami-kts@1", "=cup", players, foreign_id="=1")
    sheet = replace(sheet, matches=(SheetMatch(1, 1, "=0", "=1", "P1"),))
    for made in (tables.write_players(sheet), tables.write_results(sheet)):
        cells = [cell for row in csv.reader(made.decode("utf-8-sig").splitlines()) for cell in row]
        assert cells
        assert [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))] == []


# traps of the publisher's file


def document(players: str, matches: str, head: str = "") -> bytes:
    text = (
        f"<Tournament><Name>x</Name>{head}<TournamentPlayers>{players}</TournamentPlayers>"
        f"<Matches>{matches}</Matches></Tournament>"
    )
    return b"\xef\xbb\xbf" + text.encode()


def player(number: str, reason: str = "Active", left: int = 0) -> str:
    return (
        f"<TournPlayer><Player><ID>{number}</ID><FirstName>F</FirstName><LastName>L</LastName>"
        f"</Player><DropRound>{left}</DropRound><DropReason>{reason}</DropReason></TournPlayer>"
    )


def match(one: str, two: str, winner: str, number: int = 1, status: str = "Winner") -> str:
    return (
        f"<TournMatch><Player>{one}</Player><Player>{two}</Player><Round>{number}</Round>"
        f"<Status>{status}</Status><Table>1</Table><Winner>{winner}</Winner>"
        "<PlayoffMatch>False</PlayoffMatch></TournMatch>"
    )


def test_padded_ids_are_the_plain_ones() -> None:
    sheet = kts.read(document(player("0000000007") + player("0000000008"), match("7", "8", "8")))
    assert [one.id for one in sheet.players] == ["7", "8"]
    assert sheet.matches[0].winner == "P2"
    assert not sheet.findings


def test_a_match_against_nobody_is_a_bye_or_a_lost_round() -> None:
    both = match("7", "0", "7") + match("0", "7", "0", 2)
    sheet = kts.read(document(player("7"), both))
    assert [(one.round, one.won) for one in sheet.byes] == [(1, True), (2, False)]


def test_nested_ids_in_matches_and_players_not_listed() -> None:
    nested = match("7", "8", "8").replace("<Player>7", "<Player><ID>0000000007</ID>", 1)
    sheet = kts.read(document(player("7"), nested))
    assert [one.id for one in sheet.players] == ["7", "8"]
    assert [one.code for one in sheet.findings] == ["player_not_listed"]


def test_the_seating_before_round_1_is_no_round() -> None:
    assert not kts.read(document(player("7") + player("8"), match("7", "8", "0", 0))).matches


def test_what_can_be_shown_is_not_refused() -> None:
    doubtful = (
        match("7", "8", "9")
        + match("7", "9", "7")
        + match("8", "8", "8", 2)
        + match("7", "8", "7", 3, "Odd")
    )
    sheet = kts.read(document(player("7") + player("7") + player("8") + player("0"), doubtful))
    assert {one.code for one in sheet.findings} == {
        "player_listed_twice", "player_without_id", "winner_not_in_match",
        "player_twice_in_round", "match_of_nobody", "status_unknown",
    }  # fmt: skip


def test_dates_are_read_in_the_order_of_the_reference() -> None:
    for reference, date in (
        ("2003-01-02", "2018-10-28"),
        ("02/01/2003 00:00", "28/10/2018"),
        ("1/2/2003", "10/28/2018"),
    ):
        head = f"<ReferenceDateTime>{reference}</ReferenceDateTime><Date>{date}</Date>"
        assert kts.read(document("", "", head)).date == "2018-10-28"
    assert kts.read(document("", "", "<Date>28.10.2018</Date>")).date == ""


def test_teams_are_read_only() -> None:
    sheet = kts.read(document(player("7"), "", "<PlayerStructure>03</PlayerStructure>"))
    assert (sheet.kind, sheet.findings[0].code) == ("team", "team_read_only")


def test_an_export_without_numbers_of_the_publisher_names_who_lacks_one() -> None:
    sheet = Sheet("kts", "konami-kts@1", "x", (SheetPlayer("", "Alice"), SheetPlayer("7", "Bob")))
    with pytest.raises(Unreadable) as fault:
        kts.write(sheet)
    assert fault.value.refusal.code == "tournaments.export_id_missing"


# damage

BOMB = (
    b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
    b"<Tournament><Name>&b;</Name></Tournament>"
)
OUTSIDE = (
    b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
    b"<Tournament><Name>&a;</Name></Tournament>"
)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "file_empty"),
        (b"   \n", "file_empty"),
        (BOMB, "file_unsafe"),
        (OUTSIDE, "file_unsafe"),
        (b"<Tournament>" + b"<a>" * 100_000, "file_unsafe"),
        (b"<Tournament><Name>x</Tournament>", "file_damaged"),
        (b"<Tournament", "file_damaged"),
        (b"<html></html>", "file_other"),
        (b"hello", "file_other"),
        (b"\x00\x01\x02\x03", "file_other"),
        (document("", match("7", "8", "7").replace("<Round>1", "<Round>one")), "file_field"),
        (document("", match("7", "8", "7").replace("<Round>1", "<Round>9999")), "file_field"),
        (document("", match("7", "8", "7").replace("<Player>7</Player>", "")), "file_field"),
        (document(player("7", "Drop", -1), ""), "file_field"),
        (b'{"format": "other"}', "file_other"),
        (b'{"format": "headjudge-event", "version": 99}', "file_version"),
        (b'{"format": "headjudge-event", "version": 1}', "file_damaged"),
        (b"{" * 100_000, "file_damaged"),
        (b'"Event ID","Round"\r\n', "file_other"),
        (b'"Event ID","Round","Player 1","Result","Player 2"\r\n"x","1","7"\r\n', "file_field"),
        (
            b'"Event ID","Round","Player 1","Result","Player 2"\r\n"x","1","7","9","8"\r\n',
            "file_field",
        ),
        (b"001 abcd\n", "file_field"),
    ],
)
def test_damaged_files_are_refused_by_code(data: bytes, code: str) -> None:
    with pytest.raises(Unreadable) as fault:
        detect.read(data)
    assert fault.value.refusal.code == f"tournaments.{code}"


def test_the_size_is_looked_at_before_anything_else() -> None:
    for read in (detect.read, kts.read, wer.read, trf.read, tables.read_results, archive.read):
        with pytest.raises(Unreadable) as fault:
            read(b"<" * (sheets.MAX_BYTES + 1))
        assert fault.value.refusal.code == "tournaments.file_too_large"


def ended(read: Callable[[bytes], object], data: bytes) -> str:
    """Read, and say how it ended: `read`, or the code of the refusal; anything else raises."""
    try:
        read(data)
    except Unreadable as fault:
        return fault.refusal.code
    return "read"


def test_any_damage_ends_with_a_sheet_or_a_code(shared: Path) -> None:
    rng = random.Random(4)
    originals = [
        file.read_bytes()
        for kind in ("kts", "wer", "trf")
        for file in files(shared, kind)
        if file.stat().st_size < 30_000
    ]
    codes: set[str] = set()
    for _ in range(SIZES.examples * 3):
        data = bytearray(rng.choice(originals))
        for _ in range(rng.randint(1, 8)):
            at = rng.randrange(len(data))
            change = rng.randrange(3)
            if change == 0:
                data[at] = rng.randrange(256)
            elif change == 1:
                del data[at : at + rng.randint(1, 200)]
            else:
                data[at:at] = data[at : at + rng.randint(1, 100)]
            if not data:
                break
        codes.add(ended(detect.read, bytes(data)))
    assert {"read", "tournaments.file_damaged"} <= codes
    assert all(code == "read" or code.startswith("tournaments.file_") for code in codes)


@given(st.binary(max_size=400))
def test_no_bytes_break_a_reader(data: bytes) -> None:
    for read in (detect.read, kts.read, wer.read, trf.read, tables.read_results, archive.read):
        assert ended(read, data)
