"""A judge repairs a list: with a ruling at the table, or before round 1 as the head judge."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from decks import selectors as decks
from decks.domain.siding import Swap
from eventstore.commands import Context
from eventstore.domain.refusal import Refused
from eventstore.ids import new_id
from judging import services
from judging.domain.listrepair import list_infractions
from judging.listrepair import list_repair
from judging.models import CallRow, RulingRow
from judging.packs import newest
from people.access import NotAllowed
from people.domain.actor import Actor
from people.domain.roles import Role
from tests.conftest import Member
from tests.helpers import rebuilds_equal
from tests.portal.stage import Stage, set_stage, starter
from tournaments import services as tournaments
from tournaments.domain.match import Match
from tournaments.domain.sides import current
from tournaments.models import EntrantRow

pytestmark = pytest.mark.django_db


@pytest.fixture
def stage(olga: Member, alice: Member, bob: Member, jude: Member, hedda: Member) -> Stage:
    """Round 2 is on; the table of Alice and Bob has an open call."""
    call_command("load_shipped", verbosity=0)
    return set_stage(olga, alice, bob, jude, hedda)


def other(text: str) -> str:
    """Return the list with its first card taken out."""
    lines = text.strip().splitlines()
    at = next(at for at, one in enumerate(lines) if one.strip().isdigit())
    return "\n".join(lines[:at] + lines[at + 1 :])


def repair(member: Member, stage: Stage, name: str = "Alice", **values: Any) -> Any:
    deck = EntrantRow.objects.get(pk=stage.entrants[name]).deck_id
    held = decks.deck_in_force(member.actor, deck).deck
    text = "#main\n" + "\n".join(held.main[1:]) + "\n#extra\n" + "\n".join(held.extra)
    sent = {"content": text, "reason": "one card too many", "infraction": "DE-MAJOR"}
    return list_repair(
        member.context("judge"),
        event_id=stage.event_id,
        entrant_id=stage.entrants[name],
        **{**sent, **values},
    )


def test_the_infractions_about_lists_are_those_of_the_pack() -> None:
    assert list_infractions(newest("house-rules")) == {
        "DE-MINOR": ("told_before_round_1", "unreadable"),
        "DE-MAJOR": ("list_illegal", "deck_illegal", "deck_and_list_differ"),
    }


def test_the_ruling_is_made_in_the_same_command(
    stage: Stage, alice: Member, jude: Member, client_of: Callable[..., Client]
) -> None:
    with pytest.raises(Refused, match="call_open_there"):
        repair(jude, stage)
    services.call_withdraw(alice.context(), call_id=stage.call_id)
    made = repair(jude, stage)
    ruling = RulingRow.objects.get(pk=made.ruling_id)
    assert (ruling.infraction, ruling.infraction_kind) == ("DE-MAJOR", "list_illegal")
    assert (ruling.target_entrant, ruling.penalty) == (stage.entrants["Alice"], "game_loss")
    assert CallRow.objects.get(pk=made.call_id).claimed_by == jude.person_id
    history = decks.deck_versions(alice.actor, made.deck_id)
    last = history.versions[-1]
    assert history.repaired == last
    assert (last.infraction, last.ruling_id) == ("DE-MAJOR", made.ruling_id)
    assert [part.copies for part in last.changes] == [-1]
    page = client_of(alice).get(f"/my/{stage.event_id}/deck/").content.decode()
    assert "A judge has repaired your list" in page
    assert "one card too many" in page
    assert "Repaired by a judge" in page
    # the same judge, still at the table, repairs once more under the ruling that is there
    again = repair(jude, stage, infraction=None, ruling_id=made.ruling_id, reason="and another")
    assert (again.number, again.ruling_id) == (3, made.ruling_id)
    assert rebuilds_equal("decks.in_force") == 1


def test_nothing_stands_when_a_part_is_refused(stage: Stage, alice: Member, jude: Member) -> None:
    services.call_withdraw(alice.context(), call_id=stage.call_id)
    before = CallRow.objects.count()
    for values, code in (
        ({"content": "#main\n1"}, "illegal_list"),
        ({"reason": ""}, "reason_missing"),
        ({"infraction": "UC-MINOR"}, "not_a_list_infraction"),
        ({"infraction": None}, "not_a_list_infraction"),
        ({"infraction_kind": "late"}, "unknown_infraction_kind"),
        ({"ruling_id": new_id()}, "ruling_not_of_list"),
    ):
        with pytest.raises(Refused, match=code):
            repair(jude, stage, **values)
    assert CallRow.objects.count() == before
    assert not RulingRow.objects.exists()


def test_only_judges_repair_and_nobody_the_own_list(
    stage: Stage, alice: Member, bob: Member, charlie: Member, olga: Member, jude: Member
) -> None:
    for member in (alice, charlie, olga):
        with pytest.raises(NotAllowed):
            list_repair(
                member.context(),
                event_id=stage.event_id,
                entrant_id=stage.entrants["Alice"],
                content=starter(),
                reason="because",
                infraction="DE-MAJOR",
            )
    roles = {stage.event_id: frozenset({Role.JUDGE})}
    playing = Context(Actor(person_id=bob.person_id, signed_in=True, event_roles=roles), "judge")
    with pytest.raises(Refused, match="own_list"):
        list_repair(
            playing,
            event_id=stage.event_id,
            entrant_id=stage.entrants["Bob"],
            content=starter(),
            reason="because",
            infraction="DE-MAJOR",
        )
    with pytest.raises(NotAllowed):
        list_repair(
            jude.context("judge"),
            event_id=new_id(),
            entrant_id=stage.entrants["Alice"],
            content=starter(),
            reason="because",
            infraction="DE-MAJOR",
        )


def test_without_an_open_match_the_head_judge_notes_it(
    stage: Stage, jude: Member, hedda: Member
) -> None:
    # Hal has dropped out before round 1: no match of his is open
    with pytest.raises(Refused, match="head_judge_only"):
        repair(jude, stage, "Hal", infraction="DE-MINOR", infraction_kind="told_before_round_1")
    made = repair(hedda, stage, "Hal", infraction="DE-MINOR")
    assert (made.number, made.ruling_id, made.call_id) == (2, "", "")
    last = decks.deck_versions(hedda.actor, made.deck_id).versions[-1]
    assert last.infraction == "DE-MINOR"


def test_the_page_of_a_repair(
    stage: Stage, alice: Member, jude: Member, client_of: Callable[..., Client]
) -> None:
    services.call_withdraw(alice.context(), call_id=stage.call_id)
    page = f"/staff/events/{stage.event_id}/lists/{stage.entrants['Alice']}/repair/"
    client = client_of(jude)
    body = client.get(page).content.decode()
    assert "A ruling is made at table" in body
    assert "DE-MINOR" in body
    content = "Main Deck:\n3 No Such Thing"
    sent = {
        "act": "repair",
        "content": content,
        "reason": "x",
        "infraction": "DE-MAJOR:list_illegal",
    }
    refused = client.post(page, {**sent, "nonce": new_id()})
    assert refused.status_code == 409
    assert "A line that names no card" in refused.content.decode()
    assert client.post(page, {"act": "check", "content": starter()}).status_code == 200
    assert client.post(page, {"act": "other", "content": starter()}).status_code == 400
    deck = decks.deck_in_force(
        jude.actor, EntrantRow.objects.get(pk=stage.entrants["Alice"]).deck_id
    ).deck
    right = "#main\n" + "\n".join(deck.main[1:]) + "\n#extra\n" + "\n".join(deck.extra)
    done = client.post(page, {**sent, "content": right, "nonce": new_id()})
    assert done.status_code == 302
    shown = client.get(f"/staff/events/{stage.event_id}/lists/{stage.entrants['Alice']}/")
    assert "Repaired by a judge (Jude)" in shown.content.decode()
    assert client_of(alice).get(page).status_code == 404


def test_an_exchange_that_a_repair_has_overtaken_is_left_out() -> None:
    from dataclasses import replace

    from decks.domain.decklist import DeckList
    from decks.domain.presets import PRESETS

    registered = DeckList(("1", "2"), (), ("3", "4"))
    made = type("Made", (), {"seat": "P1", "number": 2, "swap": Swap(("3",), ("1",))})
    state = replace(Match(), exchanges=(made,))
    preset = PRESETS["classic"]
    assert current(registered, state, "P1", preset).main == ("2", "3")
    repaired = DeckList(("2", "5"), (), ("3", "4"))
    assert current(repaired, state, "P1", preset) == repaired


def test_the_deadline_is_no_matter_to_a_repair(stage: Stage, jude: Member, alice: Member) -> None:
    services.call_withdraw(alice.context(), call_id=stage.call_id)
    with pytest.raises(Refused, match="decks_locked"):
        tournaments.deck_submit(
            alice.context(),
            event_id=stage.event_id,
            entrant_id=stage.entrants["Alice"],
            content=other(starter("starter-tide")),
        )
    assert repair(jude, stage).number == 2
