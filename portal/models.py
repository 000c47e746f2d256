"""Read tables of the portal: what moved how often, for pages that follow it."""

from __future__ import annotations

from django.db import models

from eventstore.models import ReadModel


class LiveTopic(ReadModel):
    """How often a topic moved. `position` of the log stays in the house: it would tell how much
    else has happened; `moves` of a topic counts only what the topic's followers may see."""

    topic = models.CharField(max_length=90, primary_key=True)
    moves = models.BigIntegerField()
    position = models.BigIntegerField(db_index=True)

    class Meta:
        db_table = "portal_live_topic"

    def __str__(self) -> str:
        return f"{self.topic} {self.moves}"


class LiveSubject(ReadModel):
    """What later events of a stream do not say themselves: the event they belong to and whose
    they are. `key` is event:, entrant:, match: or call: with an id. `shown`: an event that is
    no draft any more; a match that everybody sees being played."""

    key = models.CharField(max_length=45, primary_key=True)
    event_id = models.CharField(max_length=36)
    persons = models.JSONField(default=list)
    shown = models.BooleanField(default=False)

    class Meta:
        db_table = "portal_live_subject"

    def __str__(self) -> str:
        return self.key
