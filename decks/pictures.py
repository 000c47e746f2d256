"""A photo that somebody sends, made safe to keep: known by decoding it, of bounded size, made
anew without anything but its pixels. No position, no device, no comment of the sender is left.
"""

from __future__ import annotations

import hashlib
import io
import warnings

import msgspec
from PIL import ExifTags, Image

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
_TURNED = Image.Transpose
TURNS = {
    2: _TURNED.FLIP_LEFT_RIGHT,
    3: _TURNED.ROTATE_180,
    4: _TURNED.FLIP_TOP_BOTTOM,
    5: _TURNED.TRANSPOSE,
    6: _TURNED.ROTATE_270,
    7: _TURNED.TRANSVERSE,
    8: _TURNED.ROTATE_90,
}
"""What makes a photo upright, by its tag Orientation (Exif 2.32, 4.6.4)."""


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
    except Exception:  # a damaged file makes a decoder raise whatever it stumbles over
        return Refusal("decks.photo_unreadable", {"allowed": list(KINDS)})


def _turn(opened: Image.Image) -> Image.Transpose | None:
    """Return how a photo is turned upright, None when it says nothing, or nothing that can be read.
    Only this one tag is looked at: what else a camera wrote may be as damaged as it likes."""
    try:
        return TURNS.get(int(opened.getexif().get(ExifTags.Base.Orientation, 1)))
    except Exception:
        return None


def _made_anew(data: bytes) -> Picture | Refusal:
    with Image.open(io.BytesIO(data), formats=KINDS) as opened:
        width, height = opened.size
        most = MAX_PIXELS if opened.format == "JPEG" else MAX_PIXELS_WHOLE
        if width * height > most:
            return Refusal(
                "decks.photo_too_large", {"allowed": most // 1_000_000, "unit": "megapixels"}
            )
        opened.draft("RGB", (EDGE, EDGE))  # a JPEG is decoded at the scale that is needed
        turn = _turn(opened)
        shown = opened if opened.mode in ("RGB", "L", "RGBA") else opened.convert("RGBA")
        shown.thumbnail((EDGE, EDGE))  # first of all: what follows needs room for little
        if turn is not None:
            shown = shown.transpose(turn)
        if shown.mode == "RGBA":
            # what is transparent is paper
            ground = Image.new("RGBA", shown.size, "white")
            shown = Image.alpha_composite(ground, shown)
        plain = shown.convert("RGB")
        # a new picture from the pixels alone: no block of the old file comes along
        bare = Image.new("RGB", plain.size)
        bare.paste(plain)
    kept = io.BytesIO()
    bare.save(kept, "JPEG", quality=QUALITY, optimize=True)
    body = kept.getvalue()
    return Picture(body, bare.width, bare.height, hashlib.sha256(body).hexdigest())
