"""The admin of cards and lists of limits: tables to read, and imports as commands.

Nothing is edited here: an import is left to a worker (cards.imports), whose command writes its
event.
"""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.db import models
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from unfold.admin import ModelAdmin
from unfold.decorators import action
from unfold.widgets import UnfoldAdminFileFieldWidget, UnfoldBooleanSwitchWidget

from cards import imports
from cards.domain.banlist import MAX_BYTES as MAX_BANLIST_BYTES
from cards.domain.catalogue import fold
from cards.domain.load import MAX_BYTES as MAX_CARDS_BYTES
from cards.models import Banlist, Card
from eventstore.domain.refusal import Refusal
from eventstore.ids import new_id
from people.access import may, require
from people.guard import guarded
from people.posts import send
from people.web import actor_of


class ReadOnlyAdmin(ModelAdmin):
    """A table that nobody edits."""

    list_max_show_all = 0
    """No link to all rows at once: a log has too many, and the link is too pale."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Nobody adds a row by hand."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody changes a row by hand."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody deletes a row by hand."""
        return False


class ImportForm(forms.Form):
    """A file, and whether only to say what it would change."""

    file = forms.FileField(label=_("File"), widget=UnfoldAdminFileFieldWidget)
    dry_run = forms.BooleanField(
        label=_("Only say what would change"), required=False, widget=UnfoldBooleanSwitchWidget
    )


class ImportAdmin(ReadOnlyAdmin):
    """A table that one import command fills."""

    permission = ""
    title: str | Promise = ""
    hint: str | Promise = ""
    limit = 0

    def has_import_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        """Whether the button is shown; the service asks again."""
        return may(actor_of(request), self.permission)

    def import_page(self, request: HttpRequest, kind: str) -> HttpResponse:
        """Show the form; on POST leave the import to a worker and go to the page of the job."""
        require(actor_of(request), self.permission)
        form = ImportForm(request.POST or None, request.FILES or None)
        refusal: Refusal | None = None
        if request.method == "POST" and form.is_valid():
            file = form.cleaned_data["file"]
            if file.size > self.limit:
                params = {"found": file.size, "allowed": self.limit}
                refusal = Refusal("cards.too_large", params)
            else:
                sent = send(
                    request,
                    "organiser",
                    imports.import_ask,
                    kind=kind,
                    source=file.name,
                    content=file.read(),
                    dry_run=form.cleaned_data["dry_run"],
                )
                refusal = sent.refusal
                if refusal is None:
                    return redirect("portal:job", sent.result)
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": self.title,
            "hint": self.hint,
            "form": form,
            "refusal": refusal,
            "nonce": new_id(),
        }
        status = 200 if request.method != "POST" else 422
        return TemplateResponse(request, "admin/cards/import.html", context, status=status)


@admin.register(Card)
class CardAdmin(ImportAdmin):
    """Every card of the catalogue."""

    list_display = (
        "name",
        "key",
        "kind",
        "subkind",
        "race",
        "attribute",
        "level",
        "atk",
        "defence",
    )
    list_filter = ("kind", "subkind", "attribute")
    search_fields = ("folded", "key")
    search_help_text = _("Part of a name, or an id")
    ordering = ("folded", "key")
    show_full_result_count = False
    actions_list = ("import_cards",)
    permission = "cards.catalogue_import"
    title = _("Import card facts")
    hint = _("cards.csv, cards.csv.gz or a .cdb database. Cards are added or brought up to date.")
    limit = MAX_CARDS_BYTES

    def get_search_results(
        self, request: HttpRequest, queryset: models.QuerySet[Card], search_term: str
    ) -> tuple[models.QuerySet[Card], bool]:
        """Search by the folded name, so that marks and signs do not matter."""
        if not search_term.strip():
            return queryset, False
        wanted = fold(search_term)
        return queryset.filter(models.Q(folded__contains=wanted) | models.Q(key=wanted)), False

    @action(
        description=_("Import card facts"),
        url_path="import",
        icon="upload_file",
        permissions=["import"],
    )
    @guarded("cards.catalogue_import")
    def import_cards(self, request: HttpRequest) -> HttpResponse:
        """Ask for cards.catalogue_import."""
        return self.import_page(request, "catalogue")


@admin.register(Banlist)
class BanlistAdmin(ImportAdmin):
    """Every list of limits. A list never changes: one that was put right is another row."""

    list_display = ("title", "date", "whitelist", "entry_count", "client_hash", "imported_at")
    list_filter = ("whitelist",)
    search_fields = ("title",)
    ordering = ("-date", "title")
    fields = (
        "title",
        "date",
        "whitelist",
        "client_hash",
        "content_hash",
        "source",
        "imported_at",
        "points_name",
        "budget",
        "counted_decks",
        "limits",
        "costs",
    )
    actions_list = ("import_banlist",)
    permission = "cards.banlist_import"
    title = _("Import lists of limits")
    hint = _("A *.lflist.conf file; it may hold several lists.")
    limit = MAX_BANLIST_BYTES

    def get_queryset(self, request: HttpRequest) -> models.QuerySet[Banlist]:
        """Count the entries in the same query."""
        return super().get_queryset(request).annotate(size=models.Count("entries"))

    @admin.display(description=_("Entries"))
    def entry_count(self, banlist: Banlist) -> int:
        """How many ids the list names."""
        return int(getattr(banlist, "size", 0))

    @admin.display(description=_("Limits"))
    def limits(self, banlist: Banlist) -> str:
        """Each id with the copies allowed, and the remark of the list."""
        return "\n".join(
            f"{one.count}  {one.passcode}  {one.remark}"
            for one in banlist.entries.order_by("count", "remark", "passcode")
        )

    @admin.display(description=_("Points"))
    def costs(self, banlist: Banlist) -> str:
        """Each id with what a copy costs, the dearest first."""
        return "\n".join(
            f"{one.points}  {one.passcode}  {one.remark}"
            for one in banlist.costs.order_by("-points", "remark", "passcode")
        )

    @action(
        description=_("Import lists of limits"),
        url_path="import",
        icon="upload_file",
        permissions=["import"],
    )
    @guarded("cards.banlist_import")
    def import_banlist(self, request: HttpRequest) -> HttpResponse:
        """Ask for cards.banlist_import."""
        return self.import_page(request, "banlists")
