"""Read tables of what comes after a match: disputes about lines of its duels, and the packets of
disqualifications. Codes and ids only."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from eventstore.models import ReadModel


class DisputeRow(ReadModel):
    """One dispute about a line of a duel. `until` when its window closed; `proposed` the result
    that waits for a correction; `reason` and `note` sealed texts of `by` and `settled_by`,
    `appeal_reason` of `appealed_by`, who appealed the review."""

    dispute_id = models.CharField(max_length=36, primary_key=True)
    event_id = models.CharField(max_length=36)
    match_id = models.CharField(max_length=36, db_index=True)
    duel_id = models.CharField(max_length=36)
    round = models.PositiveSmallIntegerField()
    table = models.PositiveIntegerField(null=True)
    line = models.PositiveIntegerField()
    state = models.CharField(max_length=12)
    seats = models.JSONField()
    entrants = models.JSONField()
    ruled_by = models.JSONField(default=list)
    until = models.CharField(max_length=27, blank=True)
    by = models.CharField(max_length=36, db_index=True)
    at = models.CharField(max_length=27)
    reason = models.TextField(blank=True)
    taken_by = models.CharField(max_length=36, blank=True)
    conflicts = models.JSONField(default=list)
    outcome = models.CharField(max_length=12, blank=True)
    call_id = models.CharField(max_length=36, blank=True)
    ruling_id = models.CharField(max_length=36, blank=True)
    ruled_at = models.CharField(max_length=27, blank=True)
    proposed = models.JSONField(null=True)
    settled_by = models.CharField(max_length=36, blank=True)
    settled_at = models.CharField(max_length=27, blank=True)
    note = models.TextField(blank=True)
    appealed_by = models.CharField(max_length=36, blank=True)
    appealed_at = models.CharField(max_length=27, blank=True)
    appeal_reason = models.TextField(blank=True)
    appeal_outcome = models.CharField(max_length=12, blank=True)

    class Meta:
        db_table = "judging_dispute"
        verbose_name = "dispute"
        indexes: ClassVar = [
            models.Index(fields=["event_id", "state", "at"], name="judging_dispute_queue"),
        ]

    def __str__(self) -> str:
        return f"{self.state} {self.dispute_id}"


class DisputeWindowRow(ReadModel):
    """The window that the organiser of an event chose, in minutes."""

    event_id = models.CharField(max_length=36, primary_key=True)
    minutes = models.PositiveIntegerField()

    class Meta:
        db_table = "judging_dispute_window"
        verbose_name = "window of disputes"
        verbose_name_plural = "windows of disputes"

    def __str__(self) -> str:
        return self.event_id


class PacketRow(ReadModel):
    """The packet of a disqualified entrant. `opened_by` who disqualified; `signed_at`, `sent_at`
    and `undone_at` (the disqualification was taken back) as they stand. What it holds is read
    from its stream."""

    entrant_id = models.CharField(max_length=36, primary_key=True)
    event_id = models.CharField(max_length=36, db_index=True)
    opened_at = models.CharField(max_length=27)
    opened_by = models.CharField(max_length=36)
    rule = models.CharField(max_length=40, blank=True)
    signed_at = models.CharField(max_length=27, blank=True)
    sent_at = models.CharField(max_length=27, blank=True)
    undone_at = models.CharField(max_length=27, blank=True)

    class Meta:
        db_table = "judging_packet"
        verbose_name = "packet of a disqualification"
        verbose_name_plural = "packets of disqualifications"

    def __str__(self) -> str:
        return self.entrant_id
