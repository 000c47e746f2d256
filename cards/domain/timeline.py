"""Lists of limits in time: which is in force on a day, which comes next, and what changes.

Lists are dated by their titles, per region and format: `2026.05 TCG` follows `2026.01 TCG`, and
has nothing to do with `2026.07 OCG`. Days are text YYYY-MM-DD.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from cards.domain.banlist import DATE, Banlist
from cards.domain.catalogue import Catalogue
from cards.domain.limits import limits_by_identity, points_by_identity

REGIONS = frozenset({"tcg", "ocg", "ae", "kr", "cn", "worlds"})
"""Words of a title that name a region; the rest names the format."""
UNLIMITED = 3
"""Copies of a card that a list without a whitelist does not name."""


@dataclass(frozen=True, slots=True)
class Series:
    """The lists that follow each other: their region and their format, either may be empty."""

    region: str
    format: str

    @property
    def label(self) -> str:
        """Region and format as one text."""
        return " ".join(one for one in (self.region, self.format) if one)

    @property
    def key(self) -> tuple[str, str]:
        """What two titles of one series have in common."""
        return self.region.casefold(), self.format.casefold()


@dataclass(frozen=True, slots=True)
class Listed:
    """A list as it stands in time: id, title, its day (empty: none), and when it was taken in
    (any text that sorts): of two of one day the later one counts, since it was put right."""

    id: str
    title: str
    date: str
    taken_in: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """The lists of a series by their day, the oldest first."""

    series: Series
    lists: tuple[Listed, ...]

    def on(self, day: str) -> Listed | None:
        """Return the list in force on a day; None before the first."""
        return next((one for one in reversed(self.lists) if one.date <= day), None)

    def after(self, day: str) -> Listed | None:
        """Return the next list that comes after a day, as it was last put right."""
        first = next((one.date for one in self.lists if one.date > day), None)
        return None if first is None else self.on(first)


def series_of(title: str) -> Series:
    """Return the series of a title: its words without the date."""
    words = DATE.sub(" ", title).split()
    region = [one for one in words if one.casefold() in REGIONS]
    return Series(" ".join(region), " ".join(one for one in words if one not in region))


def lines(lists: Iterable[Listed]) -> list[Line]:
    """Put dated lists into their series, by the names of these; a list without a date is in
    none."""
    held: dict[tuple[str, str], list[Listed]] = {}
    for one in sorted(lists, key=lambda one: (one.date, one.taken_in, one.id)):
        if one.date:
            held.setdefault(series_of(one.title).key, []).append(one)
    made = [Line(series_of(found[-1].title), tuple(found)) for found in held.values()]
    return sorted(made, key=lambda line: line.series.key)


def line_of(found: Iterable[Line], title: str) -> Line | None:
    """Return the line of a title's series; None for a title of none."""
    key = series_of(title).key
    return next((one for one in found if one.series.key == key), None)


@dataclass(frozen=True, slots=True)
class Change:
    """A card whose limit or points change: copies allowed (3: as many as the rules allow) and
    points of a copy, before and after."""

    key: str
    name: str
    old: int
    new: int
    old_points: int = 0
    new_points: int = 0


def _allowed(limits: Mapping[str, int], key: str, whitelist: bool) -> int:
    return min(UNLIMITED, limits.get(key, 0 if whitelist else UNLIMITED))


def changes(old: Banlist, new: Banlist, catalogue: Catalogue) -> tuple[Change, ...]:
    """Return the cards whose limit or points differ between two lists, the stricter first, then
    by name. Arts are folded; a card that is not in the catalogue stands under its id."""
    before, after = limits_by_identity(old, catalogue), limits_by_identity(new, catalogue)
    cost, costs = points_by_identity(old, catalogue), points_by_identity(new, catalogue)
    made: list[Change] = []
    for key in before.keys() | after.keys() | cost.keys() | costs.keys():
        was, now = _allowed(before, key, old.whitelist), _allowed(after, key, new.whitelist)
        paid, pays = cost.get(key, 0), costs.get(key, 0)
        if (was, paid) != (now, pays):
            made.append(Change(key, catalogue.name(key) or key, was, now, paid, pays))
    return tuple(sorted(made, key=lambda one: (one.new, -one.new_points, one.name, one.key)))


def touching(
    found: Iterable[Change], keys: Iterable[str], catalogue: Catalogue
) -> tuple[Change, ...]:
    """Return the changes that are about one of these cards, or the card one is treated as."""
    held = {key for one in set(keys) for key in _names_of(one, catalogue)}
    return tuple(one for one in found if one.key in held)


def _names_of(key: str, catalogue: Catalogue) -> tuple[str, ...]:
    placed = catalogue.place(key)
    return (key,) if placed is None else (placed.identity, placed.counts_as)
