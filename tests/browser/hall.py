"""A hall without internet: server and phone in two network namespaces joined by one cable.

The server has an ordinary address that is not this machine's loopback, plain http, and nothing
else can be reached. Needs root and iproute2 of Debian.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

SERVER, PHONE, NET = "10.77.0.1", "10.77.0.2", "10.77.0.0/24"


class NoHall(Exception):
    """Namespaces cannot be made here; the text says why."""


@dataclass(frozen=True, slots=True)
class Hall:
    """Names of the two namespaces."""

    server: str
    phone: str

    def inside(self, name: str) -> tuple[str, ...]:
        """What to put before a command to run it in a namespace."""
        return ("ip", "netns", "exec", name)

    def routes(self, name: str) -> list[str]:
        """The networks that a namespace can reach."""
        out = _ip("-n", name, "route", "show", "table", "main")
        return [line.split()[0] for line in out.splitlines()]

    def chromium(self, folder: Path, binary: str) -> Path:
        """A program that starts Chromium in the namespace of the phone."""
        script = folder / "chromium-in-the-hall"
        command = " ".join(self.inside(self.phone))
        script.write_text(f'#!/bin/sh\nexec {command} {binary} "$@"\n')
        script.chmod(0o755)
        return script


def _ip(*arguments: str) -> str:
    done = subprocess.run(["ip", *arguments], text=True, capture_output=True)
    if done.returncode:
        raise NoHall(f"ip {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout


def _has_ip() -> bool:
    if shutil.which("ip") is None and shutil.which("apt-get"):
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for command in (["update", "-qq"], ["install", "-qq", "-y", "iproute2"]):
            subprocess.run(["apt-get", *command], env=quiet, capture_output=True)
    return shutil.which("ip") is not None


@contextmanager
def hall() -> Iterator[Hall]:
    """Build the hall and take it down again; raises NoHall."""
    if os.geteuid() != 0:
        raise NoHall("only root can make network namespaces")
    if not _has_ip():
        raise NoHall("there is no `ip` (Debian: apt-get install iproute2)")
    made = Hall(f"hj-server-{os.getpid()}", f"hj-phone-{os.getpid()}")
    ends = (f"hjs{os.getpid() % 10**7}", f"hjp{os.getpid() % 10**7}")
    try:
        for name in (made.server, made.phone):
            _ip("netns", "add", name)
            _ip("-n", name, "link", "set", "lo", "up")
        _ip("link", "add", ends[0], "netns", made.server, "type", "veth",
            "peer", "name", ends[1], "netns", made.phone)  # fmt: skip
        for name, end, address in (
            (made.server, ends[0], SERVER),
            (made.phone, ends[1], PHONE),
        ):
            _ip("-n", name, "addr", "add", f"{address}/24", "dev", end)
            _ip("-n", name, "link", "set", end, "up")
        yield made
    finally:
        for name in (made.server, made.phone):
            subprocess.run(["ip", "netns", "del", name], capture_output=True)
