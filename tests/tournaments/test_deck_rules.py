"""Deck rules of events: presets that the organiser made, frozen; the preset of another game;
the registered list in force again in the next match."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from cards.models import Banlist
from cards.services import catalogue_import
from decks import library
from decks.domain.preset_data import write_preset
from decks.domain.siding import Swap
from decks.models import PresetVersion
from decks.preset_services import preset_publish
from duels import selectors as duels_read
from duels import services as duels
from eventstore.commands import Context
from eventstore.domain.refusal import Refusal, Refused
from eventstore.ids import new_id
from people.access import NotAllowed
from people.domain.actor import SYSTEM
from tests.conftest import Member
from tests.portal.test_sides import with_side
from tournaments import selectors, services
from tournaments.models import EventRow, MatchRow

pytestmark = pytest.mark.django_db

POND = """
id = "pond"
title = "Pond singles"
[main]
least = 40
[copies]
most = 1
"""


def refused(command: Callable[..., Any], *args: Any, **values: Any) -> Refusal:
    with pytest.raises(Refused) as caught:
        command(*args, **values)
    return caught.value.refusal


def entered(olga: Member, alice: Member, **settings: Any) -> tuple[str, str]:
    """Make an open event with Alice in it; return its id and her entrant's."""
    event_id = new_id()
    services.event_create(olga.context(), event_id=event_id, name="Pond Open", **settings)
    services.registration_open(olga.context(), event_id=event_id)
    made = services.entrant_enrol(olga.context(), event_id=event_id, person_id=alice.person_id)
    return event_id, made.entrant_id


class TestPresetsOfOrganisers:
    def test_each_change_is_a_version_and_a_version_stays_what_it_is(self, olga: Member) -> None:
        first = preset_publish(olga.context(), content=POND, base=0)
        again = preset_publish(olga.context(), content=POND)
        assert (first.id, first.unchanged, again.id, again.unchanged) == (
            "pond@1",
            False,
            "pond@1",
            True,
        )
        before = library.named("pond@1")
        second = preset_publish(
            olga.context(), content=POND.replace("most = 1", "most = 2"), base=1
        )
        assert second.id == "pond@2"
        assert library.named("pond@1") is before
        assert (before.copies, library.named("pond@2").copies) == (1, 2)
        assert library.hash_of("pond@1") == first.preset_hash != second.preset_hash
        assert [one.id for one in library.offered()][-1] == "pond@2"
        assert [one.id for one in library.offered("pond@1")][-2:] == ["pond@2", "pond@1"]
        assert library.title_of("pond@2") == "Pond singles @2"

    def test_what_is_written_reads_as_the_same_version(self, olga: Member) -> None:
        preset_publish(olga.context(), content=POND)
        row = PresetVersion.objects.get()
        assert row.body == write_preset(library.named("pond@1"))
        assert preset_publish(olga.context(), content=row.body).unchanged

    def test_every_fault_is_named_and_nothing_is_kept(self, olga: Member) -> None:
        content = json.dumps({"id": "Pond", "main": {"least": -1}, "side": {"sizes": [1, "x"]}})
        no = refused(preset_publish, olga.context(), content=content)
        assert no.code == "decks.preset_invalid"
        assert [(one["path"], one["code"]) for one in no.params["faults"]] == [
            ("id", "preset_value_unknown"),
            ("title", "preset_key_missing"),
            ("main.least", "preset_out_of_range"),
            ("side.sizes[1]", "preset_wrong_type"),
        ]
        assert not PresetVersion.objects.exists()
        assert refused(preset_publish, olga.context(), content="=").code == "decks.bad_preset"
        large = refused(preset_publish, olga.context(), content="#" * (257 << 10))
        assert large.code == "decks.too_large"

    def test_who_edited_an_older_version_is_told(self, olga: Member) -> None:
        preset_publish(olga.context(), content=POND)
        no = refused(preset_publish, olga.context(), content=POND.replace("1", "2"), base=0)
        assert (no.code, no.params["allowed"]) == ("decks.preset_moved_on", 1)

    def test_only_the_sites_organiser_makes_presets(self, charlie: Member, jude: Member) -> None:
        jude.grant("judge", new_id())
        for member in (charlie, jude):
            with pytest.raises(NotAllowed):
                preset_publish(member.context(), content=POND)

    def test_an_event_freezes_the_version(self, olga: Member, alice: Member) -> None:
        call_command("load_shipped", verbosity=0)
        made = preset_publish(olga.context(), content=POND)
        event_id, entrant = entered(olga, alice, preset="pond@1")
        row = EventRow.objects.get(pk=event_id)
        assert (row.preset, row.preset_hash, row.game) == ("pond@1", made.preset_hash, "yugioh")
        no = refused(
            services.deck_submit,
            olga.context(),
            event_id=event_id,
            entrant_id=entrant,
            content=with_side(),
        )
        assert no.code == "decks.illegal_list"
        assert set(no.also) == {"pond@1/copies.most"}
        preset_publish(olga.context(), content=POND.replace("most = 1", "most = 3"))
        again = refused(
            services.deck_submit,
            olga.context(),
            event_id=event_id,
            entrant_id=entrant,
            content=with_side(),
        )
        assert again.params == no.params
        services.event_configure(olga.context(), event_id=event_id, changes={"preset": "pond@2"})
        services.deck_submit(
            olga.context(), event_id=event_id, entrant_id=entrant, content=with_side()
        )
        row.refresh_from_db()
        assert row.preset_hash == library.hash_of("pond@2") != made.preset_hash
        frozen = refused(
            services.event_configure,
            olga.context(),
            event_id=event_id,
            changes={"preset": "pond@1"},
        )
        assert frozen.code == "tournaments.decks_handed_in"

    def test_limits_of_its_own_take_no_list_beside_them(self, olga: Member, alice: Member) -> None:
        call_command("load_shipped", verbosity=0)
        text = POND.replace("most = 1", "most = 3") + "[points]\nbudget = 0\n"
        cards = "[points.cards]\n" + "".join(
            f"{key} = 1\n" for key in dict.fromkeys(with_side().split()) if key.isdigit()
        )
        preset_publish(olga.context(), content=text + cards)
        limits = Banlist.objects.get().pk
        no = refused(
            services.event_create,
            olga.context(),
            event_id=new_id(),
            name="Two",
            preset="pond@1",
            banlist_id=limits,
        )
        assert no.code == "decks.two_lists"
        event_id, entrant = entered(olga, alice, preset="pond@1")
        dear = refused(
            services.deck_submit,
            olga.context(),
            event_id=event_id,
            entrant_id=entrant,
            content=with_side(),
        )
        (fault,) = dear.params["errors"]
        assert (fault["code"], fault["found"], fault["allowed"]) == ("points_over_budget", 55, 0)

    @pytest.mark.parametrize("name", ["pond@1", "pond", "pond@0", "@1", "a\x00@1", "x" * 60])
    def test_a_preset_that_is_not_there_is_refused(self, olga: Member, name: str) -> None:
        no = refused(
            services.event_create, olga.context(), event_id=new_id(), name="None", preset=name
        )
        assert (no.code, no.params["field"]) == ("tournaments.setting_invalid", "preset")

    def test_it_is_offered_in_the_settings_and_named_on_the_pages(
        self, olga: Member, alice: Member, client_of: Callable[..., Client]
    ) -> None:
        preset_publish(olga.context(), content=POND)
        event_id, _ = entered(olga, alice)
        client, page = client_of(olga), f"/staff/events/{event_id}/settings/"
        assert (
            '<option value="pond@1">Pond singles @1</option>' in client.get(page).content.decode()
        )
        services.event_configure(olga.context(), event_id=event_id, changes={"preset": "pond@1"})
        preset_publish(olga.context(), content=POND.replace("most = 1", "most = 2"))
        body = client.get(page).content.decode()
        assert '<option value="pond@1" selected>Pond singles @1</option>' in body
        assert '<option value="pond@2">Pond singles @2</option>' in body
        assert "Pond singles @1" in client_of(alice).get(f"/my/{event_id}/deck/").content.decode()
        assert "Pond singles @2" in client_of(olga).get("/decks/check/").content.decode()


@pytest.fixture
def duel_masters(shared: Path) -> list[str]:
    """The catalogue with the cards of both games; return names that the rules cover."""
    call_command("load_shipped", verbosity=0)
    content = (shared / "data/duel-masters/cards.json").read_bytes()
    catalogue_import(Context(SYSTEM, "system"), source="cards.json", content=content)
    rows = json.loads(content)["cards"]
    return [
        one["name"]
        for one in rows
        if len(one["civilizations"]) == 1 and one["type"] in ("Creature", "Spell")
    ]


class TestAnotherGame:
    def test_an_event_of_duel_masters_from_list_to_result(
        self,
        olga: Member,
        alice: Member,
        bob: Member,
        duel_masters: list[str],
        client_of: Callable[..., Client],
    ) -> None:
        event_id, entrant = entered(olga, alice, preset="classic-dm")
        made = EventRow.objects.get(pk=event_id)
        assert (made.game, made.match_rules) == ("duel-masters", "dm-bo3")
        assert (made.standings, made.pack) == ("duel-masters@1", "house-rules")
        changes = {"match_rules": "ygo-modern"}
        no = refused(services.event_configure, olga.context(), event_id=event_id, changes=changes)
        assert (no.params["field"], no.params["allowed"]) == ("match_rules", ["dm-bo3", "dm-bo1"])
        other = services.entrant_enrol(
            olga.context(), event_id=event_id, person_id=bob.person_id
        ).entrant_id
        good = "\n".join(f"4 {name}" for name in duel_masters[:10])

        def hand_in(content: str, who: str = entrant) -> Any:
            return services.deck_submit(
                olga.context(), event_id=event_id, entrant_id=who, content=content
            )

        no = refused(hand_in, good + f"\n1 {duel_masters[11]}")
        assert no.also == ("DM-10.1",)
        assert refused(hand_in, with_side()).also == ("DM-10.13", "DM-10.1", "DM-10.16")
        assert hand_in(good).counts == {"main": 40, "extra": 0, "side": 0}
        hand_in(good, other)
        client = client_of(alice)
        page = client.post(
            f"/my/{event_id}/deck/", {"content": good, "act": "look", "nonce": new_id()}
        ).content.decode()
        assert "This list is legal" in page
        assert "Side deck" not in page.partition('id="draft"')[2].partition("</section>")[0]
        paper = client.get(f"/my/{event_id}/deck/paper/").content.decode()
        assert "Creatures" in paper
        assert "Traps" not in paper
        assert "Side deck" not in paper
        for one in (entrant, other):
            services.entrant_check_in(olga.context(), event_id=event_id, entrant_id=one)
        for name in ("Dora", "Emil"):
            made = services.entrant_enrol(olga.context(), event_id=event_id, display_name=name)
            hand_in(good, made.entrant_id)
            services.entrant_check_in(olga.context(), event_id=event_id, entrant_id=made.entrant_id)
        services.event_start(olga.context(), event_id=event_id)
        services.round_pair(olga.context(), event_id=event_id, seed=1)
        services.round_publish(olga.context(), event_id=event_id, number=1)
        rows = MatchRow.objects.filter(event_id=event_id)
        row = next(one for one in rows if [alice.person_id] in one.persons)
        body = client.get(f"/my/{event_id}/").content.decode()
        assert "Duels of this game have no log here" not in body
        record = client.get(f"/duels/{_begun(row)}/record/").content.decode()
        assert "Battle zone of Alice" in record
        assert "Untap" in record
        assert "Life Points" not in record
        sides = refused(
            services.sides_exchange,
            alice.context(),
            match_id=row.pk,
            into_main=[],
            out_of_main=[],
        )
        assert sides.code == "decks.no_side_deck"
        services.result_enter(olga.context(), match_id=row.pk, score=[2, 1, 0])
        row.refresh_from_db()
        assert row.winner == "P1"

    def test_names_of_both_games_are_told_apart(self, duel_masters: list[str]) -> None:
        from cards.selectors import _catalogue
        from decks.domain.presets import CLASSIC, CLASSIC_DM

        catalogue = _catalogue()
        name = next(one for one in duel_masters if one == "Solar Ray")
        seen = catalogue.of_kinds(CLASSIC_DM.kinds_of_game)
        assert [one.kind for one in seen.by_name(name)] == ["dm_spell"]
        assert all(one.kind in CLASSIC.kinds_of_game for one in catalogue.of_kinds(
            CLASSIC.kinds_of_game).search("dragon", 50))  # fmt: skip
        assert seen.search("kuriboh") == ()
        assert seen.hash == catalogue.hash
        assert catalogue.of_kinds(CLASSIC_DM.kinds_of_game) is seen

    def test_preset_and_game_go_together(self, olga: Member, alice: Member) -> None:
        event_id, _ = entered(olga, alice)
        changed = {"preset": "classic-dm", "game": "yugioh"}
        for command, values in (
            (services.event_configure, {"event_id": event_id, "changes": changed}),
            (services.event_create, {"event_id": new_id(), "name": "Cup", **changed}),
        ):
            no = refused(command, olga.context(), **values)
            assert (no.params["field"], no.params["allowed"]) == ("game", ["duel-masters"])
        changes = {"preset": "classic-dm"}
        services.event_configure(olga.context(), event_id=event_id, changes=changes)
        row = EventRow.objects.get(pk=event_id)
        assert (row.game, row.match_rules) == ("duel-masters", "dm-bo3")
        services.event_configure(olga.context(), event_id=event_id, changes={"preset": "goat"})
        assert EventRow.objects.get(pk=event_id).game == "yugioh"


def _seats(row: MatchRow) -> dict[str, Member]:
    return {"P1": Member(row.persons[0][0], "P1"), "P2": Member(row.persons[1][0], "P2")}


def _begun(row: MatchRow) -> str:
    """Toss, choose and open the log of the next duel; return its id."""
    seats = _seats(row)
    if selectors.match_detail(seats["P1"].actor, row.pk).toss_due:
        services.coin_toss(seats["P1"].context(), match_id=row.pk, seed=3)
    chooser = selectors.match_detail(seats["P1"].actor, row.pk).chooser
    if chooser is not None:  # in the other game the lot itself says who starts
        services.starter_choose(seats[chooser].context(), match_id=row.pk, first=chooser)
    return services.duel_start(seats["P1"].context(), match_id=row.pk)


def _duel(row: MatchRow, winner: str) -> None:
    """Play the next duel of a match through its log: the other seat concedes it."""
    seats, duel = _seats(row), _begun(row)
    loser = "P2" if winner == "P1" else "P1"
    duels.duel_concede(seats[loser].context(), duel_id=duel, player=loser)
    services.duel_result_take(seats["P1"].context(), match_id=row.pk)


def test_the_registered_list_is_in_force_again_in_the_next_match(
    olga: Member, alice: Member, bob: Member
) -> None:
    """Round 1: a duel, an exchange, a duel played with the exchanged list. Round 2 begins with
    the list that was handed in, and its log is opened with that."""
    call_command("load_shipped", verbosity=0)
    event_id, entrant = entered(olga, alice, rounds=3)
    others = [
        services.entrant_enrol(olga.context(), event_id=event_id, **given).entrant_id
        for given in ({"person_id": bob.person_id}, {"display_name": "Dora"}, {"display_name": "E"})
    ]
    for one in (entrant, *others):
        services.deck_submit(olga.context(), event_id=event_id, entrant_id=one, content=with_side())
        services.entrant_check_in(olga.context(), event_id=event_id, entrant_id=one)
    services.event_start(olga.context(), event_id=event_id)

    def match(number: int) -> tuple[MatchRow, str]:
        services.round_pair(olga.context(), event_id=event_id, seed=number)
        services.round_publish(olga.context(), event_id=event_id, number=number)
        rows = MatchRow.objects.filter(event_id=event_id, round=number)
        row = next(one for one in rows if [alice.person_id] in one.persons)
        return row, "P1" if row.persons[0] == [alice.person_id] else "P2"

    row, seat = match(1)
    registered = selectors.lists_of_match(alice.actor, row.pk).lists[seat].registered
    coming, going = registered.side[0], registered.main[0]
    _duel(row, "P2")
    services.sides_exchange(
        alice.context(), match_id=row.pk, into_main=[coming], out_of_main=[going]
    )
    held = selectors.lists_of_match(alice.actor, row.pk).lists[seat]
    assert sorted(held.current.main) != sorted(registered.main)
    _duel(row, "P1")
    _duel(row, "P1")
    for other in MatchRow.objects.filter(event_id=event_id, round=1, winner=""):
        services.result_enter(olga.context(), match_id=other.pk, score=[2, 0, 0])
    row, seat = match(2)
    held = selectors.lists_of_match(alice.actor, row.pk).lists[seat]
    assert held.current == held.registered == registered
    assert (held.exchanges, held.back) == ((), Swap())
    duel = _begun(row)
    table = duels_read.duel_state(duel).table
    cards = zip(table.owners, table.identities, strict=True)
    keys = [key for owner, key in cards if owner == seat and key]
    assert sorted(keys) == sorted((*registered.main, *registered.extra))
