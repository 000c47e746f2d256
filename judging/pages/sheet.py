"""The table sheet: found by a number, then one button for what comes next.

Its forms go out through the queue of the page (portal/static/portal/live.js): without a server
they wait there, and each act tells how old it is when it comes in.
"""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from judging import selectors_sheet as selectors
from judging import sheet as services
from judging import wording
from judging.domain.policy import Pack
from judging.domain.sheet import SET_BACK_MINUTES
from judging.domain.words import Status, Target
from judging.matches import plays_at
from judging.packbook import open_paths
from judging.packs import UnknownPack
from judging.selectors import is_left_open
from judging.selectors_sheet import SheetView
from people.guard import guarded
from people.live import live
from people.posts import Form, Sent, form_id, number_of, perform, send, text_of
from people.web import actor_of
from tournaments.pages.common import frame

NOTE = 4000
STATES = {"raised": "wait", "escalated": "wait", "appealed": "wait", "claimed": "run"}


def typed_number(text: str) -> int | None:
    """Read the number of a table as it was typed, or out of the scanned address of its code
    (`.../table/47/`); None for anything else."""
    last = text.strip().rstrip("/").rpartition("/")[2]
    return int(last) if last.isascii() and last.isdigit() and len(last) <= 6 else None


@guarded("judging.call_take")
@live("calls", "board")
@never_cache
@require_GET
def find(request: HttpRequest, event_id: str) -> HttpResponse:
    """The number pad: a table number, typed or scanned, opens its sheet. Nothing else on the
    page acts, so that it can go into a pocket."""
    viewer = actor_of(request)
    _home, context = frame(request, viewer, event_id)
    wanted = request.GET.get("number", "")[:200]
    number = typed_number(wanted)
    match_id = selectors.find_table(viewer, event_id, number) if number is not None else None
    if match_id is not None and plays_at(viewer.person_id, match_id):
        # who judges and plays is a player at the own table, whatever code was scanned
        return redirect("my_calls:call", event_id)
    if match_id is not None:
        return redirect("calls:sheet", event_id, match_id)
    context |= {
        "wanted": wanted,
        "missing": bool(wanted),
        "known": selectors.tables(viewer, event_id),
        "last_tables": selectors.last_tables(viewer, event_id),
        "forgotten": selectors.forgotten_calls(viewer, event_id),
    }
    return render(request, "judging/find.html", context, status=404 if wanted else 200)


def _numbers(text: str) -> list[int]:
    """Read a column of running totals; what is no number is left out."""
    parts = text.replace(",", " ").replace(";", " ").split()
    return [int(one) for one in parts if one.isascii() and one.isdigit() and len(one) <= 7][:80]


def _acts(request: HttpRequest, match_id: str) -> dict[str, Any]:
    def run(service: Any, **values: Any) -> Sent:
        return send(request, "judge", service, match_id=match_id, **values)

    def call_id() -> str:
        return form_id(request, "call_id")

    def start() -> Sent:
        ago = number_of(request, "minutes_ago") or 0
        return run(services.sheet_start, call_id=call_id(), minutes_ago=ago)

    def done() -> Sent:
        minutes, real = number_of(request, "extension"), number_of(request, "real_minutes")
        return run(
            services.sheet_done,
            extension_s=None if minutes is None else minutes * 60,
            reason=text_of(request, "reason", NOTE + 1),
            real_s=None if real is None else real * 60,
        )

    def rule() -> Sent:
        code, _slash, kind = text_of(request, "preset", 90).partition("/")
        return run(
            services.sheet_rule,
            call_id=call_id(),
            infraction=code,
            infraction_kind=kind or None,
            seat=text_of(request, "seat", 2),
            target=text_of(request, "target", 40) or None,
            note=text_of(request, "note", NOTE + 1),
            done=request.POST.get("done") == "1",
            ruling_id=form_id(request, "ruling_id"),
        )

    def lp() -> Sent:
        return run(
            services.sheet_lp,
            about=text_of(request, "about", 2),
            first=_numbers(text_of(request, "first", 600)),
            second=_numbers(text_of(request, "second", 600)),
            entry_id=form_id(request, "entry_id"),
        )

    return {
        "start": start,
        "done": done,
        "rule": rule,
        "lp": lp,
        "note": lambda: run(
            services.sheet_note,
            note=text_of(request, "note", NOTE + 1),
            entry_id=form_id(request, "entry_id"),
        ),
        "head_judge": lambda: run(
            services.sheet_call_head_judge,
            call_id=call_id(),
            note=text_of(request, "note", NOTE + 1),
        ),
        "undo": lambda: run(services.sheet_undo, command_id=text_of(request, "command", 36)),
    }


def _done(result: Any) -> str:
    if not result.extension_s:
        return _("Play goes on, no extra time.")
    text = _("Play goes on, +%(minutes)d:%(seconds)02d given.")
    return text % {"minutes": result.extension_s // 60, "seconds": result.extension_s % 60}


def _ruled(result: Any) -> str:
    if result.approval == "pending":
        return _("The head judge is asked. The clock keeps running.")
    penalty = wording.word(wording.PENALTIES, result.penalty or "")
    if result.state == Status.CLOSED:
        return f"{penalty}. {_done(result)}"
    return penalty


DONE = {
    "start": gettext_lazy("The stopwatch runs."),
    "done": _done,
    "rule": _ruled,
    "lp": gettext_lazy("The totals are kept."),
    "note": gettext_lazy("The note is kept."),
    "head_judge": gettext_lazy("The head judge is called. The clock keeps running."),
    "undo": gettext_lazy("Taken back."),
}


FOR_HEAD_JUDGE = (Status.ESCALATED.value, Status.APPEALED.value)
"""States of a call that nobody has and that only the head judge takes."""


def _presets(pack: Pack, unsure: frozenset[str], approves: bool) -> list[dict[str, Any]]:
    """Every infraction and kind of a pack: those offered first, then all by the pack's order.
    `unsure`: the paths of values that nobody has confirmed; `approves`: the viewer's own penalties
    need nobody else's approval."""
    every = [f"{code}/{kind}" for code, one in pack.infractions.items() for kind in one.kinds]
    ordered = [*pack.presets, *(one for one in every if one not in pack.presets)]
    rows = []
    for at, value in enumerate(ordered):
        code, _slash, kind = value.partition("/")
        known = pack.infractions[code]
        rows.append(
            {
                "value": value,
                "code": code,
                "kind": kind,
                "first": at < len(pack.presets),
                "unsure": bool({"infractions", f"infractions.{code}"} & unsure),
                "base": known.base.value,
                "label": wording.infraction_label(pack, code),
                "english": known.label["en"],
                "pending": not approves and pack.needs_approval(known.base, code),
            }
        )
    return rows


def _phase(view: SheetView, approves: bool) -> str:
    """Which button the sheet shows: start, run (the viewer's clock runs), other (another judge
    is there, or the call waits for the head judge, who `approves`), over (the match has a
    result)."""
    if view.call is not None and view.call.claimed_by:
        if not view.mine:
            return "other"
        return "run" if view.watch is not None and view.call.state != "claimed" else "start"
    if view.call is not None and view.call.state in FOR_HEAD_JUDGE and not approves:
        return "other"
    return "start"


@guarded("judging.call_take")
@live("calls", "desk")
@never_cache
@require_http_methods(["GET", "POST"])
def sheet(request: HttpRequest, event_id: str, match_id: str) -> HttpResponse:
    """One table: who plays, what is left, the button for what comes next, six tools."""
    viewer = actor_of(request)
    if selectors.may_judge(viewer, match_id).event_id != event_id:
        raise Http404
    form = Form()
    if request.method == "POST":
        refused = perform(request, _acts(request, match_id), DONE)
        if refused is None:
            return redirect("calls:sheet", event_id, match_id)
        form = refused
    _home, context = frame(request, viewer, event_id)
    try:
        view = selectors.sheet(viewer, match_id)
    except UnknownPack:
        return redirect("calls:pack", event_id)
    unsure = open_paths(event_id, view.pack)
    spoken = [
        {"player": player, "language": language}
        for player in view.players
        for language in player.languages
    ]
    one_each = {row["language"]: row for row in reversed(spoken)}
    approves = selectors.approves(viewer, event_id)
    context |= {
        "form": form,
        "view": view,
        "match": view.detail.row,
        "last_tables": view.last_tables,
        "phase": _phase(view, approves),
        "presets": _presets(view.pack, unsure, approves),
        "unsure": len(unsure),
        "posted": request.POST,
        "spoken": [row for row in spoken if one_each[row["language"]] is row],
        "left_open": view.mine
        and view.call is not None
        and is_left_open(viewer, view.call.call_id),
        "ago": SET_BACK_MINUTES[1:],
        "targets": [one.value for one in Target],
        "digits": "123456789",
        "band": STATES.get(view.call.state, "run") if view.call else "run",
    }
    return render(request, "judging/sheet.html", context, status=form.status)


@guarded("judging.call_take")
@never_cache
@require_GET
def count(request: HttpRequest, event_id: str, match_id: str) -> HttpResponse:
    """The fragment shown once a penalty is chosen: what stands against the player already, and
    who must approve."""
    viewer = actor_of(request)
    code, _slash, kind = request.GET.get("preset", "")[:90].partition("/")
    seat = request.GET.get("seat", "")[:2]
    try:
        found = selectors.counted(
            viewer, match_id, seat=seat, infraction=code, infraction_kind=kind
        )
    except LookupError:
        raise Http404 from None
    return render(request, "judging/sheet_count.html", {"counted": found})
