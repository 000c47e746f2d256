"""Bytes from outside: size limits before any work, inflation that a bomb cannot abuse, and
text in whatever encoding it came."""

from __future__ import annotations

import zlib
from collections import deque
from collections.abc import Iterator

from cards.domain.findings import Finding, Unreadable, warning

GZIP_MAGIC = b"\x1f\x8b"
SQLITE_MAGIC = b"SQLite format 3\x00"
STEP = 1 << 16
FREE = 4 << 20
"""Bytes that any data may inflate to, within its limit."""
MOST_TIMES = 100
"""Beyond that, how many times its size; catalogues of the field stay below 12."""


def limited(data: bytes, limit: int) -> bytes:
    """Return `data`; raises Unreadable `too_large` when it has more than `limit` bytes."""
    if len(data) > limit:
        raise Unreadable("too_large", found=len(data), allowed=limit)
    return data


def _inflated(data: bytes, limit: int, window: int) -> Iterator[bytes]:
    """Yield what the data inflates to, piece by piece; raises as `inflate`."""
    machine = zlib.decompressobj(window)
    size = 0
    rest = data
    try:
        while not machine.eof:
            part = machine.decompress(rest, STEP)
            rest = machine.unconsumed_tail
            if not part and not rest:
                raise Unreadable("bad_compression", found="cut off")
            size += len(part)
            if size > limit or size > FREE + MOST_TIMES * len(data):
                raise Unreadable("too_large", found=size, allowed=limit)
            yield part
    except zlib.error:
        raise Unreadable("bad_compression", found="damaged") from None


def inflate(data: bytes, limit: int, *, window: int = 31) -> bytes:
    """Inflate gzip (window 31), zlib (15) or raw DEFLATE (-15) data to at most `limit` bytes.

    What is large is gone through once without keeping it, so that a bomb costs no memory.
    Raises Unreadable: `too_large` as soon as the output passes the limit or grows as no honest
    text does, `bad_compression` for damaged or cut data.
    """
    if len(data) > STEP // 8 and limit > FREE:
        deque(_inflated(data, limit, window), maxlen=0)
    return b"".join(_inflated(data, limit, window))


# Bytes that Latin-1 reads as a sign in the midst of a word, and Latin-2 as a letter.
_LATIN_2_LETTERS = frozenset(
    b"\xa1\xa3\xa5\xa6\xa9\xaa\xab\xac\xae\xaf\xb1\xb3\xb5\xb6\xb9\xba\xbb\xbc\xbe\xbf"
)


def _beside_letter(data: bytes, at: int) -> bool:
    return any(
        0 <= near < len(data) and (data[near : near + 1].isalpha() or data[near] >= 0xC0)
        for near in (at - 1, at + 1)
    )


def decode_text(data: bytes) -> tuple[str, list[Finding]]:
    """Decode text: UTF-8 with or without BOM, UTF-16 with or without BOM, else Latin-1 or
    Latin-2 with the warning `encoding_assumed`. NULs left over are taken out with the warning
    `nul_removed`. Never raises."""
    findings: list[Finding] = []
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = data.decode("utf-16", "replace")
    elif len(data) >= 4 and data[1:8:2].count(0) == len(data[1:8:2]) and 0 not in data[0:8:2]:
        text = data.decode("utf-16-le", "replace")
        findings.append(warning("encoding_assumed", found="utf-16-le"))
    elif len(data) >= 4 and data[0:8:2].count(0) == len(data[0:8:2]) and 0 not in data[1:8:2]:
        text = data.decode("utf-16-be", "replace")
        findings.append(warning("encoding_assumed", found="utf-16-be"))
    else:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as fault:
            latin_2 = any(
                byte in _LATIN_2_LETTERS and _beside_letter(data, at)
                for at, byte in enumerate(data)
            )
            text = data.decode("iso8859-2" if latin_2 else "latin-1")
            line = data.count(b"\n", 0, fault.start) + 1
            findings.append(
                warning("encoding_assumed", line, found="latin-2" if latin_2 else "latin-1")
            )
    if "\ufffd" in text and data.startswith((b"\xff\xfe", b"\xfe\xff")):
        findings.append(warning("encoding_damaged"))
    if "\x00" in text:
        text = text.replace("\x00", "")
        findings.append(warning("nul_removed"))
    return text.removeprefix("\ufeff"), findings


def lines_of(text: str) -> list[str]:
    """Split into lines at LF, CRLF or a lone CR; signs such as U+2028 stay in their line."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
