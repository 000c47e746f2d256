"""What `make run` and `make bench` refuse, and how they say so."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from tools import services

ROOT = Path(__file__).resolve().parent.parent.parent


def make_run(data: Path, **variables: str) -> subprocess.Popen[str]:
    """Start what `make run` starts, on a data folder of its own."""
    drop = ("DATABASE_URL", "REDIS_URL", "SECRET_KEY", "LAN", "PORT", "BACKGROUND")
    env = {name: value for name, value in os.environ.items() if name not in drop}
    return subprocess.Popen(
        [sys.executable, "-m", "tools.run"],
        cwd=ROOT,
        env={**env, "DATA_DIR": str(data), "DEMO": "0", **variables},
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


@pytest.mark.parametrize("port", ["abc", "0", "65536", "-1", "80.5", "\u0661"])
def test_a_port_that_is_none_is_refused(tmp_path: Path, port: str) -> None:
    _, err = make_run(tmp_path, PORT=port).communicate(timeout=300)
    assert "is not a port" in err
    assert "Traceback" not in err


def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        server = make_run(tmp_path, PORT=str(port))
        _, err = server.communicate(timeout=300)
    assert server.returncode == 1
    assert f"Port {port} cannot be used" in err
    assert list(tmp_path.iterdir()) == [], "nothing is prepared when the door is shut"


@pytest.mark.parametrize(
    ("variables", "complaint"),
    [
        ({"DATABASE_URL": "mysql://localhost/x"}, "A setting is wrong: DATABASE_URL"),
        ({"BACKGROUND": "fairies"}, "A setting is wrong: BACKGROUND"),
        ({"HTTPS": "perhaps"}, "A setting is wrong: HTTPS"),
        ({"DATABASE_URL": "postgresql://nobody@127.0.0.1:1/x"}, "The database cannot be used"),
    ],
)
def test_a_wrong_setting_is_named(
    tmp_path: Path, variables: dict[str, str], complaint: str
) -> None:
    server = make_run(tmp_path, PORT=str(services.free_port()), **variables)
    _, err = server.communicate(timeout=300)
    assert server.returncode == 1
    assert complaint in err
    assert "Traceback" not in err


def wait_for(url: str, server: subprocess.Popen[str], seconds: float = 300) -> str:
    limit = time.monotonic() + seconds
    while time.monotonic() < limit and server.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                return str(answer.read().decode())
        except urllib.error.HTTPError:
            break
        except OSError:
            time.sleep(0.1)
    server.kill()
    _, err = server.communicate(timeout=30)
    pytest.fail(f"no answer: {err[-2000:]}")


def test_the_first_start_makes_the_organiser_and_the_second_keeps_all(tmp_path: Path) -> None:
    port = services.free_port()
    said = []
    for _ in range(2):
        server = make_run(tmp_path / "data", PORT=str(port), LAN="1")
        try:
            assert "<html" in wait_for(f"http://127.0.0.1:{port}/", server)
        finally:
            services.stop(server)  # type: ignore[arg-type]
        out, _ = server.communicate(timeout=30)
        assert f"http://localhost:{port}" in out
        said.append(out)
    assert "user organiser   password" in said[0]
    assert "password" not in said[1]
    assert (tmp_path / "data").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "data" / "secret.key").stat().st_mode & 0o777 == 0o600


def bench(tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run bench/run.py over a folder with a good, a bad and a talkative bench."""
    folder = tmp_path / "bench"
    folder.mkdir(exist_ok=True)
    shutil.copy(ROOT / "bench" / "run.py", folder)
    (folder / "good.py").write_text(
        "import json, sys\nprint(json.dumps({'quick': '--quick' in sys.argv}))\n"
    )
    (folder / "bad.py").write_text("import sys\nprint('{}')\nsys.exit(1)\n")
    (folder / "loud.py").write_text("print('no json')\n")
    return subprocess.run(
        [sys.executable, "-m", "bench.run", *arguments],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        text=True,
        capture_output=True,
    )


def test_benches_give_one_json_value_and_the_failed_ones(tmp_path: Path) -> None:
    done = bench(tmp_path, "--quick", "--json")
    assert json.loads(done.stdout) == {
        "benches": {"bad": {}, "good": {"quick": True}, "loud": None},
        "failed": ["bad", "loud"],
    }
    assert done.returncode == 1


def test_a_bench_can_be_named(tmp_path: Path) -> None:
    done = bench(tmp_path, "--json", "good")
    assert json.loads(done.stdout) == {"benches": {"good": {"quick": False}}, "failed": []}
    assert done.returncode == 0
    assert "no such bench: nobody" in bench(tmp_path, "nobody").stderr
