"""The proof of the log, from the published round to the file that proves itself."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from eventstore import jobfiles, outbox
from eventstore.commands import Context
from judging.case import log_withheld
from people.domain.actor import Actor
from people.services import role_end
from tests.conftest import ROOT, Member
from tests.portal.stage import Stage, set_stage
from tournaments import services

ClientOf = Callable[..., Client]
pytestmark = pytest.mark.django_db(transaction=True)
VERIFIER = Path(__file__).resolve().parents[2] / "tools" / "verify_bundle.py"


@pytest.fixture(autouse=True)
def own_keys(tmp_path: Path, settings: Any) -> None:
    """Keep the keys and the list of those who were erased in a folder of this test."""
    settings.DATA_DIR = tmp_path


@pytest.fixture
def stage(olga: Member, alice: Member, bob: Member, jude: Member, hedda: Member) -> Stage:
    """Two rounds published and signed."""
    call_command("load_shipped", verbosity=0)
    made = set_stage(olga, alice, bob, jude, hedda)
    outbox.drain(1000)
    return made


def test_each_publication_is_signed(stage: Stage, client_of: ClientOf, charlie: Member) -> None:
    """Anybody finds the checkpoints of an event, and the text that was signed."""
    body = client_of(charlie).get(f"/events/{stage.event_id}/log/").content.decode()
    assert "Round published" in body
    link = body.partition('href="/log/checkpoints/')[2].partition('"')[0]
    note = client_of(None).get(f"/log/checkpoints/{link}")
    assert note.status_code == 200
    origin, size, *_ = note.content.decode().splitlines()
    assert origin.startswith("headjudge/")
    assert f"{size}.txt" == link
    assert client_of(None).get("/log/checkpoints/999999.txt").status_code == 404


def test_bundle_from_the_page_proves_itself(
    stage: Stage, client_of: ClientOf, olga: Member, tmp_path: Path
) -> None:
    """The file that Olga downloads holds calls and decks and passes the offline verifier."""
    client = client_of(olga)
    asked = client.post(f"/events/{stage.event_id}/log/bundle/")
    page = asked["Location"]
    assert "It begins as soon as" in client.get(page).content.decode()
    assert client.get(f"{page}file/").status_code == 404, "there is none yet"
    outbox.drain()
    assert f'href="{page}file/"' in client.get(page).content.decode()
    answer = client.get(f"{page}file/")
    assert answer["Content-Type"] == "application/zip"
    file = tmp_path / "event.zip"
    file.write_bytes(answer.content)
    body = client_of(olga).get(f"/events/{stage.event_id}/log/").content.decode()
    key = body.partition("<code>")[2].partition("</code>")[0]
    done = subprocess.run(
        [sys.executable, str(VERIFIER), str(file), "--key", key], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    with zipfile.ZipFile(file) as archive:
        streams = json.loads(archive.read("streams.json"))
    kinds = {name.partition("-")[0] for name in streams}
    assert kinds == {"tournament", "match", "duel", "deck", "call"}


def test_bundle_belongs_to_those_who_run_the_event(
    stage: Stage, client_of: ClientOf, olga: Member, alice: Member, charlie: Member, jude: Member,
    hedda: Member,
) -> None:  # fmt: skip
    """The whole log holds every hidden card: players, judges and others do not get it, the head
    judge not while a duel goes on."""
    address = f"/events/{stage.event_id}/log/bundle/"
    for member in (None, alice, charlie, jude):
        assert client_of(member).post(address).status_code == 403
    assert client_of(hedda).get(address).status_code == 405
    page = f"/events/{stage.event_id}/log/"
    withheld = client_of(hedda).post(address, follow=True)
    assert withheld.redirect_chain == [(page, 302)]
    assert "hidden cards of duels that go on" in withheld.content.decode()
    alice.grant("organiser", stage.event_id)
    plays = Member(alice.person_id, alice.name, "alice")
    assert log_withheld(plays.actor, stage.event_id), "an organiser who plays there is a player"
    assert not log_withheld(olga.actor, stage.event_id)
    services.result_enter(olga.context(), match_id=stage.match_id, score=[2, 0, 0])
    assert "<form" in client_of(hedda).get(page).content.decode().split("<main")[1]
    asked = client_of(hedda).post(address)["Location"]
    outbox.drain()
    assert client_of(hedda).get(f"{asked}file/").status_code == 200
    assert client_of(olga).get(f"{asked}file/").status_code == 200, "who runs the event sees it"
    for member in (None, alice, charlie, jude):
        assert client_of(member).get(f"{asked}file/").status_code in (302, 404)
    system = Context(Actor(system=True), "system")
    role_end(system, person_id=hedda.person_id, role="head_judge", event_id=stage.event_id)
    assert client_of(hedda).get(f"{asked}file/").status_code == 403, "the rights are those of now"
    (file,) = [one for one in jobfiles.folder().iterdir() if one.stat().st_size > 1000]
    assert jobfiles.tidy(file.stat().st_mtime + 86_399) == 0
    assert jobfiles.tidy(file.stat().st_mtime + 86_401) > 0
    assert not file.exists()
    gone = client_of(olga).get(f"{asked}file/", follow=True)
    assert "no longer kept" in gone.content.decode()


def test_packet_holds_the_person(stage: Stage, client_of: ClientOf, olga: Member) -> None:
    """Who is disqualified cannot be erased until the packet is closed."""
    from eventstore.domain.refusal import Refused
    from people.erasure import person_erase

    entrant = stage.entrants["Alice"]
    services.penalty_apply(
        Context(Actor(system=True), "system"),
        event_id=stage.event_id,
        entrant_id=entrant,
        kind="disqualification",
        match_id=stage.match_id,
    )
    person = stage.persons["Alice"]
    with pytest.raises(Refused) as held:
        person_erase(Context(Actor(system=True), "system"), person_id=person)
    assert held.value.refusal.code == "people.legal_hold"
    page = f"/staff/events/{stage.event_id}/people/{entrant}/"
    client = client_of(olga)
    assert "Disqualification packet" in client.get(page).content.decode()
    assert f"/packets/{entrant}/" in client.get(page).content.decode()
    closed = {"event_id": stage.event_id, "entrant_id": entrant}
    services.packet_close(olga.context(), **closed)
    assert "Disqualification packet" not in client.get(page).content.decode()
    with pytest.raises(Refused, match="no_packet"):
        services.packet_close(olga.context(), **closed)
    person_erase(Context(Actor(system=True), "system"), person_id=person)


def test_everybody_gets_the_program_that_checks_a_bundle(client_of: ClientOf) -> None:
    answer = client_of(None).get("/log/verify_bundle.py")
    assert answer.content == (ROOT / "tools" / "verify_bundle.py").read_bytes()
    assert "attachment" in answer["Content-Disposition"]
