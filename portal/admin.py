"""The admin of the log and of people: tables to read, and command buttons.

Nothing is edited here: every button sends a command to people.services, which writes its event.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.contrib.auth.models import Group
from django.db import models
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _
from unfold.admin import ModelAdmin
from unfold.decorators import action
from unfold.forms import BaseDialogForm
from unfold.widgets import (
    UnfoldAdminPasswordWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextInputWidget,
)

from eventstore.domain.refusal import Refused
from eventstore.ids import new_id
from eventstore.models import Event
from people import security, services
from people.domain.roles import Role
from people.models import Account, Person, RoleRow
from people.passwords import checked_hash
from people.posts import send
from portal import words
from portal.wording import refusal_text

# Powers are roles, which are events; Django's groups would be a second, unaudited way to them.
admin.site.unregister(Group)


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


@admin.register(Event)
class EventAdmin(ReadOnlyAdmin):
    """The log: every event as it was recorded."""

    list_display = ("position", "recorded_at", "type", "stream", "version")
    list_filter = ("type",)
    search_fields = ("stream", "type")
    search_help_text = _("Stream or type")
    ordering = ("-position",)
    show_full_result_count = False
    list_per_page = 50
    fields = (
        "position",
        "recorded_at",
        "type",
        "schema",
        "stream",
        "version",
        "envelope",
        "hash",
    )

    def get_queryset(self, request: HttpRequest) -> models.QuerySet[Event]:
        """Leave the bodies where they are until one event is opened."""
        return super().get_queryset(request).defer("body")

    @admin.display(description=_("Envelope"))
    def envelope(self, one: Event) -> str:
        """The stored bytes, indented for reading."""
        text = json.dumps(json.loads(bytes(one.body)), indent=2, ensure_ascii=False)
        return format_html('<pre class="whitespace-pre-wrap break-all">{}</pre>', text)


class PersonForm(BaseDialogForm):
    """What the desk writes down about a new person."""

    display_name = forms.CharField(
        label=_("Name, as it is to be shown"), max_length=80, widget=UnfoldAdminTextInputWidget
    )
    sort_name = forms.CharField(
        label=_("Name, as it is sorted"),
        max_length=80,
        required=False,
        widget=UnfoldAdminTextInputWidget,
    )
    card_game_id = forms.CharField(
        label=_("Card Game ID"), max_length=20, required=False, widget=UnfoldAdminTextInputWidget
    )
    language = forms.ChoiceField(
        label=_("Language"), choices=settings.LANGUAGES, widget=UnfoldAdminSelectWidget
    )


class PersonEditForm(PersonForm):
    """The same facts of a person who is known."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        person = Person.objects.filter(pk=self.object_id).first()
        if person is not None:
            for name in ("display_name", "sort_name", "card_game_id", "language"):
                self.fields[name].initial = getattr(person, name)


class RoleForm(BaseDialogForm):
    """A role for the whole site; roles in one event are given at its desk."""

    role = forms.ChoiceField(
        label=_("Role for the site"),
        choices=[(Role.ORGANISER.value, _("Organiser"))],
        widget=UnfoldAdminSelectWidget,
    )


class PasswordForm(BaseDialogForm):
    """A new password of somebody who forgot the old one."""

    password = forms.CharField(
        label=_("New password"), min_length=10, widget=UnfoldAdminPasswordWidget
    )


class AccountForm(BaseDialogForm):
    """A log-in: user name and a first password."""

    username = forms.CharField(
        label=_("User name"), max_length=60, widget=UnfoldAdminTextInputWidget
    )
    password = forms.CharField(
        label=_("First password"), min_length=10, widget=UnfoldAdminPasswordWidget
    )


def _back(address: str) -> HttpResponse:
    """Leave the dialog, or the same form opened as a page, for an address of the admin."""
    return HttpResponse(headers={"HX-Redirect": address, "Refresh": f"0; url={address}"})


@admin.register(Person)
class PersonAdmin(ReadOnlyAdmin):
    """People: names are reference data, changed by audited commands only."""

    list_display = ("display_name", "sort_name", "card_game_id", "language", "roles")
    list_filter = ("language",)
    search_fields = ("folded", "card_game_id")
    search_help_text = _("Name without marks, or Card Game ID")
    fields = ("id", "display_name", "sort_name", "card_game_id", "language", "created_at", "roles")
    actions_list = ("register",)
    actions_detail = (
        "edit",
        "open_account",
        {
            "title": _("Log-in"),
            "icon": "key",
            "items": ["new_password", "remove_factor", "end_sessions"],
        },
        {"title": _("Roles for the site"), "icon": "badge", "items": ["grant_role", "end_role"]},
    )

    def get_queryset(self, request: HttpRequest) -> models.QuerySet[Person]:
        """Read the roles once for the whole page."""
        self._roles: dict[str, list[str]] = {}
        for person_id, role, event_id in RoleRow.objects.values_list(
            "person_id", "role", "event_id"
        ):
            if not event_id:
                self._roles.setdefault(person_id, []).append(words.word("role", role))
        return super().get_queryset(request)

    @admin.display(description=_("Roles for the site"))
    def roles(self, person: Person) -> str:
        """Roles of the person that hold in every event."""
        return ", ".join(self._roles.get(person.pk, [])) or "–"

    def _sent(
        self, request: HttpRequest, done: Any, service: Callable[..., Any], **values: Any
    ) -> bool:
        sent = send(request, "organiser", service, **values)
        if sent.refusal is not None:
            messages.error(request, refusal_text(sent.refusal))
            return False
        messages.success(request, str(done))
        return True

    @action(
        description=_("Register a person"),
        url_path="register",
        icon="person_add",
        dialog={
            "title": _("Register a person"),
            "description": _("Name and Card Game ID are enough; nobody needs an account to play."),
            "form_class": PersonForm,
            "form_submit_text": _("Register"),
        },
    )
    def register(self, request: HttpRequest, form: PersonForm) -> HttpResponse:
        """Send people.person_register."""
        person_id = new_id()
        facts = {
            name: form.cleaned_data[name]
            for name in ("display_name", "sort_name", "card_game_id", "language")
        }
        done = self._sent(
            request,
            _("The person is registered."),
            services.person_register,
            person_id=person_id,
            **facts,
        )
        if done:
            return _back(reverse("admin:people_person_change", args=[person_id]))
        return _back(reverse("admin:people_person_changelist"))

    @action(
        description=_("Change names and id"),
        url_path="edit",
        icon="edit",
        dialog={
            "title": _("Change names and id"),
            "description": _("The log keeps which facts changed, never their values."),
            "form_class": PersonEditForm,
            "form_submit_text": _("Change"),
        },
    )
    def edit(self, request: HttpRequest, form: PersonEditForm, object_id: str) -> HttpResponse:
        """Send people.person_edit."""
        facts = {
            name: form.cleaned_data[name]
            for name in ("display_name", "sort_name", "card_game_id", "language")
        }
        self._sent(
            request,
            _("The person is changed."),
            services.person_edit,
            person_id=object_id,
            **facts,
        )
        return _back(reverse("admin:people_person_change", args=[object_id]))

    @action(
        description=_("Open a log-in"),
        url_path="open-account",
        icon="key",
        dialog={
            "title": _("Open a log-in"),
            "description": _("For staff. Players join by a link and need none."),
            "form_class": AccountForm,
            "form_submit_text": _("Open"),
        },
    )
    def open_account(self, request: HttpRequest, form: AccountForm, object_id: str) -> HttpResponse:
        """Send people.account_open; the password is hashed before it goes anywhere."""
        self._with_password(
            request,
            _("The log-in is open."),
            services.account_open,
            form,
            person_id=object_id,
            username=form.cleaned_data["username"],
        )
        return _back(reverse("admin:people_person_change", args=[object_id]))

    def _with_password(
        self, request: HttpRequest, done: Any, service: Callable[..., Any], form: Any, **values: Any
    ) -> bool:
        """Send a command with the hash of the password that the form holds."""
        username = form.cleaned_data.get("username") or self._username(values["person_id"])
        try:
            hashed = checked_hash(form.cleaned_data["password"], username=username)
        except Refused as fault:
            messages.error(request, refusal_text(fault.refusal))
            return False
        return self._sent(request, done, service, password_hash=hashed, **values)

    @staticmethod
    def _username(person_id: str) -> str:
        names = Account.objects.filter(person_id=person_id).values_list("username", flat=True)
        return names.first() or ""

    @action(
        description=_("Give a new password"),
        url_path="new-password",
        icon="lock_reset",
        dialog={
            "title": _("Give a new password"),
            "description": _("All sessions of this log-in end."),
            "form_class": PasswordForm,
            "form_submit_text": _("Give"),
        },
    )
    def new_password(
        self, request: HttpRequest, form: PasswordForm, object_id: str
    ) -> HttpResponse:
        """Send people.password_change."""
        self._with_password(
            request, _("The password is changed."), security.password_change, form,
            person_id=object_id,
        )  # fmt: skip
        return _back(reverse("admin:people_person_change", args=[object_id]))

    @action(
        description=_("Remove the second factor"),
        url_path="remove-factor",
        icon="phonelink_erase",
        dialog={
            "title": _("Remove the second factor"),
            "description": _("For somebody who lost phone and recovery codes. Be sure who asks."),
            "form_class": BaseDialogForm,
            "form_submit_text": _("Remove"),
        },
    )
    def remove_factor(
        self, request: HttpRequest, form: BaseDialogForm, object_id: str
    ) -> HttpResponse:
        """Send people.factor_remove."""
        self._sent(
            request,
            _("The second factor is removed."),
            security.factor_remove,
            person_id=object_id,
        )
        return _back(reverse("admin:people_person_change", args=[object_id]))

    @action(
        description=_("End all sessions"),
        url_path="end-sessions",
        icon="logout",
        dialog={
            "title": _("End all sessions"),
            "description": _("This person is signed out on every machine."),
            "form_class": BaseDialogForm,
            "form_submit_text": _("End"),
        },
    )
    def end_sessions(
        self, request: HttpRequest, form: BaseDialogForm, object_id: str
    ) -> HttpResponse:
        """Send people.sessions_end."""
        self._sent(
            request, _("The sessions are ended."), security.sessions_end, person_id=object_id
        )
        return _back(reverse("admin:people_person_change", args=[object_id]))

    @action(
        description=_("Give a role"),
        url_path="grant-role",
        icon="badge",
        dialog={
            "title": _("Give a role for the whole site"),
            "description": _("Roles in one event are given at the desk of that event."),
            "form_class": RoleForm,
            "form_submit_text": _("Give"),
        },
    )
    def grant_role(self, request: HttpRequest, form: RoleForm, object_id: str) -> HttpResponse:
        """Send people.role_grant."""
        self._sent(
            request,
            _("The role is given."),
            services.role_grant,
            person_id=object_id,
            role=form.cleaned_data["role"],
        )
        return _back(reverse("admin:people_person_change", args=[object_id]))

    @action(
        description=_("End a role"),
        url_path="end-role",
        icon="person_off",
        dialog={
            "title": _("End a role for the whole site"),
            "description": _("The log keeps that it was held."),
            "form_class": RoleForm,
            "form_submit_text": _("End"),
        },
    )
    def end_role(self, request: HttpRequest, form: RoleForm, object_id: str) -> HttpResponse:
        """Send people.role_end."""
        self._sent(
            request,
            _("The role is ended."),
            services.role_end,
            person_id=object_id,
            role=form.cleaned_data["role"],
        )
        return _back(reverse("admin:people_person_change", args=[object_id]))
