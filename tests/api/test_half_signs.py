"""Half a sign, which JSON can escape and UTF-8 cannot write, is refused before anything tells
the caller what it sent."""

from __future__ import annotations

import pytest
from django.test import Client

HALF = "\\ud800"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("address", "body"),
    [
        # a choice that tells what was found, a name of a field, a value deep inside
        ("duels/{id}/acts", '{"player":"%s","act":{"act":"concede"}}'),
        ("duels/{id}/acts", '{"%s":1}'),
        ("duels/{id}/acts", '{"player":"P1","act":{"act":[{"x":"a%s"}]}}'),
        ("presets", '{"rules":{"id":"%s"}}'),
        ("decks/check", '{"content":"","preset":"%s"}'),
        ("decks/check", '"%s"'),
    ],
)
def test_half_a_sign_is_refused_as_what_it_is(address: str, body: str, client: Client) -> None:
    place = address.format(id="018f4e2a-0000-7000-8000-000000000001")
    answer = client.post(f"/api/v1/{place}", body % HALF, content_type="application/json")
    assert (answer.status_code, answer.json()["code"]) == (400, "not_canonical")
    assert answer.json()["params"]["why"] == "text holds a lone surrogate"


def test_a_whole_sign_beyond_the_first_plane_passes(client: Client, db: None) -> None:
    answer = client.post(
        "/api/v1/decks/check",
        '{"content":"1 \\ud83d\\ude00","preset":"classic"}',
        content_type="application/json",
    )
    assert answer.status_code == 200
