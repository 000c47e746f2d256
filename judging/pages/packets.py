"""Pages of disqualification packets: all of an event, one with its checklist, one as a document."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from judging import packet_reads as reads
from judging import packets as service
from judging.domain.packet import HOWS, KINDS, ROLES
from people import selectors as people
from people.domain.actor import Actor
from people.guard import guarded
from people.posts import Form, Sent, perform, send, text_of
from people.web import actor_of
from tournaments.pages.common import staff_frame
from tournaments.pages.paper import one_file
from tournaments.selectors import roster

TEXT = 4001


def _others(viewer: Actor, event_id: str, inside: set[str]) -> list[tuple[str, str]]:
    """Return who else of the event could be involved, id and name, sorted by name; of ids of one
    human that were merged the one that stays."""
    entrants = [line.side.persons for line in roster(viewer, event_id)]
    names = people.names(person for persons in entrants for person in persons)
    found: list[tuple[str, str]] = []
    for persons in entrants:
        humans: dict[str, list[str]] = {}
        for one in persons:  # the id that stays stands first, and the merged one has its name
            humans.setdefault(names.get(one, "?"), []).append(one)
        found += [(ids[0], name) for name, ids in humans.items() if not inside.intersection(ids)]
    return sorted(found, key=lambda one: one[1])


@guarded("judging.packet_keep")
@never_cache
@require_GET
def packets(request: HttpRequest, event_id: str) -> HttpResponse:
    """The packets of an event with what is missing and when each is due."""
    viewer = actor_of(request)
    context = staff_frame(request, viewer, event_id)
    context["packets"] = reads.packets(viewer, event_id)
    return render(request, "judging/packets.html", context)


def _acts(request: HttpRequest, event_id: str, entrant_id: str) -> dict[str, Any]:
    def run(command: Any, **values: Any) -> Sent:
        return send(request, "judge", command, event_id=event_id, entrant_id=entrant_id, **values)

    def text(name: str, limit: int = TEXT) -> str:
        return text_of(request, name, limit)

    return {
        "person": lambda: run(
            service.packet_person_add,
            person_id=text("person_id", 36) or None,
            display_name=text("display_name", 80),
            role=text("role", 12) or "witness",
        ),
        "leave_out": lambda: run(
            service.packet_person_leave_out,
            person_id=text("person_id", 36),
            reason=text("reason"),
        ),
        "statement": lambda: run(
            service.packet_statement_keep,
            person_id=text("person_id", 36),
            how=text("how", 12),
            text=text("text"),
        ),
        "report": lambda: run(service.packet_report_keep, text=text("text")),
        "evidence": lambda: run(
            service.packet_evidence_keep, kind=text("kind", 12), text=text("text")
        ),
        "sign": lambda: run(service.packet_sign),
        "send": lambda: run(service.packet_send, note=text("note")),
        "undo": lambda: run(service.disqualification_undo, reason=text("reason")),
    }


DONE = {
    "person": gettext_lazy("The person stands in the packet."),
    "leave_out": gettext_lazy("No statement is asked of this person."),
    "statement": gettext_lazy("The statement is kept."),
    "report": gettext_lazy("The report is kept."),
    "evidence": gettext_lazy("The reference is kept."),
    "sign": gettext_lazy("The packet is signed: the organiser sends it."),
    "send": gettext_lazy("The packet is sent and closed; its legal holds have ended."),
    "undo": gettext_lazy(
        "The disqualification is taken back. The player plays from the next round."
    ),
}


@guarded("judging.packet_keep")
@never_cache
@require_http_methods(["GET", "POST"])
def packet(request: HttpRequest, event_id: str, entrant_id: str) -> HttpResponse:
    """One packet: who is involved, what is missing, the forms that fill it, sign and send."""
    viewer = actor_of(request)
    view = reads.packet(viewer, event_id, entrant_id)
    context = staff_frame(request, viewer, event_id)
    form = Form()
    if request.method == "POST":
        refused = perform(request, _acts(request, event_id, entrant_id), DONE)
        if refused is None:
            return redirect("calls:packet", event_id, entrant_id)
        form = refused
        view = reads.packet(viewer, event_id, entrant_id)
    inside = {one.person_id for one in view.people}
    context |= {
        "form": form,
        "view": view,
        "posted": request.POST,
        "roles": ROLES,
        "hows": HOWS,
        "kinds": KINDS,
        "done": view.parts - view.missing,
        "others": _others(viewer, event_id, inside),
    }
    return render(request, "judging/packet.html", context, status=form.status)


@guarded("judging.packet_keep")
@never_cache
@require_GET
def document(request: HttpRequest, event_id: str, entrant_id: str) -> HttpResponse:
    """The packet as one document to print; with `keep` as a file that needs no server."""
    viewer = actor_of(request)
    view = reads.packet(viewer, event_id, entrant_id)
    keep = "keep" in request.GET
    context = staff_frame(request, viewer, event_id) | {"view": view, "keep": keep}
    if not keep:
        return render(request, "judging/packet_document.html", context)
    made = render_to_string("judging/packet_document.html", context, request)
    return HttpResponse(
        one_file(made),
        content_type="text/html; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="packet-{entrant_id}.html"'},
    )
