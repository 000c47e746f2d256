"""Audit the dependencies: the lock files, what is installed, and known weaknesses.

    python -m tools.audit

Always: every package of the lock files is pinned and has its hashes, and what is installed is
what the locks say. Then the advisory database (OSV) is asked once about all of them; a known
weakness fails the run. Where it cannot be reached this says so, loudly, and goes on: a machine
without the internet can still prove everything else. ADVISORIES_NEEDED=1 makes that a failure
as well.

`ADVISORIES` names another server that speaks the same protocol. An advisory that does not
concern the product is named in ACCEPTED with its reason and the day it is looked at again.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import sys
import urllib.error
import urllib.request
from dataclasses import dataclass
from datetime import UTC, date, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
LOCKS = ("requirements.txt", "requirements-dev.txt")
ADVISORIES = "https://api.osv.dev"
SECONDS = 20
ACCEPTED: dict[str, tuple[str, date]] = {}
"""Advisory id: why it does not concern the product, and until when that is believed."""
_PIN = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[^\]]*\])?==([^\s;\\]+)")


@dataclass(frozen=True, slots=True)
class Pin:
    """One package of a lock: name and version, whether it has hashes, and where it applies."""

    name: str
    version: str
    hashed: bool
    marker: str


class Unreachable(Exception):
    """The advisory database did not answer."""


def pins(text: str) -> tuple[list[Pin], list[str]]:
    """Read a lock; returns its packages, and the lines that are no pinned package."""
    found: list[Pin] = []
    strange: list[str] = []
    joined = re.sub(r"\\\n\s*", " ", text)
    for raw in joined.splitlines():
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        match = _PIN.match(line)
        if match is None:
            strange.append(line[:80])
            continue
        marker = line.partition(";")[2].partition("--hash")[0].strip()
        found.append(Pin(match[1].lower(), match[2], "--hash=sha256:" in line, marker))
    return found, strange


def faults_of_lock(name: str, text: str) -> list[str]:
    """Return what is wrong with a lock file."""
    found, strange = pins(text)
    faults = [f"{name}: not a pinned package: {line}" for line in strange]
    faults += [f"{name}: {one.name} has no hash" for one in found if not one.hashed]
    return faults if found else [*faults, f"{name}: holds no package"]


def faults_of_installation(locked: list[Pin]) -> list[str]:
    """Return what is installed in another version than the locks say. What a lock has for other
    systems or Pythons only may be missing."""
    faults = []
    for one in locked:
        try:
            version = metadata.version(one.name)
        except metadata.PackageNotFoundError:
            if not one.marker:
                faults.append(f"{one.name} {one.version} is locked and not installed")
            continue
        if version != one.version and not one.marker:
            faults.append(f"{one.name} {version} is installed, {one.version} is locked")
    return faults


def advisories(locked: list[Pin], server: str) -> dict[str, list[str]]:
    """Ask about all packages in one request; returns advisory ids by `name version`.

    Raises Unreachable.
    """
    ecosystem = "PyPI"
    queries = [
        {"package": {"name": one.name, "ecosystem": ecosystem}, "version": one.version}
        for one in locked
    ]
    request = urllib.request.Request(
        f"{server}/v1/querybatch",
        data=json.dumps({"queries": queries}).encode(),
        headers={"Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:
            results: list[dict[str, Any]] = json.load(answer)["results"]
    except (
        urllib.error.URLError,
        http.client.HTTPException,
        OSError,
        ValueError,
        KeyError,
    ) as fault:
        raise Unreachable(str(fault)) from None
    if len(results) != len(locked):
        raise Unreachable(f"{len(results)} answers to {len(locked)} questions")
    return {
        f"{one.name} {one.version}": sorted(known["id"] for known in result["vulns"])
        for one, result in zip(locked, results, strict=True)
        if result.get("vulns")
    }


def main() -> int:
    """Audit; returns the exit code: 0 for good or not known, 1 for a fault."""
    texts = {name: (ROOT / name).read_text(encoding="utf-8") for name in LOCKS}
    faults = [fault for name, text in texts.items() for fault in faults_of_lock(name, text)]
    locked = sorted({pin for text in texts.values() for pin in pins(text)[0]}, key=lambda p: p.name)
    faults += faults_of_installation(locked)
    today = datetime.now(UTC).date()
    faults += [
        f"{name}: accepted until {until}: look again"
        for name, (_, until) in ACCEPTED.items()
        if until < today
    ]
    server = os.environ.get("ADVISORIES", ADVISORIES)
    try:
        known = advisories(locked, server)
    except Unreachable as fault:
        print(
            f"!! NOT AUDITED: the advisory database {server} does not answer ({fault}).\n"
            "!! Locks and installation were checked; known weaknesses were NOT looked up.",
            flush=True,
        )
        if os.environ.get("ADVISORIES_NEEDED") == "1":
            faults.append("the advisory database is needed, and it does not answer")
    else:
        for package, ids in known.items():
            faults += [f"{package}: {one}" for one in ids if one not in ACCEPTED]
        print(f"{len(locked)} packages, {len(known)} with known weaknesses", flush=True)
    for fault in faults:
        print(f"FAULT {fault}", flush=True)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
