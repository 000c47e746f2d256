"""The plan of an event: how it counts, pairs and sits; and its files."""

from __future__ import annotations

import re
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from eventstore.domain.refusal import Refusal
from people.access import require
from people.domain.actor import Actor
from people.domain.permissions import Subject
from people.guard import guarded
from people.posts import Form, Sent, number_of, perform, send, text_of
from people.web import actor_of
from tournaments import selectors, services
from tournaments.domain import planning, seating
from tournaments.domain.event import CANCELLED, FINISHED
from tournaments.domain.exchange.sheet import MAX_BYTES, Unreadable
from tournaments.domain.standings import SYSTEMS, USED
from tournaments.domain.standings.switches import NEAREST, SIXTHS, TRUNCATE
from tournaments.pages.common import staff_frame

RANGE = re.compile(r"\s*(\d{1,5})\s*(?:-\s*(\d{1,5}))?\s*")
CHOICES = {"rounding": (TRUNCATE, NEAREST), "draw_sixths": SIXTHS}


def ranges_of(text: str) -> list[list[int]] | None:
    """Read ranges of tables: `1-40, 61-80, 99`; None for anything else.

    >>> ranges_of("1-40, 99"), ranges_of(""), ranges_of("a")
    ([[1, 40], [99, 99]], [], None)
    """
    found: list[list[int]] = []
    for part in text.split(",") if text.strip() else []:
        read = RANGE.fullmatch(part)
        if read is None:
            return None
        found.append([int(read[1]), int(read[2] or read[1])])
    return found


def _shown(ranges: list[list[int]]) -> str:
    return ", ".join(f"{one}-{two}" if one != two else f"{one}" for one, two in ranges)


def _values(request: HttpRequest, system: str) -> dict[str, Any] | Refusal:
    """Read the form into the parts of the plan it shows."""
    tables: dict[str, Any] = {}
    for name in ("ranges", "feature", "accessible"):
        given = text_of(request, name, 400)
        read = ranges_of(given)
        if read is None:
            return Refusal(
                "tournaments.seating_invalid",
                {"field": name, "found": given[:40], "allowed": "1-40, 61-80"},
            )
        if name != "ranges":
            if sum(max(0, two - one + 1) for one, two in read) > 1000:
                return Refusal(
                    "tournaments.seating_invalid",
                    {"field": name, "found": given[:40], "allowed": 1000},
                )
            tables[name] = [table for one, two in read for table in range(one, two + 1)]
        else:
            tables[name] = read
    offset = text_of(request, "offset", 7) or "0"
    if not re.fullmatch(r"-?\d{1,6}", offset):
        return Refusal(
            "tournaments.seating_invalid",
            {"field": "offset", "found": offset, "allowed": "a whole number"},
        )
    wishes = request.POST.getlist("soft")
    return tables | {
        "offset": int(offset),
        "order": text_of(request, "order", 20),
        "soft": [one[:20] for one in wishes[:9]],
        "soft_rounds": number_of(request, "soft_rounds") or 0,
    }


def _counting(request: HttpRequest, system: str) -> dict[str, Any]:
    """Read the switches that differ from the defaults of the system, and the companion."""
    switches: dict[str, Any] = {}
    for name in USED[system]:
        usual = getattr(SYSTEMS[system], name)
        given: Any = text_of(request, name, 20)
        if isinstance(usual, bool):
            given = given == "1"
        elif isinstance(usual, int):
            given = int(given) if given.isascii() and given.isdigit() else given
        if given != usual:
            switches[name] = given
    return {"switches": switches, "companion": text_of(request, "companion", 10)}


def _shared_tables(viewer: Actor, event_id: str) -> list[tuple[str, int]]:
    """Return (name, first table) of other events not yet over that reserve tables of this one."""
    going = [
        one
        for one in selectors.events_list(viewer)
        if one.status not in (FINISHED, CANCELLED) and one.plan.get("ranges")
    ]
    ranges = {
        one.pk: [
            (first + one.plan.get("offset", 0), last + one.plan.get("offset", 0))
            for first, last in one.plan["ranges"]
        ]
        for one in going
    }
    names = {one.pk: one.name for one in going}
    return [
        (names[second if first == event_id else first], table)
        for first, second, table in seating.overlaps(ranges)
        if event_id in (first, second)
    ]


@guarded("tournaments.event_run")
@never_cache
@require_http_methods(["GET", "POST"])
def plan(request: HttpRequest, event_id: str) -> HttpResponse:
    """Switches of the standings, wishes and order of the pairing, tables of the venue."""
    viewer = actor_of(request)
    context = staff_frame(request, viewer, event_id)
    require(viewer, "tournaments.event_run", Subject(event_id))
    event = context["event"]
    form = Form()
    if request.method == "POST":

        def change(values: dict[str, Any] | Refusal) -> Sent:
            if isinstance(values, Refusal):
                return Sent(refusal=values)
            return send(request, "organiser", services.plan_make, event_id=event_id, changes=values)

        acts = {
            "pairing": lambda: change(_values(request, event.standings)),
            "counting": lambda: change(_counting(request, event.standings)),
        }
        done = dict.fromkeys(acts, gettext_lazy("The plan is changed."))
        refused = perform(request, acts, done)
        if refused is None:
            return redirect(request.path)
        form = refused
    held = event.plan
    typed = request.POST if form.act == "pairing" else {}
    switched = held.get("switches", {})
    context |= {
        "form": form,
        "frozen": event.status not in planning.BEFORE_START,
        "switches": [
            (
                name,
                switched.get(name, getattr(SYSTEMS[event.standings], name)),
                CHOICES.get(name),
            )
            for name in USED.get(event.standings, ())
        ],
        "orders": planning.ORDERS,
        "wishes": planning.WISHES,
        "order": typed.get("order", held.get("order", "random")),
        "soft": request.POST.getlist("soft") if typed else held.get("soft", []),
        "soft_rounds": typed.get("soft_rounds", held.get("soft_rounds", 0)),
        "offset": typed.get("offset", held.get("offset", 0)),
        "ranges": typed.get("ranges", _shown(held.get("ranges", []))),
        "feature": typed.get("feature", _shown([[one, one] for one in held.get("feature", [])])),
        "accessible": typed.get(
            "accessible", _shown([[one, one] for one in held.get("accessible", [])])
        ),
        "companion": held.get("companion", ""),
        "shared_tables": _shared_tables(viewer, event_id),
    }
    return render(request, "tournaments/plan.html", context, status=form.status)


def _imported(result: services.Imported) -> str:
    return ngettext(
        "The file is imported: %(number)s change.",
        "The file is imported: %(number)s changes.",
        result.events,
    ) % {"number": result.events}


@guarded("tournaments.event_run")
@never_cache
@require_http_methods(["GET", "POST"])
def files(request: HttpRequest, event_id: str) -> HttpResponse:
    """The files of the event to download; the companion's file to import."""
    viewer = actor_of(request)
    context = staff_frame(request, viewer, event_id)
    require(viewer, "tournaments.event_run", Subject(event_id))
    form = Form()
    if request.method == "POST":
        content = uploaded(request)
        acts = {
            "import": lambda: send(
                request,
                "organiser",
                services.companion_import,
                event_id=event_id,
                content=content,
            )
        }
        refused = perform(request, acts, {"import": _imported})
        if refused is None:
            return redirect(request.path)
        form = refused
    context |= {"form": form, "kinds": list(selectors.FILES)}
    return render(request, "tournaments/files.html", context, status=form.status)


def uploaded(request: HttpRequest) -> bytes:
    """Return the file that was posted, at most one byte more than a reader takes."""
    chosen = request.FILES.get("file")
    return chosen.read(MAX_BYTES + 1) if chosen is not None else b""


@guarded("tournaments.event_run")
@never_cache
@require_GET
def download(request: HttpRequest, event_id: str, kind: str) -> HttpResponse:
    """One file of the event."""
    viewer = actor_of(request)
    if kind not in selectors.FILES:
        raise Http404
    try:
        content, name, content_type = selectors.event_file(viewer, event_id, kind)
    except Unreadable as fault:
        context = staff_frame(request, viewer, event_id)
        context |= {"form": Form("", fault.refusal), "kinds": list(selectors.FILES)}
        return render(request, "tournaments/files.html", context, status=409)
    answer = HttpResponse(content, content_type=content_type)
    answer["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer
