"""Side-decking on a page: one for one between duels, undone, seen by judges."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from cards import shipped
from cards.selectors import _catalogue
from decks.domain.siding import Swap
from eventstore.ids import new_id
from people.access import NotAllowed
from tests.conftest import Member
from tournaments import selectors, services
from tournaments.models import MatchRow

pytestmark = pytest.mark.django_db


def with_side() -> str:
    """A list of 40 with a Side Deck of 15, of the cards of the two starter decks."""
    one, two = (
        [line for line in text.splitlines() if line.isdigit()] for text in shipped.decks().values()
    )
    side: list[str] = []
    for key in two:
        if (one[:40] + side).count(key) < 3 and len(side) < 15:
            side.append(key)
    return "\n".join(["#main", *one[:40], "#extra", "!side", *side])


@pytest.fixture
def match(olga: Member, alice: Member, bob: Member, jude: Member) -> tuple[str, MatchRow]:
    """A published match of Alice's."""
    call_command("load_shipped", verbosity=0)
    event_id = new_id()
    services.event_create(olga.context(), event_id=event_id, name="Pond Open")

    def run(service: Any, **values: Any) -> Any:
        return service(olga.context(), event_id=event_id, **values)

    run(services.registration_open)
    jude.grant("judge", event_id)
    for given in (
        {"person_id": alice.person_id},
        {"person_id": bob.person_id},
        {"display_name": "Dora"},
        {"display_name": "Emil"},
    ):
        entrant = run(services.entrant_enrol, **given).entrant_id
        run(services.deck_submit, entrant_id=entrant, content=with_side())
        run(services.entrant_check_in, entrant_id=entrant)
    run(services.event_start)
    run(services.round_pair, seed=1)
    run(services.round_publish, number=1)
    rows = MatchRow.objects.filter(event_id=event_id)
    return event_id, next(row for row in rows if [alice.person_id] in row.persons)


def _played(row: MatchRow, winner: str, alice: Member, bob: Member) -> None:
    """Open the next duel and let the other seat concede it."""
    from duels import services as duels

    people = {row.persons[0][0]: "P1", row.persons[1][0]: "P2"}
    by = {people[one.person_id]: one for one in (alice, bob)}
    if not MatchRow.objects.get(pk=row.pk).toss:
        services.coin_toss(alice.context(), match_id=row.pk, seed=3)
    toss = MatchRow.objects.get(pk=row.pk).toss
    services.starter_choose(by[toss].context(), match_id=row.pk, first=toss)
    duel = services.duel_start(alice.context(), match_id=row.pk)
    loser = "P2" if winner == "P1" else "P1"
    duels.duel_concede(by[loser].context(), duel_id=duel, player=loser)
    services.duel_result_take(alice.context(), match_id=row.pk)


def test_cards_change_places_go_back_and_judges_see_both(
    match: tuple[str, MatchRow],
    alice: Member,
    jude: Member,
    charlie: Member,
    client_of: Callable[..., Client],
) -> None:
    event_id, row = match
    seats = [side[0] for side in row.persons]
    other = next(one for one in seats if one != alice.person_id)
    bob = Member(other, "the opponent")
    client, page = client_of(alice), f"/my/{event_id}/sides/"
    seat = "P1" if row.persons[0][0] == alice.person_id else "P2"
    before = client.get(page).content.decode()
    assert "Exchange one copy" not in before  # no duel was played
    _played(row, seat, alice, bob)
    body = client.get(page).content.decode()
    assert "Exchange one copy" in body
    registered = selectors.lists_of_match(alice.actor, row.pk).lists[seat].registered
    coming, going = registered.side[0], registered.main[0]
    sent = {"act": "swap", "coming": coming, "going": going}
    assert client.post(page, {**sent, "nonce": new_id()}).status_code == 302
    held = selectors.lists_of_match(alice.actor, row.pk).lists[seat]
    assert held.current.counts == registered.counts
    assert held.back == Swap((going,), (coming,))
    assert selectors.lists_of_match(alice.actor, row.pk).lists.keys() == {seat}
    with pytest.raises(NotAllowed):
        selectors.lists_at_table(bob.actor, row.pk)
    with pytest.raises(NotAllowed):
        selectors.lists_of_match(charlie.actor, row.pk)
    seen = client_of(jude).get(f"/staff/matches/{row.pk}/lists/").content.decode()
    name = _catalogue().name(coming) or ""
    assert "Before duel 2" in seen
    assert name.split(",")[0] in seen
    assert "Before duel 2" not in client_of(bob).get(page).content.decode()
    wrong = client.post(page, {"act": "swap", "coming": "1", "going": going, "nonce": new_id()})
    assert wrong.status_code == 409
    assert client.post(page, {"act": "back", "nonce": new_id()}).status_code == 302
    after = selectors.lists_of_match(alice.actor, row.pk).lists[seat]
    assert sorted(after.current.main) == sorted(registered.main)
    assert after.back == Swap()


def test_the_desk_sees_who_has_not_handed_in_and_locks_all(
    olga: Member, alice: Member, bob: Member, client_of: Callable[..., Client]
) -> None:
    call_command("load_shipped", verbosity=0)
    event_id = new_id()
    services.event_create(olga.context(), event_id=event_id, name="Pond Open")
    services.registration_open(olga.context(), event_id=event_id)
    made = [
        services.entrant_enrol(olga.context(), event_id=event_id, person_id=one.person_id)
        for one in (alice, bob)
    ]
    services.deck_submit(
        olga.context(), event_id=event_id, entrant_id=made[0].entrant_id, content=with_side()
    )
    client, page = client_of(olga), f"/staff/events/{event_id}/lists/"
    body = client.get(f"{page}?show=missing").content.decode()
    assert "1 missing of 2, 0 late, 0 locked" in body
    assert ">Bob<" in body
    assert ">Alice<" not in body
    assert client.post(page, {"act": "lock_all", "nonce": new_id()}).status_code == 302
    assert "1 locked" in client.get(page).content.decode()
    no = client.post(page, {"act": "unlock_all", "reason": " ", "nonce": new_id()})
    assert no.status_code == 409
    sent = {"act": "unlock_all", "reason": "a wrong list", "nonce": new_id()}
    assert client.post(page, sent).status_code == 302
    assert "0 locked" in client.get(page).content.decode()
