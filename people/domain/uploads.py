"""What an uploaded file is, told by its first bytes: its name and its declared type say what
somebody wants us to believe."""

from __future__ import annotations

MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "png"),
    (b"\xff\xd8\xff", "jpeg"),
    (b"GIF8", "gif"),
    (b"%PDF-", "pdf"),
    (b"PK\x03\x04", "zip"),
    (b"\x1f\x8b", "gzip"),
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"Rar!", "rar"),
    (b"SQLite format 3\x00", "sqlite"),
    (b"\x7fELF", "program"),
    (b"MZ", "program"),
    (b"\xd0\xcf\x11\xe0", "office"),
    (b"yrpX", "replay"),
    (b"yrp1", "replay"),
    (b"yrp2", "replay"),
    (b"RIFF", "media"),
    (b"OggS", "media"),
    (b"ID3", "media"),
)
HEAD = 1024
"""Bytes that are looked at."""


def kind_of(data: bytes) -> str:
    """Return the kind of a file by its content: a word of MAGIC, `webpage`, or `text` for all
    else. Whether a text makes sense is for its reader to say."""
    for magic, kind in MAGIC:
        if data.startswith(magic) and (kind != "program" or b"\x00" in data[:HEAD]):
            return kind
    head = data[:HEAD].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if head.startswith((b"<!doctype html", b"<html", b"<svg", b"<script", b"<?php")):
        return "webpage"
    return "text"
