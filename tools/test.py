"""Prove the product: gates, then the tests on PostgreSQL and on SQLite, with real services.

    python -m tools.test [pytest arguments]     python -m tools.test --lint-only

PostgreSQL, a Redis-protocol server and Chromium are started or found here; DATABASE_URL
(PostgreSQL, only its database `test_...` is touched) and REDIS_URL (only keys under an own
prefix) are used instead when they are given. Everything is stopped and removed at the end,
also after a failure or Ctrl-C. A gate that fails ends the run; of the tests all stages run, and
those that failed are named at the end.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tools import services

ROOT = Path(__file__).resolve().parent.parent
PYTHON = sys.executable
BIN = Path(sys.executable).parent
ROOMS = (
    "config", "eventstore", "people", "cards", "decks", "duels", "tournaments", "judging", "portal",
)  # fmt: skip
BROWSER = "tests/browser"
NO_TESTS = 5
"""Exit code of pytest when it selected none."""


class StepFailed(Exception):
    """A step ended badly; the text names it."""


def say(text: str) -> None:
    """Write one line of progress, at once."""
    print(text, flush=True)


@contextlib.contextmanager
def step(name: str) -> Iterator[None]:
    """Announce a step and say how long it took; its failure ends the run."""
    say(f"== {name}")
    started = time.monotonic()
    try:
        yield
    except services.ServiceFault as fault:
        raise StepFailed(f"{name}: {fault}") from None
    say(f"-- {name}: {time.monotonic() - started:.1f} s")


def run(name: str, command: list[str], *, env: dict[str, str] | None = None, also: int = 0) -> None:
    """Run one step as a process; raises StepFailed unless it exits with 0 or `also`."""
    with step(name):
        code = subprocess.run(command, cwd=ROOT, env=env, stdin=subprocess.DEVNULL).returncode
        if code not in (0, also):
            raise StepFailed(f"{name} (exit code {code})")


@contextlib.contextmanager
def collected(failed: list[str]) -> Iterator[None]:
    """Note the fault of a stage in `failed` instead of ending the run."""
    try:
        yield
    except StepFailed as fault:
        say(f"FAILED: {fault}")
        failed.append(str(fault))


def lint(env: dict[str, str]) -> None:
    """Style, types, the order of the rooms, migrations, translations."""
    manage = [PYTHON, "manage.py"]
    run("ruff", [str(BIN / "ruff"), "check", "."])
    # pyproject.toml says why these three are let be
    security = ["--select", "S", "--ignore", "S311,S603,S607"]
    run("security linter", [str(BIN / "ruff"), "check", *security, *ROOMS])
    run("dependency audit", [PYTHON, "-m", "tools.audit"])
    run("ruff format", [str(BIN / "ruff"), "format", "--check", "."])
    run("hadolint", [str(BIN / "hadolint"), "Dockerfile"])
    run("import-linter", [str(BIN / "lint-imports"), "--no-cache"])
    run("mypy", [str(BIN / "mypy"), *ROOMS], env=env)
    run("manage.py check", [*manage, "check", "--fail-level", "WARNING"], env=env)
    run("migrations", [*manage, "makemigrations", "--check", "--dry-run"], env=env)
    run("translations", [PYTHON, "-m", "tools.messages", "check"], env=env)
    run("catalogues", [PYTHON, "-m", "tools.messages", "compile"], env=env)


def browser() -> str | None:
    """Find or install Chromium. Without one the browser tests are skipped, but never in CI."""
    found = services.chromium() or services.install_chromium()
    if found is None:
        if os.environ.get("CI") == "true":
            raise StepFailed("browser: CI needs Chromium, and it could not be installed")
        say("!! NO CHROMIUM: the browser tests are skipped. Debian: apt-get install chromium")
    return found


def pytest(
    name: str, arguments: list[str], env: dict[str, str], *, workers: int, also: int = 0
) -> None:
    """Run pytest once. Tests of one group (the browser's) stay in one worker, in order."""
    shared_out = ["-n", str(workers), "--dist", "loadgroup"] if workers > 1 else []
    run(name, [PYTHON, "-m", "pytest", "-q", *shared_out, *arguments], env=env, also=also)


def main() -> int:
    """Run every step; return the exit code."""
    arguments = sys.argv[1:]
    started = time.monotonic()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    given_database = os.environ.get("DATABASE_URL", "")
    given_redis = os.environ.get("REDIS_URL", "")
    drop = {"DATABASE_URL", "REDIS_URL", "SECRET_KEY", "ALLOWED_HOSTS", "LAN", "HTTPS", "DEBUG"}
    with services.short_folder() as folder:
        env = {name: value for name, value in os.environ.items() if name not in drop}
        data = folder / "data"
        (data / "static").mkdir(parents=True)
        env |= {
            "DATA_DIR": str(data),
            "BACKGROUND": "none",
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "REDIS_PREFIX": f"test-{secrets.token_hex(4)}",
            # hundreds of processes start in a run: without it each compiles the product anew
            "PYTHONDONTWRITEBYTECODE": "",
        }
        lint(env)
        if arguments == ["--lint-only"]:
            return 0
        with contextlib.ExitStack() as running:
            with step("browser"):
                found = browser()
                if found:
                    env["CHROMIUM"] = found
            with step("services"):
                database = given_database
                if not database.startswith(("postgres:", "postgresql:")):
                    database = running.enter_context(services.postgres(folder))
                env["REDIS_URL"] = given_redis or running.enter_context(services.valkey(folder))
            env["TEST_POSTGRES_URL"] = database
            workers = min(os.cpu_count() or 1, 4)
            on_postgres = {**env, "DATABASE_URL": database}
            # a fault of one stage must not hide those of the next: all run, then it fails
            failed: list[str] = []
            with collected(failed):
                pytest(
                    "tests on PostgreSQL",
                    ["-m", "pg", *arguments],
                    on_postgres,
                    workers=workers,
                    also=NO_TESTS if arguments else 0,
                )
            if arguments:
                with collected(failed):
                    pytest("tests on SQLite", arguments, env, workers=workers)
            else:
                # Playwright keeps an event loop in its process: what needs one of its own, or
                # none, must not run there.
                with collected(failed):
                    pytest("tests on SQLite", [f"--ignore={BROWSER}"], env, workers=workers)
                with collected(failed):
                    pytest("pages in a browser", [BROWSER], env, workers=workers)
            if failed:
                raise StepFailed("; ".join(failed))
    say(f"All passed in {time.monotonic() - started:.0f} s.")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except StepFailed as fault:
        sys.exit(f"FAILED: {fault}")
    except KeyboardInterrupt:
        sys.exit("Stopped; nothing was left behind.")
