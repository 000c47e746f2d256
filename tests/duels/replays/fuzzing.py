"""Damaged replay files, in a process of its own:
`python -m tests.duels.replays.fuzzing whole|read COUNT SEED [FOLDER]`.

`whole` reads, imports and audits; `read` only reads. The files are the three smallest of FOLDER
(and files made by hand). Prints one JSON value: the codes that were said, what went wrong (an
exception, an answer without a code, more than SECONDS of processor time for one file), and the
largest memory of the process in KiB. COUNT 0 is the idle child.
"""

from __future__ import annotations

import json
import random
import struct
import sys
from pathlib import Path

from duels.imports.replay import container
from duels.imports.replay.reading import read
from duels.imports.replay.summary import examine, summary
from eventstore.domain.refusal import Refusal
from tests.damaged import tried
from tests.duels.replays import made

SECONDS = 2.0
KEPT = 3
SMALLEST = 3
ODD = (0, 1, 2, 127, 255, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)


def seeds(folder: Path | None) -> list[bytes]:
    """Whole files, each also with its body laid open, so that damage gets behind the packing."""
    packets = [*made.opening(), made.damage(1, 800), made.win(0, 1)]
    whole = [made.replay(packets), made.replay(packets, packed=True)]
    if folder is not None:
        found = sorted(folder.glob("*.yrp*"), key=lambda path: path.stat().st_size)
        whole = [path.read_bytes() for path in found[:SMALLEST]]
    opened = []
    for data in whole:
        head = container.header(data)
        if head.compressed:
            body = container.body(data, head).data
            flags = struct.pack("<I", head.flags & ~container.COMPRESSED)
            opened.append(data[:8] + flags + data[12 : head.end] + body)
    return whole + opened


def damaged(rng: random.Random, whole: list[bytes]) -> bytes:
    """Return a file with one to four faults."""
    data = bytearray(rng.choice(whole))
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(data) + 1)
        act = rng.randrange(7)
        if act == 0:
            del data[at:]
        elif act == 1 and data:
            for _ in range(rng.randint(1, 8)):
                data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        elif act == 2:
            del data[at : at + rng.randint(1, 200)]
        elif act == 3:
            data[at:at] = data[at : at + rng.randint(1, 2000)] * rng.randint(1, 50)
        elif act == 4 and len(data) > 4:
            at = rng.randrange(len(data) - 4)
            data[at : at + 4] = struct.pack("<I", rng.choice(ODD))
        elif act == 5 and len(data) > 40:
            data[8 + rng.randrange(32)] = rng.randrange(256)
        else:
            data[at:at] = rng.randbytes(rng.randint(1, 64))
    return bytes(data)


def said(mode: str, data: bytes) -> list[str]:
    """Return the codes of a file: of its refusal, its damage, or `whole`. Every place of damage
    must lie within what it counts in."""
    if mode == "read":
        replay = read(data)
        if isinstance(replay, Refusal):
            assert replay.params["at"] >= 0
            return [replay.code]
        assert all(one.at >= 0 for one in replay.damage)
        return [f"duels.replay_{one.code}" for one in replay.damage] or ["whole"]
    found = examine(data, "d")
    if isinstance(found, Refusal):
        return [found.code]
    told = summary(found, "x")
    json.dumps(told)
    damage = [one["params"] for one in told["findings"] if one["code"] == "DAMAGED"]
    assert all(one["at"] >= 0 and one["part"] for one in damage)
    return [one["code"] for one in damage] or ["whole"]


def main() -> None:
    """Read COUNT damaged files."""
    mode, count, rng = sys.argv[1], int(sys.argv[2]), random.Random(sys.argv[3])
    whole = seeds(Path(sys.argv[4]) if len(sys.argv) > 4 else None)
    for one in whole:
        assert said(mode, one) == ["whole"]
    inputs = (damaged(rng, whole) for _ in range(count))
    tried(inputs, lambda data: said(mode, data), count=count, seconds=SECONDS, kept=KEPT)


if __name__ == "__main__":
    main()
