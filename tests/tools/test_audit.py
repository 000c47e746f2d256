"""The audit of dependencies: locks, installation, known weaknesses, and no internet."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from tools import audit
from tools.services import free_port

ROOT = Path(__file__).resolve().parent.parent.parent


@contextmanager
def database(weak: dict[str, str], *, broken: bool = False) -> Iterator[str]:
    """A server that speaks the protocol of the advisory database and knows these weaknesses
    (package name: advisory)."""

    class Answer(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["queries"]
            results = [
                {"vulns": [{"id": weak[one["package"]["name"]]}]}
                if one["package"]["name"] in weak
                else {}
                for one in asked
            ]
            body = b"<html>" if broken else json.dumps({"results": results}).encode()
            self.send_response(200)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Answer)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def run(server: str, **variables: str) -> subprocess.CompletedProcess[str]:
    env = {name: value for name, value in os.environ.items() if name != "ADVISORIES_NEEDED"}
    return subprocess.run(
        [sys.executable, "-m", "tools.audit"],
        cwd=ROOT,
        env={**env, "ADVISORIES": server, **variables},
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_a_known_weakness_fails_the_run_and_is_named() -> None:
    with database({"django": "TEST-2026-1"}) as server:
        done = run(server)
    assert done.returncode == 1
    assert "FAULT django " in done.stdout
    assert "TEST-2026-1" in done.stdout


def test_the_locks_of_the_house_are_sound() -> None:
    with database({}) as server:
        done = run(server)
    assert (done.returncode, "FAULT" in done.stdout) == (0, False), done.stdout
    assert "0 with known weaknesses" in done.stdout


@pytest.mark.parametrize("broken", [True, False])
def test_without_the_database_it_says_so_loudly_and_goes_on(broken: bool) -> None:
    if broken:
        with database({}, broken=True) as server:
            done, strict = run(server), run(server, ADVISORIES_NEEDED="1")
    else:
        server = f"http://127.0.0.1:{free_port()}"
        done, strict = run(server), run(server, ADVISORIES_NEEDED="1")
    assert done.returncode == 0
    assert "!! NOT AUDITED" in done.stdout
    assert strict.returncode == 1


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("django==5.2.19\n", "django has no hash"),
        ("django>=5 --hash=sha256:00\n", "not a pinned package"),
        ("git+https://x.example/y --hash=sha256:00\n", "not a pinned package"),
        ("-i https://x.example/simple\n", "not a pinned package"),
        ("# nothing\n", "holds no package"),
    ],
)
def test_a_lock_that_is_none_is_refused(text: str, fault: str) -> None:
    assert fault in " ".join(audit.faults_of_lock("x.txt", text))


def test_a_package_of_another_version_is_found() -> None:
    text = "django==1.0 \\\n    --hash=sha256:00\nnowhere==1 --hash=sha256:00\n"
    text += "winonly==1 ; sys_platform == 'win32' --hash=sha256:00\n"
    found, strange = audit.pins(text)
    assert (len(found), strange) == (3, [])
    faults = audit.faults_of_installation(found)
    assert [one.split()[0] for one in faults] == ["django", "nowhere"]


@pytest.mark.parametrize(
    "code",
    [
        "eval(input())\n",
        "import hashlib\nhashlib.md5(b'x')\n",
        "import pickle\npickle.loads(b'x')\n",
        "import subprocess\nsubprocess.run('ls', shell=True)\n",
        "password = 'swordfish'\n",
    ],
)
def test_the_security_linter_finds_what_it_is_for(code: str, tmp_path: Path) -> None:
    sample = tmp_path / "sample.py"
    sample.write_text(code)
    ruff = Path(sys.executable).with_name("ruff")
    config = str(ROOT / "pyproject.toml")
    done = subprocess.run(
        [ruff, "check", "--no-cache", "--select", "S", "--config", config, str(sample)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1, done.stdout + done.stderr
