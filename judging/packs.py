"""The shipped policy packs: data files beside this module, checked when first read."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from judging.domain.pack_file import parse, with_variants
from judging.domain.policy import Pack

DATA = Path(__file__).resolve().parent / "data"


class PackFault(ValueError):
    """A shipped pack file does not pass its own check."""


class UnknownPack(LookupError):
    """No pack of that id and version is shipped."""


@cache
def packs() -> dict[str, dict[str, Pack]]:
    """Return every shipped pack by id and version, oldest version first. Raises PackFault."""
    found: dict[str, dict[str, Pack]] = {}
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
    return found


def pack(pack_id: str, version: str) -> Pack:
    """Return a pack in one version; raises UnknownPack."""
    try:
        return packs()[pack_id][version]
    except KeyError:
        raise UnknownPack(f"{pack_id}@{version}") from None


def newest(pack_id: str) -> Pack:
    """Return the newest version of a pack; raises UnknownPack."""
    versions = packs().get(pack_id)
    if not versions:
        raise UnknownPack(pack_id)
    return versions[max(versions, key=_rank)]


def _rank(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())
