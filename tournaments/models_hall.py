"""Read tables of the hall: messages from the desk, and how an event prints."""

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

    def __str__(self) -> str:
        return self.pk
