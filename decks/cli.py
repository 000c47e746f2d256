"""Arguments `--cards`, `--banlist` and `--rules` of commands that work without a database."""

from __future__ import annotations

from argparse import ArgumentParser
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cards import shipped
from cards.domain.banlist import MAX_BYTES as MAX_BANLIST_BYTES
from cards.domain.banlist import Banlist, read_banlists
from cards.domain.catalogue import Catalogue
from cards.domain.findings import Unreadable
from cards.domain.load import MAX_BYTES as MAX_CARDS_BYTES
from cards.domain.load import pick_banlist, read_cards
from decks.domain.decklist import DeckList
from decks.domain.limits import MAX_BYTES as MAX_DECK_BYTES
from decks.domain.preset_data import MAX_BYTES as MAX_PRESET_BYTES
from decks.domain.preset_data import parse_preset
from decks.domain.presets import PRESETS, Preset
from decks.domain.read import read_deck
from decks.domain.report import Fault, Report
from decks.domain.validate import check


@dataclass(frozen=True, slots=True)
class Sources:
    """What lists are checked against. `cards_read` counts the cards of the named source."""

    catalogue: Catalogue
    banlist: Banlist | None
    preset: Preset
    cards_read: int


def add_source_arguments(parser: ArgumentParser) -> None:
    """Add `--cards F`, `--banlist F[:TITLE]` and `--rules PRESET`."""
    parser.add_argument(
        "--cards",
        metavar="FILE",
        help="card facts: cards.csv, cards.csv.gz or .cdb, laid over the shipped ones",
    )
    parser.add_argument(
        "--banlist",
        metavar="FILE[:TITLE]",
        help="a list of card limits; the title is needed where a file holds several",
    )
    parser.add_argument(
        "--rules",
        default="classic",
        metavar="PRESET",
        help=f"deck preset: {', '.join(PRESETS)}, or a file of a preset (.toml, .json)",
    )


def read_bytes(path: Path, limit: int) -> bytes:
    """Read a file of at most `limit` bytes. Raises Unreadable `no_file` or `too_large`."""
    try:
        with path.open("rb") as file:
            data = file.read(limit + 1)
    except (OSError, ValueError) as fault:
        why = getattr(fault, "strerror", None) or "not a file name"
        raise Unreadable("no_file", found=str(path), why=why) from None
    if len(data) > limit:
        raise Unreadable("too_large", found=str(path), allowed=limit)
    return data


def load_catalogue(path: str | None) -> tuple[Catalogue, int]:
    """Return the catalogue of a source laid over the shipped one, and how many cards the
    source holds. Raises Unreadable."""
    if path is None:
        return shipped.catalogue(), len(shipped.catalogue())
    cards = read_cards(read_bytes(Path(path), MAX_CARDS_BYTES)).cards
    return Catalogue(cards).over(shipped.catalogue()), len(cards)


def split_banlist(argument: str | None) -> tuple[Path, str | None] | None:
    """Split `FILE[:TITLE]` into the file and the title, None without an argument.

    A file name may hold colons: the longest part that is a file counts. Raises Unreadable.
    """
    if argument is None:
        return None
    parts = argument.split(":")
    for size in range(len(parts), 0, -1):
        name = ":".join(parts[:size])
        try:
            is_file = Path(name).is_file()
        except (OSError, ValueError):
            is_file = False
        if is_file:
            return Path(name), ":".join(parts[size:]) or None
    raise Unreadable("no_file", found=argument)


def load_banlist(argument: str | None) -> Banlist | None:
    """Return the list of `FILE[:TITLE]`, None without an argument. Raises Unreadable."""
    named = split_banlist(argument)
    if named is None:
        return None
    path, title = named
    return pick_banlist(read_banlists(read_bytes(path, MAX_BANLIST_BYTES)), title)


def load_preset(rules: str) -> Preset:
    """Return a preset of the house by name, else that of a file. Raises Unreadable
    `unknown_preset`, `preset_invalid` (with every fault of the file by its path), and as
    parse_preset does."""
    held = PRESETS.get(rules)
    if held is not None:
        return held
    path = Path(rules)
    if path.suffix.lower() not in (".toml", ".json"):
        allowed = [*sorted(PRESETS), "FILE.toml"]
        raise Unreadable("unknown_preset", found=rules, allowed=allowed)
    read = parse_preset(read_bytes(path, MAX_PRESET_BYTES))
    if read.preset is None:
        faults = [{"code": one.code, **one.params} for one in read.findings]
        raise Unreadable("preset_invalid", found=str(path), faults=faults)
    return read.preset


def load_sources(cards: str | None, banlist: str | None, rules: str) -> Sources:
    """Load all that the arguments name. Raises Unreadable: say its finding and stop."""
    preset = load_preset(rules)
    catalogue, count = load_catalogue(cards)
    limits = load_banlist(banlist)
    if limits is not None and preset.own_list is not None:
        raise Unreadable("two_lists", found=limits.title, allowed=preset.id)
    catalogue = catalogue.of_kinds(preset.kinds_of_game)
    return Sources(catalogue, limits or preset.own_list, preset, count)


def check_bytes(data: bytes, sources: Sources) -> tuple[DeckList, Report]:
    """Check one list given as bytes."""
    return check(
        read_deck(data, sources.catalogue), sources.catalogue, sources.banlist, sources.preset
    )


def check_file(path: Path, sources: Sources) -> tuple[DeckList, Report, bool]:
    """Check one file; the flag says whether it could be read. Never raises."""
    try:
        data = read_bytes(path, MAX_DECK_BYTES)
    except Unreadable as fault:
        finding = fault.finding
        allowed = finding.params.get("allowed")
        error = Fault(finding.code, found=finding.params.get("found"), allowed=allowed)
        return DeckList(), Report(False, DeckList().counts, (error,)), False
    return (*check_bytes(data, sources), True)


def report_json(path: Path, report: Report) -> dict[str, Any]:
    """Return the JSON of one file's report."""
    return {"file": str(path), **report.as_json()}
