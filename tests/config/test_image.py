"""The files that describe an installation in containers, read as the programs do: no container
engine is asked for."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from config.variables import FILE, TABLE, problems

ROOT = Path(__file__).resolve().parent.parent.parent
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = ["migrate", "web", "web2", "worker", "long", "messages", "beat"]
KNOWN = {*TABLE, *(name + FILE for name, one in TABLE.items() if one.secret)}


def test_the_services() -> None:
    assert list(SERVICES) == [*OURS, "postgres", "valkey"]
    assert [name for name, one in SERVICES.items() if "profiles" in one] == ["web2"]


@pytest.mark.parametrize("name", OURS)
def test_a_service_of_ours(name: str) -> None:
    one = SERVICES[name]
    assert one["environment"].keys() - KNOWN == set()
    assert one["read_only"] is True
    assert one["cap_drop"] == ["ALL"]
    assert "user" not in one, "the image's own, which is not root"
    for secret in one["secrets"]:
        assert secret in COMPOSE["secrets"]
    named = {text for key, text in one["environment"].items() if key.endswith(FILE)}
    assert named == {f"/run/secrets/{secret}" for secret in one["secrets"]}
    only = one["depends_on"].get("migrate", {})
    assert name == "migrate" or only == {"condition": "service_completed_successfully"}
    assert ("tools.prepare" in one.get("command", [])) == (name == "migrate"), "one migrates"


@pytest.mark.parametrize("name", SERVICES)
def test_every_service(name: str) -> None:
    one = SERVICES[name]
    assert "mem_limit" in one
    assert one["logging"]["options"]["max-size"]
    assert one["restart"] == ("no" if name == "migrate" else "unless-stopped")
    for other, wanted in one.get("depends_on", {}).items():
        if wanted["condition"] == "service_healthy":
            assert SERVICES[other]["healthcheck"]["test"]
    for network in one["networks"]:
        assert network in COMPOSE["networks"]
    for volume in one.get("volumes", []):
        source = volume.partition(":")[0]
        assert source in COMPOSE["volumes"] or (ROOT / source).is_file()
    if name in ("postgres", "valkey"):
        assert "ports" not in one, "nobody from outside"
        assert one["networks"] == ["inside"]
    text = yaml.safe_dump(one["environment"]) if "environment" in one else ""
    assert not re.search(r"(?i)password: (?!/run)|key: (?!/run)", text), "no secret in a variable"


def test_the_variables_that_are_asked_for_are_settings() -> None:
    text = (ROOT / "compose.yaml").read_text(encoding="utf-8")
    asked = set(re.findall(r"\$\{(\w+)", text))
    assert asked - {"PORT2"} - TABLE.keys() == set()
    defaults = dict(re.findall(r"\$\{(\w+):-([^}]*)\}", text))
    defaults.pop("PORT2")
    assert problems(defaults) == []


def instructions() -> list[tuple[str, str]]:
    """Return the instructions of the Dockerfile in order, their lines joined."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    text = re.sub(r"(?m)^#.*\n", "", text).replace("\\\n", " ")
    return [(line.split(None, 1)[0], line.split(None, 1)[1]) for line in text.split("\n") if line]


def test_the_image() -> None:
    steps = instructions()
    stages = [what for word, what in steps if word == "FROM"]
    assert len(stages) == 2
    assert all(re.match(r"python:3\.\d+-slim-\w+", one) for one in stages), "a tag, not latest"
    last = steps[[word for word, _ in steps].index("FROM", 1) :]
    words = [word for word, _ in last]
    assert [what for word, what in last if word == "USER"] == ["10001:10001"]
    assert words.index("USER") > max(at for at, word in enumerate(words) if word in ("COPY", "RUN"))
    assert all("--from=build" in what for word, what in last if word == "COPY")
    for word in ("CMD", "HEALTHCHECK"):
        given = next(what for name, what in last if name == word)
        assert '["python", "-m", ' in given, "no shell between the engine and the program"
        module = re.findall(r'"([a-z]+\.[a-z]+)"', given)[0]
        assert (ROOT / f"{module.replace('.', '/')}.py").is_file()
    set_here = re.findall(r"(?:^|\s)([A-Z_]+)=", " ".join(w for n, w in last if n == "ENV"))
    assert set(set_here) - {"PATH", "PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED"} <= TABLE.keys()
    assert not any(re.search(r"(?i)secret|password|token", what) for _, what in steps)


def test_the_linter_of_dockerfiles_finds_nothing() -> None:
    program = Path(sys.executable).parent / "hadolint"
    done = subprocess.run([program, "Dockerfile"], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")
    worse = "FROM python\nRUN apt-get install x\n"
    done = subprocess.run([program, "-"], input=worse, capture_output=True, text=True)
    assert done.returncode == 1, "the linter does find things"


def test_what_does_not_go_into_the_image() -> None:
    lines = (ROOT / ".dockerignore").read_text().split()
    assert {".*", "var", "secrets", "tests"} <= set(lines)
    for needed in ("config", "tools", "locale", "manage.py", "requirements.txt", "portal"):
        assert needed not in lines
