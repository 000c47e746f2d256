"""Policy packs by id and version: those shipped are data files beside this module, checked when
first read; the own ones of events are kept in the log (judging.packbook)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from django.db import connection

from judging.domain.pack_file import parse, with_variants
from judging.domain.policy import Pack
from judging.models import PackRow

DATA = Path(__file__).resolve().parent / "data"
OWN = "own-"
KEPT = 64
_own: dict[str, Pack] = {}


class PackFault(ValueError):
    """A shipped pack file does not pass its own check."""


USUAL = "house-rules"
"""The pack that an event goes by when nothing else was chosen."""


class UnknownPack(LookupError):
    """There is no pack of that id and version."""


@cache
def _shipped() -> tuple[dict[str, dict[str, Pack]], dict[str, dict[str, Any]]]:
    """Every shipped pack by id and version, and its plain values by ref. Raises PackFault."""
    found: dict[str, dict[str, Pack]] = {}
    plain: dict[str, dict[str, Any]] = {}
    for file in sorted(DATA.glob("*.toml")):
        first, *variants = with_variants(tomllib.loads(file.read_text(encoding="utf-8")))
        for values in (first, *variants):
            parsed = parse(values)
            if isinstance(parsed, list):
                lines = "; ".join(f"{one.path}: found {one.found!r}" for one in parsed)
                raise PackFault(f"{file.name}: {lines}")
            if values is first and file.stem != f"{parsed.pack}-{parsed.version}":
                raise PackFault(f"{file.name} holds {parsed.ref}")
            found.setdefault(parsed.pack, {})[parsed.version] = parsed
            plain[parsed.ref] = values
    return found, plain


def packs() -> dict[str, dict[str, Pack]]:
    """Return every shipped pack by id and version. Raises PackFault."""
    return _shipped()[0]


def pack(pack_id: str, version: str) -> Pack:
    """Return a pack in one version: no query for a shipped one, at most one for an own one of an
    event. Raises UnknownPack."""
    held = packs().get(pack_id, {}).get(version)
    if held is not None:
        return held
    ref = f"{pack_id}@{version}"
    if not pack_id.startswith(OWN):
        raise UnknownPack(ref)
    known = _own.get(ref)
    if known is not None:
        return known
    content = PackRow.objects.filter(pk=ref).values_list("content", flat=True).first()
    parsed = parse(tomllib.loads(content)) if content is not None else []
    if isinstance(parsed, list):
        raise UnknownPack(ref)
    if not connection.in_atomic_block:
        # a version never changes, but one that a transaction takes back never was
        if len(_own) >= KEPT:
            _own.clear()
        _own[ref] = parsed
    return parsed


def values_of(ref: str) -> Mapping[str, Any]:
    """Return the plain values of a pack: one query for an own one of an event. Raises
    UnknownPack."""
    held = _shipped()[1].get(ref)
    if held is not None:
        return held
    content = PackRow.objects.filter(pk=ref).values_list("content", flat=True).first()
    if content is None:
        raise UnknownPack(ref)
    return tomllib.loads(content)


def newest(pack_id: str) -> Pack:
    """Return the newest version of a shipped pack; raises UnknownPack."""
    versions = packs().get(pack_id)
    if not versions:
        raise UnknownPack(pack_id)
    return versions[max(versions, key=_rank)]


def _rank(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())
