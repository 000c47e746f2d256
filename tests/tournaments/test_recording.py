"""A feature match on paper is written down by taps; who only watches sees it later."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from duels import selectors as duels
from duels import services as duel_services
from duels import watching
from duels.models import DuelRow
from duels.pages.inspect import players_of
from duels.rules.yugioh.knowledge import sees
from eventstore import clock
from eventstore.domain.refusal import Refused
from eventstore.ids import new_id
from people import selectors as people
from people import services as people_services
from people.access import NotAllowed
from people.domain.actor import ANONYMOUS
from people.models import Person
from tests.conftest import Member
from tests.helpers import rebuilds_equal
from tests.portal.leaks import seen
from tests.portal.stage import Stage, player, set_stage
from tests.portal.test_leaks import rewrite, sqlite_only
from tournaments import services
from tournaments.models import MatchRow
from tournaments.selectors import recording

pytestmark = pytest.mark.django_db
TRAILS = re.compile(r'name="trail" value="([^"]*)"')
LINKS = re.compile(r'<a class="btn" href="\?([^"]*)"')


@pytest.fixture
def playing(olga: Member, alice: Member, bob: Member, jude: Member, hedda: Member) -> Stage:
    """The stage, on which Alice and Bob are in their first duel, against the referee."""
    call_command("load_shipped", verbosity=0)
    return set_stage(olga, alice, bob, jude, hedda)


@pytest.fixture
def stage(playing: Stage, alice: Member) -> Stage:
    """The stage with the first duel of Alice and Bob over."""
    made = playing
    duel_services.duel_concede(player(alice.person_id), duel_id=made.duel_id, player=made.seat)
    services.duel_result_take(player(alice.person_id), match_id=made.match_id)
    return made


class Page:
    """The recorder's page of one duel, and taps on it."""

    def __init__(self, client: Client, duel_id: str) -> None:
        self.client, self.duel_id = client, duel_id
        self.url = f"/duels/{duel_id}/record/"

    def get(self, query: str = "") -> str:
        answer = self.client.get(f"{self.url}?{query}")
        assert answer.status_code == 200, answer.status_code
        return answer.content.decode()

    def send(self, act: str, **fields: Any) -> Any:
        version = len(duels.read_duel(self.duel_id))
        values = {"act": act, "nonce": new_id(), "expected": version, **fields}
        return self.client.post(self.url, values)

    def tap(self, trail: str, seat: str) -> None:
        """Tap a button that is there."""
        assert trail in TRAILS.findall(self.get(f"for={seat}")), trail
        assert self.send("do", trail=trail, **{"for": seat}).status_code == 302


@pytest.fixture
def recorder(stage: Stage, client_of: Callable[..., Client], jude: Member) -> Page:
    """Jude, named recorder, writes down duel 2, which the player at seat P1 begins."""
    jude.grant("recorder", stage.event_id)
    client = client_of(jude)
    opened = client.post(
        f"/staff/events/{stage.event_id}/record/",
        {"act": "open", "nonce": new_id(), "match_id": stage.match_id, "first": "P1"},
    )
    assert opened.status_code == 302
    return Page(client, opened["Location"].split("/")[2])


def to_main(page: Page, seat: str) -> None:
    for trail in ("draw draw_card", "phase standby", "phase main1"):
        page.tap(trail, seat)


def test_a_card_of_paper_is_named_summoned_and_taken_back(recorder: Page) -> None:
    row = DuelRow.objects.get(pk=recorder.duel_id)
    assert (row.mode, row.starter, row.number) == ("recorded", "P1", 2)
    to_main(recorder, "P1")
    top = recorder.get("for=P1")
    (link,) = [one for one in LINKS.findall(top) if "pick=normal_summon" in one]
    asked = link.replace("&amp;", "&")
    found = recorder.get(f"{asked}&q=gemini+elf")
    assert "Cards of the registered list" in found
    assert found.count(">Gemini Elf</button>") >= 1
    card = asked.rsplit("pick=", 1)[1]
    then = f"normal_summon {card}"
    named = recorder.send("name", card=card, key="69140098", then=then, **{"for": "P1"})
    assert named["Location"].endswith(f"?for=P1&pick=normal_summon&pick={card}")
    assert then in TRAILS.findall(recorder.get(named["Location"].split("?")[1]))
    recorder.tap(then, "P1")
    sources = {one.meta.source for one in duels.read_duel(recorder.duel_id)}
    assert sources == {"judge"}, "Jude is a judge of this event"
    table = duels.duel_state(recorder.duel_id).table
    assert [table.facts_of(one).name for one in table.controlled("P1")] == ["Gemini Elf"]  # type: ignore[union-attr]
    assert recorder.send("back", **{"for": "P1"}).status_code == 302
    assert duels.duel_state(recorder.duel_id).table.controlled("P1") == []
    assert "taken back" in recorder.get("for=P1")
    assert recorder.send("back", **{"for": "P1"}).status_code == 302  # the name
    assert duels.duel_state(recorder.duel_id).table.identities[int(card)] is None


def test_the_zone_is_asked_for_where_the_recorder_wants_it(recorder: Page) -> None:
    to_main(recorder, "P1")
    top = recorder.get("for=P1&zones=1")
    assert 'href="?for=P2&amp;zones=1"' in top
    (link,) = [one for one in LINKS.findall(top) if "pick=set&" in one.replace("&amp;", "&")]
    asked = recorder.get(f"{link.replace('&amp;', '&')}&pick=spell_trap")
    assert "In which zone of the row, from the left?" in asked
    *_, last = TRAILS.findall(asked)
    fields = {"act": "do", "nonce": new_id(), "trail": last, "for": "P1"}
    version = len(duels.read_duel(recorder.duel_id))
    sent = recorder.client.post(f"{recorder.url}?zones=1", fields | {"expected": version})
    assert sent["Location"].endswith("/record/?zones=1")
    row = duels.duel_state(recorder.duel_id).table.side("P1").spells_traps
    assert [bool(one) for one in row] == [False] * 4 + [True]
    # nothing is asked of who does not care: the first free zone is taken
    top = recorder.get("for=P1")
    (link,) = [one for one in LINKS.findall(top) if "pick=set&" in one.replace("&amp;", "&")]
    quick = recorder.get(link.replace("&amp;", "&"))
    (trail,) = [one for one in TRAILS.findall(quick) if one.endswith(" spell_trap")]
    recorder.send("do", trail=trail, **{"for": "P1"})
    row = duels.duel_state(recorder.duel_id).table.side("P1").spells_traps
    assert [bool(one) for one in row] == [True, False, False, False, True]


def test_what_the_rules_forbid_is_written_down_with_its_infraction(recorder: Page) -> None:
    page = recorder.get("for=P1&more=1")
    assert "YGO-10.6" in page
    closed = TRAILS.findall(page[page.index("It happened all the same") :])
    assert "phase battle" in closed
    assert recorder.send("do", trail="phase battle", **{"for": "P1"}).status_code == 409
    done = recorder.send("beyond", trail="phase battle", **{"for": "P1"})
    assert done.status_code == 302
    assert duels.duel_state(recorder.duel_id).infractions[-1].rule.startswith("YGO-10")


def test_what_is_said_of_points_and_hands_and_what_a_card_does(recorder: Page) -> None:
    to_main(recorder, "P1")
    hand = duels.duel_state(recorder.duel_id).table.side("P1").hand
    recorder.send("name", card=hand[0], key="69140098", **{"for": "P1"})
    assert "What does Gemini Elf do?" in recorder.get(f"for=P1&by={hand[0]}")
    declared = {"effect": "damage", "by": hand[0], "amount": 300, "whose": "P2", "for": "P1"}
    assert recorder.send("declare", **declared).status_code == 302
    for act, value in (("lp", 7700), ("hand", 5)):
        said = recorder.send(act, about="P2", value=value, **{"for": "P1"})
        assert said.status_code == 302
    assert recorder.send("agree", **{"for": "P1"}).status_code == 302
    row = DuelRow.objects.get(pk=recorder.duel_id)
    assert (row.lp_p2, row.pads["P1.P2"]) == (7700, 7700)
    assert recorder.send("lp", about="P2", value="", **{"for": "P1"}).status_code == 409
    assert recorder.send("declare", effect="win", by=hand[0], **{"for": "P1"}).status_code == 409


def test_who_may_record(
    recorder: Page,
    stage: Stage,
    client_of: Callable[..., Client],
    alice: Member,
    charlie: Member,
    olga: Member,
    hedda: Member,
) -> None:
    """A recorder of the event may; a stranger may not, nor a player for the opponent, nor a
    recorder in a duel against the referee; nor judges and the desk, for the page holds both
    hands, which a judge has by a reveal alone."""
    url = f"/duels/{recorder.duel_id}/record/"
    outside = client_of(charlie)
    assert outside.get(url).status_code == 404
    assert outside.get(f"/staff/events/{stage.event_id}/record/").status_code == 404
    charlie.grant("recorder", stage.event_id)
    assert client_of(charlie).get(url).status_code == 200
    Page(client_of(charlie), recorder.duel_id).tap("draw draw_card", "P1")
    assert duels.read_duel(recorder.duel_id)[-1].meta.source == "scorekeeper"
    assert client_of(charlie).get(f"/staff/events/{stage.event_id}/floor/").status_code == 404
    own = client_of(alice).get(url, {"for": "P1" if stage.seat == "P2" else "P2"})
    assert own.context["held"].seats == (stage.seat,)
    assert own.context["held"].seat == stage.seat
    for member in (olga, hedda):
        staff = client_of(member)
        assert staff.get(url).status_code == 403
        listed = staff.get(f"/staff/events/{stage.event_id}/record/")
        assert listed.status_code == 200
        assert url not in listed.content.decode()
        with pytest.raises(NotAllowed):
            services.duel_record_open(member.context(), match_id=stage.match_id, first="P1")
        with pytest.raises(NotAllowed):
            duel_services.act(
                member.context(), duel_id=recorder.duel_id, player="P1", act={"act": "draw"}
            )
    assert client_of(charlie).get(f"/duels/{stage.duel_id}/record/").status_code == 404
    with pytest.raises(NotAllowed):
        duel_services.act_take_back(player(alice.person_id), duel_id=recorder.duel_id)


def test_staff_who_play_do_not_record_their_own_table(
    recorder: Page, stage: Stage, bob: Member
) -> None:
    bob.grant("recorder", stage.event_id)
    with pytest.raises((NotAllowed, Refused)):
        services.duel_record_open(bob.context(), match_id=stage.match_id, first="P1")
    with pytest.raises(NotAllowed):
        duel_services.act_take_back(bob.context(), duel_id=recorder.duel_id)


def test_the_end_is_taken_into_the_match(recorder: Page, stage: Stage) -> None:
    recorder.tap("concede", "P1")
    taken = recorder.client.post(
        f"/staff/events/{stage.event_id}/record/",
        {"act": "take", "nonce": new_id(), "match_id": stage.match_id},
    )
    assert taken.status_code == 302
    row = MatchRow.objects.get(pk=stage.match_id)
    assert [one["winner"] for one in row.duels] == ["P1" if stage.seat == "P2" else "P2", "P2"]


def test_a_player_of_a_refereed_duel_taps_and_is_told_the_rule(
    stage: Stage, client_of: Callable[..., Client], alice: Member, bob: Member
) -> None:
    alice_first = stage.seat
    services.starter_choose(player(alice.person_id), match_id=stage.match_id, first=alice_first)
    duel_id = services.duel_start(player(alice.person_id), match_id=stage.match_id, seed=5)
    page = Page(client_of(alice), duel_id)
    to_main(page, alice_first)
    offered = page.get("more=1")
    assert "YGO-10.6" in offered
    assert "It happened" not in offered
    assert page.send("beyond", trail="phase battle").status_code == 409
    told = page.send("beyond", trail="phase battle").content.decode()
    assert "YGO-10.6" in told
    assert 'role="alert"' in told
    waiting = Page(client_of(bob), duel_id).get()
    assert f"{'Alice'} is to act." in waiting
    version = len(duels.read_duel(duel_id))
    assert client_of(bob).get(f"{page.url}?seen={version}").status_code == 204
    assert client_of(bob).get(f"{page.url}?seen={version - 1}").status_code == 200
    stale = page.send("do", trail="phase end", expected=version - 1)
    assert stale.status_code == 409


def test_who_only_watches_is_behind(
    recorder: Page,
    stage: Stage,
    olga: Member,
    client_of: Callable[..., Client],
    charlie: Member,
    alice: Member,
) -> None:
    """On every page, in the API and in what is taken away; players and judges see all at once."""
    start = clock.now()
    desk = client_of(olga)
    held = desk.post(
        f"/staff/events/{stage.event_id}/record/",
        {"act": "delay", "nonce": new_id(), "minutes": 5},
    )
    assert held.status_code == 302
    assert watching.watch_delay(stage.event_id) == 300
    with pytest.raises(Refused):
        watching.watch_delay_set(olga.context(), event_id=stage.event_id, seconds=10**6)
    with clock.clock_set(lambda: start + timedelta(minutes=4)):
        to_main(recorder, "P1")
    lines = len(duels.read_duel(recorder.duel_id))
    addresses = (
        f"/duels/{recorder.duel_id}/",
        f"/duels/{recorder.duel_id}/?at=9",
        f"/duels/{recorder.duel_id}/text/",
        f"/duels/{recorder.duel_id}/offline/",
        f"/duels/{recorder.duel_id}/json/",
        f"/api/v1/duels/{recorder.duel_id}",
        f"/api/v1/duels/{recorder.duel_id}/log",
        f"/api/v1/duels/{recorder.duel_id}/ledger",
        f"/api/v1/duels/{recorder.duel_id}/fairness",
    )

    def heads(member: Member | None, minute: float) -> set[int]:
        with clock.clock_set(lambda: start + timedelta(minutes=minute)):
            client = client_of(member)
            for address in addresses:
                assert client.get(address).status_code == 200, address
            log = client.get(addresses[6]).json()
            shown = client.get(addresses[0]).context["head"]
            return {shown, log["count"] if "count" in log else len(log["items"])}

    for outsider in (None, charlie):
        assert heads(outsider, 4.5) == {1}, "the opening and no more"
        assert heads(outsider, 6) == {lines - 3}
        assert heads(outsider, 9.5) == {lines}
    assert heads(alice, 4.5) == {lines}
    assert heads(olga, 4.5) == {lines}
    assert rebuilds_equal("duels.watching") == 1
    with clock.clock_set(lambda: start + timedelta(minutes=6)):
        seen = duels.duel_view(ANONYMOUS, recorder.duel_id)
        assert (seen.head, seen.table["phase"]) == (lines - 3, "draw")
        with pytest.raises(Refused):
            duels.duel_view(ANONYMOUS, recorder.duel_id, lines)


@sqlite_only
def test_pages_are_equal_whatever_lies_hidden(
    playing: Stage, client_of: Callable[..., Client], alice: Member, bob: Member, charlie: Member
) -> None:
    """Every card of Bob that Alice has not seen is another one of its kind and Level: what she, a
    spectator and somebody unknown are sent while the duel goes on is the same to the byte."""
    duel_id = playing.duel_id
    state = duels.duel_state(duel_id)
    table, mine = state.table, playing.seat
    seat = "P1" if mine == "P2" else "P2"
    first = min(one for one, owner in enumerate(table.owners) if owner == seat)
    hidden = [
        card
        for card, owner in enumerate(table.owners)
        if owner == seat
        and not any(sees(table, state.knowledge, one, card) for one in (mine, "public"))
    ]
    assert {table.where(card)[1] for card in hidden} >= {"hand", "deck"}

    version, url = len(duels.read_duel(duel_id)), f"/duels/{duel_id}/"
    pages = [f"{url}?as={who}&at={at}" for who in ("public", mine.lower()) for at in (20, version)]
    pages += [f"{url}{one}" for one in ("", f"?seen={version}", "text/", "json/", "offline/")]
    pages += [f"{url}record/{one}" for one in ("", "?more=1", f"?seen={version - 1}")]
    pages += [f"/api/v1{url}{one}" for one in ("log", f"acts?player={mine}")]
    readers = [client_of(one) for one in (alice, charlie, None)]

    def look() -> list[Any]:
        return [seen(reader, page) for reader in readers for page in pages]

    for page in pages:  # what a process caches is not a reader's cost
        seen(readers[0], page)
    before, own = look(), client_of(bob).get(f"{url}?as={seat.lower()}").content

    def change(data: dict[str, Any]) -> None:
        known = {one["key"]: one for one in data["facts"]}
        main, fusion = data["main"][seat], data["fusion"][seat]
        for card in hidden:
            at = card - first  # the cards of a seat are numbered on from its main Deck
            cards, at = (main, at) if at < len(main) else (fusion, at - len(main))
            facts = known[cards[at]]
            other = {"key": f"other-{card}", "name": f"Other {card}", "atk": card}
            data["facts"].append({**facts, **other})
            cards[at] = other["key"]

    rewrite(f"duel-{duel_id}", "duels.duel_opened", change)
    assert duels.duel_state(duel_id).table.identities != table.identities
    assert look() == before
    assert client_of(bob).get(f"{url}?as={seat.lower()}").content != own


def test_a_merged_player_has_one_name_in_logs_and_on_the_list_of_tables(
    playing: Stage, olga: Member, bob: Member
) -> None:
    """Both ids of Alice sit at the table, as those of one who was merged before the round do."""
    row = MatchRow.objects.get(pk=playing.match_id)
    seat = next(at for at, held in enumerate(row.persons) if bob.person_id not in held)
    twice = new_id()
    people_services.person_register(olga.context(), person_id=twice, display_name="Alice Again")
    Person.objects.filter(pk=twice).update(merged_into=row.persons[seat][0])
    row.persons[seat].append(twice)
    names = people.names(one for side in row.persons for one in side)
    assert names[twice] == names[row.persons[seat][0]]
    seats = dict(zip(("P1", "P2"), row.persons, strict=True))
    shown = players_of(SimpleNamespace(seats=seats))  # type: ignore[arg-type]
    assert sorted(shown.values()) == sorted({*names.values()})
    assert recording._names(row, names) == tuple(shown.values())
