"""The page of the backups, for the site's organiser."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from eventstore.backups.keeper import EVERY_SECONDS
from people.guard import guarded
from people.posts import Form, perform, send
from people.web import actor_of
from portal import backups as held

DONE = {"copy": gettext_lazy("A copy is being made. Load the page anew to see it.")}


@guarded(held.USE)
@never_cache
@require_http_methods(["GET", "POST"])
def backups(request: HttpRequest) -> HttpResponse:
    """Show how the backups go; have one made now."""
    form = Form()
    found = held.backups(actor_of(request))
    if request.method == "POST":
        acts = {"copy": lambda: send(request, "organiser", held.backup_now)}
        refused = perform(request, acts, DONE)
        if refused is None:
            return redirect(request.path)
        form = refused
    context = {"form": form, "backups": found, "row": found.row, "every": EVERY_SECONDS}
    return render(request, "portal/backups.html", context, status=form.status)
