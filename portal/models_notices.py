"""What people are told outside the pages: reference tables, changed by portal.notices,
portal.push and portal.mail only."""

from __future__ import annotations

from typing import ClassVar

from django.db import models


class NoticeChoice(models.Model):
    """What a person does not want to be told: kinds of portal.notices.kinds, by channel."""

    person_id = models.CharField(max_length=36, primary_key=True)
    push_off = models.JSONField(default=list)
    mail_off = models.JSONField(default=list)

    class Meta:
        db_table = "portal_notice_choice"

    def __str__(self) -> str:
        return self.person_id


class PushSubscription(models.Model):
    """A browser that shows messages, as long as the session in which it was added lasts.

    `sealed` is its address and keys, wrapped (people.vault); `digest` of the address, which no two
    have; `service` the host of the push service. `epoch` of the log-in, `factor` given or not;
    or `events`, to which the phone is bound (event id: since), None with a log-in. Only what
    stands later in the log than `since` is told. `refused` messages in a row.
    """

    id = models.CharField(max_length=36, primary_key=True)
    person_id = models.CharField(max_length=36, db_index=True)
    digest = models.CharField(max_length=64, unique=True)
    service = models.CharField(max_length=260)
    sealed = models.BinaryField()
    language = models.CharField(max_length=5)
    events = models.JSONField(null=True)
    epoch = models.PositiveIntegerField(default=0)
    factor = models.BooleanField(default=False)
    begun_at = models.DateTimeField()
    since = models.BigIntegerField()
    created_at = models.DateTimeField()
    told_at = models.DateTimeField(null=True)
    refused = models.PositiveSmallIntegerField(default=0)

    class Meta:
        db_table = "portal_push"
        ordering: ClassVar = ["created_at", "id"]

    def __str__(self) -> str:
        return self.pk


class PushDelivery(models.Model):
    """A message on its way to one browser; it goes once it is taken, given up or too old.

    `kind`, `event_id`, `subject` and `number` say what it is about; its words are made when it is
    sent. `batch` are those of one event of the log. A newer one of the same `topic` takes its
    place. `next_at`: not tried before."""

    id = models.CharField(max_length=36, primary_key=True)
    subscription = models.ForeignKey(
        PushSubscription, on_delete=models.CASCADE, related_name="deliveries"
    )
    batch = models.CharField(max_length=36, db_index=True)
    kind = models.CharField(max_length=20)
    event_id = models.CharField(max_length=36, blank=True)
    subject = models.CharField(max_length=36, blank=True)
    number = models.IntegerField(default=0)
    topic = models.CharField(max_length=60)
    position = models.BigIntegerField(null=True)
    created_at = models.DateTimeField()
    attempts = models.PositiveSmallIntegerField(default=0)
    next_at = models.DateTimeField()

    class Meta:
        db_table = "portal_push_delivery"
        ordering: ClassVar = ["created_at", "id"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["subscription", "position"], name="portal_push_delivery_once"
            )
        ]

    def __str__(self) -> str:
        return self.pk


class MailAddress(models.Model):
    """A person's mail address. `sealed` is the address, wrapped (people.vault), `digest` that of
    it in lower case. Nothing but the question whether it is theirs is sent before `confirmed_at`;
    `asked` times on the day `asked_on`. Only what stands later in the log than `since` is told."""

    person_id = models.CharField(max_length=36, primary_key=True)
    sealed = models.BinaryField()
    digest = models.CharField(max_length=64, db_index=True)
    language = models.CharField(max_length=5)
    confirmed_at = models.DateTimeField(null=True)
    since = models.BigIntegerField(default=0)
    asked = models.PositiveSmallIntegerField(default=0)
    asked_on = models.DateField()

    class Meta:
        db_table = "portal_mail_address"
        verbose_name_plural = "mail addresses"

    def __str__(self) -> str:
        return self.person_id


class MailDelivery(models.Model):
    """A mail on its way; it goes once the mail server has it, or it is given up. `kind` is one of
    portal.notices.kinds, or confirm. Its words are made when it is sent."""

    id = models.CharField(max_length=36, primary_key=True)
    address = models.ForeignKey(MailAddress, on_delete=models.CASCADE, related_name="deliveries")
    kind = models.CharField(max_length=20)
    event_id = models.CharField(max_length=36, blank=True)
    subject = models.CharField(max_length=36, blank=True)
    number = models.IntegerField(default=0)
    position = models.BigIntegerField(null=True)
    created_at = models.DateTimeField()
    attempts = models.PositiveSmallIntegerField(default=0)
    next_at = models.DateTimeField()

    class Meta:
        db_table = "portal_mail_delivery"
        verbose_name_plural = "mail deliveries"
        ordering: ClassVar = ["created_at", "id"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["address", "position"], name="portal_mail_delivery_once"
            )
        ]

    def __str__(self) -> str:
        return self.pk
