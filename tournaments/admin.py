"""The admin of the tournaments: read tables, and buttons that send commands.

Nothing is edited here: every button posts a command to tournaments.services. A button that the
organiser of an event presses works for that event only; the permission table holds here too.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, ClassVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django import forms
from django.contrib import admin, messages
from django.db import models
from django.db.models import OuterRef, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template import engines
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from unfold.admin import ModelAdmin
from unfold.decorators import action
from unfold.forms import BaseDialogForm
from unfold.widgets import (
    UnfoldAdminIntegerFieldWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextInputWidget,
    UnfoldBooleanSwitchWidget,
)

from cards import selectors as cards
from decks import library
from eventstore import clock
from eventstore.ids import new_id
from people.access import may
from people.domain.permissions import Subject
from people.guard import guarded
from people.models import Person
from people.posts import send
from people.web import actor_of
from tournaments import services
from tournaments.domain.event import CLOSED, CUT, DRAFT, FINISHED, OPEN, RUNNING
from tournaments.domain.scores import MATCH_RULES
from tournaments.models import (
    EntrantPerson,
    EntrantRow,
    EventRow,
    MatchRow,
    MessageRow,
    PaperRow,
    RoundRow,
    StandingRow,
)
from tournaments.selectors import events_list


def _worded(template: str, **values: Any) -> str:
    """Words come from the shell of the pages, which this room does not import."""
    page = engines["django"].from_string("{% load hj %}" + template)
    return str(page.render(values)).strip()


def _word(subject: str, code: str) -> str:
    return _worded("{{ code|word:subject }}", code=code, subject=subject) if code else "–"


def _dialog(
    title: Promise, description: Promise, form: type[BaseDialogForm] = BaseDialogForm
) -> Any:
    """A dialog that asks once more: a command is posted, never a link that is followed."""
    return {
        "title": title,
        "description": description,
        "form_class": form,
        "form_submit_text": title,
    }


def _name_of(entrant: str) -> Subquery:
    """The name of the first person of the entrant in a column, within the same query."""
    person = EntrantPerson.objects.filter(entrant_id=OuterRef(OuterRef(entrant)))
    return Subquery(
        Person.objects.filter(pk=Subquery(person.values("person_id")[:1])).values("display_name")[
            :1
        ]
    )


class EventForm(BaseDialogForm):
    """What an organiser chooses for a new event; everything else can be set at its desk."""

    name = forms.CharField(label=_("Name"), max_length=120, widget=UnfoldAdminTextInputWidget)
    zone = forms.CharField(
        label=_("Time zone"), max_length=60, initial="UTC", widget=UnfoldAdminTextInputWidget
    )
    preset = forms.ChoiceField(
        label=_("Deck rules"),
        choices=lambda: [
            (one.id, one.title or _word("preset", one.id)) for one in library.offered()
        ],
        widget=UnfoldAdminSelectWidget,
    )
    banlist_id = forms.ChoiceField(
        label=_("List of limits"), required=False, widget=UnfoldAdminSelectWidget
    )
    match_rules = forms.ChoiceField(
        label=_("Match rules"),
        required=False,
        choices=lambda: [
            ("", _("as usual for the game")),
            *((one, _word("match_rules", one)) for one in MATCH_RULES),
        ],
        widget=UnfoldAdminSelectWidget,
    )
    decks_required = forms.BooleanField(
        label=_("Deck lists are required"),
        required=False,
        initial=True,
        widget=UnfoldBooleanSwitchWidget,
    )
    deck_deadline = forms.CharField(
        label=_("Deck deadline in that zone, such as 2026-05-01 10:00"),
        max_length=20,
        required=False,
        widget=UnfoldAdminTextInputWidget,
    )
    rounds = forms.IntegerField(
        label=_("Swiss rounds, empty: as recommended"),
        required=False,
        widget=UnfoldAdminIntegerFieldWidget,
    )
    cut = forms.IntegerField(
        label=_("Places in the cut, 0: none"), initial=0, widget=UnfoldAdminIntegerFieldWidget
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        held = cards.banlists(actor_of(self.request))
        self.fields["banlist_id"].choices = [  # type: ignore[attr-defined]
            ("", _("None")),
            *((one.pk, one.title) for one in held),
        ]

    def clean(self) -> dict[str, Any]:
        """Bring the deadline from the zone of the event to UTC text."""
        given = dict(super().clean() or {})
        text = given.get("deck_deadline") or ""
        given["deck_deadline"] = None
        if text:
            try:
                local = datetime.fromisoformat(text).replace(
                    tzinfo=ZoneInfo(given.get("zone") or "UTC")
                )
            except (ValueError, ZoneInfoNotFoundError, OSError):
                self.add_error("deck_deadline", _("This is no time, or the zone is unknown."))
            else:
                given["deck_deadline"] = clock.as_text(local.astimezone(UTC))
        return given


class WhyForm(BaseDialogForm):
    """Why something is taken back; kept sealed, for staff."""

    note = forms.CharField(label=_("Why"), max_length=1000, widget=UnfoldAdminTextInputWidget)


class ReadOnly(ModelAdmin):
    """A table that nobody edits, cut to the events that the viewer may know of."""

    event_field: ClassVar = "event_id"
    show_full_result_count = False

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
        """Leave out events that the viewer may not know of."""
        known = events_list(actor_of(request)).order_by().values("pk")
        return super().get_queryset(request).filter(**{f"{self.event_field}__in": known})


@admin.register(EventRow)
class EventAdmin(ReadOnly):
    """Events, newest first, with the commands that carry one from its opening to its end."""

    event_field = "pk"
    list_display = ("name", "status_word", "players", "round", "rounds", "cut", "created")
    list_filter = ("status", "preset")
    search_fields = ("name", "id")
    search_help_text = _("Name or id")
    ordering = ("-created_at", "id")
    actions_list = ("create",)
    actions_detail = (
        "open_registration",
        "close_registration",
        "start",
        "pair",
        "publish",
        "make_cut",
        "finish",
        "restart_cut",
        "reopen",
        "cancel",
        "print_pack",
        "message",
    )

    @admin.display(description=_("State"), ordering="status")
    def status_word(self, row: EventRow) -> str:
        """The state in words."""
        return _word("event", row.status)

    @admin.display(description=_("Created"), ordering="created_at")
    def created(self, row: EventRow) -> str:
        """When it was created, in the zone of the event."""
        return _worded("{{ at|at_moment:zone }}", at=row.created_at, zone=row.zone)

    def _send(
        self, request: HttpRequest, done: Promise, service: Callable[..., Any], **values: Any
    ) -> HttpResponse:
        sent = send(request, "organiser", service, **values)
        back = reverse("admin:tournaments_eventrow_changelist")
        if sent.refusal is not None:
            messages.error(request, _worded("{{ no|refusal_text }}", no=sent.refusal))
        else:
            messages.success(request, str(done))
        if sent.refusal is None or EventRow.objects.filter(pk=values["event_id"]).exists():
            back = reverse("admin:tournaments_eventrow_change", args=[values["event_id"]])
        return HttpResponse(headers={"HX-Redirect": back, "Refresh": f"0; url={back}"})

    def _in(self, request: HttpRequest, object_id: str, *states: str) -> bool:
        roles = {str(role) for role in actor_of(request).roles_in(object_id)}
        held = EventRow.objects.filter(pk=object_id, status__in=states).exists()
        return held and "organiser" in roles

    def has_before_permission(self, request: HttpRequest, object_id: str = "") -> bool:
        """Whether registration can be opened."""
        return self._in(request, object_id, DRAFT, CLOSED)

    def has_opened_permission(self, request: HttpRequest, object_id: str = "") -> bool:
        """Whether registration is open."""
        return self._in(request, object_id, OPEN)

    def has_ready_permission(self, request: HttpRequest, object_id: str = "") -> bool:
        """Whether the event can be started."""
        return self._in(request, object_id, OPEN, CLOSED)

    def has_running_permission(self, request: HttpRequest, object_id: str = "") -> bool:
        """Whether rounds are being played."""
        return self._in(request, object_id, RUNNING, CUT)

    def has_swiss_permission(self, request: HttpRequest, object_id: str = "") -> bool:
        """Whether Swiss rounds are being played."""
        return self._in(request, object_id, RUNNING)

    def has_cut_permission(self, request: HttpRequest, object_id: str = "") -> bool:
        """Whether the cut is being played."""
        return self._in(request, object_id, CUT)

    def has_finished_permission(self, request: HttpRequest, object_id: str = "") -> bool:
        """Whether the event is over."""
        return self._in(request, object_id, FINISHED)

    def has_staffed_permission(self, request: HttpRequest, object_id: str = "") -> bool:
        """Whether the viewer works at the desk of the event."""
        return may(actor_of(request), "tournaments.desk_use", Subject(object_id))

    def has_unended_permission(self, request: HttpRequest, object_id: str = "") -> bool:
        """Whether the event has not ended."""
        return self._in(request, object_id, DRAFT, OPEN, CLOSED, RUNNING, CUT)

    @guarded("tournaments.event_create")
    @action(
        description=_("Create an event"),
        url_path="create",
        icon="add",
        dialog=_dialog(
            _("Create an event"),
            _("It stays hidden until registration is opened. You become its organiser."),
            EventForm,
        ),
    )
    def create(self, request: HttpRequest, form: EventForm) -> HttpResponse:
        """Send tournaments.event_create."""
        given = form.cleaned_data
        return self._send(
            request,
            _("The event is created."),
            services.event_create,
            event_id=new_id(),
            name=given["name"],
            zone=given["zone"],
            preset=given["preset"],
            match_rules=given["match_rules"] or None,
            decks_required=given["decks_required"],
            deck_deadline=given["deck_deadline"],
            rounds=given["rounds"],
            cut=given["cut"],
            banlist_id=given["banlist_id"] or None,
        )

    @guarded("tournaments.event_run")
    @action(
        description=_("Open registration"),
        url_path="registration-open",
        icon="lock_open",
        permissions=["before"],
        dialog=_dialog(_("Open registration"), _("From now on everybody sees the event.")),
    )
    def open_registration(
        self, request: HttpRequest, form: BaseDialogForm, object_id: str
    ) -> HttpResponse:
        """Send tournaments.registration_open."""
        done = _("Registration is open.")
        return self._send(request, done, services.registration_open, event_id=object_id)

    @guarded("tournaments.event_run")
    @action(
        description=_("Close registration"),
        url_path="registration-close",
        icon="lock",
        permissions=["opened"],
        dialog=_dialog(_("Close registration"), _("Staff can still enrol people.")),
    )
    def close_registration(
        self, request: HttpRequest, form: BaseDialogForm, object_id: str
    ) -> HttpResponse:
        """Send tournaments.registration_close."""
        done = _("Registration is closed.")
        return self._send(request, done, services.registration_close, event_id=object_id)

    @guarded("tournaments.event_run")
    @action(
        description=_("Start"),
        url_path="start",
        icon="play_arrow",
        permissions=["ready"],
        dialog=_dialog(_("Start"), _("Lists are locked, and who is not checked in does not play.")),
    )
    def start(self, request: HttpRequest, form: BaseDialogForm, object_id: str) -> HttpResponse:
        """Send tournaments.event_start."""
        done = _("The event has started.")
        return self._send(request, done, services.event_start, event_id=object_id)

    @guarded("tournaments.round_pair")
    @action(
        description=_("Pair the next round"),
        url_path="pair",
        icon="shuffle",
        permissions=["running"],
        dialog=_dialog(
            _("Pair the next round"), _("Players see nothing until the round is published.")
        ),
    )
    def pair(self, request: HttpRequest, form: BaseDialogForm, object_id: str) -> HttpResponse:
        """Send tournaments.round_pair."""
        done = _("The round is paired. It is a draft.")
        return self._send(request, done, services.round_pair, event_id=object_id)

    @guarded("tournaments.round_pair")
    @action(
        description=_("Publish the round"),
        url_path="publish",
        icon="campaign",
        permissions=["running"],
        dialog=_dialog(_("Publish the round"), _("Everybody sees the tables at once.")),
    )
    def publish(self, request: HttpRequest, form: BaseDialogForm, object_id: str) -> HttpResponse:
        """Send tournaments.round_publish."""
        number = EventRow.objects.values_list("draft_round", flat=True).get(pk=object_id)
        done = _("The round is published.")
        return self._send(request, done, services.round_publish, event_id=object_id, number=number)

    @guarded("tournaments.event_run")
    @action(
        description=_("Make the cut"),
        url_path="cut",
        icon="content_cut",
        permissions=["swiss"],
        dialog=_dialog(_("Make the cut"), _("The best of the Swiss rounds go on.")),
    )
    def make_cut(self, request: HttpRequest, form: BaseDialogForm, object_id: str) -> HttpResponse:
        """Send tournaments.cut_make."""
        done = _("The cut is made.")
        return self._send(request, done, services.cut_make, event_id=object_id)

    @guarded("tournaments.event_run")
    @action(
        description=_("Finish"),
        url_path="finish",
        icon="flag",
        permissions=["running"],
        dialog=_dialog(_("Finish"), _("The final places are kept.")),
    )
    def finish(self, request: HttpRequest, form: BaseDialogForm, object_id: str) -> HttpResponse:
        """Send tournaments.event_finish."""
        done = _("The event is finished.")
        return self._send(request, done, services.event_finish, event_id=object_id)

    @guarded("tournaments.event_run")
    @action(
        description=_("Begin the cut again"),
        url_path="cut-restart",
        icon="restart_alt",
        permissions=["cut"],
        dialog=_dialog(
            _("Begin the cut again"),
            _("Its rounds are taken back with their results; the page Undo shows what changes."),
            WhyForm,
        ),
    )
    def restart_cut(self, request: HttpRequest, form: WhyForm, object_id: str) -> HttpResponse:
        """Send tournaments.cut_restart."""
        done = _("The cut is taken back with its rounds. It can be made again.")
        note = form.cleaned_data["note"]
        return self._send(request, done, services.cut_restart, event_id=object_id, note=note)

    @guarded("tournaments.event_run")
    @action(
        description=_("Reopen"),
        url_path="reopen",
        icon="undo",
        permissions=["finished"],
        dialog=_dialog(
            _("Reopen"),
            _("The event goes on where it stood; its final places are taken back."),
            WhyForm,
        ),
    )
    def reopen(self, request: HttpRequest, form: WhyForm, object_id: str) -> HttpResponse:
        """Send tournaments.event_reopen."""
        done = _("The event goes on where it stood.")
        note = form.cleaned_data["note"]
        return self._send(request, done, services.event_reopen, event_id=object_id, note=note)

    @guarded("tournaments.event_run")
    @action(
        description=_("Cancel"),
        url_path="cancel",
        icon="block",
        permissions=["unended"],
        dialog=_dialog(_("Cancel"), _("A cancelled event stays readable.")),
    )
    def cancel(self, request: HttpRequest, form: BaseDialogForm, object_id: str) -> HttpResponse:
        """Send tournaments.event_cancel."""
        done = _("The event is cancelled.")
        return self._send(request, done, services.event_cancel, event_id=object_id)

    @guarded("tournaments.desk_use")
    @action(
        description=_("Print the paper pack"),
        url_path="print-pack",
        icon="print",
        permissions=["staffed"],
    )
    def print_pack(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Lead to the print of the newest round."""
        return redirect("staff:print", object_id, "pack")

    @guarded("tournaments.message_post")
    @action(
        description=_("Message to the hall"),
        url_path="message",
        icon="campaign",
        permissions=["staffed"],
    )
    def message(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Lead to the messages of the desk."""
        return redirect("staff:messages", object_id)


@admin.register(EntrantRow)
class EntrantAdmin(ReadOnly):
    """Entrants of all events."""

    list_display = ("number", "person", "status_word", "late", "has_deck", "place", "event_id")
    list_filter = ("status", "late")
    search_fields = ("id", "event_id")
    search_help_text = _("Id of an entrant or an event")

    def get_queryset(self, request: HttpRequest) -> models.QuerySet[Any]:
        """Read the names in the same query."""
        return super().get_queryset(request).annotate(person_name=_name_of("pk"))

    @admin.display(description=_("Name"), ordering="person_name")
    def person(self, row: Any) -> str:
        """The name of the person."""
        return str(row.person_name or "–")

    @admin.display(description=_("State"), ordering="status")
    def status_word(self, row: EntrantRow) -> str:
        """The state in words."""
        return _word("entrant", row.status)

    @admin.display(description=_("Deck list"), boolean=True)
    def has_deck(self, row: EntrantRow) -> bool:
        """Whether a list was handed in."""
        return bool(row.deck_id)


@admin.register(RoundRow)
class RoundAdmin(ReadOnly):
    """Rounds with the proof of their pairing."""

    list_display = (
        "number",
        "stage",
        "published",
        "rematches",
        "cost",
        "lower_bound",
        "method",
        "proven",
        "revision",
        "event_id",
    )
    list_filter = ("stage", "published", "proven")
    search_fields = ("event_id",)
    search_help_text = _("Id of an event")


@admin.register(MatchRow)
class MatchAdmin(ReadOnly):
    """Matches of all rounds."""

    list_display = ("round", "table", "first", "second", "state_word", "score", "reason_word")
    list_filter = ("state", "stage", "reason")
    search_fields = ("id", "event_id")
    search_help_text = _("Id of a match or an event")

    def get_queryset(self, request: HttpRequest) -> models.QuerySet[Any]:
        """Read the names in the same query."""
        rows = super().get_queryset(request)
        return rows.annotate(p1_name=_name_of("p1"), p2_name=_name_of("p2"))

    @admin.display(description=_("Player A"))
    def first(self, row: Any) -> str:
        """The name on seat P1."""
        return str(row.p1_name or "–")

    @admin.display(description=_("Player B"))
    def second(self, row: Any) -> str:
        """The name on seat P2."""
        return str(row.p2_name or "–")

    @admin.display(description=_("State"), ordering="state")
    def state_word(self, row: MatchRow) -> str:
        """The state in words."""
        return _word("match", row.state)

    @admin.display(description=_("Score"))
    def score(self, row: MatchRow) -> str:
        """Duels won by A and by B, and drawn ones."""
        return f"{row.p1_wins}-{row.p2_wins}-{row.draws}" if row.winner else "–"

    @admin.display(description=_("Reason"), ordering="reason")
    def reason_word(self, row: MatchRow) -> str:
        """The reason in words."""
        return _word("reason", row.reason)


@admin.register(StandingRow)
class StandingAdmin(ReadOnly):
    """Standings as they were frozen, every revision."""

    list_display = ("round", "revision", "rank", "person", "points", "code", "event_id")
    list_filter = ("round",)
    search_fields = ("event_id", "entrant_id")
    search_help_text = _("Id of an event or an entrant")

    def get_queryset(self, request: HttpRequest) -> models.QuerySet[Any]:
        """Read the names in the same query."""
        return super().get_queryset(request).annotate(person_name=_name_of("entrant_id"))

    @admin.display(description=_("Name"))
    def person(self, row: Any) -> str:
        """The name of the person."""
        return str(row.person_name or "–")


@admin.register(MessageRow)
class MessageAdmin(ReadOnly):
    """Messages from the desks to their halls; the words are sealed, and read at the desk."""

    list_display = ("posted_at", "audience_word", "round", "until", "withdrawn_at", "event_id")
    list_filter = ("audience",)
    search_fields = ("event_id",)
    search_help_text = _("Id of an event")

    @admin.display(description=_("For"), ordering="audience")
    def audience_word(self, row: MessageRow) -> str:
        """Whom it is for, in words."""
        return _word("audience", row.audience)


@admin.register(PaperRow)
class PaperAdmin(ReadOnly):
    """How events print."""

    list_display = ("event_id", "paper_word", "language", "per_page", "ids_word", "large")
    search_fields = ("event_id",)
    search_help_text = _("Id of an event")

    @admin.display(description=_("Paper"), ordering="paper")
    def paper_word(self, row: PaperRow) -> str:
        """The paper in words."""
        return _word("paper", row.paper)

    @admin.display(description=_("Beside the names on a slip"), ordering="ids")
    def ids_word(self, row: PaperRow) -> str:
        """What stands beside the names, in words."""
        return _word("slip_ids", row.ids)


name_of, word_of = _name_of, _word
"""What the admin of the door builds on."""
importlib.import_module("tournaments.admin_door")
importlib.import_module("tournaments.admin_floor")
