"""Authentication of the API: a bearer token, or the session of the pages."""

from __future__ import annotations

from typing import Any

from rest_framework import exceptions
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.request import Request

from people.models import Account, ApiToken
from people.tokens import token_actor


class CsrfFailed(exceptions.PermissionDenied):
    """A write with the session of the pages came without the proof that it is from them."""

    default_code = "csrf_failed"


class TokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer TOKEN`. A token that is unknown, ended or expired is refused."""

    def authenticate(self, request: Request) -> tuple[Any, ApiToken] | None:
        """Set the actor from the token."""
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "bearer":
            return None
        found = token_actor(token.strip())
        if found is None:
            raise exceptions.AuthenticationFailed("token_refused")
        actor, row = found
        request.actor = request._request.actor = actor  # type: ignore[attr-defined]
        return Account.objects.filter(person_id=row.person_id).first(), row

    def authenticate_header(self, request: Request) -> str:
        """Name the scheme in a 401."""
        return "Bearer"


class ActorSessionAuthentication(SessionAuthentication):
    """The session of the pages: a log-in, or a device bound by a join link. With CSRF check."""

    def authenticate(self, request: Request) -> tuple[Any, None] | None:
        """Take the actor that the middleware found."""
        actor = request._request.actor  # type: ignore[attr-defined]
        request.actor = actor  # type: ignore[attr-defined]
        if actor.person_id is None:
            return None
        self.enforce_csrf(request)
        user = request._request.user
        return (user if user.is_authenticated else None), None

    def enforce_csrf(self, request: Request) -> None:
        """Demand the CSRF token; raises CsrfFailed."""
        try:
            super().enforce_csrf(request)
        except exceptions.PermissionDenied as fault:
            raise CsrfFailed from fault
