"""Tables of the portal: what moved how often, for pages that follow it (read tables); webhooks
and their deliveries (reference tables, changed by portal.webhooks only); what people are told
outside the pages (portal.models_notices)."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from eventstore.models import ReadModel
from portal.models_notices import MailAddress as MailAddress
from portal.models_notices import MailDelivery as MailDelivery
from portal.models_notices import NoticeChoice as NoticeChoice
from portal.models_notices import PushDelivery as PushDelivery
from portal.models_notices import PushSubscription as PushSubscription


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


class Webhook(models.Model):
    """An address that is told of events of some kinds. `secret` is wrapped (people.vault);
    `since`: only what stands later in the log is told. `failures` in a row and `quiet_until`
    hold every delivery back while the address does not answer."""

    id = models.CharField(max_length=36, primary_key=True)
    event_id = models.CharField(max_length=36, db_index=True)
    person_id = models.CharField(max_length=36, db_index=True)
    url = models.CharField(max_length=500)
    kinds = models.JSONField()
    secret = models.BinaryField()
    since = models.BigIntegerField()
    created_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    ended_why = models.CharField(max_length=20, blank=True)
    failures = models.PositiveIntegerField(default=0)
    quiet_until = models.DateTimeField(null=True)

    class Meta:
        db_table = "portal_webhook"
        ordering: ClassVar = ["created_at", "id"]

    def __str__(self) -> str:
        return self.pk


class WebhookDelivery(models.Model):
    """One message to one address: waiting, delivered, dead (given up), dropped (the webhook
    ended). `body` is what is sent, to the byte; `status` and `fault` are those of the last try."""

    id = models.CharField(max_length=36, primary_key=True)
    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    kind = models.CharField(max_length=40)
    body = models.TextField()
    position = models.BigIntegerField(null=True)
    created_at = models.DateTimeField()
    state = models.CharField(max_length=10, default="waiting")
    attempts = models.PositiveSmallIntegerField(default=0)
    tried_at = models.DateTimeField(null=True)
    next_at = models.DateTimeField(null=True)
    status = models.PositiveSmallIntegerField(null=True)
    fault = models.CharField(max_length=20, blank=True)

    class Meta:
        db_table = "portal_webhook_delivery"
        ordering: ClassVar = ["-created_at", "-id"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["webhook", "position"], name="portal_webhook_delivery_once"
            )
        ]

    def __str__(self) -> str:
        return self.pk
