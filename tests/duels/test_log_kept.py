"""Every event type of a duel, kept in the log and read back as it was."""

from __future__ import annotations

import random
from typing import Any

import pytest

from duels.domain import chance
from duels.domain import events as log
from duels.domain.events import Seat
from duels.domain.rewind import effective
from duels.models import DuelRow
from duels.rules.yugioh import acts as a
from duels.rules.yugioh import bot, engine
from duels.rules.yugioh.cases.position import facts_of
from duels.rules.yugioh.duel import fold
from duels.rules.yugioh.events import CardPlaced, CardsMoved, MaterialAttached, Move
from duels.rules.yugioh.rewinding import decide_rewind
from eventstore.commands import Context, Unit
from eventstore.domain import registry
from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent, name_of
from eventstore.ids import new_id
from eventstore.store import read_stream
from people.domain.actor import SYSTEM
from tests.duels.made import FACTS, opening
from tests.helpers import rebuilds_equal

pytestmark = [pytest.mark.django_db, pytest.mark.pg]


def monster(*effects: dict[str, Any]) -> dict[str, Any]:
    return {"type": "monster", "level": 4, "atk": 1600, "def": 1000, "effects": list(effects)}


def spell(op: dict[str, Any]) -> dict[str, Any]:
    return {"type": "spell", "kind": "normal", "effects": [{"kind": "spell", "effect": [op]}]}


def trap(kind: str, when: str | None, op: dict[str, Any]) -> dict[str, Any]:
    effect: dict[str, Any] = {"kind": "trap", "effect": [op]}
    if when is not None:
        effect["when"] = when
    return {"type": "trap", "kind": kind, "effects": [effect]}


def eventful() -> list[DomainEvent]:
    """A recorded duel on paper in which everything happens once, then one played to its end."""
    unknown: dict[str, list[None]] = {"P1": [None] * 40, "P2": [None] * 40}
    raw = opening(1, main=unknown, facts=[], mode="recorded")
    duel = fold(raw)

    def take(*acts: a.AnyAct) -> None:
        nonlocal duel
        for act in acts:
            decided = engine.decide(duel, act)
            assert not isinstance(decided, Refusal), decided
            duel = fold(decided, duel)
            raw.extend(decided)

    change = {"op": "modify_atk", "target": "P1.monsters.1", "amount": 100}
    take(
        a.Draw("P1"),
        a.EnterPhase("P1", "standby"),
        a.EnterPhase("P1", "main1"),
        a.Identify("P1", "P1.hand.1", "Heron", FACTS["Heron"]),
        a.Identify("P1", "P1.hand.2", "Spark", FACTS["Spark"]),
        a.Identify("P1", "P1.hand.3", "Snare", FACTS["Snare"]),
        a.NormalSummon("P1", "P1.hand.1"),
        a.Activate("P1", "P1.hand.1"),
        a.SetSpellTrap("P1", "P1.hand.1"),
        a.SetMonster("P1", "P1.hand.1"),
        a.ChangePosition("P1", "P1.monsters.1", "defence"),
        a.ChangePosition("P1", "P1.monsters.1", "attack"),
        a.ResolveEffect("P1", "Snare", [change]),
        a.EnterPhase("P1", "battle"),
        a.DeclareAttack("P1", "P1.monsters.1", None, True),
        a.EndTurn("P1"),
        a.Concede("P2"),
    )
    back = decide_rewind(duel, len(raw) - 2, authorised_by="judge")
    assert not isinstance(back, Refusal)
    raw.append(back)
    raw += [
        log.LpDeclared("P1", "P2", 7600, -400, 1, "2026-05-02T12:00:00Z"),
        log.LpAgreed({"P1": 8000, "P2": 6000}),
        log.CountDeclared("P2", "P2", "hand", 5),
        log.TurnMarked("P2", 2, "P2"),
        log.HandShuffled("P2"),
        log.LotDrawn("P2", 6, [4], "seed", "judge", None),
        CardPlaced("P2", duel.table.p2.hand[0], "banished", 0, "set", "hand", "effect"),
        MaterialAttached("P2", duel.table.p2.hand[1], duel.table.p2.hand[2], 0, "hand"),
        CardsMoved([Move(duel.table.p2.hand[1], "graveyard")], "cost"),
        log.LineDisputed("P2", 3, None),
        log.ReplayImported(
            "0" * 64, 2016, "yrpX", "client", "person", "none", "none", [], None, []
        ),
    ]
    _, more = bot.play(fold(raw), random.Random(1))
    secret = chance.secret_of("1")
    return [
        *raw,
        *more,
        log.SeedCommitted(chance.commitment(secret), secret),
        log.SeedRevealed(secret),
    ]


SCRIPTED: dict[str, dict[str, Any]] = {
    "Herald": monster(
        {"kind": "trigger", "when": "normal_summon", "optional": True, "effect": [{"op": "draw"}]}
    ),
    "Heron": monster(),
    "Toller": monster(
        {
            "kind": "ignition",
            "effect": [
                {
                    "op": "unless_paid",
                    "cost": [{"op": "pay_lp", "amount": 100}],
                    "else": [{"op": "destroy", "target": "self"}],
                }
            ],
        }
    ),
    "Pit": trap("counter", "normal_summon", {"op": "negate_summon"}),
    "Ward": trap("counter", "spell_activated", {"op": "negate_activation"}),
    "Wall": trap("normal", "attack_declared", {"op": "negate_attack"}),
    "Call": trap(
        "normal",
        None,
        {"op": "special_summon", "target": "chosen", "zone": "hand", "of": "own", "from": "hand"},
    ),
    "Flock": spell({"op": "create_token", "card": "Sheep", "n": 1}),
    "Oath": spell(
        {
            "op": "take_control",
            "target": "chosen",
            "zone": "monsters",
            "of": "opponent",
            "until": "end_of_turn",
        }
    ),
    "Charge": spell({"op": "attack_directly", "target": "all_own_monsters"}),
    "Sheep": {"type": "token", "level": 1, "atk": 0, "def": 0},
}


def chained() -> list[DomainEvent]:
    """A recorded duel with chains, windows, tokens, control and a replay."""
    facts = facts_of(SCRIPTED)
    unknown: dict[str, list[None]] = {"P1": [None] * 40, "P2": [None] * 40}
    given = [facts["Sheep"]]
    options = {"damage.batching": "after_all"}
    raw = opening(1, main=unknown, facts=given, mode="recorded", options=options)
    duel = fold(raw)

    def take(*acts: a.AnyAct) -> None:
        nonlocal duel
        for act in acts:
            decided = engine.decide(duel, act)
            assert not isinstance(decided, Refusal), (act, decided)
            duel = fold(decided, duel)
            raw.extend(decided)

    def known(player: Seat, name: str) -> int:
        """The next unknown card of a hand is seen to be this one."""
        table = duel.table
        card = next(one for one in table.side(player).hand if table.facts_of(one) is None)
        new = facts[name] if name not in table.facts else None
        take(a.Identify(player, card, name, new))
        return card

    take(*[a.Draw("P1")] * 8, *[a.Draw("P2")] * 4)
    take(a.EnterPhase("P1", "standby"), a.EnterPhase("P1", "main1"))
    take(a.NormalSummon("P1", known("P1", "Herald")), a.Pass("P1"))
    take(a.Respond("P2", known("P2", "Pit")))
    take(a.Activate("P1", known("P1", "Charge")))
    take(a.Respond("P2", known("P2", "Ward")), a.Pass("P1"), a.Pass("P2"))
    take(a.Activate("P1", known("P1", "Flock")), a.Activate("P1", known("P1", "Toller")))
    take(a.NormalSummon("P1", known("P1", "Toller")))
    toller = duel.table.controlled("P1")[-1]
    take(a.Activate("P1", toller), a.Decide("P1", toller, True))
    heron = known("P2", "Heron")
    take(a.NormalSummon("P2", heron), a.Activate("P1", known("P1", "Oath"), [heron]))
    take(a.Activate("P1", known("P1", "Charge")), a.EnterPhase("P1", "battle"))
    take(a.DeclareAttack("P1", heron, None, True), a.Respond("P2", known("P2", "Wall")))
    take(a.DeclareAttack("P1", toller, None, True))
    coming = known("P2", "Heron")
    take(a.Respond("P2", known("P2", "Call"), [coming]))
    take(a.DeclareAttack("P1", toller, None, True), a.EndTurn("P1"), a.Resume("P2"))
    return raw


APART = ("duels.rules.duelmasters.events", "duels.domain.notes", "duels.domain.reveal_events")
"""Events of the other game, and those that stand beside the log of a duel in streams of their own,
have tests of their own."""
OF_AN_EVENT = "duels.watch_delay_set"
"""Stands in the stream of the event's delay: tests/tournaments/test_recording.py."""


def test_every_event_type_is_kept_and_read_back() -> None:
    raw = eventful()
    types = {name_of(event)[0] for event in raw + chained()}
    every = {
        name
        for name in registry.registered()
        if name.startswith("duels.")
        and name != OF_AN_EVENT
        and registry.class_of(name).__module__ not in APART
    }
    assert types == every
    kept_and_rebuilt(raw)
    kept_and_rebuilt(chained(), over=False)


def kept_and_rebuilt(raw: list[DomainEvent], *, over: bool = True) -> None:
    duel_id = new_id()
    first = raw[0]
    assert isinstance(first, log.DuelOpened)
    raw[0] = log.DuelOpened(**{**_fields(first), "duel_id": duel_id})
    unit = Unit(Context(actor=SYSTEM, source="system"))
    unit.append(f"duel-{duel_id}", 0, raw)
    kept = [one.data for one in read_stream(f"duel-{duel_id}")]
    assert kept == raw
    assert fold(kept).table == fold(raw).table
    row = DuelRow.objects.get(pk=duel_id)
    table = fold(raw).table
    winner = table.result.winner if table.result is not None else ""
    assert bool(winner) == over
    assert (row.events, row.winner, row.turn) == (len(raw), winner, table.turn)
    assert (row.lp_p1, row.lp_p2) == (table.p1.life_points, table.p2.life_points)
    assert len(effective(raw)) < len(raw) or not over
    rebuilds_equal("duels.duels")


def _fields(event: log.DuelOpened) -> dict[str, object]:
    return {field: getattr(event, field) for field in event.__struct_fields__}
