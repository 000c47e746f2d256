"""Create an event, and change its settings before it starts."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from django.conf import settings as site
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from cards import selectors as cards
from decks import library
from eventstore import clock
from eventstore.domain.refusal import Refusal
from people.access import require
from people.domain.permissions import Subject
from people.guard import guarded
from people.posts import Form, Sent, form_id, number_of, perform, send, text_of
from people.web import actor_of
from tournaments import selectors, services
from tournaments.domain.openlists import Decklists
from tournaments.domain.scores import MATCH_RULES
from tournaments.domain.setup import DECKLISTS, DEVICES
from tournaments.domain.standings import SYSTEMS
from tournaments.models import EventRow
from tournaments.pages.common import staff_frame
from tournaments.pages.plan import uploaded

LOCAL = "%Y-%m-%dT%H:%M"


def _values(request: HttpRequest) -> dict[str, Any] | Refusal:
    """Read the form into the settings of the services; the deadline is in the event's zone."""
    zone = text_of(request, "zone", 60) or site.TIME_ZONE
    moments: dict[str, str | None] = {}
    for name in ("deck_deadline", "decklists_at"):
        given = text_of(request, name, 16)
        moments[name] = None
        if given:
            try:
                local = datetime.strptime(given, LOCAL).replace(tzinfo=ZoneInfo(zone))
            except (ValueError, KeyError):
                return Refusal(
                    "tournaments.setting_invalid",
                    {"field": name, "found": given, "allowed": "2026-07-04T09:30"},
                )
            moments[name] = clock.as_text(local)
    decklists = text_of(request, "decklists", 20) or DECKLISTS[0]
    if decklists != Decklists.PUBLISHED:
        moments["decklists_at"] = None  # a date that stands there from before means nothing
    return {
        "name": text_of(request, "name", 200),
        "zone": zone,
        "preset": text_of(request, "preset", 40),
        "match_rules": text_of(request, "match_rules", 40) or None,
        "standings": text_of(request, "standings", 60) or None,
        "decks_required": request.POST.get("decks_required") == "1",
        **moments,
        "decklists": decklists,
        "rounds": number_of(request, "rounds"),
        "cut": number_of(request, "cut") or 0,
        "play_on": request.POST.get("play_on") == "1",
        "banlist_id": text_of(request, "banlist_id", 80) or None,
        "devices": text_of(request, "devices", 20) or DEVICES[0],
    }


def _lists(request: HttpRequest, day: str) -> list[dict[str, str]]:
    """Return the lists to choose from, each with what it is on the day of the event."""
    viewer = actor_of(request)
    states: dict[str, str] = {}
    for line in cards.banlist_lines(viewer):
        now = line.on(day)
        for one in line.lists:
            state = "coming" if one.date > day else "past"
            states[one.id] = "in_force" if now is not None and one.id == now.id else state
    return [
        {"id": one.pk, "title": one.title, "date": one.date, "state": states.get(one.pk, "")}
        for one in cards.banlists(viewer)
    ]


def _choices(request: HttpRequest, day: str, preset: str = "") -> dict[str, Any]:
    return {
        "presets": library.offered(preset),
        "match_rules": list(MATCH_RULES),
        "systems": list(SYSTEMS),
        "devices": list(DEVICES),
        "decklists": list(DECKLISTS),
        "banlists": _lists(request, day),
        "zones": sorted(available_timezones()),
    }


def _shown(request: HttpRequest, row: EventRow | None) -> dict[str, Any]:
    """Return what stands in the form: what was typed, else the event, else the defaults."""
    if request.method == "POST":
        values: dict[str, Any] = request.POST.dict()
        values["decks_required"] = request.POST.get("decks_required") == "1"
        values["play_on"] = request.POST.get("play_on") == "1"
        return values
    if row is None:
        return {
            "zone": site.TIME_ZONE,
            "preset": "classic",
            "decks_required": True,
            "play_on": True,
            "cut": 0,
        }
    values = {
        name: getattr(row, name)
        for name in (
            "name",
            "zone",
            "preset",
            "match_rules",
            "standings",
            "decks_required",
            "rounds",
            "cut",
            "play_on",
            "banlist_id",
            "devices",
            "decklists",
        )
    }
    for name in ("deck_deadline", "decklists_at"):
        if getattr(row, name):
            local = timezone.localtime(clock.from_text(getattr(row, name)), ZoneInfo(row.zone))
            values[name] = local.strftime(LOCAL)
    return values


@guarded("tournaments.event_create")
@never_cache
@require_http_methods(["GET", "POST"])
def create(request: HttpRequest) -> HttpResponse:
    """Create an event; nobody but its staff sees it until the registration opens."""
    viewer = actor_of(request)
    require(viewer, "tournaments.event_create")
    form = Form()
    if request.method == "POST":
        event_id = form_id(request, "event_id")

        def made() -> Sent:
            values = _values(request)
            if isinstance(values, Refusal):
                return Sent(refusal=values)
            return send(request, "organiser", services.event_create, event_id=event_id, **values)

        content = uploaded(request)
        acts = {
            "create": made,
            "archive": lambda: send(
                request, "organiser", services.archive_import, event_id=event_id, content=content
            ),
        }
        said = {
            "create": gettext_lazy("The event is created. Only its staff see it so far."),
            "archive": gettext_lazy("The event of the archive is made."),
        }
        refused = perform(request, acts, said)
        if refused is None:
            return redirect("staff:desk", event_id)
        form = refused
    today = timezone.localtime(clock.now()).date().isoformat()
    context = {"form": form, "values": _shown(request, None), "choices": _choices(request, today)}
    return render(request, "tournaments/create.html", context, status=form.status)


@guarded("tournaments.event_run")
@never_cache
@require_http_methods(["GET", "POST"])
def configure(request: HttpRequest, event_id: str) -> HttpResponse:
    """Change the settings; refused once the event has started."""
    viewer = actor_of(request)
    context = staff_frame(request, viewer, event_id)
    require(viewer, "tournaments.event_run", Subject(event_id))
    form = Form()
    if request.method == "POST":

        def changed() -> Sent:
            values = _values(request)
            if isinstance(values, Refusal):
                return Sent(refusal=values)
            return send(
                request, "organiser", services.event_configure, event_id=event_id, changes=values
            )

        refused = perform(
            request, {"change": changed}, {"change": gettext_lazy("The settings are changed.")}
        )
        if refused is None:
            return redirect(request.path)
        form = refused
    limits = selectors.limits_of_event(viewer, context["event"])
    context |= {
        "form": form,
        "values": _shown(request, context["event"]),
        "choices": _choices(request, limits.day, context["event"].preset),
        "limits": limits,
        "frozen": context["event"].status not in ("draft", "open", "closed"),
    }
    return render(request, "tournaments/settings.html", context, status=form.status)
