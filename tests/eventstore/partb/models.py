"""A read table for tests: what a follower or an asynchronous projection has seen."""

from __future__ import annotations

from django.db import connection, models

from eventstore.models import ReadModel


class Seen(ReadModel):
    """One event that was handed over, and how often."""

    position = models.BigIntegerField(primary_key=True)
    stream = models.CharField(max_length=80)
    times = models.IntegerField(default=1)

    class Meta:
        app_label = "sample"
        db_table = "sample_seen"

    def __str__(self) -> str:
        return f"{self.position} {self.stream}"


def make_table() -> None:
    """Create the table in the database at hand."""
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE TABLE IF NOT EXISTS sample_seen (position bigint NOT NULL PRIMARY KEY,"
            " stream varchar(80) NOT NULL, times integer NOT NULL)"
        )
