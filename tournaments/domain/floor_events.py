"""Events of a round as it is played in the hall: slips, conflicts, time of a table, end of match,
losses that wait for the next match.

Those of one table stand in its stream `match-<id>`, the others in `tournament-<id>`. Scores are
`[P1 wins, P2 wins, draws]`; winners P1, P2, draw or double_loss; notes are sealed text.
"""

from __future__ import annotations

from eventstore.domain.registry import DomainEvent, event


@event("tournaments.slip_entered")
class SlipEntered(DomainEvent, frozen=True):
    """A paper slip was typed in; what it came to stands in the events beside it. `line` as typed,
    `drops` are the seats that leave the event by it. `ruleset` and `answers` are those of the
    end of this match, where time was called at the table (ref `id@version`, [question, answer])."""

    match_id: str
    event_id: str
    round: int
    table: int
    line: str
    drops: tuple[str, ...]
    ruleset: str | None
    answers: tuple[tuple[str, str], ...]


@event("tournaments.result_contested")
class ResultContested(DomainEvent, frozen=True):
    """A statement that differs from the result that stands. `seat`: the player who says so;
    empty: the member of staff who sent it. `drops` would leave with it."""

    match_id: str
    event_id: str
    round: int
    seat: str
    winner: str
    score: tuple[int, int, int]
    reason: str
    drops: tuple[str, ...]


@event("tournaments.conflict_settled")
class ConflictSettled(DomainEvent, frozen=True):
    """Staff chose between the result and what was said against it. `kept`: the result stands;
    otherwise a correction stands beside this."""

    match_id: str
    event_id: str
    round: int
    kept: bool
    note: str | None


@event("tournaments.result_taken_back")
class ResultTakenBack(DomainEvent, frozen=True):
    """A result that staff had entered was taken back while its round is on: the table is open
    again. `drops` are the seats that came back in with it."""

    match_id: str
    event_id: str
    round: int
    drops: tuple[str, ...]


@event("tournaments.time_extended")
class TimeExtended(DomainEvent, frozen=True):
    """The table has `seconds` of extension from `source` (a call, or `hand:` and the command):
    the newest value of a source counts, several sources add up."""

    match_id: str
    event_id: str
    round: int
    source: str
    seconds: int
    note: str | None


@event("tournaments.end_started")
class EndStarted(DomainEvent, frozen=True):
    """Time was called at a table. The match ends by this ruleset; `played` are the duels scored
    before, winner by winner; `cut`: the match needs a winner."""

    match_id: str
    event_id: str
    round: int
    ruleset: str
    version: str
    cut: bool
    played: tuple[str, ...]
    at: str


@event("tournaments.end_answered")
class EndAnswered(DomainEvent, frozen=True):
    match_id: str
    event_id: str
    question: str
    answer: str


@event("tournaments.end_answer_withdrawn")
class EndAnswerWithdrawn(DomainEvent, frozen=True):
    """The last answer of the end of match was taken back."""

    match_id: str
    event_id: str
    question: str


@event("tournaments.end_decided")
class EndDecided(DomainEvent, frozen=True):
    """The questions led to a result; `why` are codes of the steps that decided it."""

    match_id: str
    event_id: str
    ruleset: str
    version: str
    winner: str
    score: tuple[int, int, int]
    why: tuple[str, ...]
    at: str


@event("tournaments.slip_missing")
class SlipMissing(DomainEvent, frozen=True):
    """Nobody brought a result: staff gave the table what the ruleset says."""

    match_id: str
    event_id: str
    round: int
    ruleset: str
    version: str
    note: str | None


@event("tournaments.ruleset_chosen")
class RulesetChosen(DomainEvent, frozen=True):
    """How matches of the event end when time is called, from now on."""

    event_id: str
    ruleset: str
    version: str


@event("tournaments.loss_pending")
class LossPending(DomainEvent, frozen=True):
    """An infraction whose loss waits for the next match of an entrant. `kind` game_loss or
    match_loss; `infraction` and `infraction_kind` are codes of the policy; `match_id` and
    `round`: where it happened."""

    event_id: str
    loss_id: str
    entrant_id: str
    kind: str
    infraction: str
    infraction_kind: str
    match_id: str
    round: int
    at: str


@event("tournaments.loss_taken_back")
class LossTakenBack(DomainEvent, frozen=True):
    event_id: str
    loss_id: str
    note: str | None


@event("tournaments.loss_carried_out")
class LossCarriedOut(DomainEvent, frozen=True):
    """The loss fell on a match when its round was published."""

    event_id: str
    loss_id: str
    match_id: str
    round: int
