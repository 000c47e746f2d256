"""A player's calls: raise one, see how far it is, answer a ruling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from eventstore.prepared import Bound, ask
from judging import selectors, services, statements, wording
from judging.case import told_of_looks
from judging.domain.words import CALLABLE, OPEN
from judging.matches import chosen_packs, frozen_packs
from judging.packs import pack
from judging.pad import closed as pad_closed
from judging.pad import on_paper
from judging.selectors import CallView
from people.access import NotAllowed
from people.domain.actor import Actor
from people.guard import guarded
from people.live import live
from people.posts import Form, Sent, form_id, perform, send, text_of
from people.web import actor_of
from tournaments.beside import Rows
from tournaments.models import MatchRow
from tournaments.pages.player import match_meant, own, put_away
from tournaments.selectors import EventHome, my_match, own_matches

ANSWERABLE = ("ruled",)
PLAYED_IN = ("running", "cut")


def _told(view: CallView, looked: set[str]) -> dict[str, Any]:
    """Return a call with its rulings in words, which answers are open to the viewer, and whether
    its policy lets the viewer know that a judge looked at hidden cards."""
    ruled = view.state in ANSWERABLE and view.seat is not None
    final = view.rulings[-1].final if view.rulings else False
    return {
        "call": view,
        "open": view.state in OPEN,
        "looked": view.call_id in looked,
        "rulings": [
            {"ruling": one, "text": wording.ruling_text(one, pack(one.pack, one.pack_version))}
            for one in view.rulings
        ],
        "may_accept": ruled and view.seat not in view.accepted,
        "may_appeal": ruled and not final and view.seat not in view.accepted,
        "may_withdraw": bool(view.raised_by) and view.state in ("raised", "claimed", "at_table"),
    }


def _calls(viewer: Actor, event_id: str, ids: Sequence[str] | None = None) -> list[dict[str, Any]]:
    calls = selectors.my_calls(viewer, event_id, ids)
    looked = told_of_looks(calls)
    return [_told(one, looked) for one in calls]


def _raised(result: Any) -> str:
    if result.merged:
        return _("A judge is called already; your call was joined to it.")
    return _("A judge is called. Stay at your table and do not touch the cards.")


DONE = {
    "raise": _raised,
    "withdraw": gettext_lazy("Your call is taken back."),
    "accept": gettext_lazy("You have accepted the ruling."),
    "appeal": gettext_lazy("The head judge is called."),
}


@guarded("judging.call_raise")
@live("mine", "round")
@never_cache
@require_http_methods(["GET", "POST"])
def call(request: HttpRequest, event_id: str) -> HttpResponse:
    """Call a judge to my table; the calls of my tables with state and ruling."""
    viewer = actor_of(request)
    held, context = own(request, viewer, event_id)
    bare = put_away(request, viewer, held, context)
    if bare is not None:
        return bare
    detail = my_match(viewer, event_id, held)
    form = Form()
    if request.method == "POST":
        meant = match_meant(request, viewer, event_id)
        refused = perform(request, _acts(request, meant.row.pk if meant else None), DONE)
        if refused is None:
            return redirect("my_calls:call", event_id)
        form = refused
    calls = _calls(viewer, event_id)
    context |= {
        "form": form,
        "posted": request.POST,
        "detail": detail,
        "calls": calls,
        "earlier": [one for one in calls if not one["open"]],
        "open_call": next((one for one in calls if one["open"]), None),
        "categories": [one.value for one in CALLABLE],
        "statement_asked": statements.is_asked(viewer, event_id),
    }
    return render(request, "judging/my_calls.html", context, status=form.status)


def _acts(request: HttpRequest, match_id: str | None) -> dict[str, Any]:
    def run(service: Any, **values: Any) -> Sent:
        return send(request, "player", service, call_id=text_of(request, "call_id", 36), **values)

    def raised() -> Sent:
        if match_id is None:
            raise BadRequest("no match to call to")
        return send(
            request,
            "player",
            services.call_raise,
            call_id=form_id(request, "call_id"),
            match_id=match_id,
            kind=text_of(request, "kind", 20) or "ruling",
            category=text_of(request, "category", 20) or "rules",
            head_judge_wanted=request.POST.get("head_judge") == "1",
        )

    return {
        "raise": raised,
        "withdraw": lambda: run(services.call_withdraw),
        "accept": lambda: run(services.ruling_accept),
        "appeal": lambda: run(services.call_appeal, reason=text_of(request, "reason", 4000)),
    }


@guarded("judging.call_read")
@never_cache
@require_GET
def panel(request: HttpRequest, event_id: str) -> HttpResponse:
    """The part of the match page about my calls, by itself."""
    viewer = actor_of(request)
    along = [own_matches.bind(viewer.person_id or "-", event_id)]
    held, context = own(request, viewer, event_id, along)
    if put_away(request, viewer, held, context) is not None:
        return HttpResponse()
    return HttpResponse(part(request, held, ask(*needs(viewer, held))))


def needs(viewer: Actor, held: EventHome) -> list[Bound]:
    """Return what `part` looks up: the viewer's calls, whether a statement is asked for, and while
    the event is played what its policy pack is."""
    person_id, row = viewer.person_id or "-", held.row
    found = [
        selectors.own_calls.bind(person_id, row.pk),
        statements.waiting.bind(row.pk, person_id),
    ]
    if row.status in PLAYED_IN:
        found += [frozen_packs.bind(row.pk), chosen_packs.bind(row.pk)]
    return found


def _pad(held: EventHome, packs: Rows) -> str:
    """Say `open` where a pad is open or can be opened, else why not; empty while nothing is
    played, and without a match."""
    match = next((one for rows in held.along for one in rows if isinstance(one, MatchRow)), None)
    if not packs or match is None:
        return ""
    row = held.row
    return pad_closed(row, match, on_paper(row.pk, row.pack, packs)) or "open"


def part(request: HttpRequest, held: EventHome, found: Rows) -> SafeString:
    """Return what the match page shows of the viewer's calls: a statement that is asked for, the
    pad or why there is none, extra time, the open call, else the last ruling at my tables. Empty
    for nothing, and for somebody who may read no calls. `found`: the rows that it `needs`."""
    viewer, row = actor_of(request), held.row
    ids, waiting, *packs = found
    try:
        calls = _calls(viewer, row.pk, ids)
    except NotAllowed:
        return SafeString()
    given = [one["call"].extension_s for one in calls if one["call"].round == row.round]
    shown = next(
        (one for one in calls if one["open"]), next((one for one in calls if one["rulings"]), None)
    )
    context = {
        "event": row,
        "shown": shown,
        "statement_asked": bool(waiting),
        "pad": _pad(held, packs),
        "extension_minutes": sum(given) // 60,
    }
    return render_to_string("judging/my_panel.html", context)
