"""Every event ever released can be read: shapes and paths of all types. The samples themselves
are checked in tests/test_house.py."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from eventstore.domain import evolution, registry
from eventstore.domain.registry import DomainEvent, event, upcaster
from eventstore.management.commands.shapes import released
from tests.conftest import ROOT


def product_types() -> dict[str, int]:
    return {
        name: newest
        for name, newest in registry.registered().items()
        if not registry.class_of(name).__module__.startswith(("tests.", "bench."))
    }


def test_every_version_of_every_type_has_a_golden_sample() -> None:
    for name, newest in product_types().items():
        for version in range(1, newest + 1):
            assert (ROOT / "tests" / "golden" / f"{name}.v{version}.json").exists(), name


def test_no_released_schema_has_changed() -> None:
    kept = released(ROOT / "tests" / "released_shapes.json")
    found = evolution.shapes()
    for name, newest in product_types().items():
        key = f"{name}.v{newest}"
        assert key in kept, f"{key}: run manage.py shapes --write"
        assert kept[key] == found[key], f"{key} was released: make a new version and an upcaster"


def test_every_version_has_a_path_to_the_newest() -> None:
    assert evolution.without_path() == []


@pytest.fixture
def own_types(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a test register types that nobody else sees."""
    for name in ("_by_name", "_name_of", "_newest", "_upcasters"):
        monkeypatch.setattr(registry, name, {})


def made(fields: dict[str, Any], schema: int = 1, words: str = "Words.") -> type[DomainEvent]:
    """Register `thing.made` anew, with these fields ((type, default) or type)."""
    registry._by_name.clear()
    values: dict[str, Any] = {"__annotations__": {}, "__doc__": words, "__module__": __name__}
    for name, kind in fields.items():
        values["__annotations__"][name], *rest = kind if isinstance(kind, tuple) else (kind,)
        if rest:
            values[name] = rest[0]
    cls = type(DomainEvent)("Made", (DomainEvent,), values, frozen=True)
    return event("thing.made", schema)(cls)


def shapes(file: Path, *arguments: str) -> str:
    out = StringIO()
    call_command("shapes", "--file", str(file), *arguments, stdout=out)
    return out.getvalue()


BASE: dict[str, Any] = {"number": int, "words": (tuple[str, ...], ())}


def test_a_new_type_is_named_until_it_is_released(own_types: None, tmp_path: Path) -> None:
    file = tmp_path / "shapes.json"
    made(BASE)
    with pytest.raises(CommandError, match=r"not released: thing\.made\.v1"):
        shapes(file)
    assert shapes(file, "--write") == "1 types, as released\n"
    assert shapes(file) == "1 types, as released\n"


@pytest.mark.parametrize(
    "fields",
    [
        {"number": int, "words": tuple[str, ...]},
        {"number": str, "words": (tuple[str, ...], ())},
        {"number": int},
        {**BASE, "more": (int, 0)},
        {"number": (int, 3), "words": (tuple[str, ...], ())},
        {"figure": int, "words": (tuple[str, ...], ())},
    ],
)
def test_a_released_schema_that_changed_fails(
    own_types: None, tmp_path: Path, fields: dict[str, Any]
) -> None:
    file = tmp_path / "shapes.json"
    made(BASE)
    shapes(file, "--write")
    made(BASE, words="Other words do not matter.")
    shapes(file)
    made(fields)
    for arguments in ((), ("--write",)):
        with pytest.raises(CommandError, match=r"released and changed: thing\.made\.v1"):
            shapes(file, *arguments)


def test_a_version_without_a_path_fails(own_types: None, tmp_path: Path) -> None:
    file = tmp_path / "shapes.json"
    made(BASE)
    shapes(file, "--write")
    second = made({"more": int, **BASE}, schema=2)
    assert evolution.without_path() == ["thing.made.v1"]
    with pytest.raises(CommandError, match=r"no upcaster from: thing\.made\.v1"):
        shapes(file, "--write")
    upcaster("thing.made", 1)(lambda values: {"more": 0, **values})
    assert shapes(file) == "1 types, as released\n"
    old = registry.decode("thing.made", 1, b'{"number":5}')
    assert old == second(0, 5)  # type: ignore[call-arg]


def test_upcasters_are_chained_one_version_at_a_time(own_types: None) -> None:
    @event("thing.counted", schema=3)
    class Counted(DomainEvent, frozen=True):
        steps: tuple[int, ...]

    upcaster("thing.counted", 1)(lambda values: {"steps": [*values["steps"], 2]})
    upcaster("thing.counted", 2)(lambda values: {"steps": [*values["steps"], 3]})
    assert registry.decode("thing.counted", 1, b'{"steps":[1]}') == Counted((1, 2, 3))
    assert registry.decode("thing.counted", 2, b'{"steps":[1]}') == Counted((1, 3))
    assert registry.decode("thing.counted", 3, b'{"steps":[1]}') == Counted((1,))
