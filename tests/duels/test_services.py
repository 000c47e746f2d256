"""Commands and reads of duels on the database: rights, the read table, rewinds, bad input."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from django.test import Client

from duels import inspection, replays, selectors, services
from duels.models import DuelRow
from duels.rules.yugioh import acts, bot
from duels.services import Acted
from eventstore.domain.refusal import Refused
from eventstore.ids import new_id
from eventstore.store import WrongExpectedVersion, head_position, read_stream
from people.access import NotAllowed
from people.vault import open_text
from tests.conftest import Member
from tests.duels.made import deck_facts
from tests.helpers import queries, rebuilds_equal

pytestmark = [pytest.mark.django_db]
EVENT = "00000000-0000-7000-8000-0000000000e1"
ClientOf = Callable[..., Client]


def decks(seed: int = 1) -> dict[str, Any]:
    facts = [msgspec.to_builtins(one) for one in deck_facts(seed)]
    rng = random.Random(seed)
    return {player: {"main": rng.choices(facts, k=40)} for player in ("P1", "P2")}


def open_duel(alice: Member, bob: Member, **values: Any) -> str:
    duel_id = str(values.pop("duel_id", new_id()))
    given: dict[str, Any] = {
        "event_id": EVENT,
        "match_id": None,
        "number": 1,
        "options": {},
        "seats": {"P1": [alice.person_id], "P2": [bob.person_id]},
        "starter": "P1",
        "decks": decks(),
        "seed": 7,
    }
    services.duel_open(alice.context(), duel_id=duel_id, **given | values)
    return duel_id


@pytest.fixture
def duel_id(alice: Member, bob: Member) -> str:
    """A refereed duel of Alice (P1, who begins) and Bob (P2) in its first Draw Phase."""
    return open_duel(alice, bob)


@pytest.fixture
def staff(jude: Member, hedda: Member) -> tuple[Member, Member]:
    """Jude as judge and Hedda as head judge of the event."""
    jude.grant("judge", EVENT)
    hedda.grant("head_judge", EVENT)
    return jude, hedda


def do(member: Member, duel_id: str, player: str, **act: Any) -> Acted:
    return services.act(member.context(), duel_id=duel_id, player=player, act=act)


def test_a_whole_duel_by_its_two_players(alice: Member, bob: Member, duel_id: str) -> None:
    """Played act by act through the commands: row, log and rebuild agree at the end."""
    rng = random.Random(3)
    members = {"P1": alice, "P2": bob}
    while True:
        duel = selectors.duel_state(duel_id)
        player = bot.to_act(duel)
        if player is None:
            break
        act = acts.plain(bot.choose(duel, player, rng))
        done = do(
            members[player], duel_id, player, **{k: v for k, v in act.items() if k != "player"}
        )
    row = DuelRow.objects.get(pk=duel_id)
    table = selectors.duel_state(duel_id).table
    assert table.result is not None
    assert selectors.duel_result(duel_id) == (row.winner, row.ended_by, row.ended_how)
    assert (done.winner, done.by) == (row.winner, row.ended_by)
    assert row.events == len(read_stream(f"duel-{duel_id}")) == done.version >= 20
    assert (row.turn, row.phase, row.lp_p1) == (table.turn, table.phase, table.p1.life_points)
    with pytest.raises(Refused) as fault:
        do(alice, duel_id, "P1", act="draw")
    assert fault.value.refusal.code == "YGO-2.7"
    rebuilds_equal("duels.duels")


def test_only_the_own_seat_acts(alice: Member, bob: Member, charlie: Member, duel_id: str) -> None:
    before = head_position()
    for member in (bob, charlie):
        with pytest.raises(NotAllowed):
            do(member, duel_id, "P1", act="draw")
    with pytest.raises(NotAllowed):
        services.duel_concede(charlie.context(), duel_id=duel_id, player="P2")
    with pytest.raises(NotAllowed):
        services.duel_rewind(alice.context(), duel_id=duel_id, to=2)
    with pytest.raises(NotAllowed):
        services.conduct_observe(
            alice.context(), duel_id=duel_id, player="P2", conduct="mixed_layout"
        )
    assert head_position() == before


def test_a_judge_who_plays_sees_the_own_side_alone(
    alice: Member, bob: Member, staff: tuple[Member, Member], duel_id: str
) -> None:
    bob.grant("head_judge", EVENT)
    assert selectors.perspectives(bob.actor, duel_id) == ["public", "p2"]
    for perspective in ("p1", "judge"):
        with pytest.raises(NotAllowed):
            selectors.duel_view(bob.actor, duel_id, perspective=perspective)
        with pytest.raises(NotAllowed):
            selectors.duel_log(bob.actor, duel_id, perspective)
        with pytest.raises(NotAllowed):
            inspection.duel_text(bob.actor, duel_id, perspective)
    with pytest.raises(NotAllowed):
        inspection.inspection(bob.actor, duel_id)
    with pytest.raises(NotAllowed):
        services.lot_draw(bob.context("judge"), duel_id=duel_id, player="P1")
    with pytest.raises(NotAllowed):
        services.duel_rewind(bob.context("judge"), duel_id=duel_id, to=1)
    with pytest.raises(NotAllowed):
        replays.replay_behind(bob.actor, duel_id)
    assert selectors.duel_view(bob.actor, duel_id, perspective="p2").perspective == "p2"


def test_perspectives_are_kept_apart(
    alice: Member, bob: Member, charlie: Member, staff: tuple[Member, Member], duel_id: str
) -> None:
    jude, _ = staff
    assert selectors.perspectives(alice.actor, duel_id) == ["public", "p1"]
    assert selectors.perspectives(bob.actor, duel_id) == ["public", "p2"]
    assert selectors.perspectives(charlie.actor, duel_id) == ["public"]
    assert selectors.perspectives(jude.actor, duel_id) == ["public", "p1", "p2", "judge"]
    for member, perspective in ((alice, "p2"), (bob, "p1"), (charlie, "judge"), (charlie, "p1")):
        with pytest.raises(NotAllowed):
            selectors.duel_view(member.actor, duel_id, perspective=perspective)
        with pytest.raises(NotAllowed):
            selectors.duel_log(member.actor, duel_id, perspective)
    own = selectors.duel_view(alice.actor, duel_id, perspective="p1").table
    public = selectors.duel_view(charlie.actor, duel_id).table
    assert all(card["card"] for card in own["P1"]["hand"])
    assert public["P1"]["hand"] == [{"card": None}] * 5
    assert own["P2"]["hand"] == [{"card": None}] * 5
    with pytest.raises(Refused) as fault:
        selectors.duel_view(alice.actor, duel_id, perspective="god")
    assert fault.value.refusal.code == "duels.perspective_unknown"


def test_reads_take_one_query(alice: Member, duel_id: str) -> None:
    actor = alice.actor
    for read in (
        lambda: selectors.duel_view(actor, duel_id),
        lambda: selectors.duel_log(actor, duel_id, "p1"),
        lambda: selectors.lp_ledger(actor, duel_id),
        lambda: selectors.duel_result(duel_id),
        lambda: selectors.acts_open(actor, duel_id, "P1"),
    ):
        with queries(exactly=1):
            read()
    assert selectors.duel_result(duel_id) is None, "it goes on"


def test_a_missing_duel_is_as_hidden_as_a_foreign_one(alice: Member) -> None:
    with pytest.raises(NotAllowed) as fault:
        do(alice, new_id(), "P1", act="draw")
    assert fault.value.hidden
    with pytest.raises(NotAllowed) as read:
        selectors.duel_view(alice.actor, new_id())
    assert read.value.hidden
    for bad in ("", "x", "../etc", "0" * 36):
        with pytest.raises(NotAllowed) as damaged:
            selectors.duel_view(alice.actor, bad)
        assert damaged.value.hidden
    assert selectors.duel_result(new_id()) is None


def test_the_same_command_twice_acts_once(alice: Member, duel_id: str) -> None:
    key = new_id()
    first, again = (
        services.act(
            alice.context(command_id=key), duel_id=duel_id, player="P1", act={"act": "draw"}
        )
        for _ in range(2)
    )
    assert first == again
    assert len(selectors.duel_state(duel_id).table.p1.hand) == 6


def test_an_act_on_an_older_table_is_refused(alice: Member, duel_id: str) -> None:
    with pytest.raises(WrongExpectedVersion):
        services.act(alice.context(), duel_id=duel_id, player="P1", act={"act": "draw"}, expected=2)
    version = len(read_stream(f"duel-{duel_id}"))
    done = services.act(
        alice.context(), duel_id=duel_id, player="P1", act={"act": "draw"}, expected=version
    )
    assert done.version == version + 1


@pytest.mark.parametrize(
    ("act", "code"),
    [
        ({}, "duels.act_malformed"),
        ({"act": "observe", "conduct": "mixed_layout"}, "duels.act_not_for_players"),
        ({"act": "draw", "player": "P2"}, None),
        ({"act": "normal_summon", "card": 10**12}, "duels.no_such_card"),
        ({"act": "normal_summon", "card": "P1.hand.1"}, "YGO-11.2"),
        ({"act": "enter_phase", "phase": "battle"}, "YGO-10.6"),
        (
            {"act": "identify", "card": "P1.hand.1", "key": "x", "facts": {"key": "x"}},
            "duels.card_unknown",
        ),
        ({"act": "activate", "card": "P2.hand.1"}, "duels.no_such_card"),
        ({"act": "normal_summon", "card": "P1.deck.1"}, "duels.no_such_card"),
        ({"act": "lp_change", "about": "P2", "delta": -1, "by": "P2.hand.1"}, "YGO-0.1"),
    ],
)
def test_bad_acts_leave_nothing(
    alice: Member, duel_id: str, act: dict[str, Any], code: str | None
) -> None:
    before = head_position()
    if code is None:  # a player named in the act does not outweigh the seat
        services.act(alice.context(), duel_id=duel_id, player="P1", act=act)
        assert selectors.duel_state(duel_id).table.p1.drawn
        return
    with pytest.raises(Refused) as fault:
        do(alice, duel_id, "P1", **act)
    found = (fault.value.refusal.code, *fault.value.refusal.also)
    assert code in found
    assert head_position() == before


def test_the_head_judge_rewinds_and_may_undo_it(
    alice: Member, bob: Member, staff: tuple[Member, Member], duel_id: str
) -> None:
    jude, hedda = staff
    do(alice, duel_id, "P1", act="draw")
    do(alice, duel_id, "P1", act="enter_phase", phase="standby")
    do(bob, duel_id, "P2", act="concede")
    head = len(read_stream(f"duel-{duel_id}"))
    assert selectors.duel_result(duel_id) == ("P1", "duels.conceded", "concession")
    with pytest.raises(NotAllowed):
        services.duel_rewind(jude.context("judge"), duel_id=duel_id, to=head - 4)
    services.duel_rewind(hedda.context("judge"), duel_id=duel_id, to=head - 4, ruling_id="r")
    assert selectors.duel_result(duel_id) is None
    row = DuelRow.objects.get(pk=duel_id)
    assert (row.winner, row.phase, row.rewinds) == ("", "draw", 1)
    log = selectors.duel_log(hedda.actor, duel_id, "judge")
    assert [line.struck for line in log[head - 4 :]] == [True, True, True, False, False]
    assert log[head - 1].code == "duels.seed_revealed", "what was disclosed stays so"
    rewound = read_stream(f"duel-{duel_id}")[-1].data
    assert rewound.reversed == [head - 3, head - 2, head - 1, head]
    rebuilds_equal("duels.duels")
    services.duel_rewind(hedda.context("judge"), duel_id=duel_id, to=head)
    assert selectors.duel_result(duel_id) == ("P1", "duels.conceded", "concession")
    assert DuelRow.objects.get(pk=duel_id).winner == ""
    rebuilds_equal("duels.duels")
    for bad in (0, -1, 10_000):
        with pytest.raises(Refused) as fault:
            services.duel_rewind(hedda.context("judge"), duel_id=duel_id, to=bad)
        assert fault.value.refusal.code == "duels.rewind_out_of_range"


def test_statements_stand_beside_the_table(alice: Member, bob: Member, duel_id: str) -> None:
    def say(member: Member, player: str, reason: str | None = None, **statement: Any) -> None:
        services.statement_make(
            member.context(), duel_id=duel_id, player=player, statement=statement, reason=reason
        )

    before = selectors.duel_state(duel_id).table
    say(alice, "P1", statement="lp_declared", about="P2", value=7000, delta=-1000, pad_seq=1)
    say(bob, "P2", statement="lp_declared", about="P2", value=7500, delta=-500, pad_seq=1)
    head = len(read_stream(f"duel-{duel_id}"))
    say(bob, "P2", "It was 500.", statement="line_disputed", line=head - 1)
    ledger = selectors.lp_ledger(alice.actor, duel_id)
    assert ledger.first_divergence == head
    assert ledger.life_points == {"P1": 8000, "P2": 8000}
    assert selectors.duel_state(duel_id).table == before
    event = read_stream(f"duel-{duel_id}")[-1].data
    assert "500" not in event.reason
    assert open_text(bob.person_id, event.reason) == "It was 500."
    for fault in (
        {"statement": "line_disputed", "line": 10_000},
        {"statement": "lp_declared", "about": "P2", "value": 7, "pad_seq": 1},
        {},
    ):
        with pytest.raises(Refused):
            say(alice, "P1", **fault)
    with pytest.raises(Refused):
        unsealed = {"statement": "line_disputed", "line": 1, "reason": "not sealed"}
        services.statement_make(alice.context(), duel_id=duel_id, player="P1", statement=unsealed)
    with pytest.raises(NotAllowed):
        say(alice, "P2", statement="lp_agreed", p1=1, p2=1)
    with pytest.raises(Refused) as alone:
        say(alice, "P1", statement="lp_agreed", p1=8000, p2=7500)
    assert alone.value.refusal.code == "duels.pads_differ"
    say(alice, "P1", statement="lp_declared", about="P2", value=7500, pad_seq=2)
    say(alice, "P1", statement="lp_agreed", p1=8000, p2=7500)
    row = DuelRow.objects.get(pk=duel_id)
    assert (row.lp_p2, row.pads["P1.P2"]) == (8000, 7500)
    rebuilds_equal("duels.duels")


def test_a_pad_duel_has_life_points_by_agreement(
    alice: Member, bob: Member, staff: tuple[Member, Member]
) -> None:
    duel_id = open_duel(alice, bob, fidelity="pad", decks=None)
    with pytest.raises(Refused) as fault:
        do(alice, duel_id, "P1", act="draw")
    assert fault.value.refusal.code == "duels.pad_only"
    agreed = {"statement": "lp_agreed", "p1": 6000, "p2": 8000}
    line = {"statement": "lp_declared", "about": "P1", "value": 6000, "pad_seq": 1}
    turn = {"statement": "turn_marked", "turn": 2, "active": "P2"}

    def say(member: Member, player: str, statement: dict[str, Any]) -> None:
        services.statement_make(
            member.context(), duel_id=duel_id, player=player, statement=statement
        )

    for member, player, told in ((bob, "P2", turn), (bob, "P2", line), (alice, "P1", line)):
        # nobody agrees alone: both pads say it first
        with pytest.raises(Refused) as fault:
            say(bob, "P2", agreed)
        assert fault.value.refusal.code == "duels.pads_differ"
        say(member, player, told)
    say(bob, "P2", agreed)
    row = DuelRow.objects.get(pk=duel_id)
    assert (row.turn, row.active, row.lp_p1) == (2, "P2", 6000)
    assert selectors.lp_ledger(bob.actor, duel_id).life_points == {"P1": 6000, "P2": 8000}
    rebuilds_equal("duels.duels")


def test_a_recorded_duel_keeps_infractions_for_judges(
    alice: Member, bob: Member, staff: tuple[Member, Member]
) -> None:
    jude, _ = staff
    duel_id = open_duel(alice, bob, mode="recorded", decks={"P1": None, "P2": 44})
    do(alice, duel_id, "P1", act="enter_phase", phase="main1")
    services.conduct_observe(
        jude.context("judge"), duel_id=duel_id, player="P2", conduct="mixed_layout"
    )
    flags, infractions = selectors.duel_marks(jude.actor, duel_id)
    assert flags == []
    assert [(one.player, one.rule) for one in infractions] == [
        ("P1", "YGO-10.2"),
        ("P2", "YGO-6.5"),
    ]
    assert DuelRow.objects.get(pk=duel_id).infractions == 2
    with pytest.raises(NotAllowed):
        selectors.duel_marks(alice.actor, duel_id)
    log = selectors.duel_log(jude.actor, duel_id, "judge")
    assert {line.source for line in log} == {"player", "judge"}
    rebuilds_equal("duels.duels")


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({"game": "chess"}, "duels.game_not_played"),
        ({"starter": "P3"}, "duels.opening_malformed"),
        ({"mode": "lax"}, "duels.opening_malformed"),
        ({"fidelity": "rough"}, "duels.opening_malformed"),
        ({"decks": {"P1": 4, "P2": 40}}, "YGO-5.4"),
        ({"decks": {"P1": "all", "P2": 40}}, "duels.opening_malformed"),
        ({"decks": {"P1": [1.5], "P2": 40}}, "duels.opening_malformed"),
        ({"decks": {"P1": [{"key": 1}], "P2": 40}}, "duels.opening_malformed"),
        ({"decks": {"P1": ["x"] * 1001, "P2": 40}}, "duels.opening_malformed"),
        ({"options": {"no.such": True}}, "duels.option_unknown"),
        ({"options": {"chain.enabled": "no"}}, "duels.option_value"),
        ({"duel_id": "7"}, "duels.bad_id"),
    ],
)
def test_a_bad_opening_is_refused_whole(
    alice: Member, bob: Member, values: dict[str, Any], code: str
) -> None:
    before = head_position()
    given: dict[str, Any] = {
        "duel_id": new_id(),
        "event_id": EVENT,
        "match_id": None,
        "number": 1,
        "options": {},
        "seats": {"P1": [alice.person_id], "P2": [bob.person_id]},
        "starter": "P1",
        "decks": None,
        "seed": 1,
    }
    # a list with a float has no canonical form, so it is given from inside a command
    from eventstore.commands import Unit

    with pytest.raises(Refused) as fault:
        services.duel_open(Unit(alice.context()), **given | values)
    assert fault.value.refusal.code == code
    assert head_position() == before


def test_a_duel_is_opened_once_by_those_concerned(
    alice: Member, bob: Member, charlie: Member, duel_id: str
) -> None:
    with pytest.raises(Refused) as fault:
        open_duel(alice, bob, duel_id=duel_id)
    assert fault.value.refusal.code == "duels.exists"
    with pytest.raises(NotAllowed):
        open_duel(charlie, bob, seats={"P1": [alice.person_id], "P2": [bob.person_id]})


def test_the_seed_gives_the_same_duel(alice: Member, bob: Member) -> None:
    one, two, three = (open_duel(alice, bob, seed=seed) for seed in (5, 5, 6))
    hands = [selectors.duel_state(duel).table.p1.hand for duel in (one, two, three)]
    assert hands[0] == hands[1] != hands[2]


# --- the API


def test_the_api_gives_each_viewer_their_own(
    alice: Member, bob: Member, charlie: Member, duel_id: str, client_of: ClientOf
) -> None:
    base = f"/api/v1/duels/{duel_id}"
    player, stranger = client_of(alice, events=[EVENT]), client_of(None)
    assert player.get(f"{base}?as=p1").json()["table"]["P1"]["hand"][0]["card"]
    assert stranger.get(base).json()["table"]["P1"]["hand"][0] == {"card": None}
    assert stranger.get(f"{base}?as=p1").status_code == 404
    assert client_of(charlie).get(f"{base}/log?as=judge").status_code == 404
    assert stranger.get(f"/api/v1/duels/{new_id()}").status_code == 404
    assert player.get(f"{base}?at=x").status_code == 400
    assert player.get(f"{base}?at=9999").json()["code"] == "duels.no_such_line"
    assert player.get(f"{base}?at=1").json()["table"]["turn"] == 0
    lines = stranger.get(f"{base}/log").json()["results"]
    assert lines[0]["text"].startswith("Duel 1 begins")
    assert all(line["text"] and not line["text"].startswith("duels.") for line in lines)
    assert stranger.get(f"{base}/ledger").json()["life_points"] == {"P1": 8000, "P2": 8000}
    assert {"act": "draw", "player": "P1"} in player.get(f"{base}/acts?player=P1").json()["results"]
    assert player.get(f"{base}/acts?player=P2").status_code == 404


def test_the_api_takes_acts_and_statements(
    alice: Member, bob: Member, duel_id: str, client_of: ClientOf
) -> None:
    base, player = f"/api/v1/duels/{duel_id}", client_of(alice, events=[EVENT])

    def post(path: str, body: Any, client: Client = player) -> tuple[int, Any]:
        answer = client.post(f"{base}/{path}", body, "application/json")
        return answer.status_code, answer.json()

    status, acted = post("acts", {"player": "P1", "act": {"act": "draw"}})
    assert (status, acted["events"]) == (201, 1)
    status, problem = post("acts", {"player": "P1", "act": {"act": "draw"}})
    assert (status, problem["code"], problem["params"]["allowed"]) == (409, "YGO-10.2", 1)
    status, problem = post("acts", {"player": "P1", "act": {"act": "end_turn"}, "expected": 1})
    assert (status, problem["code"]) == (409, "wrong_version")
    assert (
        post("acts", {"player": "P1", "act": {"act": "draw"}}, client_of(bob, events=[EVENT]))[0]
        == 404
    )
    assert post("acts", {"player": "P1", "act": {"act": "draw"}}, client_of(None))[0] == 404
    for bad in ({}, [], {"player": "P9", "act": {}}, {"player": "P1", "act": "draw"}):
        assert post("acts", bad)[0] == 400
    said = {"statement": "count_declared", "about": "P1", "zone": "hand", "value": 6}
    assert post("statements", {"player": "P1", "statement": said})[0] == 201
    status, problem = post("statements", {"player": "P1", "statement": {"statement": "x"}})
    assert (status, problem["code"]) == (409, "duels.statement_malformed")
    assert player.get(f"{base}/acts").status_code == 400
