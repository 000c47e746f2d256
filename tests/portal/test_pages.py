"""Every page with the whole cast: who gets it, who is refused, who is not told of it.

The page must open, hide or refuse for each of the cast; list pages cost a fixed number of
queries; nothing breaks on hostile addresses; five languages hold.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.test import Client

from eventstore.ids import new_id
from people import joinlinks
from people.joinlinks import JoinLink
from tests.altered import altered
from tests.conftest import Member, make_member
from tests.helpers import query_count
from tests.portal.stage import Stage, outage_of, set_stage
from tournaments import services
from tournaments.models import EntrantRow, MatchRow

ClientOf = Callable[[Member | None], Client]
pytestmark = pytest.mark.django_db

CAST = ("nobody", "alice", "charlie", "jude", "hedda", "olga")
ALL = dict.fromkeys(CAST, 200)
PLAYER = {"nobody": 404, "alice": 200, "charlie": 404, "jude": 404, "hedda": 404, "olga": 404}
DESK = {"nobody": 403, "alice": 403, "charlie": 403, "jude": 403, "hedda": 200, "olga": 200}
RUN = {"nobody": 403, "alice": 403, "charlie": 403, "jude": 403, "hedda": 403, "olga": 200}
QUEUE = {"nobody": 404, "alice": 404, "charlie": 404, "jude": 200, "hedda": 200, "olga": 200}
CALL = {"nobody": 404, "alice": 404, "charlie": 404, "jude": 200, "hedda": 200, "olga": 200}
INSPECT = {"nobody": 404, "alice": 403, "charlie": 404, "jude": 200, "hedda": 200, "olga": 403}

PAGES: dict[str, dict[str, int]] = {
    "/": ALL,
    "/style/": ALL,
    "/decks/check/": ALL,
    "/decks/limits/": ALL,
    "/my/": {**ALL, "alice": 302},
    "/staff/": ALL,
    "/staff/calls/": {**ALL, "jude": 302, "hedda": 302},
    "/staff/events/new/": {**RUN},
    "/staff/server/": RUN,
    "/events/{event}/": ALL,
    "/events/{event}/pairings/": ALL,
    "/events/{event}/pairings/?by=name&q=al": ALL,
    "/events/{event}/standings/": ALL,
    "/events/{event}/standings/?why={alice}&round=1": ALL,
    "/events/{event}/limits/": ALL,
    "/events/{event}/bracket/": ALL,
    "/events/{event}/log/": ALL,
    "/duels/{duel}/": ALL,
    "/duels/{duel}/?at=20&as=nonsense": ALL,
    "/duels/{duel}/?as=judge": {
        "nobody": 404,
        "alice": 403,
        "charlie": 404,
        "jude": 200,
        "hedda": 200,
        "olga": 403,
    },
    "/duels/{duel}/notes/": ALL,
    "/duels/{duel}/text/": ALL,
    "/duels/{duel}/text/?as=nonsense": ALL,
    "/duels/{duel}/text/?as=judge": INSPECT,
    "/duels/{duel}/offline/": ALL,
    "/duels/{duel}/json/": ALL,
    "/duels/{duel}/record/": {**INSPECT, "alice": 200, "jude": 403, "hedda": 403},
    "/duels/{duel}/record/?more=1&for=nonsense": {
        **INSPECT,
        "alice": 200,
        "jude": 403,
        "hedda": 403,
    },
    "/staff/events/{event}/record/": QUEUE,
    "/duels/{duel}/judge/": INSPECT,
    "/duels/{duel}/judge/?at=nonsense": INSPECT,
    "/my/messages/": {**ALL, "nobody": 302},
    "/my/{event}/": PLAYER,
    "/my/{event}/replays/": PLAYER,
    "/my/{event}/deck/": PLAYER,
    "/my/{event}/deck/paper/": PLAYER,
    "/my/{event}/sides/": PLAYER,
    "/staff/events/{event}/lists/": QUEUE,
    "/staff/events/{event}/checks/": {**INSPECT, "alice": 404},
    "/my/{event}/standing/": PLAYER,
    "/my/{event}/judge/": PLAYER,
    "/my/{event}/judge/panel/": PLAYER,
    "/my/{event}/pad/": PLAYER,
    "/my/{event}/statements/": PLAYER,
    "/staff/events/{event}/": DESK,
    "/staff/events/{event}/results/": DESK,
    "/staff/events/{event}/results/reads/?round=2&line=1": DESK,
    "/staff/events/{event}/floor/": QUEUE,
    "/staff/matches/{match}/end/": {**CALL, "alice": 403},
    "/staff/events/{event}/paper/": DESK,
    "/staff/events/{event}/paper/pack/": DESK,
    "/staff/events/{event}/paper/pack/?offline=1&paper=roll": DESK,
    "/staff/events/{event}/paper/slips/?ids=card_game_id": DESK,
    "/staff/events/{event}/paper/seats/?paper=letter": DESK,
    "/staff/events/{event}/paper/lists/": DESK,
    "/staff/events/{event}/paper/bracket/": DESK,
    "/staff/events/{event}/paper/prizes/": DESK,
    "/staff/events/{event}/paper/report/": DESK,
    "/staff/events/{event}/paper/entry/": DESK,
    "/staff/events/{event}/paper/entry/?paired=paper": {**RUN},
    "/staff/events/{event}/messages/": DESK,
    "/events/{event}/wall/": ALL,
    "/events/{event}/wall/?screen=2/2&lines=8": ALL,
    "/my/{event}/seat/": PLAYER,
    "/my/{event}/code/": PLAYER,
    "/staff/suspended/": {**RUN},
    "/staff/backups/": {**RUN},
    "/staff/events/{event}/door/": {**RUN},
    "/staff/events/{event}/door/?q=ali": {**RUN},
    "/staff/events/{event}/door/?q=no%20such": {**RUN},
    "/staff/events/{event}/door/waiting/": {**RUN},
    "/staff/events/{event}/door/policy/": {**RUN},
    "/staff/events/{event}/door/cash-up/": {**RUN},
    "/staff/events/{event}/people/": {**RUN},
    "/staff/events/{event}/people/{alice}/": {**RUN},
    "/staff/events/{event}/join/": {**RUN},
    "/staff/events/{event}/join/?entrant={alice}": {**RUN},
    "/staff/events/{event}/roles/": {**RUN},
    "/staff/events/{event}/roles/?who=ju": {**RUN},
    "/staff/events/{event}/settings/": {**RUN},
    "/staff/events/{event}/plan/": {**RUN},
    "/staff/events/{event}/files/": {**RUN},
    "/staff/events/{event}/draft/": {**RUN},
    "/staff/pod/": {**RUN},
    "/staff/events/{event}/policy/": {**RUN},
    "/staff/events/{event}/bracket-sheet/": DESK,
    "/staff/events/{event}/undo/": DESK,
    "/staff/events/{event}/undo/?act=round&number=2": {**RUN},
    "/staff/events/{event}/tardy/": QUEUE,
    "/staff/events/{event}/outage/": DESK,
    "/events/{event}/pairings/?round=1&why={alice}": ALL,
    "/staff/events/{event}/calls/": QUEUE,
    "/staff/events/{event}/rulings/": QUEUE,
    "/staff/calls/{call}/": CALL,
    "/staff/calls/{call}/rewind/?line=20": INSPECT,
    "/staff/calls/{call}/case/": INSPECT,
    "/staff/calls/{call}/case/{duel}/?at=nonsense": INSPECT,
    "/staff/events/{event}/disputes/": QUEUE,
    "/staff/events/{event}/packets/": {**QUEUE, "jude": 403},
    "/my/{event}/disputes/?duel={duel}&line=20": PLAYER,
    "/staff/events/{event}/calls/new/": QUEUE,
    "/staff/events/{event}/precedents/?q=warning": QUEUE,
    "/staff/events/{event}/pack/": QUEUE,
    "/staff/events/{event}/pack/edit/": {**QUEUE, "jude": 403, "hedda": 403},
    "/staff/events/{event}/records/{alice}/": QUEUE,
    "/staff/events/{event}/audit/": {**QUEUE, "jude": 403},
    "/staff/events/{event}/codes/?from=1&to=3": DESK,
    "/staff/events/{event}/tables/": {**INSPECT, "alice": 404},
    "/staff/events/{event}/tables/{match}/": INSPECT,
}
PART = re.compile("judge/panel|results/reads|/json/")
"""Addresses that answer a part of a page, or data."""
LISTS = [
    "/events/{event}/",
    "/events/{event}/pairings/",
    "/events/{event}/pairings/?by=name",
    "/events/{event}/standings/",
    "/staff/events/{event}/",
    "/staff/events/{event}/results/",
    "/staff/events/{event}/floor/",
    "/staff/events/{event}/paper/pack/",
    "/staff/events/{event}/paper/report/",
    "/staff/events/{event}/paper/lists/",
    "/staff/events/{event}/paper/entry/",
    "/events/{event}/wall/",
    "/staff/events/{event}/people/",
    "/staff/events/{event}/lists/",
    "/staff/events/{event}/calls/",
    "/events/{event}/log/",
]


@dataclass
class House:
    """The stage and its cast."""

    stage: Stage
    cast: dict[str, Member | None]
    client_of: ClientOf

    def address(self, page: str) -> str:
        """Fill the ids of the stage into an address."""
        stage = self.stage
        return page.format(
            event=stage.event_id,
            duel=stage.duel_id,
            call=stage.call_id,
            match=stage.match_id,
            alice=stage.entrants["Alice"],
        )

    def client(self, name: str) -> Client:
        """A client of one of the cast."""
        return self.client_of(self.cast[name])


@pytest.fixture
def house(
    olga: Member,
    alice: Member,
    bob: Member,
    charlie: Member,
    jude: Member,
    hedda: Member,
    client_of: ClientOf,
) -> House:
    """The stage with everybody on it."""
    call_command("load_shipped", verbosity=0)
    stage = set_stage(olga, alice, bob, jude, hedda)
    outage_of(stage.event_id)
    cast = {
        "nobody": None,
        "alice": alice,
        "bob": bob,
        "charlie": charlie,
        "jude": jude,
        "hedda": hedda,
        "olga": olga,
    }
    return House(stage, cast, client_of)


def test_the_access_matrix_of_pages(house: House) -> None:
    found: list[str] = []
    for name in CAST:
        client = house.client(name)
        for page, expected in PAGES.items():
            status = client.get(house.address(page)).status_code
            if status != expected[name]:
                found.append(f"{name} {page}: {status}, not {expected[name]}")
    assert found == []


def test_what_is_not_there_answers_like_what_is_hidden(house: House) -> None:
    client = house.client("charlie")
    hidden = client.get(house.address("/staff/calls/{call}/"))
    missing = client.get(f"/staff/calls/{new_id()}/")
    assert hidden.status_code == missing.status_code == 404
    unlike = (house.stage.call_id, missing.request["PATH_INFO"])
    assert _plain(hidden.content, unlike) == _plain(missing.content, unlike)


def _plain(body: bytes, paths: tuple[str, ...]) -> str:
    import re

    text = re.sub(r'value="[^"]*"', "", body.decode())
    for path in paths:
        text = text.replace(path, "")
    return text


def test_a_draft_event_is_hidden_from_all_but_its_staff(house: House, olga: Member) -> None:
    event_id = new_id()
    services.event_create(olga.context(), event_id=event_id, name="Secret cup")
    for name in ("nobody", "alice", "charlie", "jude"):
        client = house.client(name)
        assert client.get(f"/events/{event_id}/").status_code == 404
        assert client.get(f"/staff/events/{event_id}/").status_code == 404
        assert "Secret cup" not in client.get("/").content.decode()
    assert house.client("olga").get(f"/events/{event_id}/").status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "/events/nothing/",
        "/events/%00/",
        "/events/{event}/pairings/?round=99",
        "/events/{event}/pairings/?round=-1&page=zzz&by=%FF",
        "/events/{event}/standings/?round=99",
        "/events/{event}/standings/?page=9999999999999&q=%25",
        "/duels/nothing/",
        "/duels/{duel}/?at=99999999999999999999",
        "/duels/{duel}/?at=%D9%A3&as=P1",
        "/join/nothing/",
        "/staff/calls/nothing/",
        "/my/nothing/",
    ],
)
@pytest.mark.parametrize("name", ["nobody", "olga"])
def test_hostile_addresses_are_answered(house: House, path: str, name: str) -> None:
    assert house.client(name).get(house.address(path)).status_code in (200, 404)


def test_forms_refuse_acts_they_do_not_have(house: House) -> None:
    for path in ("/staff/events/{event}/", "/staff/events/{event}/results/"):
        answer = house.client("olga").post(house.address(path), {"act": "explode"})
        assert answer.status_code == 400
    assert house.client("alice").post(house.address("/my/{event}/"), {"act": ""}).status_code == 400


def test_a_post_without_the_role_changes_nothing(house: House) -> None:
    before = MatchRow.objects.filter(event_id=house.stage.event_id).count()
    for name in ("nobody", "alice", "charlie", "jude"):
        answer = house.client(name).post(
            house.address("/staff/events/{event}/"), {"act": "round_pair"}
        )
        assert answer.status_code in (403, 404)
    assert MatchRow.objects.filter(event_id=house.stage.event_id).count() == before


def _event_with(olga: Member, players: int) -> str:
    """An event of so many players whose first round is published."""
    event_id = new_id()
    services.event_create(
        olga.context(), event_id=event_id, name=f"Cup of {players}", decks_required=False
    )
    services.registration_open(olga.context(), event_id=event_id)
    for number in range(players):
        made = services.entrant_enrol(
            olga.context(), event_id=event_id, display_name=f"Player {number}"
        )
        services.entrant_check_in(olga.context(), event_id=event_id, entrant_id=made.entrant_id)
    services.event_start(olga.context(), event_id=event_id)
    services.round_pair(olga.context(), event_id=event_id, seed=1)
    services.round_publish(olga.context(), event_id=event_id, number=1)
    return event_id


@pytest.mark.parametrize("page", LISTS)
def test_lists_cost_the_same_queries_for_few_and_for_many(
    olga: Member, client_of: ClientOf, page: str
) -> None:
    few, many = (page.format(event=_event_with(olga, players)) for players in (4, 20))
    client = client_of(olga)
    client.get(few)
    counts = [query_count(lambda path=path: client.get(path)) for path in (few, many)]
    assert counts[0] == counts[1]
    assert counts[0] <= 30


def test_the_log_of_a_duel_is_found_by_clicking(house: House, client: Client) -> None:
    stage = house.stage
    log = f"/duels/{stage.duel_id}/"
    seen = client.get(f"/events/{stage.event_id}/pairings/").content.decode()
    assert f'href="{log}"' in seen
    assert client.get(log).status_code == 200


def test_public_lists_are_cheap(house: House) -> None:
    client = house.client("nobody")
    counts = {
        page: query_count(lambda p=page: client.get(house.address(p)))
        for page in ("/", "/events/{event}/standings/", "/events/{event}/pairings/")
    }
    assert counts["/"] <= 2, counts
    assert max(counts.values()) <= 13, counts


@pytest.mark.parametrize("language", [code for code, _ in settings.LANGUAGES])
def test_pages_hold_in_every_language(house: House, language: str) -> None:
    for name in ("alice", "hedda", "olga"):
        client = house.client(name)
        client.cookies["headjudge_language"] = language
        for page, expected in PAGES.items():
            if expected[name] == 200 and "/text/" not in page:
                body = client.get(house.address(page)).content.decode()
                assert PART.search(page) or f'<html lang="{language}"' in body, page


def test_a_player_never_reads_the_claim_of_the_other(house: House) -> None:
    row = MatchRow.objects.get(pk=house.stage.match_id)
    other = "P2" if house.stage.seat == "P1" else "P1"
    assert row.claims == {}
    bob = house.client("bob")
    bob.post(house.address("/my/{event}/"), {"act": "claim", "score": _own_win(other)})
    body = house.client("alice").get(house.address("/my/{event}/")).content.decode()
    assert "has reported. Report what you played." in body
    assert "You reported" not in body


def _own_win(seat: str) -> str:
    return "2-1-0" if seat == "P1" else "1-2-0"


def test_both_players_confirm_a_result_on_their_phones(house: House) -> None:
    score = _own_win(house.stage.seat)
    alice, bob = house.client("alice"), house.client("bob")
    path = house.address("/my/{event}/")
    first = alice.post(path, {"act": "claim", "score": score}, follow=True).content.decode()
    assert "It counts when your opponent reports the same." in first
    assert MatchRow.objects.get(pk=house.stage.match_id).state == "claimed"
    second = bob.post(path, {"act": "claim", "score": score}, follow=True).content.decode()
    assert "The result is in force." in second
    assert MatchRow.objects.get(pk=house.stage.match_id).winner == house.stage.seat


def test_a_refusal_keeps_the_input_and_says_what_would_be_right(house: House) -> None:
    answer = house.client("alice").post(
        house.address("/my/{event}/"), {"act": "claim", "score": "3-0"}
    )
    assert answer.status_code == 409
    body = answer.content.decode()
    assert "A match cannot end 3-0. It can end: " in body
    assert 'aria-label="My pages"' in body, "the page stands around the refusal"


def test_a_double_tap_has_one_effect(olga: Member, client_of: ClientOf) -> None:
    event_id, nonce = new_id(), new_id()
    services.event_create(olga.context(), event_id=event_id, name="Tap cup")
    client, path = client_of(olga), f"/staff/events/{event_id}/people/"
    given = {"act": "enrol", "display_name": "Twice Tapped", "nonce": nonce}
    assert client.post(path, given).status_code == 302
    assert client.post(path, given).status_code == 302
    assert EntrantRow.objects.filter(event_id=event_id).count() == 1
    other = client.post(path, {**given, "display_name": "Somebody else"})
    assert other.status_code == 409
    assert "already sent with other content" in other.content.decode()
    assert EntrantRow.objects.filter(event_id=event_id).count() == 1


def test_a_finished_event_leads_on_and_tells_the_player_the_place(
    olga: Member, alice: Member, bob: Member, client_of: ClientOf
) -> None:
    event_id = new_id()

    def run(service: Any, **values: Any) -> Any:
        return service(olga.context(), event_id=event_id, **values)

    run(services.event_create, name="Short cup", rounds=1, cut=0, decks_required=False)
    run(services.registration_open)
    known = ({"person_id": alice.person_id}, {"person_id": bob.person_id})
    for given in (*known, {"display_name": "Ida"}, {"display_name": "Nora"}):
        made = run(services.entrant_enrol, **given)
        run(services.entrant_check_in, entrant_id=made.entrant_id)
    run(services.registration_close)
    run(services.event_start)
    run(services.round_pair, seed=1)
    run(services.round_publish, number=1)
    for match in MatchRow.objects.filter(event_id=event_id):
        services.result_enter(olga.context(), match_id=match.pk, score=[2, 0, 0])
    over, put_right = "The event is over. You came in place", "Wrong? Raise your hand"
    mine = client_of(alice).get(f"/my/{event_id}/").content.decode()
    assert put_right in mine
    assert over not in mine
    run(services.event_finish)
    mine = client_of(alice).get(f"/my/{event_id}/").content.decode()
    assert over in mine
    assert put_right not in mine
    desk = client_of(olga).get(f"/staff/events/{event_id}/").content.decode()
    main = desk.partition("<main")[2]
    assert f'class="btn" href="/events/{event_id}/standings/"' in main
    assert "/join/" not in main


def test_the_line_of_the_desk_enters_a_result(house: House) -> None:
    row = MatchRow.objects.get(pk=house.stage.match_id)
    path = house.address("/staff/events/{event}/results/?round=2")
    bad = house.client("olga").post(path, {"act": "line", "line": f"{row.table} two-one"})
    assert bad.status_code == 409
    assert 'value="' + f"{row.table} two-one" in bad.content.decode()
    done = house.client("olga").post(path, {"act": "line", "line": f"{row.table} 2-1"})
    assert done.status_code == 302
    row.refresh_from_db()
    assert (row.winner, row.p1_wins, row.p2_wins) == ("P1", 2, 1)


def test_a_join_link_binds_a_phone_to_its_player_only_on_the_button(house: House) -> None:
    dora = house.stage.persons["Dora Varga"]
    token = joinlinks.make(JoinLink(house.stage.event_id, dora))
    phone = Client()
    assert "Dora Varga" in phone.get(f"/join/{token}/").content.decode()
    assert phone.get(house.address("/my/{event}/")).status_code == 404, "looking binds nothing"
    assert phone.post(f"/join/{token}/").status_code == 302
    assert "Dora Varga" in phone.get(house.address("/my/{event}/")).content.decode()


def test_a_forged_link_is_dead(house: House) -> None:
    token = joinlinks.make(JoinLink(house.stage.event_id, house.stage.persons["Fay"]))
    answer = Client().post(f"/join/{altered(token)}/")
    assert answer.status_code == 404
    assert "This link does not work" in answer.content.decode()


def test_whoever_has_the_link_of_an_open_event_enrols(olga: Member) -> None:
    event_id = new_id()
    services.event_create(olga.context(), event_id=event_id, name="Open cup", decks_required=False)
    token = joinlinks.make(JoinLink(event_id, None))
    phone = Client()
    closed = phone.post(f"/join/{token}/", {"act": "join", "display_name": "Nora"})
    assert closed.status_code == 409
    assert EntrantRow.objects.filter(event_id=event_id).count() == 0
    services.registration_open(olga.context(), event_id=event_id)
    empty = phone.post(f"/join/{token}/", {"act": "join", "display_name": "  "})
    assert "The name is missing." in empty.content.decode()
    done = phone.post(
        f"/join/{token}/",
        {"act": "join", "display_name": "Nora", "card_game_id": "77", "nonce": new_id()},
    )
    assert done.status_code == 302
    body = phone.get(f"/my/{event_id}/").content.decode()
    assert "I am here: check in" in body
    assert phone.post(f"/my/{event_id}/", {"act": "check_in"}).status_code == 302
    assert EntrantRow.objects.get(event_id=event_id).status == "checked_in"


def test_a_signed_in_person_is_not_bound_to_somebody_elses_link(
    house: House, client_of: ClientOf
) -> None:
    token = joinlinks.make(JoinLink(house.stage.event_id, house.stage.persons["Fay"]))
    client = house.client("charlie")
    answer = client.post(f"/join/{token}/")
    assert answer.status_code == 200
    assert "signed in as somebody else" in answer.content.decode()
    assert client.get(house.address("/my/{event}/")).status_code == 404


def test_a_deck_is_checked_handed_in_and_shown(house: House, olga: Member) -> None:
    from tests.portal.stage import starter

    ida = make_member(21, "Ida", account=False)
    event_id = new_id()
    services.event_create(olga.context(), event_id=event_id, name="Deck cup")
    services.registration_open(olga.context(), event_id=event_id)
    services.entrant_enrol(olga.context(), event_id=event_id, person_id=ida.person_id)
    client, path = house.client_of(ida), f"/my/{event_id}/deck/"
    short = client.post(path, {"act": "submit", "content": "3 Summoned Skull"})
    assert short.status_code == 409
    assert "The main deck is too small" in short.content.decode()
    assert "3 Summoned Skull" in short.content.decode(), "what was typed is kept"
    checked = client.post(path, {"act": "check", "content": starter()})
    assert "This list is legal" in checked.content.decode()
    assert "No list is handed in yet" in checked.content.decode()
    assert client.post(path, {"act": "submit", "content": starter()}).status_code == 302
    assert "Handed in, version 1" in client.get(path).content.decode()


def test_a_file_that_is_no_list_is_explained(client: Client) -> None:
    from io import BytesIO

    call_command("load_shipped", verbosity=0)
    for content in (b"", b"\x00\xff\xfe" * 50, b"#main\n" + b"9" * 400_000, b"ydke://!!!"):
        upload = BytesIO(content)
        upload.name = "deck.ydk"
        answer = client.post("/decks/check/", {"preset": "classic", "file": upload})
        assert answer.status_code == 200
        assert "to put right" in answer.content.decode()


def test_a_judge_takes_a_call_rules_and_closes(house: House) -> None:
    jude, hedda = house.client("jude"), house.client("hedda")
    path = house.address("/staff/calls/{call}/")
    assert jude.post(path, {"act": "claim"}).status_code == 302
    late = hedda.post(path, {"act": "claim"})
    assert late.status_code == 409
    assert "Jude has taken this call already." in late.content.decode()
    assert jude.post(path, {"act": "arrive"}).status_code == 302
    wrong = jude.post(path, {"act": "rule", "rule_id": "YGO-99.9"})
    assert wrong.status_code == 409
    assert "There is no rule YGO-99.9." in wrong.content.decode()
    assert jude.post(path, {"act": "rule", "rule_id": "YGO-11.1"}).status_code == 302
    seen = house.client("alice").get(house.address("/my/{event}/judge/")).content.decode()
    assert "YGO-11.1" in seen
    assert jude.post(path, {"act": "close"}).status_code == 302
    assert "Closed" in jude.get(path).content.decode()


def test_a_game_loss_waits_for_the_head_judge(house: House) -> None:
    jude, hedda = house.client("jude"), house.client("hedda")
    path = house.address("/staff/calls/{call}/")
    jude.post(path, {"act": "claim"})
    jude.post(path, {"act": "arrive"})
    ruled = jude.post(
        path,
        {
            "act": "rule",
            "rule_id": "YGO-11.1",
            "infraction": "PE-MAJOR",
            "infraction_kind": "late_slip",
            "target_entrant": house.stage.entrants["Bob"],
            "remedy": "loss",
        },
    )
    assert ruled.status_code == 302, ruled.content.decode()
    page = hedda.get(path).content.decode()
    assert "Approve the penalty" in page
    assert "Approve the penalty" not in jude.get(path).content.decode()


def test_the_head_judge_rewinds_a_duel_by_a_ruling(house: House) -> None:
    hedda, path = house.client("hedda"), house.address("/staff/calls/{call}/")
    hedda.post(path, {"act": "claim"})
    hedda.post(path, {"act": "arrive"})
    ruled = hedda.post(
        path,
        {
            "act": "rule",
            "rule_id": "YGO-11.1",
            "remedy": "rewind",
            "duel_id": house.stage.duel_id,
            "rewind_to": "12",
            "note": "Both agree that line 13 should not have been.",
        },
    )
    assert ruled.status_code == 302, ruled.content.decode()
    body = house.client("nobody").get(house.address("/duels/{duel}/")).content.decode()
    assert 'class="struck"' in body
    assert "<s>" in body


def test_hidden_cards_never_reach_a_page_of_somebody_else(house: House) -> None:
    from duels import selectors as duels
    from people.domain.actor import SYSTEM

    seat = house.stage.seat
    table = duels.duel_view(SYSTEM, house.stage.duel_id, None, "judge").table
    mine = {card["name"] for card in table[seat]["hand"]}
    known = {
        card["name"]
        for side in ("P1", "P2")
        for zone in ("graveyard", "banished", "monsters", "spells_traps")
        for card in table[side][zone]
        if card and card.get("name") and card.get("position") not in ("set", "down")
    }
    secret = mine - known
    assert secret
    address = house.address("/duels/{duel}/")
    shown = house.client("alice").get(f"{address}?as={seat.lower()}").content.decode()
    assert all(_escaped(name) in shown for name in secret)
    for name in ("nobody", "bob", "charlie", "olga"):
        body = house.client(name).get(address).content.decode()
        assert not [one for one in secret if _escaped(one) in body], name
        assert house.client(name).get(f"{address}?as={seat.lower()}").status_code in (403, 404)
    for asked in ("judge", seat.lower()):  # a judge reveals them first
        body = house.client("jude").get(f"{address}?as={asked}").content.decode()
        assert not [one for one in secret if _escaped(one) in body]


def _escaped(name: str) -> str:
    from django.utils.html import escape

    return str(escape(name))
