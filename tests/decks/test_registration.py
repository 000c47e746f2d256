"""Handing in a list: versions, refusals, lock, who may read it."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.management import call_command

from cards import selectors as cards
from cards import shipped
from decks import selectors, services
from decks.models import DeckInForce
from eventstore import store
from eventstore.commands import CommandReused, Context
from eventstore.domain.refusal import Refused
from eventstore.ids import new_id
from people import vault
from people.access import NotAllowed
from people.domain.actor import ANONYMOUS, SYSTEM
from tests.helpers import queries, rebuilds_equal

pytestmark = pytest.mark.django_db

EVENT, ENTRANT, DECK = new_id(), new_id(), new_id()
EMBER, TIDE = (shipped.decks()[name] for name in ("starter-ember", "starter-tide"))


@pytest.fixture
def banlist_id(db: None) -> str:
    """The shipped cards and the id of the starter list."""
    call_command("load_shipped", verbosity=0)
    (row,) = cards.banlists(SYSTEM)
    return row.pk


def submit(member: Any, limits: str | None, content: str | bytes = EMBER, **other: Any) -> Any:
    values = {
        "deck_id": DECK,
        "event_id": EVENT,
        "entrant_id": ENTRANT,
        "person_id": member.person_id,
        "content": content,
        "preset": "classic",
        "banlist_id": limits,
    }
    return services.list_submit(member.context(), **{**values, **other})


def stream() -> list[str]:
    return [one.type for one in store.read_stream(f"deck-{DECK}")]


def test_a_legal_list_is_taken_with_what_it_was_checked_against(
    alice: Any, banlist_id: str
) -> None:
    taken = submit(alice, banlist_id)
    assert (taken.number, taken.unchanged, taken.counts["main"]) == (1, False, 50)
    (recorded,) = store.read_stream(f"deck-{DECK}")
    event: Any = recorded.data
    assert event.catalogue_hash == shipped.catalogue().hash
    assert event.banlist_hash == shipped.banlist().content_hash
    assert event.deck_hash == taken.deck_hash
    assert len(event.main) == 50
    row = DeckInForce.objects.get()
    assert (row.entrant_id, row.number, row.main, row.side, row.locked) == (
        ENTRANT,
        1,
        50,
        0,
        False,
    )
    assert rebuilds_equal("decks.in_force") == 1


def test_a_second_list_is_a_second_version_and_the_same_again_is_none(
    alice: Any, banlist_id: str
) -> None:
    submit(alice, banlist_id)
    assert submit(alice, banlist_id).unchanged
    again = submit(alice, banlist_id, TIDE)
    assert (again.number, again.unchanged) == (2, False)
    assert stream() == ["decks.list_submitted"] * 2
    history = selectors.deck_versions(alice.actor, DECK)
    assert [one.number for one in history.versions] == [1, 2]
    assert selectors.deck_in_force(alice.actor, DECK).deck == history.versions[1].deck
    rebuilds_equal("decks.in_force")


def test_an_illegal_list_is_refused_as_a_whole(alice: Any, banlist_id: str) -> None:
    submit(alice, banlist_id)
    raigeki, lines = "12580477", EMBER.splitlines()
    bad = "\n".join([*lines[:41], raigeki, "#extra", "!side", "23771716"])
    with pytest.raises(Refused) as refused:
        submit(alice, banlist_id, bad)
    refusal = refused.value.refusal
    assert refusal.code == "decks.illegal_list"
    assert refusal.also == ("YGO-3.3", "YGO-3.8")
    assert [one["code"] for one in refusal.params["errors"]] == ["side_size", "forbidden"]
    assert refusal.params["counts"] == {"main": 40, "extra": 0, "side": 1}
    assert stream() == ["decks.list_submitted"]
    with pytest.raises(Refused) as empty:
        submit(alice, banlist_id, b"", deck_id=new_id())
    assert [one["code"] for one in empty.value.refusal.params["errors"]] == [
        "empty_input",
        "main_too_small",
    ]
    assert DeckInForce.objects.count() == 1


def test_a_locked_list_is_changed_only_after_an_unlock_with_a_reason(
    alice: Any, hedda: Any, banlist_id: str
) -> None:
    hedda.grant("head_judge", EVENT)
    submit(alice, banlist_id)
    locked = services.list_lock(hedda.context(), deck_id=DECK)
    assert (locked.number, locked.locked) == (1, True)
    services.list_lock(hedda.context(), deck_id=DECK)
    assert stream() == ["decks.list_submitted", "decks.list_locked"]
    with pytest.raises(Refused) as refused:
        submit(alice, banlist_id, TIDE)
    assert refused.value.refusal.code == "decks.list_locked"
    for reason, code in (("  ", "decks.reason_missing"), ("x" * 501, "decks.reason_too_long")):
        with pytest.raises(Refused) as refused:
            services.list_unlock(hedda.context(), deck_id=DECK, reason=reason)
        assert refused.value.refusal.code == code
    services.list_unlock(hedda.context(), deck_id=DECK, reason="a torn card")
    assert not DeckInForce.objects.get().locked
    assert submit(alice, banlist_id, TIDE).number == 2
    with pytest.raises(Refused) as refused:
        services.list_unlock(hedda.context(), deck_id=DECK, reason="again")
    assert refused.value.refusal.code == "decks.list_not_locked"
    marks = selectors.deck_versions(hedda.actor, DECK).marks
    assert [(one.locked, one.reason) for one in marks] == [(True, None), (False, "a torn card")]
    unlocked: Any = store.read_stream(f"deck-{DECK}")[2].data
    assert "torn" not in unlocked.reason
    assert vault.open_text(hedda.person_id, unlocked.reason) == "a torn card"
    rebuilds_equal("decks.in_force")


def test_nobody_hands_in_or_reads_for_another(
    alice: Any, bob: Any, charlie: Any, jude: Any, banlist_id: str
) -> None:
    for member in (bob, charlie, jude):
        with pytest.raises(NotAllowed):
            submit(member, banlist_id, person_id=alice.person_id)
    submit(alice, banlist_id)
    jude.grant("judge", EVENT)
    assert len(selectors.deck_in_force(jude.actor, DECK).deck.main) == 50
    for actor in (bob.actor, charlie.actor, ANONYMOUS):
        for read in (selectors.deck_in_force, selectors.deck_versions):
            with pytest.raises(NotAllowed) as fault:
                read(actor, DECK)
            assert fault.value.hidden
        with pytest.raises(NotAllowed):
            selectors.decks_of_event(actor, EVENT)
    for member in (alice, bob, charlie, jude):
        with pytest.raises(NotAllowed):
            services.list_lock(member.context(), deck_id=DECK)
    assert [one.deck_id for one in selectors.decks_of_event(jude.actor, EVENT)] == [DECK]


def test_a_deck_that_is_not_there_answers_like_one_that_is_not_yours(
    alice: Any, charlie: Any, banlist_id: str
) -> None:
    submit(alice, banlist_id)
    faults = []
    for deck_id in (DECK, new_id()):
        with queries() as seen, pytest.raises(NotAllowed) as fault:
            selectors.deck_in_force(charlie.actor, deck_id)
        faults.append((fault.value.hidden, str(fault.value), len(seen)))
    assert faults[0] == faults[1]


def test_a_deck_stays_with_its_entrant(alice: Any, bob: Any, banlist_id: str) -> None:
    submit(alice, banlist_id)
    for change in ({"entrant_id": new_id()}, {"event_id": new_id()}):
        with pytest.raises(Refused) as refused:
            submit(alice, banlist_id, TIDE, **change)
        assert refused.value.refusal.code == "decks.not_this_entrant"
    with pytest.raises(Refused) as refused:
        submit(bob, banlist_id, TIDE)
    assert refused.value.refusal.code == "decks.not_this_entrant"
    assert stream() == ["decks.list_submitted"]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"preset": "nothing"}, "decks.unknown_preset"),
        ({"banlist_id": "nothing"}, "decks.unknown_banlist"),
        ({"deck_id": "../x"}, "decks.bad_id"),
    ],
)
def test_bad_arguments_have_codes(
    alice: Any, banlist_id: str, change: dict[str, str], code: str
) -> None:
    with pytest.raises(Refused) as refused:
        submit(alice, banlist_id, **change)
    assert refused.value.refusal.code == code
    assert not DeckInForce.objects.exists()


def test_a_lock_needs_a_list() -> None:
    for call in (
        lambda context: services.list_lock(context, deck_id=new_id()),
        lambda context: services.list_unlock(context, deck_id=new_id(), reason="x"),
    ):
        with pytest.raises(Refused) as refused:
            call(Context(actor=SYSTEM, source="system"))
        assert refused.value.refusal.code == "decks.no_list"


def test_a_command_sent_twice_has_one_effect(alice: Any, banlist_id: str) -> None:
    context = alice.context()
    values: dict[str, Any] = {
        "deck_id": DECK,
        "event_id": EVENT,
        "entrant_id": ENTRANT,
        "person_id": alice.person_id,
        "preset": "classic",
        "banlist_id": banlist_id,
    }
    first = services.list_submit(context, content=EMBER, **values)
    assert services.list_submit(context, content=EMBER, **values) == first
    with pytest.raises(CommandReused):
        services.list_submit(context, content=TIDE, **values)
    assert stream() == ["decks.list_submitted"]


def test_the_api_checks_and_keeps_nothing(client: Any, banlist_id: str) -> None:
    good = client.post(
        "/api/v1/decks/check",
        {"content": EMBER, "preset": "classic", "banlist_id": banlist_id},
        content_type="application/json",
    )
    assert good.status_code == 200
    assert (good.json()["legal"], good.json()["format"]) == (True, "ydk")
    bad = client.post(
        "/api/v1/decks/check", {"content": "4 Nothing At All"}, content_type="application/json"
    ).json()
    assert [one["code"] for one in bad["errors"]] == ["unresolved_line", "main_too_small"]
    assert bad["deck"]["unresolved"] == [{"section": "main", "line": 1, "text": "4 Nothing At All"}]
    for body, code in (
        ({"content": EMBER, "preset": "x"}, "decks.unknown_preset"),
        ({"content": EMBER, "banlist_id": "x"}, "decks.unknown_banlist"),
        ({}, "invalid"),
        ({"content": "9" * 300_000}, "invalid"),
    ):
        answer = client.post("/api/v1/decks/check", body, content_type="application/json")
        assert answer.status_code in (400, 409)
        assert answer.json()["code"] == code
    assert not DeckInForce.objects.exists()
    assert client.get("/api/v1/decks/check").status_code == 405


def test_the_api_shows_a_list_to_its_player_and_hides_it_from_others(
    alice: Any, bob: Any, charlie: Any, client_of: Any, banlist_id: str
) -> None:
    submit(alice, banlist_id)
    body = client_of(alice, events=[EVENT]).get(f"/api/v1/decks/{DECK}").json()
    assert (body["number"], body["locked"], len(body["deck"]["main"])) == (1, False, 50)
    for member in (bob, charlie, None):
        theirs = client_of(member, events=[EVENT]).get(f"/api/v1/decks/{DECK}")
        nothing = client_of(member, events=[EVENT]).get(f"/api/v1/decks/{new_id()}")
        assert theirs.status_code == nothing.status_code == 404
        assert theirs.content == nothing.content


def test_the_admin_shows_who_handed_in_and_no_cards(
    alice: Any, olga: Any, charlie: Any, client_of: Any, banlist_id: str
) -> None:
    submit(alice, banlist_id)
    client = client_of(olga)
    listed = client.get("/admin/decks/deckinforce/")
    assert listed.status_code == 200
    assert b"Alice" in listed.content
    opened = client.get(f"/admin/decks/deckinforce/{DECK}/change/")
    assert opened.status_code == 200
    for key in set(EMBER.split()[3:20]):
        assert key.encode() not in listed.content + opened.content
    for path in ("add/", f"{DECK}/delete/"):
        assert client.get(f"/admin/decks/deckinforce/{path}").status_code == 403
    assert client_of(charlie).get("/admin/decks/deckinforce/").status_code != 200
