"""One import of the decks bench, in a process of its own, on the database of DATABASE_URL."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import django

django.setup()

from django.core.management import call_command  # noqa: E402

from cards.services import catalogue_import  # noqa: E402
from eventstore.commands import Context  # noqa: E402
from people.domain.actor import SYSTEM  # noqa: E402


def main() -> None:
    """Import a source twice into an empty catalogue; print cards per second of each."""
    call_command("migrate", verbosity=0)
    content = Path(sys.argv[1]).read_bytes()
    found = {}
    for name in ("import", "same again"):
        started = time.process_time()
        outcome = catalogue_import(Context(SYSTEM, "system"), source="bench", content=content)
        spent = time.process_time() - started
        found[f"{name} cards per s"] = round(outcome.read / spent)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
