"""The server itself: TLS without a proxy, several processes behind one socket, their renewal
and their end."""

from __future__ import annotations

import os
import signal
import socket
import ssl
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from config import server
from tests.certificates import self_signed
from tests.sizes import SOAK
from tools import services

ROOT = Path(__file__).resolve().parent.parent.parent


@contextmanager
def serving(tmp_path: Path, **variables: str) -> Iterator[subprocess.Popen[str]]:
    """Run the server on an empty data folder; what it said last is shown when a test fails."""
    drop = {"DATABASE_URL", "REDIS_URL", "SECRET_KEY", "LAN", "HTTPS", "WEB_WORKERS", "PORT"}
    env = {name: value for name, value in os.environ.items() if name not in drop}
    env |= {"DATA_DIR": str(tmp_path / "data"), "BACKGROUND": "none", **variables}
    (tmp_path / "data" / "static").mkdir(parents=True, exist_ok=True)
    one = subprocess.Popen(
        [sys.executable, "-m", "config.server"], cwd=ROOT, env=env, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    try:
        yield one
    finally:
        services.stop(one)  # type: ignore[arg-type]


def until(right: Callable[[], bool], seconds: float = 60) -> None:
    """Wait for something to be so."""
    limit = time.monotonic() + seconds
    while not right():
        assert time.monotonic() < limit, "it did not come to be"
        time.sleep(0.1)


def children_of(pid: int) -> set[int]:
    """Return the server processes that a parent started (not the helper of multiprocessing)."""
    found = set()
    for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        with suppress(FileNotFoundError, ProcessLookupError):  # it ends at this very moment
            if b"spawn_main" in Path(f"/proc/{one}/cmdline").read_bytes():
                found.add(int(one))
    return found


def free(port: int) -> bool:
    """Say whether nobody listens on a port."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0


def test_two_processes_behind_one_socket_speak_tls(tmp_path: Path) -> None:
    chain, key = self_signed(tmp_path, "localhost", "127.0.0.1")
    port = services.free_port()
    trusting = ssl.create_default_context(cafile=str(chain))
    extra = {"HTTPS_CERT": str(chain), "HTTPS_KEY": str(key), "API_RATE": ""}
    extra["HSTS_SECONDS"] = "60"

    def ask(path: str, context: ssl.SSLContext = trusting) -> tuple[int, str]:
        url = f"https://127.0.0.1:{port}{path}"
        with urllib.request.urlopen(url, timeout=20, context=context) as answer:
            return answer.status, str(answer.headers)

    with serving(tmp_path, PORT=str(port), WEB_WORKERS="2", **extra) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == f"Serving on 127.0.0.1:{port}\n"
        status, headers = ask("/sign-in/")
        assert (status, "Secure" in headers) == (200, True)
        assert "strict-transport-security: max-age=60" in headers.lower()
        with pytest.raises(OSError, match="certificate verify failed"):
            ask("/sign-in/", ssl.create_default_context())
        first = children_of(parent.pid)
        assert len(first) == 2

        healthy = [sys.executable, "-m", "tools.healthy", "--alive"]
        env = {**os.environ, "PORT": str(port), **extra}
        assert subprocess.run(healthy, cwd=ROOT, env=env).returncode == 0

        if SOAK:
            os.kill(min(first), signal.SIGKILL)  # it is started again
            until(lambda: len(children_of(parent.pid) - first) == 1)
            second = children_of(parent.pid)
            assert ask("/healthz")[0] == 200
            parent.send_signal(signal.SIGHUP)  # one by one, and nobody is sent away

            def renewed() -> bool:
                assert ask("/healthz")[0] == 200
                return not children_of(parent.pid) & second

            until(renewed, 120)

        parent.kill()  # nobody is left behind to hold the port
        parent.wait()
        until(lambda: free(port))


def test_a_certificate_and_a_key_that_do_not_belong_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chain, key = self_signed(tmp_path, "localhost")
    other, _ = self_signed(tmp_path, "localhost", file="other")
    monkeypatch.setenv("HTTPS_CERT", str(chain))
    monkeypatch.setenv("HTTPS_KEY", str(key))
    assert server.certificate() == (chain, key)
    for wrong in (other, key):
        monkeypatch.setenv("HTTPS_CERT", str(wrong))
        with pytest.raises(ImproperlyConfigured, match="the key that belongs to it"):
            server.certificate()


def test_nothing_is_promised_to_browsers_for_later_unless_asked(settings: Any) -> None:
    assert settings.SECURE_HSTS_SECONDS == 0


def test_where_it_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LAN", "BIND"):
        monkeypatch.delenv(name, raising=False)
    assert server.bind_address() == "127.0.0.1"
    monkeypatch.setenv("LAN", "1")
    assert server.bind_address() == "0.0.0.0"
    monkeypatch.setenv("BIND", "::1")
    assert server.bind_address() == "::1"


def test_the_address_for_phones_is_one_that_the_server_takes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for hosts, said in (
        ("", None),
        ("localhost,127.0.0.1,[::1],*", None),
        ("localhost,judge.example.org,10.0.0.5", "judge.example.org"),
    ):
        monkeypatch.setenv("ALLOWED_HOSTS", hosts)
        assert server.name_for_phones() == said


def test_static_files_that_were_not_collected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STATIC_DIR", str(tmp_path))
    with pytest.raises(ImproperlyConfigured, match="collectstatic"):
        server.check_static()
    (tmp_path / "staticfiles.json").touch()
    server.check_static()
