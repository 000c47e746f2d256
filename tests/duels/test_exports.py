"""A recorded duel taken away as text, JSON and one page: each holds every line and what its
perspective may know, and nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from django.test import Client

from duels import selectors, services
from duels.domain import text
from duels.watching import watch_delay_set
from eventstore.domain.refusal import Refusal
from tests.altered import altered
from tests.conftest import Member
from tests.duels.test_services import EVENT, do, open_duel

pytestmark = pytest.mark.django_db
ClientOf = Callable[..., Client]
FORMS = ("text", "json", "offline")


@pytest.fixture
def duel_id(alice: Member, bob: Member, jude: Member) -> str:
    """Taken down as it happened: Alice Sets a card and breaks a rule, a judge notes it, both pads
    speak, a line is disputed."""
    jude.grant("judge", EVENT)
    made = open_duel(alice, bob, mode="recorded")
    for act in ({"act": "draw"}, {"act": "enter_phase", "phase": "main1"}):
        do(alice, made, "P1", **act)
    set_act = next(
        one for one in selectors.acts_open(alice.actor, made, "P1") if one["act"] == "set_monster"
    )
    do(alice, made, "P1", **{key: value for key, value in set_act.items() if key != "player"})
    services.conduct_observe(
        jude.context("judge"), duel_id=made, player="P2", conduct="mixed_layout"
    )
    for statement in (
        {"statement": "lp_declared", "about": "P1", "value": 8000, "pad_seq": 1},
        {"statement": "line_disputed", "line": 4},
    ):
        services.statement_make(bob.context(), duel_id=made, player="P2", statement=statement)
    services.duel_concede(bob.context(), duel_id=made, player="P2")
    return made


def taken(client: Client, duel_id: str, perspective: str) -> dict[str, str]:
    """Every form as one viewer gets it."""
    found = {}
    for form in FORMS:
        answer: Any = client.get(f"/duels/{duel_id}/{form}/?as={perspective}")
        assert answer.status_code == 200, (form, perspective)
        assert "no-store" in answer.headers["Cache-Control"]
        assert f"-{perspective}." in answer.headers["Content-Disposition"]
        found[form] = answer.content.decode()
    return found


def test_every_form_holds_every_line_of_a_recorded_duel(
    duel_id: str, alice: Member, bob: Member, jude: Member, client_of: ClientOf
) -> None:
    log = selectors.duel_log(jude.actor, duel_id, "judge")
    for member, perspective in ((None, "public"), (alice, "p1"), (bob, "p2"), (jude, "judge")):
        forms = taken(client_of(member, events=[EVENT]), duel_id, perspective)
        told = json.loads(forms["json"])
        assert [one["seq"] for one in told["lines"]] == [one.seq for one in log]
        assert [one["code"] for one in told["lines"]] == [one.code for one in log]
        assert told["table"]["result"]["winner"] == "P1"
        shown = unescape(forms["offline"])
        assert len(re.findall(r'id="l\d+"', forms["offline"])) == len(log)
        assert not [one["text"] for one in told["lines"] if one["text"] not in shown]
        rows = re.findall(r"^(\d+) \S+ \S+ (\w+)", forms["text"], re.MULTILINE)
        assert [(int(seq), f"duels.{name}") for seq, name in rows] == [
            (one.seq, one.code) for one in log
        ]
    entries = text.read(taken(client_of(jude), duel_id, "judge")["text"].encode())
    assert not isinstance(entries, Refusal)
    assert len(entries) == len(log)


def test_what_is_hidden_at_the_table_is_in_no_export(
    duel_id: str, alice: Member, bob: Member, jude: Member, charlie: Member, client_of: ClientOf
) -> None:
    hand = selectors.duel_view(bob.actor, duel_id, None, "p2").table["P2"]["hand"]
    public = json.dumps(selectors.duel_view(charlie.actor, duel_id).table)
    hidden = {one["name"] for one in hand if one["name"] not in public}
    mine = json.dumps(selectors.duel_view(alice.actor, duel_id, None, "p1").table)
    assert {name for name in hidden if name not in mine}
    for name in hidden:
        assert any(name in form for form in taken(client_of(jude), duel_id, "judge").values())
        for form in taken(client_of(None), duel_id, "public").values():
            assert name not in form
    theirs = {name for name in hidden if name not in mine}
    for form in taken(client_of(alice, events=[EVENT]), duel_id, "p1").values():
        assert not [name for name in theirs if name in form]
    opponent = client_of(alice, events=[EVENT])
    for form in FORMS:
        assert opponent.get(f"/duels/{duel_id}/{form}/?as=p2").status_code == 404
        assert client_of(charlie).get(f"/duels/{duel_id}/{form}/?as=judge").status_code == 404
        for broken in ("x", duel_id.upper(), altered(duel_id)):
            assert client_of(None).get(f"/duels/{broken}/{form}/").status_code == 404


def test_who_only_watches_takes_away_no_more_than_is_shown(
    duel_id: str, alice: Member, jude: Member, olga: Member, client_of: ClientOf
) -> None:
    olga.grant("organiser", EVENT)
    watch_delay_set(olga.context(), event_id=EVENT, seconds=600)
    late = taken(client_of(None), duel_id, "public")
    told = json.loads(late["json"])
    assert [one["seq"] for one in told["lines"]] == [1]
    assert told["table"]["result"] is None
    assert re.findall(r'id="l\d+"', late["offline"]) == ['id="l1"']
    assert not re.search(r"^2 ", late["text"], re.MULTILINE)
    for member, perspective in ((alice, "p1"), (jude, "judge")):
        forms = taken(client_of(member, events=[EVENT]), duel_id, perspective)
        assert json.loads(forms["json"])["table"]["result"]["winner"] == "P1"
