"""The threat model names tests that exist, and no attack without one."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "threat-model.md"
NAMED = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")


def rows() -> list[str]:
    """Return the rows of the tables of attacks, heads and rules left out."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    return [
        line
        for line in lines
        if line.startswith("|") and not line.startswith(("|---", "| attack "))
    ]


def functions(path: Path) -> set[str]:
    """Return the names of the tests that a file defines."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name.startswith("test_")
    }


def test_every_test_named_in_the_threat_model_exists() -> None:
    named = NAMED.findall(PAGE.read_text(encoding="utf-8"))
    assert len(named) > 40
    missing = []
    for file, name in named:
        path = ROOT / file
        if not path.is_file():
            missing.append(file)
        elif name and name not in functions(path):
            missing.append(f"{file}::{name}")
    assert missing == []


def test_every_attack_names_a_defence_and_a_test() -> None:
    found = rows()
    assert len(found) > 35
    for line in found:
        attack, defence, shown = (part.strip() for part in line.strip("|").split("|"))
        assert attack, line
        assert defence, line
        assert NAMED.search(shown), f"no test shows: {attack}"
