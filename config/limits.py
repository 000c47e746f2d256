"""No request larger than the product reads: counted on the wire, before anything is parsed.

Django's own limit leaves files out, and under ASGI a body without a length is written to disk
before any view runs. So the bytes are counted here. A request that is too large goes on without
its body, marked; people.middleware answers it with 413 in the look of the house.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from people.middleware import TOO_LARGE

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
EMPTY: Message = {"type": "http.request", "body": b"", "more_body": False}


class BodyLimit:
    """Wraps an ASGI application; `limits` are (beginning of a path, bytes), the first that fits
    counts."""

    def __init__(self, application: Callable[..., Any], limits: list[tuple[str, int]]) -> None:
        self.application = application
        self.limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, its body counted."""
        if scope["type"] != "http":
            await self.application(scope, receive, send)
            return
        sizes = (size for path, size in self.limits if scope["path"].startswith(path))
        # `OPTIONS *` and an address with its host (RFC 9112, 3.2) begin with no slash
        limit = next(sizes, self.limits[-1][1])
        scope = {**scope, TOO_LARGE: False}
        seen, ended = 0, False

        async def counted() -> Message:
            nonlocal seen, ended
            if scope[TOO_LARGE]:
                if ended:
                    # What still comes is not read; whoever listens for the end of the line is
                    # cancelled with the answer.
                    await asyncio.Event().wait()
                ended = True
                return EMPTY
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > limit:
                scope[TOO_LARGE] = ended = True
                return EMPTY
            return message

        declared = dict(scope["headers"]).get(b"content-length", b"0")
        scope[TOO_LARGE] = not declared.isdigit() or int(declared) > limit
        await self.application(scope, counted, send)
