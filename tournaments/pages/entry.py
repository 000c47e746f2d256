"""What was written on paper, typed in: the results of a round by table, or a whole round that was
paired on paper. The keyboard is enough, and nothing typed is lost by an error."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID, uuid5

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from eventstore.commands import Context
from eventstore.domain.refusal import Refusal
from people.access import may, require
from people.domain.permissions import Subject
from people.guard import guarded
from people.posts import Form, Sent, send, text_of
from people.web import actor_of
from tournaments import selectors, services
from tournaments.domain.event import CHECKED_IN, RUNNING
from tournaments.domain.hall import paper_round, slips
from tournaments.domain.hall.paper_round import PaperRound, Row, Somebody
from tournaments.pages.common import number_in, staff_frame
from tournaments.selectors import PairingLine, RoundView
from tournaments.services.slips import CONFLICT

PAGE = 200
"""Tables of one page of the grid."""


@dataclass(frozen=True, slots=True)
class Line:
    """One table of the grid: what was typed and not kept, and why."""

    line: PairingLine
    code: str
    typed: str
    refusal: Refusal | None


def _command_for(request: HttpRequest, what: str, service: Any, **values: Any) -> Sent:
    """Send one of the many commands of a form: its id is made from that of the form, so that the
    form sent twice has one effect at each table."""

    def run(context: Context, **given: Any) -> Any:
        own = str(uuid5(UUID(context.command_id), what))
        return service(replace(context, command_id=own), **given)

    return send(request, "scorekeeper", run, **values)


def _entered(
    request: HttpRequest, event_id: str, view: RoundView, lines: Mapping[int, str]
) -> tuple[int, dict[int, Refusal]]:
    """Enter the lines of slips by table; returns how many tables are in, and what was refused, or
    differs from a result that somebody else was quicker with, at which."""
    kept, refused = 0, {}
    for one in view.tables:
        if one.table not in lines:
            continue
        sent = _command_for(
            request,
            f"result {one.match_id}",
            services.slip_enter,
            event_id=event_id,
            number=view.row.number,
            line=lines[one.table],
        )
        if sent.refusal is not None:
            refused[one.table] = sent.refusal
        elif sent.result.word == CONFLICT:
            refused[one.table] = Refusal("tournaments.paper_differs", {"table": one.table})
        else:
            kept += 1
    return kept, refused


def _say(request: HttpRequest, kept: int) -> None:
    if kept:
        text = ngettext("%(number)s result is in.", "%(number)s results are in.", kept)
        messages.success(request, text % {"number": kept})


def _typed(request: HttpRequest, field: str) -> str:
    return text_of(request, field, 60)


@guarded("tournaments.result_enter")
@never_cache
@require_http_methods(["GET", "POST"])
def entry(request: HttpRequest, event_id: str) -> HttpResponse:
    """The grid of a published round in table order, or (`paired=paper`) the form for a round
    that was paired on paper."""
    viewer = actor_of(request)
    context = staff_frame(request, viewer, event_id)
    require(viewer, "tournaments.desk_use", Subject(event_id))
    event = context["event"]
    may_pair = may(viewer, "tournaments.round_pair", Subject(event_id))
    context["may_pair"] = may_pair and event.status == RUNNING
    act = request.POST.get("act", "")
    if act not in ("", "results", "round"):
        raise BadRequest(f"no act {act[:40]!r}")
    if act == "round" or (not act and request.GET.get("paired") == "paper"):
        require(viewer, "tournaments.round_pair", Subject(event_id))
        return _paired_on_paper(request, event_id, context)
    return _results(request, event_id, context)


def _results(request: HttpRequest, event_id: str, context: dict[str, Any]) -> HttpResponse:
    viewer, event = actor_of(request), context["event"]
    rounds = [one for one in selectors.rounds_list(viewer, event_id) if one.published]
    number = number_in(request, "round") or event.round
    view = selectors.pairings(viewer, event_id, number) if number else None
    faults: dict[int, Refusal] = {}
    if request.method == "POST" and view is not None:
        lines: dict[int, str] = {}
        for line in view.tables:
            found = paper_round.read_cell(line.table, _typed(request, f"r{line.table}"))
            if isinstance(found, Refusal):
                faults[line.table] = found
            elif found is not None:
                lines[line.table] = found
        kept, refused = _entered(request, event_id, view, lines)
        faults |= refused
        _say(request, kept)
        if not faults:
            return redirect(f"{request.path}?round={number}")
        view = selectors.pairings(viewer, event_id, number)
    return _grid(request, context, view, faults, rounds)


def _grid(
    request: HttpRequest,
    context: dict[str, Any],
    view: RoundView | None,
    faults: Mapping[int, Refusal],
    rounds: Any,
) -> HttpResponse:
    tables = view.tables if view is not None else ()
    wanted = _wanted(request, context, view)
    first = number_in(request, "from") or 0
    shown = [one for one in tables if one.table >= first or one.table in faults][:PAGE]
    rest = [one.table for one in tables if shown and one.table > shown[-1].table]
    event_id = context["event"].pk
    lines = [
        Line(
            one,
            slips.table_code(event_id, view.row.number, one.table) if view is not None else "",
            _typed(request, f"r{one.table}") if one.table in faults or not one.winner else "",
            faults.get(one.table),
        )
        for one in shown
    ]
    focus = min(faults, default=None) or wanted.get("table")
    if focus is None:
        focus = next((one.table for one in shown if not one.winner), None)
    context |= {
        "number": view.row.number if view is not None else 0,
        "rounds": rounds,
        "lines": lines,
        "faults": len(faults),
        "open": sum(not one.winner for one in tables),
        "focus": focus,
        "following": rest[0] if rest else None,
        "form": Form("results", wanted.get("refusal")),
    }
    status = 409 if faults or wanted.get("refusal") else 200
    return render(request, "tournaments/entry.html", context, status=status)


def _wanted(
    request: HttpRequest, context: dict[str, Any], view: RoundView | None
) -> dict[str, Any]:
    """Which table the address asks for, by its number or by the code of its slip."""
    text = request.GET.get("at", "").strip()[:40]
    if not text or view is None:
        return {}
    found = slips.read_code(context["event"].pk, text)
    table = int(text) if text.isascii() and text.isdigit() else None
    if found is not None and found[0] == view.row.number:
        table = found[1]
    if table in {one.table for one in view.tables}:
        return {"table": table}
    return {"refusal": Refusal("tournaments.slip_unknown", {"found": text})}


def _paired_on_paper(request: HttpRequest, event_id: str, context: dict[str, Any]) -> HttpResponse:
    viewer = actor_of(request)
    sheet = selectors.next_sheet(viewer, event_id)
    people = [
        Somebody(side.entrant_id, side.number, side.name)
        for side, _line in sheet.lines
        if side.status == CHECKED_IN
    ]
    read: PaperRound | None = None
    refusal: Refusal | None = None
    if request.method == "POST":
        rows = [
            Row(
                table,
                _typed(request, f"a{table}"),
                _typed(request, f"b{table}"),
                _typed(request, f"r{table}"),
            )
            for table in sheet.tables
        ]
        byes = [one for one in text_of(request, "bye", 400).split(",") if one.strip()]
        read = paper_round.read_round(rows, byes, people)
        if not read.faults:
            sent = _command_for(
                request,
                "round",
                services.round_from_paper,
                event_id=event_id,
                pairs=[list(pair) for pair in read.pairs],
                tables=list(read.tables),
                byes=list(read.byes),
                note=text_of(request, "note", 4000),
            )
            if sent.refusal is None:
                return _round_made(request, event_id, context, sent.result, read)
            refusal = sent.refusal
    faults = read.faults if read is not None else {}
    context |= {
        "form": Form("round", refusal or faults.get("all")),
        "sheet": sheet,
        "rows": [
            {
                "table": table,
                "cells": [
                    (mark, f"{mark}{table}", _typed(request, f"{mark}{table}"),
                     faults.get(f"{mark}{table}"))
                    for mark in ("a", "b", "r")
                ],
            }
            for table in sheet.tables
        ],
        "people": people,
        "bye": text_of(request, "bye", 400),
        "bye_fault": faults.get("bye"),
        "note": text_of(request, "note", 4000),
        "focus": next((one for one in faults if one != "all"), ""),
    }  # fmt: skip
    status = 409 if refusal is not None or faults else 200
    return render(request, "tournaments/entry_round.html", context, status=status)


def _round_made(
    request: HttpRequest, event_id: str, context: dict[str, Any], number: int, read: PaperRound
) -> HttpResponse:
    """The round stands; what came out goes in as in any other, and what is refused stays in the
    grid of that round."""
    viewer = actor_of(request)
    view = selectors.pairings(viewer, event_id, number)
    text = _("Round %(number)s stands as it was paired on paper.") % {"number": number}
    messages.success(request, text)
    kept, refused = _entered(request, event_id, view, read.results)
    _say(request, kept)
    if not refused:
        return redirect(f"{request.path}?round={number}")
    rounds = [one for one in selectors.rounds_list(viewer, event_id) if one.published]
    view = selectors.pairings(viewer, event_id, number)
    return _grid(request, context, view, refused, rounds)
