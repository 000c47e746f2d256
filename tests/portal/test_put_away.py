"""Where phones are put away in a match, a player's pages show table, clock and no more."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.core.management import call_command
from django.test import Client

from eventstore.domain import registry
from eventstore.domain.refusal import Refused
from eventstore.ids import new_id
from eventstore.models import Event
from tests.conftest import Member
from tests.helpers import rebuilds_equal
from tests.portal.stage import Stage, set_stage
from tournaments import services
from tournaments.models import EventRow

ClientOf = Callable[[Member | None], Client]
pytestmark = pytest.mark.django_db
PAGES = (
    "/my/{event}/", "/my/{event}/deck/", "/my/{event}/standing/", "/my/{event}/judge/",
    "/my/{event}/pad/",
)  # fmt: skip
POSTS = (
    ("/my/{event}/", {"act": "claim", "score": "2-0"}),
    ("/my/{event}/", {"act": "drop"}),
    ("/my/{event}/judge/", {"act": "raise", "category": "rules"}),
    ("/my/{event}/deck/", {"act": "check", "list": "2 Summoned Skull"}),
)


@pytest.fixture
def stage(olga: Member, alice: Member, bob: Member, jude: Member, hedda: Member) -> Stage:
    """The event in progress, phones put away."""
    call_command("load_shipped", verbosity=0)
    return set_stage(olga, alice, bob, jude, hedda, devices="not_in_match")


def test_while_the_match_runs_every_own_page_is_bare(
    stage: Stage, alice: Member, client_of: ClientOf
) -> None:
    client = client_of(alice)
    for page in PAGES:
        body = client.get(page.format(event=stage.event_id)).content.decode()
        assert "Raise your hand" in body, page
        assert 'class="plate xl"' in body
        shown = body[body.index("<main") : body.index("</main>")]
        assert "<form" not in shown
        assert "Bob" not in shown
        assert "Summoned" not in shown
    assert client.get(f"/my/{stage.event_id}/judge/panel/").content == b""


def test_what_a_phone_sends_meanwhile_is_refused_in_words(
    stage: Stage, alice: Member, client_of: ClientOf
) -> None:
    client, before = client_of(alice), Event.objects.count()
    for page, given in POSTS:
        answer = client.post(page.format(event=stage.event_id), {**given, "nonce": new_id()})
        assert answer.status_code == 409, page
        assert "the result goes on the slip" in answer.content.decode()
    assert Event.objects.count() == before


def test_another_program_is_refused_like_the_page(
    stage: Stage, alice: Member, client_of: ClientOf
) -> None:
    answer = client_of(alice).post(
        f"/api/v1/matches/{stage.match_id}/claims",
        {"score": [2, 0, 0]},
        content_type="application/json",
    )
    assert (answer.status_code, answer.json()["code"]) == (409, "tournaments.devices_put_away")
    with pytest.raises(Refused):
        services.sides_exchange(
            alice.context(), match_id=stage.match_id, into_main=[], out_of_main=[]
        )


def test_the_pages_open_again_with_the_result(
    stage: Stage, alice: Member, olga: Member, client_of: ClientOf
) -> None:
    services.result_enter(olga.context(), match_id=stage.match_id, score=[2, 1, 0])
    for page in PAGES:
        body = client_of(alice).get(page.format(event=stage.event_id)).content.decode()
        assert "Raise your hand" not in body.replace("Raise your hand or go to the desk", ""), page
    rebuilds_equal("tournaments.board")


def test_the_setting_is_one_of_two_words(olga: Member) -> None:
    event_id = new_id()
    with pytest.raises(Refused) as refused:
        services.event_create(olga.context(), event_id=event_id, name="Cup", devices="sometimes")
    assert refused.value.refusal.params["allowed"] == ["allowed", "not_in_match"]
    services.event_create(olga.context(), event_id=event_id, name="Cup")
    assert EventRow.objects.get(pk=event_id).devices == "allowed"
    services.event_configure(olga.context(), event_id=event_id, changes={"devices": "not_in_match"})
    assert EventRow.objects.get(pk=event_id).devices == "not_in_match"


def test_an_event_of_the_first_version_allowed_phones() -> None:
    stored = b'{"event_id": "e", "settings": {"name": "Old cup"}}'
    for name in ("tournaments.event_created", "tournaments.event_configured"):
        assert registry.decode(name, 1, stored).settings.devices == "allowed"
