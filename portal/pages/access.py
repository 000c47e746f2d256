"""My access: the tokens that a person has made for programs, and new ones."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from eventstore import clock
from people import tokens
from people.domain.scopes import Scope
from people.guard import guarded
from people.models import ApiToken
from people.posts import Form, Sent, form_id, number_of, perform, send, text_of
from people.web import actor_of
from tournaments import selectors

DONE = {"revoke": gettext_lazy("The token is ended."), "make": ""}
DAYS = (1, 7, 30, 90, 366)


@dataclass(frozen=True, slots=True)
class TokenLine:
    """A token as the page shows it: live, ended or expired; the event it is bound to."""

    row: ApiToken
    state: str
    event: str


def _state(row: ApiToken) -> str:
    if row.revoked_at is not None:
        return "ended"
    return "live" if row.expires_at > clock.now() else "expired"


@guarded("people.token_make")
@never_cache
@require_http_methods(["GET", "POST"])
def access(request: HttpRequest) -> HttpResponse:
    """List, make and end one's own tokens. A new one is on the answer to its making and
    nowhere else, so that answer is a page and no redirect."""
    viewer = actor_of(request)
    if not viewer.signed_in or viewer.person_id is None:
        return redirect(f"{reverse('portal:sign_in')}?{urlencode({'next': request.path})}")
    if getattr(request, "factor_due", False):
        # A token carries the powers that this session has yet to prove itself for.
        return redirect("portal:factor")
    person_id = viewer.person_id
    form, secret = Form(), ""
    if request.method == "POST":
        made, digest = tokens.token_new()
        acts = {
            "make": lambda: _make(request, person_id, digest),
            "revoke": lambda: send(
                request,
                "player",
                tokens.token_revoke,
                token_id=text_of(request, "token_id", 36),
                person_id=person_id,
            ),
        }
        refused = perform(request, acts, DONE)
        if refused is not None:
            form = refused
        elif request.POST.get("act") == "make":
            secret = made
        else:
            return redirect(request.path)
    events = list(selectors.events_list(viewer)[:100])
    names = {one.pk: one.name for one in events}
    lines = [
        TokenLine(row, _state(row), names.get(row.event_id, row.event_id))
        for row in tokens.tokens_of(viewer, person_id)
    ]
    context = {
        "form": form,
        "secret": secret,
        "lines": lines,
        "events": events,
        "scopes": [one.value for one in Scope],
        "given": request.POST if form.refusal else {},
        "chosen": request.POST.getlist("scope") if form.refusal else [Scope.READ.value],
        "days": DAYS,
    }
    return render(request, "portal/access.html", context, status=form.status)


def _make(request: HttpRequest, person_id: str, digest: str) -> Sent:
    return send(
        request,
        "player",
        tokens.token_make,
        token_id=form_id(request, "token_id"),
        person_id=person_id,
        label=text_of(request, "label", 200),
        digest=digest,
        scopes=request.POST.getlist("scope")[:20],
        days=number_of(request, "days") or 0,
        event_id=text_of(request, "event_id", 36) or None,
    )
