"""Instruments and text of a duel through the database: who gets them, and what they say."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from django.core.management import call_command
from django.test import Client

from cards import shipped
from decks import services as deck_services
from duels import inspection, selectors, services
from duels.domain import chance, text
from duels.domain.events import LotDrawn, SeedCommitted, SeedRevealed
from duels.domain.instruments.repair import Undone
from duels.domain.lots import draw_lot
from duels.rules.yugioh import events as ev
from duels.rules.yugioh import setup
from duels.rules.yugioh.duel import fold
from eventstore.commands import Context, Unit
from eventstore.domain.refusal import Refusal, Refused
from eventstore.ids import new_id
from eventstore.store import read_stream
from people.access import NotAllowed
from people.domain.actor import ANONYMOUS, SYSTEM
from tests.conftest import Member
from tests.duels.test_services import EVENT, do, open_duel
from tests.helpers import queries

pytestmark = [pytest.mark.django_db]
ClientOf = Callable[..., Client]
ONLY_JUDGES = (
    "draws",
    "hands",
    "divergence",
    "repairable",
    "rewind-plan",
    "pace",
    "knowledge",
    "deck-check",
    "marks",
)


@pytest.fixture
def duel_id(alice: Member, bob: Member) -> str:
    """A refereed duel of Alice (P1) and Bob (P2) in which Alice has drawn."""
    made = open_duel(alice, bob)
    do(alice, made, "P1", act="draw")
    do(alice, made, "P1", act="enter_phase", phase="standby")
    return made


@pytest.fixture
def judge(jude: Member) -> Member:
    """Jude, judge of the event."""
    jude.grant("judge", EVENT)
    return jude


def forge(duel_id: str, *events: object) -> int:
    """Append events past the rules, as a faulty import would; return the first's number."""
    head = len(read_stream(f"duel-{duel_id}"))
    Unit(Context(actor=SYSTEM, source="import")).append(f"duel-{duel_id}", head, list(events))  # type: ignore[arg-type]
    return head + 1


def test_instruments_are_for_the_judges_of_the_event(
    alice: Member,
    bob: Member,
    charlie: Member,
    olga: Member,
    judge: Member,
    duel_id: str,
    client_of: ClientOf,
) -> None:
    """A player and an organiser know of the duel and may not; a stranger is not told of it."""
    for member, status in ((alice, 403), (bob, 403), (charlie, 404), (None, 404), (judge, 200)):
        client = client_of(member, events=[EVENT]) if member else client_of(None)
        for name in ONLY_JUDGES:
            found = client.get(f"/api/v1/duels/{duel_id}/{name}")
            assert found.status_code == status, (name, member)
        assert client.get(f"/duels/{duel_id}/judge/").status_code == status
        assert client.get(f"/api/v1/duels/{duel_id}/fairness").status_code == 200
    missing = client_of(charlie).get(f"/api/v1/duels/{new_id()}/draws")
    hidden = client_of(charlie).get(f"/api/v1/duels/{duel_id}/draws")
    assert (missing.status_code, missing.content) == (hidden.status_code, hidden.content)
    for read in (inspection.draw_ledger, inspection.hand_audit, inspection.deck_check):
        for actor in (alice.actor, charlie.actor, ANONYMOUS):
            with pytest.raises(NotAllowed):
                read(actor, duel_id)
    elsewhere = open_duel(alice, bob, event_id=new_id())
    with pytest.raises(NotAllowed):
        inspection.inspection(judge.actor, elsewhere)


def test_an_extra_draw_and_a_slip_stand_on_the_page_at_their_lines(
    alice: Member, bob: Member, judge: Member, duel_id: str, client_of: ClientOf
) -> None:
    table = selectors.duel_state(duel_id).table
    extra = forge(duel_id, ev.CardsDrawn("P1", list(table.p1.deck[:1]), "effect"))
    forge(duel_id, ev.LpChanged([ev.LpChange("P2", -700, 7300)], "effect", 0, None))

    def say(member: Member, player: str, value: int) -> None:
        statement = {"statement": "lp_declared", "about": "P2", "value": value, "pad_seq": 1}
        services.statement_make(
            member.context(), duel_id=duel_id, player=player, statement=statement
        )

    say(alice, "P1", 7300)
    say(bob, "P2", 8700)
    slip = len(read_stream(f"duel-{duel_id}"))
    counted = {"statement": "count_declared", "about": "P1", "zone": "hand", "value": 6}
    services.statement_make(bob.context(), duel_id=duel_id, player="P2", statement=counted)
    found = inspection.inspection(judge.actor, duel_id, extra)
    assert [(row.seq, row.flags) for row in found.draws if row.flags] == [
        (extra, ("DRAW_WITHOUT_CAUSE",))
    ]
    assert found.life_points.ledger.first_divergence == slip
    assert [(one.code, one.whose) for one in found.life_points.candidates] == [("sign", "P2")]
    assert found.audit.first_wrong == slip + 1
    assert extra in found.audit.between
    assert found.repairable.answer == "simple"
    assert found.plan is not None
    assert found.plan.events[-1] == Undone(extra, "duels.cards_drawn")
    client = client_of(judge)
    with queries() as log:
        body = client.get(f"/duels/{duel_id}/judge/?at={extra}").content.decode()
    assert len(log) <= 12
    assert "no effect of this turn lets this player draw" in body
    assert "added instead of subtracted" in body
    assert f'href="?at={slip}"' in body
    assert "Simple: nothing has happened since" in body
    api = f"/api/v1/duels/{duel_id}"
    assert client.get(f"{api}/divergence").json()["candidates"][0]["code"] == "sign"
    assert client.get(f"{api}/draws").json()["results"][-1]["flags"] == ["DRAW_WITHOUT_CAUSE"]
    assert client.get(f"{api}/repairable?at={extra}").json()["answer"] == "simple"
    assert client.get(f"{api}/rewind-plan?to={extra - 1}").json()["to"] == extra - 1
    assert client.get(f"{api}/knowledge?at=5").json()["count"] == 5  # one hand drawn
    for bad in ("repairable?at=9999", "rewind-plan?to=9999", "knowledge?at=999"):
        assert client.get(f"{api}/{bad}").status_code == 409
    for bad in ("knowledge?at=x", "repairable?at=0", "rewind-plan?to=0", "draws?at=1"):
        assert client.get(f"{api}/{bad}").status_code == 400
    assert client.get(f"/duels/{duel_id}/judge/?at=99999").status_code == 200
    assert client.get("/duels/nothing/judge/").status_code == 404


def test_the_text_is_whole_for_judges_after_the_duel_and_masked_otherwise(
    alice: Member, bob: Member, judge: Member, duel_id: str, client_of: ClientOf
) -> None:
    def download(member: Member | None, perspective: str) -> bytes:
        client = client_of(member, events=[EVENT]) if member else client_of(None)
        answer = client.get(f"/duels/{duel_id}/text/?as={perspective}")
        assert answer.status_code == 200
        assert "no-store" in answer["Cache-Control"]
        assert "attachment" in answer["Content-Disposition"]
        same = client.get(f"/api/v1/duels/{duel_id}/text?as={perspective}")
        assert same.json()["text"].encode() == answer.content
        assert same.json()["masked"] == answer.content.startswith(b"headjudge-duel 1 masked")
        return bytes(answer.content)

    raw = [one.data for one in read_stream(f"duel-{duel_id}")]
    secret = next(one.secret for one in raw if isinstance(one, SeedCommitted))
    orders = [one for one in raw if isinstance(one, ev.DeckShuffled)]
    told = {who: download(who, as_) for who, as_ in ((None, "public"), (alice, "p1"), (bob, "p2"))}
    live = download(judge, "judge")
    for body in (*told.values(), live):
        assert body.startswith(b"headjudge-duel 1 masked\n")
        refused = text.read(body)
        assert isinstance(refused, Refusal)
        assert refused.code == "duels.text_masked"
        assert secret.encode() not in body
        assert not [one for one in orders if one.seed.encode() in body]
        assert not [one for one in orders if json.dumps(one.order[5:15])[1:-1].encode() in body]
    hand = [
        card["name"]
        for card in selectors.duel_view(alice.actor, duel_id, None, "p1").table["P1"]["hand"]
    ]
    for name in hand:
        assert f'"name":"{name}"'.encode() in told[alice]
        assert f'"name":"{name}"'.encode() not in told[None]
    do(bob, duel_id, "P2", act="concede")
    whole = text.read(download(judge, "judge"))
    assert not isinstance(whole, Refusal)
    recorded = read_stream(f"duel-{duel_id}")
    assert whole == [text.Entry(one.data, one.recorded_at, one.meta.source) for one in recorded]
    assert download(None, "public").startswith(b"headjudge-duel 1 masked\n")
    assert client_of(bob, events=[EVENT]).get(f"/duels/{duel_id}/text/?as=p1").status_code == 404
    assert client_of(None).get(f"/duels/{new_id()}/text/").status_code == 404


def test_the_secret_is_disclosed_with_the_end_and_anybody_can_check(
    alice: Member, bob: Member, duel_id: str, client_of: ClientOf
) -> None:
    client = client_of(None)

    def checked() -> dict[str, object]:
        found: dict[str, object] = client.get(f"/api/v1/duels/{duel_id}/fairness").json()
        return found

    sealed = checked()
    assert (sealed["state"], sealed["secret"]) == ("sealed", None)
    do(bob, duel_id, "P2", act="concede")
    kept = checked()
    assert (kept["state"], kept["faults"]) == ("kept", [])
    assert kept["commitment"] == sealed["commitment"] == chance.commitment(str(kept["secret"]))
    raw = [one.data for one in read_stream(f"duel-{duel_id}")]
    assert isinstance(raw[-1], SeedRevealed)
    shuffle = next(one for one in raw if isinstance(one, ev.DeckShuffled))
    seed = chance.shuffle_seed(str(kept["secret"]), "P1", 1)
    assert shuffle.order == setup.shuffled(fold(raw[:1]).table.p1.deck, seed)
    said = client.get(f"/duels/{duel_id}/").content.decode()
    assert str(kept["secret"]) in said
    assert str(kept["commitment"]) in said


def test_a_duel_on_paper_commits_itself_to_nothing(
    alice: Member, bob: Member, client_of: ClientOf
) -> None:
    paper = open_duel(alice, bob, mode="recorded", decks=None)
    assert not any(isinstance(one.data, SeedCommitted) for one in read_stream(f"duel-{paper}"))
    found = client_of(None).get(f"/api/v1/duels/{paper}/fairness").json()
    assert found["state"] == "not_committed"


def test_pads_alone_have_their_instruments(
    alice: Member, bob: Member, judge: Member, client_of: ClientOf
) -> None:
    pad = open_duel(alice, bob, fidelity="pad", decks=None)
    for member, player, turn, active in ((alice, "P1", 1, "P1"), (bob, "P2", 2, "P2")):
        statement = {"statement": "turn_marked", "turn": turn, "active": active}
        services.statement_make(member.context(), duel_id=pad, player=player, statement=statement)
    found = inspection.inspection(judge.actor, pad)
    assert [one.turn for one in found.pace.pace.turns] == [1, 2]
    assert found.draws == ()
    assert client_of(judge).get(f"/duels/{pad}/judge/").status_code == 200
    with pytest.raises(Refused):
        inspection.inspection(judge.actor, pad, 99)


def test_the_room_median_counts_ended_duels_of_the_event(
    alice: Member, bob: Member, judge: Member, duel_id: str
) -> None:
    assert inspection.duel_pace(judge.actor, duel_id).room_median is None
    do(bob, duel_id, "P2", act="concede")
    assert inspection.duel_pace(judge.actor, duel_id).room_median is not None


def test_the_registered_list_stands_beside_what_was_seen(
    alice: Member, bob: Member, judge: Member
) -> None:
    """Alice plays another deck than she handed in: the first card that is not on her list is
    named, with the line at which everybody saw it."""
    call_command("load_shipped", verbosity=0)
    duel_id = open_duel(alice, bob)
    assert inspection.deck_check(judge.actor, duel_id) == inspection.DeckShown((), ())
    deck_services.list_submit(
        alice.context(),
        deck_id=new_id(),
        event_id=EVENT,
        entrant_id=new_id(),
        person_id=alice.person_id,
        content=shipped.decks()["starter-ember"],
        preset="classic",
        banlist_id=None,
    )
    found = inspection.deck_check(judge.actor, duel_id)
    assert (found.lists, found.unlisted) == (("P1",), ())
    hand = selectors.duel_state(duel_id).table.p1.hand
    seen = forge(duel_id, ev.CardsMoved([ev.Move(hand[0], "graveyard")], "effect"))
    found = inspection.deck_check(judge.actor, duel_id)
    key = selectors.duel_state(duel_id).table.identities[hand[0]]
    assert [(one.player, one.key, one.seen, one.listed, one.since) for one in found.unlisted] == [
        ("P1", key, 1, 0, seen)
    ]


def test_lots_over_a_hand_are_drawn_by_judges_and_stay_on_record(
    alice: Member,
    bob: Member,
    charlie: Member,
    judge: Member,
    duel_id: str,
    client_of: ClientOf,
) -> None:
    def ask(member: Member | None, **body: object) -> tuple[int, dict[str, object]]:
        client = client_of(member, events=[EVENT]) if member else client_of(None)
        answer = client.post(f"/api/v1/duels/{duel_id}/lots", body, "application/json")
        return answer.status_code, answer.json()

    assert [ask(who, player="P1")[0] for who in (alice, charlie, None)] == [403, 404, 404]
    before = selectors.duel_state(duel_id)
    status, made = ask(judge, player="P1", n=2)
    assert status == 201
    drawn = read_stream(f"duel-{duel_id}")[-1].data
    assert isinstance(drawn, LotDrawn)
    assert (drawn.of, len(drawn.drawn), drawn.by) == (6, 2, judge.actor.ref)
    assert draw_lot("P1", 6, 2, seed=drawn.seed, by=drawn.by) == drawn, "the seed gives it again"
    assert set(drawn.drawn) <= set(range(1, 7))
    assert selectors.duel_state(duel_id).table == before.table
    line = selectors.duel_log(bob.actor, duel_id, "public")[-1]
    assert line.params == {"about": "P1", "of": 6, "drawn": drawn.drawn}
    status, problem = ask(judge, player="P1", n=7)
    assert (status, problem["code"]) == (409, "duels.lot_malformed")
    assert ask(judge, player="P3")[0] == ask(judge, player="P1", n=0)[0] == 400
    page = client_of(judge)
    address = f"/duels/{duel_id}/judge/lot/"
    sent = page.post(address, {"player": "P2", "n": "1", "nonce": new_id()})
    assert sent.status_code == 302
    assert sent["Location"].endswith(f"?at={int(str(made['version'])) + 1}")
    for bad in ({"player": "P2", "n": "99"}, {"player": "P2", "n": "x"}, {"player": "both"}):
        answer = page.post(address, {**bad, "nonce": new_id()}, follow=True)
        assert answer.status_code == 200
    assert client_of(alice, events=[EVENT]).post(address, {"player": "P2"}).status_code == 403
    seen = {tuple(draw_lot("P1", 6, 1, seed=str(n), by="j").drawn) for n in range(200)}  # type: ignore[union-attr]
    assert seen == {(place,) for place in range(1, 7)}, "every place can be drawn"
