"""One way in for every format: limits, encoding, detection, reader."""

from __future__ import annotations

from enum import StrEnum

from cards.domain.catalogue import Catalogue
from cards.domain.findings import Finding, Unreadable, error
from cards.domain.sources import decode_text, limited, lines_of
from decks.domain.csv_list import looks_like_csv, read_csv_list
from decks.domain.decklist import DeckList, DeckRead
from decks.domain.limits import MAX_BYTES, MAX_LINES
from decks.domain.omega import looks_like_omega, read_omega
from decks.domain.text_list import read_text
from decks.domain.ydk import read_ydk
from decks.domain.ydke import looks_like_ydke, read_ydke


class Format(StrEnum):
    """The formats that are told apart by their content; a file name is not asked."""

    YDK = "ydk"
    YDKE = "ydke"
    OMEGA = "omega"
    CSV = "csv"
    TEXT = "text"


def detect_text(text: str) -> Format:
    """Say which format a text has: the address by its scheme or three parts, a code of Omega by
    inflating, a table by its header, `.ydk` by its marks or by lines of ids alone, a list of
    names otherwise."""
    if looks_like_ydke(text):
        return Format.YDKE
    if looks_like_omega(text):
        return Format.OMEGA
    if looks_like_csv(text):
        return Format.CSV
    ids = names = 0
    for line in lines_of(text)[:MAX_LINES]:
        plain = line.strip()
        if plain.lower() in ("#main", "#extra", "!side"):
            return Format.YDK
        if not plain or plain.startswith(("#", "!")):
            continue
        if plain.isascii() and plain.isdigit() and len(plain) >= 3:
            ids += 1
        else:
            names += 1
    return Format.YDK if ids > names else Format.TEXT


def detect(data: bytes) -> Format:
    """Say which format the bytes have; raises Unreadable `too_large`."""
    return detect_text(decode_text(limited(data, MAX_BYTES))[0])


def read_deck(data: bytes | str, catalogue: Catalogue) -> DeckRead:
    """Read a deck list in whatever format and encoding it came. Never raises on bad content:
    what cannot be read at all is an empty list with an error finding."""
    findings: list[Finding] = []
    try:
        if isinstance(data, str):
            data = data.encode("utf-8", "replace")
        text, findings = decode_text(limited(data, MAX_BYTES))
        if not text.strip():
            return DeckRead(DeckList(), Format.TEXT, False, (*findings, error("empty_input")))
        kind = detect_text(text)
        if kind is Format.YDKE:
            read = read_ydke(text)
        elif kind is Format.YDK:
            read = read_ydk(text)
        elif kind is Format.OMEGA:
            read = read_omega(text)
        elif kind is Format.CSV:
            read = read_csv_list(text, catalogue)
        else:
            read = read_text(text, catalogue)
    except Unreadable as fault:
        return DeckRead(DeckList(), "unknown", False, (*findings, fault.finding))
    return DeckRead(read.deck, read.format, read.mixed, (*findings, *read.findings))
