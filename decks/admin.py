"""The admin of deck lists: who handed in which version. The cards of a list are not shown
here: they are hidden information of an event, for its staff and its player."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db import models
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.admin import ModelAdmin

from decks.models import DeckInForce
from people.models import Person


@admin.register(DeckInForce)
class DeckInForceAdmin(ModelAdmin):
    """The lists in force, newest first."""

    list_display = ("deck_id", "player", "number", "main", "extra", "side", "preset", "locked")
    list_filter = ("preset", "locked")
    search_fields = ("deck_id", "event_id", "entrant_id")
    search_help_text = _("Id of a deck, an event or an entrant")
    ordering = ("-submitted_at",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """A list is handed in by a command."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """A list is changed by a command."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """A list is never deleted."""
        return False

    def get_queryset(self, request: HttpRequest) -> models.QuerySet[DeckInForce]:
        """Read the players' names in the same query."""
        named = Person.objects.filter(pk=models.OuterRef("person_id")).values("display_name")
        return super().get_queryset(request).annotate(player_name=models.Subquery(named[:1]))

    @admin.display(description=_("Player"))
    def player(self, deck: DeckInForce) -> str:
        """The name of the player, or a dash when there is none any more."""
        return getattr(deck, "player_name", None) or "–"
