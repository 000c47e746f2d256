"""The door: one field for a code, a scanner, a number, an id or a name, the person it means, and
one button for the next thing to do; the waiting list, the policy, the cash-up sheet."""

from __future__ import annotations

import csv
from datetime import datetime
from typing import Any
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from eventstore import clock
from eventstore.domain.refusal import Refusal
from people.access import may, require
from people.domain.actor import Actor
from people.domain.permissions import Subject
from people.guard import guarded
from people.live import live
from people.models import Person
from people.posts import Form, Sent, number_of, perform, send, text_of
from people.web import actor_of
from tournaments import selectors, services
from tournaments.domain import door_codes, door_money, door_policy
from tournaments.domain.door_fees import METHODS, SEEN
from tournaments.pages.common import staff_frame

LOCAL = "%Y-%m-%dT%H:%M"
TIMES = door_policy.TIMES


def enrolled(result: Any) -> str:
    """Say what became of an enrolment: a seat or a place in the line."""
    if result.waiting:
        return _("All seats are taken: place %(number)s on the waiting list.") % {
            "number": result.waiting
        }
    return _("Enrolled as number %(number)s.") % {"number": result.number}


def _back(result: Any) -> str:
    return enrolled(result) if result.waiting else _("The player is in again.")


DONE = {
    "enrol": enrolled,
    "pay": gettext_lazy("The payment is noted."),
    "comp": gettext_lazy("Nothing is to be paid."),
    "refund": gettext_lazy("The money given back is noted."),
    "eligible": gettext_lazy("It is noted that staff have seen it."),
    "notice": gettext_lazy("The privacy notice is accepted."),
    "paper": gettext_lazy("The paper list is received."),
    "check_in": gettext_lazy("The player is checked in."),
    "drop": gettext_lazy("The player has dropped."),
    "back": _back,
    "seat": gettext_lazy("The seat is taken."),
    "decline": gettext_lazy("The seat goes to the next."),
    "leave": gettext_lazy("Off the waiting list."),
    "merge": gettext_lazy("The two are one person now."),
    "unmerge": gettext_lazy("The merge is undone."),
}


def _amount(request: HttpRequest, currency: str) -> int | Refusal | None:
    given = text_of(request, "amount", 20)
    return door_money.amount_read(given, currency) if given else None


def _money(request: HttpRequest, service: Any, ids: dict[str, str], currency: str) -> Sent:
    amount = _amount(request, currency)
    if isinstance(amount, Refusal):
        return Sent(refusal=amount)
    method = text_of(request, "method", 20)
    return send(request, "organiser", service, amount=amount, method=method, **ids)


def _acts(request: HttpRequest, event_id: str, currency: str) -> dict[str, Any]:
    ids = {"event_id": event_id, "entrant_id": text_of(request, "entrant_id", 36)}

    def run(service: Any, **values: Any) -> Sent:
        return send(request, "organiser", service, **ids, **values)

    def merged(service: Any, **values: Any) -> Sent:
        return send(request, "organiser", service, event_id=event_id, **values)

    person = text_of(request, "person_id", 36)
    return {
        "enrol": lambda: send(
            request,
            "organiser",
            services.entrant_enrol,
            event_id=event_id,
            person_id=person or None,
            display_name=text_of(request, "display_name"),
            card_game_id=text_of(request, "card_game_id", 40),
            other_person=request.POST.get("other_person") == "1",
        ),
        "pay": lambda: _money(request, services.fee_pay, ids, currency),
        "refund": lambda: _money(request, services.fee_refund, ids, currency),
        "comp": lambda: run(services.fee_comp, note=text_of(request, "note", 4000)),
        "eligible": lambda: run(services.eligibility_note, seen=text_of(request, "seen", 20)),
        "notice": lambda: merged(
            services.notice_accept, person_id=person, version=text_of(request, "version", 20)
        ),
        "paper": lambda: run(services.paper_receive),
        "check_in": lambda: run(services.entrant_check_in),
        "drop": lambda: run(services.entrant_drop),
        # whoever finds the seat gone waits, instead of being sent away
        "back": lambda: merged(services.entrant_enrol, person_id=person),
        "seat": lambda: run(services.offer_accept),
        "decline": lambda: run(services.offer_decline),
        "leave": lambda: run(services.waiting_leave),
        "merge": lambda: merged(
            services.persons_merge,
            keep=person,
            gone=text_of(request, "gone", 36),
            lists=text_of(request, "lists", 10),
        ),
        "unmerge": lambda: merged(services.merge_undo, gone=text_of(request, "gone", 36)),
    }


@guarded("tournaments.door_use")
@live("desk")
@never_cache
@require_http_methods(["GET", "POST"])
def door(request: HttpRequest, event_id: str) -> HttpResponse:
    """One field, one person, one button. A post leads back to the person it was about."""
    viewer = actor_of(request)
    context = staff_frame(request, viewer, event_id)
    require(viewer, "tournaments.door_use", Subject(event_id))
    form = Form()
    query = (request.POST if request.method == "POST" else request.GET).get("q", "")
    if request.method == "POST":
        currency = selectors.door_now(viewer, event_id).policy.currency
        made: dict[str, Any] = {}
        acts = _acts(request, event_id, currency)
        acts |= {name: _kept(acts[name], made) for name in ("enrol", "back")}
        refused = perform(request, acts, DONE)
        if refused is None:
            result = made.get("result")
            if result is not None:
                query = door_codes.code_of(result.entrant_id)
            if request.POST.get("act") == "merge":
                kept = Actor(person_id=text_of(request, "person_id", 36))
                entrant = selectors.entrant_of_person(kept, event_id)
                query = door_codes.code_of(entrant) if entrant else query
            return redirect(f"{request.path}?{urlencode({'q': query})}")
        form = refused
    found = selectors.door_find(viewer, event_id, query)
    asked = door_codes.read(query)
    context |= {
        "form": form,
        "posted": request.POST,
        "query": query if form.refusal is None else found.asked,
        "found": found,
        "card": found.card,
        "seats": found.seats,
        "alike": alike(form.refusal),
        "methods": METHODS,
        "seen": SEEN,
        "name": "" if asked.digits else found.asked,
        "digits": asked.digits,
        "field": selectors.field_moved(viewer, event_id),
        "may_run": may(viewer, "tournaments.event_run", Subject(event_id)),
    }
    return render(request, "tournaments/door.html", context, status=form.status)


def _kept(run: Any, made: dict[str, Any]) -> Any:
    """Keep the result of an act, so that the page can go to whom it made."""

    def act() -> Sent:
        sent: Sent = run()
        made["result"] = sent.result
        return sent

    return act


def alike(refusal: Refusal | None) -> list[dict[str, Any]]:
    """Return the candidates of a refused duplicate with their names, for the desk."""
    if refusal is None or refusal.code != "tournaments.duplicate_person":
        return []
    rows = list(refusal.params["candidates"])
    names = Person.objects.in_bulk([one["person_id"] for one in rows])
    return [
        {
            **one,
            "name": names[one["person_id"]].display_name,
            "card_game_id": names[one["person_id"]].card_game_id or "",
            "code": door_codes.code_of(one["entrant_id"]) if one["entrant_id"] else "",
        }
        for one in rows
        if one["person_id"] in names
    ]


@guarded("tournaments.door_use")
@live("desk")
@never_cache
@require_http_methods(["GET", "POST"])
def waiting(request: HttpRequest, event_id: str) -> HttpResponse:
    """The waiting list in order, with the offers that stand."""
    viewer = actor_of(request)
    context = staff_frame(request, viewer, event_id)
    require(viewer, "tournaments.door_use", Subject(event_id))
    form = Form()
    if request.method == "POST":
        every = _acts(request, event_id, "EUR")
        acts = {name: every[name] for name in ("seat", "decline", "leave")}
        refused = perform(request, acts, DONE)
        if refused is None:
            return redirect(request.path)
        form = refused
    context |= {
        "form": form,
        "lines": selectors.waiting_list(viewer, event_id),
        "seats": selectors.door_now(viewer, event_id),
    }
    return render(request, "tournaments/waiting.html", context, status=form.status)


@guarded("tournaments.fee_take")
@never_cache
@require_GET
def cash(request: HttpRequest, event_id: str) -> HttpResponse:
    """The cash-up sheet, for the printer too."""
    viewer = actor_of(request)
    context = staff_frame(request, viewer, event_id)
    context |= {"cash": selectors.cash_up(viewer, event_id), "now": clock.as_text(clock.now())}
    return render(request, "tournaments/cash_up.html", context)


@guarded("tournaments.fee_take")
@never_cache
@require_GET
def cash_csv(request: HttpRequest, event_id: str) -> HttpResponse:
    """Every movement of money as a table: amounts in minor units, times in UTC."""
    viewer = actor_of(request)
    sheet = selectors.cash_up(viewer, event_id)
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="cash-up-{event_id}.csv"'
    writer = csv.writer(response)
    writer.writerow(["at", "by", "kind", "method", "amount", "currency", "number", "name", "note"])
    for one in sheet.movements:
        row = one.row
        cells = [row.at, one.by, row.kind, row.method, row.amount, row.currency]
        writer.writerow([*map(_cell, cells), one.number, _cell(one.name), _cell(one.note)])
    return response


def _cell(value: Any) -> Any:
    """No text is taken for a formula by whatever opens the table."""
    if isinstance(value, str) and value and value[0] in "=+-@\t\r":
        return f"'{value}"
    return value


def _moment(request: HttpRequest, name: str, zone: str) -> str | Refusal | None:
    given = text_of(request, name, 16)
    if not given:
        return None
    try:
        local = datetime.strptime(given, LOCAL).replace(tzinfo=ZoneInfo(zone))
    except ValueError:
        return Refusal(
            "tournaments.door_invalid",
            {"field": name, "found": given, "allowed": "2026-07-04T09:30"},
        )
    return clock.as_text(local)


def _changes(request: HttpRequest, zone: str) -> dict[str, Any] | Refusal:
    """Read the form into the policy; times are in the zone of the event."""
    values: dict[str, Any] = {}
    for name in TIMES:
        moment = _moment(request, name, zone)
        if isinstance(moment, Refusal):
            return moment
        values[name] = moment
    currency = text_of(request, "currency", 3).upper() or "EUR"
    fee = door_money.amount_read(text_of(request, "fee", 20) or "0", currency)
    prizes = door_policy.prizes_read(request.POST.get("prizes", "")[:20_000])
    if isinstance(fee, Refusal):
        return fee
    if isinstance(prizes, Refusal):
        return prizes
    return values | {
        "capacity": number_of(request, "capacity"),
        "offer_minutes": number_of(request, "offer_minutes") or 15,
        "fee": fee,
        "currency": currency,
        "notice_version": text_of(request, "notice_version", 40),
        "notice": text_of(request, "notice", 5000).replace("\r\n", "\n"),
        "eligibility": request.POST.get("eligibility") == "1",
        "prizes": [
            {"least": one.least, "first": one.first, "last": one.last, "text": one.text}
            for one in prizes
        ],
    }


def _shown(request: HttpRequest, viewer: Actor, event_id: str, zone: str) -> dict[str, Any]:
    if request.method == "POST":
        return {**request.POST.dict(), "eligibility": request.POST.get("eligibility") == "1"}
    policy = selectors.door_now(viewer, event_id).policy
    values: dict[str, Any] = {
        "capacity": policy.capacity or "",
        "offer_minutes": policy.offer_minutes,
        "fee": door_money.amount_text(policy.fee, policy.currency) if policy.fee else "",
        "currency": policy.currency,
        "notice_version": policy.notice_version,
        "notice": policy.notice,
        "eligibility": policy.eligibility,
        "prizes": door_policy.prizes_text(policy.prizes),
    }
    for name in TIMES:
        held = getattr(policy, name)
        local = timezone.localtime(clock.from_text(held), ZoneInfo(zone)) if held else None
        values[name] = local.strftime(LOCAL) if local else ""
    return values


@guarded("tournaments.event_run")
@never_cache
@require_http_methods(["GET", "POST"])
def policy(request: HttpRequest, event_id: str) -> HttpResponse:
    """What holds at the door: windows, seats, fee, notice, prizes."""
    viewer = actor_of(request)
    context = staff_frame(request, viewer, event_id)
    require(viewer, "tournaments.event_run", Subject(event_id))
    zone = context["event"].zone
    form = Form()
    if request.method == "POST":

        def changed() -> Sent:
            values = _changes(request, zone)
            if isinstance(values, Refusal):
                return Sent(refusal=values)
            return send(request, "organiser", services.door_set, event_id=event_id, changes=values)

        said = {"set": gettext_lazy("The door is changed.")}
        refused = perform(request, {"set": changed}, said)
        if refused is None:
            return redirect(request.path)
        form = refused
    context |= {
        "form": form,
        "values": _shown(request, viewer, event_id, zone),
        "field": selectors.field_moved(viewer, event_id),
    }
    return render(request, "tournaments/door_policy.html", context, status=form.status)


@guarded("tournaments.suspensions_manage")
@never_cache
@require_http_methods(["GET", "POST"])
def suspended(request: HttpRequest) -> HttpResponse:
    """The list of suspended ids of the site, and the form that replaces it."""
    viewer = actor_of(request)
    require(viewer, "tournaments.suspensions_manage")
    form = Form()
    if request.method == "POST":
        content = request.POST.get("content", "").replace("\x00", "")
        acts = {
            "import": lambda: send(
                request, "organiser", services.suspensions_import, content=content
            )
        }
        said = {"import": gettext_lazy("The list is replaced.")}
        refused = perform(request, acts, said)
        if refused is None:
            return redirect(request.path)
        form = refused
    rows = services.suspensions.suspensions(viewer)
    context = {"form": form, "posted": request.POST, "rows": rows, "today": clock.now().date()}
    return render(request, "tournaments/suspended.html", context, status=form.status)


def door_link(request: HttpRequest, event_id: str, code: str) -> str:
    """Return the address that a QR code of a player carries."""
    path = reverse("staff:door", args=[event_id])
    return request.build_absolute_uri(f"{path}?{urlencode({'q': code})}")
