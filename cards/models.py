"""Reference tables of cards and lists of limits. They change only through cards.services."""

from __future__ import annotations

from typing import ClassVar

from django.db import models


class Card(models.Model):
    """One printed card, or one art of it with its own id: the stored form of CardFacts."""

    key = models.CharField(max_length=20, primary_key=True)
    passcode = models.BigIntegerField(null=True, db_index=True)
    konami_id = models.BigIntegerField(null=True)
    name = models.CharField(max_length=200)
    folded = models.CharField(max_length=400, db_index=True)
    kind = models.CharField(max_length=10)
    subkind = models.CharField(max_length=30)
    traits = models.JSONField(default=list)
    attribute = models.CharField(max_length=30, blank=True)
    race = models.CharField(max_length=60, blank=True)
    level = models.SmallIntegerField(null=True)
    rank = models.SmallIntegerField(null=True)
    link = models.SmallIntegerField(null=True)
    scale = models.SmallIntegerField(null=True)
    atk = models.IntegerField(null=True)
    defence = models.IntegerField(null=True)
    has_stats = models.BooleanField(default=False)
    alias = models.BigIntegerField(default=0)

    class Meta:
        ordering: ClassVar = ["folded", "key"]

    def __str__(self) -> str:
        return self.name


class CardName(models.Model):
    """What a card is called in a language other than English."""

    card_key = models.CharField(max_length=20)
    language = models.CharField(max_length=5)
    name = models.CharField(max_length=200)

    class Meta:
        ordering: ClassVar = ["card_key", "language"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["card_key", "language"], name="cards_cardname_once")
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.language})"


class CatalogueState(models.Model):
    """The one row that says what the table of cards now holds, so that every process knows
    whether its catalogue in memory is the newest."""

    id = models.SmallIntegerField(primary_key=True, default=1)
    hash = models.CharField(max_length=64)
    names_hash = models.CharField(max_length=64, blank=True, default="")
    cards = models.IntegerField()
    source = models.CharField(max_length=200)
    imported_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.cards} cards, {self.hash[:12]}"


class Banlist(models.Model):
    """One list of limits. The id comes from its content, so a row never changes: a list that
    was put right is another row, and an event goes on with the one it froze. `budget` is what a
    deck may cost, null for a list without points; `counted_decks` the decks that are counted."""

    id = models.CharField(max_length=36, primary_key=True)
    title = models.CharField(max_length=200)
    date = models.CharField(max_length=10, blank=True)
    whitelist = models.BooleanField()
    content_hash = models.CharField(max_length=64, unique=True)
    client_hash = models.CharField(max_length=8)
    points_name = models.CharField(max_length=40, blank=True, default="")
    budget = models.IntegerField(null=True)
    counted_decks = models.CharField(max_length=15, blank=True, default="")
    source = models.CharField(max_length=200)
    imported_at = models.DateTimeField()

    class Meta:
        ordering: ClassVar = ["-date", "title", "id"]

    def __str__(self) -> str:
        return self.title


class BanlistEntry(models.Model):
    """Copies that a list allows of one id; below 0 means never legal."""

    banlist = models.ForeignKey(Banlist, on_delete=models.CASCADE, related_name="entries")
    passcode = models.BigIntegerField()
    count = models.SmallIntegerField()
    remark = models.CharField(max_length=200, blank=True)

    class Meta:
        ordering: ClassVar = ["passcode"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["banlist", "passcode"], name="cards_banlistentry_once")
        ]

    def __str__(self) -> str:
        return f"{self.passcode}: {self.count}"


class BanlistCost(models.Model):
    """What a copy of one id costs under a list with points."""

    banlist = models.ForeignKey(Banlist, on_delete=models.CASCADE, related_name="costs")
    passcode = models.BigIntegerField()
    points = models.IntegerField()
    remark = models.CharField(max_length=200, blank=True)

    class Meta:
        ordering: ClassVar = ["passcode"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["banlist", "passcode"], name="cards_banlistcost_once")
        ]

    def __str__(self) -> str:
        return f"{self.passcode}: {self.points}"
