"""My messages: what I am told while no page is open, on which devices, and of what."""

from __future__ import annotations

from typing import Any

import msgspec
from django.http import HttpRequest, HttpResponse
from django.http.request import split_domain_port
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from eventstore.domain.refusal import Refusal
from people.domain.actor import Actor
from people.domain.permissions import JUDGES
from people.guard import guarded
from people.posts import Form, Sent, form_id, perform, send, text_of
from people.web import actor_of
from portal.mail import links
from portal.mail import services as mail
from portal.notices import services as notices_kept
from portal.notices.kinds import JUDGE, KINDS, MAILED, PUSHED, Kind
from portal.push import services, sessions, vapid

DONE = {
    "tell": _("This device is told from now on."),
    "end": _("This device is told no more."),
    "end_all": _("None of your devices is told any more."),
    "try": _("A trial message is on its way."),
    "choose": _("Your choice is kept."),
    "mail": _("A mail is on its way to this address. Open the link in it."),
    "mail_remove": _("The address is taken out."),
}
LOCAL = ("localhost", "127.0.0.1", "[::1]")
"""Hosts that a browser trusts by plain http: this very machine."""
LONGEST = 4000


class _Keys(msgspec.Struct):
    p256dh: str
    auth: str


class _Given(msgspec.Struct):
    """What a browser writes of its subscription (PushSubscription.toJSON)."""

    endpoint: str
    keys: _Keys


def is_secure(request: HttpRequest) -> bool:
    """Say whether a browser lets a page of this address have a service worker at all."""
    return request.is_secure() or split_domain_port(request.get_host())[0] in LOCAL


def _shown(viewer: Actor) -> list[Kind]:
    """The kinds that concern the viewer: those of judges are for who judges somewhere."""
    held = {role.value for roles in viewer.event_roles.values() for role in roles}
    judges = bool(held & {role.value for role in JUDGES})
    return [one for one in KINDS.values() if one.audience != JUDGE or judges]


def _choose(request: HttpRequest, viewer: Actor) -> Sent:
    """Keep the choice; what was not on the form stays as it is."""
    choice, shown = notices_kept.my_choice(viewer), _shown(viewer)
    names = {one.name for one in shown}
    push = [one for one in PUSHED if one not in names and one not in choice.push_off]
    mails = [one for one in MAILED if one not in choice.mail_off]
    return send(
        request,
        "player",
        notices_kept.notices_choose,
        push=push + request.POST.getlist("push")[:20],
        mail=request.POST.getlist("mail")[:20] if "by_mail" in request.POST else mails,
    )


def _tell(request: HttpRequest) -> Sent:
    try:
        given = msgspec.json.decode(text_of(request, "subscription", LONGEST), type=_Given)
    except (msgspec.DecodeError, RecursionError):
        return Sent(refusal=Refusal("portal.push_unusable"))
    sent = send(
        request,
        "player",
        services.push_add,
        subscription_id=form_id(request, "subscription_id"),
        keys=services.Keys(given.endpoint, given.keys.p256dh, given.keys.auth),
        language=get_language() or "en",
        binding=sessions.binding_of(request),
    )
    if sent.refusal is None:
        sessions.keep(request, sent.result)
    return sent


@guarded("portal.notice_use")
@never_cache
@require_http_methods(["GET", "POST"])
def notices(request: HttpRequest) -> HttpResponse:
    """Whether this device is told, of what, and which way else."""
    viewer = actor_of(request)
    if viewer.person_id is None:
        return redirect(f"{reverse('portal:sign_in')}?{urlencode({'next': request.path})}")
    form = Form()
    if request.method == "POST":
        mine = sessions.kept_in(request)
        acts = {
            "tell": lambda: _tell(request),
            "end": lambda: send(request, "player", services.push_end, subscription_id=mine),
            "end_all": lambda: send(request, "player", services.push_end, subscription_id=None),
            "try": lambda: send(request, "player", services.push_try, subscription_id=mine),
            "choose": lambda: _choose(request, viewer),
            "mail": lambda: send(
                request,
                "player",
                mail.mail_set,
                address=text_of(request, "address", 300),
                language=get_language() or "en",
            ),
            "mail_remove": lambda: send(request, "player", mail.mail_remove),
        }
        refused = perform(request, acts, DONE)
        if refused is None:
            return redirect(request.path)
        form = refused
    phones = services.my_phones(viewer)
    here = next((one for one in phones if one.pk == sessions.kept_in(request)), None)
    choice = notices_kept.my_choice(viewer)
    shown, held = _shown(viewer), mail.my_address(viewer) if mail.is_on() else None
    context: dict[str, Any] = {
        "form": form,
        "mail_on": mail.is_on(),
        "address": held[1] if held else "",
        "confirmed": bool(held and held[0].confirmed_at),
        "given": text_of(request, "address", 300),
        "here": here,
        "others": len(phones) - (here is not None),
        "secure": is_secure(request),
        "key": vapid.public_text(),
        "kinds": [
            {"name": one.name, "on": one.name not in choice.push_off} for one in shown if one.push
        ],
        "mails": [
            {"name": one.name, "on": one.name not in choice.mail_off}
            for one in shown
            if one.mail and held
        ],
    }
    return render(request, "portal/notices.html", context, status=form.status)


@guarded("portal.mail_link_use")
@never_cache
@require_http_methods(["GET", "POST"])
def mail_link(request: HttpRequest, token: str) -> HttpResponse:
    """The page behind a link of a mail: it asks first, because mail programs open links too."""
    found = links.read(token)
    context: dict[str, Any] = {"form": Form()}
    if found is None:
        return render(request, "portal/mail_link.html", context, status=404)
    act, person_id, digest = found
    context["act"] = act
    if request.method == "POST":
        service = mail.mail_confirm if act == links.CONFIRM else mail.mail_stop
        sent = send(request, "player", service, person_id=person_id, digest=digest)
        context |= {"form": Form(act, sent.refusal), "done": sent.refusal is None}
    return render(request, "portal/mail_link.html", context, status=context["form"].status)
