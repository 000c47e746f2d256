"""Pages of what was decided before: precedents, the record of a person, the audit."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from judging import records, wording
from judging.domain.words import Outcome
from judging.packs import pack
from people.access import may
from people.domain.permissions import Subject
from people.guard import guarded
from people.posts import Form, perform, send, text_of
from people.web import actor_of
from tournaments.pages.common import number_in, staff_frame


@guarded("judging.precedents_read")
@never_cache
@require_http_methods(["GET", "POST"])
def precedents(request: HttpRequest, event_id: str) -> HttpResponse:
    """Rulings of all events to follow and to cite, without names; the head judge marks those of
    the own event."""
    viewer = actor_of(request)
    context = staff_frame(request, viewer, event_id)
    form = Form()
    if request.method == "POST":
        acts = {
            "mark": lambda: send(
                request,
                "judge",
                records.precedent_mark,
                ruling_id=text_of(request, "ruling_id", 36),
                mark=text_of(request, "mark", 16),
            )
        }
        refused = perform(request, acts, {"mark": gettext_lazy("The mark is set.")})
        if refused is None:
            return redirect(request.get_full_path())
        form = refused
    text, outcome = request.GET.get("q", "")[:80], request.GET.get("outcome", "")[:20]
    found = records.precedents(viewer, event_id, text, outcome)
    context |= {
        "form": form,
        "text": text,
        "outcome": outcome,
        "outcomes": [one.value for one in Outcome],
        "call": request.GET.get("call", "")[:36],
        "told": [
            {
                "one": one,
                "label": wording.infraction_label(
                    pack(one.pack, one.pack_version), one.infraction or one.rule_id
                ),
            }
            for one in found
        ],
        "may_mark": may(viewer, "judging.penalty_approve", Subject(event_id, public=False)),
    }
    return render(request, "judging/precedents.html", context, status=form.status)


@guarded("judging.record_read")
@never_cache
@require_GET
def record(request: HttpRequest, event_id: str, entrant_id: str) -> HttpResponse:
    """Everything about and by one player in this event; other events for the head judge."""
    viewer = actor_of(request)
    context = staff_frame(request, viewer, event_id)
    found = records.record(viewer, event_id, entrant_id)
    context |= {
        "record": found,
        "told": [
            {"ruling": one, "text": wording.ruling_text(one, pack(one.pack, one.pack_version))}
            for one in found.rulings
        ],
    }
    return render(request, "judging/record.html", context)


@guarded("judging.audit_read")
@never_cache
@require_GET
def audit(request: HttpRequest, event_id: str) -> HttpResponse:
    """What staff did in this event, the newest first, by person, table and kind."""
    viewer = actor_of(request)
    context = staff_frame(request, viewer, event_id)
    who, kind = request.GET.get("who", "")[:36], request.GET.get("kind", "")[:80]
    table = number_in(request, "table")
    context |= {
        "who": who,
        "kind": kind,
        "table": table,
        "audit": records.audit(
            viewer, event_id, who=who, table=table, kind=kind, before=number_in(request, "before")
        ),
    }
    return render(request, "judging/audit.html", context)


@guarded("judging.audit_read")
@never_cache
@require_GET
def proof(request: HttpRequest, event_id: str, position: int) -> HttpResponse:
    """One event of the log, with the proof that it stands in a signed checkpoint."""
    viewer = actor_of(request)
    context = staff_frame(request, viewer, event_id)
    context["proof"] = records.proof(viewer, event_id, position)
    return render(request, "judging/audit_event.html", context)
