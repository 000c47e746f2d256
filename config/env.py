"""Settings come from the environment only; nonsense is refused at start, not guessed at.

What there is to set, and what is right for it, stands in `config.variables`.
"""

from __future__ import annotations

import os
import secrets
import sys
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from config import variables
from config.variables import TABLE, Wrong


def check() -> None:
    """Refuse an environment with wrong or contradicting settings, all of them at once.

    Names that look like a mistyped setting are told on standard error. Raises
    ImproperlyConfigured.
    """
    found = variables.problems(os.environ)
    if found:
        raise ImproperlyConfigured("\n  ".join(found))
    for given, meant in variables.near_misses(os.environ):
        print(f"{given} is no setting of Headjudge; {meant} is one.", file=sys.stderr)


def value(name: str) -> Any:
    """Return the value of a setting of the table; raises ImproperlyConfigured when it is wrong,
    KeyError for a name that the table does not hold."""
    variable = TABLE[name]
    try:
        return variables.value(variable, os.environ)
    except Wrong as fault:
        raise ImproperlyConfigured(variables.complaint(variable, os.environ, fault)) from None


def flag(name: str) -> bool:
    """Return a yes/no setting."""
    return bool(value(name))


def secret(name: str, file: Path) -> str:
    """Return a secret setting, or the content of a file of mode 0600 that is made when missing."""
    given = value(name)
    if given:
        return str(given)
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
