"""Make `.venv` and install the locked packages into it; do nothing when that is done already.

Standard library only: this is what runs before anything is installed. The stamp in the
environment names the lock files and the Python it was made for, so that the second start is
quick. An installation that was cut short leaves its mark and is made anew.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMP = VENV / "headjudge.json"
UNFINISHED = VENV / "unfinished"
LOCKS = {"product": ["requirements.txt"], "gates": ["requirements.txt", "requirements-dev.txt"]}


def say(text: str) -> None:
    """Tell the person what happens, on standard error."""
    print(text, file=sys.stderr, flush=True)


def wanted(purpose: str) -> dict[str, str]:
    """Return what the stamp says when all for `purpose` is installed."""
    stamp = {"python": ".".join(map(str, sys.version_info[:3]))}
    for lock in LOCKS[purpose]:
        stamp[lock] = hashlib.sha256((ROOT / lock).read_bytes()).hexdigest()
    return stamp


def installed() -> dict[str, str]:
    """Return the stamp of the environment, empty when there is none that can be trusted."""
    if UNFINISHED.exists() or not PYTHON.exists():
        return {}
    try:
        found = json.loads(STAMP.read_text())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


@contextlib.contextmanager
def turn() -> Iterator[None]:
    """One installation at a time: a second command waits for the first."""
    import fcntl

    folder = ROOT / ".run"
    folder.mkdir(exist_ok=True)
    with (folder / "bootstrap.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            say("Waiting for another command that is installing ...")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def make_environment() -> None:
    """Make an empty environment with pip; raises SystemExit with a sentence when it cannot."""
    shutil.rmtree(VENV, ignore_errors=True)
    say(f"Making the environment {VENV.name} with Python {sys.version.split()[0]} ...")
    command = [sys.executable, "-m", "venv", str(VENV)]
    first = subprocess.run(command, capture_output=True, text=True)
    if first.returncode == 0:
        return
    package = f"python{sys.version_info[0]}.{sys.version_info[1]}-venv"
    if os.geteuid() == 0 and shutil.which("apt-get"):
        say(f"This Python cannot make environments; installing {package} ...")
        quiet = {
            "stdout": sys.stderr.fileno(),
            "env": {**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
        }
        subprocess.run(["apt-get", "update", "-qq"], **quiet)
        for name in (package, "python3-venv"):
            if subprocess.run(["apt-get", "install", "-qq", "-y", name], **quiet).returncode == 0:
                break
        shutil.rmtree(VENV, ignore_errors=True)
        if subprocess.run(command, stdout=sys.stderr.fileno()).returncode == 0:
            return
    say(first.stdout + first.stderr)
    raise SystemExit(
        f"Python cannot make a virtual environment here. On Debian and Ubuntu: "
        f"apt-get install {package}; then run the same command again."
    )


def pip_has_own_settings() -> bool:
    """Say whether pip is told where packages come from: uv would not know of it."""
    names = ("INDEX_URL", "EXTRA_INDEX_URL", "FIND_LINKS", "CONSTRAINT", "CERT", "TRUSTED_HOST")
    if any(os.environ.get(f"PIP_{name}") for name in names):
        return True
    listed = subprocess.run(
        [str(PYTHON), "-m", "pip", "config", "list"], capture_output=True, text=True
    ).stdout
    return any(name.lower().replace("_", "-") in listed for name in names)


def install(purpose: str) -> None:
    """Install the locks of `purpose` into the environment; raises SystemExit on failure."""
    locks = [argument for lock in LOCKS[purpose] for argument in ("-r", str(ROOT / lock))]
    uv = shutil.which("uv")
    if uv and not pip_has_own_settings():
        command = [uv, "pip", "install", "--python", str(PYTHON), "--require-hashes", *locks]
    else:
        command = [
            str(PYTHON), "-m", "pip", "install", "--disable-pip-version-check",
            "--no-input", "--require-hashes", "--progress-bar", "off", "-qq", *locks,
        ]  # fmt: skip
    say(f"Installing {' and '.join(LOCKS[purpose])} (once, about a minute) ...")
    if subprocess.run(command, stdout=sys.stderr.fileno()).returncode:
        raise SystemExit(
            "The packages could not be installed: the lines above say why. Nothing is lost; "
            "run the same command again when the package index can be reached."
        )


def main() -> None:
    """Bring `.venv` up to the locks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--for", dest="purpose", choices=sorted(LOCKS), default="product")
    purpose = parser.parse_args().purpose
    if not (3, 11) <= sys.version_info[:2] <= (3, 13):
        raise SystemExit(f"Python 3.11 to 3.13 is needed; this is {sys.version.split()[0]}.")
    needed = wanted(purpose)
    if needed.items() <= installed().items():
        return
    with turn():
        have = installed()
        if needed.items() <= have.items():
            return
        started = time.monotonic()
        usable = not UNFINISHED.exists() and PYTHON.exists()
        if usable:
            asked = [
                str(PYTHON),
                "-c",
                "import sys, pip; print('.'.join(map(str, sys.version_info[:3])))",
            ]
            answer = subprocess.run(asked, capture_output=True, text=True)
            usable = answer.returncode == 0 and answer.stdout.strip() == needed["python"]
        if not usable:
            make_environment()
            have = {}
        UNFINISHED.touch()
        install(purpose)
        kept = {key: value for key, value in have.items() if key == "requirements-dev.txt"}
        waiting = STAMP.with_suffix(".new")
        waiting.write_text(json.dumps({**kept, **needed}, indent=1))
        waiting.replace(STAMP)
        UNFINISHED.unlink()
        say(f"Installed in {time.monotonic() - started:.0f} s.")


if __name__ == "__main__":
    main()
