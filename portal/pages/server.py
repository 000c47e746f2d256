"""State of the server: the page that the site's organiser keeps open during an event."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from people.guard import guarded
from people.web import actor_of
from portal import server as held


@guarded(held.USE)
@never_cache
@require_GET
def server(request: HttpRequest) -> HttpResponse:
    """Show every check in words, and how far the work behind the pages has come."""
    return render(request, "portal/server.html", {"server": held.server(actor_of(request))})
