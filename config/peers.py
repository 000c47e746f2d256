"""Who is at the other end of the line, and whether that is a proxy of TRUSTED_PROXIES.

A trusted proxy says in X-Forwarded-For for whom it asks, and from there on the request counts as
that caller's. Who really asked is remembered in the scope: only a trusted proxy may name the
correlation id, and only this very machine is told details.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from typing import Any

from django.http import HttpRequest
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

PEER = "headjudge.peer"
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


class Peers:
    """Wraps an ASGI application: remembers the peer, then believes trusted proxies."""

    def __init__(self, application: Any, trusted: Sequence[str]) -> None:
        self._application = ProxyHeadersMiddleware(application, trusted_hosts=list(trusted))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""
        client = scope.get("client")
        marked: Any = {**scope, PEER: str(client[0]) if client else ""}
        await self._application(marked, receive, send)  # type: ignore[arg-type]


def peer_of(request: HttpRequest) -> str:
    """Return the address at the other end of the line."""
    scope = getattr(request, "scope", {})
    return str(scope[PEER] if PEER in scope else request.META.get("REMOTE_ADDR", ""))


def is_among(address: str, networks: Sequence[str]) -> bool:
    """Say whether an address is in one of the networks; `*` is all."""
    if "*" in networks:
        return True
    try:
        one = ipaddress.ip_address(address)
    except ValueError:
        return False
    return any(one in ipaddress.ip_network(network) for network in networks)
