"""Golden samples are taken from the log once, and what is missing is named."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from eventstore.domain import registry
from tests.conftest import Member

pytestmark = [pytest.mark.django_db]


def golden(folder: Path, **options: bool) -> dict[str, list[str]]:
    out = StringIO()
    with pytest.raises(CommandError, match="no sample of"):
        call_command("golden", folder=folder, json=True, stdout=out, stderr=StringIO(), **options)
    found: dict[str, list[str]] = json.loads(out.getvalue())
    return found


def test_samples_are_written_once_and_the_rest_is_named(olga: Member, tmp_path: Path) -> None:
    assert set(golden(tmp_path)["missing"]) == registry.registered().keys()
    assert list(tmp_path.iterdir()) == []
    first = golden(tmp_path, write=True)
    assert first["written"] == [
        "people.person_registered",
        "people.account_opened",
        "people.role_granted",
    ]
    assert set(first["missing"]) == registry.registered().keys() - set(first["written"])
    sample = tmp_path / "people.role_granted.v1.json"
    assert json.loads(sample.read_text())["person_id"] == olga.person_id
    sample.write_text("{}")
    assert golden(tmp_path, write=True)["written"] == []
    assert sample.read_text() == "{}", "a sample is never overwritten"
