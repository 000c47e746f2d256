"""The link of a witness who does not play: a code to scan, which opens the own statement alone."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from judging import statements
from people import joinlinks
from people.guard import guarded
from people.web import actor_of
from tournaments.pages.common import staff_frame
from tournaments.pages.people import only_here, qr_svg

HOURS = joinlinks.HOURS[0]
"""How long the link of a witness works: the day."""


@guarded("judging.statements_ask")
@never_cache
@require_GET
def link(request: HttpRequest, call_id: str) -> HttpResponse:
    """The code of the witness `person` of a call, for the phone of the witness."""
    viewer = actor_of(request)
    found = statements.witness(viewer, call_id, request.GET.get("person", "")[:36])
    if found is None:
        raise Http404
    context = staff_frame(request, viewer, found.event_id)
    token = joinlinks.make(joinlinks.JoinLink(found.event_id, found.person_id), hours=HOURS)
    address = request.build_absolute_uri(reverse("tournaments:join", args=[token]))
    context |= {
        "witness": found,
        "address": address,
        "svg": qr_svg(address),
        "only_here": only_here(request),
        "hours": HOURS,
    }
    return render(request, "judging/witness_link.html", context)
