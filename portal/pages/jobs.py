"""Background work: all of it for the site's organiser, that of an event, one job."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from eventstore import jobfiles
from eventstore.domain import work as states
from eventstore.domain.refusal import Refused
from eventstore.models import OutboxRow
from people.access import may
from people.domain.actor import Actor
from people.domain.permissions import Subject
from people.guard import guarded
from people.posts import Form, send, text_of
from people.selectors import names
from people.web import actor_of
from portal import job_words, work
from portal.findings import finding_words
from portal.wording import refusal_text
from tournaments import rechecks
from tournaments.pages.common import paged, staff_frame
from tournaments.selectors import hand_ins


@dataclass(frozen=True, slots=True)
class Line:
    """A job in words. `share` is per cent done, None where it tells no progress."""

    row: OutboxRow
    title: str
    outcome: str
    share: int | None
    open: bool
    asked_by: str


def _lines(viewer: Actor, rows: Sequence[OutboxRow]) -> list[Line]:
    known = names(row.asked_by for row in rows if row.asked_by)
    return [
        Line(
            row,
            job_words.title(row.topic, row.about),
            job_words.outcome(work.found_by(viewer, row)),
            row.progress * 100 // row.total if row.total else None,
            row.state in states.OPEN,
            known.get(row.asked_by, ""),
        )
        for row in rows
    ]


def _listed(request: HttpRequest, viewer: Actor, rows: Any, zone: str = "") -> dict[str, Any]:
    page = paged(request, rows)
    lines = _lines(viewer, list(page.object_list))
    moves = any(one.open for one in lines)
    return {"page": page, "lines": lines, "moves": moves, "zone": zone}


@guarded("portal.jobs_read")
@never_cache
@require_GET
def jobs(request: HttpRequest) -> HttpResponse:
    """What somebody asked for on this site, and what failed."""
    viewer = actor_of(request)
    context = _listed(request, viewer, work.jobs_of_site(viewer))
    return render(request, "portal/jobs.html", context)


@guarded("portal.event_jobs_read")
@never_cache
@require_GET
def event_jobs(request: HttpRequest, event_id: str) -> HttpResponse:
    """The background work of an event."""
    viewer = actor_of(request)
    rows = work.jobs_of_event(viewer, event_id)
    context = staff_frame(request, viewer, event_id)
    context |= _listed(request, viewer, rows, context["event"].zone)
    return render(request, "portal/event_jobs.html", context)


@guarded("portal.job_read")
@never_cache
@require_http_methods(["GET", "POST"])
def job(request: HttpRequest, job: int) -> HttpResponse:
    """One job: how far it is, and what it found; started again by the site's organiser."""
    viewer = actor_of(request)
    row, form = work.job_of(viewer, job), Form()
    if request.method == "POST":
        sent = send(request, "organiser", work.job_start_again, job_id=job)
        if sent.refusal is None:
            return redirect(request.path)
        form = Form("again", sent.refusal)
    (line,) = _lines(viewer, [row])
    found = work.found_by(viewer, row)
    context = {
        "form": form,
        "line": line,
        "row": row,
        "found": found,
        "changed": _changed(viewer, row, found),
        "file": _file_kept(found),
        "may_start": row.state == states.GIVEN_UP
        and may(viewer, work.START_AGAIN, Subject(row.event_id or None)),
        "may_see_fault": may(viewer, "portal.jobs_read", Subject()),
        "may_list": may(viewer, "portal.jobs_read", Subject()),
        "may_list_event": bool(row.event_id)
        and may(viewer, "portal.event_jobs_read", Subject(row.event_id)),
    }
    return render(request, "portal/job.html", context, status=form.status)


def _changed(viewer: Actor, row: OutboxRow, found: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the lists that a check of all lists found changed, with the names of their
    entrants."""
    if row.topic != rechecks.TOPIC or not found:
        return []
    lists = found.get("params", {}).get("lists", [])
    if not lists:
        return []
    known = {one.side.entrant_id: one.side.name for one in hand_ins(viewer, row.event_id)}
    return [
        {
            "entrant_id": one["entrant_id"],
            "name": known.get(one["entrant_id"], ""),
            "before": [finding_words({"code": code}).title for code in one["before"]],
            "now": [finding_words({"code": code}).title for code in one["now"]],
        }
        for one in lists
    ]


def _file_kept(found: dict[str, Any]) -> str:
    """Say whether there is a file to download: `there`, `gone`, or nothing at all."""
    name = str(found.get("params", {}).get("file", ""))
    if not name:
        return ""
    return "there" if jobfiles.there(name) else "gone"


@guarded("portal.job_read")
@never_cache
@require_GET
def job_file(request: HttpRequest, job: int) -> HttpResponse:
    """The file that a job made, for whoever may see its content now."""
    viewer = actor_of(request)
    try:
        held = work.download(viewer, job)
    except Refused:
        held = None
    if held is None:
        return redirect("portal:job", job)
    answer = HttpResponse(held.content, content_type=held.content_type)
    answer["Content-Disposition"] = f'attachment; filename="{held.name}"'
    return answer


@guarded("tournaments.event_run")
@never_cache
@require_POST
def archive(request: HttpRequest, event_id: str) -> HttpResponse:
    """Ask for the archive of an event."""
    sent = send(request, "organiser", work.file_ask, topic=work.ARCHIVE, event_id=event_id)
    if sent.refusal is not None:
        messages.error(request, refusal_text(sent.refusal))
        return redirect("staff:files", event_id)
    return redirect("portal:job", sent.result)


@guarded("decks.lists_recheck")
@never_cache
@require_POST
def recheck(request: HttpRequest, event_id: str) -> HttpResponse:
    """Ask for a check of every list of an event."""
    sent = send(
        request,
        "organiser",
        rechecks.lists_recheck,
        event_id=event_id,
        banlist_id=text_of(request, "banlist_id", 80),
    )
    if sent.refusal is not None:
        messages.error(request, refusal_text(sent.refusal))
        return redirect("staff:lists", event_id)
    return redirect("portal:job", sent.result)
