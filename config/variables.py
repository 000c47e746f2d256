"""Every setting that an environment may give: the one table, and what is right for each.

`docs/running.md` holds this table for people (tests/config/test_variables.py compares them);
`config.env` reads values by it. A new setting is a row here. Pure: the environment is an argument.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from email.utils import formataddr
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import dj_database_url

YES, NO = {"1", "true", "yes", "on"}, {"0", "false", "no", "off", ""}
KEY_BYTES, SECRET_CHARACTERS = 32, 32
LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
HIDDEN = "[hidden]"
FILE, MOST_IN_FILE = "_FILE", 20_000
"""A secret may stand in a file instead: NAME_FILE names it."""

Read = Callable[[str], Any]


class Wrong(ValueError):
    """The text is no value of its kind; the message says what would be right."""


def flag(text: str) -> bool:
    """Read yes or no."""
    word = text.strip().lower()
    if word not in YES | NO:
        raise Wrong("expected one of 1, 0, true, false, yes, no")
    return word in YES


def number(low: int, high: int, what: str = "a number") -> Read:
    """Make a reader of whole numbers from `low` to `high`."""

    def read(text: str) -> int:
        word = text.strip()
        if word.isascii() and word.isdigit() and len(word) < 12 and low <= int(word) <= high:
            return int(word)
        raise Wrong(f"expected {what} from {low} to {high}")

    return read


def seconds(low: int = 1, high: int = 10**9 - 1) -> Read:
    """Make a reader of whole seconds."""
    return number(low, high, "a number of seconds")


def words(text: str) -> list[str]:
    """Read a comma-separated list."""
    return [word.strip() for word in text.split(",") if word.strip()]


def hosts(text: str) -> list[str]:
    """Read host names as ALLOWED_HOSTS takes them: no scheme, no port, no path."""
    found = words(text)
    for one in found:
        if not re.fullmatch(r"\*|\[[0-9A-Fa-f:.]+\]|\.?[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*\.?", one):
            raise Wrong(f"{one!r} is no host name; expected such as judge.example.org,10.0.0.5")
    return found


def origins(text: str) -> list[str]:
    """Read origins: scheme, host and perhaps a port."""
    found = words(text)
    for one in found:
        if not re.fullmatch(r"https?://[^/\s,]+", one):
            raise Wrong(f"{one!r} is no origin; expected such as https://judge.example.org")
    return found


def site(text: str) -> str:
    """Read the address of the pages: an origin, returned without a last slash."""
    found = text.strip().rstrip("/")
    if not re.fullmatch(r"https?://[A-Za-z0-9.\[\]:_-]+", found):
        raise Wrong("expected an address without a path, such as https://judge.example.org")
    return found


def contact(text: str) -> str:
    """Read how somebody is reached: a mail address or a page."""
    if not re.fullmatch(r"mailto:[^@\s]+@[^@\s]+|https://[^\s]+", text.strip()):
        raise Wrong("expected mailto:NAME@HOST or https://HOST")
    return text.strip()


def addresses(text: str) -> list[str]:
    """Read IP addresses and networks, or `*`."""
    import ipaddress

    found = words(text)
    for one in found:
        try:
            if one != "*":
                ipaddress.ip_network(one)
        except ValueError as fault:
            raise Wrong(f"{fault}; expected such as 127.0.0.1,10.0.0.0/8") from None
    return found


def address(text: str) -> str:
    """Read one IP address."""
    import ipaddress

    try:
        return str(ipaddress.ip_address(text.strip()))
    except ValueError:
        raise Wrong("expected an IP address such as 0.0.0.0 or ::1") from None


def choice(*known: str) -> Read:
    """Make a reader of one of some words."""

    def read(text: str) -> str:
        if text.strip() not in known:
            raise Wrong(f"expected {', '.join(known[:-1])} or {known[-1]}")
        return text.strip()

    return read


def level(text: str) -> str:
    """Read the name of a level of the log."""
    return str(choice(*LEVELS)(text.strip().upper()))


def rate(text: str) -> str:
    """Read a rate; empty: no limit."""
    if text and not re.fullmatch(r"[1-9][0-9]{0,8}/(sec|min|hour|day)", text):
        raise Wrong("expected a rate such as 600/min")
    return text


def plain(text: str) -> str:
    """Take any text."""
    return text.strip()


def origin_name(text: str) -> str:
    """Read the name of a log in its checkpoints."""
    if any(sign.isspace() or sign == "+" for sign in text.strip()):
        raise Wrong("expected a name without space and plus sign")
    return text.strip()


def prefix(text: str) -> str:
    """Read the beginning of keys."""
    if not re.fullmatch(r"[A-Za-z0-9_.:-]{1,100}", text):
        raise Wrong("expected letters, digits and _ . : - only")
    return text


def folder(text: str) -> Path:
    """Read a path that is no file."""
    path = Path(text)
    if path.exists() and not path.is_dir():
        raise Wrong("that is a file; expected a folder")
    return path


def place(text: str) -> Path:
    """Read the whole path of a folder, which need not be there now."""
    if not text.startswith("/") or "\x00" in text or len(text) > 500:
        raise Wrong("expected a whole path, from / on")
    return Path(text)


def file(text: str) -> Path:
    """Read the path of a file that is there and can be read."""
    path = Path(text)
    try:
        with path.open("rb"):
            return path
    except OSError as fault:
        raise Wrong(f"{fault.strerror}; expected a file that can be read") from None


def secret(text: str) -> str:
    """Take a secret that is not to be guessed."""
    if len(text) < SECRET_CHARACTERS:
        raise Wrong(f"{len(text)} characters; expected {SECRET_CHARACTERS} or more, drawn by lot")
    return text


def key(text: str) -> str:
    """Take a key of 32 bytes in base64."""
    try:
        size = len(base64.b64decode(text.strip(), validate=True))
    except (binascii.Error, ValueError):
        raise Wrong(f"expected {KEY_BYTES} bytes in base64") from None
    if size != KEY_BYTES:
        raise Wrong(f"{size} bytes; expected {KEY_BYTES} bytes in base64")
    return text.strip()


def database(text: str) -> str:
    """Take the address of a database of one of the two kinds."""
    right = "expected sqlite:////path/to/file or postgresql://user:password@host:5432/name"
    try:
        found = dj_database_url.parse(text)
    except ValueError:
        raise Wrong(right) from None
    kind = found["ENGINE"].rpartition(".")[2]
    if kind not in ("sqlite3", "postgresql") or not found["NAME"]:
        raise Wrong(right)
    return text


def redis(text: str) -> str:
    """Take the address of a Redis or Valkey."""
    right = "expected redis://:password@host:6379/0, rediss:// or unix://"
    try:
        parts = urlsplit(text)
        parts.port  # noqa: B018  (asked for its refusal)
    except ValueError:
        raise Wrong(right) from None
    if parts.scheme not in ("redis", "rediss", "unix") or not (parts.hostname or parts.path):
        raise Wrong(right)
    return text


@dataclass(frozen=True, slots=True)
class MailServer:
    """Where mail is handed over: `tls` is none, starttls or smtps."""

    host: str
    port: int
    user: str
    password: str
    tls: str


MAIL_SCHEMES = {"smtp": ("none", 25), "smtp+starttls": ("starttls", 587), "smtps": ("smtps", 465)}
LOOPBACK = ("localhost", "127.0.0.1", "::1")


def mail_server(text: str) -> MailServer:
    """Read the address of a mail server. A password goes over TLS, or stays on this machine."""
    right = "expected smtps://user:password@host:465, smtp+starttls:// or smtp://"
    try:
        parts = urlsplit(text.strip())
        port = parts.port
    except ValueError:
        raise Wrong(right) from None
    fits = parts.path in ("", "/") and not parts.query and not parts.fragment and port != 0
    if parts.scheme not in MAIL_SCHEMES or not parts.hostname or not fits:
        raise Wrong(right)
    tls, usual = MAIL_SCHEMES[parts.scheme]
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    if bool(user) != bool(password):
        raise Wrong("expected user and password, or neither")
    if password and tls == "none" and parts.hostname not in LOOPBACK:
        raise Wrong("expected smtps:// or smtp+starttls://, as a password is given")
    return MailServer(parts.hostname, port or usual, user, password, tls)


SENDER = re.compile(
    r"(?:(?P<name>[^<>@\r\n]*[^<>@\s]) +<)?(?P<mail>[!-;=?A-~]+@[A-Za-z0-9.-]+)(?(name)>)"
)


def sender(text: str) -> str:
    """Read whom mail is from: an address, or a name and an address."""
    found = SENDER.fullmatch(text.strip())
    if found is None:
        raise Wrong("expected duels@example.org or Spring duel <duels@example.org>")
    return formataddr((found["name"] or "", found["mail"]))


@dataclass(frozen=True, slots=True)
class Variable:
    """One setting. `default` is read like a given text; `shown` is what the docs say of it where
    the text alone says little. An empty value counts as none, unless `empty` is set. A `secret`
    is never shown, and may stand in a file named by NAME_FILE."""

    name: str
    read: Read
    default: str
    effect: str
    shown: str = ""
    secret: bool = False
    empty: bool = False

    @property
    def line(self) -> str:
        """The row of the table for people."""
        default = self.shown or (f"`{self.default}`" if self.default else "none")
        return f"| `{self.name}` | {default} | {self.effect} |"


_ROWS = (
    Variable("PORT", number(1, 65535, "a port"), "8000", "the port"),
    Variable(
        "LAN", flag, "0", "`1`: serve the local network; prints the address and its QR code for "
        "phones", "off",
    ),
    Variable(
        "BIND", address, "", "address to listen on, such as `0.0.0.0` or `::`",
        "this machine; with LAN its networks",
    ),
    Variable(
        "DEMO", flag, "1",
        "`0`: no demo event, which else comes into a database without any event", "on",
    ),
    Variable(
        "DATA_DIR", folder, "var", "folder of the database, the secret key and the signing key"
    ),
    Variable(
        "DATABASE_URL", database, "", "`postgresql://user:password@host:port/name`",
        "SQLite in the data folder", secret=True,
    ),
    Variable(
        "DATABASE_PASSWORD", plain, "", "the password for `DATABASE_URL`, where it is not in it",
        secret=True,
    ),
    Variable("REDIS_URL", redis, "", "cache, broker, wake-ups and brakes", secret=True),
    Variable(
        "REDIS_PREFIX", prefix, "headjudge",
        "begins every key in Redis, where several servers share one",
    ),
    Variable(
        "BACKGROUND", choice("thread", "celery", "none"), "thread", "who does background work: "
        "`thread` (threads inside each server process), `celery` (needs `REDIS_URL`), "
        "`none`: [background.md](background.md)",
    ),
    Variable(
        "LEASE_SECONDS", seconds(), "60", "how long background work belongs to a worker that no "
        "longer says it is at it"
    ),
    Variable(
        "WEB_WORKERS", number(1, 64), "1", "server processes behind one port; more than one needs "
        "`REDIS_URL`, or no limit in `API_RATE`",
    ),
    Variable(
        "DB_POOL_MAX", number(0, 500), "16", "PostgreSQL: connections of one server process at "
        "most; `0`: no pool, one connection a request",
    ),
    Variable(
        "DB_POOL_MIN", number(0, 500), "1", "PostgreSQL: connections that a server process keeps "
        "open"
    ),
    Variable(
        "DB_POOL_SECONDS", seconds(1, 120), "5", "PostgreSQL: how long a request waits for a "
        "connection before it is answered with 503",
    ),
    Variable(
        "DB_CONNECT_SECONDS", seconds(1, 120), "5", "PostgreSQL: how long connecting may take"
    ),
    Variable(
        "DB_STATEMENT_SECONDS", seconds(0, 3600), "60", "PostgreSQL: how long one statement of a "
        "server process may take; `0`: for ever. Commands and Celery have no limit",
    ),
    Variable(
        "DB_LOCK_SECONDS", seconds(0, 3600), "20", "PostgreSQL: how long it may wait for a lock"
    ),
    Variable(
        "DB_IDLE_SECONDS", seconds(0, 3600), "15", "PostgreSQL: how long a transaction may idle "
        "before the database ends it: until then one that idles may keep all others from writing",
    ),
    Variable(
        "DB_SILENCE_SECONDS", seconds(0, 3600), "70", "PostgreSQL: after how long without a word "
        "a server process or a worker takes the database for gone; `0`: never. Above "
        "`DB_STATEMENT_SECONDS`, whose statements are silent while they run",
    ),
    Variable(
        "SECRET_KEY", secret, "", "signs sessions and join links",
        "a file of mode 0600 in the data folder", secret=True,
    ),
    Variable(
        "LOG_SIGNING_KEY", key, "", "signs the checkpoints of the log: 32 bytes in base64",
        "a file of mode 0600 in the data folder", secret=True,
    ),
    Variable(
        "VAULT_KEY", key, "", "wraps the keys of free texts: 32 bytes in base64",
        "a file of mode 0600 in the data folder", secret=True,
    ),
    Variable(
        "LOG_ORIGIN", origin_name, "", "the name of the log in its checkpoints: no space, no plus "
        "sign", "derived from the signing key",
    ),
    Variable(
        "ALLOWED_HOSTS", hosts, "", "comma-separated host names", "this machine; with LAN any"
    ),
    Variable(
        "CSRF_TRUSTED_ORIGINS", origins, "", "comma-separated origins, behind a proxy"
    ),
    Variable(
        "HTTPS", flag, "0", "`1`: a proxy in front speaks TLS: secure cookies; phones can install "
        "the pages ([tls.md](tls.md))", "off; on with `HTTPS_CERT`",
    ),
    Variable(
        "HTTPS_CERT", file, "", "certificate with its chain (PEM): the server itself speaks TLS"
    ),
    Variable("HTTPS_KEY", file, "", "the key of that certificate (PEM)"),
    Variable(
        "HSTS_SECONDS", seconds(0, 63072000), "0", "browsers use nothing but https for this host "
        "for so long; cannot be taken back ([tls.md](tls.md))",
    ),
    Variable(
        "TRUSTED_PROXIES", addresses, "127.0.0.1", "addresses and networks whose forwarding "
        "headers are believed; `*`: all",
    ),
    Variable(
        "SECOND_FACTOR", choice("offered", "required"), "", "`required`: organisers, head judges "
        "and the site's organiser work only with a second factor",
        "`offered`; with HTTPS `required`",
    ),
    Variable(
        "STAFF_SESSION_SECONDS", seconds(), "57600", "when a session of staff ends after the "
        "sign-in",
    ),
    Variable(
        "STAFF_IDLE_SECONDS", seconds(), "10800", "when it ends without a request"
    ),
    Variable(
        "API_RATE", rate, "600/min", "requests of one caller of the API (token, person or bound "
        "phone); empty: no limit", empty=True,
    ),
    Variable(
        "SITE_URL", site, "", "where people reach the pages, as messages say it: "
        "`https://duels.example.org`",
    ),
    Variable(
        "MAIL_URL", mail_server, "", "mail server ([push.md](push.md)): "
        "`smtps://user:password@host:465`, `smtp+starttls://`, `smtp://`", "none: no mail",
        secret=True,
    ),
    Variable("MAIL_FROM", sender, "", "whom mail is from: `Spring duel <duels@example.org>`"),
    Variable(
        "PUSH_CONTACT", contact, "", "`mailto:` or `https:` address for the keepers of push "
        "services ([push.md](push.md))", "`SITE_URL`, if it is https",
    ),
    Variable(
        "VAPID_KEY", key, "", "the key of push messages ([push.md](push.md)): 32 bytes in base64",
        "a file of mode 0600 in the data folder", secret=True,
    ),
    Variable(
        "WEBHOOKS_PRIVATE", flag, "0", "`1`: webhooks and push messages may go to the own network "
        "and by plain http ([webhooks.md](webhooks.md))", "off",
    ),
    Variable(
        "STATIC_DIR", folder, "", "folder of collected static files (`manage.py collectstatic`), "
        "which browsers keep for ever under names with their hash",
        "none: served from the source",
    ),
    Variable(
        "BACKUP_DIR", place, "", "the second path of the backups, such as a USB stick "
        "([backups.md](backups.md))", "none",
    ),
    Variable("DEBUG", flag, "0", "`1`: for development, never together with HTTPS", "off"),
    Variable("LOG_LEVEL", level, "WARNING", "what is logged: DEBUG, INFO, WARNING, ERROR"),
    Variable(
        "LOG_FORMAT", choice("plain", "json"), "plain", "lines for people, or one JSON object a "
        "line ([observability.md](observability.md))",
    ),
    Variable("ACCESS_LOG", flag, "", "a line for each request", "off; on with `LOG_FORMAT=json`"),
    Variable(
        "SLOW_QUERY_MS", number(0, 10**6), "500", "statements and commands that take longer are "
        "logged, without their values; `0`: none",
    ),
    Variable(
        "METRICS_TOKEN", secret, "", "who sends it as bearer token reads `/metrics`; without it "
        "this machine alone does", secret=True,
    ),
    Variable(
        "METRICS_DIR", folder, "", "where several server processes count together; emptied at the "
        "start", "none; with `WEB_WORKERS` a folder for the time",
    ),
)  # fmt: skip
TABLE = {one.name: one for one in _ROWS}


def table_for_people(rows: Iterable[Variable] = _ROWS) -> str:
    """Return the table of the docs."""
    return "\n".join(["| variable | default | effect |", "| --- | --- | --- |"] + [
        one.line for one in rows
    ])  # fmt: skip


def given(variable: Variable, environ: Mapping[str, str]) -> str | None:
    """Return the text that an environment gives for a setting, by itself or by a file; None
    where it gives none.

    Raises Wrong for a file that cannot be read and for both at once.
    """
    text: str | None = environ.get(variable.name)
    path = environ.get(variable.name + FILE) if variable.secret else None
    if path:
        if text:
            raise Wrong(f"{variable.name}{FILE} is given as well: expected one of the two")
        try:
            with Path(path).open(encoding="utf-8") as source:
                text = source.read(MOST_IN_FILE + 1).strip()  # a device has no end
            if len(text) > MOST_IN_FILE:
                raise Wrong(f"{variable.name}{FILE}={path!r}: more than {MOST_IN_FILE} signs")
        except (OSError, UnicodeDecodeError) as fault:
            why = getattr(fault, "strerror", None) or "not text"
            raise Wrong(f"{variable.name}{FILE}={path!r}: {why}") from None
        if not text:
            raise Wrong(f"{variable.name}{FILE}={path!r}: the file is empty")
    if text is not None and not text.strip() and not variable.empty:
        return None
    return text


def value(variable: Variable, environ: Mapping[str, str]) -> Any:
    """Return the value of a setting, read by its kind; an empty text and a missing default
    give what the kind makes of nothing, None for those that cannot be empty.

    Raises Wrong.
    """
    text = given(variable, environ)
    if text is None:
        text = variable.default
    if not text and not variable.empty:
        return [] if variable.read in (words, hosts, origins, addresses) else None
    return variable.read(text)


def complaint(variable: Variable, environ: Mapping[str, str], fault: Wrong) -> str:
    """Say which setting is wrong, what was given (a secret is not repeated), what is right."""
    text = environ.get(variable.name, "")
    shown = HIDDEN if variable.secret and text else repr(text)
    if not text:
        return f"{variable.name}: {fault}"
    return f"{variable.name}={shown}: {fault}"


def problems(environ: Mapping[str, str]) -> list[str]:
    """Return everything that is wrong with the settings of an environment, a sentence each."""
    values: dict[str, Any] = {}
    found: list[str] = []
    for one in _ROWS:
        try:
            values[one.name] = value(one, environ)
        except Wrong as fault:
            found.append(complaint(one, environ, fault))
    return found or contradictions(values, environ)


def contradictions(values: Mapping[str, Any], environ: Mapping[str, str]) -> list[str]:
    """Return what does not go together, a sentence each; the values alone are right."""
    found: list[str] = []

    def unless(right: bool, text: str) -> None:
        if not right:
            found.append(text)

    redis_url, workers = values["REDIS_URL"], values["WEB_WORKERS"]
    certificate, certificate_key = values["HTTPS_CERT"], values["HTTPS_KEY"]
    unless(
        values["BACKGROUND"] != "celery" or redis_url,
        "BACKGROUND=celery without REDIS_URL: Celery needs a broker; give REDIS_URL, or "
        "BACKGROUND=thread",
    )
    unless(
        workers == 1 or redis_url or not values["API_RATE"],
        f"WEB_WORKERS={workers} without REDIS_URL: each process would count the requests of API "
        "callers for itself; give REDIS_URL, or API_RATE= (no limit)",
    )
    unless(
        bool(certificate) == bool(certificate_key),
        "HTTPS_CERT and HTTPS_KEY belong together: one of them is missing",
    )
    unless(
        not certificate or values["HTTPS"] or not environ.get("HTTPS", "").strip(),
        "HTTPS=0 with HTTPS_CERT: a server that speaks TLS has HTTPS on; leave HTTPS out",
    )
    unless(
        not (values["HTTPS"] and values["LAN"]) or certificate,
        "LAN=1 with HTTPS=1: phones would reach the server by plain http, where secure cookies "
        "never come back; let the proxy serve the network and leave LAN out, or give HTTPS_CERT",
    )
    unless(
        not values["DEBUG"] or not (values["HTTPS"] or certificate),
        "DEBUG=1 with HTTPS: pages of faults would show settings and data to everybody; leave "
        "DEBUG out",
    )
    unless(
        not values["HSTS_SECONDS"] or values["HTTPS"] or certificate,
        "HSTS_SECONDS without HTTPS: browsers heed it over TLS only; give HTTPS=1 or HTTPS_CERT",
    )
    silence = values["DB_SILENCE_SECONDS"]
    unless(
        not silence or values["DB_STATEMENT_SECONDS"] < silence,
        f"DB_SILENCE_SECONDS={silence} not above DB_STATEMENT_SECONDS="
        f"{values['DB_STATEMENT_SECONDS']}: statements would be given up while they run",
    )
    unless(
        not values["MAIL_URL"] or (values["MAIL_FROM"] and values["SITE_URL"]),
        "MAIL_URL without MAIL_FROM and SITE_URL: a mail says whom it is from and where its links "
        "lead; give both",
    )
    unless(
        values["DB_POOL_MIN"] <= values["DB_POOL_MAX"] or not values["DB_POOL_MAX"],
        f"DB_POOL_MIN={values['DB_POOL_MIN']} above DB_POOL_MAX={values['DB_POOL_MAX']}",
    )
    return found


def distance(one: str, other: str) -> int:
    """Return how many letters are wrong, missing, too many or swapped with the next."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, sign in enumerate(one, 1):
        last, before, row = before, row, [i]
        for j, meant in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (sign != meant))
            if i > 1 and j > 1 and sign == other[j - 2] and one[i - 2] == meant:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
    return row[-1]


OWN = re.compile(r"^(HEADJUDGE|HJ)_")
SHORTEST = 6
"""Shorter names have too many neighbours: LANG is no mistyped LAN."""


def near_misses(environ: Iterable[str]) -> list[tuple[str, str]]:
    """Return names that are no settings and look like one: (given, probably meant)."""
    known = {*TABLE, *(one.name + FILE for one in _ROWS if one.secret)}
    found: list[tuple[str, str]] = []
    for name in sorted(set(environ) - known):
        bare = OWN.sub("", name.upper())
        if bare in known and len(name) >= SHORTEST:
            found.append((name, bare))
            continue
        near = [
            (far, one)
            for one in known
            if min(len(one), len(bare)) >= SHORTEST
            # at every start: most pairs are told apart without counting
            and abs(len(one) - len(bare)) <= 2
            and len(set(one) ^ set(bare)) <= 4
            and (far := distance(bare, one)) <= (1 if len(one) < 10 else 2)
        ]
        if near:
            found.append((name, min(near)[1]))
    return found
