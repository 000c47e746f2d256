"""The steps of the Dockerfile, carried out without a container: in a fresh folder, then served
by `nobody` from a tree that it cannot write to. Installs every package: soak only."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from tests.config.test_image import instructions
from tests.sizes import SOAK
from tools import services

ROOT = Path(__file__).resolve().parent.parent.parent
pytestmark = pytest.mark.skipif(not SOAK, reason="installs every package (make soak)")


def into(folder: Path, text: str) -> str:
    """Move the absolute paths of a step below `folder`."""
    for path in ("/opt/venv", "/srv", "/tmp/requirements.txt", "/tmp/data"):
        text = text.replace(path, f"{folder}{path}")
    return text


def copied() -> list[str]:
    """Return the files that the image takes from the repository."""
    left_out = [one.strip("/") for one in (ROOT / ".dockerignore").read_text().split()]
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    top = {one for one in left_out if "*" not in one and "." not in one[:1]}
    return [
        one
        for one in listed.stdout.split()
        if one.partition("/")[0] not in top
        and not one.startswith(".")
        and not one.endswith((".md", ".mo", "requirements.in", "requirements-dev.in"))
    ]


def test_the_steps_of_the_image_give_a_server_that_cannot_change_itself() -> None:
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        pytest.skip("needs root and setpriv to become nobody")
    steps = instructions()
    second = [word for word, _ in steps].index("FROM", 1)
    nobody = pwd.getpwnam("nobody")
    with services.short_folder() as folder:
        folder.chmod(0o755)
        for name in ("opt", "srv/headjudge", "tmp"):
            (folder / name).mkdir(parents=True)
        shutil.copy(ROOT / "requirements.txt", folder / "tmp")
        for name in copied():
            (folder / "srv/headjudge" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / "srv/headjudge" / name)
        # an interpreter that nobody can reach, as that of the base image is
        python = folder / "python"
        shutil.copytree(
            sys.base_prefix, python, symlinks=True,
            ignore=shutil.ignore_patterns("test", "site-packages", "__pycache__", "*.a", "share"),
        )  # fmt: skip
        clean = {key: os.environ[key] for key in os.environ if key.startswith(("PIP_", "SSL_"))}
        path, libraries = f"{python}/bin:/usr/bin:/bin", f"{python}/lib"
        for word, what in steps[:second]:
            if word == "RUN":
                subprocess.run(
                    ["sh", "-ec", into(folder, what)], cwd=folder / "srv/headjudge", check=True,
                    env={**clean, "PATH": path, "HOME": str(folder / "tmp"),
                         "LD_LIBRARY_PATH": libraries},
                )  # fmt: skip
        data = folder / "data"
        data.mkdir(mode=0o700)
        os.chown(data, nobody.pw_uid, nobody.pw_gid)
        port = services.free_port()
        env = {
            "PATH": f"{folder}/opt/venv/bin:{path}", "PYTHONDONTWRITEBYTECODE": "1",
            "LD_LIBRARY_PATH": libraries,
            "DATA_DIR": str(data), "STATIC_DIR": f"{folder}/srv/static", "PORT": str(port),
        }  # fmt: skip
        become = ["setpriv", f"--reuid={nobody.pw_uid}", f"--regid={nobody.pw_gid}",
                  "--clear-groups", "--no-new-privs"]  # fmt: skip
        place = {"cwd": folder / "srv/headjudge", "env": env}
        write = [*become, "touch", f"{folder}/srv/headjudge/config/mine"]
        assert subprocess.run(write, **place, capture_output=True).returncode != 0  # type: ignore[call-overload]
        subprocess.run([*become, "python", "-m", "tools.prepare"], **place, check=True)  # type: ignore[call-overload]
        server = subprocess.Popen(
            [*become, "python", "-m", "config.server"], **place,  # type: ignore[call-overload]
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        try:
            assert server.stdout.readline() == f"Serving on 127.0.0.1:{port}\n"
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=30) as answer:
                page = answer.read().decode()
            hashed = page.split('rel="stylesheet" href="')[1].split('"')[0]
            with urllib.request.urlopen(f"http://127.0.0.1:{port}{hashed}", timeout=30) as answer:
                assert "immutable" in answer.headers["Cache-Control"]
            healthy = [*become, "python", "-m", "tools.healthy"]
            assert subprocess.run(healthy, **place).returncode == 0  # type: ignore[call-overload]
        finally:
            services.stop(server)
        assert (data / "secret.key").stat().st_mode & 0o777 == 0o600
