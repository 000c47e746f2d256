"""Lists of limits: the ten real files, and every trap reported."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cards.domain.banlist import Banlist, read_banlists
from cards.domain.catalogue import Catalogue
from cards.domain.facts import CardFacts
from cards.domain.findings import Unreadable
from cards.domain.limits import limits_by_identity
from cards.domain.load import pick_banlist
from cards.domain.read_csv import read_csv

# Counts of distinct ids by limit 0 / 1 / 2 / 3, whitelist, and the list hash where it is known.
EXPECTED = {
    "0TCG.lflist.conf": [("2026.05 TCG", (121, 98, 10, 0), False, 0xE7305861)],
    "OCG.lflist.conf": [("2026.07 OCG", (95, 92, 13, 0), False, 0x857713B8)],
    "World.lflist.conf": [("2026.05 Worlds", (137, 120, 17, 0), False, 0x6561F7D4)],
    "Traditional.lflist.conf": [("2026.05 Traditional", (0, 219, 10, 0), False, 0x0F287FDC)],
    "GOAT.lflist.conf": [("2005.4 GOAT", (19, 43, 15, 1627), True, 0x6D9ED1C5)],
    "Speed.lflist.conf": [("2025.07 Speed Duel", (1, 10, 14, 1487), True, None)],
    "Rush.lflist.conf": [("2026.07.01 Rush Duel", (3, 20, 21, 3353), True, None)],
    "Rush-Prerelease.lflist.conf": [("2026.07.01 Rush Prereleases", (3, 20, 21, 3408), True, None)],
    "babelcdb-rush-template.lflist.conf": [],
    "ygopro-2017-01-multi.lflist.conf": [
        ("2016.8 TCG", (81, 82, 15, 0), False, None),
        ("2017.1 OCG", (56, 76, 13, 0), False, None),
        ("2017.1 Worlds", (85, 96, 18, 0), False, None),
        ("2016.8 Traditional", (0, 163, 15, 0), False, None),
        # six more forbidden ids stand on lines with two blanks
        ("2016.12 Anime", (213 + 6, 179, 21, 0), False, None),
    ],
}


def one(text: str) -> Banlist:
    (value,) = read_banlists(text.encode()).lists
    return value


def codes(value: Banlist) -> list[str]:
    return [finding.code for finding in value.findings]


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_the_lists_of_the_field(shared: Path, name: str) -> None:
    read = read_banlists((shared / "data/lflist" / name).read_bytes())
    assert len(read.lists) == len(EXPECTED[name])
    for value, (title, counts, whitelist, digest) in zip(read.lists, EXPECTED[name], strict=True):
        held = value.counts()
        assert value.title == title
        assert tuple(held.get(count, 0) for count in range(4)) == counts
        assert value.whitelist is whitelist
        if digest is not None:
            assert value.client_hash == digest


def test_the_traps_of_the_real_files_are_reported(shared: Path) -> None:
    def found(name: str) -> list[str]:
        read = read_banlists((shared / "data/lflist" / name).read_bytes())
        inside = [finding.code for value in read.lists for finding in value.findings]
        return [finding.code for finding in read.findings] + inside

    assert found("babelcdb-rush-template.lflist.conf") == ["data_before_title"] * 44 + ["no_list"]
    assert found("GOAT.lflist.conf") == ["repeated_id"]
    assert sorted(found("Speed.lflist.conf")) == ["no_entry"] * 5 + ["repeated_id"] * 7
    assert found("Rush.lflist.conf") == ["repeated_id"] * 44
    assert found("Rush-Prerelease.lflist.conf").count("negative_count") == 1
    multi = found("ygopro-2017-01-multi.lflist.conf")
    assert multi.count("two_blanks") == 6
    assert multi.count("repeated_id") == 1 + 26


def test_two_blanks_are_taken_and_told() -> None:
    value = one("!2020.01 A\n100  1 --x\n")
    assert [(limit.passcode, limit.count) for limit in value.limits] == [(100, 1)]
    assert codes(value) == ["two_blanks"]
    assert value.client_hash == one("!A\n").client_hash  # the field's client drops such a line


def test_data_before_a_title_is_told() -> None:
    read = read_banlists(b"5 1\n!A\n6 1\n")
    assert [(f.code, f.line) for f in read.findings] == [("data_before_title", 1)]
    assert [limit.passcode for limit in read.lists[0].limits] == [6]


def test_the_last_line_of_an_id_wins() -> None:
    value = one("!A\n7 3\n7 1\n")
    assert value.limits[0].count == 1
    assert value.findings[0].params == {
        "id": 7,
        "first_line": 2,
        "found": 3,
        "counts": 1,
    }


def test_a_negative_count_is_never_legal() -> None:
    value = one("!A\n$whitelist\n1 -1\n")
    assert value.whitelist
    assert (value.limits[0].count, value.limits[0].allowed) == (-1, 0)
    assert codes(value) == ["negative_count"]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("--SS05 someone", "no_entry"),
        ("123", "no_entry"),
        ("123 --name only", "count_missing"),
        ("123 9", "count_out_of_range"),
        ("0 1", "id_out_of_range"),
        ("99999999999 1", "id_out_of_range"),
        ("$points", "unknown_directive"),
    ],
)
def test_lines_that_are_no_entry_are_told(line: str, code: str) -> None:
    value = one(f"!A\n{line}\n5 2\n")
    assert codes(value) == [code]
    assert [limit.passcode for limit in value.limits] == [5]
    assert value.findings[0].line == 2


def test_a_file_of_several_lists_needs_a_title() -> None:
    read = read_banlists(b"!2020.01 A\n5 1\n!2021.02.03 B\n6 1\n")
    assert pick_banlist(read, "2021.02.03 b").date == "2021-02-03"
    for title, code in ((None, "banlist_title_needed"), ("C", "banlist_title_unknown")):
        with pytest.raises(Unreadable) as fault:
            pick_banlist(read, title)
        assert fault.value.finding.code == code
        assert fault.value.finding.params["allowed"] == ["2020.01 A", "2021.02.03 B"]


def test_the_content_hash_follows_the_content_only() -> None:
    first = one("!A\n5 1 --x\n6 2\n")
    assert first.content_hash == one("!A\n# remark\n6 2\n5 1\n").content_hash
    for other in ("!B\n5 1\n6 2\n", "!A\n$whitelist\n5 1\n6 2\n", "!A\n5 0\n6 2\n"):
        assert first.content_hash != one(other).content_hash


def card(key: int, name: str, konami_id: int | None = None, alias: int = 0) -> CardFacts:
    return CardFacts(str(key), key, konami_id, name, "spell", "normal", alias=alias)


def test_banning_one_art_bans_the_card() -> None:
    catalogue = Catalogue([card(1000, "A"), card(1004, "A", alias=1000), card(2000, "B")])
    limits = limits_by_identity(one("!A\n1004 0\n2001 2\n9999 1\n"), catalogue)
    assert limits == {"1000": 0, "2000": 2, "9999": 1}


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("504700178 1 --Sangan\t\tMAIN DECK MONSTERS", "26202165"),
        ("504700178 1 --Sangan     TRAPS CARDS", "26202165"),
        ("26202175 1 --Sangan (Pre-Errata)", "26202165"),
        ("504700178 1 --Sangan the Second", "504700178"),
        ("504700178 1", "504700178"),
        ("160000001 1 --Sangan", "160000001"),
    ],
)
def test_an_id_on_no_card_is_found_by_the_name_in_the_remark(line: str, key: str) -> None:
    catalogue = Catalogue([card(26202165, "Sangan"), card(5, "Other")])
    assert limits_by_identity(one(f"!A\n{line}\n"), catalogue) == {key: 1}


def test_nearly_every_id_of_the_old_list_is_a_known_card(shared: Path) -> None:
    catalogue = Catalogue(read_csv((shared / "data/cards/cards.csv.gz").read_bytes()).cards)
    (value,) = read_banlists((shared / "data/lflist/GOAT.lflist.conf").read_bytes()).lists
    limits = limits_by_identity(value, catalogue)
    assert [key for key in limits if catalogue.place(key) is None] == []
    names = {
        name: catalogue.identity(catalogue.by_name(name)[0].key) for name in ("Sangan", "Jinzo")
    }
    assert {name: limits[key] for name, key in names.items()} == {"Sangan": 1, "Jinzo": 1}


@given(st.binary(max_size=500))
def test_any_bytes_are_lists_and_findings(data: bytes) -> None:
    for head in (b"", b"!A\n"):
        for value in read_banlists(head + data).lists:
            assert len(value.content_hash) == 64
            assert 0 <= value.client_hash < 2**32


def test_too_much_is_refused_before_work() -> None:
    for data, code in (
        (b"#" * (5 << 20), "too_large"),
        (b"!A\n" + b"\n" * 100_001, "too_many_lines"),
        (b"!A\n" * 201, "too_many_lists"),
    ):
        with pytest.raises(Unreadable) as fault:
            read_banlists(data)
        assert fault.value.finding.code == code
