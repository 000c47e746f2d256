"""What is sent to the product: never larger than it reads, never another kind, never a path."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.handlers.asgi import ASGIHandler
from django.core.management import call_command
from django.test import Client

from config.limits import BodyLimit
from people.domain.uploads import kind_of
from tests.portal.stage import starter

LIMIT = 2000
PNG = b"\x89PNG\r\n\x1a\n" + b"\x00" * 40


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (PNG, "png"),
        (b"\xff\xd8\xff\xe0" + b"\x00" * 20, "jpeg"),
        (b"%PDF-1.7\n", "pdf"),
        (b"PK\x03\x04....", "zip"),
        (b"\x1f\x8b\x08", "gzip"),
        (b"SQLite format 3\x00", "sqlite"),
        (b"MZ\x90\x00\x03", "program"),
        (b"MZ is how my list begins", "text"),
        (b"\x7fELF\x02\x00", "program"),
        (b" \n<!DOCTYPE html><script>", "webpage"),
        (b"\xef\xbb\xbf<svg onload=x>", "webpage"),
        (b"#main\n123\n", "text"),
        (b"", "text"),
        ("#main\nVirág".encode("utf-16"), "text"),
    ],
)
def test_a_file_is_what_its_content_says(data: bytes, kind: str) -> None:
    assert kind_of(data) == kind


@pytest.mark.django_db
def test_a_picture_called_a_deck_list_is_refused_and_kept_nowhere(
    client: Client, tmp_path: Path, settings: Any
) -> None:
    settings.MEDIA_ROOT = tmp_path
    settings.FILE_UPLOAD_TEMP_DIR = str(tmp_path)
    call_command("load_shipped", verbosity=0)
    for name, kind in (("deck.ydk", "text/plain"), ("../../etc/deck.ydk", "text/plain")):
        picture = SimpleUploadedFile(name, PNG, content_type=kind)
        answer = client.post("/decks/check/", {"preset": "classic", "file": picture})
        assert answer.status_code == 415
        assert "This file is no deck list" in answer.content.decode()
    right = SimpleUploadedFile("../../x\x00.png", starter().encode(), content_type="image/png")
    answer = client.post("/decks/check/", {"preset": "classic", "file": right})
    assert answer.status_code == 200, "the content counts, whatever name and type are claimed"
    assert "This list is legal" in answer.content.decode()
    assert list(tmp_path.rglob("*")) == []


def test_no_code_of_ours_keeps_an_uploaded_file_or_makes_a_path_of_its_name() -> None:
    root = Path(settings.BASE_DIR)
    rooms = ("people", "cards", "decks", "duels", "tournaments", "judging", "portal", "config")
    found = [
        path.relative_to(root).as_posix()
        for room in rooms
        for path in (root / room).rglob("*.py")
        if any(
            word in path.read_text(encoding="utf-8")
            for word in ("default_storage", "FileSystemStorage", "temporary_file_path", "upload_to")
        )
    ]  # fmt: skip
    assert found == []
    assert settings.MEDIA_ROOT == ""


def send(
    body: list[bytes], headers: list[tuple[bytes, bytes]], path: str
) -> tuple[int, bytes, int]:
    """Send a request over ASGI in pieces; returns status, body, and how many pieces were read."""
    pieces, read, out = list(body), 0, []

    async def receive() -> dict[str, Any]:
        nonlocal read
        if not pieces:
            # whoever reads on after the end waits, as at an open line
            await asyncio.sleep(3600)
        read += 1
        return {"type": "http.request", "body": pieces.pop(0), "more_body": bool(pieces)}

    async def answer(message: Any) -> None:
        out.append(message)

    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST",
        "scheme": "http", "path": path, "raw_path": path.encode(), "query_string": b"",
        "root_path": "", "headers": [(b"host", b"localhost"), *headers],
        "client": ("192.0.2.1", 1), "server": ("localhost", 80),
    }  # fmt: skip
    application = BodyLimit(ASGIHandler(), [("/admin/cards/", 4 * LIMIT), ("/", LIMIT)])
    asyncio.run(asyncio.wait_for(application(scope, receive, answer), 30))
    status = next(one["status"] for one in out if one["type"] == "http.response.start")
    return status, b"".join(one.get("body", b"") for one in out), read


FORM = (b"content-type", b"application/x-www-form-urlencoded")


@pytest.mark.django_db(transaction=True)
def test_a_body_that_says_it_is_too_large_is_not_read() -> None:
    declared = (b"content-length", str(LIMIT + 1).encode())
    status, body, read = send([b"x" * (LIMIT + 1)], [FORM, declared], "/decks/check/")
    assert (status, read) == (413, 0)
    assert b"larger than this site reads" in body


@pytest.mark.django_db(transaction=True)
def test_a_body_without_a_length_is_read_no_further_than_the_limit() -> None:
    pieces = [b"x" * 500 for _ in range(200)]
    status, body, read = send(pieces, [FORM, (b"transfer-encoding", b"chunked")], "/sign-in/")
    assert status == 413
    assert read == LIMIT // 500 + 1
    status, body, _ = send(pieces, [(b"content-type", b"application/json")], "/api/v1/decks/check")
    assert status == 413
    assert json.loads(body)["code"] == "too_large"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("length", [b"-5", b"1e9", b"nonsense", b"9" * 400])
def test_a_length_that_makes_no_sense_is_refused(length: bytes) -> None:
    assert send([b"x"], [FORM, (b"content-length", length)], "/sign-in/")[0] == 413


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("target", ["*", "http://localhost/metrics"])
def test_an_address_that_begins_with_no_slash_is_not_found(target: str) -> None:
    assert send([b""], [], target)[0] in (403, 404)
    assert send([b"x" * (LIMIT + 1)], [FORM], target)[0] == 413


@pytest.mark.django_db(transaction=True)
def test_a_body_within_the_limit_goes_through_and_the_import_takes_more() -> None:
    size = (b"content-length", str(LIMIT).encode())
    assert send([b"x" * LIMIT], [FORM, size], "/sign-in/")[0] == 403, "it lacks the CSRF token"
    status, _, _ = send([b"x" * LIMIT * 3], [FORM], "/admin/cards/card/import/")
    assert status in (302, 403)


def test_the_limits_of_the_house_hold_a_deck_list_and_fit_every_path() -> None:
    assert settings.BODY_LIMITS[-1][0] == "/"
    from decks.domain.limits import MAX_BYTES

    assert settings.BODY_LIMITS[-1][1] > MAX_BYTES
