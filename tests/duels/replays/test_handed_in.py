"""A replay file in a match: handed in by its player, evidence and never the result; hidden cards
stay hidden; the file itself for judges alone."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import transaction
from django.test import Client

from duels import replays
from duels.models import DuelRow, ReplayFile
from eventstore.commands import Context
from eventstore.domain.refusal import Refused
from eventstore.ids import new_id
from people.access import NotAllowed
from people.domain.actor import SYSTEM, Actor
from people.erasure import person_erase, person_export
from tests.conftest import Member
from tests.duels.replays import made
from tests.helpers import rebuilds_equal
from tests.portal.stage import Stage, player, set_stage
from tournaments import selectors, services
from tournaments.models import MatchRow

pytestmark = [pytest.mark.django_db]
ClientOf = Callable[[Member | None], Client]
HIDDEN = 1010
"""A card in the second player's opening hand that nobody ever shows."""


def packets(hidden: int = HIDDEN) -> tuple[list[tuple[int, bytes]], bytes]:
    """A short duel; the second player's last card in hand is never shown."""
    top = made.MAIN[::-1][:5]
    other = [*top[:4], hidden]
    second = [*made.MAIN[:35], *other[::-1]]
    played = [
        made.start(),
        made.draw(0, top),
        made.draw(1, other),
        made.turn(0),
        made.phase(4),
        made.move(top[0], made.loc(0, 2, 0, 10), made.loc(0, 4, 5, 1), 0),
        made.turn(1),
        made.draw(1, [second[34]]),
        made.phase(4),
        made.move(top[1], made.loc(1, 2, 1, 10), made.loc(1, 4, 2, 8), 0),
        made.damage(1, 8000),
        made.win(0, 1),
    ]
    return played, made.script(main=(made.MAIN, second))


def replay(hidden: int = HIDDEN) -> bytes:
    played, script = packets(hidden)
    return made.replay(played, embedded=script, packed=True)


@pytest.fixture(autouse=True)
def _own_data_dir(settings: Any, tmp_path: Path) -> None:
    """Who is erased here stands on a list of its own."""
    settings.DATA_DIR = tmp_path


@pytest.fixture
def stage(olga: Member, alice: Member, bob: Member, jude: Member, hedda: Member) -> Stage:
    call_command("load_shipped", verbosity=0)
    return set_stage(olga, alice, bob, jude, hedda)


def hand_in(who: Member, stage: Stage, data: bytes, first: str = "P1") -> replays.HandedIn:
    return services.replay_hand_in(
        player(who.person_id), match_id=stage.match_id, first=first, data=data
    )


def refused(*args: Any) -> str:
    with pytest.raises(Refused) as fault:
        hand_in(*args)
    return fault.value.refusal.code


def test_a_file_becomes_a_duel_and_no_result(stage: Stage, alice: Member) -> None:
    before = MatchRow.objects.get(pk=stage.match_id)
    data = replay()
    found = hand_in(alice, stage, data, "P2")
    row = DuelRow.objects.get(pk=found.duel_id)
    assert (row.fidelity, row.match_id, row.winner) == ("imported", stage.match_id, "P1")
    after = MatchRow.objects.get(pk=stage.match_id)
    assert (after.state, after.winner, after.duels) == (before.state, before.winner, before.duels)
    proposed = selectors.match_replays(Actor(person_id=alice.person_id), after)
    # the first player of the file sits in the second seat of the match
    assert (proposed.score, proposed.files[0].winner) == ((0, 1, 0), "P2")
    assert row.seats["P1"] == list(after.persons[1])
    kept = ReplayFile.objects.get(pk=found.duel_id)
    assert kept.sha256 == hashlib.sha256(data).hexdigest()
    assert data not in bytes(kept.sealed)
    rebuilds_equal()


def test_only_players_of_the_match_and_judges_hand_in(
    stage: Stage, charlie: Member, jude: Member
) -> None:
    with pytest.raises(NotAllowed):
        hand_in(charlie, stage, replay())
    assert not ReplayFile.objects.exists()
    done = services.replay_hand_in(
        jude.context("judge"), match_id=stage.match_id, first="P1", data=replay()
    )
    assert DuelRow.objects.filter(pk=done.duel_id).exists()


def test_what_is_refused_leaves_nothing(stage: Stage, alice: Member, bob: Member) -> None:
    assert refused(alice, stage, b"") == "duels.replay_missing"
    assert refused(alice, stage, b"yrpX") == "duels.replay_short"
    assert refused(alice, stage, made.script()) == "duels.replay_no_duel"
    assert refused(alice, stage, replay(), "P3") == "tournaments.seat_unknown"
    assert refused(alice, stage, b"yrpX" * 400_000) == "duels.replay_too_large"
    assert not ReplayFile.objects.exists()
    hand_in(alice, stage, replay())
    assert refused(bob, stage, replay()) == "duels.replay_again"
    for extra in range(replays.MOST_FILES - 1):
        hand_in(alice, stage, replay() + bytes(extra + 1))
    assert refused(alice, stage, replay() + bytes(99)) == "duels.replay_many"


TIMES = re.compile(rb"\d{4}-\d\d-\d\dT[\d:.]+Z")
DRAWN = re.compile(rb'name="(csrfmiddlewaretoken|nonce|note_id)" value="[^"]*"')


def seen(client: Client, duel_id: str, perspective: str) -> list[bytes]:
    """Every answer that a viewer gets of the duel, at its middle and its end, but for times."""
    found = []
    for address in (
        f"/duels/{duel_id}/?as={perspective}",
        f"/duels/{duel_id}/?as={perspective}&at=9",
        f"/duels/{duel_id}/text/?as={perspective}",
        f"/duels/{duel_id}/offline/?as={perspective}",
        f"/duels/{duel_id}/json/?as={perspective}",
        f"/api/v1/duels/{duel_id}?as={perspective}",
        f"/api/v1/duels/{duel_id}/log?as={perspective}&page_size=200",
    ):
        response = client.get(address)
        assert response.status_code == 200, (address, response.status_code)
        found.append(DRAWN.sub(b"", TIMES.sub(b"", response.content)))
    return found


def test_hidden_cards_of_an_imported_duel_reach_nobody(
    stage: Stage, alice: Member, bob: Member, charlie: Member, client_of: ClientOf
) -> None:
    """Two files that differ in a card nobody ever saw: equal bytes for all but its owner."""
    readers = {
        "p1": (client_of(alice), "p1"),
        "public": (client_of(charlie), "public"),
        "anyone": (client_of(None), "public"),
        "p2": (client_of(bob), "p2"),
    }
    duel_id = new_id()
    found: dict[str, list[list[bytes]]] = {who: [] for who in readers}
    for hidden in (HIDDEN, HIDDEN + 3):
        with suppress(Undone), transaction.atomic():
            services.replay_hand_in(
                player(alice.person_id),
                match_id=stage.match_id,
                first=stage.seat,
                data=replay(hidden),
                duel_id=duel_id,
                seed="rehearsal",
            )
            for who, (client, perspective) in readers.items():
                found[who].append(seen(client, duel_id, perspective))
            raise Undone
    for who in ("p1", "public", "anyone"):
        assert found[who][0] == found[who][1], who
    assert found["p2"][0] != found["p2"][1]


class Undone(Exception):
    """Ends a rehearsal: nothing of it is kept."""


def test_the_page_of_the_player(
    stage: Stage, alice: Member, charlie: Member, client_of: ClientOf
) -> None:
    client = client_of(alice)
    address = f"/my/{stage.event_id}/replays/"
    shown = client.get(address).content.decode()
    nonce = re.search(r'name="nonce" value="([^"]+)"', shown)
    assert nonce is not None

    def post(data: bytes, **more: str) -> Any:
        values = {"act": "hand_in", "nonce": nonce[1], "first": "mine", **more}
        return client.post(address, {**values, "file": SimpleUploadedFile("../../x.php", data)})

    assert post(b"<?php").status_code == 415
    damaged = post(replay()[:40])
    assert damaged.status_code == 409
    assert "ends" in damaged.content.decode()
    done = post(replay())
    assert (done.status_code, done.url) == (302, address)
    shown = client.get(address).content.decode()
    assert "By the file Alice won the duel." in shown
    assert "?score=" in shown or "1-0" in shown
    assert client_of(charlie).get(address).status_code == 404


def test_the_judge_has_flags_the_file_and_every_perspective(
    stage: Stage, alice: Member, jude: Member, client_of: ClientOf
) -> None:
    data = replay()
    duel_id = hand_in(alice, stage, data, stage.seat).duel_id
    judge, own = client_of(jude), client_of(alice)
    page = judge.get(f"/duels/{duel_id}/?as=judge").content.decode()
    assert hashlib.sha256(data).hexdigest() in page
    assert page.count("A player without Life Points went on") == 0
    original = judge.get(f"/duels/{duel_id}/original/")
    assert (original.content, original["Content-Type"]) == (data, "application/octet-stream")
    assert original["Content-Disposition"].startswith("attachment")
    assert own.get(f"/duels/{duel_id}/original/").status_code == 403
    assert client_of(None).get(f"/duels/{duel_id}/original/").status_code == 404
    audit = judge.get(f"/api/v1/duels/{duel_id}/replay").json()
    assert (audit["winner"], audit["reason"], audit["kept"]) == ("P1", "lp", True)
    assert own.get(f"/api/v1/duels/{duel_id}/replay").status_code == 403
    instruments = judge.get(f"/duels/{duel_id}/judge/").content.decode()
    assert "on the list 0" in instruments  # cards of no registered list
    call = judge.get(f"/staff/calls/{stage.call_id}/").content.decode()
    assert f"/duels/{duel_id}/?as=judge" in call


def test_the_page_to_keep_asks_for_nothing(
    stage: Stage, alice: Member, bob: Member, client_of: ClientOf
) -> None:
    duel_id = hand_in(alice, stage, replay(), stage.seat).duel_id
    answer = client_of(alice).get(f"/duels/{duel_id}/offline/?as=p1")
    assert answer["Content-Disposition"].endswith('-p1.html"')
    page = answer.content.decode()
    assert "default-src 'none'" in page
    assert not re.search(r'(src|href)="(?!#)', page)
    assert "http" not in page.replace("http-equiv", "")
    assert f'"{made.MAIN[-1]}"' in page
    assert f'"{HIDDEN}"' not in page
    assert client_of(alice).get(f"/duels/{duel_id}/offline/?as=p2").status_code == 404
    assert f'"{HIDDEN}"' in client_of(bob).get(f"/duels/{duel_id}/offline/?as=p2").content.decode()


def test_zones_beyond_the_classic_ones_are_shown(
    stage: Stage, alice: Member, client_of: ClientOf
) -> None:
    duel_id = hand_in(alice, stage, replay(), stage.seat).duel_id
    page = client_of(alice).get(f"/duels/{duel_id}/?as=p1").content.decode()
    further = page.split("Further zones of Alice")[1].split("</ol>")[0]
    assert str(made.MAIN[-1]) in further


def test_a_very_long_log_is_listed_around_the_line_looked_at(
    stage: Stage, alice: Member, client_of: ClientOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    duel_id = hand_in(alice, stage, replay(), stage.seat).duel_id
    client = client_of(alice)

    def listed(at: int) -> tuple[list[int], bool, bool]:
        page = client.get(f"/duels/{duel_id}/?at={at}").content.decode()
        log = page.split('class="moves scroll"')[1].split("</ol>")[0]
        numbers = [int(one) for one in re.findall(r"<span>(\d+)</span>", log)]
        return numbers, "Earlier lines" in log, "Later lines" in log

    whole, *_ = listed(1)
    assert listed(7) == (list(range(1, len(whole) + 1)), False, False)
    monkeypatch.setattr("duels.pages.replay.ALL_LINES", 4)
    assert listed(1) == ([1, 2, 3, 4], False, True)
    assert listed(8) == ([6, 7, 8, 9], True, True)
    assert listed(len(whole)) == (whole[-4:], True, False)


def test_flags_stand_on_their_lines(
    stage: Stage, alice: Member, jude: Member, client_of: ClientOf
) -> None:
    played, script = packets()
    wrong = [*played[:-2], made.damage(1, 100), made.win(0, 1)]
    duel_id = hand_in(alice, stage, made.replay(wrong, embedded=script), stage.seat).duel_id
    judge = client_of(jude)
    page = judge.get(f"/duels/{duel_id}/?as=judge").content.decode()
    assert page.count("The end that the file names is not borne out by the table") == 2
    public = judge.get(f"/duels/{duel_id}/?as=public").content.decode()
    assert "not borne out" not in public


def test_the_api_takes_a_file_as_base64(stage: Stage, alice: Member, client_of: ClientOf) -> None:
    address = f"/api/v1/matches/{stage.match_id}/replays"

    def post(file: str) -> Any:
        body = json.dumps({"first": stage.seat, "file": file})
        return client_of(alice).post(address, body, content_type="application/json")

    assert post("%%%").status_code == 400
    assert post(base64.b64encode(b"#main").decode()).status_code == 400
    made_ = post(base64.b64encode(replay()).decode())
    assert made_.status_code == 201, made_.content
    assert made_.json()["winner"] == "P1"


def test_the_file_ends_with_its_person(stage: Stage, alice: Member, jude: Member) -> None:
    duel_id = hand_in(alice, stage, replay()).duel_id
    exported = person_export(SYSTEM, alice.person_id)["replay files"]
    assert base64.b64decode(exported[0]["file"]) == replay()
    assert person_erase(Context(SYSTEM, "system"), person_id=alice.person_id)["replay files"] == 1
    with pytest.raises(NotAllowed):
        replays.original(Actor(person_id=jude.person_id), duel_id)
