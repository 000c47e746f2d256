"""Every event type of a duel, kept in the log and read back as it was."""

from __future__ import annotations

import random

import pytest

from duels.domain import chance
from duels.domain import events as log
from duels.domain.rewind import effective
from duels.models import DuelRow
from duels.rules.yugioh import acts as a
from duels.rules.yugioh import bot, engine
from duels.rules.yugioh.duel import fold
from duels.rules.yugioh.events import CardPlaced
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
        CardPlaced("P2", duel.table.p2.hand[0], "banished", 0, "set", "hand", "effect"),
        log.LineDisputed("P2", 3, None),
    ]
    _, more = bot.play(fold(raw), random.Random(1))
    secret = chance.secret_of("1")
    return [
        *raw,
        *more,
        log.SeedCommitted(chance.commitment(secret), secret),
        log.SeedRevealed(secret),
    ]


def test_every_event_type_is_kept_and_read_back() -> None:
    duel_id = new_id()
    raw = eventful()
    types = {name_of(event)[0] for event in raw}
    assert types == {name for name in registry.registered() if name.startswith("duels.")}
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
    assert table.result is not None
    assert (row.events, row.winner, row.turn) == (len(raw), table.result.winner, table.turn)
    assert (row.lp_p1, row.lp_p2) == (table.p1.life_points, table.p2.life_points)
    assert len(effective(raw)) < len(raw)
    rebuilds_equal("duels.duels")


def _fields(event: log.DuelOpened) -> dict[str, object]:
    return {field: getattr(event, field) for field in event.__struct_fields__}
