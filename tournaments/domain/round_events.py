"""Events of the rounds that came after the first release: the policy an event goes by, seats of
the cut that are declined, an event that is cut short or opened again (stream
`tournament-<id>`), and players who are not at their table (stream `match-<id>`).
"""

from __future__ import annotations

import msgspec

from eventstore.domain.registry import DomainEvent, event


class Policy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One version of the publisher's rules for events, as an event freezes it.

    `rows` are (players at most, Swiss rounds, least places in the cut), the last one with 0 for
    no limit. `confirm` names the parts that no document at hand confirms: `rounds`, `cut`,
    `tardiness`, `round_min`. Times in minutes.
    """

    policy: str
    rows: tuple[tuple[int, int, int], ...]
    least_players: int
    game_loss_min: int
    match_loss_min: int
    round_min: int
    confirm: tuple[str, ...]


@event("tournaments.policy_fixed")
class PolicyFixed(DomainEvent, frozen=True):
    """The event goes by this version; `hash` is that of the data file's entry."""

    event_id: str
    policy: Policy
    hash: str


@event("tournaments.field_grown")
class FieldGrown(DomainEvent, frozen=True):
    """A late entry took the field across a line of the policy: `advised` are (rounds, cut). The
    number of rounds stays; the cut follows where it was the advised one."""

    event_id: str
    players: int
    advised_before: tuple[int, int]
    advised: tuple[int, int]
    cut_before: int
    cut: int


@event("tournaments.seat_declined")
class SeatDeclined(DomainEvent, frozen=True):
    """An entrant does not take its place in the cut; the next in line moves up."""

    event_id: str
    entrant_id: str


@event("tournaments.seat_taken")
class SeatTaken(DomainEvent, frozen=True):
    """An entrant that had declined its place in the cut takes it after all."""

    event_id: str
    entrant_id: str


@event("tournaments.event_shortened")
class EventShortened(DomainEvent, frozen=True):
    """Staff end the event before all of it is played; `note` is sealed text: why."""

    event_id: str
    after_round: int
    planned: int
    note: str


@event("tournaments.event_reopened")
class EventReopened(DomainEvent, frozen=True):
    """A finished event goes on where it stood; its final places are taken back. `note` is sealed
    text: why."""

    event_id: str
    note: str


@event("tournaments.undoing_explained")
class UndoingExplained(DomainEvent, frozen=True):
    """Why staff took something back: `subject` round or cut, with the number of the round (of the
    cut: its first). What was taken back stands in the events after it."""

    event_id: str
    subject: str
    round: int
    note: str


@event("tournaments.player_missed")
class PlayerMissed(DomainEvent, frozen=True):
    """A player is not at the table; `at` (UTC text) is when staff saw it."""

    match_id: str
    event_id: str
    round: int
    seat: str
    at: str


@event("tournaments.player_arrived")
class PlayerArrived(DomainEvent, frozen=True):
    """A player who was missed is at the table."""

    match_id: str
    event_id: str
    seat: str
    at: str


@event("tournaments.tardiness_confirmed")
class TardinessConfirmed(DomainEvent, frozen=True):
    """Staff confirmed the loss that tardiness costs: `kind` game_loss or match_loss, `minutes`
    after the start of the round, which the policy allows from `due_min` on."""

    match_id: str
    event_id: str
    seat: str
    kind: str
    minutes: int
    due_min: int
