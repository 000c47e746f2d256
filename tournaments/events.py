"""The events of a tournament (stream `tournament-<id>`) and of a match (stream `match-<id>`);
of its messages (`message-<id>`) and its paper (`paper-<id of the event>`).

Scores are `[P1 wins, P2 wins, draws]`. Winners are P1, P2, draw or double_loss. People and
entrants stand in them by id. Free text is sealed text (people.vault).
"""

from __future__ import annotations

from typing import Any

import msgspec

from eventstore.domain.registry import DomainEvent, event, upcaster


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What an event chooses, each separately, and the hashes of the data it froze.

    `name` is public text. `zone` is an IANA zone. `deck_deadline` is UTC text. `rounds` None:
    the recommended number. `cut` 0: none. `play_on`: a drawn match of the cut is played on.
    `devices` allowed, or not_in_match: while a match runs its players use no phone. `decklists`:
    who sees the lists of others (domain.openlists), published ones from `decklists_at` (UTC) on.
    """

    name: str
    zone: str = "UTC"
    game: str = "yugioh"
    preset: str = "classic"
    match_rules: str = "ygo-classic"
    standings: str = "konami-policy@1"
    pack: str = "house-rules"
    decks_required: bool = True
    deck_deadline: str | None = None
    rounds: int | None = None
    cut: int = 0
    play_on: bool = True
    banlist_id: str | None = None
    banlist_hash: str | None = None
    catalogue_hash: str | None = None
    devices: str = "allowed"
    decklists: str = "closed"
    decklists_at: str | None = None
    preset_hash: str | None = None


class Plan(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How an event ranks, pairs and sits beyond its settings; entrants by id.

    `switches` of the system of standings. `order` inside a group and `soft` wishes
    (domain.pairing.field), these in the first `soft_rounds` rounds (0: all). `clubs` are labels.
    `forbidden` pairs never meet while another round exists. `free` are byes won in the first
    rounds. Tables as in domain.seating. `companion`: the event runs in another program, whose
    files are imported; empty, or the format.
    """

    switches: dict[str, bool | int | str] = {}
    order: str = "random"
    soft: tuple[str, ...] = ()
    soft_rounds: int = 0
    clubs: dict[str, str] = {}
    forbidden: tuple[tuple[str, str], ...] = ()
    free: dict[str, int] = {}
    offset: int = 0
    ranges: tuple[tuple[int, int], ...] = ()
    fixed: dict[str, int] = {}
    feature: tuple[int, ...] = ()
    featured: tuple[str, ...] = ()
    accessible: tuple[int, ...] = ()
    needs: tuple[str, ...] = ()
    companion: str = ""


class Pair(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One table of a round: the match, its table number, the entrants on seats P1 and P2."""

    match_id: str
    table: int
    p1: str
    p2: str


class Objective(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a pairing cost, in the order in which it counts (lower is better)."""

    rematches: int
    bye_count: int
    bye_level: int
    cost: int


class Proof(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a pairing is known to be the best: `lower_bound` by parity, `excess` = cost above
    it, `margin` in whole blocks, `method` sampled or exact."""

    objective: Objective
    lower_bound: int
    excess: int
    margin: int
    method: str
    proven: bool


@event("tournaments.event_created", schema=4)
class EventCreated(DomainEvent, frozen=True):
    event_id: str
    settings: Settings


@event("tournaments.event_configured", schema=4)
class EventConfigured(DomainEvent, frozen=True):
    """The settings as they stand after the change."""

    event_id: str
    settings: Settings


@upcaster("tournaments.event_created", 1)
@upcaster("tournaments.event_configured", 1)
def _with_devices(values: dict[str, Any]) -> dict[str, Any]:
    """Events of version 1 knew no such setting: phones were allowed."""
    return {**values, "settings": {**values["settings"], "devices": "allowed"}}


@upcaster("tournaments.event_created", 2)
@upcaster("tournaments.event_configured", 2)
def _with_decklists(values: dict[str, Any]) -> dict[str, Any]:
    """Events of version 2 knew no open lists."""
    closed = {"decklists": "closed", "decklists_at": None}
    return {**values, "settings": {**values["settings"], **closed}}


@upcaster("tournaments.event_created", 3)
@upcaster("tournaments.event_configured", 3)
def _with_preset_hash(values: dict[str, Any]) -> dict[str, Any]:
    """Events of version 3 knew the presets of the house alone, by name."""
    return {**values, "settings": {**values["settings"], "preset_hash": None}}


@event("tournaments.plan_made")
class PlanMade(DomainEvent, frozen=True):
    """The plan as it stands after the change."""

    event_id: str
    plan: Plan


@event("tournaments.registration_opened")
class RegistrationOpened(DomainEvent, frozen=True):
    event_id: str


@event("tournaments.registration_closed")
class RegistrationClosed(DomainEvent, frozen=True):
    event_id: str


@event("tournaments.entrant_enrolled")
class EntrantEnrolled(DomainEvent, frozen=True):
    """`number` counts the entrants of the event from 1 in the order of enrolment."""

    event_id: str
    entrant_id: str
    number: int
    persons: tuple[str, ...]
    by_staff: bool


@event("tournaments.deck_attached")
class DeckAttached(DomainEvent, frozen=True):
    """The entrant handed in a first list; its versions live in the stream of the deck."""

    event_id: str
    entrant_id: str
    deck_id: str


@event("tournaments.deck_detached")
class DeckDetached(DomainEvent, frozen=True):
    """The mark of a paper list was a mistake: the entrant has handed in nothing."""

    event_id: str
    entrant_id: str
    deck_id: str


@event("tournaments.entrant_checked_in")
class EntrantCheckedIn(DomainEvent, frozen=True):
    """`late`: round 1 was already published, and counts as lost."""

    event_id: str
    entrant_id: str
    late: bool


@event("tournaments.entrant_dropped")
class EntrantDropped(DomainEvent, frozen=True):
    """`after_round` is the newest published round (0 before the first); `reason` is own, staff,
    absent or no_show."""

    event_id: str
    entrant_id: str
    after_round: int
    reason: str


@event("tournaments.entrant_reinstated")
class EntrantReinstated(DomainEvent, frozen=True):
    """`ready`: it had checked in before. `late`: round 1 counts as lost for it."""

    event_id: str
    entrant_id: str
    ready: bool
    late: bool


@event("tournaments.entrant_disqualified")
class EntrantDisqualified(DomainEvent, frozen=True):
    event_id: str
    entrant_id: str
    after_round: int
    rule: str | None
    note: str | None


@event("tournaments.disqualification_undone")
class DisqualificationUndone(DomainEvent, frozen=True):
    """The head judge takes a disqualification back: the entrant plays from the next pairing after
    `round` (0: before the first). `ready` and `late` as in EntrantReinstated; `note` says why
    (sealed text of the actor)."""

    event_id: str
    entrant_id: str
    round: int
    ready: bool
    late: bool
    note: str


@event("tournaments.event_started")
class EventStarted(DomainEvent, frozen=True):
    """`rounds` and `cut` as they were fixed; `recommended` as [rounds, cut] of `table`."""

    event_id: str
    players: int
    rounds: int
    cut: int
    recommended: tuple[int, int]
    table: str


@event("tournaments.round_paired", schema=2)
class RoundPaired(DomainEvent, frozen=True):
    """A draft of a round; a later draft of the same number replaces it.

    `byes` are entrants who advance or score without a match; `lost` are those who lose the
    round without one (from a companion file). `points` are the points each entrant was paired
    by. `reasons` say per entrant why it was paired down or has the bye. `slots` are the places
    of a round of the cut in bracket order (None: nobody); empty in Swiss rounds. `proof` is
    None in the cut, where the bracket leaves no choice, and in a round from a file. `locked`
    pairs were kept as they were; `order` inside a group random or standing; `wishes` not met.
    `by_hand`: staff changed the pairs; `note` says why.
    """

    event_id: str
    round: int
    stage: str
    pairs: tuple[Pair, ...]
    byes: tuple[str, ...]
    seed: int
    points: dict[str, int]
    late: tuple[str, ...]
    reasons: dict[str, str]
    slots: tuple[str | None, ...]
    proof: Proof | None
    lost: tuple[str, ...]
    locked: tuple[tuple[str, str], ...]
    order: str
    wishes: int
    by_hand: bool
    note: str | None


@upcaster("tournaments.round_paired", 1)
def _without_hand(values: dict[str, Any]) -> dict[str, Any]:
    """Rounds of version 1 were paired at random inside a group, without locks, wishes, hands."""
    more = {"lost": [], "locked": [], "order": "random", "wishes": 0, "by_hand": False}
    return {**values, **more, "note": None}


@event("tournaments.round_published")
class RoundPublished(DomainEvent, frozen=True):
    event_id: str
    round: int


@event("tournaments.clock_started")
class ClockStarted(DomainEvent, frozen=True):
    """The clock of the round that is on: `seconds` long, from `at` (UTC text) on."""

    event_id: str
    round: int
    seconds: int
    at: str


@event("tournaments.clock_paused")
class ClockPaused(DomainEvent, frozen=True):
    event_id: str
    round: int
    at: str


@event("tournaments.clock_resumed")
class ClockResumed(DomainEvent, frozen=True):
    event_id: str
    round: int
    at: str


@event("tournaments.clock_adjusted")
class ClockAdjusted(DomainEvent, frozen=True):
    """`by_s` seconds more (below zero: fewer) for every table of the round."""

    event_id: str
    round: int
    by_s: int
    at: str


@event("tournaments.cut_made")
class CutMade(DomainEvent, frozen=True):
    """`seeds` are the entrants of the cut, first seed first; ties were drawn by `seed`."""

    event_id: str
    after_round: int
    seeds: tuple[str, ...]
    seed: int
    drawn: tuple[str, ...]


@event("tournaments.cut_undone")
class CutUndone(DomainEvent, frozen=True):
    """The cut was taken back before its first round; the Swiss rounds stand as they were."""

    event_id: str


@event("tournaments.round_withdrawn")
class RoundWithdrawn(DomainEvent, frozen=True):
    """The newest published round was taken back, with whatever was played in it."""

    event_id: str
    round: int


@event("tournaments.round_missed")
class RoundMissed(DomainEvent, frozen=True):
    """A published Swiss round that an entrant lost without a match, known only afterwards."""

    event_id: str
    entrant_id: str
    round: int


class Placing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Final place of an entrant; equal places are shared."""

    entrant_id: str
    place: int


@event("tournaments.event_finished")
class EventFinished(DomainEvent, frozen=True):
    event_id: str
    placings: tuple[Placing, ...]


@event("tournaments.event_cancelled")
class EventCancelled(DomainEvent, frozen=True):
    event_id: str
    note: str | None


class PaperChoice(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How an event prints: `paper` a4, letter or roll, `language` (empty: that of whoever
    prints), slips a page, `ids` beside the names of a slip, large print."""

    paper: str = "a4"
    language: str = ""
    per_page: int = 4
    ids: str = "number"
    large: bool = False


@event("tournaments.paper_chosen")
class PaperChosen(DomainEvent, frozen=True):
    """The choice as it stands after the change (stream `paper-<id of the event>`)."""

    event_id: str
    choice: PaperChoice


@event("tournaments.message_posted")
class MessagePosted(DomainEvent, frozen=True):
    """A message from the desk (stream `message-<id>`) until `until` (UTC text).

    `audience` all, players, staff, or tables: those who sat at tables `first` to `last` of
    `round` when it was written, named in `persons`. `text` is sealed text.
    """

    event_id: str
    message_id: str
    audience: str
    text: str
    until: str
    round: int
    first: int | None
    last: int | None
    persons: tuple[str, ...]


@event("tournaments.message_withdrawn")
class MessageWithdrawn(DomainEvent, frozen=True):
    """`audience` and `persons` are those it was for."""

    event_id: str
    message_id: str
    audience: str
    persons: tuple[str, ...]


@event("tournaments.match_opened")
class MatchOpened(DomainEvent, frozen=True):
    """`persons` are those on seat P1 and those on seat P2."""

    match_id: str
    event_id: str
    round: int
    stage: str
    table: int
    p1: str
    p2: str
    persons: tuple[tuple[str, ...], tuple[str, ...]]
    rules: str
    play_on: bool


@event("tournaments.match_withdrawn")
class MatchWithdrawn(DomainEvent, frozen=True):
    """The round of the match was taken back: there is no such match any more."""

    match_id: str
    event_id: str


@event("tournaments.coin_tossed")
class CoinTossed(DomainEvent, frozen=True):
    """`winner` P1 or P2 for duel `number`; `seed` None: a coin on the table."""

    match_id: str
    number: int
    winner: str
    seed: int | None


@event("tournaments.starter_chosen")
class StarterChosen(DomainEvent, frozen=True):
    match_id: str
    number: int
    by: str
    first: str


@event("tournaments.duel_opened")
class DuelOpened(DomainEvent, frozen=True):
    match_id: str
    number: int
    duel_id: str
    starter: str


@event("tournaments.duel_scored")
class DuelScored(DomainEvent, frozen=True):
    """`winner` P1, P2 or draw; `reason` played or game_loss; `rule` is what ended the duel."""

    match_id: str
    number: int
    duel_id: str | None
    winner: str
    reason: str
    rule: str | None


@event("tournaments.result_claimed")
class ResultClaimed(DomainEvent, frozen=True):
    match_id: str
    event_id: str
    seat: str
    score: tuple[int, int, int]
    winner: str
    reason: str


@event("tournaments.match_decided")
class MatchDecided(DomainEvent, frozen=True):
    """`by` is players, admitted, staff, log or penalty."""

    match_id: str
    event_id: str
    round: int
    winner: str
    score: tuple[int, int, int]
    reason: str
    by: str


@event("tournaments.match_corrected")
class MatchCorrected(DomainEvent, frozen=True):
    """A standing result was replaced by staff; `was` is the winner before."""

    match_id: str
    event_id: str
    round: int
    winner: str
    score: tuple[int, int, int]
    reason: str
    was: str
    note: str | None


@event("tournaments.sides_exchanged")
class SidesExchanged(DomainEvent, frozen=True):
    """Hidden from everybody but the seat and staff: card keys that left the Side Deck and
    those that went into it before duel `number`."""

    match_id: str
    seat: str
    number: int
    into_main: tuple[str, ...]
    out_of_main: tuple[str, ...]
    into_extra: tuple[str, ...]
    out_of_extra: tuple[str, ...]


@event("tournaments.game_loss_applied")
class GameLossApplied(DomainEvent, frozen=True):
    match_id: str
    seats: tuple[str, ...]
    number: int
    rule: str | None
    note: str | None


@event("tournaments.match_loss_applied")
class MatchLossApplied(DomainEvent, frozen=True):
    match_id: str
    seats: tuple[str, ...]
    rule: str | None
    note: str | None
