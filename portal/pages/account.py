"""My log-in: password, second factor, sign out everywhere."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from eventstore.domain.refusal import Refusal, Refused
from people import factors, security, sessions, throttle
from people.access import require
from people.guard import guarded
from people.models import Account, RecoveryCode
from people.passwords import LONGEST, checked_hash
from people.posts import Form, Sent, perform, send, text_of
from people.web import actor_of
from portal.pages.sign_in import refused_status, slow_down, slowed
from tournaments.pages.people import qr_svg

OFFER = "factor_offer"


def _mine(request: HttpRequest) -> Account | None:
    """Return the log-in of whoever asks, None for somebody who has not signed in."""
    if not actor_of(request).signed_in:
        return None
    require(actor_of(request), "portal.account_use")
    account: Any = request.user
    return Account.objects.get(pk=account.pk)


def _confirmed(request: HttpRequest, account: Account, route: str) -> Refusal | None:
    """Ask for the password again before something that a found phone must not do."""
    gate = throttle.gate(request, route, account.username)
    if not gate.open:
        return slow_down(gate)
    given = request.POST.get("current", "")
    if len(given) > LONGEST or not account.check_password(given):
        return Refusal("people.password_wrong")
    throttle.passed(gate)
    return None


def _stay(request: HttpRequest, account: Account) -> None:
    """Keep this one session, under a fresh key, when all sessions of the account were ended."""
    account.refresh_from_db()
    update_session_auth_hash(request, account)


def _password(request: HttpRequest, account: Account) -> Sent:
    refusal = _confirmed(request, account, "account")
    if refusal is not None:
        return Sent(refusal=refusal)
    fresh = request.POST.get("password", "")
    if fresh != request.POST.get("again", ""):
        return Sent(refusal=Refusal("people.password_differs"))
    try:
        hashed = checked_hash(fresh, username=account.username)
    except Refused as fault:
        return Sent(refusal=fault.refusal)
    sent = send(
        request,
        "player",
        security.password_change,
        person_id=account.person_id,
        password_hash=hashed,
    )
    if sent.refusal is None:
        _stay(request, account)
    return sent


def _everywhere(request: HttpRequest, account: Account) -> Sent:
    sent = send(request, "player", security.sessions_end, person_id=account.person_id)
    if sent.refusal is None:
        _stay(request, account)
    return sent


def _remove(request: HttpRequest, account: Account) -> Sent:
    refusal = _confirmed(request, account, "account")
    if refusal is not None:
        return Sent(refusal=refusal)
    sent = send(request, "player", security.factor_remove, person_id=account.person_id)
    if sent.refusal is None:
        request.session.pop(sessions.FACTOR, None)
        _stay(request, account)
    return sent


@guarded("portal.account_use")
@never_cache
@sensitive_post_parameters("current", "password", "again")
@require_http_methods(["GET", "POST"])
def account(request: HttpRequest) -> HttpResponse:
    """What protects my log-in, and the forms that change it."""
    mine = _mine(request)
    if mine is None:
        return redirect_to_login(request.get_full_path())
    form = Form()
    if request.method == "POST":
        acts = {
            "password": lambda: _password(request, mine),
            "everywhere": lambda: _everywhere(request, mine),
            "factor_remove": lambda: _remove(request, mine),
        }
        done = {
            "password": _("The password is changed. All other sessions have ended."),
            "everywhere": _("All other sessions have ended. You are still signed in here."),
            "factor_remove": _("The second factor is removed."),
        }
        refused = perform(request, acts, done)
        if refused is None:
            return redirect("portal:account")
        form = refused
    context = {
        "account": mine,
        "form": form,
        "enrolled": factors.is_enrolled(mine),
        "codes_left": RecoveryCode.objects.filter(account=mine, used_at=None).count(),
    }
    status = refused_status(form.refusal)
    return slowed(render(request, "portal/account.html", context, status=status), form.refusal)


@guarded("portal.account_use")
@never_cache
@sensitive_post_parameters("code", "current")
@require_http_methods(["GET", "POST"])
def factor(request: HttpRequest) -> HttpResponse:
    """Set the second factor up: scan, confirm with a code, keep the recovery codes.

    The offered secret waits wrapped in the session; the recovery codes are shown once, on the
    page that answers the code.
    """
    mine = _mine(request)
    if mine is None:
        return redirect_to_login(request.get_full_path())
    wrapped = str(request.session.get(OFFER, ""))
    secret = factors.offer_opened(mine, wrapped) if wrapped else None
    refusal: Refusal | None = None
    if request.method == "POST":
        codes = factors.recovery_codes()
        refusal = _enrol(request, mine, wrapped, codes)
        if refusal is None:
            messages.success(request, _("The second factor is in force."))
            return render(request, "portal/factor_done.html", {"codes": codes})
    offer = factors.offer(mine, secret)
    if secret is None:
        request.session[OFFER] = factors.offer_wrapped(mine, offer.secret)
    context = {
        "refusal": refusal,
        "secret": " ".join(offer.secret[at : at + 4] for at in range(0, len(offer.secret), 4)),
        "svg": qr_svg(offer.address),
        "due": getattr(request, "factor_due", False),
        "enrolled": factors.is_enrolled(mine),
    }
    response = render(request, "portal/factor.html", context, status=refused_status(refusal))
    return slowed(response, refusal)


def _enrol(request: HttpRequest, mine: Account, wrapped: str, codes: list[str]) -> Refusal | None:
    refusal = _confirmed(request, mine, "account")
    if refusal is not None:
        return refusal
    sent = send(
        request,
        "player",
        security.factor_enrol,
        person_id=mine.person_id,
        wrapped=wrapped,
        code=text_of(request, "code", 10),
        digests=[factors.recovery_digest(code) for code in codes],
    )
    if sent.refusal is None:
        request.session.pop(OFFER, None)
        sessions.factor_kept(request)
        _stay(request, mine)
    return sent.refusal
