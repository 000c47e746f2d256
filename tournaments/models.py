"""Read tables of the tournaments. People and entrants stand in them by id only.

Scores are in the order P1 wins, P2 wins, draws. Times are UTC text. Empty text: none.
"""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from eventstore.models import ReadModel
from tournaments.models_hall import MessageRow as MessageRow
from tournaments.models_hall import OutageRow as OutageRow
from tournaments.models_hall import PaperRow as PaperRow

MERGED = "merged"
"""Why an entrant is out that turned out to be the same human as another: no list shows it."""


class EventRow(ReadModel):
    """An event as it now stands: its settings, its state, its rounds."""

    id = models.CharField(max_length=36, primary_key=True)
    name = models.CharField(max_length=120)
    zone = models.CharField(max_length=60)
    game = models.CharField(max_length=20)
    preset = models.CharField(max_length=30)
    match_rules = models.CharField(max_length=30)
    standings = models.CharField(max_length=40)
    pack = models.CharField(max_length=40)
    decks_required = models.BooleanField()
    deck_deadline = models.CharField(max_length=27, blank=True)
    rounds = models.PositiveSmallIntegerField(null=True)
    cut = models.PositiveSmallIntegerField()
    play_on = models.BooleanField()
    banlist_id = models.CharField(max_length=80, blank=True)
    banlist_hash = models.CharField(max_length=64, blank=True)
    catalogue_hash = models.CharField(max_length=64, blank=True)
    devices = models.CharField(max_length=12, default="allowed")
    decklists = models.CharField(max_length=12, default="closed")
    decklists_at = models.CharField(max_length=27, blank=True, default="")
    preset_hash = models.CharField(max_length=64, blank=True, default="")
    status = models.CharField(max_length=12)
    round = models.PositiveSmallIntegerField(default=0)
    stage = models.CharField(max_length=6, default="swiss")
    draft_round = models.PositiveSmallIntegerField(default=0)
    plan = models.JSONField(default=dict)
    ruleset = models.CharField(max_length=60, blank=True)
    players = models.PositiveIntegerField(default=0)
    created_at = models.CharField(max_length=27)
    created_by = models.CharField(max_length=36)
    started_at = models.CharField(max_length=27, blank=True)
    ended_at = models.CharField(max_length=27, blank=True)

    class Meta:
        db_table = "tournaments_event"
        verbose_name = "event"
        ordering: ClassVar = ["-created_at", "id"]
        indexes: ClassVar = [
            models.Index(fields=["created_at", "id"], name="tournaments_event_time")
        ]

    def __str__(self) -> str:
        return self.name


class EntrantRow(ReadModel):
    """An entrant of an event. `status` enrolled, checked_in, dropped or disqualified."""

    id = models.CharField(max_length=36, primary_key=True)
    event_id = models.CharField(max_length=36)
    number = models.PositiveIntegerField()
    persons = models.JSONField()
    status = models.CharField(max_length=12)
    late = models.BooleanField(default=False)
    deck_id = models.CharField(max_length=36, blank=True)
    dropped_after = models.PositiveSmallIntegerField(null=True)
    reason = models.CharField(max_length=20, blank=True)
    seed = models.PositiveSmallIntegerField(null=True)
    place = models.PositiveIntegerField(null=True)
    by_staff = models.BooleanField()

    class Meta:
        db_table = "tournaments_entrant"
        verbose_name = "entrant"
        ordering: ClassVar = ["event_id", "number"]
        indexes: ClassVar = [
            models.Index(fields=["event_id", "number"], name="tournaments_entrant_event")
        ]

    def __str__(self) -> str:
        return f"#{self.number}"


class EntrantPerson(ReadModel):
    """Which persons an entrant is made of, for looking up one's own events."""

    key = models.CharField(max_length=80, primary_key=True)
    event_id = models.CharField(max_length=36)
    entrant_id = models.CharField(max_length=36)
    person_id = models.CharField(max_length=36)

    class Meta:
        db_table = "tournaments_entrant_person"
        verbose_name = "person of an entrant"
        verbose_name_plural = "persons of entrants"
        indexes: ClassVar = [
            models.Index(fields=["person_id", "event_id"], name="tournaments_person_event")
        ]

    def __str__(self) -> str:
        return self.key


class RoundRow(ReadModel):
    """A round: a draft until published. `revision` counts its frozen standings, 0: none yet.

    `clock_seconds` None: no clock was started. `clock_ends_at` while it runs, `clock_left_s`
    while it is paused. `note` is sealed text: why staff changed the pairs by hand.
    """

    key = models.CharField(max_length=48, primary_key=True)
    event_id = models.CharField(max_length=36)
    number = models.PositiveSmallIntegerField()
    stage = models.CharField(max_length=6)
    published = models.BooleanField(default=False)
    paired_at = models.CharField(max_length=27)
    published_at = models.CharField(max_length=27, blank=True)
    byes = models.JSONField()
    late = models.JSONField()
    slots = models.JSONField()
    reasons = models.JSONField()
    points = models.JSONField()
    seed = models.BigIntegerField()
    rematches = models.PositiveSmallIntegerField(null=True)
    bye_count = models.PositiveSmallIntegerField(null=True)
    bye_level = models.PositiveSmallIntegerField(null=True)
    cost = models.PositiveIntegerField(null=True)
    lower_bound = models.PositiveIntegerField(null=True)
    excess = models.PositiveIntegerField(null=True)
    method = models.CharField(max_length=12, blank=True)
    proven = models.BooleanField(null=True)
    margin = models.PositiveSmallIntegerField(default=0)
    lost = models.JSONField(default=list)
    locked = models.JSONField(default=list)
    order = models.CharField(max_length=10, default="random")
    wishes = models.PositiveIntegerField(default=0)
    by_hand = models.BooleanField(default=False)
    note = models.TextField(blank=True)
    revision = models.PositiveSmallIntegerField(default=0)
    clock_seconds = models.PositiveIntegerField(null=True)
    clock_ends_at = models.CharField(max_length=27, blank=True)
    clock_left_s = models.IntegerField(default=0)

    class Meta:
        db_table = "tournaments_round"
        verbose_name = "round"
        ordering: ClassVar = ["event_id", "number"]
        indexes: ClassVar = [
            models.Index(fields=["event_id", "number"], name="tournaments_round_event")
        ]

    def __str__(self) -> str:
        return f"round {self.number}"


class MatchRow(ReadModel):
    """A match at a table. `state` draft, waiting, playing, between, claimed, disputed, decided.

    `claims` {seat: {score, winner, reason}} are for staff, and each player's own for itself.
    `duels` [{number, duel_id, starter, winner, reason, rule}]. `toss` and `starter` are those
    of the duel to come. `contests` [{seat, by, winner, score, reason, drops, at}] speak against the
    result; `by` is the member of staff, empty for a player (`seat`). `entered_by` who decided.
    `extensions` {source: seconds} add up to `extension_s`. `end` {ruleset, version, cut, played,
    at, answers, done_at, why} is the end of the match after time, empty before.
    """

    id = models.CharField(max_length=36, primary_key=True)
    event_id = models.CharField(max_length=36)
    round = models.PositiveSmallIntegerField()
    stage = models.CharField(max_length=6)
    table = models.PositiveIntegerField()
    p1 = models.CharField(max_length=36)
    p2 = models.CharField(max_length=36)
    persons = models.JSONField()
    state = models.CharField(max_length=10)
    rules = models.CharField(max_length=30, blank=True)
    play_on = models.BooleanField(default=False)
    toss = models.CharField(max_length=2, blank=True)
    starter = models.CharField(max_length=2, blank=True)
    duels = models.JSONField()
    claims = models.JSONField()
    winner = models.CharField(max_length=12, blank=True)
    p1_wins = models.PositiveSmallIntegerField(default=0)
    p2_wins = models.PositiveSmallIntegerField(default=0)
    draws = models.PositiveSmallIntegerField(default=0)
    reason = models.CharField(max_length=20, blank=True)
    decided_by = models.CharField(max_length=10, blank=True)
    decided_at = models.CharField(max_length=27, blank=True)
    corrections = models.PositiveSmallIntegerField(default=0)
    entered_by = models.CharField(max_length=36, blank=True)
    contests = models.JSONField(default=list)
    extensions = models.JSONField(default=dict)
    extension_s = models.PositiveIntegerField(default=0)
    end = models.JSONField(default=dict)

    class Meta:
        db_table = "tournaments_match"
        verbose_name = "match"
        verbose_name_plural = "matches"
        ordering: ClassVar = ["event_id", "round", "table"]
        indexes: ClassVar = [
            models.Index(fields=["event_id", "round", "table"], name="tournaments_match_round"),
            models.Index(fields=["event_id", "round", "state"], name="tournaments_match_state"),
            models.Index(fields=["event_id", "p1"], name="tournaments_match_p1"),
            models.Index(fields=["event_id", "p2"], name="tournaments_match_p2"),
        ]

    def __str__(self) -> str:
        return f"round {self.round} table {self.table}"


class StandingRow(ReadModel):
    """One line of the standings frozen after a Swiss round, of every revision there was.

    `tiebreaks` are [name, value] in the order in which they count; `detail` is
    standings.explain().
    """

    key = models.CharField(max_length=96, primary_key=True)
    event_id = models.CharField(max_length=36)
    round = models.PositiveSmallIntegerField()
    revision = models.PositiveSmallIntegerField()
    position = models.PositiveIntegerField()
    entrant_id = models.CharField(max_length=36)
    rank = models.PositiveIntegerField()
    points = models.PositiveSmallIntegerField()
    tiebreaks = models.JSONField(default=list)
    code = models.CharField(max_length=40)
    wins = models.PositiveSmallIntegerField()
    losses = models.PositiveSmallIntegerField()
    draws = models.PositiveSmallIntegerField()
    byes = models.PositiveSmallIntegerField()
    detail = models.JSONField()

    class Meta:
        db_table = "tournaments_standing"
        verbose_name = "standing"
        ordering: ClassVar = ["event_id", "round", "revision", "position"]
        indexes: ClassVar = [
            models.Index(
                fields=["event_id", "round", "revision", "position"],
                name="tournaments_standing_round",
            )
        ]

    def __str__(self) -> str:
        return f"{self.rank}. {self.code}"


class EntryRow(ReadModel):
    """One thing said about a result, in order: who, when, as what. `kind` decided, contested,
    corrected, kept or taken_back. `line` and `drops` of a slip."""

    position = models.BigIntegerField(primary_key=True)
    event_id = models.CharField(max_length=36)
    round = models.PositiveSmallIntegerField()
    match_id = models.CharField(max_length=36)
    kind = models.CharField(max_length=12)
    author = models.CharField(max_length=36)
    source = models.CharField(max_length=12)
    at = models.CharField(max_length=27)
    winner = models.CharField(max_length=12, blank=True)
    score = models.JSONField(default=list)
    reason = models.CharField(max_length=20, blank=True)
    line = models.CharField(max_length=40, blank=True)
    drops = models.JSONField(default=list)
    command = models.CharField(max_length=36)

    class Meta:
        db_table = "tournaments_entry"
        verbose_name = "entry of a result"
        verbose_name_plural = "entries of results"
        indexes: ClassVar = [
            models.Index(fields=["event_id", "round", "position"], name="tournaments_entry_round"),
            models.Index(fields=["match_id", "position"], name="tournaments_entry_match"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.position}"


class LossRow(ReadModel):
    """A loss that waits for the next match of an entrant (`state` pending), fell (`carried_out`)
    or was taken back (`taken_back`, `note` sealed text of `taken_by`)."""

    id = models.CharField(max_length=36, primary_key=True)
    event_id = models.CharField(max_length=36)
    entrant_id = models.CharField(max_length=36)
    kind = models.CharField(max_length=12)
    infraction = models.CharField(max_length=40)
    infraction_kind = models.CharField(max_length=40)
    match_id = models.CharField(max_length=36)
    round = models.PositiveSmallIntegerField()
    at = models.CharField(max_length=27)
    state = models.CharField(max_length=12, default="pending")
    carried_match = models.CharField(max_length=36, blank=True)
    carried_round = models.PositiveSmallIntegerField(default=0)
    taken_by = models.CharField(max_length=36, blank=True)
    note = models.TextField(blank=True)

    class Meta:
        db_table = "tournaments_loss"
        verbose_name = "waiting loss"
        verbose_name_plural = "waiting losses"
        indexes: ClassVar = [
            models.Index(fields=["event_id", "state"], name="tournaments_loss_event"),
            models.Index(fields=["match_id", "state"], name="tournaments_loss_match"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.state}"


# Django looks for the tables of an app in this module.
from tournaments.door_models import (  # noqa: E402
    DoorEntrantRow,
    DoorRow,
    FeeRow,
    NoticeRow,
    Suspension,
    WaitingRow,
)
from tournaments.round_models import AbsenceRow, DrawRow, RuleRow, UndoneRow  # noqa: E402

__all__ = [
    "MERGED",
    "AbsenceRow",
    "DoorEntrantRow",
    "DoorRow",
    "DrawRow",
    "EntrantPerson",
    "EntrantRow",
    "EntryRow",
    "EventRow",
    "FeeRow",
    "LossRow",
    "MatchRow",
    "NoticeRow",
    "RoundRow",
    "RuleRow",
    "StandingRow",
    "Suspension",
    "UndoneRow",
    "WaitingRow",
]
