"""XML from outside: size first, no document type, no entities, no depth without end."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from tournaments.domain.exchange.sheet import LONGEST, MAX_BYTES, Unreadable

DEEPEST = 40
TAGS = re.compile(rb"</|/>|<(?![!?/])")


def parse(data: bytes, root: str) -> Element:
    """Return the root element of a document.

    Raises Unreadable `file_too_large`, `file_unsafe`, `file_damaged{line, found}`,
    `file_other{found, allowed}`.
    """
    if len(data) > MAX_BYTES:
        raise Unreadable("tournaments.file_too_large", found=len(data), allowed=MAX_BYTES)
    depth = 0
    # Checked on the bytes: the parser would have built the depth before anybody could look.
    for token in TAGS.finditer(data):
        depth += 1 if token.group() == b"<" else -1
        if depth > DEEPEST:
            raise Unreadable("tournaments.file_unsafe", found="nested too deep", allowed=DEEPEST)
    try:
        found: Element = fromstring(data, forbid_dtd=True)
    except DefusedXmlException as fault:
        raise Unreadable(
            "tournaments.file_unsafe", found=type(fault).__name__, allowed="no DTD"
        ) from None
    except ParseError as fault:
        line, column = fault.position
        raise Unreadable(
            "tournaments.file_damaged", line=line, found=f"{fault.msg} ({column})"
        ) from None
    except (ValueError, LookupError, RecursionError) as fault:
        raise Unreadable("tournaments.file_damaged", line=0, found=str(fault)[:LONGEST]) from None
    if found.tag != root:
        raise Unreadable("tournaments.file_other", found=str(found.tag)[:40], allowed=root)
    return found


def clean(text: str | None) -> str:
    """Return a text without signs that cannot be stored or shown, cut at its limit."""
    kept = "".join(sign for sign in (text or "") if sign.isprintable() or sign == " ")
    return kept.strip()[:LONGEST]


def whole(text: str | None, place: str, least: int = 0, most: int = 10**9) -> int:
    """Return a whole number; raises Unreadable `file_field{place, found, allowed}`."""
    given = (text or "").strip()
    sign = given[:1] in "+-" and given[:1] != ""
    digits = given[1:] if sign else given
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 12):
        raise Unreadable(
            "tournaments.file_field", place=place, found=given[:40], allowed="a whole number"
        )
    number = int(given)
    if not least <= number <= most:
        raise Unreadable("tournaments.file_field", place=place, found=number, allowed=[least, most])
    return number
