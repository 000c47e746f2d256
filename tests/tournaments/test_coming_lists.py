"""Lists of limits in time, for an event: its own list, the one in force on its day, the next;
on the public page, to the organiser who chooses, and on the deck of a player."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.core.management import call_command
from django.test import Client

from cards.models import Banlist
from cards.services import banlist_import
from eventstore.commands import Context
from eventstore.ids import new_id
from people.domain.actor import SYSTEM
from tests.conftest import Member
from tests.portal.test_sides import with_side
from tournaments import selectors, services
from tournaments.models import EventRow

pytestmark = pytest.mark.django_db

CHANGE, RAIGEKI, GRACEFUL = "4031928", "12580477", "79571449"


@pytest.fixture
def lists(db: None) -> dict[str, str]:
    """Three lists of one series and one of another: id by title."""
    call_command("load_shipped", verbosity=0)
    held = with_side().split()
    card = next(one for one in held if one.isdigit())
    text = (
        f"!2020.01 TCG\n{card} 3\n{CHANGE} 0\n!2020.06 TCG\n{card} 1\n{RAIGEKI} 0\n"
        f"!2199.01.15 TCG\n{card} 0\n{RAIGEKI} 0\n!2020.02 OCG\n{GRACEFUL} 0\n"
    )
    banlist_import(Context(SYSTEM, "system"), source="test", content=text.encode())
    return {**dict(Banlist.objects.values_list("title", "id")), "card": card}


def event_of(olga: Member, banlist_id: str | None, **settings: str | None) -> str:
    event_id = new_id()
    services.event_create(
        olga.context(), event_id=event_id, name="Pond Open", banlist_id=banlist_id, **settings
    )
    services.registration_open(olga.context(), event_id=event_id)
    return event_id


def test_the_list_in_force_on_the_day_and_the_next_one(lists: dict[str, str], olga: Member) -> None:
    event_id = event_of(olga, lists["2020.01 TCG"])
    row = EventRow.objects.get(pk=event_id)
    found = selectors.limits_of_event(olga.actor, row)
    assert (found.chosen and found.chosen.title, found.frozen) == ("2020.01 TCG", False)
    assert found.due is not None
    assert found.due.title == "2020.06 TCG"
    assert [(one.key, one.old, one.new) for one in found.due_changes] == [
        (RAIGEKI, 3, 0),
        (lists["card"], 3, 1),
        (CHANGE, 0, 3),
    ]
    assert found.coming is not None
    assert (found.coming.title, found.coming.date) == ("2199.01.15 TCG", "2199-01-15")
    assert [(one.key, one.old, one.new) for one in found.coming_changes] == [(lists["card"], 1, 0)]


@pytest.mark.parametrize(
    ("deadline", "day", "due", "coming"),
    [
        ("2199-01-14T22:59:00.000000Z", "2199-01-14", None, "2199.01.15 TCG"),
        ("2199-01-14T23:00:00.000000Z", "2199-01-15", "2199.01.15 TCG", None),
    ],
)
def test_the_day_is_that_of_the_deadline_in_the_zone_of_the_event(
    lists: dict[str, str],
    olga: Member,
    deadline: str,
    day: str,
    due: str | None,
    coming: str | None,
) -> None:
    event_id = event_of(olga, lists["2020.06 TCG"], zone="Europe/Zagreb", deck_deadline=deadline)
    found = selectors.limits_of_event(olga.actor, EventRow.objects.get(pk=event_id))
    assert found.day == day
    assert (found.due and found.due.title, found.coming and found.coming.title) == (due, coming)


def test_without_a_list_there_is_nothing_to_tell(lists: dict[str, str], olga: Member) -> None:
    row = EventRow.objects.get(pk=event_of(olga, None))
    found = selectors.limits_of_event(olga.actor, row)
    assert (found.chosen, found.due, found.coming) == (None, None, None)


def test_everybody_reads_it_the_organiser_chooses_by_it_and_a_player_is_warned(
    lists: dict[str, str],
    olga: Member,
    alice: Member,
    bob: Member,
    client_of: Callable[..., Client],
) -> None:
    event_id = event_of(olga, lists["2020.01 TCG"])
    entrants = [
        services.entrant_enrol(
            olga.context(), event_id=event_id, person_id=one.person_id
        ).entrant_id
        for one in (alice, bob)
    ]
    body = client_of(None).get(f"/events/{event_id}/limits/").content.decode()
    for words in ("2020.06 TCG is in force since June 1, 2020", "Raigeki", "Semi-Limited"):
        assert (words in body) is (words != "Semi-Limited")
    assert "2199.01.15 TCG comes on Jan. 15, 2199" in body
    body = client_of(olga).get(f"/staff/events/{event_id}/settings/").content.decode()
    assert "2020.06 TCG is in force since June 1, 2020" in body
    assert ">2020.01 TCG (replaced)<" in body
    assert ">2020.06 TCG (in force)<" in body
    assert ">2199.01.15 TCG (from Jan. 15, 2199)<" in body
    client, page = client_of(alice), f"/my/{event_id}/deck/"
    assert "This event still names 2020.01 TCG" in client.get(page).content.decode()
    sent = {"content": with_side(), "act": "check", "nonce": new_id()}
    body = client.post(page, sent).content.decode()
    assert "1 card of your list changes with 2020.06 TCG" in body
    assert "Unlimited → Limited" in body
    others = {"content": "1 Raigeki", "act": "check", "nonce": new_id()}
    body = client.post(page, others).content.decode()
    assert 'Raigeki<br><span class="sub">Unlimited → Forbidden</span>' in body
    # bob hands in: from here on the list of the event stays what it is
    services.deck_submit(
        olga.context(), event_id=event_id, entrant_id=entrants[1], content=with_side()
    )
    body = client.post(page, {**sent, "nonce": new_id()}).content.decode()
    assert "changes with" not in body
    assert "still names" not in body
    body = client_of(None).get(f"/events/{event_id}/limits/").content.decode()
    assert "goes by this list to its end" in body


def test_the_page_of_all_lists_goes_by_the_day_asked_for(
    lists: dict[str, str], client_of: Callable[..., Client]
) -> None:
    client = client_of(None)

    def page(day: str) -> str:
        return client.get(f"/decks/limits/?on={day}").content.decode()

    assert "2020.01 TCG, since Jan. 1, 2020" in page("2020-03-01")
    assert "2020.06 TCG comes on June 1, 2020" in page("2020-03-01")
    assert "3 cards change" in page("2020-03-01")
    assert "No newer list is known." in page("2199-02-01")
    assert "Not yet in force" in page("2019-01-01")
    assert "2020.06 TCG, since June 1, 2020" in page("nonsense")
