"""Start the product: prepare the data folder and its database, then serve.

Environment: PORT (8000), LAN=1 (serve the local network), DEMO=0 (no demo event), DATA_DIR
(`var`), DATABASE_URL, REDIS_URL; the others stand in docs/running.md. The first start makes
the organiser's account and says its password once; every later start keeps the data.
"""

from __future__ import annotations

import io
import os
import socket
import sys
import time
from pathlib import Path

from config import server

ROOT = Path(__file__).resolve().parent.parent
NO = {"", "0", "false", "no", "off"}


def say(text: str) -> None:
    """Tell the person something, at once."""
    print(text, flush=True)


def switched_on(name: str, default: str) -> bool:
    """Read a yes/no variable as config.env does."""
    return os.environ.get(name, default).strip().lower() not in NO


def port_wanted() -> int:
    """Return PORT; raises SystemExit for anything that is no port."""
    text = os.environ.get("PORT") or "8000"
    if not text.isascii() or not text.isdigit() or not 0 < int(text) < 65536:
        raise SystemExit(f"PORT={text!r} is not a port: a number from 1 to 65535 is needed.")
    return int(text)


def listen(host: str, port: int) -> socket.socket:
    """Take the port before anything else is done; raises SystemExit when it is not free."""
    try:
        return server.listen(host, port)
    except OSError as fault:
        raise SystemExit(
            f"Port {port} cannot be used ({fault.strerror}). Is Headjudge running already? "
            f"Another port: make run PORT={port + 1 if port < 65535 else 8000}"
        ) from None


def data_folder() -> Path:
    """Make the data folder, readable for its owner only; raises SystemExit."""
    folder = Path(os.environ.get("DATA_DIR") or ROOT / "var").resolve()
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        probe = folder / f".writable-{os.getpid()}"
        probe.touch()
        probe.unlink()
        (folder / "static").mkdir(exist_ok=True)  # where collected static files would lie
    except OSError as fault:
        raise SystemExit(f"The data folder {folder} cannot be used: {fault.strerror}.") from None
    os.environ["DATA_DIR"] = str(folder)
    return folder


def prepare() -> dict[str, str] | None:
    """Bring database and shipped data up to date; return the new organiser's log-in, if made.

    Everything runs in this one process, because starting Python and Django is what takes time.
    """
    import json

    import django
    from django.core.management import call_command

    from tools import messages

    messages.compile_all()
    django.setup()
    call_command("migrate", verbosity=0, interactive=False)
    call_command("load_shipped", stdout=io.StringIO(), stderr=sys.stderr)
    answer = io.StringIO()
    call_command("organiser_create", json=True, stdout=answer, stderr=io.StringIO())
    if switched_on("DEMO", "1"):  # never beside real events, such as those of a restored copy
        call_command("demo_event", if_empty=True, stdout=io.StringIO(), stderr=sys.stderr)
    created: dict[str, str] | None = json.loads(answer.getvalue())["created"]
    return created


def welcome(port: int, login: dict[str, str] | None, *, lan: bool, scheme: str) -> None:
    """Say where the product is, and the organiser's log-in when it is new."""
    import segno

    say(f"\n  Headjudge is ready:  {scheme}://localhost:{port}")
    if lan:
        address = server.name_for_phones() or server.lan_address()
        if address is None:
            say("  No address on a local network was found: is this machine connected?")
        else:
            url = f"{scheme}://{address}:{port}"
            say(f"  On your network:     {url}\n")
            segno.make(url, error="m").terminal(out=sys.stdout, border=2, compact=True)
    else:
        say("  Phones:              start with LAN=1 make run, else they cannot open it")
    if login:
        say(f"  Organiser:           user {login['username']}   password {login['password']}")
        say("                       Write the password down: it is not shown again.")
    say("  Ctrl-C stops it; the data stays.\n")


def main() -> int:
    """Prepare and serve; return the exit code."""
    started = time.monotonic()
    os.chdir(ROOT)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from django.core.exceptions import ImproperlyConfigured

    lan = switched_on("LAN", "0")
    port = port_wanted()
    try:
        host = server.bind_address()
        scheme = "https" if server.certificate() else "http"
    except ImproperlyConfigured as fault:
        raise SystemExit(f"A setting is wrong: {fault}") from None
    door = listen(host, port)
    folder = data_folder()
    say(f"Preparing the data in {folder} ...")

    from django.core.management import CommandError
    from django.db import OperationalError, connections

    try:
        login = prepare()
    except ImproperlyConfigured as fault:
        raise SystemExit(f"A setting is wrong: {fault}") from None
    except OperationalError as fault:
        raise SystemExit(f"The database cannot be used: {fault}") from None
    except CommandError as fault:
        raise SystemExit(f"The data could not be prepared: {fault}") from None
    connections.close_all()
    say(f"Ready after {time.monotonic() - started:.1f} s.")
    server.serve(door, lambda: welcome(port, login, lan=lan, scheme=scheme))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        say("\nStopped. The data stays where it is.")
