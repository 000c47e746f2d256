"""The table of settings: what is refused and how it is said, what the docs say of it."""

from __future__ import annotations

import ast
import os
import re
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from config import database, env, variables
from config.variables import TABLE

ROOT = Path(__file__).resolve().parent.parent.parent
ROOMS = (
    "config", "eventstore", "people", "cards", "decks", "duels", "tournaments", "judging", "portal",
)  # fmt: skip
MARKS = ("<!-- settings -->\n", "<!-- /settings -->")
ELSEWHERE = {"DJANGO_SETTINGS_MODULE", "PROMETHEUS_MULTIPROC_DIR"}
"""Read in the product, or set there for a library, and not for people to set."""


def test_the_running_page_holds_the_table() -> None:
    """SETTINGS=write brings the page up to date."""
    page = ROOT / "docs" / "running.md"
    text = page.read_text(encoding="utf-8")
    before, rest = text.split(MARKS[0])
    held, after = rest.split(MARKS[1])
    wanted = variables.table_for_people() + "\n"
    if os.environ.get("SETTINGS") == "write":
        page.write_text(before + MARKS[0] + wanted + MARKS[1] + after, encoding="utf-8")
    else:
        assert held == wanted, "SETTINGS=write pytest tests/config/test_variables.py"


def read_names(path: Path) -> set[str]:
    """Names of variables that a file reads: os.environ[...], .get(...), env.value(...)."""
    found: set[str] = set()
    text = path.read_text(encoding="utf-8")
    if not re.search(r"environ|getenv|env\.|secret_key", text):
        return found
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            called = ast.unparse(node.func)
            if called in (
                "os.environ.get", "os.environ.setdefault", "os.getenv", "env.value", "env.flag",
                "env.secret", "secret_key",
            ):  # fmt: skip
                found.add(node.args[0].value)
        elif isinstance(node, ast.Subscript) and ast.unparse(node.value) == "os.environ":
            found |= {node.slice.value} if isinstance(node.slice, ast.Constant) else set()
    return found


def test_nothing_is_read_that_the_table_does_not_hold() -> None:
    files = [path for room in ROOMS for path in (ROOT / room).rglob("*.py")]
    read = set().union(*(read_names(path) for path in files)) - ELSEWHERE
    assert read - TABLE.keys() == set()
    assert {"HTTPS", "LOG_ORIGIN", "WEBHOOKS_PRIVATE"} <= read, "the reader finds something"


def test_each_default_is_a_value_of_its_kind() -> None:
    assert variables.problems({}) == []


SECRET = "0123456789abcdef0123456789abcdef"
WRONG = {
    "PORT": ["0", "65536", "http", "-1", "8e3", "\u0661"],
    "LAN": ["perhaps", "2"],
    "DATABASE_URL": ["mysql://localhost/x", "postgresql://host", "here", "sqlite"],
    "REDIS_URL": ["localhost:6379", "http://host", "redis://", "redis://host:port/0"],
    "REDIS_PREFIX": ["a b", "x" * 101],
    "BACKGROUND": ["fairies"],
    "WEB_WORKERS": ["0", "-2", "many", "65"],
    "DB_POOL_MAX": ["-1", "501"],
    "DB_STATEMENT_SECONDS": ["1.5", "an hour", "99999"],
    "SECRET_KEY": ["short"],
    "LOG_SIGNING_KEY": ["not base64!", "YWJj"],
    "LOG_ORIGIN": ["two words", "a+b"],
    "ALLOWED_HOSTS": ["https://host", "host:8000", "host/path"],
    "CSRF_TRUSTED_ORIGINS": ["judge.example.org", "https://host/path"],
    "HTTPS_CERT": ["/nowhere/at/all.pem"],
    "TRUSTED_PROXIES": ["10.0.0.300", "proxy"],
    "BACKUP_DIR": ["stick", "./stick"],
    "SECOND_FACTOR": ["maybe"],
    "STAFF_IDLE_SECONDS": ["0", "soon", "9999999999"],
    "SITE_URL": ["judge.example.org", "https://host/path", "ftp://host", "https://"],
    "MAIL_URL": [
        "mail.example.org",
        "http://host",
        "smtp://",
        "smtps://user@host",
        "smtps://host/path",
        "smtp://user:password@mail.example.org",
        "smtps://host:port",
    ],
    "MAIL_FROM": ["Olga", "a@b c", "ü@example.org", "Olga <>"],
    "PUSH_CONTACT": ["olga@example.org", "mailto:olga", "http://host"],
    "VAPID_KEY": ["short"],
    "API_RATE": ["fast", "0/min", "600 / min"],
    "LOG_LEVEL": ["LOUD"],
    "LOG_FORMAT": ["xml"],
    "SLOW_QUERY_MS": ["-1", "soon"],
    "METRICS_TOKEN": ["short"],
}


@pytest.mark.parametrize(("name", "text"), [(n, t) for n, few in WRONG.items() for t in few])
def test_nonsense_is_refused_with_what_would_be_right(name: str, text: str) -> None:
    found = variables.problems({name: text})
    assert len(found) == 1
    assert found[0].startswith(f"{name}=")
    assert "expected" in found[0]
    shown = variables.HIDDEN if TABLE[name].secret else repr(text)
    assert shown in found[0]
    assert not TABLE[name].secret or repr(text) not in found[0]


def test_all_that_is_wrong_is_told_at_once() -> None:
    found = variables.problems({"PORT": "x", "LAN": "perhaps", "BACKGROUND": "fairies"})
    assert [one.partition("=")[0] for one in found] == ["PORT", "LAN", "BACKGROUND"]


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"BACKGROUND": "celery"}, "BACKGROUND=celery without REDIS_URL"),
        ({"WEB_WORKERS": "2"}, "WEB_WORKERS=2 without REDIS_URL"),
        ({"LAN": "1", "HTTPS": "1"}, "LAN=1 with HTTPS=1"),
        ({"DEBUG": "1", "HTTPS": "1"}, "DEBUG=1 with HTTPS"),
        ({"HTTPS_CERT": __file__}, "HTTPS_CERT and HTTPS_KEY"),
        ({"HTTPS_CERT": __file__, "HTTPS_KEY": __file__, "HTTPS": "0"}, "HTTPS=0 with HTTPS_CERT"),
        ({"MAIL_URL": "smtp://localhost"}, "MAIL_URL without MAIL_FROM"),
        ({"HSTS_SECONDS": "60"}, "HSTS_SECONDS without HTTPS"),
        ({"DB_POOL_MIN": "9", "DB_POOL_MAX": "8"}, "DB_POOL_MIN=9 above DB_POOL_MAX=8"),
    ],
)
def test_contradictions_are_refused(given: dict[str, str], complaint: str) -> None:
    found = variables.problems(given)
    assert len(found) == 1
    assert found[0].startswith(complaint)


@pytest.mark.parametrize(
    "given",
    [
        {"BACKGROUND": "celery", "REDIS_URL": "redis://:secret@host:6379/0"},
        {"WEB_WORKERS": "2", "REDIS_URL": "unix:///run/valkey.sock"},
        {"WEB_WORKERS": "2", "API_RATE": ""},
        {"LAN": "1", "HTTPS_CERT": __file__, "HTTPS_KEY": __file__},
        {
            "HTTPS": "1",
            "HSTS_SECONDS": "60",
            "ALLOWED_HOSTS": "a.example.org,.example.net,[::1]",
        },
        {"DB_POOL_MIN": "4", "DB_POOL_MAX": "0"},
        {"PORT": "", "LAN": "", "BACKGROUND": "", "DATABASE_URL": ""},
        {"LOG_LEVEL": "info", "TRUSTED_PROXIES": "10.0.0.0/8, ::1"},
    ],
)
def test_what_goes_together_is_taken(given: dict[str, str]) -> None:
    assert variables.problems(given) == []


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("DATABSE_URL", "DATABASE_URL"),
        ("DATABASE_URI", "DATABASE_URL"),
        ("database_url", "DATABASE_URL"),
        ("HEADJUDGE_DATA_DIR", "DATA_DIR"),
        ("HJ_PORT", "PORT"),
        ("REDIS_ULR", "REDIS_URL"),
        ("SECRET_KEY_FIEL", "SECRET_KEY_FILE"),
        ("WEB_WORKER", "WEB_WORKERS"),
    ],
)
def test_a_mistyped_name_is_told(given: str, meant: str) -> None:
    assert variables.near_misses({given: "x"}) == [(given, meant)]


@pytest.mark.parametrize(
    "name",
    ["LANG", "HOME", "PATH", "HTTP_PROXY", "HTTPS_PROXY", "PYTHONPATH", "XDG_DATA_DIRS", "LANGUAGE",
     "TEST_POSTGRES_URL", "SSH_AUTH_SOCK", "HOSTNAME", "SECRET_KEY_FILE", "DATABASE_URL"],
)  # fmt: skip
def test_names_of_others_are_let_be(name: str) -> None:
    assert variables.near_misses({name: "x"}) == []


def test_processes_that_make_a_secret_at_once_agree_on_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SECRET_KEY", raising=False)
    file = tmp_path / "secret.key"
    with ThreadPoolExecutor(8) as pool:
        made = set(pool.map(lambda _: env.secret("SECRET_KEY", file), range(32)))
    assert made == {file.read_text()}
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    file.write_text("")
    with pytest.raises(ImproperlyConfigured, match=r"secret\.key in the data folder is empty"):
        env.secret("SECRET_KEY", file)


def test_a_secret_may_stand_in_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = tmp_path / "key"
    kept.write_text(f"{SECRET}\n")
    monkeypatch.delenv("SECRET_KEY", raising=False)
    monkeypatch.setenv("SECRET_KEY_FILE", str(kept))
    assert env.secret("SECRET_KEY", tmp_path / "other") == SECRET
    assert not (tmp_path / "other").exists()
    monkeypatch.setenv("SECRET_KEY", SECRET)
    with pytest.raises(ImproperlyConfigured, match="one of the two") as told:
        env.check()
    assert SECRET not in str(told.value)
    monkeypatch.delenv("SECRET_KEY")
    for content, why in ((None, "No such file"), ("", "empty")):
        kept.unlink(missing_ok=True)
        if content is not None:
            kept.write_text(content)
        with pytest.raises(ImproperlyConfigured, match=why):
            env.check()
    assert variables.problems({"PORT_FILE": str(kept)}) == [], "only of secrets"


def test_the_log_key_is_read_from_a_file_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from eventstore.keyfile import secret_key

    kept = tmp_path / "key"
    kept.write_text("MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=\n")
    monkeypatch.setenv("VAULT_KEY_FILE", str(kept))
    assert secret_key("VAULT_KEY", "vault.key") == b"0123456789abcdef0123456789abcdef"
    monkeypatch.setenv("VAULT_KEY_FILE", str(tmp_path / "nowhere"))
    with pytest.raises(ImproperlyConfigured, match="VAULT_KEY_FILE"):
        secret_key("VAULT_KEY", "vault.key")


def test_a_near_miss_is_told_on_standard_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DATABSE_URL", "postgresql://:swordfish@host/name")
    env.check()
    said = capsys.readouterr().err
    assert re.search("DATABSE_URL is no setting.*DATABASE_URL", said)
    assert "swordfish" not in said


@pytest.fixture
def of_postgresql(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """An environment with a PostgreSQL that is not asked."""
    monkeypatch.setenv("DATABASE_URL", "postgresql://app@db/name?sslmode=require")
    monkeypatch.setenv("DATABASE_PASSWORD", "swordfish")
    return monkeypatch


def test_the_database_of_the_environment(of_postgresql: pytest.MonkeyPatch, tmp_path: Path) -> None:
    found = database.connection_settings(tmp_path)
    assert found["PASSWORD"] == "swordfish"
    assert found["OPTIONS"] == {
        "connect_timeout": 5, "application_name": "headjudge", "sslmode": "require",
        **database.LOST,
    }  # fmt: skip
    assert found.get("CONN_MAX_AGE", 0) == 0, "an own thread per request under ASGI"
    of_postgresql.delenv("DATABASE_URL")
    found = database.connection_settings(tmp_path)
    assert found["NAME"] == str(tmp_path / "headjudge.sqlite3")
    assert "synchronous=FULL" in found["OPTIONS"]["init_command"]


def test_a_serving_process_has_a_pool_and_limits(of_postgresql: pytest.MonkeyPatch) -> None:
    options: dict[str, Any] = database.serving_options()
    assert options["options"] == (
        "-c statement_timeout=60000 -c lock_timeout=20000"
        " -c idle_in_transaction_session_timeout=15000"
        " -c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3"
        " -c tcp_user_timeout=20000"
    )
    assert (options["pool"]["min_size"], options["pool"]["max_size"]) == (1, 16)
    for name in database.LIMITS:
        of_postgresql.setenv(name, "0")
    of_postgresql.setenv("DB_POOL_MAX", "0")
    assert database.serving_options() == {}
