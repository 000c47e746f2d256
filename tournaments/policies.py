"""The shipped versions of the publisher's rules for events: data/policies.toml, read once."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import msgspec

from eventstore.domain.refusal import Refusal, Refused
from tournaments.domain.recommended import advice
from tournaments.domain.round_events import Policy

DATA = Path(__file__).resolve().parent / "data" / "policies.toml"


@dataclass(frozen=True, slots=True)
class Shipped:
    """One version: the part an event freezes, its title and source for people, and the hash of
    the frozen part."""

    policy: Policy
    title: str
    source: str
    hash: str


@cache
def _read() -> tuple[str, Mapping[str, Shipped]]:
    values = tomllib.loads(DATA.read_text(encoding="utf-8"))
    found: dict[str, Shipped] = {}
    for entry in values["policy"]:
        title, source = entry.pop("title"), entry.pop("source")
        made = msgspec.convert(entry, Policy, strict=True)
        body = msgspec.json.encode(made, order="sorted")
        found[made.policy] = Shipped(made, title, source, hashlib.sha256(body).hexdigest())
    return values["default"], found


def shipped() -> Mapping[str, Shipped]:
    """Return every version by its id, in the order of the file."""
    return _read()[1]


def usual() -> Shipped:
    """Return the version of an event that chose none."""
    name, found = _read()
    return found[name]


def policy_named(name: str) -> Shipped:
    """Return a version by its id; raises Refused (`tournaments.policy_unknown`)."""
    found = shipped().get(name)
    if found is None:
        raise Refused(
            Refusal("tournaments.policy_unknown", {"found": name[:40], "allowed": [*shipped()]})
        )
    return found


def advised(players: int) -> tuple[int, int]:
    """Return (Swiss rounds, places in the cut) by the usual version.

    >>> advised(21), advised(129)
    ((5, 4), (8, 16))
    """
    return advice(usual().policy, players)
