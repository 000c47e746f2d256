"""No secret and nobody's words in the logs, at the most talkative level."""

from __future__ import annotations

import io
import json
import logging
import sys
from collections.abc import Callable, Iterator

import pyotp
import pytest
from django.conf import settings
from django.test import Client

from config.logs import BLOT, FIELDS, Blotting, JsonLines, blotted
from eventstore import clock
from eventstore.ids import new_id
from people import joinlinks
from people.joinlinks import JoinLink
from people.models import SecondFactor
from tests.altered import altered
from tests.conftest import PASSWORD, Member
from tests.portal.cast import House
from tests.portal.test_account import enrolled, signed_in

Lines = tuple[io.StringIO, io.StringIO, io.StringIO]
"""Plain, JSON, and bare."""
ClientOf = Callable[[Member | None], Client]
LINE = settings.LOGGING["formatters"]["plain"]["format"]
WORDS = "He hid a card up his sleeve and smiled."


@pytest.fixture
def lines() -> Iterator[Lines]:
    """What the house writes at DEBUG in either format, and without the blotting."""
    written, told, bare = io.StringIO(), io.StringIO(), io.StringIO()
    handlers = [logging.StreamHandler(one) for one in (written, told, bare)]
    handlers[0].setFormatter(Blotting(LINE))
    handlers[1].setFormatter(JsonLines())
    handlers[2].setFormatter(logging.Formatter(f"{LINE} %(fields)s", defaults={"fields": ""}))
    root = logging.getLogger()
    level = root.level
    root.setLevel(logging.DEBUG)
    access = logging.getLogger("access")
    usual = access.level
    access.setLevel(logging.INFO)
    for one in handlers:
        root.addHandler(one)
    yield written, told, bare
    for one in handlers:
        root.removeHandler(one)
    root.setLevel(level)
    access.setLevel(usual)


@pytest.mark.django_db
def test_an_evening_leaves_no_secret_in_the_log(
    lines: Lines,
    make_house: Callable[[], House],
) -> None:
    written, objects, bare = lines
    house: House = make_house()
    desk = signed_in("olga")
    secret, codes = enrolled(desk, clock.now().timestamp() - NOON)
    wrong = "a password of somebody else"
    Client().post("/sign-in/", {"username": "olga", "password": wrong})
    half = signed_in("olga")
    code = pyotp.TOTP(secret).now()
    half.post("/sign-in/code/", {"code": code})
    half.post("/sign-in/code/", {"code": codes[0], "nonce": new_id()})
    event, fay = house.stage.event_id, house.stage.persons["Fay"]
    link = joinlinks.make(JoinLink(event, fay))
    Client().get(f"/join/{link}/")
    Client().post(f"/join/{link}/")
    dead = altered(link)
    Client().get(f"/join/{dead}/")
    Client().put(f"/join/{link}/")
    bearer = "tok_" + "x" * 40
    Client().get("/api/v1/events", headers={"Authorization": f"Bearer {bearer}"})
    judge = house.clients["judge"]
    call = f"/staff/calls/{house.stage.call_id}/"
    judge.post(call, {"act": "rule", "note": WORDS, "facts_agreed": WORDS, "rule_id": "nonsense"})
    judge.post(
        f"/api/v1/calls/{house.stage.call_id}/escalate",
        json.dumps({"note": WORDS}),
        content_type="application/json",
    )
    told = written.getvalue()
    hidden = [PASSWORD, wrong, secret, *codes, link, dead, bearer, WORDS]
    hidden += [one.cookies[settings.SESSION_COOKIE_NAME].value for one in (desk, half)]
    hidden.append(bytes(SecondFactor.objects.get().sealed).hex())
    assert "/join/" in told, "something was written, and the addresses are in it"
    assert BLOT in told
    assert dead in bare.getvalue(), "without the blotting this test would find something"
    assert [one for one in hidden if one in told] == []
    assert [one for one in hidden if one in objects.getvalue()] == []
    read = [json.loads(one) for one in objects.getvalue().splitlines()]
    assert len(read) >= len(told.splitlines()) - told.count("Traceback") > 0
    assert any(one.get("route") == "portal:sign_in" for one in read), "routes are named"


NOON = 1777723200.0
"""Noon of the account tests, whose helper counts from there."""


@pytest.mark.parametrize(
    ("line", "secret"),
    [
        ("Not Found: /join/abc:def:ghi/", "abc:def:ghi"),
        ("POST {'password': 'my \\'own\\' pet', 'username': 'olga'}", "pet"),
        ('{"password": "two words", "x": 1}', "two words"),
        ("password=hunter2 next", "hunter2"),
        ("password: hunter2", "hunter2"),
        ("<QueryDict: {'password': ['hunter2'], 'code': ['123456']}>", "hunter2"),
        ("code=123456", "123456"),
        ("code: 'abcd-efgh-2345-ijkl'", "abcd-efgh-2345-ijkl"),
        ("Authorization: Bearer abcdef123456", "abcdef123456"),
        ("headers {'authorization': 'Bearer abcdef123456'}", "abcdef123456"),
        ("got bearer abcdef123456", "abcdef123456"),
        ("Cookie: headjudge_session=abc123; csrftoken=def", "abc123"),
        ("otpauth://totp/Headjudge:olga?secret=JBSWY3DPEHPK3PXP&issuer=x", "JBSWY3DPEHPK3PXP"),
        ("redis://:swordfish@cache:6379/0", "swordfish"),
        ("postgresql://app:swordfish@db/name", "swordfish"),
        ("argon2$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA", "aGFzaA"),
        ("note='He hid a card'", "hid a card"),
    ],
)
def test_what_is_blotted(line: str, secret: str) -> None:
    assert secret in line
    assert secret not in blotted(line)
    assert BLOT in blotted(line)
    for record in (made(line), made("%s", line), made("x", fields={"found": [{"in": line}]})):
        told = JsonLines().format(record)
        assert secret not in json.dumps(json.loads(told), ensure_ascii=False)
        assert BLOT in told
        assert secret not in Blotting(LINE).format(record)


def made(
    message: str, *values: object, fields: dict[str, object] | None = None
) -> logging.LogRecord:
    """A record as logging makes one."""
    record = logging.LogRecord("house", logging.WARNING, __file__, 1, message, values, None)
    record.fields = fields or {}
    return record


@pytest.mark.parametrize("name", FIELDS)
def test_a_field_named_like_a_secret_is_hidden_whole(name: str) -> None:
    record = made("x", fields={"form": {name.upper(): ["two words", 17]}, name: {"a": "swordfish"}})
    told = JsonLines().format(record)
    assert json.loads(told)["form"] == {name.upper(): BLOT}
    assert json.loads(told)[name] == BLOT


def test_a_line_of_json_holds_whatever_was_logged_and_stays_one_line() -> None:
    odd = {
        "at": clock.now(),
        "nan": float("nan"),
        "message": "taken",
        3: b"x",
        "deep": [[[[[[[1]]]]]]],
    }
    try:
        raise ValueError("password=hunter2\nsecond line\r\x1b[2Jthird")
    except ValueError:
        record = made("first\nsecond", fields=odd)
        record.exc_info = sys.exc_info()
    told = JsonLines().format(record)
    assert "\n" not in told
    assert "hunter2" not in told
    read = json.loads(told)
    assert (read["message"], read["message_"], read["nan"]) == ("first\nsecond", "taken", "nan")
    assert "second line" in read["exception"]
    plain = Blotting(LINE).format(record)
    assert "first\\nsecond at='" in plain.splitlines()[0], (
        "no line of a log is made up by what is logged"
    )
    assert all(line.startswith("  ") for line in plain.splitlines()[1:])
    assert "  second line\\r\\x1b[2Jthird" in plain
    assert "\x1b" not in plain


@pytest.mark.parametrize(
    "line",
    [
        "WARNING outbox retry topic='judging.called' attempts=3",
        "Not Found: /events/01890000-0000-7000-8000-000000000000/",
        "the database does not answer",
        "code='judging.wrong_state'",
    ],
)
def test_what_helps_to_find_a_fault_stays(line: str) -> None:
    assert blotted(line) == line


def test_a_traceback_is_blotted_as_well() -> None:
    try:
        raise ValueError("password=hunter2")
    except ValueError as fault:
        record = logging.LogRecord(
            "x", logging.ERROR, __file__, 1, "/join/%s/", ("abc:def",),
            (type(fault), fault, fault.__traceback__),
        )  # fmt: skip
    told = Blotting(LINE).format(record)
    assert "hunter2" not in told
    assert "abc:def" not in told
    assert "ValueError" in told


@pytest.mark.django_db
def test_a_refused_request_is_one_line_without_a_traceback(
    lines: Lines, client_of: ClientOf, charlie: Member
) -> None:
    written, objects, bare = lines
    visitor = client_of(charlie)
    for refused in ("/staff/events/new/", "/admin/"):
        assert visitor.get(refused).status_code == 403
    assert "Traceback" in bare.getvalue(), "Django hands one over"
    told = [one for one in written.getvalue().splitlines() if "/staff/events/new/" in one]
    assert len(told) == 1
    assert "WARNING django.request Forbidden" in told[0]
    assert "Traceback" not in written.getvalue()
    read = [json.loads(one) for one in objects.getvalue().splitlines()]
    assert [one for one in read if "exception" in one] == []


@pytest.mark.parametrize("status", [400, 403, 500, None])
def test_a_fault_of_the_server_keeps_its_traceback(status: int | None) -> None:
    told = status is None or status >= 500
    try:
        raise ValueError("swordfish")
    except ValueError:
        record = made("a request")
        record.exc_info = sys.exc_info()
    if status is not None:
        record.status_code = status
    assert ("swordfish" in Blotting(LINE).format(record)) == told
    assert ("swordfish" in JsonLines().format(record)) == told
    assert record.exc_info, "other handlers have it still"


def test_every_handler_of_the_house_blots_and_no_library_has_its_own() -> None:
    given = settings.LOGGING
    assert {one["formatter"] for one in given["handlers"].values()} == {"plain"}
    assert given["formatters"]["plain"]["()"] == "config.logs.Blotting"
    for name in ("django", "django.server", "django.request", "django.security"):
        assert not logging.getLogger(name).handlers, name
    assert not logging.getLogger("django.db.backends").isEnabledFor(logging.DEBUG)
