"""What the one field of the door is given: a code, a link, a number, a Card Game ID or a name.

The short code of an entrant is made from its id, so it needs no place of its own: eight signs of
an alphabet without I, L, O and U, shown as two fours. It says who somebody is, it opens nothing:
only staff can do anything with it.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
SIGNS = 8
LONGEST = 400
MISREAD = str.maketrans({"I": "1", "L": "1", "O": "0"})
CODE = re.compile(rf"[{ALPHABET}]{{4}}-?[{ALPHABET}]{{4}}")


def code_of(entrant_id: str) -> str:
    """Return the short code of an entrant, such as 7KQ2-M9XD: 40 bits of the SHA-256 of its id.

    >>> code_of("00000000-0000-7000-8000-000000000001")
    '4BW9-WV97'
    """
    number = int.from_bytes(hashlib.sha256(entrant_id.encode()).digest()[:5], "big")
    signs = "".join(ALPHABET[number >> 5 * at & 31] for at in reversed(range(SIGNS)))
    return f"{signs[:4]}-{signs[4:]}"


@dataclass(frozen=True, slots=True)
class Asked:
    """What was typed or scanned: at most one of code, number (#12), digits; `text` always."""

    text: str
    code: str = ""
    number: int | None = None
    digits: str = ""


def read(text: str) -> Asked:
    """Take apart what the field was given. A link (the QR code of a phone, typed by a scanner)
    carries the code in its query."""
    given = " ".join(text.replace("\x00", "").split())[:LONGEST]
    if "://" in given:
        try:
            given = parse_qs(urlsplit(given).query).get("q", [""])[0][:40].strip()
        except ValueError:
            given = ""
    upper = given.upper()
    if re.fullmatch(r"#\d{1,6}", given):
        return Asked(given, number=int(given[1:]))
    digits = given.replace(" ", "").replace("-", "")
    if digits.isascii() and digits.isdigit() and len(digits) != SIGNS:
        return Asked(given, digits=digits)
    for candidate in (upper, upper.translate(MISREAD)):
        if CODE.fullmatch(candidate):
            plain = candidate.replace("-", "")
            code = f"{plain[:4]}-{plain[4:]}"
            return Asked(given, code=code, digits=digits if digits.isdigit() else "")
    return Asked(given)
