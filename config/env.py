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
from eventstore.keyfile import write_secret


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
    """Return a secret setting, or the content of a file of mode 0600 that is made when missing.

    Raises ImproperlyConfigured when the file is empty.
    """
    given = value(name)
    if given:
        return str(given)
    if not file.exists():
        write_secret(file, secrets.token_urlsafe(48).encode())
    text = file.read_text().strip()
    if not text:
        raise ImproperlyConfigured(f"{name}: the file {file.name} in the data folder is empty")
    return text
