"""The rules of the house, as tests: rooms, purity, guarded routes, samples of every event."""

from __future__ import annotations

import ast
import hashlib
import json
import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from django.conf import settings
from django.urls import URLPattern, URLResolver, get_resolver

from eventstore.domain import canonical, registry
from eventstore.management.commands.golden import sample_name
from people.domain.permissions import TABLE
from people.guard import action_of

ROOT = Path(__file__).resolve().parent.parent
GOLDEN = ROOT / "tests" / "golden"
ROOMS = (
    "eventstore", "people", "cards", "decks", "duels", "tournaments", "judging", "portal",
)  # fmt: skip
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
CONTRACTS = {one["type"]: one for one in PYPROJECT["tool"]["importlinter"]["contracts"][:2]}
PURE_MAY_NOT = set(CONTRACTS["forbidden"]["forbidden_modules"])
PURE = sorted(
    path
    for room in ROOMS
    for pattern in ("domain/**/*.py", "rules/**/*.py", "events.py")
    for path in (ROOT / room).glob(pattern)
)
"""Files of the functional core: the domains, the rules of the games, the event types."""
UNGUARDED = {
    "admin/": "the admin guards itself: people.Account.is_staff lets in the site's organisers only",
}
"""Beginnings of routes whose views are a library's, and why they need no row of the table."""


def tracked() -> list[Path]:
    """Return the files that git keeps; the test is skipped outside a clone."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True)
    if listed.returncode:
        pytest.skip("not a git clone (an unpacked archive or a container)")
    paths = [ROOT / name for name in listed.stdout.decode().split("\0") if name]
    return [path for path in paths if path.is_file()]


def imports(path: Path) -> Iterator[str]:
    """Yield the dotted name of everything that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            # `from room import events` names a module of the room
            yield from (f"{node.module}.{one.name}" for one in node.names)


def test_the_contract_knows_every_room_in_the_order_of_the_house() -> None:
    assert tuple(reversed(CONTRACTS["layers"]["layers"])) == ROOMS
    assert tuple(app for app in settings.INSTALLED_APPS if app in ROOMS) == ROOMS
    rooms = {path.parent.name for path in ROOT.glob("*/apps.py")}
    assert rooms == set(ROOMS)
    assert set(PYPROJECT["tool"]["importlinter"]["root_packages"]) == {*ROOMS, "config"}


@pytest.mark.parametrize("path", PURE, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_the_pure_core_stays_pure(path: Path) -> None:
    room = path.relative_to(ROOT).parts[0]
    for name in imports(path):
        top, *rest = name.split(".")
        assert top not in PURE_MAY_NOT, f"imports {name}"
        if top in ROOMS:
            pure = rest[:1] in (["domain"], ["rules"], ["events"])
            own = top == room
            assert pure, f"imports {name}, which is not pure"
            assert own or ROOMS.index(top) < ROOMS.index(room), f"imports {name} of a later room"


def test_the_pure_core_asks_no_clock_and_no_chance() -> None:
    asked = re.compile(
        r"\b(datetime\.(now|utcnow|today)|time\.(time|monotonic)|date\.today|uuid\.uuid\d|"
        r"random\.(random|randint|choice|shuffle|getrandbits)|secrets\.\w+|os\.urandom)\("
    )
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in PURE
        for match in asked.finditer(path.read_text(encoding="utf-8"))
    ]
    assert not found


def test_no_tracked_file_names_a_machine_or_a_registry() -> None:
    # The words are put together here, so that this file does not hold them.
    words = [
        "/" + "work/",
        "/" + "root/",
        "/" + "home/",
        "pypi" + ".org",
        "python" + "hosted.org",
        "npmjs" + ".org",
        "npmjs" + ".com",
        "debian" + ".org",
        "docker" + ".io",
        "ghcr" + ".io",
    ]
    found = [
        f"{path.relative_to(ROOT)}: {word}"
        for path in tracked()
        for word in words
        if word.encode() in path.read_bytes()
    ]
    assert not found


def test_nothing_of_the_reference_folder_is_in_git(shared: Path) -> None:
    theirs = {
        hashlib.sha256(path.read_bytes()).hexdigest(): path.name
        for path in shared.rglob("*")
        if path.is_file() and path.stat().st_size
    }
    assert theirs
    found = [
        f"{path.relative_to(ROOT)} is {theirs[digest]}"
        for path in tracked()
        if (digest := hashlib.sha256(path.read_bytes()).hexdigest()) in theirs
    ]
    assert not found


def test_no_file_of_a_kind_that_comes_from_elsewhere_is_in_git() -> None:
    kinds = {".cdb", ".yrp", ".yrpx", ".sqlite3", ".pyc", ".mo", ".pem", ".key"}
    assert not [path.name for path in tracked() if path.suffix.lower() in kinds]


@pytest.mark.parametrize("name", ["requirements.in", "requirements-dev.in"])
def test_every_dependency_has_its_reason(name: str) -> None:
    reasons = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    wanted = [
        re.split(r"[\[<>=~! ]", line, maxsplit=1)[0]
        for line in (ROOT / name).read_text(encoding="utf-8").splitlines()
        if line.strip() and not line.startswith(("#", "-"))
    ]
    assert wanted
    given = {match.lower() for match in re.findall(r"^\| `([^`]+)` \|", reasons, re.MULTILINE)}
    assert sorted(set(map(str.lower, wanted)) - given) == []


def routes(resolver: URLResolver, before: str = "") -> Iterator[tuple[str, Any]]:
    """Yield (route, view) of every route under a resolver."""
    for item in resolver.url_patterns:
        route = before + str(item.pattern)
        if isinstance(item, URLResolver):
            yield from routes(item, route)
        else:
            assert isinstance(item, URLPattern)
            yield route, item.callback


def test_every_route_has_a_row_in_the_permission_table() -> None:
    found = list(routes(get_resolver()))
    assert found
    bare = [
        f"{route} ({action_of(view) or 'no action'})"
        for route, view in found
        if not route.startswith(tuple(UNGUARDED)) and action_of(view) not in TABLE
    ]
    assert not bare
    for beginning in UNGUARDED:
        assert any(route.startswith(beginning) for route, _ in found), f"{beginning} is gone"


def own_types() -> list[tuple[str, int]]:
    """Return the event types of the product, those of the tests left out."""
    return [
        (name, schema)
        for name, schema in registry.registered().items()
        if not registry.class_of(name).__module__.startswith("tests.")
    ]


def test_event_types_are_named_after_their_room() -> None:
    names = own_types()
    assert names
    for name, _ in names:
        assert re.fullmatch(r"[a-z]+\.[a-z][a-z0-9_]*", name), name
        assert len(name) <= 80
        room = registry.class_of(name).__module__.split(".")[0]
        assert name.split(".")[0] == room, f"{name} is defined in {room}"


@pytest.mark.parametrize(("name", "schema"), own_types())
def test_every_event_type_has_a_golden_sample_that_still_reads(name: str, schema: int) -> None:
    path = GOLDEN / sample_name(name, schema)
    assert path.exists(), f"no sample of {name}: see docs/testing.md"
    stored = json.loads(path.read_text(encoding="utf-8"))
    decoded = registry.decode(name, schema, canonical.encode(stored))
    # compared as stored bytes: a tuple and a list are the same there
    assert canonical.encode(msgspec.to_builtins(decoded)) == canonical.encode(stored)


def test_every_golden_sample_can_be_read_for_ever() -> None:
    """Samples of older versions stay when a type gets a new one: they must come up to it."""
    for path in GOLDEN.glob("*.json"):
        name, _, schema = path.stem.rpartition(".v")
        stored = json.loads(path.read_text(encoding="utf-8"))
        decoded = registry.decode(name, int(schema), canonical.encode(stored))
        assert isinstance(decoded, registry.class_of(name))
