"""What makes the pages an app: a manifest in the reader's language, a worker at the root, a page
for nobody, and marks that say for whom an answer was made and whether a copy may be kept."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import BytesIO

import pytest
from django.contrib.staticfiles import finders
from django.core.management import call_command
from django.test import Client
from PIL import Image

from people.middleware import LANGUAGE_COOKIE
from tests.conftest import Member
from tests.helpers import queries
from tests.portal.stage import set_stage

ClientOf = Callable[[Member | None], Client]
pytestmark = pytest.mark.django_db


def test_the_manifest_speaks_the_readers_language_and_its_icons_are_there(client: Client) -> None:
    client.cookies[LANGUAGE_COOKIE] = "pl"
    answer = client.get("/manifest.webmanifest")
    told = json.loads(answer.content)
    assert answer.headers["Content-Type"] == "application/manifest+json"
    assert (told["lang"], told["start_url"], told["display"]) == ("pl", "/my/", "standalone")
    for icon in told["icons"]:
        found = finders.find(icon["src"].removeprefix("/static/"))
        assert found is not None, icon
        if icon["type"] == "image/png":
            with open(found, "rb") as file:
                size = Image.open(BytesIO(file.read())).size
            assert icon["sizes"] == f"{size[0]}x{size[1]}"
    assert {"any", "192x192", "512x512"} <= {icon["sizes"] for icon in told["icons"]}


def test_worker_and_offline_page_are_made_for_nobody(olga: Member, client_of: ClientOf) -> None:
    nobody, signed_in = client_of(None), client_of(olga)
    for path in ("/sw.js", "/offline/"):
        with queries(exactly=0):
            body = signed_in.get(path).content
        assert body == nobody.get(path).content
        assert b"csrf" not in body
    signed_in.cookies[LANGUAGE_COOKIE] = "hu"
    assert signed_in.get("/sw.js").content != nobody.get("/sw.js").content


def test_only_own_and_public_pages_may_be_kept_and_name_whose_they_are(
    olga: Member, alice: Member, bob: Member, jude: Member, hedda: Member, client_of: ClientOf
) -> None:
    call_command("load_shipped", verbosity=0)
    stage = set_stage(olga, alice, bob, jude, hedda)
    mine, event = f"/my/{stage.event_id}/", f"/events/{stage.event_id}"
    phone = client_of(alice)
    kept = {mine: f"{mine} /my/", f"{mine}deck/": f"{mine}deck/"}
    kept[f"{event}/pairings/"] = f"{event}/pairings/"
    asked = [mine, f"{mine}deck/", f"{mine}judge/", f"{mine}standing/", f"{mine}?score=2-0"]
    asked += [f"{event}/", f"{event}/pairings/", f"{event}/pairings/?q=al", "/", "/my/access/"]
    for path in asked:
        assert phone.get(path).headers.get("Headjudge-Keep") == kept.get(path), path
    assert "Headjudge-Keep" not in phone.post(mine, {"act": "claim", "score": "9-9"}).headers
    hers = phone.get(mine).headers["Headjudge-For"]
    assert hers
    assert alice.person_id not in hers
    assert client_of(bob).get(mine).headers["Headjudge-For"] not in ("", hers)
    assert client_of(None).get("/").headers["Headjudge-For"] == ""
    for path in (f"/staff/events/{stage.event_id}/calls/", f"/duels/{stage.duel_id}/?as=judge"):
        assert "Headjudge-Keep" not in client_of(jude).get(path).headers


def test_where_phones_are_put_away_nothing_is_kept(
    olga: Member, alice: Member, bob: Member, jude: Member, hedda: Member, client_of: ClientOf
) -> None:
    call_command("load_shipped", verbosity=0)
    stage = set_stage(olga, alice, bob, jude, hedda, devices="not_in_match")
    for path in (f"/my/{stage.event_id}/", f"/my/{stage.event_id}/deck/"):
        assert "Headjudge-Keep" not in client_of(alice).get(path).headers
