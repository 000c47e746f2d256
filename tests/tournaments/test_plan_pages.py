"""The pages of plan, draft and files; explanations beside pairings and standings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from eventstore.domain.refusal import Refused
from eventstore.ids import new_id
from tests.portal.stage import starter
from tests.tournaments.conftest import Running
from tournaments import selectors, services
from tournaments.models import EventRow, MatchRow, RoundRow

pytestmark = pytest.mark.django_db
Make = Callable[..., Running]


@pytest.fixture
def olgas(olga: Any, client_of: Callable[..., Client]) -> Client:
    return client_of(olga)


def post(client: Client, url: str, **values: Any) -> Any:
    return client.post(url, {"nonce": new_id(), **values})


def test_the_plan_is_made_on_its_page(make_event: Make, olgas: Client) -> None:
    event = make_event(4)
    url = reverse("staff:plan", args=[event.event_id])
    made = post(
        olgas, url, act="pairing", order="standing", soft=["club"], soft_rounds="2", offset="100",
        ranges="1-40, 61", feature="50", accessible="51-52",
    )  # fmt: skip
    assert made.status_code == 302
    plan = EventRow.objects.get().plan
    assert (plan["order"], plan["soft"], plan["offset"]) == ("standing", ["club"], 100)
    assert (plan["ranges"], plan["accessible"]) == ([[1, 40], [61, 61]], [51, 52])
    made = post(olgas, url, act="counting", floor_permille="330", draw_sixths="3",
                late_counts="1", rounding="nearest", dropped_cap_permille="1000")  # fmt: skip
    assert made.status_code == 302
    switches = EventRow.objects.get().plan["switches"]
    assert switches == {"floor_permille": 330, "draw_sixths": 3, "rounding": "nearest"}
    page = olgas.get(url).content.decode()
    assert 'value="1-40, 61"' in page
    wrong = post(olgas, url, act="pairing", order="random", ranges="forty")
    assert wrong.status_code == 409
    assert 'value="forty"' in wrong.content.decode()


def test_events_that_reserve_the_same_tables_are_named(make_event: Make, olgas: Client) -> None:
    first, second = make_event(4, name="Morning cup"), make_event(4, name="Evening cup")
    first.run(services.plan_make, changes={"ranges": [[1, 20]], "offset": 100})
    second.run(services.plan_make, changes={"ranges": [[115, 130]]})
    url = reverse("staff:plan", args=[second.event_id])
    assert "Morning cup reserves table 115 too" in olgas.get(url).content.decode()
    second.run(services.plan_make, changes={"ranges": [[121, 130]]})
    assert "reserves table" not in olgas.get(url).content.decode()


def test_a_player_has_a_club_a_table_and_whom_not_to_meet(make_event: Make, olgas: Client) -> None:
    event = make_event(4)
    alice, bob = event.entrants["Alice"], event.entrants["Bob"]
    url = reverse("staff:entrant", args=[event.event_id, alice])
    made = post(olgas, url, act="plan", club="Shop", table="3", free="1", needs="1", apart=[bob])
    assert made.status_code == 302
    plan = EventRow.objects.get().plan
    assert plan["clubs"] == {alice: "Shop"}
    assert plan["fixed"] == {alice: 3}
    assert plan["forbidden"] == [[alice, bob]]
    assert post(olgas, url, act="plan").status_code == 302
    plan = EventRow.objects.get().plan
    assert (plan["clubs"], plan["fixed"], plan["forbidden"], plan["needs"]) == ({}, {}, [], [])


def test_a_draft_is_kept_in_part_exchanged_and_explained(make_event: Make, olgas: Client) -> None:
    event = make_event(5, start=True, rounds=3)
    event.pair()
    event.settle()
    event.run(services.round_pair, seed=2)
    url = reverse("staff:draft", args=[event.event_id])
    assert "proven to be the best pairing" in olgas.get(url).content.decode()
    row = MatchRow.objects.filter(event_id=event.event_id, round=2).first()
    assert row is not None
    kept = f"{row.p1} {row.p2}"
    assert post(olgas, url, act="round_pair", keep=[kept]).status_code == 302
    held = RoundRow.objects.get(event_id=event.event_id, number=2)
    assert [set(pair) for pair in held.locked] == [{row.p1, row.p2}]
    (bye,) = held.byes
    refused = post(olgas, url, act="draft_swap", one=bye, two=row.p1, note="")
    assert refused.status_code == 409
    assert post(olgas, url, act="draft_swap", one=bye, two=row.p1, note="lift").status_code == 302
    assert RoundRow.objects.get(event_id=event.event_id, number=2).byes == [row.p1]


def test_every_pairing_can_be_asked_why(make_event: Make, client_of: Callable[..., Client]) -> None:
    event = make_event(7, start=True, rounds=3)
    for number in (1, 2, 3):
        event.pair(seed=number)
        event.settle()
    for number in (1, 2, 3):
        row = RoundRow.objects.get(event_id=event.event_id, number=number)
        for entrant_id in event.entrants.values():
            told = selectors.why_paired(event.olga.actor, event.event_id, number, entrant_id)
            assert told is not None
            assert (told.why.kind == "bye") == (entrant_id in row.byes)
            assert (told.opponent is None) == (told.why.kind == "bye")
            if told.why.kind in ("down", "bye"):
                assert told.why.reason
    url = reverse("tournaments:pairings", args=[event.event_id])
    match = event.matches(3)[0]
    page = client_of(None).get(f"{url}?round=3&why={match.p1}").content.decode()
    assert "Why does" in page
    assert selectors.why_paired(event.olga.actor, event.event_id, 3, "nobody") is None


def test_after_a_correction_the_page_says_which_places_moved(
    make_event: Make, client_of: Callable[..., Client]
) -> None:
    event = make_event(4, start=True, rounds=2)
    event.play_swiss()
    row = event.matches(2)[0]
    services.result_correct(event.staff(), match_id=row.pk, score=[0, 2, 0] if row.winner == "P1"
                            else [2, 0, 0], note="wrong slip")  # fmt: skip
    found = selectors.moved(event.olga.actor, event.event_id, 2, 2)
    own = {one.side.entrant_id for one in found if one.move.why == "own_result"}
    assert own <= {row.p1, row.p2}
    assert found
    url = reverse("tournaments:standings", args=[event.event_id])
    assert "moved with this correction" in client_of(event.olga).get(url).content.decode()
    public = client_of(None).get(url).content.decode()
    assert "corrected by staff" in public
    assert "moved with this correction" not in public
    assert selectors.moved(event.olga.actor, event.event_id, 2, 1) == []


@pytest.mark.parametrize("system", ["owm-gw-ogw@1", "buchholz@1", "konami-kts@1"])
def test_a_standing_is_explained_under_any_system(
    make_event: Make, client_of: Callable[..., Client], system: str
) -> None:
    event = make_event(4, start=True, rounds=2, standings=system)
    event.play_swiss()
    url = reverse("tournaments:standings", args=[event.event_id])
    for entrant_id in event.entrants.values():
        page = client_of(None).get(f"{url}?why={entrant_id}")
        assert page.status_code == 200
        assert "Why place" in page.content.decode()


def test_files_go_out_and_a_companion_file_comes_in(
    make_event: Make, olgas: Client, shared: Path
) -> None:
    event = make_event(standings="konami-kts@1")
    url = reverse("staff:files", args=[event.event_id])
    assert 'type="file"' not in olgas.get(url).content.decode()
    plan = reverse("staff:plan", args=[event.event_id])
    assert post(olgas, plan, act="counting", companion="kts").status_code == 302
    data = (shared / "data/events/kts/finished-21p.Tournament").read_bytes()

    def send() -> Any:
        return post(olgas, url, act="import", file=SimpleUploadedFile("a.Tournament", data))

    assert send().status_code == 302
    assert EventRow.objects.get().round == 8
    assert send().status_code == 302
    for kind in selectors.FILES:
        answer = olgas.get(reverse("staff:download", args=[event.event_id, kind]))
        assert answer.status_code == 200
        assert "attachment" in answer["Content-Disposition"]
    assert olgas.get(reverse("staff:download", args=[event.event_id, "odd"])).status_code == 404
    assert post(olgas, url, act="import").status_code == 409


def test_an_event_is_made_again_from_its_archive(make_event: Make, olgas: Client) -> None:
    event = make_event(4, start=True, rounds=1)
    event.play_swiss()
    content = selectors.event_file(event.olga.actor, event.event_id, "archive")[0]
    made = post(olgas, reverse("staff:create"), act="archive", event_id=new_id(),
                file=SimpleUploadedFile("event.json", content))  # fmt: skip
    assert made.status_code == 302
    assert EventRow.objects.count() == 2
    again = post(olgas, reverse("staff:create"), act="archive", event_id=new_id(),
                 file=SimpleUploadedFile("event.json", b"{}"))  # fmt: skip
    assert again.status_code == 409


def test_staff_accept_waiting_reports_on_the_results_page(make_event: Make, olgas: Client) -> None:
    event = make_event(4, start=True)
    event.pair()
    names = {entrant: name for name, entrant in event.entrants.items()}
    row = event.matches(1)[0]
    services.result_claim(event.player(names[row.p1]), match_id=row.pk, score=[2, 0, 0])
    url = reverse("staff:results", args=[event.event_id])
    assert 'value="accept"' in olgas.get(url).content.decode()
    assert post(olgas, url, act="accept").status_code == 302
    assert MatchRow.objects.get(pk=row.pk).winner == "P1"


def test_line_11_lists_are_locked_and_opened_for_all_and_the_page_shows_who_has_none(
    make_event: Make, olgas: Client
) -> None:
    event = make_event(4)
    for name in ("Alice", "Bob"):
        event.run(services.deck_submit, entrant_id=event.entrants[name], content=starter())
    assert event.run(services.decks_lock_all) == 2
    with pytest.raises(Refused, match="locked"):
        event.run(services.deck_submit, entrant_id=event.entrants["Alice"],
                  content=starter("starter-tide"))  # fmt: skip
    assert event.run(services.decks_unlock_all, reason="a card was misprinted") == 2
    assert event.run(services.decks_unlock_all, reason="again") == 0
    page = olgas.get(reverse("staff:people", args=[event.event_id]))
    assert [bool(line.deck_id) for line in page.context["page"]] == [True, True, False, False]
    assert page.content.decode().count(">none<") == 2
