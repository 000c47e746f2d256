"""The shell: sign-in, language and theme, navigation by role, error pages, the strict policy."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.conf import settings
from django.test import Client, RequestFactory
from django.urls import reverse

from portal.context import THEME_COOKIE
from portal.pages import errors
from tests.conftest import PASSWORD, Member

ClientOf = Callable[[Member | None], Client]

pytestmark = pytest.mark.django_db


def test_a_wrong_password_and_an_unknown_name_get_the_same_answer(
    olga: Member, client: Client
) -> None:
    address = reverse("portal:sign_in")
    known = client.post(address, {"username": "olga", "password": "not the password"})
    unknown = client.post(address, {"username": "nadja", "password": "not the password"})
    assert (known.status_code, unknown.status_code) == (409, 409)

    def without_input(body: bytes) -> str:
        return re.sub(r'value="[^"]*"', "", body.decode())

    assert without_input(known.content) == without_input(unknown.content)
    assert "do not go together" in known.content.decode()
    assert 'value="olga"' in known.content.decode(), "the name that was typed is kept"


def test_an_empty_form_says_what_is_missing(client: Client) -> None:
    answer = client.post(reverse("portal:sign_in"), {"username": "", "password": ""})
    assert answer.status_code == 409
    assert "Give the user name and the password." in answer.content.decode()


def test_sign_in_follows_only_addresses_of_this_site(olga: Member, client: Client) -> None:
    given = {"username": "olga", "password": PASSWORD}
    away = client.post(reverse("portal:sign_in"), {**given, "next": "https://elsewhere.example/"})
    assert away.status_code == 302
    assert away.headers["Location"] == reverse("staff:home")
    here = client.post(reverse("portal:sign_in"), {**given, "next": "/style/"})
    assert here.headers["Location"] == "/style/"


def test_sign_out_asks_first_and_ends_the_session(olga: Member, client_of: ClientOf) -> None:
    client = client_of(olga)
    assert client.get(reverse("portal:sign_out")).status_code == 200
    assert settings.SESSION_COOKIE_NAME in client.cookies
    client.post(reverse("portal:sign_out"))
    assert client.get("/admin/").status_code == 302


def test_the_admin_has_no_door_of_its_own(
    charlie: Member, olga: Member, client_of: ClientOf
) -> None:
    knocked = client_of(None).get("/admin/", follow=True)
    assert knocked.request["PATH_INFO"] == reverse("portal:sign_in")
    assert 'name="next" value="/admin/"' in knocked.content.decode()
    assert client_of(charlie).get("/admin/", follow=True).status_code == 403
    assert client_of(olga).get("/admin/").status_code == 200


def test_a_language_is_kept_on_the_device(client: Client) -> None:
    answer = client.post(reverse("portal:preferences"), {"language": "hu", "next": "/sign-in/"})
    assert answer.headers["Location"] == "/sign-in/"
    page = client.get("/sign-in/")
    assert '<html lang="hu"' in page.content.decode()
    assert page.headers["Content-Language"] == "hu"


@pytest.mark.parametrize("values", [{"language": "xx"}, {"theme": "pink"}, {"next": "//x.example"}])
def test_unknown_preferences_change_nothing(client: Client, values: dict[str, str]) -> None:
    answer = client.post(reverse("portal:preferences"), values)
    assert answer.headers["Location"] == "/"
    assert not {THEME_COOKIE, "headjudge_language"} & set(answer.cookies)


def test_a_theme_is_kept_on_the_device(client: Client) -> None:
    client.post(reverse("portal:preferences"), {"theme": "dark"})
    assert 'data-theme="dark"' in client.get("/style/").content.decode()


@pytest.mark.parametrize("language", [code for code, _ in settings.LANGUAGES])
@pytest.mark.parametrize("path", ["/", "/sign-in/", "/style/", "/no-such-page/"])
def test_pages_speak_every_language(client: Client, language: str, path: str) -> None:
    client.cookies["headjudge_language"] = language
    body = client.get(path).content.decode()
    assert f'<html lang="{language}"' in body
    assert "<h1>" in body


def test_navigation_follows_the_role(
    alice: Member, jude: Member, olga: Member, client_of: ClientOf
) -> None:
    jude.grant("judge", "00000000-0000-7000-8000-0000000000e1")

    def entries(member: Member | None) -> set[str]:
        body = client_of(member).get("/style/").content.decode()
        nav = body[body.index('<nav class="nav') : body.index("</nav>")]
        return set(re.findall(r'href="([^"]+)"', nav))

    assert entries(None) == {"/", "/decks/check/"}
    assert entries(alice) == {"/", "/decks/check/", "/my/"}
    assert entries(jude) == {"/", "/decks/check/", "/my/", "/staff/calls/", "/staff/"}
    assert entries(olga) == {"/", "/decks/check/", "/staff/", "/admin/"}


def test_pages_fit_the_strict_policy(client: Client) -> None:
    for path in ("/", "/style/", "/sign-in/", "/no-such-page/"):
        answer = client.get(path)
        policy = answer.headers["Content-Security-Policy"]
        assert "unsafe" not in policy
        body = answer.content.decode()
        assert not re.search(r"<style|\sstyle=|\son[a-z]+=|javascript:", body), path
        assert not re.search(r"<script(?![^>]*\bsrc=)", body), path
        assert not re.search(r"""(?:src|href)=["'](?:https?:)?//""", body), path


def test_every_form_carries_token_and_nonce(client: Client) -> None:
    for path in ("/", "/sign-in/", "/sign-out/"):
        body = client.get(path).content.decode()
        for form in re.findall(r"<form[^>]*method=\"post\".*?</form>", body, re.S):
            assert 'name="csrfmiddlewaretoken"' in form
            assert 'name="nonce"' in form


def test_error_pages() -> None:
    request = RequestFactory().get("/x/")
    broken = errors.server_error(request)
    assert broken.status_code == 500
    assert "Something broke on our side" in broken.content.decode()


def test_a_form_without_its_token_is_told_to_reload(olga: Member) -> None:
    client = Client(enforce_csrf_checks=True)
    answer = client.post(reverse("portal:sign_in"), {"username": "olga", "password": PASSWORD})
    assert answer.status_code == 403
    assert "This form has grown too old" in answer.content.decode()


def test_a_form_page_refuses_other_methods(client: Client) -> None:
    assert client.put(reverse("portal:sign_in")).status_code == 405
    assert client.get(reverse("portal:preferences")).status_code == 405
