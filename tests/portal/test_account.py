"""My log-in: second factor, recovery codes, password, sessions that end; the staff's powers
without the factor they owe."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pyotp
import pytest
from django.core.management import call_command
from django.test import Client

from eventstore import clock
from eventstore.ids import new_id
from eventstore.models import Event
from people import factors
from people.domain.throttle import FREE
from people.models import Account, RecoveryCode, SecondFactor
from tests.conftest import PASSWORD, Member
from tests.helpers import rebuilds_equal

pytestmark = pytest.mark.django_db
ClientOf = Callable[[Member | None], Client]
NOON = datetime(2026, 5, 2, 12, 0, tzinfo=UTC)
SUBMIT = {"_form_submitted": "on"}
FRESH = "four words in a row"


@contextmanager
def at(seconds: float) -> Iterator[None]:
    """Let it be so many seconds past noon."""
    with clock.clock_set(lambda: NOON + timedelta(seconds=seconds)):
        yield


def code(secret: str, seconds: float) -> str:
    """What an app with this secret shows so many seconds past noon."""
    return pyotp.TOTP(secret).at(NOON + timedelta(seconds=seconds))


def signed_in(name: str, password: str = PASSWORD) -> Client:
    client = Client()
    answer = client.post("/sign-in/", {"username": name, "password": password})
    assert answer.status_code == 302, answer.content.decode()
    return client


def enrolled(client: Client, seconds: float = 0) -> tuple[str, list[str]]:
    """Set the second factor up as a person does; returns the secret and the recovery codes."""
    page = client.get("/account/second-factor/").content.decode()
    assert "<svg" in page
    secret = re.search(r"<code>([A-Z2-7 ]+)</code>", page)[1].replace(" ", "")  # type: ignore[index]
    given = {"code": code(secret, seconds), "current": PASSWORD, "nonce": new_id()}
    answer = client.post("/account/second-factor/", given)
    assert answer.status_code == 200, answer.content.decode()
    return secret, re.findall(r"<code>([a-z2-7-]{19})</code>", answer.content.decode())


def test_from_the_qr_code_to_a_sign_in_with_a_code(olga: Member) -> None:
    with at(0):
        first = signed_in("olga")
        other = signed_in("olga")
        secret, codes = enrolled(first)
        assert len(set(codes)) == factors.RECOVERY_CODES
        assert first.get("/staff/events/new/").status_code == 200, "this session goes on"
        assert other.get("/staff/events/new/").status_code == 403, "all others have ended"
    with at(60):
        phone = Client()
        step = phone.post("/sign-in/", {"username": "olga", "password": PASSWORD})
        assert step.headers["Location"] == "/sign-in/code/"
        assert phone.get("/staff/events/new/").status_code == 403, "half a sign-in is none"
        wrong = phone.post("/sign-in/code/", {"code": "000000"})
        assert wrong.status_code == 409
        done = phone.post("/sign-in/code/", {"code": code(secret, 60)})
        assert done.headers["Location"] == "/staff/"
        assert phone.get("/staff/events/new/").status_code == 200
    rebuilds_equal()


def test_a_code_works_once(olga: Member) -> None:
    with at(0):
        secret, _ = enrolled(signed_in("olga"))
        again = signed_in("olga")
        assert again.post("/sign-in/code/", {"code": code(secret, 0)}).status_code == 409
    with at(40):
        first, second = signed_in("olga"), signed_in("olga")
        assert first.post("/sign-in/code/", {"code": code(secret, 40)}).status_code == 302
        assert second.post("/sign-in/code/", {"code": code(secret, 40)}).status_code == 409
        assert second.post("/sign-in/code/", {"code": code(secret, 10)}).status_code == 409, (
            "nor an older one, which would still be taken from a slow clock"
        )


@pytest.mark.parametrize(("drift", "status"), [(-30, 302), (30, 302), (-90, 409), (90, 409)])
def test_the_clock_of_the_phone_may_be_half_a_minute_off(
    olga: Member, drift: int, status: int
) -> None:
    with at(0):
        secret, _ = enrolled(signed_in("olga"))
    with at(600):
        client = signed_in("olga")
        assert client.post("/sign-in/code/", {"code": code(secret, 600 + drift)}).status_code == (
            status
        )


def test_a_recovery_code_works_once_and_is_kept_as_a_hash(olga: Member) -> None:
    with at(0):
        _, codes = enrolled(signed_in("olga"))
        given = codes[3].upper().replace("-", " ")
        lost = signed_in("olga")
        assert lost.post("/sign-in/code/", {"code": given, "nonce": new_id()}).status_code == 302
        assert "9 recovery codes are left." in lost.get("/staff/").content.decode()
        again = signed_in("olga")
        assert again.post("/sign-in/code/", {"code": given, "nonce": new_id()}).status_code == 409
    kept = " ".join(RecoveryCode.objects.values_list("digest", flat=True))
    assert not [one for one in codes if one.replace("-", "") in kept]
    assert Event.objects.filter(type="people.recovery_code_used").count() == 1


def test_guesses_of_the_code_are_slowed(olga: Member) -> None:
    with at(0):
        enrolled(signed_in("olga"))
        phone = signed_in("olga")
        statuses = [
            phone.post("/sign-in/code/", {"code": f"{number:06}"}).status_code
            for number in range(FREE + 2)
        ]
    assert statuses == [409] * FREE + [429] * 2


def test_the_second_step_is_not_for_whoever_skips_the_first(olga: Member) -> None:
    with at(0):
        secret, _ = enrolled(signed_in("olga"))
    with at(60):
        stranger = Client()
        answer = stranger.post("/sign-in/code/", {"code": code(secret, 60)})
        assert answer.headers["Location"] == "/sign-in/"
        late = signed_in("olga")
    with at(60 + 11 * 60):
        answer = late.post("/sign-in/code/", {"code": code(secret, 720)})
        assert answer.headers["Location"] == "/sign-in/", "ten minutes, then from the beginning"


def test_the_secret_does_not_stand_readable_anywhere(olga: Member) -> None:
    with at(0):
        client = signed_in("olga")
        client.get("/account/second-factor/")
        waiting = str(dict(client.session))
        secret, codes = enrolled(client)
    assert secret not in waiting
    kept = bytes(SecondFactor.objects.get().sealed)
    assert secret.encode() not in kept
    log = b"".join(bytes(body) for body in Event.objects.values_list("body", flat=True))
    for hidden in (secret, *codes, PASSWORD):
        assert hidden.encode() not in log


def test_another_owner_cannot_put_an_offer_in_force(olga: Member, jude: Member) -> None:
    wrapped = factors.offer_wrapped(Account.objects.get(username="olga"), "A" * 32)
    assert factors.offer_opened(Account.objects.get(username="olga"), wrapped) == "A" * 32
    assert factors.offer_opened(Account.objects.get(username="jude"), wrapped) is None
    assert factors.offer_opened(Account.objects.get(username="olga"), "rubbish!") is None


@pytest.mark.parametrize("role", ["organiser", "head_judge", "judge", "scorekeeper", None])
def test_where_it_is_required_the_strong_roles_work_only_with_it(
    jude: Member, settings: Any, role: str | None
) -> None:
    settings.SECOND_FACTOR = "required"
    event = "00000000-0000-7000-8000-0000000000e1"
    if role is None:
        jude.grant("organiser")
    else:
        jude.grant(role, event)
    strong = role in ("organiser", "head_judge", None)
    with at(0):
        client = signed_in("jude")
        for path in ("/staff/", "/admin/", f"/staff/events/{event}/"):
            answer = client.get(path)
            led = answer.headers.get("Location") == "/account/second-factor/"
            assert led == strong, path
        posted = client.post("/staff/events/new/", {"act": "create"})
        assert posted.status_code == (302 if strong else 403)
        api = client.post("/api/v1/events", {"name": "Cup"}, content_type="application/json")
        assert api.status_code == 403, "the API knows the roles as little"
        if strong:
            assert client.get("/").status_code == 200, "what is public stays open"
            enrolled(client)
            assert client.get("/staff/").status_code == 200


def test_changing_the_password_ends_the_other_sessions(olga: Member) -> None:
    here, there = signed_in("olga"), signed_in("olga")
    given = {"act": "password", "current": PASSWORD, "password": FRESH, "again": FRESH}
    assert here.post("/account/", {**given, "nonce": new_id()}).status_code == 302
    assert here.get("/account/").status_code == 200
    assert there.get("/account/").status_code == 302
    signed_in("olga", FRESH)
    assert Client().post("/sign-in/", {"username": "olga", "password": PASSWORD}).status_code == 409
    rebuilds_equal()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"current": "wrong wrong"}, "The password is not right."),
        ({"again": "something else"}, "not the same"),
        ({"password": "short", "again": "short"}, "fewer than ten signs"),
        ({"password": "password123", "again": "password123"}, "most common"),
        ({"password": "9182736450918", "again": "9182736450918"}, "digits only"),
        ({"password": "charlie12345", "again": "charlie12345"}, "too much like"),
        ({"password": "x" * 300, "again": "x" * 300}, "more than 200"),
    ],
)
def test_a_password_that_is_refused_says_why(
    charlie: Member, given: dict[str, str], said: str
) -> None:
    client = signed_in("charlie")
    whole = {"act": "password", "current": PASSWORD, "password": FRESH, "again": FRESH, **given}
    answer = client.post("/account/", {**whole, "nonce": new_id()})
    assert answer.status_code == 409
    assert said in answer.content.decode()
    signed_in("charlie")


def test_sign_out_everywhere_leaves_this_session_alone(charlie: Member) -> None:
    here, there = signed_in("charlie"), signed_in("charlie")
    assert here.post("/account/", {"act": "everywhere", "nonce": new_id()}).status_code == 302
    assert here.get("/account/").status_code == 200
    assert there.get("/account/").status_code == 302


def test_a_stolen_session_does_not_change_what_protects_the_log_in(olga: Member) -> None:
    with at(0):
        client = signed_in("olga")
        secret, _ = enrolled(client)
        for path, given in (
            ("/account/", {"act": "factor_remove", "current": "guess"}),
            (
                "/account/",
                {"act": "password", "current": "guess", "password": FRESH, "again": FRESH},
            ),
            ("/account/second-factor/", {"code": code(secret, 0), "current": "guess"}),
        ):
            assert client.post(path, {**given, "nonce": new_id()}).status_code == 409
        assert SecondFactor.objects.count() == 1
        right = {"act": "factor_remove", "current": PASSWORD, "nonce": new_id()}
        assert client.post("/account/", right).status_code == 302
        assert SecondFactor.objects.count() == RecoveryCode.objects.count() == 0


def test_a_phone_on_a_join_link_has_no_log_in_to_change(alice: Member, client_of: ClientOf) -> None:
    client = client_of(alice)
    for path in ("/account/", "/account/second-factor/"):
        assert client.get(path).headers["Location"].startswith("/sign-in/")
        assert client.post(path, {"act": "everywhere"}).headers["Location"].startswith("/sign-in/")


def test_the_sites_organiser_helps_who_lost_phone_and_password(
    olga: Member, jude: Member, charlie: Member, client_of: ClientOf
) -> None:
    with at(0):
        enrolled(signed_in("jude"))
        desk, base = client_of(olga), f"/admin/people/person/{jude.person_id}"
        assert desk.post(f"{base}/remove-factor/", SUBMIT).status_code == 200
        assert not SecondFactor.objects.exists()
        assert desk.post(f"{base}/new-password/", {"password": FRESH, **SUBMIT}).status_code == 200
        signed_in("jude", FRESH)
        taken = {"password": PASSWORD, **SUBMIT}
        assert client_of(charlie).post(f"{base}/new-password/", taken).status_code == 403
        desk.post(f"{base}/new-password/", {"password": "1234567890", **SUBMIT})
        assert "digits only" in desk.get("/admin/").content.decode()
        signed_in("jude", FRESH)
        assert desk.post(f"{base}/end-sessions/", SUBMIT).status_code == 200
    types = set(Event.objects.values_list("type", flat=True))
    assert {"people.factor_removed", "people.password_changed"} <= types


def test_the_command_line_helps_the_only_organiser(olga: Member) -> None:
    with at(0):
        enrolled(signed_in("olga"))
    call_command("factor_remove", "olga")
    assert not SecondFactor.objects.exists()
    signed_in("olga").get("/staff/events/new/")
