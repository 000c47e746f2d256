"""Pages of the shell: home, sign-in and -out, language and theme, the style page."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme, urlencode
from django.utils.translation import gettext as _
from django.utils.translation import override
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from eventstore.domain.refusal import Refusal
from people.guard import guarded
from people.middleware import LANGUAGE_COOKIE
from people.posts import text_of
from people.web import KEYS_COOKIE, actor_of
from portal.context import THEME_COOKIE, THEMES
from tournaments import selectors

YEAR = 365 * 24 * 3600


def next_address(request: HttpRequest, default: str) -> str:
    """Return where to go next: only an address of this site is followed."""
    wanted = request.POST.get("next") or request.GET.get("next") or ""
    if url_has_allowed_host_and_scheme(
        wanted, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    ):
        return wanted
    return default


@guarded("portal.page_read")
@require_GET
def home(request: HttpRequest) -> HttpResponse:
    """The events that the viewer may see."""
    return render(request, "portal/home.html", {"events": selectors.events_list(actor_of(request))})


@guarded("portal.sign_in")
@never_cache
@require_http_methods(["GET", "POST"])
def sign_out(request: HttpRequest) -> HttpResponse:
    """Sign out; a plain visit asks first, so that no foreign page can do it by a link."""
    if request.method == "POST":
        logout(request)
        messages.success(request, _("You are signed out."))
        return redirect("portal:home")
    return render(request, "portal/sign_out.html")


@guarded("portal.sign_in")
@require_http_methods(["GET", "POST"])
def admin_door(request: HttpRequest) -> HttpResponse:
    """Send whoever knocks at /admin/ to the one sign-in page."""
    if request.user.is_authenticated:
        # Signed in and sent here all the same: the account is not let in to /admin/.
        return render(request, "portal/error.html", {"status": 403}, status=403)
    query = urlencode({"next": next_address(request, reverse("admin:index"))})
    return redirect(f"{reverse('portal:sign_in')}?{query}")


@guarded("portal.sign_in")
@require_GET
def admin_password(request: HttpRequest) -> HttpResponse:
    """The admin's own form for a password would write past the commands: ours takes its place."""
    return redirect("portal:account")


@guarded("portal.preference_set")
@require_POST
def preferences(request: HttpRequest) -> HttpResponse:
    """Keep language or theme in a cookie of this device; unknown values change nothing."""
    response = redirect(next_address(request, reverse("portal:home")))
    language, theme = text_of(request, "language"), text_of(request, "theme")
    cookie: dict[str, Any] = {
        "max_age": YEAR,
        "samesite": "Lax",
        "secure": settings.SESSION_COOKIE_SECURE,
        "httponly": True,
    }
    if language in dict(settings.LANGUAGES):
        response.set_cookie(LANGUAGE_COOKIE, language, **cookie)
        with override(language):
            messages.success(request, _("This page now speaks English."))
    if text_of(request, "keys") in ("on", "off"):
        response.set_cookie(KEYS_COOKIE, text_of(request, "keys"), **cookie)
        messages.success(request, _("The keys are changed."))
    if theme in THEMES:
        response.set_cookie(THEME_COOKIE, theme, **cookie)
        messages.success(request, _("The look is changed."))
    return response


@guarded("portal.page_read")
@require_GET
def style(request: HttpRequest) -> HttpResponse:
    """Every component once, for those who build pages and for the tests."""
    refusal = Refusal("YGO-1.1", {"found": 4, "allowed": 3})
    return render(request, "portal/style.html", {"refusal": refusal})
