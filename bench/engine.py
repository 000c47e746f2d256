"""The duel engine by itself: `python -m bench.engine [--quick] [--json]`.

Vanilla duels (40 normal monsters a side, seeded) are played at random in refereed play, as the
recorded duels of the field's engine were: at each decision the turn player's lawful acts are
listed, one is chosen by group weight, decided and folded. The logs of these duels are then
folded, their acts decided again, their states asked for lawful acts. Times are processor time of
this process, so that a busy machine does not count; medians of several rounds. Ends with 1 when
a figure falls below its floor, which is what must never be lost again; `reach` is the aim.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import pstats
import random
import sys
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any

from duels.domain import text
from duels.domain.events import CardFacts
from duels.rules.yugioh import acts as a
from duels.rules.yugioh import engine, setup
from duels.rules.yugioh.duel import Duel, fold
from duels.rules.yugioh.instruments.walk import walk
from duels.rules.yugioh.legal import legal_acts
from duels.rules.yugioh.view import view
from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent

EVENTS = 315
"""Events of a vanilla duel to which the time of a replay is scaled."""
MOST_ACTS = 2000
WEIGHTS: dict[str, float] = {
    "draw": 1e9, "discard": 1e9, "standby": 1e9, "main1": 1e9, "normal_summon": 6,
    "set_monster": 3, "flip_summon": 1.5, "change_position": 1.5, "battle": 5,
    "declare_attack": 5, "main2": 0.5, "end_turn": 1,
}  # fmt: skip
"""Weight of a group of acts; within a group each is as likely. What is owed comes first, phases
that are only passed through are announced, and the rest is not chosen."""

# figure: (floor, reach); per second upwards, milliseconds and KiB downwards
AIMS: dict[str, tuple[float, float]] = {
    "folded events per s": (80_000, 100_000),
    "replay of a duel ms": (5, 5),
    "random duels per s": (15, 25),
    "decided acts per s": (10_000, 20_000),
    "legal_acts per s": (6_000, 12_000),
    "replays per s": (150, 300),
    "memory of a duel KiB": (512, 256),
}


@dataclass(frozen=True, slots=True)
class Played:
    """A duel as it was played: its log, how long the opening is, and each state with the act
    that was chosen in it."""

    log: list[DomainEvent]
    opening: int
    chosen: list[tuple[Duel, a.AnyAct]]


def deck(rng: random.Random) -> list[CardFacts]:
    """Return 40 normal monsters with Levels and values as old cards have them."""
    made: list[CardFacts] = []
    for number in range(40):
        level = rng.choice([1, 2, 3, 3, 4, 4, 4, 4, 4, 5, 6, 7, 8])
        atk, defence = (100 * rng.randint(1, 2 + 6 * min(level, 5)) for _ in range(2))
        key = f"m{number}"
        made.append(CardFacts(key, key, "monster", "normal", level, atk, defence))
    return made


def opened(seed: int) -> list[DomainEvent]:
    """Open a duel: two decks, shuffles, hands."""
    facts = deck(random.Random(seed))
    keys = [one.key for one in facts]
    decks = dict.fromkeys(("P1", "P2"), keys)
    events = setup.open_duel(setup.Opening("d", "P1", {}, decks, facts=facts), str(seed))
    if isinstance(events, Refusal):
        raise SystemExit(f"a duel could not be opened: {events}")
    return events


def chosen(acts: list[a.AnyAct], rng: random.Random) -> a.AnyAct:
    """Choose a group by weight, then an act in it."""
    groups: dict[str, list[a.AnyAct]] = {}
    for act in acts:
        name = act.phase if isinstance(act, a.EnterPhase) else str(act.__struct_config__.tag)
        groups.setdefault(name, []).append(act)
    weighted = [name for name in groups if name in WEIGHTS]
    if not weighted:
        rest = [act for act in acts if not isinstance(act, a.Concede)]
        return rng.choice(rest or acts)
    return rng.choice(groups[rng.choices(weighted, [WEIGHTS[name] for name in weighted])[0]])


def play(seed: int) -> Played:
    """Play one duel to its end."""
    rng = random.Random(seed)
    log = opened(seed)
    opening = len(log)
    duel = fold(log)
    made: list[tuple[Duel, a.AnyAct]] = []
    while duel.table.result is None and len(made) < MOST_ACTS:
        act = chosen(legal_acts(duel, duel.table.active), rng)
        decided = engine.decide(duel, act)
        if isinstance(decided, Refusal):
            raise SystemExit(f"a listed act was refused: {act} {decided}")
        made.append((duel, act))
        log += decided
        duel = fold(decided, duel)
    return Played(log, opening, made)


def seconds(call: Callable[[], object], rounds: int) -> float:
    """Return the median processor time of a call."""
    taken: list[float] = []
    for _ in range(rounds):
        started = time.process_time()
        call()
        taken.append(time.process_time() - started)
    return median(taken)


def memory(log: list[DomainEvent]) -> float:
    """Return the KiB that a duel keeps, with the state after every event in it."""
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    held = fold(log)
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return (after - before) / 1024 if held.seq else 0.0


def where(duels: list[int]) -> dict[str, float]:
    """Return the share of random play that functions take by themselves, largest first."""
    profile = cProfile.Profile()
    profile.enable()
    for seed in duels:
        play(seed)
    profile.disable()
    stats: dict[Any, Any] = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    whole = sum(row[2] for row in stats.values())
    parts: dict[str, float] = {}
    for (file, _line, name), row in stats.items():
        place = file.rpartition("/")[2].removesuffix(".py") if "duels" in file else "built-in"
        key = place if place == "built-in" else f"{place}.{name}"
        parts[key] = parts.get(key, 0.0) + row[2] / whole
    listed = sorted(parts.items(), key=lambda one: -one[1])[:12]
    return {name: round(share, 3) for name, share in listed}


def measure(quick: bool) -> dict[str, Any]:
    """Return every figure."""
    duels, rounds = (8, 3) if quick else (40, 7)
    started = time.process_time()
    played = [play(seed) for seed in range(duels)]
    random_play = duels / (time.process_time() - started)
    logs = [one.log for one in played]
    events = sum(len(log) for log in logs)
    states = [pair for one in played for pair in one.chosen]
    folding = seconds(lambda: [fold(log) for log in logs], rounds)
    deciding = seconds(lambda: [engine.decide(duel, act) for duel, act in states], rounds)
    listing = seconds(lambda: [legal_acts(duel, duel.table.active) for duel, _ in states], rounds)
    replaying = seconds(lambda: [view(fold(log), "public") for log in logs], rounds)
    writing = seconds(lambda: [text.write([text.Entry(e) for e in log]) for log in logs], rounds)
    walking = seconds(lambda: [walk(log) for log in logs], rounds)
    begun = seconds(lambda: [fold(opened(seed)) for seed in range(duels)], rounds)
    return {
        "folded events per s": round(events / folding),
        "replay of a duel ms": round(1000 * folding / events * EVENTS, 2),
        "random duels per s": round(random_play, 1),
        "decided acts per s": round(len(states) / deciding),
        "legal_acts per s": round(len(states) / listing),
        "replays per s": round(duels / replaying),
        "memory of a duel KiB": round(memory(logs[0]), 1),
        "beside": {
            "duels": duels,
            "events a duel": round(events / duels),
            "decisions a duel": round(len(states) / duels),
            "opening ms": round(1000 * begun / duels, 2),
            "text written ms a duel": round(1000 * writing / duels, 2),
            "walk for instruments ms a duel": round(1000 * walking / duels, 2),
            "share of listing in random play": round(listing / (duels / random_play), 2),
            "share of deciding in random play": round(deciding / (duels / random_play), 2),
            "share of folding in random play": round(folding / (duels / random_play), 2),
        },
        "where": where(list(range(min(duels, 4)))),
    }


def below(found: dict[str, Any]) -> list[str]:
    """Return the figures that have fallen below their floor."""
    return [
        name
        for name, (floor, _) in AIMS.items()
        if (found[name] > floor if name.endswith(("ms", "KiB")) else found[name] < floor)
    ]


def main() -> int:
    """Measure and print; return 1 when a figure is below its floor."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small sizes, under 60 s")
    parser.add_argument("--json", action="store_true", help="one JSON value on standard output")
    options = parser.parse_args()
    found = measure(options.quick)
    failed = below(found)
    if options.json:
        aims = {name: {"floor": floor, "reach": reach} for name, (floor, reach) in AIMS.items()}
        print(json.dumps({"figures": found, "aims": aims, "below": failed}))
        return 1 if failed else 0
    for name, (floor, reach) in AIMS.items():
        mark = "BELOW" if name in failed else ""
        print(f"{name:28} {found[name]:>12,}   floor {floor:>10,}   reach {reach:>10,} {mark}")
    for name, value in found["beside"].items():
        print(f"  {name:34} {value}")
    print("  where random play spends its time (by themselves):")
    for name, share in found["where"].items():
        print(f"    {share:6.1%}  {name}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
