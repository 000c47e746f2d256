"""The permission table: what each of the cast may do and know, as pure values."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from people.domain.actor import ANONYMOUS, SYSTEM, Actor
from people.domain.permissions import TABLE, Subject, UnknownAction, Verdict, can
from people.domain.roles import Relation, Role

EVENT, OTHER = "event-1", "event-2"
ALICE = Actor(person_id="alice")
BOB = Actor(person_id="bob")
CHARLIE = Actor(person_id="charlie", signed_in=True)
OLGA = Actor(person_id="olga", signed_in=True, event_roles={EVENT: frozenset({Role.ORGANISER})})
JUDE = Actor(person_id="jude", signed_in=True, event_roles={EVENT: frozenset({Role.JUDGE})})
HEDDA = Actor(person_id="hedda", signed_in=True, event_roles={EVENT: frozenset({Role.HEAD_JUDGE})})
SITE = Actor(person_id="site", signed_in=True, site_organiser=True)
TABLE_OF_ALICE = Subject(event_id=EVENT, owners=frozenset({"alice", "bob"}), public=False)


@pytest.mark.parametrize(
    ("action", "actor", "verdict"),
    [
        ("decks.list_read", ALICE, Verdict.ALLOWED),
        ("decks.list_read", CHARLIE, Verdict.HIDDEN),
        ("decks.list_read", JUDE, Verdict.ALLOWED),
        ("decks.list_submit", JUDE, Verdict.FORBIDDEN),
        ("decks.list_lock", ALICE, Verdict.FORBIDDEN),
        ("tournaments.result_claim", BOB, Verdict.ALLOWED),
        ("tournaments.result_claim", CHARLIE, Verdict.HIDDEN),
        ("tournaments.result_enter", JUDE, Verdict.FORBIDDEN),
        ("tournaments.result_enter", OLGA, Verdict.ALLOWED),
        ("judging.call_take", JUDE, Verdict.ALLOWED),
        ("judging.call_take", ALICE, Verdict.FORBIDDEN),
        ("judging.call_take", ANONYMOUS, Verdict.HIDDEN),
        ("judging.rewind_order", JUDE, Verdict.FORBIDDEN),
        ("judging.rewind_order", HEDDA, Verdict.ALLOWED),
        ("duels.duel_read_as_judge", SITE, Verdict.HIDDEN),
    ],
)
def test_the_cast_at_a_table(action: str, actor: Actor, verdict: Verdict) -> None:
    assert can(actor, action, TABLE_OF_ALICE) is verdict


def test_a_role_of_one_event_gives_nothing_in_another() -> None:
    elsewhere = Subject(event_id=OTHER, owners=frozenset({"alice"}), public=False)
    for action in TABLE:
        for actor in (JUDE, HEDDA, OLGA):
            assert can(actor, action, elsewhere) is can(
                Actor(person_id=actor.person_id, signed_in=True), action, elsewhere
            ), action


def test_a_judge_who_plays_is_no_judge_of_the_own_table() -> None:
    own = Subject(event_id=EVENT, owners=frozenset({HEDDA.person_id or "", "bob"}), public=False)
    token = replace(HEDDA, scopes=frozenset({"judge", "read"}))
    for action, row in TABLE.items():
        if row.apart:
            known = Verdict.FORBIDDEN if Relation.OWN in row.knows else Verdict.HIDDEN
            assert can(HEDDA, action, own) is known, action
            assert can(token, action, own) is not Verdict.ALLOWED, action
            elsewhere = can(HEDDA, action, TABLE_OF_ALICE)
            assert (elsewhere is Verdict.ALLOWED) is (Relation.HEAD_JUDGE in row.may), action
    apart = {action for action, row in TABLE.items() if row.apart}
    assert {"duels.duel_write_down", "duels.duel_rewind", "judging.deck_check"} <= apart


def test_an_action_without_a_row_is_an_error() -> None:
    with pytest.raises(UnknownAction):
        can(OLGA, "tournaments.made_up")


@given(
    action=st.sampled_from(sorted(TABLE)),
    roles=st.frozensets(st.sampled_from(list(Role))),
    owner=st.booleans(),
    public=st.booleans(),
)
def test_more_relations_never_allow_less(
    action: str, roles: frozenset[Role], owner: bool, public: bool
) -> None:
    order = [Verdict.HIDDEN, Verdict.FORBIDDEN, Verdict.ALLOWED]
    less = Actor(person_id="somebody", signed_in=True)
    more = Actor(person_id="somebody", signed_in=True, event_roles={EVENT: roles})
    subject = Subject(
        event_id=EVENT, owners=frozenset({"somebody"} if owner else ()), public=public
    )
    assert order.index(can(more, action, subject)) >= order.index(can(less, action, subject))


def test_whoever_may_do_a_thing_may_know_of_it() -> None:
    for action, row in TABLE.items():
        assert row.may <= row.knows, action


def test_what_is_not_public_is_hidden_from_strangers() -> None:
    hidden = Subject(event_id=EVENT, owners=frozenset({"alice"}), public=False)
    for action in TABLE:
        assert can(ANONYMOUS, action, hidden) is Verdict.HIDDEN, action
        assert can(CHARLIE, action, hidden) is Verdict.HIDDEN, action


def test_the_system_may_do_everything() -> None:
    assert all(can(SYSTEM, action, TABLE_OF_ALICE) is Verdict.ALLOWED for action in TABLE)


def test_every_role_is_a_relation() -> None:
    assert {role.value for role in Role} <= {relation.value for relation in Relation}


def test_a_device_owns_its_person_only_where_it_was_bound() -> None:
    bound = Actor(person_id="alice", device_events=frozenset({EVENT}))
    here = Subject(event_id=EVENT, owners=frozenset({"alice"}), public=False)
    there = Subject(event_id=OTHER, owners=frozenset({"alice"}), public=False)
    nowhere = Subject(owners=frozenset({"alice"}), public=False)
    assert can(bound, "tournaments.result_claim", here) is Verdict.ALLOWED
    assert can(bound, "tournaments.result_claim", there) is Verdict.HIDDEN
    assert can(bound, "people.person_edit", nowhere) is Verdict.HIDDEN


def test_a_role_of_an_event_is_no_power_over_a_person() -> None:
    person = Subject(owners=frozenset({"alice"}), public=False)
    for actor in (OLGA, JUDE, HEDDA):
        assert can(actor, "people.person_edit", person) is not Verdict.ALLOWED
    assert can(SITE, "people.person_edit", person) is Verdict.ALLOWED
    assert can(SITE, "people.token_make", person) is not Verdict.ALLOWED
