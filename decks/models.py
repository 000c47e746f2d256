"""Read tables of the decks room."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from eventstore.models import ReadModel


class DeckInForce(ReadModel):
    """The list in force of an entrant: whose, which version, how large; no cards and no names.
    The cards are read from the stream, by those who may (decks.selectors).

    `number` 0: on paper alone so far. `state` as in domain.registration.ListState, `source`
    that of the version in force, `errors` counts its codes. `handed_in_at` is what a deadline
    is held against: when the paper was received, or the player's newest version came."""

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
    state = models.CharField(max_length=12, default="entered")
    source = models.CharField(max_length=6, default="player")
    errors = models.IntegerField(default=0)
    photos = models.IntegerField(default=0)
    received_by = models.CharField(max_length=36, blank=True, default="")
    handed_in_at = models.CharField(max_length=27, blank=True, default="")

    class Meta:
        verbose_name = "deck in force"
        verbose_name_plural = "decks in force"
        ordering: ClassVar = ["-submitted_at", "deck_id"]

    def __str__(self) -> str:
        return f"{self.deck_id} version {self.number}"


class Photo(models.Model):
    """A photo that staff took of what a player handed in or laid out. Reference data, outside
    the log: the log holds its hash. `sealed` is a JPEG under the player's own key, so that it
    ends with the player's erasure; `about` is the deck or the call it belongs to."""

    photo_id = models.CharField(max_length=36, primary_key=True)
    event_id = models.CharField(max_length=36, db_index=True)
    person_id = models.CharField(max_length=36, db_index=True)
    about = models.CharField(max_length=36)
    sha256 = models.CharField(max_length=64)
    sealed = models.BinaryField()
    taken_at = models.CharField(max_length=27)
    taken_by = models.CharField(max_length=36)

    class Meta:
        verbose_name = "photo"
        ordering: ClassVar = ["-taken_at", "photo_id"]

    def __str__(self) -> str:
        return self.photo_id


class PresetVersion(ReadModel):
    """A version of a preset that an organiser made: its data as TOML under `id@version`. The
    `newest` version of each is offered."""

    id = models.CharField(max_length=30, primary_key=True)
    preset_id = models.CharField(max_length=24, db_index=True)
    version = models.PositiveIntegerField()
    title = models.CharField(max_length=80)
    game = models.CharField(max_length=20)
    body = models.TextField()
    preset_hash = models.CharField(max_length=64)
    newest = models.BooleanField(default=True)
    published_at = models.CharField(max_length=27)

    class Meta:
        verbose_name = "deck preset"
        ordering: ClassVar = ["preset_id", "-version"]

    def __str__(self) -> str:
        return f"{self.title} ({self.id})"
