"""What was said about results, and losses that wait, in the admin: read only."""

from __future__ import annotations

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from tournaments.admin import ReadOnly
from tournaments.models import EntryRow, LossRow


@admin.register(EntryRow)
class EntryAdmin(ReadOnly):
    """Every statement about a result in order, with the line of its slip."""

    list_display = ("at", "round", "kind", "line", "winner", "reason", "source", "event_id")
    list_filter = ("kind", "round")
    search_fields = ("event_id", "match_id", "author")
    search_help_text = _("Id of an event, a match or a person")


@admin.register(LossRow)
class LossAdmin(ReadOnly):
    """Losses given for next matches: those that wait, fell, or were taken back."""

    list_display = ("at", "round", "kind", "infraction", "state", "carried_round", "event_id")
    list_filter = ("state", "kind")
    search_fields = ("event_id", "entrant_id")
    search_help_text = _("Id of an event or an entrant")
    exclude = ("note",)
