"""How many API requests one caller may send within a minute: by token, person or bound phone.

Never by address: a hall is one address, so a request that nobody can be named for (a read of
what is public) is not counted. Log-ins have their own brake (people.throttle).

A Redis that does not answer counts nothing: the hall goes on, and it is left alone for some
seconds, so that not every request waits for it.
"""

from __future__ import annotations

import time
from typing import Any

import structlog
from django.conf import settings
from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle

from eventstore import measures
from people.models import ApiToken

PAUSE_SECONDS = 5.0
_silent_until = 0.0


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

    def allow_request(self, request: Request, view: Any) -> bool:
        """Count a request and say whether it may go on; uncounted while Redis is away."""
        global _silent_until
        if not settings.REDIS_URL:
            return super().allow_request(request, view)
        if time.monotonic() < _silent_until:
            return True
        import redis

        try:
            return super().allow_request(request, view)
        except (redis.RedisError, OSError) as fault:
            _silent_until = time.monotonic() + PAUSE_SECONDS
            measures.note(measures.FaultNote("redis", "rates"))
            structlog.get_logger("rates").warning("redis does not answer", fault=str(fault))
            return True
