"""Commands on people against the database."""

from __future__ import annotations

from datetime import timedelta

import pytest

from eventstore import clock, store
from eventstore.commands import CommandReused, Context
from eventstore.domain.refusal import Refused
from eventstore.ids import new_id
from people import services, vault
from people.access import NotAllowed
from people.domain.actor import ANONYMOUS, SYSTEM
from people.joinlinks import JoinLink, make, read
from people.models import Person, PersonKey, RoleRow
from people.selectors import actor_for, people_search
from tests.altered import altered
from tests.helpers import rebuilds_equal

pytestmark = pytest.mark.django_db


def system() -> Context:
    return Context(actor=SYSTEM, source="system")


def test_no_name_stands_in_an_event(olga) -> None:
    services.person_register(
        olga.context(), person_id=new_id(), display_name="Zsófia Quite Unusual", card_game_id="77"
    )
    with_names = [
        one for one in store.read_all() if "Unusual" in repr(one) or "0000000077" in repr(one)
    ]
    assert with_names == []


def test_a_stranger_cannot_register_people(charlie) -> None:
    for context in (charlie.context(), Context(actor=ANONYMOUS, source="player")):
        with pytest.raises(NotAllowed):
            services.person_register(context, person_id=new_id(), display_name="Mallory")
    assert not Person.objects.filter(display_name="Mallory").exists()


def test_a_card_game_id_belongs_to_one_person(olga) -> None:
    services.person_register(
        olga.context(), person_id=new_id(), display_name="Dora", card_game_id="5"
    )
    with pytest.raises(Refused) as refused:
        services.person_register(
            olga.context(), person_id=new_id(), display_name="Ivo", card_game_id="0000000005"
        )
    assert refused.value.refusal.code == "people.card_game_id_taken"
    assert not Person.objects.filter(display_name="Ivo").exists()


def test_the_same_command_again_gives_the_first_outcome(olga) -> None:
    context = olga.context()
    values = {"person_id": new_id(), "display_name": "Dora"}
    assert services.person_register(context, **values) == values["person_id"]
    before = store.head_position()
    assert services.person_register(context, **values) == values["person_id"]
    assert store.head_position() == before
    with pytest.raises(CommandReused):
        services.person_register(context, person_id=values["person_id"], display_name="Else")


def test_editing_names_the_fields_and_not_their_values(olga, alice) -> None:
    services.person_edit(olga.context(), person_id=alice.person_id, display_name="Alicia")
    last = store.read_stream(f"person-{alice.person_id}")[-1]
    assert last.data.fields == ("display_name", "sort_name")
    assert Person.objects.get(pk=alice.person_id).display_name == "Alicia"
    before = store.head_position()
    services.person_edit(olga.context(), person_id=alice.person_id, display_name="Alicia")
    assert store.head_position() == before


def test_roles_come_and_go_and_survive_a_rebuild(olga, jude) -> None:
    event = new_id()
    jude.grant("judge", event)
    assert {role.value for role in jude.actor.roles_in(event)} == {"judge"}
    rebuilds_equal("people.roles")
    services.role_end(olga.context(), person_id=jude.person_id, role="judge", event_id=event)
    assert jude.actor.roles_in(event) == frozenset()
    rebuilds_equal("people.roles")
    with pytest.raises(Refused) as refused:
        services.role_end(olga.context(), person_id=jude.person_id, role="judge", event_id=event)
    assert refused.value.refusal.code == "people.role_not_held"


def test_a_role_ends_by_its_time(jude) -> None:
    event = new_id()
    until = clock.as_text(clock.now() + timedelta(hours=1))
    services.role_grant(
        system(), person_id=jude.person_id, role="judge", event_id=event, until=until
    )
    assert jude.actor.roles_in(event)
    later = clock.now() + timedelta(hours=2)
    with clock.clock_set(lambda: later):
        assert not jude.actor.roles_in(event)


def test_a_device_on_a_join_link_has_no_staff_powers(jude, olga) -> None:
    event = new_id()
    jude.grant("judge", event)
    assert actor_for(jude.person_id, signed_in=False).roles_in(event) == frozenset()
    assert not actor_for(olga.person_id, signed_in=False).site_organiser


def test_a_judge_cannot_make_another_judge(jude, charlie) -> None:
    event = new_id()
    jude.grant("judge", event)
    with pytest.raises(NotAllowed):
        services.role_grant(
            jude.context(), person_id=charlie.person_id, role="judge", event_id=event
        )
    assert not RoleRow.objects.filter(person_id=charlie.person_id).exists()


def test_unknown_role_and_person_are_refused(olga, alice) -> None:
    with pytest.raises(Refused) as refused:
        services.role_grant(olga.context(), person_id=alice.person_id, role="emperor")
    assert refused.value.refusal.code == "people.unknown_role"
    with pytest.raises(Refused) as refused:
        services.role_grant(olga.context(), person_id=new_id(), role="judge")
    assert refused.value.refusal.code == "people.unknown_person"


def test_the_desk_finds_people_without_their_accents(olga) -> None:
    services.person_register(olga.context(), person_id=new_id(), display_name="Đặng Łukasz")
    assert [person.display_name for person in people_search(olga.actor, "lukasz")] == [
        "Đặng Łukasz"
    ]


def test_join_links_are_signed() -> None:
    link = JoinLink(new_id(), new_id())
    token = make(link)
    assert read(token) == link
    assert read(altered(token)) is None
    assert read("rubbish") is None


def test_sealed_text_opens_only_with_its_authors_key(alice, bob) -> None:
    sealed = vault.seal(alice.person_id, "Bob drew twice.")
    assert "Bob" not in sealed
    assert vault.open_text(alice.person_id, sealed) == "Bob drew twice."
    vault.seal(bob.person_id, "something")
    assert vault.open_text(bob.person_id, sealed) is None
    PersonKey.objects.filter(person_id=alice.person_id).delete()
    assert vault.open_text(alice.person_id, sealed) is None
