"""The deck lists of a rehearsal: read from a folder, or the shipped starter decks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from cards import shipped
from cards.domain.findings import Unreadable
from cards.domain.sources import decode_text
from decks.checking import check_content
from decks.cli import read_bytes
from decks.domain.limits import MAX_BYTES


@dataclass(frozen=True, slots=True)
class Offered:
    """The lists of a folder, each checked once: the legal ones as (name, text), the others
    with the codes of what is wrong."""

    legal: list[tuple[str, str]]
    refused: list[dict[str, object]]


def offer(folder: Path | None, *, game: str, preset: str, banlist_id: str | None) -> Offered:
    """Check every file of a folder once, in the order of its names; None: the starter decks of the
    game. Raises OSError."""
    legal: list[tuple[str, str]] = []
    refused: list[dict[str, object]] = []
    for name, data in _contents(folder, game):
        if isinstance(data, Unreadable):
            refused.append({"file": name, "codes": [data.finding.code]})
            continue
        report = check_content(data, preset, banlist_id).report
        if report.legal:
            legal.append((name, decode_text(data)[0]))
        else:
            refused.append({"file": name, "codes": sorted({one.code for one in report.errors})})
    return Offered(legal, refused)


def _contents(folder: Path | None, game: str) -> list[tuple[str, bytes | Unreadable]]:
    if folder is None:
        return [(name, text.encode()) for name, text in sorted(shipped.decks(game).items())]
    found: list[tuple[str, bytes | Unreadable]] = []
    for path in sorted(folder.iterdir()):
        if path.is_file():
            try:
                found.append((path.name, read_bytes(path, MAX_BYTES)))
            except Unreadable as fault:
                found.append((path.name, fault))
    return found
