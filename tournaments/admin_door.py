"""The admin of the door: waiting lists, movements of money, suspended ids. To be read; the acts
are at the door of each event and on the page of suspended ids."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db import models
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from tournaments.admin import ReadOnly, name_of, word_of
from tournaments.models import FeeRow, Suspension, WaitingRow


@admin.register(WaitingRow)
class WaitingAdmin(ReadOnly):
    """Places on the waiting lists of all events, those that ended too."""

    list_display = ("place", "state_word", "until", "by_staff", "event_id")
    list_filter = ("state",)
    search_fields = ("event_id", "entrant_id", "person_id")
    search_help_text = _("Id of an event, an entrant or a person")

    @admin.display(description=_("State"), ordering="state")
    def state_word(self, row: WaitingRow) -> str:
        """The state in words."""
        return word_of("waiting", row.state)


@admin.register(FeeRow)
class FeeAdmin(ReadOnly):
    """Every movement of an entry fee, in minor units."""

    list_display = ("at", "person", "kind_word", "amount", "currency", "method_word", "event_id")
    list_filter = ("kind", "method", "currency")
    search_fields = ("event_id", "entrant_id", "by")
    search_help_text = _("Id of an event, an entrant or a desk user")
    exclude = ("note",)

    def get_queryset(self, request: HttpRequest) -> models.QuerySet[Any]:
        """Read the names in the same query."""
        return super().get_queryset(request).annotate(person_name=name_of("entrant_id"))

    @admin.display(description=_("Name"))
    def person(self, row: Any) -> str:
        """The name of the player."""
        return str(row.person_name or "–")

    @admin.display(description=_("What"), ordering="kind")
    def kind_word(self, row: FeeRow) -> str:
        """The kind in words."""
        return word_of("fee_kind", row.kind)

    @admin.display(description=_("How"), ordering="method")
    def method_word(self, row: FeeRow) -> str:
        """The way to pay in words."""
        return word_of("fee_method", row.method)


@admin.register(Suspension)
class SuspensionAdmin(ReadOnly):
    """Suspended Card Game IDs; the reasons are sealed and stand on the page of the list."""

    list_display = ("card_game_id", "until")
    search_fields = ("card_game_id",)
    search_help_text = _("Card Game ID")
    fields = ("card_game_id", "until")

    def get_queryset(self, request: HttpRequest) -> models.QuerySet[Any]:
        """The list belongs to no event; the admin is the site's organiser's alone."""
        return Suspension.objects.all()
