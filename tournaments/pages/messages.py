"""Messages from the desk to the hall: write one, see what stands, take one back."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from people.access import require
from people.domain.permissions import Subject
from people.guard import guarded
from people.live import live
from people.posts import Form, Sent, form_id, number_of, perform, send, text_of
from people.selectors import names
from people.web import actor_of
from tournaments import selectors, services
from tournaments.domain.hall import messages as rules
from tournaments.pages.common import staff_frame

DONE = {
    "post": gettext_lazy("The message stands."),
    "withdraw": gettext_lazy("The message is taken back."),
}
MINUTES = (5, 15, 30, 60, 180)


@guarded("tournaments.message_post")
@live("desk")
@never_cache
@require_http_methods(["GET", "POST"])
def messages(request: HttpRequest, event_id: str) -> HttpResponse:
    """The messages of an event, and the form for the next."""
    viewer = actor_of(request)
    context = staff_frame(request, viewer, event_id)
    require(viewer, "tournaments.message_post", Subject(event_id))
    form = Form()
    if request.method == "POST":

        def run(service: Any, **values: Any) -> Sent:
            return send(request, "organiser", service, event_id=event_id, **values)

        acts = {
            "post": lambda: run(
                services.message_post,
                message_id=form_id(request, "message_id"),
                text=text_of(request, "text", 4 * rules.MOST_TEXT),
                audience=text_of(request, "audience", 12),
                minutes=number_of(request, "minutes") or 0,
                first=number_of(request, "first"),
                last=number_of(request, "last"),
            ),
            "withdraw": lambda: run(
                services.message_withdraw, message_id=text_of(request, "message_id", 36)
            ),
        }
        refused = perform(request, acts, DONE)
        if refused is None:
            return redirect("staff:messages", event_id)
        form = refused
    kept = selectors.messages_kept(viewer, event_id)
    context |= {
        "form": form,
        "posted": request.POST,
        "audiences": rules.AUDIENCES,
        "minutes": MINUTES,
        "most": rules.MOST_TEXT,
        "kept": kept,
        "authors": names(one.author for one in kept),
    }
    return render(request, "tournaments/messages.html", context, status=form.status)
