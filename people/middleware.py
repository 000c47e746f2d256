"""Middleware: who asks, in which language, and whether the view has its permission row."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

from django.conf import settings
from django.contrib.auth import logout
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import ImproperlyConfigured, PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import translation
from django.utils.cache import patch_cache_control
from django.utils.datastructures import MultiValueDict
from django.utils.functional import SimpleLazyObject

from eventstore.faults import AGAIN_SECONDS
from people import sessions
from people.access import NotAllowed, may
from people.domain.actor import ANONYMOUS, Actor
from people.guard import action_of
from people.joinlinks import devices_left
from people.selectors import actor_for
from people.uploads import UnsuitableFile
from people.web import DEVICE_EVENTS, DEVICE_PERSON, DEVICE_SINCE, actor_of

Get = Callable[[HttpRequest], HttpResponse]
LANGUAGE_COOKIE = "headjudge_language"
FOREIGN = ("django.contrib.", "unfold.", "whitenoise.")
"""Views of libraries: static files. /admin is told by its name space: the table has one row
for all of it."""


def actor_in(request: HttpRequest) -> Actor:
    """Return who the session of a request stands for."""
    if request.user.is_authenticated:
        return _signed_in(request, actor_for(request.user.person_id, signed_in=True))
    person_id = request.session.get(DEVICE_PERSON)
    if not person_id:
        return ANONYMOUS
    since = request.session.get(DEVICE_SINCE, {})
    bound = [(event, since.get(event, "")) for event in request.session.get(DEVICE_EVENTS, ())]
    left = devices_left(person_id, bound)
    if bound and not left:
        return ANONYMOUS
    # A phone carries no role, so none is looked up.
    return Actor(person_id=person_id, device_events=left)


def _signed_in(request: HttpRequest, actor: Actor) -> Actor:
    """End a session of staff that has lasted or idled too long, and hold powers back until the
    second factor is given where it is required."""
    if not (actor.site_organiser or actor.event_roles):
        return actor
    if sessions.is_over(request):
        logout(request)
        return ANONYMOUS
    if sessions.needs_factor(actor) and not sessions.factor_given(request):
        request.factor_due = True  # type: ignore[attr-defined]
        return replace(actor, site_organiser=False, event_roles={})
    return actor


TOO_LARGE = "headjudge.too_large"
"""Mark of a request in its ASGI scope whose body was larger than is read (config.limits)."""
QUEUE, THEN = "Headjudge-Queue", "Headjudge-Then"
OF_A_FORM = {"CONTENT_TYPE", "CONTENT_LENGTH", "HTTP_HEADJUDGE_QUEUE", "HTTP_HEADJUDGE_AGE"}
STAFF = ("/staff/", "/admin/")
"""Addresses where staff work: without the second factor that is due, all lead to its page."""


class ActorMiddleware:
    """Sets request.actor, lazily."""

    def __init__(self, get_response: Get) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request.actor = SimpleLazyObject(lambda: actor_in(request))  # type: ignore[attr-defined]
        return self.get_response(request)


class OutboxMiddleware:
    """Tells a page that sent a form by itself (header Headjudge-Queue) that its command was kept,
    and where the answer stands (Headjudge-Then). A redirect alone could as well lead to a sign-in.

    A page that stands there already says its address in Headjudge-Queue: it gets itself anew with
    the confirmation, without its frame. At the end of a round that saves a second request of each
    phone in the hall. Any other is answered 204.
    """

    def __init__(self, get_response: Get) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        here = request.headers.get(QUEUE)
        if here is None or response.status_code != 302 or not getattr(request, "command_kept", 0):
            return response
        then = response.headers["Location"]
        kept = None
        if here == then:
            kept = self.get_response(_asked_again(request, then))
        if kept is None or kept.status_code != 200 or kept.streaming:
            kept = HttpResponse(status=204)
        kept.headers[THEN] = then
        kept.cookies.update(response.cookies)
        return kept


def _asked_again(request: HttpRequest, address: str) -> HttpRequest:
    """Return the request of a page for itself after what it sent, with the cookies and the messages
    of the first. Who asks is found out again: the command may have changed that."""
    path, _, query = address.partition("?")
    again = copy.copy(request)
    for cached in ("headers", "content_params"):
        again.__dict__.pop(cached, None)
    again.META = {
        name: value for name, value in request.META.items() if name not in OF_A_FORM
    } | {"REQUEST_METHOD": "GET", "QUERY_STRING": query}  # fmt: skip
    again.method = "GET"
    again.path = again.path_info = unquote(path)
    again.GET = QueryDict(query)
    again.POST = QueryDict()  # type: ignore[misc,assignment]
    again._files = MultiValueDict()  # type: ignore[attr-defined]
    again.resolver_match = None
    again.command_kept = False  # type: ignore[attr-defined]
    again.asks_region = True  # type: ignore[attr-defined]
    again.actor = SimpleLazyObject(lambda: actor_in(again))  # type: ignore[attr-defined]
    return again


class OfflineMiddleware:
    """Tells the service worker of an installed page for whom an answer was made (a mark, not an
    id; empty for somebody unknown), and whether a copy may be kept, under which addresses."""

    def __init__(self, get_response: Get) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        shown_to = getattr(request, "shown_to", None)
        if shown_to is not None:
            response.headers["Headjudge-For"] = shown_to
            kept = getattr(request, "offline_copy", ())
            if kept and response.status_code == 200:
                response.headers["Headjudge-Keep"] = " ".join(kept)
        return response


def language_of(request: HttpRequest) -> str:
    """Return the language of the cookie, else of the browser, else English."""
    known = dict(settings.LANGUAGES)
    wanted = request.COOKIES.get(LANGUAGE_COOKIE, "")
    language = wanted if wanted in known else translation.get_language_from_request(request)
    return language if language in known else settings.LANGUAGE_CODE


class LanguageMiddleware:
    """Activates the language of the request."""

    def __init__(self, get_response: Get) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        with translation.override(language_of(request)):
            request.LANGUAGE_CODE = translation.get_language()  # type: ignore[attr-defined]
            response = self.get_response(request)
        response.headers.setdefault("Content-Language", str(request.LANGUAGE_CODE))  # type: ignore[attr-defined]
        return response


def _refused(request: HttpRequest, status: int, code: str, **params: str) -> HttpResponse:
    """Answer a request that is not looked at: as a problem to a program, as a page to people."""
    if request.path.startswith("/api/"):
        body = {"type": f"urn:headjudge:problem:{code}", "status": status, "code": code, **params}
        return JsonResponse(body, status=status, content_type="application/problem+json")
    return render(request, "portal/error.html", {"status": status, **params}, status=status)


class GuardMiddleware:
    """Refuses to run a view of ours that has no row, and words the table's answers."""

    def __init__(self, get_response: Get) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if getattr(request, "scope", {}).get(TOO_LARGE):
            response = _refused(request, 413, "too_large")
        else:
            response = self.get_response(request)
        if request.path.startswith("/admin/"):
            response._csp_config = settings.ADMIN_CONTENT_SECURITY_POLICY  # type: ignore[attr-defined]
        response.headers.setdefault("Permissions-Policy", settings.PERMISSIONS_POLICY)
        if response.status_code == 503:
            response.headers.setdefault("Retry-After", str(AGAIN_SECONDS))
        if request.session.accessed:
            # what was made for somebody is kept by nobody in between
            patch_cache_control(response, private=True)
        return response

    def process_view(
        self, request: HttpRequest, view: Any, args: Any, kwargs: Any
    ) -> HttpResponseBase | None:
        """Demand the mark of people.guard on every view that is not a library's, and ask the
        table for the whole of /admin. Nothing of ours has a name with a NUL, which PostgreSQL takes
        in no question."""
        if any("\0" in str(one) for one in (*args, *kwargs.values())):
            raise Http404
        module = getattr(view, "__module__", "") or ""
        found = request.resolver_match
        of_admin = found is not None and "admin" in found.app_names
        if request.path.startswith(STAFF):
            actor_of(request).signed_in  # noqa: B018  (makes the actor, which may owe a factor)
            if getattr(request, "factor_due", False):
                return redirect("portal:factor")
        if of_admin:
            return self._admin(request)
        if action_of(view) is None and not module.startswith(FOREIGN):
            raise ImproperlyConfigured(f"{module}.{getattr(view, '__name__', view)}: no guard row")
        return None

    @staticmethod
    def _admin(request: HttpRequest) -> HttpResponseBase | None:
        """Send whoever has not signed in to the door; refuse whoever may not use the admin."""
        viewer = actor_of(request)
        if not viewer.signed_in:
            return redirect_to_login(request.get_full_path())
        if not may(viewer, "portal.admin_use"):
            raise PermissionDenied
        return None

    def process_exception(self, request: HttpRequest, fault: Exception) -> HttpResponse | None:
        """Turn the table's answer into 404 (not yours to know) or 403 (known, not allowed), and
        a file of another kind than was asked for into 415."""
        if isinstance(fault, UnsuitableFile):
            return _refused(request, 415, "unsuitable_file", kind=fault.kind)
        if isinstance(fault, NotAllowed):
            if fault.hidden:
                raise Http404 from fault
            raise PermissionDenied from fault
        return None
