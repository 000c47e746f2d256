"""The part of a public page that changes, made once for all who ask for the same state of it.

When a topic moves, thousands of phones ask again for the same pages. Each says with which counters
it was told (`Headjudge-At`), and takes the place of `[data-region]` from the answer, nothing else.
For somebody unknown that part is the same for everybody: it is cut out, kept for some seconds, and
given again to whoever was told of nothing newer. Nothing that was made for a session, holds a form
with a token, or was made before the counters that the phone knows, is ever given from here.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import time
from collections import OrderedDict
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers

from people.web import AT
from portal.live.asgi import Application, Receive, Scope, Send
from portal.live.topics import SINCE

KEPT_SECONDS = 15.0
"""What is on a page and moves no topic (a name) is at most so old for whoever follows it."""
MOST_KEPT, MOST_BYTES = 300, 400_000
NO_MATTER = {"csrftoken", "headjudge_theme"}
"""Cookies that change nothing inside a region."""
COUNTERS = "Headjudge-Region"
TOKENS = (b"csrfmiddlewaretoken", b'name="nonce"')
_BEGINS = re.compile(rb"<[a-z]+ [^>]*\bdata-region\b")
_END = b"</main>"
_PLAIN = (b"host", b"accept-language", b"x-forwarded-proto")
_READ = (b"cookie", b"accept-encoding", *_PLAIN)
_DROPPED = {b"set-cookie", b"x-request-id", COUNTERS.lower().encode()}


def is_asked(request: HttpRequest) -> bool:
    """Say whether a page asks for its region: it takes nothing else from the answer."""
    return (
        request.method == "GET"
        and SINCE.fullmatch(request.headers.get(AT, "")) is not None
        and "HX-Request" in request.headers
    )


def cut(response: HttpResponse, counters: str) -> None:
    """Leave of a page its region, with a tag of its content and the counters it was made with;
    leave a page as it is where there is none, or where it holds a form for one visitor."""
    found = _BEGINS.search(response.content)
    end = response.content.rfind(_END)
    if response.status_code != 200 or found is None or end < found.start():
        return
    region = response.content[found.start() : end]
    if any(token in region for token in TOKENS):
        return
    response.content = region
    # a part of a page is no copy of it
    response.headers.pop("Headjudge-Keep", None)
    response.headers["ETag"] = f'"{hashlib.sha256(region).hexdigest()[:32]}"'
    response.headers["Cache-Control"] = "private, no-cache"
    patch_vary_headers(response, ["HX-Request"])
    response.headers[COUNTERS] = counters


@dataclass(frozen=True, slots=True)
class Kept:
    """A region as it is sent, the counters it was made with, and until when it may be given."""

    headers: list[tuple[bytes, bytes]]
    body: bytes
    tag: bytes
    counters: tuple[int, ...]
    until: float

    def serves(self, at: tuple[int, ...]) -> bool:
        """Say whether it is new enough for a phone that was told of these counters."""
        return (
            time.monotonic() < self.until
            and len(at) == len(self.counters)
            and all(one >= other for one, other in zip(self.counters, at, strict=True))
        )


def _counters(text: bytes) -> tuple[int, ...]:
    return tuple(int(one) for one in text.split(b"."))


def _key(scope: Scope, headers: Mapping[bytes, bytes]) -> tuple[Any, ...] | None:
    """Return what an answer depends on; None for a request that has a session, cookies that cannot
    be read, or one of these headers twice: here the last would count, and in Django all of them."""
    names = [name for name, _ in scope["headers"] if name in _READ]
    if len(names) != len(set(names)):
        return None
    try:
        cookies = SimpleCookie(headers.get(b"cookie", b"").decode("latin-1"))
    except CookieError:
        return None
    if settings.SESSION_COOKIE_NAME in cookies:
        return None
    held = sorted((name, one.value) for name, one in cookies.items() if name not in NO_MATTER)
    plain = tuple(headers.get(name, b"") for name in _PLAIN)
    zipped = b"gzip" in headers.get(b"accept-encoding", b"")
    return (scope["path"], scope["query_string"], scope["scheme"], *plain, zipped, tuple(held))


class RegionApplication:
    """Wraps Django's application and gives regions that were made already."""

    def __init__(self, application: Application) -> None:
        self.application = application
        self._kept: OrderedDict[tuple[Any, ...], Kept] = OrderedDict()
        self._making: dict[tuple[Any, ...], asyncio.Lock] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        headers = dict(scope["headers"]) if scope["type"] == "http" else {}
        at = headers.get(AT.lower().encode(), b"")
        key = None
        if (
            at
            and scope["method"] == "GET"
            and b"hx-request" in headers
            and SINCE.fullmatch(at.decode("latin-1"))
        ):
            key = _key(scope, headers)
        if key is None:
            await self.application(scope, receive, send)
            return
        told, has = _counters(at), headers.get(b"if-none-match", b"")
        kept = self._held(key, told)
        if kept is None:
            kept = await self._made(key, told, scope, receive, send)
        if kept is not None:
            await _give(kept, has, send)

    def _held(self, key: tuple[Any, ...], at: tuple[int, ...]) -> Kept | None:
        kept = self._kept.get(key)
        return kept if kept is not None and kept.serves(at) else None

    async def _made(
        self, key: tuple[Any, ...], at: tuple[int, ...], scope: Scope, receive: Receive, send: Send
    ) -> Kept | None:
        """Let Django make the region, once for all who wait for it; an answer that is none goes
        out as it is, and None is returned."""
        lock = self._making.setdefault(key, asyncio.Lock())
        try:
            async with lock:
                kept = self._held(key, at)
                if kept is not None:
                    return kept
                answer: list[MutableMapping[str, Any]] = []

                async def keep(message: MutableMapping[str, Any]) -> None:
                    answer.append(message)

                await self.application(scope, receive, keep)
                kept = _read(answer)
                if kept is None:
                    for message in answer:
                        await send(message)
                    return None
                self._kept[key] = kept
                self._kept.move_to_end(key)
                while len(self._kept) > MOST_KEPT:
                    self._kept.popitem(last=False)
                return kept
        finally:
            if not lock.locked():
                self._making.pop(key, None)


def _read(answer: list[MutableMapping[str, Any]]) -> Kept | None:
    """Read a collected answer; None where it is no region, or too large to be kept."""
    if not answer or answer[0]["status"] != 200:
        return None
    given = {name.lower(): value for name, value in answer[0]["headers"]}
    counters = given.get(COUNTERS.lower().encode())
    body = b"".join(message.get("body", b"") for message in answer[1:])
    if counters is None or len(body) > MOST_BYTES:
        return None
    headers = [one for one in answer[0]["headers"] if one[0].lower() not in _DROPPED]
    tag = given.get(b"etag", b"").removeprefix(b"W/")
    return Kept(headers, body, tag, _counters(counters), time.monotonic() + KEPT_SECONDS)


async def _give(kept: Kept, has: bytes, send: Send) -> None:
    status, body, headers = 200, kept.body, kept.headers
    if kept.tag and kept.tag in has:
        status, body = 304, b""
        dropped = {b"content-length", b"content-encoding", b"content-type"}
        headers = [one for one in headers if one[0].lower() not in dropped]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
