"""The own statement of a player or a witness: written alone, sealed until all are in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from judging import statements
from judging.statements import StatementsState
from people.domain.actor import Actor
from people.guard import guarded
from people.posts import Form, Sent, perform, send, text_of
from people.web import actor_of
from tournaments import selectors

NOTE = 4000


def _given(result: StatementsState) -> str:
    if result.opened:
        return _("Your statement is in. All are in now, and the judges can read them.")
    return _("Your statement is sealed. Nobody reads it before all are in.")


DONE: Mapping[str, Any] = {
    "give": _given,
    "withdraw": gettext_lazy("Your statement is taken back. Write another one."),
}


def _frame(viewer: Actor, event_id: str) -> dict[str, Any]:
    """The player's frame, also for a witness who does not play: only who was asked has it then.
    Raises NotAllowed, Http404."""
    held = selectors.event_home(viewer, event_id)
    if held.entrant_id is None and not statements.asked_of(viewer, event_id):
        raise Http404
    return {"home": held, "event": held.row}


@guarded("judging.statement_give")
@never_cache
@require_http_methods(["GET", "POST"])
def mine(request: HttpRequest, event_id: str) -> HttpResponse:
    """What I was asked to write down. It is there where phones are put away too: the judges asked
    for it."""
    viewer = actor_of(request)
    context = _frame(viewer, event_id)
    form = Form()
    if request.method == "POST":
        call_id = text_of(request, "call_id", 36)

        def run(service: Any, **values: Any) -> Sent:
            return send(request, "player", service, call_id=call_id, **values)

        acts = {
            "give": lambda: run(statements.statement_give, text=text_of(request, "text", NOTE + 1)),
            "withdraw": lambda: run(statements.statement_withdraw),
        }
        refused = perform(request, acts, DONE)
        if refused is None:
            return redirect("my_calls:statements", event_id)
        form = refused
    context |= {
        "form": form,
        "posted": request.POST,
        "asked": statements.asked_of(viewer, event_id),
    }
    return render(request, "judging/my_statements.html", context, status=form.status)
