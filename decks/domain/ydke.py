"""The deck address `ydke://`: three base64 parts of little-endian 32-bit ids.

No written rule of this format is known; the spellings accepted are those met in the field.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import struct
from urllib.parse import unquote

from cards.domain.findings import Finding, Unreadable, error, warning
from cards.domain.sources import inflate
from decks.domain.decklist import DeckList, DeckRead
from decks.domain.limits import MAX_BYTES, MAX_CARDS
from decks.domain.ydk import unwritable
from eventstore.domain.refusal import Refusal

SCHEME = "ydke://"
_PART = r"[A-Za-z0-9+/_\-]*={0,2}"
_BARE = re.compile(rf"(?:\?y=)?{_PART}!{_PART}!{_PART}(?:![^!\n]{{0,200}})?!?")
_TO_STANDARD = str.maketrans("-_", "+/")


def looks_like_ydke(text: str) -> bool:
    """Say whether the text is an address of this kind, in any spelling of the field."""
    plain = text.strip()
    if plain[: len(SCHEME)].lower() == SCHEME:
        return True
    plain = "".join(_unescaped(plain).split())
    return plain.count("!") >= 2 and _BARE.fullmatch(plain) is not None


def _unescaped(text: str) -> str:
    return unquote(text) if "%" in text else text


def _ids(part: str, name: str, findings: list[Finding]) -> tuple[str, ...]:
    plain = part.translate(_TO_STANDARD)
    bare = plain.rstrip("=")
    padding = -len(bare) % 4
    if padding == 3:
        findings.append(error("ydke_bad_base64", 1, part=name))
        return ()
    if len(plain) - len(bare) != padding:
        findings.append(warning("ydke_padding", 1, part=name))
    try:
        raw = base64.b64decode(bare + "=" * padding, validate=True)
    except (binascii.Error, ValueError):
        findings.append(error("ydke_bad_base64", 1, part=name))
        return ()
    if len(raw) % 4:
        findings.append(error("ydke_part_length", 1, part=name, found=len(raw), allowed="4n"))
        raw = raw[: len(raw) // 4 * 4]
    ids = [one for (one,) in struct.iter_unpack("<I", raw)]
    if 0 in ids:
        findings.append(error("id_zero", 1, part=name, found=ids.count(0)))
    return tuple(str(one) for one in ids if one)


def _wrapped(body: str) -> str:
    """Open the address that one site wraps: base64url of gzipped JSON `{"y": "ydke://..."}`."""
    plain = body.translate(_TO_STANDARD).rstrip("=")
    try:
        raw = base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
        inner = json.loads(inflate(raw, MAX_BYTES))
    except (binascii.Error, ValueError, RecursionError):
        raise Unreadable("ydke_bad_wrapping") from None
    address = inner.get("y") if isinstance(inner, dict) else None
    if not isinstance(address, str) or not address.lower().startswith(SCHEME):
        raise Unreadable("ydke_bad_wrapping")
    return address


def read_ydke(text: str) -> DeckRead:
    """Read an address.

    Accepted: upper-case scheme, no scheme (`a!b!c`, `?y=`), URL-safe alphabet, %-escapes,
    missing padding, line breaks, a fourth part (the deck's name), the wrapped form. Findings:
    `ydke_end_missing`, `ydke_padding` (warnings); `ydke_bad_base64`, `ydke_part_length`,
    `ydke_parts_missing`, `id_zero`, `too_many_cards` (errors). Raises Unreadable
    `ydke_bad_wrapping`, `bad_compression`, `too_large`.
    """
    findings: list[Finding] = []
    body = "".join(_unescaped(text).split())
    if body[: len(SCHEME)].lower() == SCHEME:
        body = body[len(SCHEME) :]
    body = body.removeprefix("?y=")
    if body[: len(SCHEME)].lower() == SCHEME:
        body = body[len(SCHEME) :]
    if body.startswith("H4sI") and "!" not in body:
        body = "".join(_unescaped(_wrapped(body)).split())[len(SCHEME) :]
    parts = body.split("!")
    if len(parts) < 3:
        findings.append(error("ydke_parts_missing", 1, found=len(parts), allowed=3))
        parts += [""] * (3 - len(parts))
    elif len(parts) == 3:
        findings.append(warning("ydke_end_missing", 1))
    if sum(len(part) for part in parts[:3]) * 3 // 16 > MAX_CARDS:
        raise Unreadable("too_many_cards", allowed=MAX_CARDS)
    main, extra, side = (
        _ids(part, name, findings)
        for part, name in zip(parts[:3], ("main", "extra", "side"), strict=True)
    )
    return DeckRead(DeckList(main, extra, side), "ydke", False, tuple(findings))


def write_ydke(deck: DeckList) -> str | Refusal:
    """Write the canonical address; refused as by `write_ydk`."""
    refused = unwritable(deck)
    if refused is not None:
        return refused
    parts = [
        base64.b64encode(b"".join(struct.pack("<I", int(key)) for key in keys)).decode()
        for _, keys in deck.sections()
    ]
    return SCHEME + "".join(f"{part}!" for part in parts)
