"""Swiss pairing beside PyPI swisspair, and standings: `python -m bench.pairing [--quick]`.

Rounds 6 and 12 of a simulated event (5 % draws) at 100, 1,000 and 10,000 players; each figure is
the median of five, ours and the peer's in turn on the same field. Standings of 15 rounds for
every system. Growth is the slope of log(time) over log(players): 1 is linear. The peer is
installed into .venv-bench once (not with --quick) or left out with the reason. Ends with 1 when
a figure is beyond its floor.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from bench._peer import peer_python
from tournaments.domain.pairing import swiss
from tournaments.domain.pairing.field import Player
from tournaments.domain.records import Played
from tournaments.domain.standings import SYSTEMS, standings

ROOT = Path(__file__).resolve().parent.parent
SIZES = (100, 1_000, 10_000)
ROUNDS = (6, 12)
TIMES = 5
MOST_MS = 200.0
LEAST_RATIO = {100: 1.0, 1_000: 1.0, 10_000: 10.0}
"""How many times slower than ours the peer has to be."""
STANDINGS_MS = 1_000.0

Field = list[Player]


def simulate(size: int, rounds: tuple[int, ...], seed: int) -> dict[int, Field]:
    """Return the field before each of these rounds of one event, paired by the product."""
    rng = random.Random(seed)
    ids = [f"{rng.getrandbits(128):032x}" for _ in range(size)]
    points, byes = dict.fromkeys(ids, 0), dict.fromkeys(ids, 0)
    met: dict[str, set[str]] = {one: set() for one in ids}
    kept: dict[int, Field] = {}
    for number in range(1, max(rounds) + 1):
        field = [Player(one, points[one], frozenset(met[one]), byes[one]) for one in ids]
        if number in rounds:
            kept[number] = field
        made = swiss.pair(field, seed=seed + number)
        for one, two in made.pairs:
            met[one].add(two)
            met[two].add(one)
            if rng.random() < 0.05:
                points[one] += 1
                points[two] += 1
            else:
                points[rng.choice((one, two))] += 3
        if made.bye is not None:
            points[made.bye] += 3
            byes[made.bye] += 1
    return kept


class Peer:
    """swisspair in a process of its own; `why` it is left out, empty when it is there."""

    def __init__(self, *, quick: bool) -> None:
        python, self.why = peer_python("swisspair", ["swisspair==0.2.1"], quick=quick)
        self._process: subprocess.Popen[str] | None = None
        if python is not None:
            self._process = subprocess.Popen(
                [str(python), str(ROOT / "bench" / "_swisspair_child.py")],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            )  # fmt: skip

    def pair(self, field: Field) -> float | None:
        """Return the milliseconds of one pairing, None when it is left out or failed."""
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            return None
        best_first = sorted(field, key=lambda one: -one.points)
        told = [(one.player_id, one.points, sorted(one.met), one.byes) for one in best_first]
        process.stdin.write(json.dumps(told) + "\n")
        process.stdin.flush()
        answer: dict[str, Any] = json.loads(process.stdout.readline())
        self.why = answer.get("error", self.why)
        return answer.get("ms")

    def close(self) -> None:
        """End the process."""
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
            self._process.wait(timeout=30)


def _ours(field: Field, seed: int) -> tuple[float, swiss.Pairing]:
    started = time.perf_counter()
    made = swiss.pair(field, seed=seed)
    return (time.perf_counter() - started) * 1000, made


def measure(sizes: tuple[int, ...], peer: Peer) -> list[dict[str, Any]]:
    """Return one line per size and round."""
    lines: list[dict[str, Any]] = []
    for size in sizes:
        for number, field in simulate(size, ROUNDS, size).items():
            ours: list[float] = []
            theirs: list[float] = []
            proven = True
            for seed in range(TIMES):
                ms, made = _ours(field, seed)
                ours.append(ms)
                proven = proven and made.proven
                other = peer.pair(field)
                if other is not None:
                    theirs.append(other)
            line: dict[str, Any] = {
                "players": size,
                "round": number,
                "ms": round(statistics.median(ours), 2),
                "proven": proven,
            }
            if theirs:
                line["swisspair ms"] = round(statistics.median(theirs), 2)
                line["ratio"] = round(line["swisspair ms"] / line["ms"], 1)
            lines.append(line)
            print(f"-- {line}", file=sys.stderr, flush=True)
    return lines


def growth(lines: list[dict[str, Any]], name: str) -> dict[int, float]:
    """Return, per round, how time grows with the players between the least and the most."""
    found: dict[int, float] = {}
    for number in ROUNDS:
        own = [one for one in lines if one["round"] == number and name in one]
        if len(own) >= 2:
            first, last = own[0], own[-1]
            found[number] = round(
                math.log(last[name] / first[name]) / math.log(last["players"] / first["players"]), 2
            )
    return found


def standings_ms(size: int, rounds: int = 15) -> dict[str, float]:
    """Return the milliseconds of the standings of a random event, for every system."""
    rng = random.Random(size)
    ids = [f"{number:036d}" for number in range(size)]
    played: list[Played] = []
    for number in range(1, rounds + 1):
        rng.shuffle(ids)
        for at in range(0, size - 1, 2):
            winner = rng.choice(("P1", "P2", "P1", "P2", "draw"))
            played.append(Played(number, ids[at], ids[at + 1], winner, (2, 1, 0)))
    found: dict[str, float] = {}
    for system in SYSTEMS:
        took: list[float] = []
        for _ in range(3):
            started = time.perf_counter()
            standings(ids, played, system=system)
            took.append((time.perf_counter() - started) * 1000)
        found[system] = round(statistics.median(took), 1)
    return found


def _aims(lines: list[dict[str, Any]], ranked: dict[str, float]) -> list[dict[str, Any]]:
    aims: list[dict[str, Any]] = []
    for line in lines:
        name = f"{line['players']} players, round {line['round']}"
        aims.append({"figure": f"{name}, ms", "value": line["ms"], "floor": MOST_MS,
                     "good": line["ms"] < MOST_MS and line["proven"]})  # fmt: skip
        if "ratio" in line:
            least = LEAST_RATIO[line["players"]]
            aims.append({"figure": f"{name}, times quicker than swisspair", "value": line["ratio"],
                         "floor": least, "good": line["ratio"] >= least})  # fmt: skip
    aims += [
        {"figure": f"standings {system}, ms", "value": ms, "floor": STANDINGS_MS,
         "good": ms < STANDINGS_MS}
        for system, ms in ranked.items()
    ]  # fmt: skip
    return aims


def main() -> int:
    """Measure, print, and return 0 when every floor holds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small sizes, under 60 s")
    parser.add_argument("--json", action="store_true", help="one JSON value on standard output")
    options = parser.parse_args()
    peer = Peer(quick=options.quick)
    lines = measure(SIZES[:2] if options.quick else SIZES, peer)
    skipped = {} if any("ratio" in line for line in lines) else {"swisspair": peer.why}
    peer.close()
    ranked = standings_ms(1_000 if options.quick else 10_000)
    aims = _aims(lines, ranked)
    grown = {name: growth(lines, name) for name in ("ms", "swisspair ms")}
    if options.json:
        print(json.dumps({"found": lines, "standings ms": ranked, "growth": grown, "aims": aims,
                          "skipped": skipped}))  # fmt: skip
    else:
        for aim in aims:
            word = "good" if aim["good"] else "BEYOND ITS FLOOR"
            print(f"{aim['figure']:50} {aim['value']:>9} of {aim['floor']:>7}: {word}")
        print(f"growth with the number of players (1 is linear): {grown}")
        for name, reason in skipped.items():
            print(f"{name}: left out, {reason}")
    return 0 if all(aim["good"] for aim in aims) else 1


if __name__ == "__main__":
    sys.exit(main())
