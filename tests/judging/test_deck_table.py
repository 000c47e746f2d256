"""A deck check at the table: decks taken and returned, photos, sleeves, conflicts, the cut."""

from __future__ import annotations

import io
import itertools
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from decks import photos
from decks.models import Photo
from decks.pictures import Picture, cleaned
from eventstore.commands import Context
from eventstore.domain.refusal import Refused
from eventstore.ids import new_id
from judging import deckcheck, decktable, services
from judging.domain import deckcheck as domain
from judging.domain.sleeves import Overlap, candidates, marks_refused, overlap, seen_overlap
from judging.packs import newest
from people.access import NotAllowed
from people.domain.actor import Actor
from people.domain.roles import Role
from tests.conftest import Member
from tests.portal.stage import Stage, set_stage
from tournaments import services as tournaments
from tournaments.models import EntrantRow, MatchRow


def test_the_chance_of_an_overlap_is_what_counting_all_decks_gives() -> None:
    for total, group, marked in itertools.product(range(1, 7), range(5), range(5)):
        if max(group, marked) > total:
            continue
        laid = list(itertools.combinations(range(total), marked))
        for both in range(min(group, marked) + 1):
            if marked - both > total - group:
                continue
            hits = sum(sum(at < group for at in one) >= both for one in laid)
            made = overlap(total, group, marked, both)
            assert made.chance == Fraction(hits, len(laid))
            assert (
                made.group_marked + made.group_clean + made.rest_marked + made.rest_clean == total
            )
    assert overlap(40, 3, 3, 3).one_in == 9880
    for wrong in ((40, 3, 3, 4), (4, 3, 3, 1), (3, 4, 1, 1)):
        with pytest.raises(ValueError, match="no such deck"):
            overlap(*wrong)


@given(st.lists(st.sampled_from("abcd"), min_size=1, max_size=12), st.data())
def test_what_lies_under_marked_sleeves_makes_a_table_once_all_is_known(
    deck: list[str], data: Any
) -> None:
    places = data.draw(st.sets(st.integers(1, len(deck)), min_size=1))
    keys = [deck[at - 1] for at in sorted(places)]
    group = data.draw(st.sets(st.sampled_from(sorted(set(deck))), min_size=1))
    assert marks_refused(deck, sorted(places), keys, group, "no") is None
    found = seen_overlap(deck, keys, group)
    assert isinstance(found, Overlap)
    assert 0 < found.chance <= 1
    assert found.group_marked == sum(key in group for key in keys)
    assert seen_overlap(deck, [*keys[:-1], ""], group) is None
    assert seen_overlap(deck, keys, ()) is None


def test_marks_are_held_to_the_deck() -> None:
    deck = ("a", "b", "c")
    for places, keys, group, pattern, code in (
        ((0,), ("",), (), "no", "sleeve_place"),
        ((4,), ("",), (), "no", "sleeve_place"),
        ((1, 1), ("", ""), (), "no", "sleeve_place"),
        ((1,), (), (), "no", "sleeve_place"),
        ((1,), ("x",), (), "no", "sleeve_card"),
        ((1,), ("",), ("x",), "no", "sleeve_card"),
        ((1,), ("",), (), "perhaps", "unknown_answer"),
    ):
        refused = marks_refused(deck, places, keys, group, pattern)
        assert refused is not None
        assert refused.code == f"judging.{code}"
    assert seen_overlap(deck, ("a", "a"), ("a",)) is None, "more copies than the deck has"
    pack = newest("house-rules")
    assert candidates("yes", pack) == [("MC-STRICT", "pattern")]
    assert [code for code, _ in candidates("no", pack)] == ["MC-MINOR", "MC-MAJOR"]
    assert candidates("unsure", pack) == candidates("?", pack) == []


def test_conflicts_are_club_mates_pairs_kept_apart_and_oneself() -> None:
    clubs = {"me": "Pond", "mate": "Pond", "far": "Lake"}
    apart = [("me", "brother"), ("far", "other")]
    assert domain.conflicts(["me"], clubs, apart) == {"me", "mate", "brother"}
    assert domain.conflicts(["other"], clubs, apart) == {"other", "far"}
    assert domain.conflicts([], clubs, apart) == frozenset()


@pytest.fixture
def stage(olga: Member, alice: Member, bob: Member, jude: Member, hedda: Member) -> Stage:
    """Round 2 is on; the table of Alice and Bob has no open call."""
    call_command("load_shipped", verbosity=0)
    made = set_stage(olga, alice, bob, jude, hedda)
    services.call_withdraw(alice.context(), call_id=made.call_id)
    return made


def begun(stage: Stage, jude: Member) -> str:
    return deckcheck.deck_check_begin(jude.context("judge"), match_id=stage.match_id)


def picture(kind: str = "PNG") -> bytes:
    made = io.BytesIO()
    Image.new("RGB", (30, 20), "olive").save(made, kind)
    return made.getvalue()


@pytest.mark.django_db
def test_decks_are_taken_and_each_return_is_confirmed_by_somebody(
    stage: Stage, alice: Member, jude: Member, olga: Member, client_of: Callable[..., Client]
) -> None:
    call_id = begun(stage, jude)
    page = f"/staff/calls/{call_id}/check/"
    client = client_of(jude)

    def post(**values: str) -> int:
        return client.post(page, {"nonce": new_id(), **values}).status_code

    assert post(act="return", seat="P1", confirmed_by="player") == 409
    assert post(act="take") == 302
    assert post(act="take") == 409
    body = client.get(page).content.decode()
    assert body.count("deck with staff") == 2
    checks = f"/staff/events/{stage.event_id}/checks/"
    deckcheck.tables_pick(
        jude.context("judge"),
        event_id=stage.event_id,
        count=0,
        targeted=[MatchRow.objects.get(pk=stage.match_id).table],
    )
    assert "deck with staff" in client.get(checks).content.decode()
    assert post(act="return", seat="P3", confirmed_by="player") == 409
    assert post(act="return", seat="P1", confirmed_by="neighbour") == 409
    assert post(act="return", seat="P1", confirmed_by="player") == 302
    services.ruling_make(jude.context("judge"), call_id=call_id, rule_id="YGO-3.1")
    services.call_close(jude.context("judge"), call_id=call_id)
    assert post(act="return", seat="P2", confirmed_by="staff") == 302, "after the call too"
    view = deckcheck.check(jude.actor, call_id)
    first, second = view.call.entrants
    returned = view.state.returned
    persons = EntrantRow.objects.get(pk=first).persons
    assert returned[stage.match_id, first].confirmed_by == persons[0]
    assert returned[stage.match_id, second].confirmed_by == jude.person_id
    assert not any(view.state.out(stage.match_id, one) for one in (first, second))
    assert "confirmed by Jude" in client.get(page).content.decode()
    for member in (alice, olga):
        with pytest.raises(NotAllowed):
            decktable.decks_take(member.context(), call_id=call_id)
    with pytest.raises(Refused, match="not_a_deck_check"):
        decktable.decks_take(jude.context("judge"), call_id=call_id)
    with pytest.raises(Refused, match="not_a_deck_check"):
        decktable.decks_take(jude.context("judge"), call_id=stage.call_id)


@pytest.mark.django_db
def test_a_deck_laid_out_is_photographed_where_the_policy_allows(
    stage: Stage,
    alice: Member,
    jude: Member,
    hedda: Member,
    client_of: Callable[..., Client],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    call_id = begun(stage, jude)
    client = client_of(jude)

    def send(body: bytes) -> int:
        file = SimpleUploadedFile("deck.png", body)
        sent = {"act": "photo", "seat": "P1", "nonce": new_id(), "photo_id": new_id()}
        return client.post(f"/staff/photos/checks/{call_id}/", {**sent, "photo": file}).status_code

    assert send(b"<svg/>") == 409
    assert send(picture()) == 302
    row = Photo.objects.get()
    assert row.about == call_id
    shown = client.get(f"/staff/calls/{call_id}/check/").content.decode()
    assert f'src="/staff/photos/{row.pk}/"' in shown
    assert client.get(f"/staff/photos/{row.pk}/").status_code == 200
    assert client_of(alice).get(f"/staff/photos/{row.pk}/").status_code == 404
    used = newest("house-rules")
    monkeypatch.setattr(decktable, "pack", lambda *ref: replace(used, photos_allowed=False))
    with pytest.raises(Refused, match="photos_not_allowed"):
        made = cleaned(picture("JPEG"))
        assert isinstance(made, Picture)
        decktable.deck_photo_add(
            jude.context("judge"), call_id=call_id, seat="P1", photo_id=new_id(), picture=made
        )
    with pytest.raises(NotAllowed):
        decktable.deck_photo_erase(jude.context("judge"), call_id=call_id, photo_id=row.pk)
    decktable.deck_photo_erase(hedda.context("judge"), call_id=call_id, photo_id=row.pk)
    with pytest.raises(Refused, match="photo_gone"):
        decktable.deck_photo_erase(hedda.context("judge"), call_id=call_id, photo_id=row.pk)
    with pytest.raises(NotAllowed):
        photos.photo_data(jude.actor, row.pk)


@pytest.mark.django_db
def test_marked_sleeves_lead_to_a_question_and_its_answer_to_the_ruling(
    stage: Stage, jude: Member, client_of: Callable[..., Client]
) -> None:
    call_id = begun(stage, jude)
    client, page = client_of(jude), f"/staff/calls/{call_id}/check/"
    deck = deckcheck.check(jude.actor, call_id).deck("P1").main
    sent: dict[str, Any] = {"act": "sleeves", "seat": "P1", "place": ["1", "2"]}
    assert client.post(page, {**sent, "nonce": new_id()}).status_code == 302
    body = client.get(page).content.decode()
    assert "Now turn them over" in body
    assert "Rule on MC-STRICT" not in body
    key = deck[0]
    sent |= {"k-1": key, "k-2": key, "group": [key], "pattern": "yes"}
    assert client.post(page, {**sent, "nonce": new_id()}).status_code == 302
    body = client.get(page).content.decode()
    expected = overlap(len(deck), deck.count(key), 2, 2)
    assert f"about 1 of {expected.one_in} decks" in body
    assert "infraction=MC-STRICT" in body
    for wrong in (
        {"place": ["999"]},
        {"k-1": "no-card"},
        {"pattern": "perhaps"},
        {"seat": "P3"},
    ):
        assert client.post(page, {**sent, **wrong, "nonce": new_id()}).status_code == 409


@pytest.mark.django_db
def test_nobody_picks_or_checks_a_table_of_the_own_club_or_family(
    stage: Stage, olga: Member, alice: Member
) -> None:
    # Dora plays and checks decks; Alice is of her club, Bob may not meet her
    dora = Context(
        Actor(
            person_id=stage.persons["Dora Varga"],
            signed_in=True,
            event_roles={stage.event_id: frozenset({Role.JUDGE})},
        ),
        "judge",
    )
    table = MatchRow.objects.get(pk=stage.match_id).table

    def pick() -> list[str]:
        fresh = Context(dora.actor, "judge")
        return deckcheck.tables_pick(
            fresh, event_id=stage.event_id, count=0, targeted=[table], seed="s"
        )

    tournaments.plan_entrant(
        olga.context(),
        event_id=stage.event_id,
        entrant_id=stage.entrants["Dora Varga"],
        values={"club": "Pond"},
    )
    tournaments.plan_entrant(
        olga.context(),
        event_id=stage.event_id,
        entrant_id=stage.entrants["Alice"],
        values={"club": "Pond"},
    )
    with pytest.raises(Refused, match="table_conflict"):
        pick()
    with pytest.raises(Refused, match="table_conflict"):
        deckcheck.deck_check_begin(Context(dora.actor, "judge"), match_id=stage.match_id)
    tournaments.plan_entrant(
        olga.context(),
        event_id=stage.event_id,
        entrant_id=stage.entrants["Alice"],
        values={"club": "Lake"},
    )
    assert pick() == [stage.match_id]
    tournaments.plan_entrant(
        olga.context(),
        event_id=stage.event_id,
        entrant_id=stage.entrants["Bob"],
        values={"apart": [stage.entrants["Dora Varga"]]},
    )
    with pytest.raises(Refused, match="table_conflict"):
        deckcheck.deck_check_begin(Context(dora.actor, "judge"), match_id=stage.match_id)


@pytest.mark.django_db
def test_the_whole_cut_is_picked_in_one_tap_and_the_coverage_named(
    stage: Stage, olga: Member, jude: Member, client_of: Callable[..., Client]
) -> None:
    client, page = client_of(jude), f"/staff/events/{stage.event_id}/checks/"
    assert client.post(page, {"act": "pick_cut", "nonce": new_id()}).status_code == 409
    body = client.get(page).content.decode()
    assert "8 players were never checked" in body

    def finish_round(number: int) -> None:
        for row in MatchRow.objects.filter(event_id=stage.event_id, round=number, winner=""):
            tournaments.result_enter(olga.context(), match_id=row.pk, score=[2, 0, 0])

    finish_round(2)
    tournaments.round_pair(olga.context(), event_id=stage.event_id, seed=1)
    tournaments.round_publish(olga.context(), event_id=stage.event_id, number=3)
    finish_round(3)
    tournaments.cut_make(olga.context(), event_id=stage.event_id)
    tournaments.round_pair(olga.context(), event_id=stage.event_id, seed=1)
    tournaments.round_publish(olga.context(), event_id=stage.event_id, number=4)
    assert "Pick every deck of the cut" in client.get(page).content.decode()
    assert client.post(page, {"act": "pick_cut", "nonce": new_id()}).status_code == 302
    view = deckcheck.picks(jude.actor, stage.event_id)
    picked = {one.match_id for one in view.tables}
    rows = MatchRow.objects.filter(event_id=stage.event_id, round=4)
    assert picked == {row.pk for row in rows}
    cut = {one.pk for one in EntrantRow.objects.filter(event_id=stage.event_id, seed__isnull=False)}
    assert {player for row in rows for player in (row.p1, row.p2)} == cut
    with pytest.raises(Refused, match="nothing_to_pick"):
        deckcheck.cut_pick(jude.context("judge"), event_id=stage.event_id)
    with pytest.raises(NotAllowed):
        deckcheck.cut_pick(olga.context(), event_id=stage.event_id)
    call_id = deckcheck.deck_check_begin(jude.context("judge"), match_id=next(iter(picked)))
    deckcheck.deck_count(
        jude.context("judge"), call_id=call_id, seat="P1", section="main", counted={}
    )
    assert len(deckcheck.picks(jude.actor, stage.event_id).never) == 7
