"""Which format a file has: by what stands in it, not by its name."""

from __future__ import annotations

from tournaments.domain.exchange import archive, kts, tables, trf, wer
from tournaments.domain.exchange.sheet import MAX_BYTES, Sheet, Unreadable

KNOWN = ("kts", "wer", "trf", "csv", "archive")


def read(data: bytes) -> Sheet:
    """Read an event file of any format known here. Raises Unreadable."""
    if len(data) > MAX_BYTES:
        raise Unreadable("tournaments.file_too_large", found=len(data), allowed=MAX_BYTES)
    start = data[:4096].removeprefix(b"\xef\xbb\xbf").lstrip()
    if not start:
        raise Unreadable("tournaments.file_empty", allowed=list(KNOWN))
    if start.startswith(b"{"):
        return archive.read(data).sheet()
    if start.startswith(b"<"):
        return wer.read(data) if b"<event" in start else kts.read(data)
    if start.startswith((b'"Event ID"', b"Event ID")):
        return tables.read_results(data)
    return trf.read(data)
