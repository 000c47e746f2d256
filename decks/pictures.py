"""A photo that somebody sends, made safe to keep: known by decoding it, of bounded size, made
anew without anything but its pixels. No position, no device, no comment of the sender is left.
"""

from __future__ import annotations

import hashlib
import io
import struct
import warnings

import msgspec
from PIL import Image, ImageOps

from eventstore.domain.refusal import Refusal

MAX_BYTES = 10 << 20
"""Bytes that are read of a file."""
MAX_PIXELS = 64_000_000
"""Pixels of a JPEG, which is decoded at a smaller scale; other kinds are decoded whole."""
MAX_PIXELS_WHOLE = 20_000_000
EDGE = 2000
"""Pixels of the longer side of what is kept: a list written by hand can be read at this size."""
QUALITY = 80
KINDS = ("JPEG", "PNG", "WEBP")
FAULTS = (OSError, ValueError, SyntaxError, EOFError, struct.error, MemoryError, OverflowError)
"""What Pillow raises for damaged files."""


class Picture(msgspec.Struct, frozen=True):
    """A JPEG of our own making: its bytes, size in pixels, and SHA-256 in hex."""

    data: bytes
    width: int
    height: int
    sha256: str


def cleaned(data: bytes) -> Picture | Refusal:
    """Decode a photo and make it anew. Refused: `decks.photo_missing`, `decks.photo_too_large`
    (bytes or pixels), `decks.photo_unreadable` (no JPEG, PNG or WebP, or a damaged one)."""
    if not data:
        return Refusal("decks.photo_missing")
    if len(data) > MAX_BYTES:
        return Refusal("decks.photo_too_large", {"allowed": MAX_BYTES >> 20, "unit": "MB"})
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _made_anew(data)
    except (*FAULTS, Image.DecompressionBombError):
        return Refusal("decks.photo_unreadable", {"allowed": list(KINDS)})


def _made_anew(data: bytes) -> Picture | Refusal:
    with Image.open(io.BytesIO(data), formats=KINDS) as opened:
        width, height = opened.size
        most = MAX_PIXELS if opened.format == "JPEG" else MAX_PIXELS_WHOLE
        if width * height > most:
            return Refusal(
                "decks.photo_too_large", {"allowed": most // 1_000_000, "unit": "megapixels"}
            )
        opened.draft("RGB", (EDGE, EDGE))  # a JPEG is decoded at the scale that is needed
        turned = ImageOps.exif_transpose(opened)
        shown = turned if turned is not None else opened
        if shown.mode not in ("RGB", "L"):
            # what is transparent is paper
            shown = shown.convert("RGBA")
            ground = Image.new("RGBA", shown.size, "white")
            shown = Image.alpha_composite(ground, shown)
        plain = shown.convert("RGB")
        plain.thumbnail((EDGE, EDGE))
        # a new picture from the pixels alone: no block of the old file comes along
        bare = Image.new("RGB", plain.size)
        bare.paste(plain)
    kept = io.BytesIO()
    bare.save(kept, "JPEG", quality=QUALITY, optimize=True)
    body = kept.getvalue()
    return Picture(body, bare.width, bare.height, hashlib.sha256(body).hexdigest())
