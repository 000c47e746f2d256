#!/usr/bin/env python3
"""Django's command line for this project."""

import importlib.util
import os
import sys
from pathlib import Path

ENVIRONMENT = Path(__file__).resolve().parent / ".venv"


def into_environment() -> None:
    """Go on with the Python of .venv when this one has no Django: nobody activates anything."""
    python = ENVIRONMENT / "bin" / "python"
    if importlib.util.find_spec("django") or Path(sys.prefix) == ENVIRONMENT:
        return
    if python.exists():
        os.execv(python, [str(python), *sys.argv])  # noqa: S606  # our own environment
    sys.exit("Nothing is installed yet: run `make product` (or `make run`) first.")


def main() -> None:
    """Run a management command."""
    into_environment()
    if sys.argv[1:2] == ["doctor"]:  # looks at settings that may be too wrong to be read
        from config.doctor.command import main as doctor

        sys.exit(doctor(sys.argv[2:]))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
