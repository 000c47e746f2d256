"""Deck lists at the desk: paper in one tap, check-in with paper, the lists page, and no way to
swap a list by dropping and registering again."""

from __future__ import annotations

import io
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from PIL import Image

from decks import selectors as reads
from decks import services as decks
from decks.models import DeckInForce, Photo
from decks.pictures import Picture, cleaned
from eventstore import clock
from eventstore.domain.refusal import Refusal, Refused
from eventstore.ids import new_id
from people.access import NotAllowed
from tests.conftest import Member, make_member
from tests.helpers import rebuilds_equal
from tests.portal.leaks import Seen, seen
from tests.portal.stage import starter
from tournaments import selectors, services
from tournaments.domain import door_merge
from tournaments.domain.event import CHECKED_IN, RUNNING, Entrant, Round, Tournament
from tournaments.events import DeckAttached, Pair
from tournaments.models import EntrantRow, EventRow

pytestmark = pytest.mark.django_db
ClientOf = Callable[..., Client]
DEADLINE = "2026-06-01T10:00:00.000000Z"


@pytest.fixture
def event_id(olga: Member) -> str:
    """An event with a deadline, open for registration."""
    call_command("load_shipped", verbosity=0)
    made = new_id()
    services.event_create(
        olga.context(),
        event_id=made,
        name="Paper Cup",
        zone="Europe/Zagreb",
        deck_deadline=DEADLINE,
    )
    services.registration_open(olga.context(), event_id=made)
    return made


def enrolled(olga: Member, event_id: str, member: Member) -> str:
    made = services.entrant_enrol(olga.context(), event_id=event_id, person_id=member.person_id)
    return made.entrant_id


def at(hour: int, minute: int = 0) -> Callable[[], datetime]:
    return lambda: datetime(2026, 6, 1, hour, minute, tzinfo=UTC)


def test_paper_checks_in_and_starts_and_keeps_its_hand_in_time(
    event_id: str, olga: Member, alice: Member, bob: Member
) -> None:
    with clock.clock_set(at(9)):
        entrants = [
            enrolled(olga, event_id, one)
            for one in (
                alice,
                bob,
                make_member(21, "Cleo", account=False),
                make_member(22, "Dan", account=False),
            )
        ]
        with pytest.raises(Refused, match="deck_missing"):
            services.entrant_check_in(olga.context(), event_id=event_id, entrant_id=entrants[0])
        for entrant in entrants[:3]:
            services.paper_receive(olga.context(), event_id=event_id, entrant_id=entrant)
            services.entrant_check_in(olga.context(), event_id=event_id, entrant_id=entrant)
    with clock.clock_set(at(11)):
        services.paper_receive(olga.context(), event_id=event_id, entrant_id=entrants[3])
        services.entrant_check_in(olga.context(), event_id=event_id, entrant_id=entrants[3])
        services.registration_close(olga.context(), event_id=event_id)
        services.event_start(olga.context(), event_id=event_id)
        services.round_pair(olga.context(), event_id=event_id, seed=1)
        services.round_publish(olga.context(), event_id=event_id, number=1)
    with clock.clock_set(at(12)):
        for entrant in entrants[:2]:
            kept = services.paper_enter(
                olga.context(), event_id=event_id, entrant_id=entrant, content=starter()
            )
            assert (kept.state, kept.errors) == ("entered", [])
    lines = {one.side.entrant_id: one for one in selectors.hand_ins(olga.actor, event_id)}
    assert [lines[one].late for one in entrants] == [False, False, False, True]
    assert [lines[one].state for one in entrants] == ["entered", "entered", "paper", "paper"]
    assert DeckInForce.objects.filter(locked=True).count() == 4
    match_id = selectors.pairings(olga.actor, event_id, 1).tables[0].match_id
    table = selectors.pairings(olga.actor, event_id, 1).tables[0]
    now = selectors.lists_of_match(olga.actor, match_id)
    sides = {"P1": table.p1.entrant_id, "P2": table.p2.entrant_id}
    typed = {seat for seat, one in sides.items() if one in entrants[:2]}
    assert (set(now.lists), now.paper) == (typed, sides.keys() - typed)
    assert rebuilds_equal("decks.in_force", "tournaments.board") == 2


def test_a_mark_by_mistake_is_taken_back_with_the_right_to_check_in(
    event_id: str, olga: Member, alice: Member
) -> None:
    with clock.clock_set(at(9)):
        entrant = enrolled(olga, event_id, alice)
        services.paper_receive(olga.context(), event_id=event_id, entrant_id=entrant)
        services.paper_return(olga.context(), event_id=event_id, entrant_id=entrant)
        assert EntrantRow.objects.get(pk=entrant).deck_id == ""
        with pytest.raises(Refused, match="deck_missing"):
            services.entrant_check_in(olga.context(), event_id=event_id, entrant_id=entrant)
        with pytest.raises(Refused, match="no_list"):
            services.paper_return(olga.context(), event_id=event_id, entrant_id=entrant)
        services.deck_submit(
            alice.context(), event_id=event_id, entrant_id=entrant, content=starter()
        )
        with pytest.raises(Refused, match="list_there"):
            services.paper_receive(olga.context(), event_id=event_id, entrant_id=entrant)
        for member in (alice, make_member(23, "Eve", account=False)):
            with pytest.raises(NotAllowed):
                services.paper_receive(member.context(), event_id=event_id, entrant_id=entrant)
    assert rebuilds_equal("decks.in_force", "tournaments.board", "portal.live") == 3


@pytest.mark.parametrize("paper", [True, False])
def test_dropping_and_registering_again_does_not_swap_a_list(
    event_id: str, olga: Member, alice: Member, paper: bool
) -> None:
    tide = starter("starter-tide")
    with clock.clock_set(at(9)):
        entrant = enrolled(olga, event_id, alice)
        if paper:
            services.paper_receive(olga.context(), event_id=event_id, entrant_id=entrant)
        else:
            services.deck_submit(
                alice.context(), event_id=event_id, entrant_id=entrant, content=starter()
            )
        before = EntrantRow.objects.get(pk=entrant).deck_id
    with clock.clock_set(at(11)):  # the deadline is over

        def replace(member: Member, code: str) -> None:
            with pytest.raises(Refused, match=code):
                services.deck_submit(
                    member.context(), event_id=event_id, entrant_id=entrant, content=tide
                )

        for again in (
            lambda: services.entrant_enrol_self(alice.context(), event_id=event_id).entrant_id,
            lambda: enrolled(olga, event_id, alice),
        ):
            services.entrant_drop(alice.context(), event_id=event_id, entrant_id=entrant)
            replace(alice, "entrant_out")
            with pytest.raises(Refused, match="entrant_out"):
                services.paper_receive(olga.context(), event_id=event_id, entrant_id=entrant)
            assert again() == entrant, "the same person is the same entrant"
            for member in (alice, olga):
                replace(member, "deck_deadline_passed")
    assert EntrantRow.objects.filter(event_id=event_id).count() == 1
    assert EntrantRow.objects.get(pk=entrant).deck_id == before
    assert DeckInForce.objects.get(pk=before).number == (0 if paper else 1)


def test_the_page_of_lists_counts_filters_and_receives_in_one_tap(
    event_id: str,
    olga: Member,
    alice: Member,
    bob: Member,
    charlie: Member,
    jude: Member,
    client_of: ClientOf,
) -> None:
    with clock.clock_set(at(9)):
        ea, eb = enrolled(olga, event_id, alice), enrolled(olga, event_id, bob)
    client, page = client_of(olga), f"/staff/events/{event_id}/lists/"
    sent = {"act": "receive", "entrant_id": ea, "deck_id": new_id(), "nonce": new_id()}
    assert client.post(page, sent).status_code == 302
    assert client.post(page, sent).status_code == 302  # a double tap
    body = client.get(page).content.decode()
    assert "1 missing of 2" in body
    assert "Paper of Bob received" in body
    assert "Paper of Alice received" not in body
    for show, names in (
        ("missing", ("Bob",)),
        ("paper", ("Alice",)),
        ("late", ("Alice",)),
        ("checked", ()),
    ):
        shown = client.get(f"{page}?show={show}").content.decode()
        assert [name for name in ("Alice", "Bob") if f'">{name}</a>' in shown] == list(names)
    mine = client_of(alice).get(f"/my/{event_id}/deck/").content.decode()
    assert "Your list is handed in on paper" in mine
    assert 'name="content"' not in mine
    one = f"{page}{ea}/"
    typed = {"act": "enter", "content": "Main Deck:\n3 No Such Thing", "nonce": new_id()}
    assert client.post(one, typed).status_code == 302
    body = client.get(one).content.decode()
    assert "A line that names no card" in body
    assert "3 No Such Thing" in body
    mine = client_of(alice).get(f"/my/{event_id}/deck/").content.decode()
    assert "Your paper list is not legal" in mine
    refused = client.post(one, {"act": "confirm", "number": "1", "nonce": new_id()})
    assert refused.status_code == 409
    assert "A judge repairs it" in refused.content.decode()
    client.post(one, {"act": "enter", "content": starter(), "nonce": new_id()})
    client.post(one, {"act": "confirm", "number": "2", "nonce": new_id()})
    assert DeckInForce.objects.get(entrant_id=ea).state == "checked"
    for member in (alice, charlie, None):
        for address in (page, one):
            assert client_of(member).get(address).status_code in (302, 404)
            assert client_of(member).post(address, sent).status_code in (302, 404)
    assert EventRow.objects.get(pk=event_id).decks_required
    assert client.get(f"{page}{eb}/").status_code == 200
    assert client.get(f"{page}{new_id()}/").status_code == 404


def test_a_photo_is_sent_shown_and_erased(
    event_id: str, olga: Member, alice: Member, charlie: Member, client_of: ClientOf
) -> None:
    with clock.clock_set(at(9)):
        entrant = enrolled(olga, event_id, alice)
        services.paper_receive(olga.context(), event_id=event_id, entrant_id=entrant)
    client = client_of(olga)
    there = f"/staff/photos/lists/{event_id}/{entrant}/"
    made = io.BytesIO()
    Image.new("RGB", (40, 30), "navy").save(made, "PNG")

    def send(body: bytes) -> int:
        file = SimpleUploadedFile("../x.jpg", body, content_type="image/jpeg")
        sent = {"act": "photo", "photo_id": new_id(), "nonce": new_id(), "photo": file}
        return client.post(there, sent).status_code

    assert send(b"no picture at all") == 409
    assert send(made.getvalue()) == 302
    photo_id = Photo.objects.get().pk
    page = f"/staff/events/{event_id}/lists/{entrant}/"
    assert f'src="/staff/photos/{photo_id}/"' in client.get(page).content.decode()
    got = client.get(f"/staff/photos/{photo_id}/")
    assert (got.status_code, got["Content-Type"]) == (200, "image/jpeg")
    assert got.content[:3] == b"\xff\xd8\xff"
    for member in (alice, charlie):
        assert client_of(member).get(f"/staff/photos/{photo_id}/").status_code == 404
    assert client.get(f"/staff/photos/{new_id()}/").status_code == 404
    gone = {"act": "photo_erase", "photo_id": photo_id, "nonce": new_id()}
    assert client.post(page, gone).status_code == 302
    assert client.get(f"/staff/photos/{photo_id}/").status_code == 404
    assert not Photo.objects.exists()


def test_a_player_cannot_tell_whether_the_paper_was_photographed(
    event_id: str, olga: Member, alice: Member, bob: Member, client_of: ClientOf
) -> None:
    with clock.clock_set(at(9)):
        entrant = enrolled(olga, event_id, alice)
        kept = services.paper_receive(olga.context(), event_id=event_id, entrant_id=entrant)
    addresses = [
        f"/my/{event_id}/",
        f"/my/{event_id}/deck/",
        f"/events/{event_id}/",
        f"/api/v1/decks/{kept.deck_id}",
        f"/api/v1/events/{event_id}/entrants",
        f"/staff/events/{event_id}/lists/{entrant}/",
    ]
    readers = [client_of(alice), client_of(bob), client_of(None)]

    def look() -> list[Seen]:
        return [seen(reader, address) for reader in readers for address in addresses]

    def photograph(colour: str) -> None:
        made = io.BytesIO()
        Image.new("RGB", (9, 9), colour).save(made, "PNG")
        picture = cleaned(made.getvalue())
        assert isinstance(picture, Picture)
        decks.photo_add(olga.context(), deck_id=kept.deck_id, photo_id=new_id(), picture=picture)

    look()
    before = look()
    assert before[3].status == 200
    photograph("red")
    photograph("blue")
    assert look() == before
    assert DeckInForce.objects.get(pk=kept.deck_id).state == "photographed"


def test_a_merge_takes_the_deck_lists_along(
    olga: Member, alice: Member, client_of: ClientOf
) -> None:
    """Both have a list: one is chosen, the other is kept apart, and an undone merge gives either
    back. The list of the id that goes opens to both phones."""
    call_command("load_shipped", verbosity=0)
    bob = make_member(61, "Alice", account=False)
    event_id, other = new_id(), new_id()
    for made in (event_id, other):
        services.event_create(olga.context(), event_id=made, name="Two Lists Cup")
        services.registration_open(olga.context(), event_id=made)
    ea, eb, there = (
        services.entrant_enrol(
            olga.context(), event_id=made, person_id=one.person_id, other_person=True
        ).entrant_id
        for made, one in ((event_id, alice), (event_id, bob), (other, bob))
    )
    deck = starter()
    for where, who in ((event_id, eb), (other, there)):
        services.deck_submit(bob.context(), event_id=where, entrant_id=who, content=deck)
    services.paper_receive(olga.context(), event_id=event_id, entrant_id=ea)
    rows = DeckInForce.objects.order_by("pk")
    before = (list(rows.values()), list(EntrantRow.objects.order_by("pk").values()))
    pair = {"event_id": event_id, "keep": alice.person_id, "gone": bob.person_id}
    for wrong, code in (({}, "both_lists"), ({"lists": "mine"}, "choice_unknown")):
        with pytest.raises(Refused, match=rf"tournaments\.{code}"):
            services.persons_merge(olga.context(), **pair, **wrong)
    page = f"/staff/events/{event_id}/door/?q=%231"
    door = client_of(olga).get(page).content.decode()
    assert door.count('name="lists"') == 1
    other_way = client_of(olga).get(page.replace("%231", "%232")).content.decode()
    for shown, keep, gone, stays in ((door, 1, 2, alice), (other_way, 2, 1, bob)):
        # whose list it is, by name and number; without a log-in the one looked at stays
        assert f'name="person_id" value="{stays.person_id}"' in shown
        assert f'<option value="keep">Alice #{keep}</option>' in shown
        assert f'<option value="gone">Alice #{gone}</option>' in shown
    services.persons_merge(olga.context(), **pair, lists="gone")
    paper = next(one["deck_id"] for one in before[0] if not one["number"])
    mine = EntrantRow.objects.get(pk=ea)
    assert mine.persons == [alice.person_id, bob.person_id]
    assert rows.get(pk=mine.deck_id).number == 1
    assert (rows.get(entrant_id=ea).pk, rows.get(entrant_id=eb).pk) == (mine.deck_id, paper)
    moved = EntrantRow.objects.get(pk=there)
    assert rows.get(pk=moved.deck_id).person_id == alice.person_id
    for member in (alice, bob):
        assert selectors_deck(member, mine.deck_id) == 1
        sent = {"event_id": event_id, "entrant_id": ea, "content": deck}
        assert services.deck_submit(member.context(), **sent).unchanged
    rebuilds_equal("decks.in_force", "tournaments.board", "tournaments.door")
    services.merge_undo(olga.context(), event_id=event_id, gone=bob.person_id)
    assert (list(rows.values()), list(EntrantRow.objects.order_by("pk").values())) == before
    with pytest.raises(NotAllowed):
        selectors_deck(alice, mine.deck_id)
    assert selectors_deck(bob, mine.deck_id) == 1
    services.persons_merge(olga.context(), **pair, lists="keep")
    assert EntrantRow.objects.get(pk=ea).deck_id == paper
    rebuilds_equal("decks.in_force", "tournaments.board")


def selectors_deck(member: Member, deck_id: str) -> int:
    """The version of a list that a member reads."""
    return reads.deck_in_force(member.actor, deck_id).number


def test_the_list_that_was_played_with_counts() -> None:
    pair = Pair("m", 1, "x", "z")
    on = Round(1, "swiss", (pair,), (), published=True)

    def merged(mine: str | None, theirs: str | None, lists: str = "") -> object:
        players = {
            "x": Entrant("x", 1, ("keep",), CHECKED_IN, deck_id=mine, ready=True),
            "y": Entrant("y", 2, ("gone",), CHECKED_IN, deck_id=theirs, ready=True),
        }
        state = Tournament(event_id="e", status=RUNNING, entrants=players, rounds=(on,))
        made = door_merge.merge(state, keep="keep", gone="gone", lists=lists)
        if isinstance(made, Refusal):
            return made.code
        return [(one.entrant_id, one.deck_id) for one in made if isinstance(one, DeckAttached)]

    assert merged("a", "b") == []
    assert merged("a", "b", "keep") == []
    assert merged("a", "b", "gone") == "tournaments.list_played"
    assert merged("a", None) == []
    assert merged(None, "b") == [("x", "b")]
