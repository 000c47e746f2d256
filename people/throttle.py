"""Slow down guessing, per route, account and known device; never per address.

A hall is one address, so an address says nothing. The key of an attempt is the route and the
account, and beside them the device where the account has signed in on it before (a signed
cookie). Guesses from devices nobody knows share one key of the account; a device that is known
has a key of its own. So whoever guesses at an account slows all unknown devices, and the owner
on the own phone signs in as ever.

The state stands in Redis where REDIS_URL is given, else in the database: both count rightly for
several processes at once. A Redis that does not answer hands over to the database.
"""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import dataclass
from typing import Any

import structlog
from django.conf import settings
from django.core import signing
from django.db import transaction
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.crypto import salted_hmac

from eventstore import clock, ids, measures
from people.domain import throttle as rules
from people.domain.names import fold
from people.domain.throttle import FORGET_SECONDS, Attempts
from people.models import ThrottleRow

DEVICE_COOKIE = "headjudge_device"
DEVICE_SALT = "headjudge.device"
DEVICE_AGE = 180 * 24 * 3600
DEVICE_ACCOUNTS = 8
"""Accounts that one device is known for; the oldest is forgotten."""
REDIS_SECONDS = 0.5
_redis: Any = None


@dataclass(frozen=True, slots=True)
class Gate:
    """One attempt at a key. `wait` is 0 when it may be looked at, else seconds to wait."""

    key: str
    wait: int

    @property
    def open(self) -> bool:
        """Whether the attempt may be looked at."""
        return self.wait == 0


def _mark(account: str) -> str:
    """The name of an account in cookies and keys: it cannot be read back."""
    return salted_hmac(DEVICE_SALT, fold(account), algorithm="sha256").hexdigest()[:32]


def _device(request: HttpRequest) -> tuple[str, list[str]]:
    """Return the id of the device and the marks of accounts it is known for."""
    given = request.COOKIES.get(DEVICE_COOKIE, "")
    try:
        device, accounts = signing.loads(given, salt=DEVICE_SALT, max_age=DEVICE_AGE)
        return str(device), [str(one) for one in accounts]
    except (signing.BadSignature, ValueError, TypeError):
        return "", []


def gate(request: HttpRequest, route: str, account: str) -> Gate:
    """Count an attempt of this request at an account; call `passed` when it was right."""
    device, accounts = _device(request)
    mark = _mark(account)
    known = device if mark in accounts else ""
    key = hashlib.sha256(f"{route}\0{mark}\0{known}".encode()).hexdigest()
    return Gate(key, math.ceil(_change(key, count=True)))


def passed(one: Gate) -> None:
    """Take the attempt back that was counted: it was right."""
    _change(one.key, count=False)


def remember_device(request: HttpRequest, response: HttpResponseBase, account: str) -> None:
    """Let the device of this request be known for an account that has signed in on it."""
    device, accounts = _device(request)
    mark = _mark(account)
    kept = [one for one in accounts if one != mark][-(DEVICE_ACCOUNTS - 1) :]
    response.set_cookie(
        DEVICE_COOKIE,
        signing.dumps([device or ids.new_id(), [*kept, mark]], salt=DEVICE_SALT),
        max_age=DEVICE_AGE,
        httponly=True,
        secure=settings.SESSION_COOKIE_SECURE,
        samesite="Strict",
    )


def _next(state: Attempts, *, count: bool) -> tuple[Attempts, float]:
    if count:
        return rules.attempt(state, clock.now().timestamp())
    return rules.refund(state), 0.0


def _change(key: str, *, count: bool) -> float:
    """Bring the state of a key forward; return the seconds to wait."""
    if settings.REDIS_URL:
        import redis

        try:
            return _in_redis(key, count=count)
        except (redis.RedisError, OSError) as fault:
            measures.note(measures.FaultNote("redis", "throttle"))
            structlog.get_logger("throttle").warning("redis does not answer", fault=str(fault))
    return _in_database(key, count=count)


def _in_redis(key: str, *, count: bool) -> float:
    global _redis
    import redis

    if _redis is None:
        _redis = redis.Redis.from_url(
            settings.REDIS_URL, socket_timeout=REDIS_SECONDS, socket_connect_timeout=REDIS_SECONDS
        )
    name, waits = f"{settings.THROTTLE_PREFIX}:{key}", [0.0]

    def change(pipe: Any) -> None:
        """Read, decide, write; run again by redis-py when somebody else wrote in between."""
        kept = pipe.get(name)
        state, waits[0] = _next(Attempts(*json.loads(kept)) if kept else Attempts(), count=count)
        pipe.multi()
        pipe.set(name, json.dumps([state.count, state.last]), ex=2 * FORGET_SECONDS)

    _redis.transaction(change, name)
    return waits[0]


def _in_database(key: str, *, count: bool) -> float:
    now = clock.now().timestamp()
    with transaction.atomic():
        ThrottleRow.objects.get_or_create(pk=key)
        row = ThrottleRow.objects.select_for_update().get(pk=key)
        state, wait = _next(Attempts(row.count, row.last), count=count)
        ThrottleRow.objects.filter(pk=key).update(count=state.count, last=state.last)
        if count and state.count == 1:
            # a fresh key pays for sweeping the ones that are forgotten by now
            ThrottleRow.objects.filter(last__gt=0, last__lt=now - FORGET_SECONDS).delete()
    return wait
