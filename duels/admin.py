"""The admin of duels: what is public of each, to look at. A duel is changed by commands."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.admin import ModelAdmin

from duels.models import DuelRow


@admin.register(DuelRow)
class DuelRowAdmin(ModelAdmin):
    """The duels, newest first."""

    list_display = (
        "duel_id",
        "number",
        "turn",
        "phase",
        "lp_p1",
        "lp_p2",
        "events",
        "rewinds",
        "infractions",
        "winner",
        "ended_by",
    )
    list_filter = ("game", "mode", "fidelity", "winner", "ended_how")
    search_fields = ("duel_id", "event_id", "match_id")
    search_help_text = _("Id of a duel, an event or a match")
    ordering = ("-opened_at",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """A duel is opened by a command."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """A duel is changed by commands."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """A duel is never deleted."""
        return False
