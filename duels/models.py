"""Read tables of duels: what is public of each duel, no hidden fact. And replay files, sealed."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from eventstore.models import ReadModel


class ReplayFile(models.Model):
    """A replay file as it was handed in. Reference data, outside the log: the log holds its
    hash. `sealed` is the file under the key of the person who handed it in, so that it ends with
    that person's erasure."""

    duel_id = models.CharField(max_length=36, primary_key=True)
    event_id = models.CharField(max_length=36, blank=True, db_index=True)
    match_id = models.CharField(max_length=36, blank=True, db_index=True)
    person_id = models.CharField(max_length=36, db_index=True)
    sha256 = models.CharField(max_length=64)
    sealed = models.BinaryField()
    handed_in_at = models.CharField(max_length=27)

    class Meta:
        db_table = "duels_replay_file"
        verbose_name = "replay file"
        ordering: ClassVar = ["handed_in_at", "duel_id"]

    def __str__(self) -> str:
        return self.duel_id


class DuelNote(ReadModel):
    """One note on a line of a duel. `sealed` is its text under the key of `by`, empty for a bare
    flag; `seat` that of a player who flagged the line; `withdrawn_by` empty while it stands."""

    note_id = models.CharField(max_length=36, primary_key=True)
    duel_id = models.CharField(max_length=36, db_index=True)
    kind = models.CharField(max_length=10)
    line = models.PositiveIntegerField()
    by = models.CharField(max_length=36)
    seat = models.CharField(max_length=2, blank=True)
    sealed = models.TextField(blank=True)
    made_at = models.CharField(max_length=27)
    withdrawn_by = models.CharField(max_length=36, blank=True)

    class Meta:
        db_table = "duels_note"
        ordering: ClassVar = ["duel_id", "line", "made_at", "note_id"]

    def __str__(self) -> str:
        return self.note_id


class WatchDelay(ReadModel):
    """By how many seconds those who only watch the duels of an event are behind."""

    event_id = models.CharField(max_length=36, primary_key=True)
    seconds = models.PositiveIntegerField()

    class Meta:
        db_table = "duels_watch_delay"

    def __str__(self) -> str:
        return self.event_id


class DuelRow(ReadModel):
    """One duel as everybody may know it. `seats` {P1: [person ids], P2: [...]}. `pads`
    {"P1.P2": value}: what P1's pad last said about P2. `winner` empty while it goes on."""

    duel_id = models.CharField(max_length=36, primary_key=True)
    event_id = models.CharField(max_length=36, blank=True, db_index=True)
    match_id = models.CharField(max_length=36, blank=True, db_index=True)
    number = models.PositiveSmallIntegerField()
    game = models.CharField(max_length=20)
    mode = models.CharField(max_length=10)
    fidelity = models.CharField(max_length=15)
    seats = models.JSONField()
    starter = models.CharField(max_length=2)
    turn = models.PositiveIntegerField(default=0)
    active = models.CharField(max_length=2, blank=True)
    phase = models.CharField(max_length=10, blank=True)
    step = models.CharField(max_length=10, blank=True)
    lp_p1 = models.IntegerField()
    lp_p2 = models.IntegerField()
    pads = models.JSONField()
    events = models.PositiveIntegerField(default=1)
    rewinds = models.PositiveIntegerField(default=0)
    infractions = models.PositiveIntegerField(default=0)
    winner = models.CharField(max_length=4, blank=True)
    ended_by = models.CharField(max_length=20, blank=True)
    ended_how = models.CharField(max_length=20, blank=True)
    opened_at = models.CharField(max_length=27)
    last_at = models.CharField(max_length=27)

    class Meta:
        db_table = "duels_duel"
        verbose_name = "duel"
        ordering: ClassVar = ["opened_at", "duel_id"]

    def __str__(self) -> str:
        return self.duel_id


class RevealRow(ReadModel):
    """One look of a judge at the hidden cards of a duel: in which case, up to which event of its
    log. `reason` is sealed text of `by`."""

    key = models.CharField(max_length=60, primary_key=True)
    duel_id = models.CharField(max_length=36, db_index=True)
    event_id = models.CharField(max_length=36, db_index=True)
    match_id = models.CharField(max_length=36)
    case_id = models.CharField(max_length=36, db_index=True)
    by = models.CharField(max_length=36)
    upto = models.PositiveIntegerField()
    at = models.CharField(max_length=27)
    reason = models.TextField(blank=True)

    class Meta:
        db_table = "duels_reveal"
        verbose_name = "look at hidden cards"
        verbose_name_plural = "looks at hidden cards"
        ordering: ClassVar = ["-at", "-key"]

    def __str__(self) -> str:
        return self.key
