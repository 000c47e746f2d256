"""`manage.py doctor [--json]`: look at the whole installation and say what to do.

Exit code 0: all good. 1: it works, and something will hurt one day. 2: something is broken.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import secrets
import sys
from collections.abc import Iterator, Sequence

from config import variables
from config.doctor import database, machine, services
from config.doctor.findings import BAD, GOOD, WARNING, Finding, Look, bad, exit_code, looked

SIGNS = {GOOD: "ok", WARNING: "!", BAD: "!!"}
ALONE: tuple[tuple[str, Look], ...] = (
    ("Python", machine.python),
    ("packages", machine.packages),
    ("settings", machine.settings),
    ("data folder", machine.folder),
    ("keys", machine.keys),
)
"""Looks that need no settings."""
WITH_SETTINGS: tuple[tuple[str, Look], ...] = (
    ("file system", machine.network_file_system),
    ("static files", machine.catalogues),
    ("https", machine.tls),
    ("network", machine.network),
    ("redis", services.redis),
    ("celery", services.celery),
    ("mail", services.mail),
    ("database", database.reached),
)
WITH_DATABASE: tuple[tuple[str, Look], ...] = (
    ("version", database.migrations),
    ("keys", database.keys),
    ("log", database.guarded),
    ("log", database.log),
    ("work", database.background),
    ("backups", database.backups),
)


def examined() -> Iterator[Finding]:
    """Look at everything that can be looked at."""
    yield from looked(ALONE)
    if variables.problems(os.environ):
        yield bad("the rest", "was not looked at: the settings are wrong", "Mend them first.")
        return
    import django

    if not (machine.data_folder() / "secret.key").exists():
        os.environ.setdefault("SECRET_KEY", secrets.token_urlsafe(48))  # a look makes no files
    try:
        django.setup()
        logging.disable(logging.CRITICAL)  # what it finds it says itself
    except Exception as fault:
        yield bad("program", f"does not start: {type(fault).__name__}: {fault}",
                  "Install the packages of the lock; if it stays so, report it.")  # fmt: skip
        return
    broken = False
    for one in looked(WITH_SETTINGS):
        broken = broken or (one.subject == "database" and "not answer" in one.said)
        yield one
    if broken:
        yield bad("log", "was not looked at: the database does not answer",
                  "Mend what is told above first.")  # fmt: skip
        return
    for subject, look in WITH_DATABASE:
        found = list(looked([(subject, look)]))
        yield from found
        if subject == "version" and exit_code(found) == 2:
            yield bad("log", "was not looked at: the tables are not as the program expects",
                      database.PREPARE)  # fmt: skip
            return


def main(arguments: Sequence[str]) -> int:
    """Examine, tell, and return the exit code."""
    parser = argparse.ArgumentParser(prog="manage.py doctor", description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON value on standard output")
    as_json = parser.parse_args(arguments).json
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    found: list[Finding] = []
    for one in examined():
        found.append(one)
        if not as_json:
            print(f"{SIGNS[one.state]:>2}  {one.subject}: {one.said}", flush=True)
            if one.todo:
                print(f"      -> {one.todo}", flush=True)
    code = exit_code(found)
    if as_json:
        print(json.dumps({"code": code, "findings": [one.as_json() for one in found]}))
    else:
        print(
            ("All good.", "It works; see the lines with !.", "Something is broken: see !!.")[code]
        )
    sys.stdout.flush()
    return code
