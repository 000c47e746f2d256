"""The server: `python -m config.server` serves what is prepared; `make run` prepares first.

One process, or WEB_WORKERS behind one listening socket: a parent that starts them again when they
die, brings up new ones one by one on SIGHUP (no request is refused meanwhile) and stops them on
SIGTERM. With HTTPS_CERT and HTTPS_KEY it speaks TLS itself.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import socket
import ssl
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from config import env

GRACE_SECONDS = 5
"""An open stream of server-sent events would otherwise outlive the request to stop."""
ANSWER_SECONDS = 30
"""How long a process may be too busy to tell its parent that it lives."""
HALL = 1024
"""Phones that may knock at the same moment."""


def bind_address() -> str:
    """Return the address to listen on: BIND, else the network with LAN, else this machine."""
    return str(env.value("BIND") or ("0.0.0.0" if env.flag("LAN") else "127.0.0.1"))  # noqa: S104


def listen(host: str, port: int) -> socket.socket:
    """Take a port; raises OSError when it is not free."""
    door = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        door.bind((host, port))
    except OSError:
        door.close()
        raise
    return door


def lan_address() -> str | None:
    """Return this machine's address on the local network; nothing is sent to find it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # a documentation address: only the route is asked
        except OSError:
            return None
        address = str(probe.getsockname()[0])
    return None if address.startswith("127.") else address


def name_for_phones() -> str | None:
    """Return the first host of ALLOWED_HOSTS that is not this machine's own word for itself: where
    hosts are named, the bare address is refused. None where none is named."""
    hosts = env.value("ALLOWED_HOSTS") or []
    own = ("localhost", "127.", "[", ".", "*")
    return next((str(host) for host in hosts if not host.startswith(own)), None)


def certificate() -> tuple[Path, Path] | None:
    """Return the files of certificate and key, when the server speaks TLS itself.

    Raises ImproperlyConfigured when they cannot be used together.
    """
    chain, key = env.value("HTTPS_CERT"), env.value("HTTPS_KEY")
    if chain is None or key is None:
        return None
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(chain, key)
    except (ssl.SSLError, OSError) as fault:
        raise ImproperlyConfigured(
            f"HTTPS_CERT={str(chain)!r} and HTTPS_KEY={str(key)!r}: {fault}; expected a "
            "certificate with its chain and the key that belongs to it, both PEM"
        ) from None
    return chain, key


def check_static() -> None:
    """Raise ImproperlyConfigured when STATIC_DIR was not filled: every page would fail."""
    folder = env.value("STATIC_DIR")
    if folder is not None and not (folder / "staticfiles.json").is_file():
        raise ImproperlyConfigured(
            f"STATIC_DIR={str(folder)!r}: no collected files; run manage.py collectstatic with the "
            "same STATIC_DIR, or leave it out"
        )


def configuration(workers: int) -> Any:
    """Return uvicorn's configuration. Raises ImproperlyConfigured."""
    import uvicorn

    from config.wire import BoundedProtocol

    check_static()
    files = certificate()
    return uvicorn.Config(
        "config.asgi:application",
        http=BoundedProtocol,
        lifespan="off",
        log_config=None,  # config.logs
        access_log=False,
        proxy_headers=False,  # config.asgi does it, and remembers who asked
        server_header=False,
        workers=workers,
        backlog=HALL,
        ssl_certfile=files[0] if files else None,
        ssl_keyfile=files[1] if files else None,
        timeout_graceful_shutdown=GRACE_SECONDS,
        timeout_worker_healthcheck=ANSWER_SECONDS,
    )


@contextmanager
def counting_together(workers: int) -> Iterator[None]:
    """Give several processes one empty folder in which they count (config.metrics)."""
    folder = env.value("METRICS_DIR")
    if folder is not None:
        for old in folder.glob("*.db"):
            old.unlink(missing_ok=True)
        yield
    elif workers == 1:
        yield
    else:
        with tempfile.TemporaryDirectory(prefix="headjudge-metrics-") as made:
            os.environ["METRICS_DIR"] = made  # for the processes that are started
            try:
                yield
            finally:
                del os.environ["METRICS_DIR"]


def serve(door: socket.socket, announce: Callable[[], None]) -> None:
    """Serve until told to stop; `announce()` is called once requests are taken."""
    workers = env.value("WEB_WORKERS")
    with counting_together(workers):
        if workers == 1:
            _one(configuration(1), door, announce)
        else:
            _several(configuration(workers), door, announce)


def _one(config: Any, door: socket.socket, announce: Callable[[], None]) -> None:
    import uvicorn

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            if self.started:
                announce()

    Server(config).run(sockets=[door])


def _several(config: Any, door: socket.socket, announce: Callable[[], None]) -> None:
    from uvicorn.supervisors.multiprocess import Multiprocess

    class Parent(Multiprocess):
        def init_processes(self) -> None:
            super().init_processes()
            for one in self.processes:
                if not one.wait_until_ready(120, self.should_exit):
                    return
            announce()

    parent = Parent(config, [door])
    parent.run()
    if any(one.exitcode for one in parent.processes if one.exitcode and one.exitcode > 0):
        raise SystemExit(1)


def end_with_parent() -> None:
    """In a process that a parent of several started: stop when the parent is gone, killed even.
    Nobody would start or stop it any more, and it would hold the port."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch() -> None:
        wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, name="parent", daemon=True).start()


def main() -> int:
    """Serve; return the exit code."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        env.check()
        configuration(1)
        host, port = bind_address(), env.value("PORT")
        door = listen(host, port)
    except ImproperlyConfigured as fault:
        raise SystemExit(f"A setting is wrong: {fault}") from None
    except OSError as fault:
        raise SystemExit(f"{host}:{port} cannot be used: {fault.strerror}") from None
    serve(door, lambda: print(f"Serving on {host}:{port}", flush=True))
    return 0


if __name__ == "__main__":
    sys.exit(main())
