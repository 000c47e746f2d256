"""A policy pack: the numbers and lists by which an event is judged, and what follows from them.

No penalty and no second stands in code. `judging.domain.pack_file.parse` reads a pack and checks
it; this module is what the other rules ask.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from judging.domain.words import TARGETS, Moment, Penalty, Remedy, Target

FORGOTTEN_AFTER_S = 600


@dataclass(frozen=True, slots=True)
class Infraction:
    """One infraction of a pack: its base penalty and the kinds that count as a repeat.
    `game_state` says whether the game can be repaired after it, empty where that is open."""

    code: str
    label: Mapping[str, str]
    base: Penalty
    kinds: tuple[str, ...]
    remedies: tuple[Remedy, ...]
    game_state: str = ""


@dataclass(frozen=True, slots=True)
class TimePolicy:
    """How the length of a call becomes a time extension. All values are whole seconds.

    Source: design of the extension, J2. `from_event` is `claimed` or `at_table`; `round_up_s`
    is the step to which the extension is rounded up. A call that is open longer than
    `forgotten_after_s` states its real length before it gives one (10 minutes where a pack does
    not say). `side_decking_s` is how long a side deck may be exchanged.
    """

    grace_s: int
    from_event: str
    slow_play_min_s: int
    deck_check_bonus_s: int
    round_up_s: int
    in_eom: bool
    with_game_loss: bool
    forgotten_after_s: int = FORGOTTEN_AFTER_S
    side_decking_s: int = 180


@dataclass(frozen=True, slots=True)
class Upgrade:
    """What a repeat suggests. A repeat is the same infraction (`key` infraction) or the same kind
    of it (`kind`), of the same person in this event. `table` names the penalty of the first, the
    second, ... time per base penalty; a base penalty without a row goes one rung up each time.
    `prize_never`: infractions with which nobody keeps a prize; `with_others`: the head judge hears
    other judges first."""

    key: str
    never: frozenset[str]
    table: Mapping[Penalty, tuple[Penalty, ...]]
    with_others: bool
    prize_never: frozenset[str]


@dataclass(frozen=True, slots=True)
class Tardiness:
    """Seconds after the start of a round at which lateness costs a game, then the match; whether
    who is absent is out of the event then."""

    game_loss_after_s: int
    match_loss_after_s: int
    drops_out: bool


@dataclass(frozen=True, slots=True)
class Slip:
    """A result slip that comes late: after how many seconds, which infraction and kind it is, and
    what its penalty falls on."""

    late_after_s: int
    infraction: str
    kind: str
    target: Target


@dataclass(frozen=True, slots=True)
class Devices:
    """Devices at a table. `in_match` allowed, calculator or forbidden; `lp_pad` whether players may
    keep Life Points on the pad of this system; `lp_record` how they must be written down: free,
    paper_both, each_change_both, none; `recording` whether anybody may record an investigation."""

    in_match: str
    lp_pad: bool
    lp_record: str
    recording: bool


@dataclass(frozen=True, slots=True)
class RewindPolicy:
    """Who may order a rewind, what knowledge gained by it does to it (ignore, advise_against,
    forbid), and the closed list of partial repairs."""

    by: tuple[str, ...]
    info_gain: str
    partial_fixes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Packet:
    """The packet of a disqualification: days until it is due, whose statements it must hold
    (all_involved, both_players, none), who collects and who sends it."""

    deadline_days: int
    statements: str
    collected_by: str
    sent_by: str


@dataclass(frozen=True, slots=True)
class Pack:
    """A policy pack in one version. `confirm` lists the paths that the organiser must check;
    `presets` what a judge needs most (`CODE/kind`), in the order in which a page offers it.

    `photos_allowed`: staff may take photos at tables; `reveal_shown`: players may see later what
    a judge looked at; `dispute_window_h`: hours after a duel in which a line of it is disputed;
    `statements_required`: infractions that need both statements; `must_answer`: facts a player
    has to tell truthfully; `appeal_final_by`: roles whose word on an appeal is final.
    """

    pack: str
    version: str
    title: Mapping[str, str]
    source: str
    effective: str
    confirmed_by: str | None
    confirm: tuple[str, ...]
    ladder: tuple[Penalty, ...]
    infractions: Mapping[str, Infraction]
    upgrade: Upgrade
    downgrade_reasons: tuple[str, ...]
    approval: frozenset[Penalty]
    approval_except: frozenset[str]
    time: TimePolicy
    tardiness: Tardiness
    slip: Slip
    staff_only: frozenset[Penalty]
    targets: Mapping[Moment, Target]
    match_targets: Mapping[Moment, Target]
    devices: Devices
    rewind: RewindPolicy
    packet: Packet
    appeal_final_by: tuple[str, ...]
    must_answer: tuple[str, ...]
    photos_allowed: bool
    reveal_shown: bool
    dispute_window_h: int
    statements_required: frozenset[str]
    staff_may_play: bool
    start_after_penalty: str
    presets: tuple[str, ...] = ()

    @property
    def ref(self) -> str:
        """Id and version in one word, as an event keeps it: `house-rules@1`."""
        return f"{self.pack}@{self.version}"

    @property
    def never_upgraded(self) -> frozenset[str]:
        """Infractions that a repeat does not make heavier."""
        return self.upgrade.never

    def needs_approval(self, penalty: Penalty, infraction: str | None) -> bool:
        """Say whether a penalty waits for the head judge before it comes into force."""
        return penalty in self.approval and infraction not in self.approval_except

    def usual_target(
        self, penalty: Penalty, moment: Moment, infraction: str = "", kind: str = ""
    ) -> Target:
        """Return the target of a penalty when the judge names none."""
        late = (infraction, kind) == (self.slip.infraction, self.slip.kind)
        if late and self.slip.target in TARGETS[penalty]:
            return self.slip.target
        if penalty is Penalty.GAME_LOSS:
            return self.targets[moment]
        if penalty is Penalty.MATCH_LOSS:
            return self.match_targets[moment]
        return TARGETS[penalty][0]

    @property
    def repeats_by_kind(self) -> bool:
        """Whether only the same kind of an infraction is a repeat, not all of the infraction."""
        return self.upgrade.key == "kind"

    def suggested(self, infraction: str, before: int) -> Penalty | None:
        """Return the penalty that the pack suggests to the head judge for an infraction that
        stands against somebody `before` times already in this event; None where it suggests
        nothing but the base penalty."""
        known = self.infractions.get(infraction)
        if known is None or before <= 0 or infraction in self.upgrade.never:
            return None
        row = self.upgrade.table.get(known.base)
        if row is not None:
            found = row[min(before, len(row) - 1)]
            return found if found != known.base else None
        found = self.ladder[min(self.ladder.index(known.base) + before, len(self.ladder) - 1)]
        return found if self.may_give(infraction, found) else Penalty.DISQUALIFICATION

    def may_give(self, infraction: str, penalty: Penalty) -> bool:
        """Whether a penalty is one that an infraction can have: nobody keeps a prize after some."""
        return penalty is not Penalty.DQ_WITH_PRIZE or infraction not in self.upgrade.prize_never

    def needs_statements(self, infraction: str) -> bool:
        """Whether an infraction needs the statements of both players."""
        return infraction in self.statements_required
