"""Where a webhook may go: to the public internet only, unless the setting says otherwise.

A server that sends to an address of somebody's choice can be led into its own network. So the
form of the address is checked when it is given, the name is resolved at each sending, every
address it has must be public, and the connection is made to the very address that was checked:
a name that answers differently the second time gains nothing.
"""

from __future__ import annotations

import ipaddress
import socket
from dataclasses import dataclass
from urllib.parse import urlsplit

MAX_URL = 500
NAT64 = ipaddress.ip_network("64:ff9b::/96")
"""Addresses that are IPv4 addresses behind a translator."""


class Forbidden(Exception):
    """The address is not one that may be sent to. `why` is a short code."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


@dataclass(frozen=True, slots=True)
class Target:
    """A checked form of address: scheme, host as the certificate names it, port, path."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def host_header(self) -> str:
        """The header Host."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        usual = {"https": 443, "http": 80}[self.scheme]
        return host if self.port == usual else f"{host}:{self.port}"


def read(url: str, *, private: bool, longest: int = MAX_URL) -> Target:
    """Take an address apart; `private` allows http and addresses of the own network.

    Raises Forbidden: too_long, malformed, scheme, userinfo, port, private.
    """
    if len(url) > longest:
        raise Forbidden("too_long")
    if not url.isascii() or any(ord(sign) <= 32 or sign in '\\"<>`{}|^' for sign in url):
        raise Forbidden("malformed")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise Forbidden("malformed") from None
    if parts.scheme not in ("https", "http") or (parts.scheme == "http" and not private):
        raise Forbidden("scheme")
    if parts.username is not None or parts.password is not None:
        raise Forbidden("userinfo")
    host = (parts.hostname or "").rstrip(".")
    if not host or parts.fragment or "%" in host:
        raise Forbidden("malformed")
    if port == 0 or (port is not None and port < 1024 and port not in (80, 443)):
        raise Forbidden("port")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    target = Target(parts.scheme, host, port or (443 if parts.scheme == "https" else 80), path)
    if not private and (host == "localhost" or host.endswith((".localhost", ".local"))):
        raise Forbidden("private")
    try:
        literal = ipaddress.ip_address(host)
    except ValueError:
        return target
    if not private and not is_public(literal):
        raise Forbidden("private")
    return target


def is_public(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Say whether an address is one of the public internet: not of this machine, of a private
    or link-local network, of a group, of documentation, nor such a one in the clothes of IPv6."""
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if inner is None and address.teredo is not None:
            inner = address.teredo[1]
        if inner is None and address in NAT64:
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(inner)
        if address.is_site_local:
            return False
    return address.is_global and not address.is_multicast and not address.is_reserved


def resolve(target: Target, *, private: bool) -> list[tuple[socket.AddressFamily, str]]:
    """Return the addresses of the host, each checked: one look-up. Raises OSError when the name
    is not known, Forbidden `private` when any of them may not be sent to."""
    found = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    addresses: list[tuple[socket.AddressFamily, str]] = [
        (family, str(place[0])) for family, _kind, _protocol, _name, place in found
    ]
    for _family, text in addresses:
        if not private and not is_public(ipaddress.ip_address(text.partition("%")[0])):
            raise Forbidden("private")
    return addresses
