"""A round end by real HTTP (bench.load): nothing is lost or doubled, and whoever watches sees it.

How quick it is says the bench, not this test.
"""

from __future__ import annotations

from bench.load import lines_for, on_postgresql, on_sqlite
from tests.sizes import SOAK

NEVER = ("lost", "doubled", "open tables", "streams lost", "spectators behind")


def test_a_round_end_with_watching_phones_loses_and_doubles_nothing() -> None:
    if SOAK:
        phones = lines_for(2000)
        parts = on_sqlite(200, 200, 30.0) | on_postgresql(2000, phones, 60.0, rush=True)
    else:
        parts = on_sqlite(12, 12, 3.0)
    for name, found in parts.items():
        assert {word: found[word] for word in NEVER} == dict.fromkeys(NEVER, 0), (name, found)
        assert found["decided"] == found["tables"], (name, found)
        assert found["read tables differ"] == [], (name, found)
        faults = [word for word in found["counts"] if word.startswith(("fault", "refused", "page"))]
        assert faults == [], (name, found["counts"])
