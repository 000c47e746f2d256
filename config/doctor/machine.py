"""The machine: Python, packages, settings, the data folder, keys, network, certificate."""

from __future__ import annotations

import base64
import binascii
import os
import re
import shutil
import socket
import stat
import sys
import time
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from config import env, server, variables
from config.doctor.findings import Finding, bad, good, warning

ROOT = Path(__file__).resolve().parent.parent.parent
NETWORKED = {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "fuse.sshfs", "vboxsf", "afs", "ceph"}
"""File systems whose locks and syncs a database cannot trust."""
STICKS = {"vfat", "exfat", "msdos", "fuseblk"}
LITTLE, TOO_LITTLE = 2 << 30, 200 << 20
"""Bytes of free space: a large event day writes some hundred megabytes."""
KEYS = (
    ("SECRET_KEY", "secret.key"),
    ("LOG_SIGNING_KEY", "log-signing.key"),
    ("VAULT_KEY", "vault.key"),
    ("VAPID_KEY", "vapid.key"),
)
DAYS_LEFT = 14


def python() -> Iterator[Finding]:
    """The version of Python."""
    version = ".".join(map(str, sys.version_info[:3]))
    if (3, 11) <= sys.version_info[:2] <= (3, 13):
        yield good("Python", f"version {version}")
    else:
        yield bad("Python", f"version {version}", "Use Python 3.11, 3.12 or 3.13.")


def packages() -> Iterator[Finding]:
    """What is installed, against the lock."""
    lock = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    pins: dict[str, set[str]] = {}
    needed: set[str] = set()
    for name, version, marker in re.findall(
        r"(?m)^([\w.-]+)(?:\[[\w,-]+\])?==([^\s;\\]+)\s*(;?)", lock
    ):
        # some are for other systems, or in one version for each of several Pythons
        pins.setdefault(name, set()).add(version)
        if not marker:
            needed.add(name)
    wrong = []
    for name, versions in pins.items():
        try:
            there = metadata.version(name)
        except metadata.PackageNotFoundError:
            if name in needed:
                wrong.append(f"{name} {min(versions)} is missing")
            continue
        if there not in versions:
            wrong.append(f"{name} is {there} instead of {min(versions)}")
    if wrong:
        said = "; ".join(wrong[:5]) + (f" and {len(wrong) - 5} more" if len(wrong) > 5 else "")
        yield warning("packages", said, "Run `make run` again, or build the image anew.")
    else:
        yield good("packages", f"{len(pins)} as locked")


def settings() -> Iterator[Finding]:
    """The environment: values, contradictions, names that look mistyped."""
    found = variables.problems(os.environ)
    for one in found:
        yield bad("settings", one, "Give another value; docs/running.md has the table.")
    for name, meant in variables.near_misses(os.environ):
        yield warning("settings", f"{name} is no setting; {meant} is one", f"Did you mean {meant}?")
    if not found:
        given = [one for one in variables.TABLE if os.environ.get(one)]
        yield good("settings", f"{len(given)} given, none wrong")


def data_folder() -> Path:
    """The data folder as the settings have it, without reading them all."""
    return Path(os.environ.get("DATA_DIR") or ROOT / "var").resolve()


def file_system(path: Path) -> tuple[str, str]:
    """Return where the file system of a path is mounted, and its kind; empty where unknown."""
    best = ("", "")
    try:
        mounts = Path("/proc/mounts").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return best
    for line in mounts.splitlines():
        where, kind = line.split()[1:3]
        where = where.replace("\\040", " ")
        inside = where == "/" or path == Path(where) or Path(where) in path.parents
        if inside and len(where) >= len(best[0]):
            best = (where, kind)
    return best


def folder() -> Iterator[Finding]:
    """The data folder: rights, space, kind of file system."""
    path, name = data_folder(), "data folder"
    if not path.is_dir():
        yield bad(name, f"{path} is not there", "Start the product once, or set DATA_DIR right.")
        return
    probe = path / f".doctor-{os.getpid()}"
    try:
        probe.touch()
        probe.unlink()
    except OSError as fault:
        yield bad(
            name, f"{path} cannot be written: {fault.strerror}", "Give it to the user that serves."
        )
        return
    if stat.S_IMODE(path.stat().st_mode) & 0o077:
        yield warning(name, f"{path} is open to other users", f"chmod 700 {path}")
    else:
        yield good(name, f"{path} is for its owner only")
    left = shutil.disk_usage(path).free
    said = f"{left / (1 << 30):.1f} GB free"
    if left < TOO_LITTLE:
        yield bad("disk", said, "Make space now: a full disk refuses every step.")
    elif left < LITTLE:
        yield warning("disk", said, "Make space before the event.")
    else:
        yield good("disk", said)


def network_file_system() -> Iterator[Finding]:
    """Where the database file lies: SQLite needs locks that hold."""
    url = env.value("DATABASE_URL")
    if url and not url.startswith("sqlite"):
        return
    where, kind = file_system(data_folder())
    if kind in NETWORKED:
        yield bad(
            "file system", f"the data lies on {kind} at {where}: locks there do not hold",
            "Move DATA_DIR to a disk of this machine, or use PostgreSQL.",
        )  # fmt: skip
    elif kind in STICKS:
        yield warning(
            "file system", f"the data lies on {kind} at {where}",
            "Move DATA_DIR to a disk with a journal; a stick is for copies.",
        )  # fmt: skip
    elif kind:
        yield good("file system", f"{kind} at {where}")


def keys() -> Iterator[Finding]:
    """The keys: there, readable, and for their owner only."""
    for name, file_name in KEYS:
        try:
            given = variables.given(variables.TABLE[name], os.environ)
        except variables.Wrong:
            continue  # told among the settings
        if given:
            yield good("keys", f"{name} comes from the environment")
            continue
        path = data_folder() / file_name
        try:
            text, mode = path.read_text().strip(), stat.S_IMODE(path.stat().st_mode)
        except FileNotFoundError:
            yield good("keys", f"{file_name} is made at its first use")
            continue
        except OSError as fault:
            yield bad("keys", f"{path}: {fault.strerror}", "Give it to the user that serves.")
            continue
        if mode & 0o077:
            yield bad("keys", f"{path} is open to others ({mode:o})", f"chmod 600 {path}")
        elif name != "SECRET_KEY" and not _is_key(text):
            yield bad(
                "keys", f"{path} holds no key", "Bring the file back from where keys are kept."
            )
        else:
            yield good("keys", f"{file_name} is there, for its owner only")


def key_there(name: str) -> bool:
    """Whether a key is given or lies in the data folder."""
    given = variables.given(variables.TABLE[name], os.environ)
    return bool(given) or (data_folder() / dict(KEYS)[name]).exists()


def _is_key(text: str) -> bool:
    try:
        return len(base64.b64decode(text, validate=True)) == variables.KEY_BYTES
    except (binascii.Error, ValueError):
        return False


def catalogues() -> Iterator[Finding]:
    """The translations: compiled, and as new as their texts."""
    old = [
        text.parent.parent.name
        for text in sorted((ROOT / "locale").glob("*/LC_MESSAGES/*.po"))
        if not (made := text.with_suffix(".mo")).exists()
        or made.stat().st_mtime < text.stat().st_mtime
    ]
    if old:
        yield warning(
            "languages", f"not compiled: {', '.join(old)}",
            "`make run` does it by itself; else `python -m tools.messages compile`.",
        )  # fmt: skip
    else:
        yield good("languages", "all compiled")
    server.check_static()


def network() -> Iterator[Finding]:
    """Whether phones can come in: address and port."""
    port, host = env.value("PORT"), server.bind_address()
    if host in ("127.0.0.1", "::1"):
        if not env.flag("HTTPS"):
            yield good("network", "serves this machine only; LAN=1 lets phones in")
        here = host
    else:
        found = server.lan_address() if host in ("0.0.0.0", "::") else host  # noqa: S104
        if found is None:
            yield warning("network", "no address on a network", "Is this machine connected?")
        here = found or "127.0.0.1"
    listens, behind = _listens(here, port), _listens("127.0.0.1", port)
    if behind and not listens and host in ("0.0.0.0", here):  # noqa: S104
        yield warning(
            "server",
            f"listens on this machine and not on {here}:{port}",
            "A firewall is in between, or it was started without LAN=1.",
        )
    else:
        yield good("server", f"{'somebody' if listens else 'nobody'} listens on {here}:{port}")


def _listens(host: str, port: int) -> bool:
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.settimeout(2)
        return probe.connect_ex((host, port)) == 0


def tls() -> Iterator[Finding]:
    """The certificate, and whether the hosts that people type fit."""
    files = server.certificate()
    hosts = env.value("ALLOWED_HOSTS")
    if not files and not env.flag("HTTPS"):
        yield good("https", "off: docs/tls.md says what phones then lack")
        return
    if not hosts and not env.flag("LAN"):
        yield bad("https", "ALLOWED_HOSTS is empty: every address but localhost is refused",
                  "Set ALLOWED_HOSTS to the name that people type.")  # fmt: skip
    if "*" in hosts:
        yield warning("https", "ALLOWED_HOSTS takes any host", "Name the host that people type.")
    for one in env.value("CSRF_TRUSTED_ORIGINS"):
        if one.startswith("http://"):
            yield warning("https", f"{one} is no https origin", "Take it out, or give https://.")
    if not files:
        yield good("https", "a proxy speaks TLS; its certificate is its own matter")
        return
    yield from _certificate(files[0], hosts)


def _certificate(path: Path, hosts: list[str]) -> Iterator[Finding]:
    from cryptography import x509

    chain = x509.load_pem_x509_certificates(path.read_bytes())
    left = (chain[0].not_valid_after_utc.timestamp() - time.time()) / 86400
    said = f"the certificate lasts {left:.0f} days"
    if left <= 0:
        yield bad("https", "the certificate has run out", "Get a new one: docs/tls.md.")
    elif left < DAYS_LEFT:
        yield warning("https", said, "Renew it before the event: docs/tls.md.")
    else:
        yield good("https", said)
    try:
        names = chain[0].extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        known = {
            *(one.lower() for one in names.get_values_for_type(x509.DNSName)),
            *(str(one) for one in names.get_values_for_type(x509.IPAddress)),
        }
    except x509.ExtensionNotFound:
        known = set()
    strange = [
        one for one in hosts
        if one not in ("*", "localhost", "127.0.0.1")
        and one.lower() not in known and f"*.{one.partition('.')[2]}".lower() not in known
    ]  # fmt: skip
    if strange:
        yield bad("https", f"the certificate is not for {', '.join(strange)}",
                  "Get one for the names in ALLOWED_HOSTS.")  # fmt: skip
