"""Read tables of the decks room."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from eventstore.models import ReadModel


class DeckInForce(ReadModel):
    """The list in force of an entrant: whose, which version, how large; no cards and no names.
    The cards are read from the stream, by those who may (decks.selectors)."""

    deck_id = models.CharField(max_length=36, primary_key=True)
    event_id = models.CharField(max_length=36, db_index=True)
    entrant_id = models.CharField(max_length=36, db_index=True)
    person_id = models.CharField(max_length=36)
    number = models.IntegerField()
    main = models.IntegerField()
    extra = models.IntegerField()
    side = models.IntegerField()
    deck_hash = models.CharField(max_length=64)
    preset = models.CharField(max_length=40)
    banlist_id = models.CharField(max_length=36, blank=True)
    catalogue_hash = models.CharField(max_length=64)
    warnings = models.IntegerField()
    locked = models.BooleanField(default=False)
    submitted_at = models.CharField(max_length=27)

    class Meta:
        verbose_name = "deck in force"
        verbose_name_plural = "decks in force"
        ordering: ClassVar = ["-submitted_at", "deck_id"]

    def __str__(self) -> str:
        return f"{self.deck_id} version {self.number}"
