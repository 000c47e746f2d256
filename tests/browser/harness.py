"""A real server and a real browser: the product on a file database, seen through Chromium.

The server is a process of its own (server-sent events never arrive under the in-process test
server). While a test runs, this process uses the same file database, so a test prepares and
asserts through services and selectors, and acts through pages.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from axe_playwright_python.sync_playwright import Axe
from django.conf import settings
from django.db import connections
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page

from tests.conftest import Member
from tools import services

ROOT = Path(__file__).resolve().parent.parent.parent
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
DEVICES: dict[str, dict[str, Any]] = {
    "phone": {
        "viewport": {"width": 390, "height": 844},
        "device_scale_factor": 2,
        "is_mobile": True,
        "has_touch": True,
    },
    "desk": {"viewport": {"width": 1280, "height": 800}},
}
START_SECONDS = 60


def environment(database: Path) -> dict[str, str]:
    """Return the environment of a server on a database file, with this process's secret."""
    return {
        **os.environ,
        "DATABASE_URL": f"sqlite:///{database}",
        "DATA_DIR": str(database.parent),
        "SECRET_KEY": settings.SECRET_KEY,
        "BACKGROUND": "thread",
        "API_RATE": "",
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }


def manage(database: Path, *arguments: str) -> str:
    """Run manage.py on a database file; returns its standard output, fails with its errors."""
    done = subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=environment(database),
        text=True,
        capture_output=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@contextmanager
def using_file(database: Path) -> Iterator[None]:
    """Let this process's default connection be a database file inside the block."""
    usual = connections["default"]
    ours = connections.create_connection("default")
    ours.settings_dict = {**ours.settings_dict, "NAME": str(database)}
    connections["default"] = ours
    try:
        yield
    finally:
        ours.close()
        connections["default"] = usual


@dataclass
class Server:
    """The product as a process on a database file; it can go away and come back.

    `inside` is put before its command and before the question whether it answers, such as
    `ip netns exec NAME`; then `host` is an address in there.
    """

    database: Path
    host: str = "localhost"
    inside: tuple[str, ...] = ()
    port: int = field(default_factory=services.free_port)
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://{self.host}:{self.port}"

    @property
    def bound(self) -> str:
        """The address it binds."""
        return "127.0.0.1" if self.host == "localhost" else self.host

    def start(self) -> None:
        """Start it and wait until it answers; raises RuntimeError with its log."""
        log = self.database.with_suffix(".log")
        with log.open("ab") as out:
            self.process = subprocess.Popen(
                [
                    *self.inside, sys.executable, "-m", "uvicorn", "config.asgi:application",
                    "--host", self.bound, "--port", str(self.port),
                    "--lifespan", "off", "--http", "config.wire:BoundedProtocol",
                    "--log-level", "warning", "--timeout-graceful-shutdown", "5",
                ],
                cwd=ROOT,
                env=environment(self.database) | ({"LAN": "1"} if self.inside else {}),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
            )  # fmt: skip
        limit = time.monotonic() + START_SECONDS
        while not self._answers():
            if self.process.poll() is not None or time.monotonic() > limit:
                raise RuntimeError(f"the server did not start:\n{log.read_text()}")
            time.sleep(0.05)

    def stop(self) -> None:
        """End it; one that is not there is no fault."""
        if self.process is not None:
            services.stop(self.process)
            self.process = None

    @contextmanager
    def away(self) -> Iterator[None]:
        """Let it be gone inside the block."""
        self.stop()
        yield
        self.start()

    def _answers(self) -> bool:
        if not self.inside:
            return _answers(self.url)
        asked = [*self.inside, sys.executable, "-c", ASK, self.url]
        return subprocess.run(asked, capture_output=True).returncode == 0


ASK = "import sys, urllib.request as r; r.urlopen(sys.argv[1], timeout=5).close()"


@contextmanager
def serving(database: Path) -> Iterator[str]:
    """Run the server on a database file; yields its address once it answers."""
    server = Server(database)
    try:
        server.start()
        yield server.url
    finally:
        server.stop()


def _answers(url: str) -> bool:
    try:
        urllib.request.urlopen(url, timeout=5).close()
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
    return True


@dataclass
class Site:
    """The running product: its server, its database file, and the contexts opened on it."""

    server: Server
    database: Path
    browser: Browser
    contexts: list[BrowserContext] = field(default_factory=list)

    @property
    def url(self) -> str:
        """The address of the product."""
        return self.server.url

    def open(
        self,
        path: str = "/",
        *,
        member: Member | None = None,
        device: str = "phone",
        scheme: str = "light",
        language: str = "en",
        workers: Literal["allow", "block"] = "block",
    ) -> Page:
        """Open a page in a new context: `device` phone or desk, `scheme` light or dark;
        `workers`: whether the service worker may be installed, as on any secure address.

        `member` is signed in (staff) or bound to the device as by a join link (players).
        """
        context = self.browser.new_context(
            base_url=self.url,
            color_scheme=scheme,
            locale=language,
            service_workers=workers,
            **DEVICES[device],
        )
        self.contexts.append(context)
        if member is not None:
            context.add_cookies([self.session(member)])
        page = context.new_page()
        watch(page)
        page.goto(path)
        return page

    def session(self, member: Member) -> Any:
        from people.models import Account
        from people.web import DEVICE_EVENTS, DEVICE_PERSON
        from tournaments.models import EventRow

        client = Client()
        if member.username:
            client.force_login(Account.objects.get(username=member.username))
        else:
            session = client.session
            session[DEVICE_PERSON] = member.person_id
            session[DEVICE_EVENTS] = list(EventRow.objects.values_list("pk", flat=True))
            session.save()
        name = settings.SESSION_COOKIE_NAME
        return {"name": name, "value": str(client.session.session_key), "url": self.url}

    def close(self) -> None:
        """Close every context."""
        for context in self.contexts:
            context.close()
        self.contexts.clear()


_faults: dict[Page, list[tuple[str, str]]] = {}


def watch(page: Page) -> None:
    """Keep every console error, uncaught exception and failed request of a page."""
    faults: list[tuple[str, str]] = []
    _faults[page] = faults

    def console(message: Any) -> None:
        if message.type == "error":
            faults.append((message.location.get("url", ""), message.text))

    page.on("console", console)
    page.on("pageerror", lambda fault: faults.append((page.url, str(fault))))
    page.on("close", lambda _: _faults.pop(page, None))


def faults_of(page: Page) -> list[str]:
    """Return what a page said since it was asked last: console errors, exceptions, failures."""
    said = [f"{url}: {text}" for url, text in _faults[page]]
    _faults[page].clear()
    return said


# Texts of a line that are squeezed to a few letters, and tables that their card cuts off.
SQUEEZED = """
() => [
  ...[...document.querySelectorAll("main .list .grow")].filter(
    (one) => one.clientWidth && one.clientWidth < 72 && one.innerText.trim().length > 24),
  ...[...document.querySelectorAll("main .card.flush > table")].filter(
    (one) => one.offsetWidth > one.parentElement.clientWidth + 1),
].map((one) => one.innerText.trim().slice(0, 60))
"""


def check_page(page: Page, name: str | None = None, *, status: int = 200) -> None:
    """Assert that a page is accessible (axe), quiet, no wider than its window, and that no text
    stands in a column of a few letters and no table is cut off by its card.

    With `status` 4xx the browser's own note about the page's status is let pass. A picture is
    kept as `name`.png in the folder SCREENSHOTS, when both are given.
    """
    folder = os.environ.get("SCREENSHOTS")
    if folder and name:
        Path(folder).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)
    noise = [
        f"{url}: {text}"
        for url, text in _faults[page]
        if not (status >= 400 and url == page.url and f"status of {status}" in text)
    ]
    assert not noise, "console: " + "; ".join(noise)
    page.wait_for_load_state()  # a page that is on its way has no width yet
    width, window = page.evaluate(
        "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    )
    assert width <= window, f"{page.url} is {width} px wide in a window of {window} px"
    squeezed = page.evaluate(SQUEEZED)
    assert not squeezed, f"{page.url}: cannot be read: {squeezed}"
    found = Axe().run(page).response["violations"]
    assert not found, f"{page.url}:\n" + "\n".join(
        f"{one['id']} ({one['impact']}): {one['help']}: {node['html'][:160]}"
        for one in found
        for node in one["nodes"]
    )


def copy_database(template: Path, target: Path) -> None:
    """Copy a database file that no process has open."""
    shutil.copyfile(template, target)
