"""The webhooks of an event: add, try, remove, and what became of each message."""

from __future__ import annotations

from django.conf import settings
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from people.guard import guarded
from people.posts import Form, form_id, perform, send, text_of
from people.web import actor_of
from portal.webhooks import services
from portal.webhooks.kinds import NAMES
from tournaments.pages.common import staff_frame

DONE = {
    "add": "",
    "remove": gettext_lazy("The webhook is removed."),
    "ping": gettext_lazy("A trial message is on its way."),
    "redeliver": gettext_lazy("The message is on its way again."),
}
MESSAGES = 50


@guarded("portal.webhook_manage")
@never_cache
@require_http_methods(["GET", "POST"])
def webhooks(request: HttpRequest, event_id: str) -> HttpResponse:
    """List webhooks and messages. The secret of a new one is on the answer to its making."""
    viewer = actor_of(request)
    rows = services.webhooks_of(viewer, event_id)
    form, secret = Form(), ""
    if request.method == "POST":
        webhook_id = text_of(request, "webhook_id", 36)
        acts = {
            "add": lambda: send(
                request,
                "organiser",
                services.webhook_add,
                webhook_id=form_id(request, "webhook_id"),
                event_id=event_id,
                url=text_of(request, "url", 1000),
                kinds=request.POST.getlist("kind")[:40],
            ),
            "remove": lambda: send(
                request, "organiser", services.webhook_remove, webhook_id=webhook_id
            ),
            "ping": lambda: send(
                request, "organiser", services.webhook_ping, webhook_id=webhook_id
            ),
            "redeliver": lambda: send(
                request,
                "organiser",
                services.webhook_redeliver,
                delivery_id=text_of(request, "delivery_id", 36),
            ),
        }
        refused = perform(request, acts, DONE)
        if refused is not None:
            form = refused
        elif request.POST.get("act") == "add":
            secret = services.secret_of(viewer, webhook_id)
        else:
            return redirect(request.path)
    context = staff_frame(request, viewer, event_id) | {
        "form": form,
        "secret": secret,
        "rows": rows,
        "page": Paginator(services.deliveries_in(viewer, event_id), MESSAGES).get_page(
            request.GET.get("page")
        ),
        "kinds": NAMES,
        "url": request.POST.get("url", "") if form.act == "add" else "",
        "chosen": request.POST.getlist("kind") if form.act == "add" else ["round.published"],
        "private": settings.WEBHOOKS_PRIVATE,
    }
    return render(request, "portal/webhooks.html", context, status=form.status)
