"""Lists of limits in time: in force, coming, and what changes between two of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from cards.domain.banlist import Banlist, read_banlists
from cards.domain.timeline import Change, Listed, changes, line_of, lines, series_of, touching
from tests.decks.cardbox import CATALOGUE


def listed(*titles: str) -> list[Listed]:
    return [
        Listed(str(at), title, Banlist(title, False, ()).date, f"{at:02}")
        for at, title in enumerate(titles)
    ]


def banlist(text: str) -> Banlist:
    return read_banlists(f"!2026.01 A\n{text}".encode()).lists[0]


@pytest.mark.parametrize(
    ("title", "region", "form"),
    [
        ("2026.05 TCG", "TCG", ""),
        ("2026.05.15 OCG", "OCG", ""),
        ("2026.05 Traditional", "", "Traditional"),
        ("TCG Traditional 2026.05", "TCG", "Traditional"),
        ("2026.07.01 Rush Prereleases", "", "Rush Prereleases"),
        ("2005.4 GOAT", "", "GOAT"),
        ("House rules", "", "House rules"),
    ],
)
def test_a_title_tells_region_and_format(title: str, region: str, form: str) -> None:
    found = series_of(title)
    assert (found.region, found.format) == (region, form)


def test_each_series_has_a_line_of_its_own() -> None:
    made = lines(listed("2026.05 TCG", "2026.01 tcg", "2026.07 OCG", "2026.01 GOAT", "No date"))
    assert [[one.title for one in line.lists] for line in made] == [
        ["2026.01 GOAT"],
        ["2026.07 OCG"],
        ["2026.01 tcg", "2026.05 TCG"],
    ]
    assert line_of(made, "2031.01 Tcg") is made[2]
    assert line_of(made, "No date") is None


@pytest.mark.parametrize(
    ("day", "now", "then"),
    [
        ("2025-12-31", None, "2026.01 TCG"),
        ("2026-01-01", "2026.01 TCG", "2026.05.15 TCG"),
        ("2026-05-14", "2026.01 TCG", "2026.05.15 TCG"),
        ("2026-05-15", "2026.05.15 TCG", None),
    ],
)
def test_in_force_and_coming(day: str, now: str | None, then: str | None) -> None:
    (line,) = lines(listed("2026.05.15 TCG", "2026.01 TCG"))
    found, next_one = line.on(day), line.after(day)
    assert (found and found.title, next_one and next_one.title) == (now, then)


def test_a_list_that_was_put_right_counts_and_not_the_one_before() -> None:
    (line,) = lines(listed("2026.05 TCG", "2026.01 TCG", "2026.05 TCG"))
    assert (line.on("2026-06-01") or line.lists[0]).id == "2"
    assert (line.after("2026-02-01") or line.lists[0]).id == "2"


def test_what_changes_is_told_by_card() -> None:
    old = banlist("1000 1\n1003 2\n2000 3\n3000 0\n6000 2\n")
    new = banlist("$p 9\n1003 0\n6000 2\n3000 1\n8000 $p 4\n999999 0\n")
    assert changes(old, new, CATALOGUE) == (
        Change("999999", "999999", 3, 0),
        Change("1000", "Bronze Lancer", 1, 0),
        Change("3000", "Moon Regent", 0, 1),
        Change("8000", "7 Herons", 3, 3, 0, 4),
    )
    assert changes(old, old, CATALOGUE) == ()


def test_a_whitelist_forbids_what_it_does_not_name() -> None:
    old, new = banlist("1000 3\n2000 1\n"), banlist("$whitelist\n1000 3\n")
    assert changes(old, new, CATALOGUE) == (Change("2000", "Twin Drake", 1, 0),)
    both = banlist("$whitelist\n1000 3\n2000 3\n")
    assert changes(new, both, CATALOGUE) == (Change("2000", "Twin Drake", 0, 3),)


def test_changes_that_touch_a_list_of_cards() -> None:
    made = changes(banlist(""), banlist("1000 1\n2000 0\n"), CATALOGUE)
    assert [one.key for one in touching(made, ["1003", "8000"], CATALOGUE)] == ["1000"]
    assert [one.key for one in touching(made, ["70000"], CATALOGUE)] == ["1000"]
    assert touching(made, ["8000", "424242"], CATALOGUE) == ()


def test_real_lists_fall_into_their_series(shared: Path) -> None:
    found = [
        value
        for path in sorted((shared / "data/lflist").glob("*.conf"))
        for value in read_banlists(path.read_bytes()).lists
    ]
    made = lines(Listed(one.content_hash, one.title, one.date) for one in found)
    titles = {line.series.label: [one.title for one in line.lists] for line in made}
    assert titles["TCG"] == ["2016.8 TCG", "2026.05 TCG"]
    assert titles["OCG"] == ["2017.1 OCG", "2026.07 OCG"]
    assert sum(len(one) for one in titles.values()) == len(found) == 13
