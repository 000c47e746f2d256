"""The deck file `.ydk`: one id per line, read as EDOPro reads it."""

from __future__ import annotations

import re

from cards.domain.facts import MAX_ID
from cards.domain.findings import Finding, error, warning
from decks.domain.decklist import EXTRA, MAIN, SIDE, DeckList, DeckRead
from decks.domain.limits import MAX_CARDS, MAX_FINDINGS, MAX_LINE, MAX_LINES
from eventstore.domain.refusal import Refusal

_ID = re.compile(r"[ \t]*\+?(\d{1,20})")


def read_ydk(text: str) -> DeckRead:
    """Read the text of a `.ydk`.

    A line is cut at its first CR; `#extra` begins the Extra Deck, any line that starts with
    `!` the Side Deck, which never ends; other `#` lines are remarks; ids before `#main` are
    main. Findings: `line_ignored` (no digits), `id_zero`, `id_out_of_range`, `too_many_cards`,
    `too_many_lines` (errors).
    """
    held: dict[str, list[str]] = {MAIN: [], EXTRA: [], SIDE: []}
    findings: list[Finding] = []
    section, sectioned, copies = MAIN, False, 0

    def note(finding: Finding) -> None:
        if len(findings) < MAX_FINDINGS:
            findings.append(finding)

    for number, raw in enumerate(text.split("\n"), 1):
        if number > MAX_LINES:
            findings.append(error("too_many_lines", number, allowed=MAX_LINES))
            break
        line = raw.split("\r", 1)[0][:MAX_LINE]
        if not line.strip():
            continue
        if line.startswith("!"):
            section = SIDE
            continue
        if line.startswith("#"):
            if line.rstrip() == "#extra" and section != SIDE:
                section, sectioned = EXTRA, True
            continue
        found = _ID.match(line)
        if found is None:
            note(warning("line_ignored", number, found=line[:60]))
            continue
        passcode = int(found[1])
        if not 0 < passcode <= MAX_ID:
            code = "id_zero" if passcode == 0 else "id_out_of_range"
            note(error(code, number, found=found[1]))
            continue
        copies += 1
        if copies > MAX_CARDS:
            findings.append(error("too_many_cards", number, allowed=MAX_CARDS))
            break
        held[section].append(str(passcode))
    deck = DeckList(tuple(held[MAIN]), tuple(held[EXTRA]), tuple(held[SIDE]))
    return DeckRead(deck, "ydk", not sectioned, tuple(findings))


def write_ydk(deck: DeckList) -> str | Refusal:
    """Write a `.ydk`: ids without zeros, LF. Refused with `decks.no_passcode` when a card has
    no id, and with `decks.unresolved` when a line names no card: nothing is dropped."""
    refused = unwritable(deck)
    if refused is not None:
        return refused
    lines = ["#created by Headjudge", "#main", *deck.main, "#extra", *deck.extra]
    return "\n".join([*lines, "!side", *deck.side, ""])


def unwritable(deck: DeckList) -> Refusal | None:
    """Say why a list cannot be written in a format of numbers, or None."""
    if deck.unresolved:
        return Refusal("decks.unresolved", {"found": [one.text for one in deck.unresolved]})
    nameless = sorted({key for _, keys in deck.sections() for key in keys if not key.isdigit()})
    return Refusal("decks.no_passcode", {"found": nameless}) if nameless else None
