"""The admin of deck lists: who handed in which version, and the presets lists are checked against.
The cards of a list are not shown here: they are hidden information of an event, for its staff and
its player. A preset is changed by a command that makes its next version."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db import models
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _
from unfold.admin import ModelAdmin
from unfold.decorators import action

from decks import preset_services
from decks.domain.preset_data import MAX_BYTES
from decks.models import DeckInForce, PresetVersion
from eventstore.domain.refusal import Refusal
from eventstore.ids import new_id
from people.access import may, require
from people.guard import guarded
from people.models import Person
from people.posts import number_of, send
from people.web import actor_of


class ByCommand(ModelAdmin):
    """A table that commands alone change."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        """A row comes by a command."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """A row is changed by a command."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """A row is never deleted."""
        return False


@admin.register(DeckInForce)
class DeckInForceAdmin(ByCommand):
    """The lists in force, newest first."""

    list_display = ("deck_id", "player", "number", "main", "extra", "side", "state", "locked")
    list_filter = ("state", "source", "preset", "locked")
    search_fields = ("deck_id", "event_id", "entrant_id")
    search_help_text = _("Id of a deck, an event or an entrant")
    ordering = ("-submitted_at",)

    def get_queryset(self, request: HttpRequest) -> models.QuerySet[DeckInForce]:
        """Read the players' names in the same query."""
        named = Person.objects.filter(pk=models.OuterRef("person_id")).values("display_name")
        return super().get_queryset(request).annotate(player_name=models.Subquery(named[:1]))

    @admin.display(description=_("Player"))
    def player(self, deck: DeckInForce) -> str:
        """The name of the player, or a dash when there is none any more."""
        return getattr(deck, "player_name", None) or "–"


NEW_PRESET = """id = "my-format"
title = "My format"
game = "yugioh"

[main]
least = 40
most = 60

[extra]
most = 15

[side]
most = 15

[copies]
most = 3
"""
"""What stands in the form of a new preset: docs/decks.md has every key."""


@admin.register(PresetVersion)
class PresetVersionAdmin(ByCommand):
    """Every version of the presets that organisers made. A version never changes: an edit makes
    the next one."""

    list_display = ("title", "id", "game", "newest", "published_at")
    list_filter = ("newest", "game")
    search_fields = ("title", "id")
    search_help_text = _("Part of the title or of the id")
    ordering = ("title", "preset_id", "-version")
    fields = ("title", "id", "game", "newest", "published_at", "preset_hash", "data")
    actions_list = ("make",)
    actions_detail = ("edit",)

    @admin.display(description=_("Data"))
    def data(self, row: PresetVersion) -> str:
        """The data as TOML."""
        return format_html('<pre class="whitespace-pre-wrap">{}</pre>', row.body)

    def has_publish_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        """Whether the button is shown; the service asks again."""
        return may(actor_of(request), "decks.preset_publish")

    @action(description=_("Make a preset"), url_path="make", icon="add", permissions=["publish"])
    @guarded("decks.preset_publish")
    def make(self, request: HttpRequest) -> HttpResponse:
        """Send decks.preset_publish with the data of a new preset."""
        return self._editor(request, NEW_PRESET, 0)

    @action(
        description=_("Make the next version"),
        url_path="edit",
        icon="edit",
        permissions=["publish"],
    )
    @guarded("decks.preset_publish")
    def edit(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Send decks.preset_publish with this version as it was edited."""
        row = PresetVersion.objects.filter(pk=object_id).first()
        if row is None:
            raise Http404
        return self._editor(request, row.body, row.version)

    def _editor(self, request: HttpRequest, content: str, base: int) -> HttpResponse:
        """Show the data in a form; on POST send the command and tell its outcome."""
        require(actor_of(request), "decks.preset_publish")
        refusal: Refusal | None = None
        if request.method == "POST":
            content = request.POST.get("content", "")[: MAX_BYTES + 1]
            sent = send(
                request,
                "organiser",
                preset_services.preset_publish,
                content=content,
                base=number_of(request, "base"),
            )
            refusal = sent.refusal
            if refusal is None:
                text = (
                    _("Nothing changed: %(id)s.") if sent.result.unchanged else _("Made: %(id)s.")
                )
                messages.success(request, str(text) % {"id": sent.result.id})
                return redirect("admin:decks_presetversion_change", sent.result.id)
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": _("Make the next version") if base else _("Make a preset"),
            "content": content,
            "base": base,
            "refusal": refusal,
            "faults": refusal.params.get("faults", []) if refusal else [],
            "nonce": new_id(),
        }
        status = 200 if refusal is None else 422
        return TemplateResponse(request, "admin/decks/preset.html", context, status=status)
