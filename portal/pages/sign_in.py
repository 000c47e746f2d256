"""Sign in: user name and password, then the code of the app where the log-in has one.

Wrong attempts are slowed per account, device and route (people.throttle). Nothing of a session
stands before both steps are done: the first leaves only a note that it went well, for minutes.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.contrib.auth import authenticate, login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from eventstore import clock
from eventstore.domain.refusal import Refusal
from people import factors, security, sessions, throttle
from people.guard import guarded
from people.models import Account
from people.passwords import LONGEST
from people.posts import send, text_of
from people.selectors import actor_for
from portal.pages.shell import next_address
from portal.push import sessions as push

PENDING = "sign_in_pending"
PENDING_MINUTES = 10


def refused_status(refusal: Refusal | None) -> int:
    """The HTTP status of a form with a refusal: 429 when one has to wait, else 409."""
    if refusal is None:
        return 200
    return 429 if refusal.code == "portal.slow_down" else 409


def slowed(response: HttpResponse, refusal: Refusal | None) -> HttpResponse:
    """Say in the answer when to come again, where one has to wait."""
    if refusal is not None and refusal.code == "portal.slow_down":
        response.headers["Retry-After"] = str(refusal.params["found"])
    return response


def slow_down(gate: throttle.Gate) -> Refusal:
    """The refusal of an attempt that came too early."""
    return Refusal("portal.slow_down", {"found": gate.wait})


@guarded("portal.sign_in")
@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "POST"])
def sign_in(request: HttpRequest) -> HttpResponse:
    """The first step: user name and password. A failure never says whether the name exists."""
    refusal, given = None, ""
    if request.method == "POST":
        given = text_of(request, "username", 60)
        password = request.POST.get("password", "")
        if not given or not password:
            refusal = Refusal("portal.sign_in_empty")
        else:
            gate = throttle.gate(request, "sign_in", given)
            if not gate.open:
                refusal = slow_down(gate)
            else:
                account: Any = None
                if len(password) <= LONGEST:
                    account = authenticate(request, username=given, password=password)
                if account is not None:
                    throttle.passed(gate)
                    return _first_step_done(request, account)
                refusal = Refusal("portal.sign_in_failed")
    context = {"refusal": refusal, "given": given, "next": next_address(request, "")}
    response = render(request, "portal/sign_in.html", context, status=refused_status(refusal))
    return slowed(response, refusal)


def _first_step_done(request: HttpRequest, account: Account) -> HttpResponse:
    wanted = next_address(request, "")
    if not factors.is_enrolled(account):
        return _signed_in(request, account, wanted)
    request.session.cycle_key()
    request.session[PENDING] = [account.pk, account.epoch, clock.as_text(clock.now()), wanted]
    return redirect("portal:sign_in_code")


def _signed_in(request: HttpRequest, account: Account, wanted: str) -> HttpResponse:
    """Begin the session under a fresh key, and let this device be known for the account."""
    push.forget(request, account.person_id)  # the session of somebody else is emptied now
    login(request, account, backend="django.contrib.auth.backends.ModelBackend")
    messages.success(request, _("You are signed in."))
    response = redirect(wanted or first_page(account))
    throttle.remember_device(request, response, account.username)
    return response


def first_page(account: Account) -> str:
    """Return where somebody begins: staff at the desk, others at the events."""
    actor = actor_for(account.person_id, signed_in=True)
    staff = actor.site_organiser or actor.event_roles
    return reverse("staff:home" if staff else "portal:home")


def _pending(request: HttpRequest) -> tuple[Account, str] | None:
    """Return the account whose password was right a moment ago, and where it wants to go."""
    try:
        pk, epoch, since, wanted = request.session[PENDING]
        fresh = clock.now() - clock.from_text(since) < timedelta(minutes=PENDING_MINUTES)
    except (KeyError, TypeError, ValueError):
        return None
    account = Account.objects.filter(pk=pk, is_active=True, epoch=epoch).first()
    return (account, wanted) if account is not None and fresh else None


@guarded("portal.sign_in")
@never_cache
@sensitive_post_parameters("code")
@require_http_methods(["GET", "POST"])
def sign_in_code(request: HttpRequest) -> HttpResponse:
    """The second step: a code of the app, or one of the recovery codes."""
    pending = _pending(request)
    if pending is None:
        request.session.pop(PENDING, None)
        messages.info(request, _("Begin with user name and password."))
        return redirect("portal:sign_in")
    account, wanted = pending
    refusal: Refusal | None = None
    if request.method == "POST":
        refusal = _code_refused(request, account, text_of(request, "code", 40))
        if refusal is None:
            del request.session[PENDING]
            response = _signed_in(request, account, wanted)
            sessions.factor_kept(request)
            return response
    context = {"refusal": refusal}
    response = render(request, "portal/sign_in_code.html", context, status=refused_status(refusal))
    return slowed(response, refusal)


def _code_refused(request: HttpRequest, account: Account, code: str) -> Refusal | None:
    gate = throttle.gate(request, "sign_in_code", account.username)
    if not gate.open:
        return slow_down(gate)
    if factors.totp_take(account, code):
        throttle.passed(gate)
        return None
    if len(code) < factors.RECOVERY_SIGNS:
        return Refusal("people.code_wrong")
    # The password was right: whoever it is acts as this person, and the log keeps it so.
    request.actor = actor_for(account.person_id, signed_in=True)  # type: ignore[attr-defined]
    digest = factors.recovery_digest(code)
    sent = send(
        request, "player", security.recovery_use, person_id=account.person_id, digest=digest
    )
    if sent.refusal is None:
        throttle.passed(gate)
        left = int(sent.result)
        messages.info(
            request,
            ngettext("%(left)s recovery code is left.", "%(left)s recovery codes are left.", left)
            % {"left": left},
        )
    return sent.refusal
