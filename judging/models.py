"""Read tables of judging: calls, who plays at their tables, rulings. Codes and ids only."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from eventstore.models import ReadModel
from judging.models_after import DisputeRow as DisputeRow
from judging.models_after import DisputeWindowRow as DisputeWindowRow
from judging.models_after import PacketRow as PacketRow


class CallRow(ReadModel):
    """One call as it stands. `open` marks those that still need somebody; `pending` counts
    penalties that wait for the head judge, after the call is over too."""

    call_id = models.CharField(max_length=36, primary_key=True)
    event_id = models.CharField(max_length=36)
    match_id = models.CharField(max_length=36, db_index=True)
    round = models.PositiveSmallIntegerField()
    table = models.PositiveIntegerField(null=True)
    kind = models.CharField(max_length=20)
    category = models.CharField(max_length=20)
    state = models.CharField(max_length=12)
    open = models.BooleanField(default=True)
    pending = models.PositiveSmallIntegerField(default=0)
    head_judge_wanted = models.BooleanField(default=False)
    languages = models.JSONField(default=list)
    seats = models.JSONField(default=list)
    entrants = models.JSONField(default=list)
    pack = models.CharField(max_length=40)
    pack_version = models.CharField(max_length=20)
    raised_by = models.CharField(max_length=36)
    raised_at = models.CharField(max_length=27)
    queue = models.CharField(max_length=12, default="raised")
    claimed_by = models.CharField(max_length=36, blank=True)
    claimed_at = models.CharField(max_length=27, blank=True)
    arrived_at = models.CharField(max_length=27, blank=True)
    ruled_at = models.CharField(max_length=27, blank=True)
    appealed_at = models.CharField(max_length=27, blank=True)
    closed_at = models.CharField(max_length=27, blank=True)
    table_end = models.CharField(max_length=27, blank=True)
    accepted = models.JSONField(default=list)
    joined = models.PositiveSmallIntegerField(default=0)
    merged_into = models.CharField(max_length=36, blank=True)
    took_s = models.PositiveIntegerField(default=0)
    computed_s = models.PositiveIntegerField(default=0)
    extension_s = models.PositiveIntegerField(default=0)
    extension_why = models.CharField(max_length=20, blank=True)

    class Meta:
        db_table = "judging_call"
        verbose_name = "call"
        indexes: ClassVar = [
            models.Index(fields=["event_id", "open", "raised_at"], name="judging_call_queue"),
        ]

    def __str__(self) -> str:
        return f"{self.state} {self.call_id}"


class CallPersonRow(ReadModel):
    """A player at the table of a call: how a player finds the calls of the own table."""

    key = models.CharField(max_length=80, primary_key=True)
    call_id = models.CharField(max_length=36, db_index=True)
    person_id = models.CharField(max_length=36)
    event_id = models.CharField(max_length=36)
    seat = models.CharField(max_length=2)

    class Meta:
        db_table = "judging_call_person"
        indexes: ClassVar = [
            models.Index(fields=["person_id", "event_id"], name="judging_call_mine"),
        ]

    def __str__(self) -> str:
        return self.key


class RulingRow(ReadModel):
    """One ruling: code and parameters. `note`, `facts_agreed` and `facts_disputed` are sealed
    texts of `by`; `outcome` is what an appeal made of it."""

    ruling_id = models.CharField(max_length=36, primary_key=True)
    call_id = models.CharField(max_length=36, db_index=True)
    event_id = models.CharField(max_length=36)
    match_id = models.CharField(max_length=36)
    round = models.PositiveSmallIntegerField()
    table = models.PositiveIntegerField(null=True)
    by = models.CharField(max_length=36)
    at = models.CharField(max_length=27)
    final = models.BooleanField(default=False)
    rule_id = models.CharField(max_length=40, blank=True)
    infraction = models.CharField(max_length=40, blank=True)
    infraction_kind = models.CharField(max_length=40, blank=True)
    remedy = models.CharField(max_length=20)
    penalty = models.CharField(max_length=20, blank=True)
    target = models.CharField(max_length=30, blank=True)
    target_entrant = models.CharField(max_length=36, blank=True)
    duel_id = models.CharField(max_length=36, blank=True)
    rewind_to = models.PositiveIntegerField(null=True)
    approval = models.CharField(max_length=12)
    decided_by = models.CharField(max_length=36, blank=True)
    in_force = models.BooleanField(default=False)
    pack = models.CharField(max_length=40)
    pack_version = models.CharField(max_length=20)
    cites = models.JSONField(default=list)
    self_reported = models.BooleanField(default=False)
    replaces = models.CharField(max_length=36, blank=True)
    outcome = models.CharField(max_length=12, blank=True)
    note = models.TextField(blank=True)
    facts_agreed = models.TextField(blank=True)
    facts_disputed = models.TextField(blank=True)

    class Meta:
        db_table = "judging_ruling"
        verbose_name = "ruling"
        indexes: ClassVar = [
            models.Index(fields=["event_id", "at"], name="judging_ruling_event"),
            models.Index(
                fields=["event_id", "target_entrant", "infraction"], name="judging_ruling_repeat"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.infraction or self.rule_id or self.remedy} {self.ruling_id}"


class TableJudgeRow(ReadModel):
    """The judge who looks after a table."""

    match_id = models.CharField(max_length=36, primary_key=True)
    event_id = models.CharField(max_length=36, db_index=True)
    judge = models.CharField(max_length=36)
    at = models.CharField(max_length=27)

    class Meta:
        db_table = "judging_table_judge"
        verbose_name = "judge of a table"
        verbose_name_plural = "judges of tables"

    def __str__(self) -> str:
        return self.match_id


class PrecedentRow(ReadModel):
    """A mark on a ruling: `leading` or `do_not_follow`, and who set it."""

    ruling_id = models.CharField(max_length=36, primary_key=True)
    event_id = models.CharField(max_length=36)
    mark = models.CharField(max_length=16)
    by = models.CharField(max_length=36)

    class Meta:
        db_table = "judging_precedent"
        verbose_name = "marked ruling"

    def __str__(self) -> str:
        return f"{self.mark} {self.ruling_id}"


class PackRow(ReadModel):
    """A version of the own policy pack of an event, `ref` as in `own-0123456789ab@1`."""

    ref = models.CharField(max_length=40, primary_key=True)
    event_id = models.CharField(max_length=36, db_index=True)
    number = models.PositiveSmallIntegerField()
    based_on = models.CharField(max_length=40)
    content = models.TextField()
    hash = models.CharField(max_length=64)
    by = models.CharField(max_length=36)
    at = models.CharField(max_length=27)

    class Meta:
        db_table = "judging_pack"
        verbose_name = "policy pack"

    def __str__(self) -> str:
        return self.ref


class EventPackRow(ReadModel):
    """What the organiser of an event said about its pack: `ref` that was chosen (empty: none),
    and by path the values confirmed, as [canonical JSON, person, moment]."""

    event_id = models.CharField(max_length=36, primary_key=True)
    ref = models.CharField(max_length=40, blank=True)
    hash = models.CharField(max_length=64, blank=True)
    confirmed = models.JSONField(default=dict)

    class Meta:
        db_table = "judging_event_pack"
        verbose_name = "policy of an event"
        verbose_name_plural = "policies of events"

    def __str__(self) -> str:
        return self.event_id


class StatementRow(ReadModel):
    """A statement asked of a person in a call: that it was asked for, that it is in, that it can
    be read. Its text stands in the log alone, sealed."""

    key = models.CharField(max_length=80, primary_key=True)
    call_id = models.CharField(max_length=36, db_index=True)
    event_id = models.CharField(max_length=36)
    person_id = models.CharField(max_length=36)
    asked_at = models.CharField(max_length=27)
    given_at = models.CharField(max_length=27, blank=True)
    dictated = models.BooleanField(default=False)
    opened_at = models.CharField(max_length=27, blank=True)

    class Meta:
        db_table = "judging_statement"
        verbose_name = "statement"
        ordering: ClassVar = ["asked_at", "key"]
        indexes: ClassVar = [
            models.Index(fields=["person_id", "event_id"], name="judging_statement_mine"),
        ]

    def __str__(self) -> str:
        return self.key
