"""Fixtures of the browser tests: Chromium once, a server and a database of its own per test."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.browser import harness
from tools import services

HERE = Path(__file__).parent
expect.set_options(timeout=30_000)  # as long as Playwright gives an act: the machine may be busy


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test of this folder; those of one file stay in one worker, in order."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.xdist_group(f"browser-{item.path.stem}"))


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """A running Chromium. Without one the test is skipped, in CI it fails."""
    path = services.chromium()
    if path is None:
        if os.environ.get("CI") == "true":
            pytest.fail("CI needs Chromium, and it is not there")
        pytest.skip("no Chromium on this machine (Debian: apt-get install chromium)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=harness.FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def template_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated database file with the shipped catalogue, to be copied."""
    database = tmp_path_factory.mktemp("template") / "template.sqlite3"
    harness.manage(database, "migrate", "--verbosity", "0")
    harness.manage(database, "load_shipped")
    return database


@pytest.fixture
def site(
    chromium: Browser,
    template_database: Path,
    tmp_path: Path,
    django_db_blocker: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[harness.Site]:
    """The product, served on a fresh copy of the template, which this process uses as well."""
    # Playwright keeps an event loop in this thread; the ORM would refuse to work beside it.
    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
    database = tmp_path / "site.sqlite3"
    harness.copy_database(template_database, database)
    with (
        django_db_blocker.unblock(),
        harness.using_file(database),
        contextlib.closing(harness.Site(harness.Server(database), database, chromium)) as made,
    ):
        try:
            made.server.start()
            yield made
        finally:
            made.server.stop()
