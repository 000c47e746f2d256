"""A tournament as the fold of its own stream: settings, entrants, rounds, cut, end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent
from tournaments import events as ev
from tournaments.domain import door as door_of
from tournaments.domain import door_events, outage_state, round_clock
from tournaments.domain import floor_events as floor
from tournaments.domain import round_events as more
from tournaments.domain.door import Door, Merge
from tournaments.domain.outage_events import OutageNoticed
from tournaments.domain.outage_state import Outage
from tournaments.domain.round_clock import RoundClock
from tournaments.events import Pair, Plan, Settings

Decision = list[DomainEvent] | Refusal

DRAFT, OPEN, CLOSED = "draft", "open", "closed"
RUNNING, CUT, FINISHED, CANCELLED = "running", "cut", "finished", "cancelled"
UNDER_WAY = (RUNNING, CUT)
ENROLLED, CHECKED_IN, DROPPED, DISQUALIFIED = "enrolled", "checked_in", "dropped", "disqualified"
SWISS_STAGE, CUT_STAGE = "swiss", "cut"


@dataclass(frozen=True, slots=True)
class Entrant:
    """One entrant: 1..n persons. `status` enrolled, checked_in, dropped or disqualified.

    `late`: its round 1 counts as lost. `ready` keeps that it was checked in before a drop.
    `merged_into`: it was the same human as that entrant. `came`: the persons it enrolled with.
    """

    entrant_id: str
    number: int
    persons: tuple[str, ...]
    status: str = ENROLLED
    late: bool = False
    deck_id: str | None = None
    dropped_after: int | None = None
    ready: bool = False
    merged_into: str = ""
    came: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Round:
    """One round, a draft until it is published. `slots`, `points` as in RoundPaired."""

    number: int
    stage: str
    pairs: tuple[Pair, ...]
    byes: tuple[str, ...]
    slots: tuple[str | None, ...] = ()
    points: Mapping[str, int] = field(default_factory=dict)
    published: bool = False
    lost: tuple[str, ...] = ()
    locked: tuple[tuple[str, str], ...] = ()
    seed: int = 0

    @property
    def entrants(self) -> frozenset[str]:
        """Everybody who takes part in the round."""
        return frozenset(self.byes + self.lost) | {
            one for pair in self.pairs for one in (pair.p1, pair.p2)
        }


@dataclass(frozen=True, slots=True)
class Loss:
    """A loss that waits for the next match of an entrant. `kind` game_loss or match_loss;
    `match_id` and `round`: where it was given; `carried_in`: the round it fell in, 0: it waits."""

    loss_id: str
    entrant_id: str
    kind: str
    infraction: str
    infraction_kind: str
    match_id: str
    round: int
    at: str
    carried_in: int = 0


@dataclass(frozen=True, slots=True)
class Tournament:
    """State of a tournament; `status` is draft, open, closed, running, cut, finished or
    cancelled. `rounds` are in order from round 1; only the last can be a draft. `players` are
    those the event started with and those who came in late; `declined` take no place in the cut;
    `placings` are the final places, empty until the end."""

    event_id: str = ""
    settings: Settings | None = None
    status: str = DRAFT
    entrants: Mapping[str, Entrant] = field(default_factory=dict)
    rounds: tuple[Round, ...] = ()
    planned: int = 0
    cut: int = 0
    seeds: tuple[str, ...] = ()
    swiss_rounds: int = 0
    clocks: Mapping[int, RoundClock] = field(default_factory=dict)
    plan: Plan = field(default_factory=Plan)
    policy: more.Policy | None = None
    players: int = 0
    cut_seed: int = 0
    declined: tuple[str, ...] = ()
    placings: tuple[ev.Placing, ...] = ()
    door: Door = field(default_factory=Door)
    ruleset: str = ""
    losses: Mapping[str, Loss] = field(default_factory=dict)
    outages: tuple[Outage, ...] = ()

    @property
    def chosen(self) -> Settings:
        """The settings; an event that was never created has the defaults and no name."""
        return self.settings or Settings(name="")

    @property
    def draft(self) -> Round | None:
        """The round that is paired and not yet published."""
        last = self.rounds[-1] if self.rounds else None
        return last if last is not None and not last.published else None

    @property
    def published(self) -> tuple[Round, ...]:
        """The published rounds."""
        return tuple(one for one in self.rounds if one.published)

    @property
    def current(self) -> int:
        """Number of the newest published round, 0 before the first."""
        return len(self.published)

    @property
    def active(self) -> tuple[Entrant, ...]:
        """The entrants who play: checked in, not dropped, in order of enrolment."""
        playing = (one for one in self.entrants.values() if one.status == CHECKED_IN)
        return tuple(sorted(playing, key=lambda one: one.number))

    def entrant_of(self, person_id: str) -> Entrant | None:
        """Return the entrant a person belongs to, in whatever state it is."""
        for one in self.entrants.values():
            if person_id in one.persons and not one.merged_into:
                return one
        return None


def _with(state: Tournament, entrant_id: str, **changes: object) -> Tournament:
    entrants = dict(state.entrants)
    entrants[entrant_id] = replace(entrants[entrant_id], **changes)  # type: ignore[arg-type]
    return replace(state, entrants=entrants)


def evolve(state: Tournament, event: DomainEvent) -> Tournament:
    """Apply one event of the stream; others leave the state as it is."""
    match event:
        case ev.EventCreated():
            return Tournament(event.event_id, event.settings)
        case ev.EventConfigured():
            return replace(state, settings=event.settings)
        case ev.PlanMade():
            return replace(state, plan=event.plan)
        case ev.RegistrationOpened():
            return replace(state, status=OPEN)
        case ev.RegistrationClosed():
            return replace(state, status=CLOSED)
        case ev.EventStarted():
            return replace(
                state,
                status=RUNNING,
                planned=event.rounds,
                cut=event.cut,
                players=event.players,
            )
        case ev.EventFinished():
            kept = state.published
            return replace(state, status=FINISHED, rounds=kept, placings=event.placings)
        case ev.EventCancelled():
            return replace(state, status=CANCELLED)
        case ev.CutMade():
            return replace(
                state,
                status=CUT,
                seeds=event.seeds,
                swiss_rounds=event.after_round,
                cut_seed=event.seed or state.cut_seed,
                rounds=state.published,
            )
        case ev.RoundPaired():
            made = Round(
                event.round,
                event.stage,
                event.pairs,
                event.byes,
                event.slots,
                event.points,
                lost=event.lost,
                locked=event.locked,
                seed=event.seed,
            )
            return replace(state, rounds=(*state.published, made))
        case ev.CutUndone():
            kept = state.published
            return replace(state, status=RUNNING, seeds=(), swiss_rounds=0, rounds=kept)
        case ev.RoundMissed():
            rounds = tuple(
                replace(one, lost=(*one.lost, event.entrant_id))
                if one.number == event.round
                else one
                for one in state.rounds
            )
            return replace(state, rounds=rounds)
        case ev.RoundWithdrawn():
            clocks = {key: one for key, one in state.clocks.items() if key != event.round}
            losses = {
                key: replace(one, carried_in=0) if one.carried_in == event.round else one
                for key, one in state.losses.items()
                if one.round != event.round
            }
            outages = outage_state.without_round(state.outages, event.round)
            return replace(
                state,
                rounds=state.published[:-1],
                clocks=clocks,
                losses=losses,
                outages=outages,
            )
        case ev.RoundPublished():
            out = replace(state.rounds[-1], published=True)
            return replace(state, rounds=(*state.rounds[:-1], out))
        case ev.ClockStarted() | ev.ClockPaused() | ev.ClockResumed() | ev.ClockAdjusted():
            held = round_clock.evolve(state.clocks.get(event.round), event)
            if held is None:
                return state
            return replace(state, clocks={**state.clocks, event.round: held})
        case floor.RulesetChosen():
            return replace(state, ruleset=f"{event.ruleset}@{event.version}")
        case floor.LossPending():
            waiting = Loss(
                event.loss_id,
                event.entrant_id,
                event.kind,
                event.infraction,
                event.infraction_kind,
                event.match_id,
                event.round,
                event.at,
            )
            return replace(state, losses={**state.losses, event.loss_id: waiting})
        case floor.LossTakenBack():
            waits = {key: one for key, one in state.losses.items() if key != event.loss_id}
            return replace(state, losses=waits)
        case floor.LossCarriedOut():
            fallen = replace(state.losses[event.loss_id], carried_in=event.round)
            return replace(state, losses={**state.losses, event.loss_id: fallen})
        case _:
            return _evolve_entrant(_evolve_more(state, event), event)


def _evolve_more(state: Tournament, event: DomainEvent) -> Tournament:
    match event:
        case more.PolicyFixed():
            return replace(state, policy=event.policy)
        case more.FieldGrown():
            return replace(state, cut=event.cut)
        case more.SeatDeclined():
            return replace(state, declined=(*state.declined, event.entrant_id))
        case more.SeatTaken():
            left = tuple(one for one in state.declined if one != event.entrant_id)
            return replace(state, declined=left)
        case more.EventReopened():
            return replace(state, status=CUT if state.seeds else RUNNING, placings=())
        case ev.EntrantCheckedIn() | ev.EntrantReinstated():
            known = state.entrants.get(event.entrant_id)
            came = event.late and known is not None and not known.late
            return replace(state, players=state.players + 1) if came else state
        case OutageNoticed():
            # a seat is offered for minutes in which the player can answer
            door = door_of.held_longer(state.door, event.since, event.until)
            return replace(state, door=door, outages=outage_state.evolve(state.outages, event))
        case _:
            held = outage_state.evolve(state.outages, event)
            return state if held is state.outages else replace(state, outages=held)


def _evolve_entrant(state: Tournament, event: DomainEvent) -> Tournament:
    match event:
        case ev.EntrantEnrolled():
            persons = event.persons
            new = Entrant(event.entrant_id, event.number, persons, came=persons)
            return replace(state, entrants={**state.entrants, event.entrant_id: new})
        case ev.DeckAttached():
            return _with(state, event.entrant_id, deck_id=event.deck_id)
        case ev.DeckDetached():
            return _with(state, event.entrant_id, deck_id=None)
        case ev.EntrantCheckedIn():
            return _with(
                state,
                event.entrant_id,
                status=CHECKED_IN,
                late=state.entrants[event.entrant_id].late or event.late,
                ready=True,
            )
        case ev.EntrantDropped():
            return _with(state, event.entrant_id, status=DROPPED, dropped_after=event.after_round)
        case ev.EntrantReinstated() | ev.DisqualificationUndone():
            return _with(
                state,
                event.entrant_id,
                status=CHECKED_IN if event.ready else ENROLLED,
                late=event.late,
                dropped_after=None,
            )
        case ev.EntrantDisqualified():
            return _with(
                state, event.entrant_id, status=DISQUALIFIED, dropped_after=event.after_round
            )
        case door_events.EntrantPersonsSet():
            state = replace(state, door=door_of.evolve(state.door, event))
            if event.entrant_id not in state.entrants:
                return state
            return _with(state, event.entrant_id, persons=event.persons)
        case door_events.EntrantsMerged():
            return _merged(state, event)
        case door_events.EntrantsUnmerged():
            return _unmerged(state, event)
        case _:
            door = door_of.evolve(state.door, event)
            return state if door is state.door else replace(state, door=door)


def _merged(state: Tournament, event: door_events.EntrantsMerged) -> Tournament:
    kept, gone = state.entrants[event.entrant_id], state.entrants[event.gone]
    before = Merge(
        kept.entrant_id,
        kept.persons,
        kept.status,
        state.door.fee_of(kept.entrant_id),
        state.door.fee_of(gone.entrant_id),
        gone.status,
        state.current,
        kept.deck_id,
        gone.deck_id,
    )
    door = replace(
        door_of.evolve(state.door, event), merges={**state.door.merges, gone.entrant_id: before}
    )
    state = _with(
        replace(state, door=door),
        kept.entrant_id,
        persons=event.persons,
        status=CHECKED_IN if event.ready else kept.status,
        ready=kept.ready or event.ready,
    )
    return _with(state, gone.entrant_id, status=DROPPED, merged_into=kept.entrant_id)


def _unmerged(state: Tournament, event: door_events.EntrantsUnmerged) -> Tournament:
    merges = {key: one for key, one in state.door.merges.items() if key != event.gone}
    door = replace(door_of.evolve(state.door, event), merges=merges)
    kept = state.entrants[event.entrant_id]
    state = _with(
        replace(state, door=door),
        event.entrant_id,
        persons=event.persons,
        status=event.status,
        # a check-in that came from the other goes with it
        ready=kept.ready and event.status == kept.status,
    )
    return _with(state, event.gone, status=event.gone_status, merged_into="")


def known(state: Tournament) -> Refusal | None:
    """Refuse with `tournaments.event_unknown` when the stream holds no event."""
    return None if state.event_id else Refusal("tournaments.event_unknown")


def in_status(state: Tournament, *allowed: str) -> Refusal | None:
    """Refuse with `tournaments.wrong_state` unless the event is in one of these states."""
    missing = known(state)
    if missing is not None:
        return missing
    if state.status not in allowed:
        return Refusal("tournaments.wrong_state", {"found": state.status, "allowed": list(allowed)})
    return None
