"""A match as the fold of its own stream: duels, coin, starter, claims, exchanges, result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from decks.domain.siding import Swap
from eventstore.domain.registry import DomainEvent
from tournaments import events as ev
from tournaments.domain import floor_events as floor
from tournaments.domain import scores
from tournaments.domain.results import Result
from tournaments.domain.scores import Format, Score


@dataclass(frozen=True, slots=True)
class Duel:
    """One duel of a match. `winner` None: it is going on. `duel_id` None: no log was kept."""

    number: int
    duel_id: str | None
    starter: str | None = None
    winner: str | None = None
    reason: str | None = None
    rule: str | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """What one seat reported."""

    score: Score
    winner: str
    reason: str


@dataclass(frozen=True, slots=True)
class Exchange:
    """One exchange with the Side Deck before duel `number`."""

    seat: str
    number: int
    swap: Swap


@dataclass(frozen=True, slots=True)
class Contest:
    """What was said against the result: by the player of `seat`, or by staff (empty)."""

    seat: str
    winner: str
    score: Score
    reason: str
    drops: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class End:
    """The end of the match after time was called: its ruleset, and the answers so far as
    (question, answer). `done_at` empty: not over yet."""

    ruleset: str
    version: str
    cut: bool
    played: tuple[str, ...]
    started_at: str
    answers: tuple[tuple[str, str], ...] = ()
    done_at: str = ""

    @property
    def ref(self) -> str:
        """Id and version in one word."""
        return f"{self.ruleset}@{self.version}"


@dataclass(frozen=True, slots=True)
class Match:
    """State of a match. `toss` and `starter` are those of the duel to come."""

    match_id: str = ""
    event_id: str = ""
    round: int = 0
    stage: str = "swiss"
    table: int = 0
    form: Format = field(default_factory=Format)
    entrants: tuple[str, str] = ("", "")
    persons: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    duels: tuple[Duel, ...] = ()
    toss: str | None = None
    starter: str | None = None
    claims: Mapping[str, Claim] = field(default_factory=dict)
    exchanges: tuple[Exchange, ...] = ()
    result: Result | None = None
    corrections: int = 0
    contests: tuple[Contest, ...] = ()
    slip_drops: tuple[str, ...] = ()
    extensions: Mapping[str, int] = field(default_factory=dict)
    end: End | None = None

    @property
    def extension_s(self) -> int:
        """Seconds the table has beyond the clock of the round."""
        return sum(self.extensions.values())

    @property
    def results(self) -> tuple[str, ...]:
        """Winners of the duels that have ended, oldest first."""
        return tuple(duel.winner for duel in self.duels if duel.winner is not None)

    @property
    def running(self) -> Duel | None:
        """The duel that is going on."""
        last = self.duels[-1] if self.duels else None
        return last if last is not None and last.winner is None else None

    @property
    def in_cut(self) -> bool:
        """Whether the match belongs to the single elimination and needs a winner."""
        return self.stage == "cut"

    @property
    def word(self) -> str:
        """One word for the state: waiting, playing, between, claimed, disputed, decided."""
        if self.result is not None:
            return "decided"
        if len(self.claims) == 2:
            return "disputed"
        if self.claims:
            return "claimed"
        if self.running is not None:
            return "playing"
        return "between" if self.duels else "waiting"

    def seat_of(self, entrant_id: str) -> str | None:
        """Return the seat of an entrant, None when it does not play here."""
        for seat, one in zip(scores.SEATS, self.entrants, strict=True):
            if one == entrant_id:
                return seat
        return None

    def seat_of_person(self, person_id: str | None) -> str | None:
        """Return the seat on which a person plays."""
        for seat, persons in zip(scores.SEATS, self.persons, strict=True):
            if person_id is not None and person_id in persons:
                return seat
        return None


def evolve(state: Match, event: DomainEvent) -> Match:
    """Apply one event of the stream; others leave the state as it is."""
    match event:
        case ev.MatchOpened():
            return Match(
                match_id=event.match_id,
                event_id=event.event_id,
                round=event.round,
                stage=event.stage,
                table=event.table,
                form=Format(event.rules, event.play_on),
                entrants=(event.p1, event.p2),
                persons=event.persons,
            )
        case ev.MatchWithdrawn():
            return Match()
        case ev.CoinTossed():
            return replace(state, toss=event.winner)
        case ev.StarterChosen():
            return replace(state, starter=event.first)
        case ev.DuelOpened():
            opened = Duel(event.number, event.duel_id, event.starter)
            return replace(state, duels=(*state.duels, opened))
        case ev.DuelScored():
            before = tuple(one for one in state.duels if one.number != event.number)
            known = next((one for one in state.duels if one.number == event.number), None)
            scored = Duel(
                event.number,
                event.duel_id,
                known.starter if known else None,
                event.winner,
                event.reason,
                event.rule,
            )
            return replace(state, duels=(*before, scored), toss=None, starter=None)
        case ev.ResultClaimed():
            claim = Claim(event.score, event.winner, event.reason)
            return replace(state, claims={**state.claims, event.seat: claim})
        case ev.MatchDecided():
            return replace(state, result=Result(event.winner, event.score, event.reason, event.by))
        case ev.MatchCorrected():
            return replace(
                state,
                result=Result(event.winner, event.score, event.reason, "staff"),
                corrections=state.corrections + 1,
                contests=(),
            )
        case ev.SidesExchanged():
            swap = Swap(event.into_main, event.out_of_main, event.into_extra, event.out_of_extra)
            made = Exchange(event.seat, event.number, swap)
            return replace(state, exchanges=(*state.exchanges, made))
        case _:
            return _evolve_floor(state, event)


def _evolve_floor(state: Match, event: DomainEvent) -> Match:
    match event:
        case floor.SlipEntered() if state.result is None:
            return replace(state, slip_drops=event.drops)
        case floor.ResultContested():
            made = Contest(event.seat, event.winner, event.score, event.reason, event.drops)
            return replace(state, contests=(*state.contests, made))
        case floor.ConflictSettled():
            return replace(state, contests=())
        case floor.ResultTakenBack():
            return replace(state, result=None, contests=(), slip_drops=())
        case floor.TimeExtended():
            held = {**state.extensions, event.source: event.seconds}
            return replace(state, extensions=held)
        case floor.EndStarted():
            begun = End(event.ruleset, event.version, event.cut, event.played, event.at)
            return replace(state, end=begun)
        case floor.EndAnswered() if state.end is not None:
            answers = (*state.end.answers, (event.question, event.answer))
            return replace(state, end=replace(state.end, answers=answers))
        case floor.EndAnswerWithdrawn() if state.end is not None:
            kept = state.end.answers[:-1]
            return replace(state, end=replace(state.end, answers=kept, done_at=""))
        case floor.EndDecided() if state.end is not None:
            return replace(state, end=replace(state.end, done_at=event.at))
        case _:
            return state
