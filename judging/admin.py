"""The admin of calls and rulings: tables to read, and buttons that send commands.

Only the events in which the viewer is a judge or the organiser are listed: the permission table
holds in /admin as everywhere. Sealed texts are not shown here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.db import models
from django.http import HttpRequest, HttpResponse
from django.template import engines
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from unfold.admin import ModelAdmin
from unfold.decorators import action
from unfold.forms import BaseDialogForm

from judging import services, wording
from judging.domain.words import Approval, Status
from judging.models import CallRow, RulingRow
from people.access import may
from people.domain.permissions import Subject
from people.guard import guarded
from people.posts import send
from people.web import actor_of


def _readable(request: HttpRequest) -> list[str]:
    """Ids of the events whose calls the viewer may read."""
    actor = actor_of(request)
    return [
        event_id
        for event_id in actor.event_roles
        if may(actor, "judging.queue_read", Subject(event_id=event_id, public=False))
    ]


def _dialog(title: Promise, description: Promise) -> dict[str, Any]:
    """A dialog that asks once more: a command is posted, never a link that is followed."""
    return {
        "title": title,
        "description": description,
        "form_class": BaseDialogForm,
        "form_submit_text": title,
    }


class JudgingAdmin(ModelAdmin):
    """A table of judging that nobody edits, cut to the viewer's own events."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Nobody adds a row by hand."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody changes a row by hand."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody deletes a row by hand."""
        return False

    def get_queryset(self, request: HttpRequest) -> models.QuerySet[Any]:
        """Leave out the events in which the viewer is no judge."""
        return super().get_queryset(request).filter(event_id__in=_readable(request))

    def _send(
        self,
        request: HttpRequest,
        done: Promise,
        back: str,
        service: Callable[..., Any],
        **values: Any,
    ) -> HttpResponse:
        sent = send(request, "judge", service, **values)
        if sent.refusal is None:
            messages.success(request, str(done))
        else:
            page = engines["django"].from_string("{% load hj %}{{ refusal|refusal_text }}")
            messages.error(request, page.render({"refusal": sent.refusal}))
        return HttpResponse(headers={"HX-Redirect": back, "Refresh": f"0; url={back}"})


@admin.register(CallRow)
class CallAdmin(JudgingAdmin):
    """Calls, newest first."""

    list_display = ("raised_at", "round", "table", "kind_word", "state_word", "extension_s")
    list_filter = ("open", "state", "kind")
    search_fields = ("call_id", "match_id", "event_id")
    search_help_text = _("Id of a call, a match or an event")
    ordering = ("-raised_at",)
    actions_detail = ("claim", "close")

    @admin.display(description=_("Kind"), ordering="kind")
    def kind_word(self, call: CallRow) -> str:
        """The kind in words."""
        return wording.word(wording.KINDS, call.kind)

    @admin.display(description=_("State"), ordering="state")
    def state_word(self, call: CallRow) -> str:
        """The state in words."""
        return wording.word(wording.STATES, call.state)

    def _back(self, call_id: str) -> str:
        return reverse("admin:judging_callrow_change", args=[call_id])

    def has_claim_permission(self, request: HttpRequest, object_id: str = "") -> bool:
        """Whether the button is worth showing: the call waits in a queue."""
        waiting = (Status.RAISED, Status.APPEALED, Status.ESCALATED)
        return self._is_in(request, object_id, [one.value for one in waiting])

    def has_close_permission(self, request: HttpRequest, object_id: str = "") -> bool:
        """Whether the button is worth showing: the call is ruled."""
        return self._is_in(request, object_id, [Status.RULED.value, Status.HJ_RULED.value])

    def _is_in(self, request: HttpRequest, object_id: str, states: list[str]) -> bool:
        return self.get_queryset(request).filter(pk=object_id, state__in=states).exists()

    @guarded("judging.call_take")
    @action(
        description=_("Claim"),
        url_path="claim",
        icon="pan_tool",
        permissions=["claim"],
        dialog=_dialog(_("Claim"), _("You go to the table; other judges see that you do.")),
    )
    def claim(self, request: HttpRequest, form: BaseDialogForm, object_id: str) -> HttpResponse:
        """Send judging.call_claim."""
        done = _("The call is yours.")
        return self._send(
            request, done, self._back(object_id), services.call_claim, call_id=object_id
        )

    @guarded("judging.ruling_make")
    @action(
        description=_("Close"),
        url_path="close",
        icon="done_all",
        permissions=["close"],
        dialog=_dialog(_("Close"), _("Play goes on; after this nobody can appeal.")),
    )
    def close(self, request: HttpRequest, form: BaseDialogForm, object_id: str) -> HttpResponse:
        """Send judging.call_close."""
        done = _("The call is closed.")
        return self._send(
            request, done, self._back(object_id), services.call_close, call_id=object_id
        )


@admin.register(RulingRow)
class RulingAdmin(JudgingAdmin):
    """Rulings, newest first."""

    list_display = (
        "at",
        "round",
        "table",
        "rule_id",
        "infraction",
        "penalty_word",
        "approval_word",
        "in_force",
    )
    list_filter = ("approval", "in_force", "penalty", "infraction")
    search_fields = ("ruling_id", "call_id", "event_id", "rule_id", "infraction")
    search_help_text = _("Id, rule or infraction")
    ordering = ("-at",)
    exclude = ("note", "facts_agreed", "facts_disputed")
    actions_detail = ("approve",)

    @admin.display(description=_("Penalty"), ordering="penalty")
    def penalty_word(self, ruling: RulingRow) -> str:
        """The penalty in words."""
        return wording.word(wording.PENALTIES, ruling.penalty) if ruling.penalty else "–"

    @admin.display(description=_("Approval"), ordering="approval")
    def approval_word(self, ruling: RulingRow) -> str:
        """The approval in words."""
        return wording.word(wording.APPROVALS, ruling.approval)

    def has_approve_permission(self, request: HttpRequest, object_id: str = "") -> bool:
        """Whether the button is worth showing: the penalty waits."""
        waiting = self.get_queryset(request).filter(pk=object_id, approval=Approval.PENDING.value)
        return waiting.exists()

    @guarded("judging.penalty_approve")
    @action(
        description=_("Approve"),
        url_path="approve",
        icon="gavel",
        permissions=["approve"],
        dialog=_dialog(_("Approve"), _("The penalty comes into force and changes the result.")),
    )
    def approve(self, request: HttpRequest, form: BaseDialogForm, object_id: str) -> HttpResponse:
        """Send judging.penalty_approve."""
        ruling = self.get_queryset(request).filter(pk=object_id).first()
        return self._send(
            request,
            _("The penalty is in force."),
            reverse("admin:judging_rulingrow_change", args=[object_id]),
            services.penalty_approve,
            call_id=ruling.call_id if ruling else "",
            ruling_id=object_id,
        )
