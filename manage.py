#!/usr/bin/env python3
"""Django's command line for this project."""

import os
import sys


def main() -> None:
    """Run a management command."""
    if sys.argv[1:2] == ["doctor"]:  # looks at settings that may be too wrong to be read
        from config.doctor.command import main as doctor

        sys.exit(doctor(sys.argv[2:]))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
