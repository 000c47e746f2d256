"""Pages of judges: the queue of an event, one call from claim to close, the rulings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from duels import selectors as duels
from eventstore import clock
from judging import selectors, services, wording
from judging import selectors_sheet as sheets
from judging.case import looked_at
from judging.conflicts import conflicts_at
from judging.domain.words import (
    BEFORE_RULING,
    OPEN,
    SEATS,
    Outcome,
    Penalty,
    Remedy,
    Status,
    Target,
)
from judging.floor import ends_of
from judging.matches import ran_s
from judging.packet_reads import packets_due
from judging.packs import pack
from judging.selectors import CallView
from people.access import may
from people.domain.actor import Actor
from people.domain.permissions import JUDGES, Subject
from people.guard import guarded
from people.live import live
from people.posts import Form, Sent, form_id, number_of, perform, send, text_of
from people.web import actor_of
from tournaments import selectors as tournaments
from tournaments.pages.common import paged, staff_frame

NOTE = 4000
LATE = 2
"""Minutes after which somebody who waits for a judge has waited too long."""


@guarded("portal.page_read")
@never_cache
@require_GET
def home(request: HttpRequest) -> HttpResponse:
    """The events one judges in; a single one opens at once."""
    viewer = actor_of(request)
    held = {event for event, roles in viewer.event_roles.items() if _judges(roles)}
    events = [one for one in tournaments.events_list(viewer) if one.pk in held]
    if len(events) == 1:
        return redirect("calls:queue", events[0].pk)
    return render(request, "judging/calls_home.html", {"events": events})


def _heads(viewer: Actor, event_id: str) -> bool:
    return may(viewer, "duels.reveals_read_all", Subject(event_id, public=False))


def _judges(roles: Any) -> bool:
    return bool({role.value for role in roles} & {role.value for role in JUDGES})


def _minutes(since: str, event_id: str) -> int:
    """Whole minutes since a stored moment in which the server was there: one query."""
    away = tournaments.spans_of(event_id)
    return ran_s(since, clock.as_text(clock.now()), away) // 60


QUEUE_SIZE = 30
"""Calls on a page of the queue: nobody works through more at once, and whoever is second for a
call waits for the page again."""
TO_TAKE = (Status.RAISED.value, Status.APPEALED.value, Status.ESCALATED.value)
"""States of a call that a judge can take."""


@guarded("judging.queue_read")
@live("calls")
@never_cache
@require_http_methods(["GET", "POST"])
def queue(request: HttpRequest, event_id: str) -> HttpResponse:
    """The calls that need somebody, oldest first; one tap takes the top one."""
    viewer = actor_of(request)
    form = Form()
    if request.method == "POST":
        call_id = text_of(request, "call_id", 36)
        refused = perform(
            request,
            {"claim": lambda: send(request, "judge", services.call_claim, call_id=call_id)},
            {"claim": gettext_lazy("The call is yours.")},
        )
        if refused is None:
            match_id, appealed = selectors.call_place(viewer, call_id)
            if appealed:
                return redirect("calls:call", call_id)
            return redirect("calls:sheet", event_id, match_id)
        form = refused
    context = staff_frame(request, viewer, event_id)
    items = selectors.queue(viewer, event_id)
    takes = may(viewer, "judging.call_take", Subject(event_id, public=False))
    page = paged(request, items, QUEUE_SIZE)
    ends = ends_of(viewer, event_id)
    against = conflicts_at(
        viewer.person_id or "", event_id, {one.call_id: one.entrants for one in page}
    )
    context |= {
        "form": form,
        "items": [
            {
                "call": one,
                "minutes": one.waited_s // 60,
                "time": ends.get(one.match_id),
                "conflicts": against.get(one.call_id, ()),
                "late": one.state == Status.RAISED and one.waited_s // 60 >= LATE,
            }
            for one in page
        ],
        "page": page,
        "may_audit": may(viewer, "judging.audit_read", Subject(event_id, public=False)),
        "looks": looked_at(viewer, event_id) if _heads(viewer, event_id) else [],
        "loads": sheets.loads(viewer, event_id),
        "packets": packets_due(viewer, event_id),
        "forgotten": sheets.forgotten_calls(viewer, event_id),
        "waiting": sum(one.state == Status.RAISED for one in items),
        "takes": TO_TAKE if takes else (),
        "may_take": takes,
        "may_staff": may(viewer, "people.role_grant", Subject(event_id, public=False)),
        "me": viewer.person_id,
    }
    return render(request, "judging/queue.html", context, status=form.status)


@guarded("judging.queue_read")
@never_cache
@require_GET
def rulings(request: HttpRequest, event_id: str) -> HttpResponse:
    """Every ruling of the event in words, newest first; those that wait come first."""
    viewer = actor_of(request)
    context = staff_frame(request, viewer, event_id)
    found = selectors.rulings(viewer, event_id)
    told = [
        {"ruling": one, "text": wording.ruling_text(one, pack(one.pack, one.pack_version))}
        for one in found
    ]
    context["told"] = sorted(told, key=lambda one: one["ruling"].approval != "pending")  # type: ignore[attr-defined]
    return render(request, "judging/rulings.html", context)


def _ruling_values(request: HttpRequest) -> dict[str, Any]:
    """Read the ruling form into the keywords of ruling_make and appeal_rule."""

    def maybe(name: str, limit: int = 40) -> str | None:
        return text_of(request, name, limit) or None

    remedy = text_of(request, "remedy", 20) or Remedy.PLAY_ON.value
    infraction = maybe("infraction")
    rewinding = remedy == Remedy.REWIND.value
    return {
        "ruling_id": form_id(request, "ruling_id"),
        "rule_id": maybe("rule_id"),
        "infraction": infraction,
        "infraction_kind": maybe("infraction_kind") if infraction else None,
        "penalty": maybe("penalty"),
        "target": maybe("target"),
        "target_entrant": maybe("target_entrant"),
        "remedy": remedy,
        "duel_id": maybe("duel_id") if rewinding else None,
        "rewind_to": number_of(request, "rewind_to") if rewinding else None,
        "cites": [one for one in text_of(request, "cites", 200).split() if one],
        "self_reported": request.POST.get("self_reported") == "1",
        "note": text_of(request, "note", NOTE + 1),
        "facts_agreed": text_of(request, "facts_agreed", NOTE + 1),
        "facts_disputed": text_of(request, "facts_disputed", NOTE + 1),
    }


def _acts(request: HttpRequest, call_id: str) -> dict[str, Any]:
    def run(service: Any, **values: Any) -> Sent:
        return send(request, "judge", service, call_id=call_id, **values)

    def seat() -> str | None:
        return text_of(request, "seat", 2) or None

    def arrive() -> Sent:
        minutes = number_of(request, "minutes_left")
        return run(services.call_arrive, time_left_s=None if minutes is None else minutes * 60)

    def close() -> Sent:
        minutes, real = number_of(request, "extension"), number_of(request, "real_minutes")
        return run(
            services.call_close,
            extension_s=None if minutes is None else minutes * 60,
            reason=text_of(request, "reason", NOTE + 1),
            real_s=None if real is None else real * 60,
        )

    def appeal_ruled() -> Sent:
        outcome = text_of(request, "outcome", 20)
        values = _ruling_values(request)
        if outcome == Outcome.UPHELD.value:
            values = {"note": values["note"], "cites": values["cites"]}
        return run(services.appeal_rule, outcome=outcome, **values)

    ruling_id = text_of(request, "ruling_id", 36)
    return {
        "claim": lambda: run(services.call_claim),
        "arrive": arrive,
        "give_back": lambda: run(services.call_give_back),
        "escalate": lambda: run(services.call_escalate, note=text_of(request, "note", NOTE + 1)),
        "rule": lambda: run(services.ruling_make, **_ruling_values(request)),
        "appeal_rule": appeal_ruled,
        "accept": lambda: run(services.ruling_accept, seat=seat()),
        "appeal": lambda: run(
            services.call_appeal, seat=seat(), reason=text_of(request, "reason", NOTE + 1)
        ),
        "approve": lambda: run(services.penalty_approve, ruling_id=ruling_id),
        "decline": lambda: run(
            services.penalty_decline,
            ruling_id=ruling_id,
            reason=text_of(request, "reason", NOTE + 1),
        ),
        "close": close,
    }


DONE: Mapping[str, Any] = {
    "claim": gettext_lazy("The call is yours."),
    "arrive": gettext_lazy("You are at the table; the clock of the call runs."),
    "give_back": gettext_lazy("The call is back in the queue."),
    "escalate": gettext_lazy("The head judge has the call."),
    "rule": gettext_lazy("The ruling is recorded."),
    "appeal_rule": gettext_lazy("The appeal is decided. This is final."),
    "accept": gettext_lazy("The acceptance is recorded."),
    "appeal": gettext_lazy("The appeal is with the head judge."),
    "approve": gettext_lazy("The penalty is in force."),
    "decline": gettext_lazy("The penalty is declined."),
    "close": gettext_lazy("The call is closed."),
}


@guarded("judging.call_take")
@never_cache
@require_http_methods(["GET", "POST"])
def call(request: HttpRequest, call_id: str) -> HttpResponse:
    """One call: who, since when, the logs of the duels, the ruling form, approval, close."""
    viewer = actor_of(request)
    view = selectors.call_detail(viewer, call_id)
    context = staff_frame(request, viewer, view.event_id)
    form = Form()
    if request.method == "POST":
        refused = perform(request, _acts(request, call_id), DONE)
        if refused is None:
            return redirect("calls:call", call_id)
        form = refused
        view = selectors.call_detail(viewer, call_id)
    match = tournaments.match_detail(viewer, view.match_id)
    used = pack(view.pack, view.pack_version)
    context |= {
        "form": form,
        # A finding of a deck check comes as the query of the address.
        "posted": request.POST or request.GET,
        "call": view,
        "match": match,
        "duels": [one for one in match.duels if one["duel_id"]],
        "replays": duels.imported_rows(viewer, view.match_id),
        "table_clock": selectors.table_clock(viewer, call_id),
        "minutes": _minutes(view.raised_at, view.event_id),
        "seats": list(zip(SEATS, view.entrants, view.players, strict=True)),
        "told": [{"ruling": one, "text": wording.ruling_text(one, used)} for one in view.rulings],
        "infractions": [
            {"code": code, "label": wording.infraction_label(used, code), "one": one}
            for code, one in used.infractions.items()
        ],
        "rules": selectors.citable_rules(viewer, view.event_id),
        "remedies": [one.value for one in Remedy],
        "penalties": [one.value for one in Penalty],
        "targets": [one.value for one in Target],
        "outcomes": [one.value for one in Outcome],
        **_may(viewer, view),
    }
    if context["may_close"]:
        preview = selectors.extension_preview(viewer, call_id)
        context |= {"extension": preview, "extension_minutes": preview.seconds // 60}
        context["left_open"] = selectors.is_left_open(viewer, call_id)
    return render(request, "judging/call.html", context, status=form.status)


def _may(viewer: Actor, view: CallView) -> dict[str, Any]:
    """Which buttons the viewer gets; the services decide again."""
    subject = Subject(view.event_id, public=False)
    takes = may(viewer, "judging.call_take", subject) and view.seat is None
    mine = view.claimed_by == viewer.person_id
    head = may(viewer, "judging.penalty_approve", subject) and view.seat is None
    ruled = view.state in (Status.RULED, Status.HJ_RULED)
    return {
        "open": view.state in OPEN,
        "may_plan": takes,
        "may_claim": takes and view.state in (Status.RAISED, Status.APPEALED, Status.ESCALATED),
        "may_arrive": takes and mine and view.state in (Status.CLAIMED, Status.HJ_CLAIMED),
        "may_give_back": takes and mine and view.state in BEFORE_RULING,
        "may_rule": takes
        and mine
        and view.state in (Status.AT_TABLE, Status.HJ_CLAIMED)
        and not _appealed(view),
        "may_rule_again": takes and mine and ruled and not _appealed(view),
        "may_rule_appeal": takes
        and mine
        and head
        and view.state == Status.HJ_CLAIMED
        and _appealed(view),
        "may_escalate": takes and mine and view.state in (Status.CLAIMED, Status.AT_TABLE),
        "may_approve": head,
        "may_rewind": may(viewer, "judging.rewind_order", subject),
        "may_close": takes and ruled,
        "ruled": ruled,
    }


def _appealed(view: CallView) -> bool:
    return bool(view.appealed_at)
