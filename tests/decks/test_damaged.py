"""Every reader of decks, cards and lists of limits, with damaged inputs: a coded answer or a
result each time, no crash, no hang, and no more memory than an idle process and 64 MiB."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.decks.fuzzing import seeds
from tests.sizes import SIZES

GROWTH_KIB = 64 << 10
SEED = 2026
MINUTES = 20
READERS = sorted(seeds())


def _child(reader: str, count: int) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.decks.fuzzing", reader, str(count), str(SEED)],
        cwd=ROOT,
        text=True,
        capture_output=True,
        timeout=60 * MINUTES,
    )
    assert done.returncode == 0, f"{reader} ended with {done.returncode}: {done.stderr[-2000:]}"
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _documented() -> set[str]:
    pages = [ROOT / "docs" / "decks.md", ROOT / "docs" / "cards.md"]
    return set(re.findall(r"`([a-z_0-9]+)`", "\n".join(one.read_text("utf-8") for one in pages)))


@pytest.mark.parametrize("reader", READERS)
def test_damaged_inputs_are_answered(reader: str) -> None:
    idle = _child(reader, 0)
    found = _child(reader, SIZES.damaged)
    assert found["wrong"] == []
    assert found["read"] == SIZES.damaged
    assert found["codes"].keys() - _documented() <= {"none"}
    assert len(found["codes"]) > 3, "hardly anything was damaged"
    assert found["peak_kib"] - idle["peak_kib"] < GROWTH_KIB


def test_the_full_size_is_a_hundred_thousand() -> None:
    from tests.sizes import FULL

    assert FULL.damaged >= 5_000
    assert FULL.damaged * len(READERS) >= 100_000
