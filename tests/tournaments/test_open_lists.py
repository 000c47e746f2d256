"""Open and closed deck lists: decided by viewer, moment and setting; public pages with files of
the cut, and nothing of them a moment too early."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from cards.selectors import _catalogue
from decks.domain.read import read_deck
from eventstore import clock
from eventstore.domain import registry
from eventstore.domain.refusal import Refused
from eventstore.ids import new_id
from people.access import NotAllowed
from people.domain.actor import ANONYMOUS
from tests.conftest import Member, make_member
from tests.portal.leaks import seen
from tests.portal.stage import set_stage, starter
from tests.portal.test_leaks import rewrite
from tournaments import selectors, services
from tournaments.domain.openlists import Decklists, Moment, Viewer, is_public, sees
from tournaments.models import EntrantRow, EventRow, MatchRow

AT = "2026-07-04T18:00:00.000000Z"
BEFORE, AFTER = "2026-07-04T17:59:59.999999Z", "2026-07-04T18:00:00.000000Z"
STATUSES = ("draft", "open", "closed", "running", "cut", "finished", "cancelled")


def test_who_sees_a_list_over_every_setting_viewer_and_moment() -> None:
    public = set()
    for setting, status, cut, in_cut, now, match_open in itertools.product(
        Decklists, STATUSES, (True, False), (True, False), (BEFORE, AFTER), (True, False)
    ):
        moment = Moment(setting, AT, status, cut, now)
        for viewer in (Viewer.STAFF, Viewer.OWNER):
            assert sees(viewer, moment, in_cut=in_cut)
        anybody = sees(Viewer.ANYBODY, moment, in_cut=in_cut, match_open=match_open)
        opponent = sees(Viewer.OPPONENT, moment, in_cut=in_cut, match_open=match_open)
        assert anybody == is_public(moment, in_cut=in_cut)
        assert opponent == (anybody or (setting == Decklists.OPPONENTS and match_open))
        if anybody:
            public.add((setting.value, status, cut, in_cut, now == AFTER))
    assert public == {
        # a cut list from the moment the cut is made, whatever the time of day
        *(("cut", status, True, True, due) for status in ("cut", "finished") for due in (0, 1)),
        # on its date and not before
        ("published", "cut", True, True, True),
        ("published", "finished", True, True, True),
        # an event without a cut that is over
        ("published", "finished", False, True, True),
        ("published", "finished", False, False, True),
    }
    undated = Moment(Decklists.PUBLISHED, "", "finished", True, AFTER)
    assert not is_public(undated, in_cut=True)


@pytest.fixture
def event(olga: Member) -> Callable[..., tuple[str, dict[str, str]]]:
    """Make an event of eight players with lists, played up to a cut of four."""
    call_command("load_shipped", verbosity=0)

    def made(cut: bool = True, **settings: Any) -> tuple[str, dict[str, str]]:
        event_id = new_id()
        services.event_create(
            olga.context(), event_id=event_id, name="Open Lists", rounds=1, cut=4, **settings
        )
        services.registration_open(olga.context(), event_id=event_id)
        entrants: dict[str, str] = {}
        for number in range(8):
            member = make_member(40 + number, f"Player {number}", account=False)
            one = services.entrant_enrol(
                olga.context(), event_id=event_id, person_id=member.person_id
            )
            entrants[member.person_id] = one.entrant_id
            services.deck_submit(
                olga.context(),
                event_id=event_id,
                entrant_id=one.entrant_id,
                content=starter("starter-ember" if number % 2 else "starter-tide"),
            )
            services.entrant_check_in(olga.context(), event_id=event_id, entrant_id=one.entrant_id)
        services.event_start(olga.context(), event_id=event_id)
        services.round_pair(olga.context(), event_id=event_id, seed=1)
        services.round_publish(olga.context(), event_id=event_id, number=1)
        for row in MatchRow.objects.filter(event_id=event_id):
            services.result_enter(olga.context(), match_id=row.pk, score=[2, 0, 0])
        if cut:
            services.cut_make(olga.context(), event_id=event_id)
        return event_id, entrants

    return made


@pytest.mark.django_db
def test_lists_of_the_cut_are_public_from_the_cut_on(
    event: Any, olga: Member, client_of: Callable[..., Client]
) -> None:
    event_id, _ = event(cut=False, decklists="cut")
    page = f"/events/{event_id}/lists/"
    anyone = client_of(None)
    before = anyone.get(f"/events/{event_id}/").content.decode()
    assert (anyone.get(page).status_code, page in before) == (404, False)
    services.cut_make(olga.context(), event_id=event_id)
    rows = EntrantRow.objects.filter(event_id=event_id)
    inside = [one for one in rows if one.seed is not None]
    outside = next(one for one in rows if one.seed is None)
    assert page in anyone.get(f"/events/{event_id}/").content.decode()
    body = anyone.get(page).content.decode()
    assert [f"{page}{one.pk}/" in body for one in rows] == [one in inside for one in rows]
    for one in inside:
        assert anyone.get(f"{page}{one.pk}/").status_code == 200
    for hidden in (outside.pk, new_id(), "x"):
        assert anyone.get(f"{page}{hidden}/").status_code == 404
        assert anyone.get(f"{page}{hidden}/ydk/").status_code == 404
    deck = selectors.open_list(ANONYMOUS, event_id, inside[0].pk).deck
    for kind in ("text", "ydk", "ydke"):
        got = anyone.get(f"{page}{inside[0].pk}/{kind}/")
        assert got["Content-Disposition"].startswith("attachment")
        again = read_deck(got.content, _catalogue()).deck
        assert sorted(again.main) == sorted(deck.main)
    assert anyone.get(f"{page}{inside[0].pk}/omega/").status_code == 404
    services.cut_undo(olga.context(), event_id=event_id)
    assert anyone.get(page).status_code == 404
    assert anyone.get(f"{page}{inside[0].pk}/").status_code == 404


@pytest.mark.django_db
def test_published_lists_come_on_their_date_and_nothing_shows_before(
    event: Any, olga: Member, client_of: Callable[..., Client]
) -> None:
    due = datetime.now(UTC) + timedelta(days=2)
    event_id, _ = event(decklists="published", decklists_at=clock.as_text(due))
    row = EntrantRow.objects.filter(event_id=event_id, seed=1).get()
    page = f"/events/{event_id}/lists/"
    addresses = [
        page,
        f"{page}{row.pk}/",
        *(f"{page}{row.pk}/{kind}/" for kind in ("text", "ydk", "ydke")),
        f"/events/{event_id}/",
        f"/events/{event_id}/bracket/",
        f"/api/v1/events/{event_id}",
        f"/api/v1/events/{event_id}/lists",
        f"/api/v1/events/{event_id}/lists/{row.pk}",
    ]
    readers = [client_of(None), client_of(make_member(60, "Nosy", account=True))]

    def look() -> list[Any]:
        return [seen(client, address) for client in readers for address in addresses]

    def other(data: dict[str, Any]) -> None:
        data["main"][0], data["deck_hash"] = data["main"][-1], "0" * 64

    look()  # what a process caches is no reader's cost
    with clock.clock_set(lambda: due - timedelta(microseconds=1)):
        first = look()
        rewrite(f"deck-{row.deck_id}", "decks.list_submitted", other)
        assert look() == first
    with clock.clock_set(lambda: due):
        then = look()
        assert [one.status for one in then[:5]] == [200] * 5
        rewrite(
            f"deck-{row.deck_id}",
            "decks.list_submitted",
            lambda data: data.update(main=data["main"][:-1]),
        )
        assert look() != then, "the secret is a secret: it shows to those who may see it"


@pytest.mark.django_db
def test_the_opponent_sees_the_list_while_the_match_lasts(
    olga: Member,
    alice: Member,
    bob: Member,
    jude: Member,
    hedda: Member,
    charlie: Member,
    client_of: Callable[..., Client],
) -> None:
    call_command("load_shipped", verbosity=0)
    stage = set_stage(olga, alice, bob, jude, hedda, decklists="opponents")
    page = f"/my/{stage.event_id}/opponent/"
    client = client_of(alice)
    assert page in client.get(f"/my/{stage.event_id}/").content.decode()
    shown = client.get(page)
    assert (shown.status_code, "Bob" in shown.content.decode()) == (200, True)
    held = selectors.opponent_list(alice.actor, stage.event_id)
    assert held is not None
    assert held.side.entrant_id == stage.entrants["Bob"]
    assert client_of(charlie).get(page).status_code == 404
    assert client_of(None).get(f"/events/{stage.event_id}/lists/").status_code == 404
    score = [2, 0, 0] if stage.seat == "P1" else [0, 2, 0]
    services.result_enter(olga.context(), match_id=stage.match_id, score=score)
    assert client.get(page).status_code == 404
    with pytest.raises(NotAllowed):
        selectors.opponent_list(alice.actor, stage.event_id)


@pytest.mark.django_db
def test_closed_lists_are_closed(
    event: Any, olga: Member, client_of: Callable[..., Client]
) -> None:
    event_id, entrants = event()
    person, entrant = next(iter(entrants.items()))
    for client in (client_of(None), client_of(Member(person, "Player 0")), client_of(olga)):
        assert client.get(f"/events/{event_id}/lists/").status_code == 404
        assert client.get(f"/events/{event_id}/lists/{entrant}/").status_code == 404
    with pytest.raises(NotAllowed):
        selectors.opponent_list(Member(person, "Player 0").actor, event_id)


@pytest.mark.django_db
def test_the_setting_is_checked_and_typed_in_the_zone_of_the_event(
    olga: Member, client_of: Callable[..., Client]
) -> None:
    def create(**values: Any) -> str:
        event_id = new_id()
        services.event_create(olga.context(), event_id=event_id, name="Cup", **values)
        return event_id

    for wrong in (
        {"decklists": "sometimes"},
        {"decklists": "published"},
        {"decklists": "published", "decklists_at": "tomorrow"},
        {"decklists": "cut", "decklists_at": AT},
    ):
        with pytest.raises(Refused, match="setting_invalid"):
            create(**wrong)
    event_id = create(zone="Europe/Zagreb")
    sent = {
        "act": "change",
        "nonce": new_id(),
        "name": "Cup",
        "zone": "Europe/Zagreb",
        "preset": "classic",
        "match_rules": "ygo-classic",
        "standings": "konami-policy@1",
        "decklists": "published",
        "decklists_at": "2026-07-04T20:00",
    }
    client = client_of(olga)
    assert client.post(f"/staff/events/{event_id}/settings/", sent).status_code == 302
    row = EventRow.objects.get(pk=event_id)
    assert (row.decklists, row.decklists_at) == ("published", AT)
    body = client.get(f"/staff/events/{event_id}/settings/").content.decode()
    assert 'value="2026-07-04T20:00"' in body


def test_events_of_before_knew_closed_lists() -> None:
    for name in ("tournaments.event_created", "tournaments.event_configured"):
        stored = b'{"event_id":"e","settings":{"name":"Cup","devices":"allowed"}}'
        made: Any = registry.decode(name, 2, stored)
        assert (made.settings.decklists, made.settings.decklists_at) == ("closed", None)
