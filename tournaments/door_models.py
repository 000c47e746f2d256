"""Read tables of the door, and the reference table of suspended ids.

People and entrants stand in them by id only. Times are UTC text, empty text: none. Amounts are
whole minor units.
"""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from eventstore.models import ReadModel


class DoorRow(ReadModel):
    """The policy of the door of an event (domain.door_events); one without a row has the
    defaults. `started_with` players: when it started; 0 before."""

    event_id = models.CharField(max_length=36, primary_key=True)
    policy = models.JSONField(default=dict)
    started_with = models.PositiveIntegerField(default=0)

    class Meta:
        db_table = "tournaments_door"
        verbose_name = "door"

    def __str__(self) -> str:
        return self.event_id


class WaitingRow(ReadModel):
    """A place on the waiting list. `state` waiting, offered (until `until`), or how it ended:
    taken, declined, expired, left."""

    key = models.CharField(max_length=80, primary_key=True)
    event_id = models.CharField(max_length=36)
    entrant_id = models.CharField(max_length=36)
    place = models.PositiveIntegerField()
    persons = models.JSONField()
    person_id = models.CharField(max_length=36)
    by_staff = models.BooleanField()
    state = models.CharField(max_length=8, default="waiting")
    until = models.CharField(max_length=27, blank=True)
    at = models.CharField(max_length=27)

    class Meta:
        db_table = "tournaments_waiting"
        verbose_name = "place on the waiting list"
        verbose_name_plural = "places on waiting lists"
        ordering: ClassVar = ["event_id", "place"]
        indexes: ClassVar = [
            models.Index(fields=["event_id", "place"], name="tournaments_waiting_place"),
            models.Index(fields=["person_id", "event_id"], name="tournaments_waiting_person"),
        ]

    def __str__(self) -> str:
        return f"{self.place}. {self.state}"


class FeeRow(ReadModel):
    """A movement of money at a desk, by whom and when. `kind` paid, comped, refunded; `amount`
    is below zero for money given back. `note` is sealed text."""

    position = models.BigIntegerField(primary_key=True)
    event_id = models.CharField(max_length=36)
    entrant_id = models.CharField(max_length=36)
    kind = models.CharField(max_length=8)
    amount = models.BigIntegerField()
    currency = models.CharField(max_length=3)
    method = models.CharField(max_length=8, blank=True)
    by = models.CharField(max_length=36)
    at = models.CharField(max_length=27)
    note = models.TextField(blank=True)

    class Meta:
        db_table = "tournaments_fee"
        verbose_name = "movement of the entry fee"
        verbose_name_plural = "movements of the entry fee"
        ordering: ClassVar = ["event_id", "position"]
        indexes: ClassVar = [
            models.Index(fields=["event_id", "entrant_id"], name="tournaments_fee_entrant")
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.amount} {self.currency}"


class DoorEntrantRow(ReadModel):
    """What the door knows of an entrant: money paid less money given back, whether it is let in
    free, what staff have seen of its eligibility, into which entrant it was merged."""

    entrant_id = models.CharField(max_length=36, primary_key=True)
    event_id = models.CharField(max_length=36, db_index=True)
    paid = models.BigIntegerField(default=0)
    comped = models.BooleanField(default=False)
    seen = models.CharField(max_length=16, blank=True)
    merged_into = models.CharField(max_length=36, blank=True)

    class Meta:
        db_table = "tournaments_door_entrant"
        verbose_name = "entrant at the door"
        verbose_name_plural = "entrants at the door"

    def __str__(self) -> str:
        return self.entrant_id


class NoticeRow(ReadModel):
    """Which version of the privacy notice of an event a person accepted, and when."""

    key = models.CharField(max_length=80, primary_key=True)
    event_id = models.CharField(max_length=36, db_index=True)
    person_id = models.CharField(max_length=36)
    version = models.CharField(max_length=20)
    at = models.CharField(max_length=27)

    class Meta:
        db_table = "tournaments_notice"
        verbose_name = "accepted privacy notice"

    def __str__(self) -> str:
        return self.version


class Suspension(models.Model):
    """A suspended Card Game ID, to the end of the day `until` (UTC). The reason is sealed under
    the key of whoever imported it. Reference data: the truth is here, changed by one service."""

    card_game_id = models.CharField(max_length=10, primary_key=True)
    until = models.DateField()
    reason = models.TextField(blank=True)
    author = models.CharField(max_length=36)

    class Meta:
        db_table = "tournaments_suspension"
        ordering: ClassVar = ["card_game_id"]

    def __str__(self) -> str:
        return self.card_game_id
