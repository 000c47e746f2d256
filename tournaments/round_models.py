"""Read tables of the rounds beside those of `models`: the policy an event goes by, what a draft
changed, who is missing at a table, what was undone. Times are UTC text."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from eventstore.models import ReadModel


class RuleRow(ReadModel):
    """The policy an event goes by and what followed from it.

    `advised_rounds`, `advised_cut`, `players` as of the newest line of the policy that the field
    crossed; `grown` are [{players, advised_before, advised, cut_before, cut, at}] of late
    entries. `declined` are entrants without a seat in the cut, by their own wish. `shortened`:
    ended before all was played.
    """

    event_id = models.CharField(max_length=36, primary_key=True)
    policy = models.CharField(max_length=40, blank=True)
    hash = models.CharField(max_length=64, blank=True)
    confirm = models.JSONField(default=list)
    least_players = models.PositiveSmallIntegerField(default=0)
    game_loss_min = models.PositiveSmallIntegerField(default=0)
    match_loss_min = models.PositiveSmallIntegerField(default=0)
    round_min = models.PositiveSmallIntegerField(default=0)
    rows = models.JSONField(default=list)
    players = models.PositiveIntegerField(default=0)
    advised_rounds = models.PositiveSmallIntegerField(default=0)
    advised_cut = models.PositiveSmallIntegerField(default=0)
    grown = models.JSONField(default=list)
    declined = models.JSONField(default=list)
    shortened = models.BooleanField(default=False)

    class Meta:
        db_table = "tournaments_rule"
        verbose_name = "policy of an event"
        verbose_name_plural = "policies of events"

    def __str__(self) -> str:
        return self.policy


class DrawRow(ReadModel):
    """The newest draw of a round and the one before it: `pairs` and `was_pairs` are [[table, P1,
    P2]], `byes` and `was_byes` entrants; `draws` counts. `published_at` and `clock_at` are when
    its time began; `was_published`: the draw before had been published."""

    key = models.CharField(max_length=48, primary_key=True)
    event_id = models.CharField(max_length=36)
    number = models.PositiveSmallIntegerField()
    draws = models.PositiveIntegerField(default=0)
    pairs = models.JSONField(default=list)
    byes = models.JSONField(default=list)
    was_pairs = models.JSONField(default=list)
    was_byes = models.JSONField(default=list)
    was_published = models.BooleanField(default=False)
    published_at = models.CharField(max_length=27, blank=True)
    clock_at = models.CharField(max_length=27, blank=True)

    class Meta:
        db_table = "tournaments_draw"
        verbose_name = "draw of a round"
        verbose_name_plural = "draws of rounds"

    def __str__(self) -> str:
        return f"round {self.number}"


class AbsenceRow(ReadModel):
    """A seat that staff found empty; the row goes when the player comes. `game_loss` and
    `match_loss`: confirmed."""

    key = models.CharField(max_length=40, primary_key=True)
    event_id = models.CharField(max_length=36)
    match_id = models.CharField(max_length=36)
    round = models.PositiveSmallIntegerField()
    seat = models.CharField(max_length=2)
    at = models.CharField(max_length=27)
    game_loss = models.BooleanField(default=False)
    match_loss = models.BooleanField(default=False)

    class Meta:
        db_table = "tournaments_absence"
        verbose_name = "missing player"
        indexes: ClassVar = [
            models.Index(fields=["event_id", "round"], name="tournaments_absence_round")
        ]

    def __str__(self) -> str:
        return f"round {self.round} {self.seat}"


class UndoneRow(ReadModel):
    """What staff corrected or took back, in order. `kind` result, round, cut, reopened or
    shortened; `note` is sealed text of `by`; `was` and `now` are winners of a result."""

    position = models.BigIntegerField(primary_key=True)
    event_id = models.CharField(max_length=36)
    kind = models.CharField(max_length=10)
    round = models.PositiveSmallIntegerField(default=0)
    match_id = models.CharField(max_length=36, blank=True)
    was = models.CharField(max_length=12, blank=True)
    now = models.CharField(max_length=12, blank=True)
    note = models.TextField(blank=True)
    by = models.CharField(max_length=60)
    at = models.CharField(max_length=27)

    class Meta:
        db_table = "tournaments_undone"
        verbose_name = "undone step"
        verbose_name_plural = "undone steps"
        ordering: ClassVar = ["event_id", "position"]
        indexes: ClassVar = [
            models.Index(fields=["event_id", "position"], name="tournaments_undone_event")
        ]

    def __str__(self) -> str:
        return self.kind
