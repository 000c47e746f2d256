"""The page of the backups and the red line on the pages of staff."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client, RequestFactory

from eventstore import clock
from eventstore.jobs import BACKUP
from eventstore.models import BackupRow, OutboxRow, RestoreRow
from portal.context import admin_mark
from tests.conftest import Member
from tests.helpers import queries

pytestmark = pytest.mark.django_db
ClientOf = Callable[..., Client]


@pytest.fixture
def stick(settings: Any, tmp_path: Path) -> Path:
    """A second path; nothing is written to it here."""
    settings.BACKUP_DIR = tmp_path / "stick"
    return tmp_path / "stick"


def ago(**span: float) -> str:
    return clock.as_text(clock.now() - timedelta(**span))


def row(stick: Path, **values: Any) -> BackupRow:
    kept = {
        "file": "headjudge-x.sqlite3", "made_at": ago(minutes=4), "current_at": ago(minutes=4),
        "whole_at": ago(minutes=30), "kind": "minute", "size": 8_200_192, "position": 7801,
        "copies": 12, "free": 10**9,
    }  # fmt: skip
    return BackupRow.objects.create(place=str(stick), **{**kept, **values})


def text(client: Client, path: str = "/staff/backups/") -> str:
    answer = client.get(path)
    assert answer.status_code == 200
    return answer.content.decode()


def test_without_a_second_path_the_page_says_how_to_get_one(
    olga: Member, client_of: ClientOf
) -> None:
    site = client_of(olga)
    assert "No second path is set" in text(site)
    answer = site.post("/staff/backups/", {"act": "copy", "nonce": "n1"})
    assert answer.status_code == 409
    assert "BACKUP_DIR" in answer.content.decode()
    assert not OutboxRow.objects.filter(topic=BACKUP).exists()
    assert "Last backup" not in text(site, "/staff/")


def test_copy_now_leaves_the_work_to_the_background(
    olga: Member, client_of: ClientOf, stick: Path
) -> None:
    site = client_of(olga)
    assert "No copy yet" in text(site)
    assert site.post("/staff/backups/", {"act": "copy", "nonce": "n1"}).status_code == 302
    assert OutboxRow.objects.filter(topic=BACKUP).count() == 1
    assert not stick.exists(), "a page touches no stick: it may hang"


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"state": "fault", "code": "no_marker"}, "Is the stick plugged in?"),
        ({"state": "fault", "code": "full"}, "The stick is full"),
        ({"state": "copying", "started_at": ""}, "the stick is slow"),
        ({"state": "ok"}, "Nobody makes copies at present"),
    ],
)
def test_an_old_copy_is_a_red_line_on_the_pages_of_staff(
    olga: Member, client_of: ClientOf, stick: Path, values: dict[str, Any], said: str
) -> None:
    row(stick, fault_since=ago(minutes=3), **values)
    for path in ("/staff/", "/staff/backups/", "/"):
        shown = text(client_of(olga), path)
        assert "Last backup 4 minutes ago." in shown
        assert said in shown
    request = RequestFactory().get("/admin/")
    request.actor = olga.actor
    assert admin_mark(request) == ["Last copy 4 minutes ago", "danger"]


def test_a_copy_that_is_still_current_is_no_warning(
    olga: Member, client_of: ClientOf, stick: Path
) -> None:
    row(stick, current_at=ago(seconds=50))
    assert "Last backup" not in text(client_of(olga), "/staff/")
    BackupRow.objects.update(state="fault", code="absent")
    assert "Last backup" not in text(client_of(olga), "/staff/"), "not before three minutes"
    BackupRow.objects.update(code="log_fault")
    assert "Run manage.py verify_log now" in text(client_of(olga), "/staff/")


def test_who_runs_an_event_is_warned_and_nobody_else(
    olga: Member, hedda: Member, jude: Member, charlie: Member, client_of: ClientOf, stick: Path
) -> None:
    row(stick)
    hedda.grant("head_judge", "e1")
    jude.grant("judge", "e1")
    line = "Last backup 4 minutes ago."
    hers = text(client_of(hedda), "/staff/")
    assert line in hers
    assert "/staff/backups/" not in hers
    for member in (jude, charlie, None):
        assert line not in text(client_of(member), "/")
        answer = client_of(member).get("/staff/backups/")
        assert answer.status_code in (302, 403)
    client = client_of(jude)
    client.get("/")
    with queries() as seen:
        client.get("/")
    assert not [one for one in seen if "eventstore_backup" in one]


def test_a_restored_database_says_what_it_may_lack(
    olga: Member, client_of: ClientOf, stick: Path
) -> None:
    RestoreRow.objects.create(
        id="r1", restored_at=ago(minutes=1), file="f", made_at=ago(minutes=9), position=5,
        last_at="2026-11-28T14:31:05.000000Z",
    )  # fmt: skip
    assert "check the slips" in text(client_of(olga))
