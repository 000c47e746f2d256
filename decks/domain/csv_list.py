"""Deck lists as tables: a header, then one card a line, commas, semicolons or tabs between.

Spreadsheets and collection programs each have their own headers; the columns are told by the
words of the header, in any order. Ours is `section,count,id,name`.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable

from cards.domain.catalogue import Catalogue, fold
from cards.domain.facts import MAX_ID
from cards.domain.findings import Finding, Unreadable, error, warning
from cards.domain.sources import lines_of
from decks.domain.decklist import EXTRA, MAIN, SECTIONS, SIDE, DeckList, DeckRead, Unresolved
from decks.domain.limits import MAX_CARDS, MAX_COUNT, MAX_FINDINGS, MAX_LINE, MAX_LINES
from decks.domain.text_list import heading

COLUMNS: dict[str, tuple[str, ...]] = {
    "section": ("section", "deck", "part", "board", "location"),
    "count": ("count", "quantity", "qty", "amount", "copies", "number", "cardq"),
    "id": ("id", "card id", "cardid", "passcode", "password", "code", "card number"),
    "name": ("name", "card name", "cardname", "card", "name en"),
}
Say = Callable[[Finding], None]
_SEPARATORS = (",", ";", "\t")
_KNOWN = {word: column for column, words in COLUMNS.items() for word in words}


def _header(line: str) -> tuple[str, list[str | None]] | None:
    """Return the separator and the column of each place of a header line, None for no header:
    it must name cards (an id or a name) and hold a second column that is known."""
    for separator in _SEPARATORS:
        if separator in line:
            try:
                fields = next(csv.reader([line], delimiter=separator), [])
            except csv.Error:
                continue
            columns = [_KNOWN.get(fold(one)) for one in fields]
            known = [one for one in columns if one]
            if len(known) >= 2 and len(set(known)) == len(known) and {"id", "name"} & set(known):
                return separator, columns
    return None


def looks_like_csv(text: str) -> bool:
    """Say whether the first line with signs on it is the header of such a table."""
    first = next((line for line in lines_of(text)[:50] if line.strip()), "")
    return len(first) <= MAX_LINE and _header(first) is not None


def _section(word: str) -> str | None:
    plain = word.strip().lower()
    if plain in SECTIONS or not plain:
        return plain or MAIN
    return heading(word)


def read_csv_list(text: str, catalogue: Catalogue) -> DeckRead:
    """Read such a table. Line numbers count from 1, the header's included.

    The id tells the card; the name stands in where there is none. A row that names no card is
    kept as unresolved. Findings: `section_unknown` (the row is taken as main), `count_zero`,
    `ambiguous_name` (warnings); `count_out_of_range`, `id_zero`, `id_out_of_range`,
    `too_many_cards`, `too_many_lines` (errors). Raises Unreadable `bad_csv` where there is no
    header, or quotes do not close.
    """
    lines = lines_of(text)
    begin = next((at for at, line in enumerate(lines) if line.strip()), 0)
    header = _header(lines[begin][:MAX_LINE]) if lines else None
    if header is None:
        raise Unreadable("bad_csv", found=lines[begin][:60] if lines else "")
    separator, columns = header
    held: dict[str, list[str]] = {MAIN: [], EXTRA: [], SIDE: []}
    unresolved: list[Unresolved] = []
    findings: list[Finding] = []
    total = 0

    def note(finding: Finding) -> None:
        if len(findings) < MAX_FINDINGS:
            findings.append(finding)

    reader = csv.reader(io.StringIO("\n".join(lines[begin + 1 :])), delimiter=separator)
    try:
        for fields in reader:
            number = begin + 1 + reader.line_num
            if number > MAX_LINES:
                findings.append(error("too_many_lines", number, allowed=MAX_LINES))
                break
            row = {
                column: value.strip()[:MAX_LINE]
                for column, value in zip(columns, fields, strict=False)
                if column
            }
            if not any(row.values()):
                continue
            section = _section(row.get("section", ""))
            if section is None:
                note(warning("section_unknown", number, found=row["section"][:60]))
                section = MAIN
            given = row.get("count", "") or "1"
            if not (given.isascii() and given.isdigit()) or int(given[:9]) > MAX_COUNT:
                note(error("count_out_of_range", number, found=given[:20], allowed=MAX_COUNT))
                continue
            copies = int(given)
            if copies == 0:
                note(warning("count_zero", number, found=_shown(row)[:60]))
            key = _key(row, number, catalogue, note)
            if key is None:
                continue
            if not key:
                if len(unresolved) < MAX_FINDINGS:
                    unresolved.append(Unresolved(section, number, _shown(row)[:120]))
                continue
            total += copies
            if total > MAX_CARDS:
                findings.append(error("too_many_cards", number, allowed=MAX_CARDS))
                break
            held[section].extend([key] * copies)
    except csv.Error as fault:
        raise Unreadable("bad_csv", found=str(fault)[:100]) from None
    deck = DeckList(tuple(held[MAIN]), tuple(held[EXTRA]), tuple(held[SIDE]), tuple(unresolved))
    return DeckRead(deck, "csv", "section" not in columns, tuple(findings))


def _shown(row: dict[str, str]) -> str:
    return row.get("name") or row.get("id", "")


def _key(row: dict[str, str], number: int, catalogue: Catalogue, say: Say) -> str | None:
    """Return the card of a row: its key, empty when no card answers, None for a bad id."""
    given = row.get("id", "")
    if given in catalogue:
        return given
    if given:
        digits = given.lstrip("0") or "0"
        if not (given.isascii() and given.isdigit()):
            return "" if not row.get("name") else _by_name(row["name"], number, catalogue, say)
        if digits == "0" or len(digits) > 10 or int(digits) > MAX_ID:
            say(error("id_zero" if digits == "0" else "id_out_of_range", number, found=given[:20]))
            return None
        return digits
    return _by_name(row.get("name", ""), number, catalogue, say)


def _by_name(name: str, number: int, catalogue: Catalogue, say: Say) -> str:
    cards = catalogue.by_name(name) if name else ()
    if len(cards) > 1:
        say(warning("ambiguous_name", number, found=[one.key for one in cards], taken=cards[0].key))
    return cards[0].key if cards else ""


def write_csv_list(deck: DeckList, catalogue: Catalogue) -> str:
    """Write `section,count,id,name`, one line for each run of copies, LF.

    A key that is no passcode stands in the column `id` all the same: nothing is dropped.
    Lines that name no card keep their text as the name.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(list(COLUMNS))
    for section, keys in deck.sections():
        for key, copies in Counter(keys).items():
            writer.writerow([section, copies, key, catalogue.name(key) or ""])
    for one in deck.unresolved:
        writer.writerow([one.section, 1, "", one.text])
    return out.getvalue()
