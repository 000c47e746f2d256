"""How many API requests one caller may send within a minute: by token, person or bound phone.

Never by address: a hall is one address, so a request that nobody can be named for (a read of
what is public) is not counted. Log-ins have their own brake (people.throttle).
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle

from people.models import ApiToken


class CallerRate(SimpleRateThrottle):
    """At most `API_RATE` requests of one caller; above that 429 with Retry-After."""

    scope = "api"

    def get_rate(self) -> str | None:  # type: ignore[override]
        """Return the setting, such as 600/min; None: no limit."""
        return settings.API_RATE or None

    def get_cache_key(self, request: Request, view: Any) -> str | None:
        """Name the caller; None for nobody, who is not counted."""
        if isinstance(request.auth, ApiToken):
            return f"api-rate-token-{request.auth.pk}"
        person = request.actor.person_id  # type: ignore[attr-defined]
        return f"api-rate-person-{person}" if person else None
