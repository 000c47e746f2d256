"""Settings come from the environment only; nonsense is refused at start, not guessed at."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

YES, NO = {"1", "true", "yes", "on"}, {"0", "false", "no", "off", ""}


def flag(name: str, default: bool = False) -> bool:
    """Read a yes/no variable; raises ImproperlyConfigured for anything else."""
    value = os.environ.get(name)
    if value is None:
        return default
    if value.strip().lower() in YES:
        return True
    if value.strip().lower() in NO:
        return False
    raise ImproperlyConfigured(f"{name}={value!r}: expected one of 1, 0, true, false, yes, no")


def seconds(name: str, default: int) -> int:
    """Read a number of seconds above 0; raises ImproperlyConfigured for anything else."""
    value = os.environ.get(name, "").strip()
    if not value:
        return default
    if value.isascii() and value.isdigit() and 0 < int(value) < 10**9:
        return int(value)
    raise ImproperlyConfigured(f"{name}={value!r}: expected a number of seconds above 0")


def words(name: str, default: str = "") -> list[str]:
    """Read a comma-separated list."""
    return [word.strip() for word in os.environ.get(name, default).split(",") if word.strip()]


def secret(name: str, file: Path) -> str:
    """Read a secret from a variable, or from a file of mode 0600 that is made when missing."""
    given = os.environ.get(name)
    if given:
        return given
    try:
        return file.read_text().strip()
    except FileNotFoundError:
        pass
    file.parent.mkdir(parents=True, exist_ok=True)
    made = secrets.token_urlsafe(48)
    try:
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:  # another process was quicker
        return file.read_text().strip()
    with os.fdopen(handle, "w") as out:
        out.write(made)
    return made
