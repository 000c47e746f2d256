"""Deck checks: a draw anybody can repeat, picks for staff only, counts that two people split,
findings that become the ruling of a judge, an extension by the policy."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.core.management import call_command
from django.test import Client

from decks.domain.decklist import DeckList
from eventstore.domain.refusal import Refused
from eventstore.ids import new_id
from judging import deckcheck, decktable, services
from judging.domain.deckcheck import Found, candidate, compare, draw
from judging.models import CallRow
from judging.packs import newest
from people.access import NotAllowed
from tests.conftest import Member, make_member
from tests.portal.stage import Stage, set_stage
from tournaments.models import MatchRow

TABLES = {f"m{at}": (f"a{at}", f"b{at}") for at in range(20)}


def test_the_draw_follows_from_its_seed_and_takes_the_unchecked_first() -> None:
    assert draw(TABLES, (), 4, "x") == draw(dict(reversed(TABLES.items())), (), 4, "x")
    assert {draw(TABLES, (), 4, str(seed)) for seed in range(50)} != {draw(TABLES, (), 4, "0")}
    seen = {player for at in range(18) for player in TABLES[f"m{at}"]}
    assert set(draw(TABLES, seen, 2, "x")) == {"m18", "m19"}
    assert set(draw(TABLES, seen - {"a0"}, 3, "x")) == {"m18", "m19", "m0"}
    assert draw(TABLES, (), -1, "x") == ()
    assert len(draw(TABLES, (), 99, "x")) == 20


def test_a_count_is_compared_copy_by_copy() -> None:
    expected = ("1", "1", "2", "3")
    assert compare(expected, {}) == ((), ())
    assert compare(expected, {"1": 0, "2": 3}) == (("1", "1"), ("2", "2"))
    assert compare(expected, {"9": 4}) == ((), ())


def test_findings_suggest_the_infraction_of_the_pack() -> None:
    pack = newest("house-rules")
    assert candidate(Found(missing=1), pack) == ("DE-MAJOR", "deck_and_list_differ")
    assert candidate(Found(wrong_language=2), pack) == ("DE-MAJOR", "deck_illegal")
    assert candidate(Found(), pack) is None


@pytest.fixture
def stage(olga: Member, alice: Member, bob: Member, jude: Member, hedda: Member) -> Stage:
    """Round 2 is on; the table of Alice and Bob has an open call."""
    call_command("load_shipped", verbosity=0)
    return set_stage(olga, alice, bob, jude, hedda)


def _picked(stage: Stage, jude: Member) -> list[str]:
    table = MatchRow.objects.get(pk=stage.match_id).table
    return deckcheck.tables_pick(
        jude.context("judge"), event_id=stage.event_id, count=0, targeted=[table or 0], seed="s"
    )


@pytest.mark.django_db
def test_picks_are_for_staff_and_never_repeat(
    stage: Stage, olga: Member, alice: Member, jude: Member, charlie: Member
) -> None:
    assert _picked(stage, jude) == [stage.match_id]
    for member in (alice, charlie, olga):
        with pytest.raises(NotAllowed):
            deckcheck.picks(member.actor, stage.event_id)
        with pytest.raises(NotAllowed):
            deckcheck.tables_pick(member.context(), event_id=stage.event_id, count=1)
    view = deckcheck.picks(jude.actor, stage.event_id)
    assert [(one.match_id, one.targeted) for one in view.tables] == [(stage.match_id, True)]
    more = deckcheck.tables_pick(jude.context("judge"), event_id=stage.event_id, count=50)
    assert stage.match_id not in more
    with pytest.raises(Refused, match="nothing_to_pick"):
        deckcheck.tables_pick(jude.context("judge"), event_id=stage.event_id, count=1)
    with pytest.raises(Refused, match="table_not_open"):
        deckcheck.tables_pick(
            jude.context("judge"), event_id=stage.event_id, count=0, targeted=[999]
        )


@pytest.mark.django_db
def test_a_table_of_the_staff_is_never_picked(stage: Stage, alice: Member, jude: Member) -> None:
    alice.grant("scorekeeper", stage.event_id)
    with pytest.raises(Refused, match="table_not_open"):
        _picked(stage, jude)
    drawn = deckcheck.tables_pick(jude.context("judge"), event_id=stage.event_id, count=50)
    assert stage.match_id not in drawn


@pytest.mark.django_db
def test_who_plays_at_the_table_reads_and_counts_nothing_there(
    stage: Stage, alice: Member, bob: Member, jude: Member
) -> None:
    services.call_withdraw(alice.context(), call_id=stage.call_id)
    call_id = new_id()
    deckcheck.deck_check_begin(jude.context("judge"), match_id=stage.match_id, call_id=call_id)
    bob.grant("judge", stage.event_id)
    with pytest.raises(NotAllowed):
        deckcheck.check(bob.actor, call_id)
    for seat in ("P1", "P2"):
        with pytest.raises(NotAllowed):
            deckcheck.deck_count(
                bob.context("judge"), call_id=call_id, seat=seat, section="main", counted={}
            )
    with pytest.raises(NotAllowed):
        decktable.decks_take(bob.context("judge"), call_id=call_id)
    assert set(deckcheck.check(jude.actor, call_id).lists) == {"P1", "P2"}


@pytest.mark.django_db
def test_two_people_count_and_the_judge_rules_with_the_extension(
    stage: Stage,
    alice: Member,
    bob: Member,
    jude: Member,
    client_of: Callable[..., Client],
) -> None:
    dana = make_member(8, "Dana", account=True)
    dana.grant("deck_checker", stage.event_id)
    _picked(stage, jude)
    with pytest.raises(Refused, match="call_open_there"):
        deckcheck.deck_check_begin(jude.context("judge"), match_id=stage.match_id)
    services.call_withdraw(alice.context(), call_id=stage.call_id)
    client, call_id = client_of(jude), new_id()
    sent = {"act": "begin", "match_id": stage.match_id, "call_id": call_id, "nonce": new_id()}
    page = f"/staff/events/{stage.event_id}/checks/"
    assert client.post(page, sent).headers["Location"] == f"/staff/calls/{call_id}/check/"
    view = deckcheck.check(dana.actor, call_id)
    first = view.deck("P1").main[0]
    sent = {"act": "count", "seat": "P1", "section": "main", f"n-{first}": "0", "nonce": new_id()}
    copies = view.deck("P1").main.count(first)
    assert client_of(dana).post(f"/staff/calls/{call_id}/check/", sent).status_code == 302
    deckcheck.deck_count(
        jude.context("judge"), call_id=call_id, seat="P2", section="main", counted={}
    )
    view = deckcheck.check(jude.actor, call_id)
    one, two = (view.state.found(stage.match_id, who) for who in view.call.entrants)
    assert (one.missing, one.clean, two.clean) == (copies, False, True)
    body = client.get(f"/staff/calls/{call_id}/check/").content.decode()
    assert "Rule on DE-MAJOR" in body
    assert "infraction=DE-MAJOR" in body
    ruling = client.get(f"/staff/calls/{call_id}/?infraction=DE-MAJOR").content.decode()
    assert '<option value="DE-MAJOR" selected>' in ruling
    for member in (alice, bob):
        assert client_of(member).get(f"/staff/calls/{call_id}/check/").status_code == 404
    with pytest.raises(Refused, match="count_range"):
        deckcheck.deck_count(
            jude.context("judge"), call_id=call_id, seat="P1", section="main", counted={first: 100}
        )
    with pytest.raises(Refused, match="no_list_there"):
        deckcheck.deck_count(
            jude.context("judge"), call_id=call_id, seat="P1", section="hand", counted={}
        )
    services.ruling_make(jude.context("judge"), call_id=call_id, rule_id="YGO-3.1")
    done = services.call_close(jude.context("judge"), call_id=call_id)
    bonus = newest("house-rules").time.deck_check_bonus_s
    assert done.extension_s >= bonus
    assert CallRow.objects.get(pk=call_id).kind == "deck_check"
    with pytest.raises(Refused, match="not_a_deck_check"):
        deckcheck.deck_count(
            jude.context("judge"), call_id=call_id, seat="P1", section="main", counted={}
        )
    assert deckcheck.picks(jude.actor, stage.event_id).checked == 2
    assert DeckList() != view.deck("P1")
