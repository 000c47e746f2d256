"""The Python of .venv-bench, where the peers of the benches live: the product needs none."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PEER = Path(__file__).resolve().parent.parent / ".venv-bench"


def peer_python(module: str, packages: list[str], *, quick: bool) -> tuple[Path | None, str]:
    """Return the Python that can import a peer, or None and the reason. The packages are
    installed once; a quick run installs nothing."""
    python = PEER / "bin" / "python"
    if python.exists() and _imports(python, module):
        return python, ""
    if quick:
        return None, "not installed; a run without --quick installs it into .venv-bench"
    commands = [[str(python), "-m", "pip", "-q", "install", *packages]]
    if not python.exists():
        commands.insert(0, [sys.executable, "-m", "venv", str(PEER)])
    for command in commands:
        done = subprocess.run(command, text=True, capture_output=True, timeout=300)
        if done.returncode:
            return None, f"it could not be installed: {done.stderr.strip()[-200:]}"
    return python, ""


def _imports(python: Path, module: str) -> bool:
    return (
        subprocess.run([str(python), "-c", f"import {module}"], capture_output=True).returncode == 0
    )
