"""The code of YGO Omega: base64 of raw DEFLATE of two counts and little-endian 32-bit ids.

Main and Extra Deck are one run of ids, told apart by the kind of card. Newer programs append
the id of a cover card. The compressed bytes differ between encoders, so codes are compared
after inflating.
"""

from __future__ import annotations

import base64
import binascii
import re
import struct
import zlib

from cards.domain.findings import Finding, Unreadable, error, warning
from cards.domain.sources import inflate
from decks.domain.decklist import DeckList, DeckRead
from decks.domain.ydk import unwritable
from eventstore.domain.refusal import Refusal

RAW_DEFLATE = -15
MOST = 255
"""A count is one byte."""
MAX_INFLATED = 2 + 4 * (2 * MOST + 1) + 64
SMALLEST = 6
_CODE = re.compile(r"[A-Za-z0-9+/_\-]{8,4000}={0,2}")
_TO_STANDARD = str.maketrans("-_", "+/")


def _inflated(text: str) -> bytes | None:
    """Return the bytes of a code, None for a text that is none."""
    plain = "".join(text.split())
    if _CODE.fullmatch(plain) is None:
        return None
    bare = plain.translate(_TO_STANDARD).rstrip("=")
    try:
        raw = base64.b64decode(bare + "=" * (-len(bare) % 4), validate=True)
        return inflate(raw, MAX_INFLATED, window=RAW_DEFLATE)
    except (binascii.Error, ValueError, Unreadable):
        return None


def looks_like_omega(text: str) -> bool:
    """Say whether the text is a code: many words look like base64, so it must inflate and its
    counts must fit the bytes."""
    body = _inflated(text)
    return (
        body is not None and len(body) >= SMALLEST and 0 < body[0] + body[1] <= (len(body) - 2) // 4
    )


def read_omega(text: str) -> DeckRead:
    """Read a code, also line-wrapped, URL-safe or without padding.

    What follows the ids (a cover card) belongs to no deck: the warning `omega_cover` says its
    id. Findings: `id_zero` (error). Raises Unreadable `bad_omega` for a text that is no code.
    """
    body = _inflated(text)
    if body is None or not looks_like_omega(text):
        raise Unreadable("bad_omega")
    findings: list[Finding] = []
    count = body[0] + body[1]
    ids = [one for (one,) in struct.iter_unpack("<I", body[2 : 2 + 4 * count])]
    rest = body[2 + 4 * count :]
    if len(rest) >= 4:
        findings.append(warning("omega_cover", 1, found=struct.unpack("<I", rest[:4])[0]))
    if 0 in ids:
        findings.append(error("id_zero", 1, found=ids.count(0)))
    main, side = ids[: body[0]], ids[body[0] :]
    deck = DeckList(_keys(main), (), _keys(side))
    return DeckRead(deck, "omega", True, tuple(findings))


def _keys(ids: list[int]) -> tuple[str, ...]:
    return tuple(str(one) for one in ids if one)


def write_omega(deck: DeckList) -> str | Refusal:
    """Write a code: the ids of main and Extra Deck, then the side deck.

    Refused as by `write_ydk`, and with `decks.too_many_for_omega` above 255 copies.
    """
    refused = unwritable(deck)
    if refused is not None:
        return refused
    main, side = (*deck.main, *deck.extra), deck.side
    if max(len(main), len(side)) > MOST:
        found = max(len(main), len(side))
        return Refusal("decks.too_many_for_omega", {"found": found, "allowed": MOST})
    body = bytes([len(main), len(side)])
    body += b"".join(struct.pack("<I", int(key)) for key in (*main, *side))
    machine = zlib.compressobj(9, zlib.DEFLATED, RAW_DEFLATE)
    return base64.b64encode(machine.compress(body) + machine.flush()).decode()
