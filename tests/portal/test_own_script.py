"""The product's own script stays small, and asks for nothing that a plain http address lacks."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

FILES = sorted(Path(__file__).resolve().parents[2].glob("*/static/**/*.js"))
MOST_BYTES = 12_000
SECURE_ONLY = (
    "randomUUID(",
    "serviceWorker",
    "navigator.locks",
    "crypto.subtle",
    "wakeLock",
    "mediaDevices",
)


def test_all_of_it_is_at_most_12_kb_compressed() -> None:
    assert {"app.js", "live.js", "sw.js"} <= {path.name for path in FILES}
    sizes = {path.name: len(gzip.compress(path.read_bytes(), 9)) for path in FILES}
    assert sum(sizes.values()) <= MOST_BYTES, sizes


def test_it_uses_nothing_that_needs_a_secure_address_and_no_other_host() -> None:
    for path in FILES:
        text = path.read_text(encoding="utf-8")
        # asked for where it is there, and a plain http address has none
        text = text.replace("navigator.serviceWorker?.register", "")
        assert not [word for word in SECURE_ONLY if word in text], path.name
        assert not re.search(r"https?://", text), path.name
        assert not re.search(r"\beval\(|new Function|innerHTML", text), path.name
