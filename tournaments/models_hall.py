"""Read tables of the hall: messages from the desk, how an event prints, outages of the server."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from eventstore.models import ReadModel


class MessageRow(ReadModel):
    """A message from the desk. `text` is sealed under its author's key; `persons` are those who
    are meant by tables. It stands until `until`, or until `withdrawn_at`."""

    id = models.CharField(max_length=36, primary_key=True)
    event_id = models.CharField(max_length=36)
    author = models.CharField(max_length=36)
    audience = models.CharField(max_length=8)
    text = models.TextField()
    round = models.PositiveSmallIntegerField()
    first = models.PositiveIntegerField(null=True)
    last = models.PositiveIntegerField(null=True)
    persons = models.JSONField(default=list)
    posted_at = models.CharField(max_length=27)
    until = models.CharField(max_length=27)
    withdrawn_at = models.CharField(max_length=27, blank=True)

    class Meta:
        db_table = "tournaments_message"
        verbose_name = "message"
        ordering: ClassVar = ["-posted_at", "id"]
        indexes: ClassVar = [
            models.Index(fields=["event_id", "until"], name="tournaments_message_event")
        ]

    def __str__(self) -> str:
        return self.pk


class PaperRow(ReadModel):
    """How an event prints: the fields of `tournaments.events.PaperChoice`."""

    event_id = models.CharField(max_length=36, primary_key=True)
    paper = models.CharField(max_length=8)
    language = models.CharField(max_length=8, blank=True)
    per_page = models.PositiveSmallIntegerField()
    ids = models.CharField(max_length=12)
    large = models.BooleanField()

    class Meta:
        db_table = "tournaments_paper"
        verbose_name = "paper of an event"
        verbose_name_plural = "papers of events"

    def __str__(self) -> str:
        return self.pk


class OutageRow(ReadModel):
    """The server was away from `since` to `until`; `seconds` is the true length, None where its
    clock cannot say. `round` was on (0: none), `ran`: with its clock; `copy`: the log is a copy.
    While `settled_at` is empty the desk has not decided; then `given_s` went to the matches
    `tables` (empty: all), and the round's clock was moved by `by_s`."""

    id = models.CharField(max_length=36, primary_key=True)
    event_id = models.CharField(max_length=36)
    round = models.PositiveSmallIntegerField()
    since = models.CharField(max_length=27)
    until = models.CharField(max_length=27)
    seconds = models.BigIntegerField(null=True)
    ran = models.BooleanField()
    copy = models.BooleanField()
    length_s = models.PositiveIntegerField(default=0)
    given_s = models.PositiveIntegerField(default=0)
    by_s = models.BigIntegerField(default=0)
    tables = models.JSONField(default=list)
    settled_by = models.CharField(max_length=36, blank=True)
    settled_at = models.CharField(max_length=27, blank=True)

    class Meta:
        db_table = "tournaments_outage"
        verbose_name = "outage of the server"
        verbose_name_plural = "outages of the server"
        ordering: ClassVar = ["event_id", "since"]
        indexes: ClassVar = [
            models.Index(fields=["event_id", "since"], name="tournaments_outage_event")
        ]

    def __str__(self) -> str:
        return f"{self.since} {self.until}"
