"""Fingerprint of code: changes when a function, or project code that it can reach, changes.

Snapshots and half-done rebuilds are keyed by it, so that what old code folded is never taken
for what the present code would fold. Reach is taken from the import statements of the modules,
followed through all modules of this project; data files are passed as `extra`.
"""

from __future__ import annotations

import ast
import hashlib
import sys
from collections.abc import Iterable
from functools import cache
from importlib import util
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@cache
def _file_of(module: str) -> Path | None:
    """Return the source file of a module of this project, None for any other."""
    loaded = sys.modules.get(module)
    origin = getattr(loaded, "__file__", None)
    if origin is None and loaded is None:
        try:
            spec = util.find_spec(module)
        except (ImportError, ValueError, AttributeError):
            return None
        origin = spec.origin if spec else None
    if not origin or not origin.endswith(".py"):
        return None
    file = Path(origin).resolve()
    inside = file.is_relative_to(ROOT) and not any(part[0] == "." for part in
                                                   file.relative_to(ROOT).parts)  # fmt: skip
    return file if inside else None


@cache
def _reads(module: str) -> tuple[bytes, frozenset[str]]:
    """Return the source of a module and the names that it imports."""
    file = _file_of(module)
    if file is None:
        return b"", frozenset()
    source = file.read_bytes()
    package = module if file.name == "__init__.py" else module.rpartition(".")[0]
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parts = package.split(".")
                base = ".".join(parts[: len(parts) - node.level + 1] + ([base] if base else []))
            names.add(base)
            names.update(f"{base}.{alias.name}" for alias in node.names)
    return source, frozenset(name for name in names if _file_of(name) is not None)


def reachable(modules: Iterable[str]) -> list[str]:
    """Return these modules and every project module that their imports lead to, sorted."""
    found: set[str] = set()
    waiting = list(modules)
    while waiting:
        module = waiting.pop()
        if module not in found:
            found.add(module)
            waiting.extend(_reads(module)[1])
    return sorted(found)


def of_code(*things: object, extra: bytes = b"") -> str:
    """Return the fingerprint (hex SHA-256) of functions and classes and all they can reach."""
    total = hashlib.sha256(extra)
    modules = {getattr(thing, "__module__", "") or "" for thing in things}
    for thing in things:
        total.update(f"{getattr(thing, '__qualname__', thing)}\n".encode())
    for module in reachable(modules):
        source = _reads(module)[0]
        total.update(f"{module} {len(source)}\n".encode())
        total.update(source)
    return total.hexdigest()
