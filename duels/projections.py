"""The read table of duels, brought up to date event by event."""

from __future__ import annotations

from typing import Any

from django.db.models import Case, F, Value, When

from duels import events as ev
from duels.domain.reveal_events import HiddenRevealed
from duels.models import DuelNote, DuelRow, RevealRow, WatchDelay
from duels.rules.games import PLAYED, rules_of
from eventstore.domain.envelope import Recorded
from eventstore.domain.registry import DomainEvent
from eventstore.projections import Projection

duels = Projection("duels.duels", [DuelRow])
notes = Projection("duels.notes", [DuelNote])
reveals = Projection("duels.reveals", [RevealRow])
watching = Projection("duels.watching", [WatchDelay])
PREFIX = "duel-"


def duel_of(recorded: Recorded) -> str:
    """Return the duel id of an event's stream."""
    return recorded.stream.removeprefix(PREFIX)


def _change(recorded: Recorded, **values: Any) -> None:
    DuelRow.objects.filter(pk=duel_of(recorded)).update(
        events=recorded.version, last_at=recorded.recorded_at, **values
    )


@duels.on(ev.DuelOpened)
def _opened(event: ev.DuelOpened, recorded: Recorded) -> None:
    DuelRow.objects.create(
        duel_id=event.duel_id,
        event_id=event.event_id or "",
        match_id=event.match_id or "",
        number=event.number,
        game=event.game,
        mode=event.mode,
        fidelity=event.fidelity,
        seats=event.seats,
        starter=event.starter,
        lp_p1=event.life_points,
        lp_p2=event.life_points,
        pads={},
        opened_at=recorded.recorded_at,
        last_at=recorded.recorded_at,
    )


@duels.on(ev.TurnBegun)
def _turn_begun(event: ev.TurnBegun, recorded: Recorded) -> None:
    _change(recorded, turn=event.turn, active=event.player, phase=_first_phase(), step="")


def _first_phase() -> Case:
    """Where a turn of the row's game begins."""
    begins = [When(game=one, then=Value(rules_of(one).FIRST_PHASE)) for one in PLAYED]
    return Case(*begins, default=Value(""))


@duels.on(ev.StepBegun)
def _step_begun(event: ev.StepBegun, recorded: Recorded) -> None:
    _change(recorded, phase=event.step, step="")


@duels.on(ev.TurnMarked)
def _turn_marked(event: ev.TurnMarked, recorded: Recorded) -> None:
    """A pad's mark moves the turn only where no table does."""
    pad = DuelRow.objects.filter(pk=duel_of(recorded), fidelity="pad").exists()
    _change(recorded, **({"turn": event.turn, "active": event.active} if pad else {}))


@duels.on(ev.PhaseEntered)
def _phase(event: ev.PhaseEntered, recorded: Recorded) -> None:
    step = "start" if event.phase == "battle" else ""
    _change(recorded, phase=event.phase, step=step)


@duels.on(ev.StepEntered)
def _step(event: ev.StepEntered, recorded: Recorded) -> None:
    _change(recorded, step=event.step)


@duels.on(ev.LpChanged)
def _life_points(event: ev.LpChanged, recorded: Recorded) -> None:
    _change(recorded, **{f"lp_{one.player.lower()}": one.life_points for one in event.changes})


@duels.on(ev.LpAgreed)
def _agreed(event: ev.LpAgreed, recorded: Recorded) -> None:
    """An agreement moves the Life Points only where no table does."""
    row = DuelRow.objects.get(pk=duel_of(recorded))
    values: dict[str, Any] = {
        "pads": {
            f"{by}.{about}": event.life_points[about]
            for by in ("P1", "P2")
            for about in ("P1", "P2")
        }
    }
    if row.fidelity == "pad":
        values |= {"lp_p1": event.life_points["P1"], "lp_p2": event.life_points["P2"]}
    _change(recorded, **values)


@duels.on(ev.LpDeclared)
def _declared(event: ev.LpDeclared, recorded: Recorded) -> None:
    row = DuelRow.objects.get(pk=duel_of(recorded))
    _change(recorded, pads={**row.pads, f"{event.player}.{event.about}": event.value})


@duels.on(ev.InfractionRecorded)
def _infraction(event: ev.InfractionRecorded, recorded: Recorded) -> None:
    _change(recorded, infractions=F("infractions") + 1)


@duels.on(ev.DuelEnded)
def _ended(event: ev.DuelEnded, recorded: Recorded) -> None:
    _change(recorded, winner=event.winner, ended_by=event.by, ended_how=event.how)


@duels.on(ev.Rewound)
def _rewound(event: ev.Rewound, recorded: Recorded) -> None:
    values: dict[str, Any] = {
        "turn": event.turn,
        "active": event.active,
        "phase": event.phase,
        "step": event.step,
        "lp_p1": event.life_points["P1"],
        "lp_p2": event.life_points["P2"],
        "rewinds": F("rewinds") + 1,
    }
    if not event.ended:
        values |= {"winner": "", "ended_by": "", "ended_how": ""}
    _change(recorded, **values)


@watching.on(ev.WatchDelaySet)
def _delayed(event: ev.WatchDelaySet, recorded: Recorded) -> None:
    WatchDelay.objects.update_or_create(
        event_id=event.event_id, defaults={"seconds": event.seconds}
    )


def _counted(event: DomainEvent, recorded: Recorded) -> None:
    _change(recorded)


for _kind in (
    ev.AttackBegun,
    ev.AttackBlocked,
    ev.AttackEnded,
    ev.AttackUnblocked,
    ev.BattleFought,
    ev.CardsDescribed,
    ev.CardsSent,
    ev.CardsTurned,
    ev.CardsUntapped,
    ev.CreatureEvolved,
    ev.CreatureSummoned,
    ev.EffectBegun,
    ev.ManaCharged,
    ev.PlayerDefeated,
    ev.PowerChanged,
    ev.ShieldsBroken,
    ev.ShieldsLaid,
    ev.SpellCast,
    ev.TapAbilityUsed,
    ev.ActivationNegated,
    ev.ActivationResolved,
    ev.AttackDeclared,
    ev.AttackReplayed,
    ev.AttackStopped,
    ev.BattleCalculated,
    ev.BattleEndAnnounced,
    ev.CardActivated,
    ev.CardIdentified,
    ev.CardPlaced,
    ev.CardsDrawn,
    ev.CardsMoved,
    ev.ControlChanged,
    ev.CountDeclared,
    ev.DamageOwed,
    ev.DeckShuffled,
    ev.DirectAttackAllowed,
    ev.DuelConceded,
    ev.EffectDeclared,
    ev.HandShuffled,
    ev.EffectDeclined,
    ev.EffectsTriggered,
    ev.LineDisputed,
    ev.LotDrawn,
    ev.MaterialAttached,
    ev.MonsterSet,
    ev.MonsterSummoned,
    ev.Passed,
    ev.PaymentDecided,
    ev.PositionChanged,
    ev.ReplayImported,
    ev.SeedCommitted,
    ev.SeedRevealed,
    ev.SpellTrapSet,
    ev.SummonNegated,
    ev.TokenCreated,
    ev.TurnEndAnnounced,
    ev.ValuesModified,
    ev.WindowClosed,
):
    duels.on(_kind)(_counted)


@notes.on(ev.NoteMade)
def _note_made(event: ev.NoteMade, recorded: Recorded) -> None:
    DuelNote.objects.create(
        note_id=event.note_id,
        duel_id=event.duel_id,
        kind=event.kind,
        line=event.line,
        by=event.by,
        seat=event.seat or "",
        sealed=event.text,
        made_at=recorded.recorded_at,
    )


@notes.on(ev.NoteWithdrawn)
def _note_withdrawn(event: ev.NoteWithdrawn, recorded: Recorded) -> None:
    DuelNote.objects.filter(pk=event.note_id).update(withdrawn_by=event.by)


@reveals.on(HiddenRevealed)
def _hidden_revealed(event: HiddenRevealed, recorded: Recorded) -> None:
    RevealRow.objects.create(
        key=f"{event.duel} {recorded.version:06d}",
        duel_id=event.duel,
        event_id=event.tournament,
        match_id=event.match,
        case_id=event.case,
        by=event.by,
        upto=event.upto,
        at=event.at,
        reason=event.reason,
    )
