"""Deck lists as people write them: names with counts, under headings or none."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from cards.domain.catalogue import Catalogue, fold
from cards.domain.facts import MAX_ID
from cards.domain.findings import Finding, error, warning
from cards.domain.sources import lines_of
from decks.domain.decklist import EXTRA, MAIN, SIDE, DeckList, DeckRead, Unresolved
from decks.domain.limits import MAX_CARDS, MAX_COUNT, MAX_FINDINGS, MAX_LINE, MAX_LINES

_HEADINGS: dict[str, str] = {
    name: section
    for section, names in {
        MAIN: (
            "main, main deck, maindeck, deck, duel deck, monster, monsters, monster card,"
            "monster cards, normal monster, normal monsters, effect monster, effect monsters,"
            "ritual monster, ritual monsters, spell, spells, spell card, spell cards, magic,"
            "magic card, magic cards, trap, traps, trap card, trap cards,"
            # German, French, Italian, Spanish, Portuguese
            "hauptdeck, monsterkarten, zauber, zauberkarten, falle, fallen, fallenkarten,"
            "deck principal, cartes monstre, monstres, magie, magies, cartes magie, pieges,"
            "cartes piege, deck principale, mostri, magie, trappole, mazo principal, monstruos,"
            "magicas, trampas, baralho principal, monstros, magias, armadilhas"
        ),
        EXTRA: (
            "extra, extra deck, extradeck, fusion deck, fusion, fusions, fusion monsters,"
            "fusionsdeck, mazo extra, mazo de fusion, baralho extra, baralho de fusao"
        ),
        SIDE: (
            "side, side deck, sidedeck, sideboard, seitendeck, deck annexe, mazo de reserva,"
            "baralho auxiliar"
        ),
    }.items()
    for name in (one.strip() for one in names.split(","))
}
"""Folded headings. Those of kinds belong to the main deck."""
_HEADING = re.compile(
    r"[#!=\-*\s]*([^\d:()\[\]]+?)\s*[:=\-]?\s*[(\[]?\s*\d{0,4}\s*[)\]]?\s*[:=\-*]*"
)
_PLAIN = re.compile(r"[-*\u2022\s]*(\d{1,9})\s+(\S.*)")
_BEFORE = re.compile(r"[-*\u2022\s]*(\d{1,9})\s*[xX\u00d7*]\s*(\S.*)")
_MARKED = re.compile(r"[-*\u2022\s]*[xX\u00d7](\d{1,9})\s+(\S.*)")
_AFTER = re.compile(r"(.*\S)\s+[xX\u00d7]\s*(\d{1,9})")
_BRACKET = re.compile(r"(.*\S)\s*[(\[]\s*[xX\u00d7]?\s*(\d{1,9})\s*[xX\u00d7]?\s*[)\]]")
_SET_CODE = re.compile(r"(.*\S)\s*[(\[][A-Z0-9]{2,5}-[A-Z]{0,3}\d{1,4}[A-Za-z]?[)\]]")
_REMARKS = ("//", ";", "#")


def heading(line: str) -> str | None:
    """Return the section that a heading begins, or None when the line is no heading."""
    found = _HEADING.fullmatch(line.strip())
    return _HEADINGS.get(fold(found[1])) if found else None


def _readings(line: str) -> Iterator[tuple[int, str]]:
    """Yield (copies, name) in the order in which a line is tried: the whole line first, for
    names that begin or end with a number."""
    yield 1, line
    for pattern, count_at, name_at in (
        (_PLAIN, 1, 2),  # before the next, for names that begin with an x
        (_BEFORE, 1, 2),
        (_MARKED, 1, 2),
        (_AFTER, 2, 1),
        (_BRACKET, 2, 1),
    ):
        found = pattern.fullmatch(line)
        if found:
            yield int(found[count_at]), found[name_at].strip()


def _keys(name: str, catalogue: Catalogue) -> list[str]:
    cards = catalogue.by_name(name)
    if cards:
        return [card.key for card in cards]
    if name.isascii() and name.isdigit() and 3 <= len(name) <= 10 and 0 < int(name) <= MAX_ID:
        return [str(int(name))]
    return [name] if name in catalogue else []


def resolve(line: str, catalogue: Catalogue) -> tuple[int, list[str]]:
    """Return (copies, keys of the cards of that name); no keys when none answers.

    `Name`, `3 Name`, `3x Name`, `x3 Name`, `Name x3`, `Name (3)`, each also with a set code in
    parentheses after the name; an id of three digits or more in place of the name.
    """
    line = line.strip()
    for copies, name in _readings(line):
        keys = _keys(name, catalogue)
        if keys:
            return copies, keys
    for copies, name in _readings(line):
        coded = _SET_CODE.fullmatch(name)
        keys = _keys(coded[1], catalogue) if coded else []
        if keys:
            return copies, keys
    bare = _SET_CODE.sub(r"\1", line)
    for copies, name in _readings(bare) if bare != line else ():
        keys = _keys(name, catalogue)
        if keys:
            return copies, keys
    return next((copies for copies, _ in list(_readings(line))[1:]), 1), []


def bare_name(line: str) -> str:
    """Return a line without its count and set code, for the search of near names."""
    name = list(_readings(line.strip()))[-1][1]
    return _SET_CODE.sub(r"\1", name)


def read_text(text: str, catalogue: Catalogue) -> DeckRead:
    """Read a list of names. Line numbers count from 1.

    A line that names no card is kept as unresolved. Findings: `ambiguous_name` (two cards have
    that name; the one with the older number is taken), `count_zero` (warnings);
    `count_out_of_range`, `too_many_cards`, `too_many_lines` (errors).
    """
    held: dict[str, list[str]] = {MAIN: [], EXTRA: [], SIDE: []}
    unresolved: list[Unresolved] = []
    findings: list[Finding] = []
    section, sectioned, total = MAIN, False, 0
    for number, raw in enumerate(lines_of(text), 1):
        if number > MAX_LINES:
            findings.append(error("too_many_lines", number, allowed=MAX_LINES))
            break
        line = raw[:MAX_LINE].strip()
        if not line:
            continue
        begun = heading(line)
        if begun is not None and not catalogue.by_name(line):
            section, sectioned = begun, sectioned or begun == EXTRA
            continue
        if line.startswith(_REMARKS):
            continue
        copies, keys = resolve(line, catalogue)
        if not keys:
            if len(unresolved) < MAX_FINDINGS:
                unresolved.append(Unresolved(section, number, line[:120]))
            continue
        if copies > MAX_COUNT:
            if len(findings) < MAX_FINDINGS:
                findings.append(
                    error("count_out_of_range", number, found=copies, allowed=MAX_COUNT)
                )
            continue
        if copies == 0 and len(findings) < MAX_FINDINGS:
            findings.append(warning("count_zero", number, found=line[:60]))
        if len(keys) > 1 and len(findings) < MAX_FINDINGS:
            findings.append(warning("ambiguous_name", number, found=keys, taken=keys[0]))
        total += copies
        if total > MAX_CARDS:
            findings.append(error("too_many_cards", number, allowed=MAX_CARDS))
            break
        held[section].extend([keys[0]] * copies)
    deck = DeckList(tuple(held[MAIN]), tuple(held[EXTRA]), tuple(held[SIDE]), tuple(unresolved))
    return DeckRead(deck, "text", not sectioned, tuple(findings))


def listed(key: str, copies: int, catalogue: Catalogue) -> str:
    """Write one line: `3 Name`, or the id where the name would be read as another card."""
    name = catalogue.name(key)
    safe = name is not None and resolve(f"{copies} {name}", catalogue) == (copies, [key])
    return f"{copies} {name if safe else key}"


def write_text(deck: DeckList, catalogue: Catalogue) -> str:
    """Write the list as EDOPro does: headings, `3 Name`, two blank lines between sections.

    A card stands by its id where its name is unknown or would be read as another card.
    """
    blocks: list[str] = []
    for title, keys in (("Main", deck.main), ("Extra", deck.extra), ("Side", deck.side)):
        lines = [f"{title} Deck:"]
        lines += [listed(key, copies, catalogue) for key, copies in Counter(keys).items()]
        blocks.append("\n".join(lines))
    return "\n\n\n".join(blocks) + "\n"
